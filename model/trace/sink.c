/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* The sink: records of the buffer go to a ring in memory, a word a cycle. */
#include "model/trace/private.h"

enum { SINK_BASE, SINK_BASE_HI, SINK_WRITE, SINK_READ };
enum { RECORD_WORDS = 8 };

/* The words of a record that the unit has, in the order of REC_START to REC_CONTEXT. */
static bool has_word(const struct trace_config *c, unsigned word)
{
	const bool present[RECORD_WORDS] = {true, c->xlen > 32, true, c->hist > 32,
	    c->with_reason || c->with_repeat || c->with_cycles || c->with_insns, c->with_cycles, c->table_entries != 0,
	    c->table_entries != 0 && c->table_context_bits != 0};
	return present[word];
}

/* The first that it has from `word` on; RECORD_WORDS: there is none. */
static unsigned next_word(const struct trace_config *c, unsigned word)
{
	while (word < RECORD_WORDS && !has_word(c, word))
		word++;
	return word;
}

static uint32_t pointer_mask(const struct trace *trace)
{
	return (uint32_t)trace_ones(trace->config.sink_bits) & ~3u;
}

/* Of an address, those that are a place in the ring. */
static uint32_t place_mask(const struct trace *trace)
{
	const uint32_t ring = (uint32_t)trace_ones(trace->sink.size);
	return ring & pointer_mask(trace);
}

static uint32_t unread_bytes(const struct trace *trace)
{
	return (trace->sink.write - trace->sink.read) & place_mask(trace);
}

/* 32-bit words of a record in its ring. */
static unsigned trace_sink_words(const struct trace_config *c)
{
	unsigned words = 0;
	for (unsigned i = 0; i < RECORD_WORDS; i++)
		words += has_word(c, i);
	return words;
}

static bool has_room(const struct trace *trace)
{
	return unread_bytes(trace) + 4 * trace_sink_words(&trace->config) <= place_mask(trace);
}

static bool is_half(const struct trace *trace)
{
	const uint32_t places = place_mask(trace);
	return (unread_bytes(trace) & (places ^ places >> 1) & ~3u) != 0;
}

bool trace_sink_owns(const struct trace *trace)
{
	return trace->sink.enable || trace->sink.busy;
}

bool trace_sink_irq(const struct trace *trace)
{
	return trace->sink.ie && is_half(trace);
}

/* REC_START and those behind it, as the buffer has them: 0 where a unit has no such bits. */
static uint32_t record_word(const struct trace *trace, const struct record *rec, unsigned word)
{
	const struct trace_config *c = &trace->config;
	const bool counts = c->with_repeat || c->table_entries;
	const uint32_t repeat = counts ? (uint32_t)rec->count & 0xFF : 1;
	const uint32_t words[RECORD_WORDS] = {(uint32_t)rec->start, (uint32_t)(rec->start >> 32), (uint32_t)rec->hist,
	    (uint32_t)(rec->hist >> 32),
	    (uint32_t)rec->insns << RV_REC_INFO_INSNS_LSB | repeat << RV_REC_INFO_REPEAT_LSB | rec->reason,
	    (uint32_t)rec->cycles, (uint32_t)rec->count, rec->context};
	return words[word];
}

bool trace_sink_step(struct trace *trace, bool wait, struct trace_out *out)
{
	struct trace_sink *s = &trace->sink;
	const uint64_t places = place_mask(trace);
	const bool starts = !s->busy && s->enable && trace->readable && has_room(trace);
	out->sink_valid = s->busy;
	if (s->busy) {
		const uint64_t base = s->base & trace_ones(trace->config.xlen) & ~UINT64_C(3);
		out->sink_addr = (base & ~places) | (s->write & places);
		out->sink_wdata = record_word(trace, trace_fifo_head(trace), s->word);
	}
	if (starts) {
		s->busy = true;
		s->word = 0;
	} else if (s->busy && !wait) {
		s->write = (s->write + 4) & pointer_mask(trace);
		s->word = next_word(&trace->config, s->word + 1);
		s->busy = s->word < RECORD_WORDS;
		return !s->busy;
	}
	return false;
}

uint32_t trace_sink_read(const struct trace *trace)
{
	const struct trace_sink *s = &trace->sink;
	const uint32_t values[] = {(uint32_t)s->base, (uint32_t)(s->base >> 32), s->write, s->read};
	if (!trace->config.with_sink)
		return 0;
	if (s->shows)
		return values[s->select];
	return (uint32_t)s->enable << RV_SINK_ENABLE_LSB | (uint32_t)s->ie << RV_SINK_IE_LSB |
	       (uint32_t)s->size << RV_SINK_SIZE_LSB | (uint32_t)s->select << RV_SINK_SELECT_LSB |
	       (uint32_t)s->busy << RV_SINK_BUSY_LSB | (uint32_t)is_half(trace) << RV_SINK_HALF_LSB |
	       (uint32_t)!has_room(trace) << RV_SINK_FULL_LSB | trace_sink_words(&trace->config) << RV_SINK_WORDS_LSB |
	       RV_SINK_PRESENT_MASK;
}

static void write_control(struct trace_sink *s, bool is_free, uint32_t value)
{
	const uint32_t select = (value & RV_SINK_SELECT_MASK) >> RV_SINK_SELECT_LSB;
	s->enable = value & RV_SINK_ENABLE_MASK;
	s->ie = value & RV_SINK_IE_MASK;
	s->select = select & 3;
	s->shows = select >> 2;
	if (is_free)
		s->size = (uint8_t)((value & RV_SINK_SIZE_MASK) >> RV_SINK_SIZE_LSB);
}

void trace_sink_write(struct trace *trace, const struct trace_sink *before, uint32_t value)
{
	struct trace_sink *s = &trace->sink;
	const bool is_free = !before->enable && !before->busy;
	const uint32_t shifted = value << 1, bytes = shifted & pointer_mask(trace);
	if (!(value & RV_SINK_PRESENT_MASK))
		write_control(s, is_free, value);
	else if (before->select == SINK_READ)
		s->read = bytes;
	else if (is_free && before->select == SINK_WRITE)
		s->write = bytes;
	else if (is_free && before->select == SINK_BASE)
		s->base = (s->base & ~UINT64_C(0xFFFFFFFF)) | (shifted & ~3u);
	else if (is_free && before->select == SINK_BASE_HI && trace->config.xlen == 64)
		s->base = (s->base & 0xFFFFFFFFu) | (uint64_t)(value & 0x7FFFFFFFu) << 32;
}
