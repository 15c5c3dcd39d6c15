/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#include "host/standard/decoder.h"

#include <stdio.h>
#include <stdlib.h>

#define TEXT_MAX 256

int standard_decoder_open(struct standard_decoder *decoder, const struct image *image, standard_sink *sink,
    standard_teller *teller, void *context)
{
	decoder->teller = teller;
	decoder->context = context;
	decoder->ones = image_xlen(image) == 64 ? UINT64_MAX : UINT32_MAX;
	decoder->code = standard_code_open(image);
	return decoder->code == NULL ? -1 : standard_flow_open(&decoder->flow, decoder->code, sink, context);
}

void standard_take_runs(struct standard_decoder *decoder, standard_run_sink *sink)
{
	decoder->flow.run_sink = sink;
}

void standard_choose_context(struct standard_decoder *decoder, uint64_t context)
{
	decoder->chosen = decoder->foreign = true;
	decoder->wanted = context;
}

void standard_decoder_enter(struct standard_decoder *decoder, unsigned mode, const uint64_t *context)
{
	if (context != NULL) {
		decoder->context_known = true;
		decoder->current_context = *context;
	}
	decoder->mode = mode;
	const bool same = decoder->context_known && decoder->current_context == decoder->wanted;
	decoder->foreign = decoder->chosen && mode == 0 && !same;
}

bool standard_has_code(const struct standard_decoder *decoder, uint64_t pc)
{
	return !decoder->foreign && standard_code_at(decoder->code, pc)->length != 0;
}

void standard_decoder_lose(struct standard_decoder *decoder, uint64_t offset, const char *why)
{
	char text[TEXT_MAX];
	uint64_t before = decoder->flow.dropped;
	standard_flow_drop(&decoder->flow);
	snprintf(text, sizeof text, "%s%s", why,
	    decoder->flow.dropped > before ? "; what came since the last full address is left out" : "");
	decoder->counts.damaged++;
	if (decoder->teller != NULL)
		decoder->teller(decoder->context, offset, text);
}

bool standard_new_source(struct standard_decoder *decoder, unsigned source)
{
	const unsigned room = sizeof decoder->sources / sizeof *decoder->sources;
	decoder->counts.other_sources++;
	for (unsigned i = 0; i < decoder->source_count; i++) {
		if (decoder->sources[i] == source)
			return false;
	}
	if (decoder->source_count == room)
		return false;
	decoder->sources[decoder->source_count++] = (uint16_t)source;
	return decoder->counts.messages - decoder->counts.other_sources > STANDARD_USUAL;
}

void standard_move(struct standard_decoder *decoder, uint64_t offset, bool joins)
{
	if (decoder->flow.stopped == 0)
		decoder->move(decoder, offset, joins);
}

int standard_feed(struct standard_decoder *decoder, const void *bytes, size_t size)
{
	decoder->counts.bytes += size;
	if (decoder->flow.stopped == 0)
		decoder->feed(decoder, bytes, size);
	return decoder->flow.stopped;
}

int standard_finish(struct standard_decoder *decoder)
{
	if (decoder->flow.stopped == 0)
		decoder->finish(decoder);
	return standard_flow_confirm(&decoder->flow);
}

struct standard_counts standard_decoder_counts(const struct standard_decoder *decoder)
{
	struct standard_counts counts = decoder->counts;
	counts.dropped = decoder->flow.dropped;
	counts.unconfirmed = decoder->flow.unconfirmed;
	return counts;
}

void standard_close(struct standard_decoder *decoder)
{
	if (decoder == NULL)
		return;
	standard_code_close(decoder->code);
	standard_flow_close(&decoder->flow);
	free(decoder);
}
