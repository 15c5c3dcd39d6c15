/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* Bytes of an encoder: what its decoder finds, as steps. */
#include "host/import/private.h"

/* Instructions so far, with the one whose successor is not known yet. */
static uint64_t retired_insns(const struct import *import)
{
	return import->counts.instructions + (import->has_waiting && !import->waiting.trap);
}

static int take_message_event(void *context, enum standard_event event, uint64_t pc)
{
	struct import *import = context;
	struct import_step step = {
	    .line = import->counts.lines, .pc = pc, .hart = import->config.hart, .mode = import->mode};
	if (event == STANDARD_EXCEPTION || event == STANDARD_INTERRUPT || event == STANDARD_BROKEN ||
	    (event == STANDARD_MODE && pc != import->mode))
		import_pair_end(import);
	switch (event) {
	case STANDARD_BROKEN:
		import->interrupted = false;
		return import_break(import, pc);
	case STANDARD_INTERRUPT:
		if (import->has_waiting) {
			import->waiting.has_next = true;
			import->waiting.next = pc;
		}
		import->interrupted = true;
		return IMPORT_OK;
	case STANDARD_MODE:
		import->mode = (uint8_t)pc;
		import->counts.modes++;
		return IMPORT_OK;
	case STANDARD_CONTEXT: /* the decoder has left out what is of another one */
		return IMPORT_OK;
	case STANDARD_TIME:
		return import_clock_time(import->clock, retired_insns(import), pc) ? IMPORT_OK : IMPORT_ENOMEM;
	default:
		step.trap = event == STANDARD_EXCEPTION;
		step.intr = import->interrupted;
		import->interrupted = step.trap;
		return import_step(import, &step);
	}
}

static int take_message_run(void *context, uint64_t pc, uint32_t count)
{
	return import_run(context, pc, count);
}

static void tell_damage(void *context, uint64_t offset, const char *text)
{
	import_tell(context, offset, IMPORT_DAMAGED, "%s", text);
}

int import_messages_open(struct import *import)
{
	const struct import_config *c = &import->config;
	if (import->form == IMPORT_ETRACE)
		import->decoder = etrace_open(import->image, c->etrace, take_message_event, tell_damage, import);
	else
		import->decoder = ntrace_open(import->image, c->ntrace, take_message_event, tell_damage, import);
	import->frames.wanted = c->trace_id;
	import->mode = 3; /* as long as no message says it */
	if (import->decoder != NULL)
		standard_take_runs(import->decoder, take_message_run);
	if (import->decoder != NULL && c->has_context)
		standard_choose_context(import->decoder, c->address_space);
	import->config.ntrace = NULL;
	import->config.etrace = NULL;
	return import->decoder == NULL ? IMPORT_ENOMEM : IMPORT_OK;
}

static void count_messages(struct import *import)
{
	import->counts.messages = standard_decoder_counts(import->decoder);
	import->counts.lines = import->counts.messages.messages;
}

/* Damage is told by where its frame begins in the file. */
static int feed_frames(struct import *import, const uint8_t *bytes, size_t size)
{
	int error = IMPORT_OK;
	for (size_t i = 0; i < size && error == IMPORT_OK; i++) {
		uint8_t out[FRAMES_BYTES];
		bool broke;
		const unsigned count = frames_put(&import->frames, bytes[i], out, &broke);
		import->offset++;
		if (count == 0 && !broke)
			continue;
		standard_move(import->decoder, import->offset - FRAMES_BYTES, !broke);
		error = standard_feed(import->decoder, out, count);
	}
	return error;
}

void import_move(struct import *import, uint64_t offset, bool joins)
{
	if (!joins)
		import->frames = (struct frames){.wanted = import->frames.wanted, .others = import->frames.others};
	import->offset = offset;
	standard_move(import->decoder, offset, joins);
}

int import_messages_feed(struct import *import, const void *bytes, size_t size)
{
	int error =
	    import->config.framed ? feed_frames(import, bytes, size) : standard_feed(import->decoder, bytes, size);
	count_messages(import);
	return error;
}

int import_messages_end(struct import *import)
{
	int error = standard_finish(import->decoder);
	import_pair_end(import);
	count_messages(import);
	return error;
}
