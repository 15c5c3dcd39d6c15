/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#include "host/cmd/encoder_find.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "host/cmd/cmd.h"
#include "host/import/frames.h"

/* ---- what is tried: words of each list, with each other ---- */

static const char *const source_words[] = {"", "source-bits=1", "source-bits=2", "source-bits=3", "source-bits=4",
    "source-bits=5", "source-bits=6", "source-bits=8", "source-bits=10", "source-bits=12", NULL};
static const char *const frame_words[] = {"", "coresight=0", NULL};
static const char *const return_words[] = {"", "implicit-return", NULL};
static const char *const extend_words[] = {"", "extend", NULL};
static const char *const address_words[] = {"", "full-address", NULL};
static const char *const stack_words[] = {"", "implicit-return,return-stack=1", "implicit-return,return-stack=2",
    "implicit-return,return-stack=3", "implicit-return,return-stack=4", "implicit-return,return-stack=5",
    "implicit-return,call-counter=3", "implicit-return,call-counter=4", NULL};
static const char *const chip_names[] = {"p550", "esp32-c6", "esp32-p4", NULL};

struct attempt {
	struct encoder_found *best;
	const struct image *image;
	const uint8_t *bytes;
	size_t size;
	uint8_t *unframed; /* room for as many */
	uint64_t instructions;
	bool failed;
};

static int count_found_run(void *context, uint64_t pc, uint32_t count)
{
	struct attempt *a = context;
	(void)pc;
	a->instructions += count;
	return 0;
}

static int ignore_found_event(void *context, enum standard_event event, uint64_t pc)
{
	(void)context;
	(void)event;
	(void)pc;
	return 0;
}

static size_t unframe_sample(struct attempt *a)
{
	struct frames frames = {0};
	size_t kept = 0;
	for (size_t i = 0; i < a->size; i++) {
		uint8_t out[FRAMES_BYTES];
		bool broke;
		const unsigned count = frames_put(&frames, a->bytes[i], out, &broke);
		memcpy(a->unframed + kept, out, count);
		kept += count;
	}
	return kept;
}

/* The source of the first message of a stream with sources, since nobody has said which one is wanted. */
static void find_source(struct encoder_setting *setting, const uint8_t *bytes, size_t size, unsigned xlen)
{
	struct ntrace_reader reader;
	struct ntrace_message message;
	const struct ntrace_layout *layout = &setting->ntrace.layout;
	struct ntrace_layout wide = *layout;
	wide.xlen = xlen;
	if (setting->form != IMPORT_NTRACE || layout->source_bits == 0)
		return;
	ntrace_reader_init(&reader, &wide, false);
	for (size_t i = 0; i < size; i++) {
		if (ntrace_read(&reader, bytes[i], &message) != NTRACE_MESSAGE)
			continue;
		setting->ntrace.source = message.source;
		return;
	}
}

/* Points of a setting: instructions that followed, less where its stream was damaged. */
static uint64_t found_score(const struct encoder_found *f)
{
	return f->instructions / (1 + f->damaged);
}

static void try_setting(struct attempt *a, struct encoder_setting setting, const char *words)
{
	const uint8_t *bytes = setting.framed ? a->unframed : a->bytes;
	const size_t size = setting.framed ? unframe_sample(a) : a->size;
	find_source(&setting, bytes, size, image_xlen(a->image));
	struct standard_decoder *decoder = setting.form == IMPORT_NTRACE
					       ? ntrace_open(a->image, &setting.ntrace, ignore_found_event, NULL, a)
					       : etrace_open(a->image, &setting.etrace, ignore_found_event, NULL, a);
	if (decoder == NULL) {
		a->failed = true;
		return;
	}
	a->instructions = 0;
	standard_take_runs(decoder, count_found_run);
	standard_feed(decoder, bytes, size);
	standard_flow_confirm(&decoder->flow);
	const struct standard_counts counts = standard_decoder_counts(decoder);
	struct encoder_found found = {.setting = setting,
	    .instructions = a->instructions,
	    .messages = counts.messages,
	    .damaged = counts.damaged};
	snprintf(found.words, sizeof found.words, "%s", words);
	if (setting.form == IMPORT_NTRACE && setting.ntrace.source != 0)
		snprintf(found.words + strlen(found.words), sizeof found.words - strlen(found.words), ",source=%u",
		    setting.ntrace.source);
	if (found_score(&found) > found_score(a->best))
		*a->best = found;
	standard_close(decoder);
}

static void try_words(struct attempt *a, enum import_form form, const char *const parts[4])
{
	char words[ENCODER_FIND_WORDS], list[ENCODER_FIND_WORDS];
	struct encoder_setting setting;
	int used = snprintf(words, sizeof words, "--form %s", import_form_name(form));
	*list = '\0';
	for (unsigned i = 0; i < 4; i++) {
		if (*parts[i] == '\0')
			continue;
		if (*list != '\0')
			strcat(list, ",");
		strcat(list, parts[i]);
	}
	if (*list == '\0')
		strcpy(list, form == IMPORT_NTRACE ? "source-bits=0" : "difference");
	snprintf(words + used, sizeof words - (size_t)used, " --encoder=%s", list);
	encoder_defaults(&setting, form);
	if (encoder_words(&setting, list) == NULL)
		try_setting(a, setting, words);
}

static void try_ntrace(struct attempt *a)
{
	for (const char *const *frame = frame_words; *frame != NULL; frame++)
		for (const char *const *source = source_words; *source != NULL; source++)
			for (const char *const *returns = return_words; *returns != NULL; returns++)
				for (const char *const *extend = extend_words; *extend != NULL; extend++)
					try_words(
					    a, IMPORT_NTRACE, (const char *[]){*returns, *source, *extend, *frame});
}

static void try_etrace(struct attempt *a)
{
	static const char *const sources[] = {"", "source-bits=4", "source-bits=6", "source-bits=8", NULL};
	for (const char *const *source = sources; *source != NULL; source++)
		for (const char *const *address = address_words; *address != NULL; address++)
			for (const char *const *stack = stack_words; *stack != NULL; stack++)
				try_words(a, IMPORT_ETRACE, (const char *[]){*stack, *address, *source, ""});
	try_words(a, IMPORT_ETRACE, (const char *[]){"records", "", "", ""});
	try_words(a, IMPORT_ETRACE, (const char *[]){"records", "full-address", "", ""});
}

static void try_chips(struct attempt *a)
{
	for (const char *const *chip = chip_names; *chip != NULL; chip++) {
		char words[ENCODER_FIND_WORDS];
		struct encoder_setting setting;
		snprintf(words, sizeof words, "--chip %s", *chip);
		if (encoder_chip(&setting, *chip))
			try_setting(a, setting, words);
	}
}

bool encoder_find(struct encoder_found *found, const struct image *image, const uint8_t *bytes, size_t size)
{
	struct attempt a = {.best = found, .image = image, .bytes = bytes, .size = size, .unframed = malloc(size + 1)};
	*found = (struct encoder_found){0};
	if (a.unframed == NULL)
		return false;
	try_chips(&a);
	try_ntrace(&a);
	try_etrace(&a);
	free(a.unframed);
	return !a.failed;
}

bool encoder_fits(const struct encoder_found *found)
{
	return found->instructions > 0 && 1000 * found->damaged <= found->messages;
}

int encoder_find_told(struct encoder_setting *setting, const struct image *image, const struct encoder_sample *sample)
{
	struct encoder_found found;
	if (!encoder_find(&found, image, sample->bytes, sample->size)) {
		complain("out of memory");
		return STATUS_FAILED;
	}
	if (!encoder_fits(&found)) {
		complain("%s: no setting that is known fits its bytes and %s%s%s: say --form and --encoder "
			 "(docs/standards.md)",
		    sample->log, sample->program, found.instructions > 0 ? "; nearest is " : "",
		    found.instructions > 0 ? found.words : "");
		return STATUS_FAILED;
	}
	printf("found: %s (%s instructions in the first %s bytes, %s of %s messages damaged)\n", found.words,
	    with_commas(found.instructions), with_commas(sample->size), with_commas(found.damaged),
	    with_commas(found.messages));
	*setting = found.setting;
	return STATUS_OK;
}
