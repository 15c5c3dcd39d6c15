/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#ifndef RIVULET_MODEL_NTRACE_PRIVATE_H
#define RIVULET_MODEL_NTRACE_PRIVATE_H
/*
 * One function or two for each module of rtl/ntrace, in the file of the module's name. Every one reads the registers of
 * other modules as they are in this cycle and leaves its own as they are in the next; ntrace_cycle calls them so that
 * nobody reads a register that was left already:
 *
 *     class -> encode (pack, repeat, stack, sync) -> sink -> events -> queue -> regs
 */
#include "model/ntrace.h"

static inline uint64_t ntrace_ones(unsigned bits)
{
	return bits >= 64 ? UINT64_MAX : (1ull << bits) - 1;
}

/* How the encoder is set: the outputs of rivulet_ntrace_regs.v. */
static inline bool ntrace_on(const struct ntrace *t)
{
	return t->regs.enable && t->regs.tracing && t->regs.mode;
}
static inline bool ntrace_history(const struct ntrace *t)
{
	return !(t->config.with_btm && t->regs.btm);
}
static inline bool ntrace_returns(const struct ntrace *t)
{
	return t->config.returns > 0 && t->regs.returns && t->regs.compare;
}
static inline bool ntrace_repeats(const struct ntrace *t)
{
	return t->config.with_repeat && t->regs.repeat;
}
static inline bool ntrace_owner(const struct ntrace *t)
{
	return t->config.with_owner && t->regs.context;
}
static inline bool ntrace_timed(const struct ntrace *t)
{
	return t->config.time_bits > 0 && t->regs.ts_enable && t->regs.ts_active;
}

/* ---- rivulet_ntrace_class.v */
enum ntrace_kind ntrace_class(const struct ntrace_config *config, const struct trace_retire *s);

/* ---- rivulet_ntrace_filter.v */
bool ntrace_filter_match(const struct ntrace_filter *filter, const struct trace_retire *s);
uint32_t ntrace_filter_read(const struct ntrace *t, unsigned index);
void ntrace_filter_write(struct ntrace *t, unsigned index, uint32_t value);

/* ---- rivulet_ntrace_events.v: returns whether *event is pushed; *drop: it is lost. */
bool ntrace_events(struct ntrace *t, enum ntrace_kind kind, bool match, struct ntrace_event *event, bool *drop);

/* ---- rivulet_ntrace_queue.v */
bool ntrace_queue_full(const struct ntrace *t);
bool ntrace_queue_room(const struct ntrace *t);
bool ntrace_queue_nearly_full(const struct ntrace *t);
bool ntrace_queue_empty(const struct ntrace *t);
void ntrace_queue(struct ntrace *t, bool push, const struct ntrace_event *event, bool pop);

/* ---- rivulet_ntrace_encode.v: returns whether the oldest event is taken; byte_ready: the byte of pack leaves. */
bool ntrace_encode(struct ntrace *t, bool byte_ready);
bool ntrace_encode_idle(const struct ntrace *t);
void ntrace_encode_reset(struct ntrace *t);

/* ---- rivulet_ntrace_sync.v */
void ntrace_sync(struct ntrace *t, bool message, bool counts, unsigned halves, bool clear);

/* ---- rivulet_ntrace_stack.v */
bool ntrace_stack_hit(const struct ntrace *t, uint64_t target);
void ntrace_stack(struct ntrace *t, bool clear, bool push, bool pop, uint64_t link);

/* ---- rivulet_ntrace_repeat.v */
struct ntrace_repeat_in {
	bool hold, repeat, branch, other, flush, direct, still;
	uint32_t hist, icnt;
	uint64_t target;
};
bool ntrace_same_hist(const struct ntrace *t);
bool ntrace_same_branch(const struct ntrace *t, uint32_t icnt, uint64_t target, bool direct, bool still);
void ntrace_repeat(struct ntrace *t, const struct ntrace_repeat_in *in);

/* ---- rivulet_ntrace_pack.v */
enum ntrace_part { /* of a message, in their order */
	NTRACE_PART_ICNT,
	NTRACE_PART_PATTERN,
	NTRACE_PART_COUNT,
	NTRACE_PART_OWNER,
	NTRACE_PART_ADDR,
	NTRACE_PART_HIST,
	NTRACE_PART_TIME,
	NTRACE_PARTS
};
#define NTRACE_PART(name) (1u << NTRACE_PART_##name)
struct ntrace_start {
	uint8_t tcode, fixed, width, parts; /* width: of fixed, in pairs of bits */
};
/* A value that is being sent: its lowest six bits, and whether it has no others worth sending. */
struct ntrace_chunk {
	uint8_t low;
	bool last;
};
void ntrace_pack_start(struct ntrace *t, const struct ntrace_start *start);
bool ntrace_pack_byte(const struct ntrace *t, uint8_t *byte);
/* The byte leaves. Returns the part that is shifted, or NTRACE_PARTS; *ended: it was its last byte. */
enum ntrace_part ntrace_pack_next(struct ntrace *t, bool *ended);
struct ntrace_chunk ntrace_encode_chunk(const struct ntrace *t, enum ntrace_part part);

/* ---- rivulet_ntrace_regs.v */
uint32_t ntrace_regs_read(const struct ntrace *t, unsigned index);
bool ntrace_regs_match(const struct ntrace *t);
void ntrace_regs(struct ntrace *t, const struct ntrace_bus *bus, bool empty, bool trouble);
void ntrace_regs_reset(struct ntrace *t);

/* ---- rivulet_ntrace_sink.v */
static inline bool ntrace_has_sink(const struct ntrace *t)
{
	return t->config.sink_words > 0 || t->config.with_smem;
}
uint32_t ntrace_sink_read(const struct ntrace *t, unsigned index);
bool ntrace_sink_ready(const struct ntrace *t);
void ntrace_sink(struct ntrace *t, const struct ntrace_in *in, bool byte_valid, uint8_t byte);
void ntrace_sink_reset(struct ntrace *t);
#endif
