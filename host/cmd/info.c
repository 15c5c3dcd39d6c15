/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* rivulet info: what is in a profile or capture. */
#include <argp.h>
#include <inttypes.h>
#include <stdlib.h>
#include "host/cmd/cmd.h"

struct arguments {
	const char *file;
	bool text;
};

static const struct argp_option options[] = {
    {"text", 't', NULL, 0, "Print the console text only", 0},
    {0},
};

static error_t parse(int key, char *value, struct argp_state *state)
{
	struct arguments *arguments = state->input;
	switch (key) {
	case 't':
		arguments->text = true;
		return 0;
	case ARGP_KEY_ARG:
		if (arguments->file != NULL)
			argp_error(state, "one file is expected, `%s' is too many", value);
		arguments->file = value;
		return 0;
	case ARGP_KEY_END:
		if (arguments->file == NULL)
			argp_error(state, "a file is expected: a profile, or captured UART bytes");
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static void copy_text(void *context, const uint8_t *bytes, size_t size)
{
	fwrite(bytes, 1, size, context);
}

/* The text is not kept by load_profile(): the file is read a second time. */
static int print_text(const char *path)
{
	struct profile profile;
	struct profile_reader *reader = malloc(sizeof *reader);
	FILE *file = fopen(path, "rb");
	int status = STATUS_FAILED;
	if (reader != NULL && file != NULL && profile_init(&profile) == PROFILE_OK) {
		uint8_t buffer[65536];
		size_t got;
		profile_reader_init(reader, &profile);
		reader->text = copy_text;
		reader->context = stdout;
		while ((got = fread(buffer, 1, sizeof buffer, file)) > 0 &&
		       profile_feed(reader, buffer, got) == PROFILE_OK)
			;
		(void)profile_finish(reader);
		profile_fini(&profile);
		status = STATUS_OK;
	}
	if (file != NULL)
		fclose(file);
	free(reader);
	return status;
}

int cmd_info(int argc, char **argv)
{
	static const struct argp argp = {options, parse, "FILE",
	    "What is in a profile or in captured UART bytes: the run, counts, and damage with byte offsets.", NULL,
	    NULL, NULL};
	struct arguments arguments = {0};
	struct loaded loaded;
	argp_parse(&argp, argc, argv, 0, NULL, &arguments);
	int status = load_profile(&loaded, arguments.file);
	const struct profile_reader *reader = loaded.reader;
	const struct profile *profile = &loaded.profile;
	if (status == STATUS_FAILED) {
		free_profile(&loaded);
		return status;
	}
	if (arguments.text) {
		int text = print_text(arguments.file);
		free_profile(&loaded);
		return text == STATUS_OK ? status : text;
	}
	printf("%s: %s bytes: %s good frames, %s damaged, %s bytes of text\n", arguments.file,
	    with_commas(reader->offset), with_commas(reader->frames), with_commas(reader->damaged),
	    with_commas(reader->text_bytes));
	if (profile->has_header) {
		const struct profile_header *h = &profile->header;
		printf(
		    "  application   %s, build %08" PRIx32 "\n", h->name[0] != '\0' ? h->name : "(no name)", h->build);
		printf("  collected by  %s\n", h->source == PROFILE_MODEL ? "golden model" : "firmware");
		printf("  way           %s, period %s, dither mask %s\n", profile_way_name(h->way),
		    h->period == 0 ? "not known" : with_commas(h->period), with_commas(h->dither));
		printf("  trace unit    %" PRIu64 "-bit addresses, %" PRIu64 "-bit history, CTRL 0x%08" PRIx64 "\n",
		    h->xlen, h->hist, h->ctrl);
	} else
		printf("  header        missing\n");
	uint64_t partial = 0, timed = 0;
	for (size_t i = 0; i < profile->size; i++) {
		const struct profile_entry *entry = &profile->slots[i];
		if (entry->hist != 0 && profile_partial(entry))
			partial += entry->count;
		timed += entry->timed;
	}
	printf("  paths         %s distinct, %s traces, %s of them cut off by a discontinuity, %s with cycles\n",
	    with_commas(profile->used), with_commas(profile->total), with_commas(partial), with_commas(timed));
	if (profile->has_end) {
		const struct profile_end *e = &profile->end;
		printf("  run           %s cycles, %s instructions, %s interrupts, %s cycles in handlers%s\n",
		    with_commas(e->cycles), with_commas(e->instructions), with_commas(e->interrupts),
		    with_commas(e->handler_cycles), e->handler_cycles == 0 ? " (or not measured)" : "");
		printf("  not counted   dropped %s (table full), lost %s (buffer full)\n", with_commas(e->dropped),
		    with_commas(e->lost));
		if (reader->entries != e->entries || profile->total != e->counts)
			printf("  end frame     says %s entries, %s counts; %s entries, %s counts were read\n",
			    with_commas(e->entries), with_commas(e->counts), with_commas(reader->entries),
			    with_commas(profile->total));
	} else
		printf("  end           missing: cycles, instructions, loss are not known\n");
	if (!loaded.whole) {
		printf("  damage\n");
		print_damage(&loaded, stdout, "    ", DAMAGE_MAX);
	}
	free_profile(&loaded);
	return status;
}
