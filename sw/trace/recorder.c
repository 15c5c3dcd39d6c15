/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#include "sw/trace/recorder.h"

#include "common/frame.h"
#include "sw/trace/private.h"

#define SEAL_READS 4 /* reads of a register: each takes two cycles or more; the ring is complete after six */

static int find_recorder(struct trace_features *features)
{
	if (trace_probe(features) != TRACE_OK)
		return TRACE_EABSENT;
	return (trace_get(RECORDER) & TRACE_MASK(RECORDER, PRESENT)) != 0 ? TRACE_OK : TRACE_EWAY;
}

static void empty_ring(void)
{
	while ((trace_get(STATUS) & TRACE_MASK(STATUS, NONEMPTY)) != 0)
		trace_put(POP, 0);
}

int trace_recorder_arm(const struct trace_recorder *what)
{
	struct trace_features features;
	const int error = find_recorder(&features);
	if (error != TRACE_OK)
		return error;
	if (features.hist > 32 || features.xlen64)
		return TRACE_EHIST;
	const bool late = what->limit != 0;
	trace_put(CTRL, 0);
	trace_put(RECORDER, 0);
	empty_ring();
	trace_put(LOST, 0);
	trace_put(RECORDER_TRAPS, what->traps);
	trace_put(RECORDER_FROM, late ? what->from : what->reached);
	trace_put(RECORDER_TO, what->to);
	trace_put(RECORDER_LIMIT, what->limit);
	trace_put(RECORDER,
	    (what->traps != 0 ? TRACE_MASK(RECORDER, TRAP) : 0) | (what->pin ? TRACE_MASK(RECORDER, PIN) : 0) |
		(what->reached != 0 && !late ? TRACE_MASK(RECORDER, REACHED) : 0) |
		(late ? TRACE_MASK(RECORDER, LATE) : 0) | (what->reset ? TRACE_MASK(RECORDER, RESET) : 0));
	trace_put(CTRL, TRACE_MASK(CTRL, ENABLE) | TRACE_MASK(CTRL, RING) | TRACE_MASK(CTRL, REPEAT) |
			    TRACE_MASK(CTRL, NO_BACKWARD) | TRACE_MASK(CTRL, MODES));
	return TRACE_OK;
}

bool trace_recorder_frozen(void)
{
	struct trace_features features;
	return find_recorder(&features) == TRACE_OK && (trace_get(RECORDER) & TRACE_MASK(RECORDER, FROZEN)) != 0;
}

static uint32_t *save_head(uint32_t *words, uint32_t count)
{
	words[RING_MAGIC_WORD] = RING_MAGIC;
	words[RING_SIZE] = RING_MAX_WORDS(count, 4);
	words[RING_ID] = trace_get(ID);
	words[RING_CAPS] = trace_get(CAPS);
	words[RING_RECORDER] = trace_get(RECORDER);
	words[RING_LOST] = trace_get(LOST);
	words[RING_PC] = trace_get(RECORDER_PC);
	words[RING_PC_HI] = 0;
	words[RING_RESUME] = trace_get(RESUME);
	words[RING_RESUME_HI] = 0;
	words[RING_MCAUSE] = csr_read(mcause);
	words[RING_MEPC] = csr_read(mepc);
	words[RING_MEPC_HI] = 0;
	words[RING_MTVAL] = csr_read(mtval);
	words[RING_MTVAL_HI] = 0;
	words[RING_COUNT] = count;
	words[RING_WIDTH] = 4;
	return words + RING_WORDS;
}

size_t trace_recorder_save(uint32_t *words, size_t room)
{
	struct trace_features features;
	if (find_recorder(&features) != TRACE_OK)
		return 0;
	if ((trace_get(RECORDER) & TRACE_MASK(RECORDER, FROZEN)) == 0)
		trace_put(RECORDER, TRACE_MASK(RECORDER, FROZEN));
	uint32_t count = 0;
	for (unsigned i = 0; i < SEAL_READS; i++)
		count = trace_get(COUNT);
	if (RING_MAX_WORDS(count, 4) > room)
		return 0;
	uint32_t *at = save_head(words, count);
	for (uint32_t i = 0; i < count; i++) {
		*at++ = trace_get(REC_START);
		*at++ = trace_get(REC_HIST);
		*at++ = trace_get(REC_INFO);
		*at++ = trace_get(REC_CYCLES);
		trace_put(POP, 0);
	}
	*at = frame_crc32(0, words, 4 * (size_t)(at - words));
	return (size_t)(at - words) + 1;
}

static void put_text(const char *text, void (*put)(char c))
{
	while (*text != '\0')
		put(*text++);
}

static void put_hex(uint32_t value, void (*put)(char c))
{
	put(' ');
	for (int shift = 28; shift >= 0; shift -= 4)
		put("0123456789abcdef"[value >> shift & 15]);
}

void trace_recorder_print(const uint32_t *words, size_t count, void (*put)(char c))
{
	for (size_t i = 0; i < count; i++) {
		if (i % RING_TEXT_WORDS == 0) {
			put_text(RING_TEXT, put);
			put_hex((uint32_t)i, put);
		}
		put_hex(words[i], put);
		if (i % RING_TEXT_WORDS == RING_TEXT_WORDS - 1 || i + 1 == count)
			put('\n');
	}
}
