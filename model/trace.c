/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#include "model/trace.h"

#include <string.h>

#include "common/rivulet_regs.h"

#define DEPTH_MAX 15u

/* ---------------------------------------------------------------- configuration */

void trace_config_fig5(struct trace_config *config)
{
	memset(config, 0, sizeof *config);
	config->xlen = 32;
	config->hist = 8;
	config->cycle_bits = 16;
	config->insn_bits = 16;
	config->repeat_bits = 8;
	config->sample_bits = 24;
}

void trace_config_default(struct trace_config *config)
{
	trace_config_fig5(config);
	config->hist = 32;
	config->fifo_depth = 16;
	config->ranges = 1;
	config->with_reason = config->with_cycles = config->with_insns = config->with_repeat = true;
	config->with_sample = config->with_dither = config->with_mode = config->with_freeze = true;
	config->with_lost = config->with_lifo = config->with_context = config->with_term = true;
}

const char *trace_reason_name(unsigned reason)
{
	static const char *const names[] = {"none", "backward", "indirect", "full", "trap", "xret", "left", "off"};
	return reason < sizeof names / sizeof *names ? names[reason] : "unknown";
}

static uint64_t ones(unsigned bits)
{
	return bits >= 64 ? UINT64_MAX : (1ull << bits) - 1;
}

void trace_reset(struct trace *trace, const struct trace_config *config)
{
	struct trace_config keep = *config; /* config may be a part of *trace */
	memset(trace, 0, sizeof *trace);
	trace->config = keep;
	trace->ctrl = RV_CTRL_RESET;
	trace->cur_hist = 1;
	trace->lfsr = keep.with_dither ? 1 : 0;
}

/* ---------------------------------------------------------------- section 3: the branch decoder */

struct kind {
	bool br, jmp, ind, ret;
	unsigned length;
};

static struct kind decode(const struct trace_config *config, uint32_t insn)
{
	struct kind kind = {.length = 2};
	unsigned funct3_c = insn >> 13 & 7, rs2_c = insn >> 2 & 31, rd_c = insn >> 7 & 31;
	switch (insn & 3) {
	case 1:
		kind.jmp = funct3_c == 5 || (funct3_c == 1 && config->xlen == 32);
		kind.br = funct3_c >= 6;
		break;
	case 2:
		kind.ind = funct3_c == 4 && rs2_c == 0 && rd_c != 0;
		break;
	case 3:
		kind.length = 4;
		kind.br = (insn & 0x7F) == 0x63;
		kind.jmp = (insn & 0x7F) == 0x6F;
		kind.ind = (insn & 0x7F) == 0x67;
		kind.ret = insn == 0x30200073 || insn == 0x10200073;
		break;
	default:
		break;
	}
	return kind;
}

/* ---------------------------------------------------------------- section 8: the buffer */

static void lose(struct trace *trace, uint32_t count)
{
	if (trace->config.with_lost)
		trace->lost = trace->lost > UINT32_MAX - count ? UINT32_MAX : trace->lost + count;
}

static void buffer_cycle(struct trace *trace, bool pop, bool push, const struct trace_record *rec)
{
	unsigned depth = trace->config.fifo_depth;
	bool lifo = trace->ctrl & RV_CTRL_LIFO_MASK;
	pop = pop && trace->readable;
	if (depth == 0) {
		if (push) {
			if (trace->readable && !pop)
				lose(trace, trace->fifo[0].repeat);
			trace->fifo[0] = *rec;
		}
		trace->readable = push || (trace->readable && !pop);
		trace->count = trace->readable;
		return;
	}
	unsigned last = depth - 1;
	if (pop) {
		trace->count--;
		if (lifo)
			trace->wr_ptr = (trace->wr_ptr - 1) & last;
		else
			trace->rd_ptr = (trace->rd_ptr + 1) & last;
	}
	trace->readable = trace->count != 0 && !(lifo && push);
	if (!push)
		return;
	if (trace->count == depth) {
		if (!lifo) {
			lose(trace, rec->repeat);
			return;
		}
		lose(trace, 1);
		trace->rd_ptr = (trace->rd_ptr + 1) & last;
		trace->count--;
	}
	trace->fifo[trace->wr_ptr] = *rec;
	trace->wr_ptr = (trace->wr_ptr + 1) & last;
	trace->count++;
}

static const struct trace_record *head(const struct trace *trace)
{
	unsigned depth = trace->config.fifo_depth;
	if (depth == 0)
		return &trace->fifo[0];
	return &trace->fifo[trace->ctrl & RV_CTRL_LIFO_MASK ? (trace->wr_ptr - 1) & (depth - 1) : trace->rd_ptr];
}

/* ---------------------------------------------------------------- registers */

static uint32_t status(const struct trace *trace)
{
	uint32_t value = 0;
	bool full = trace->config.fifo_depth ? trace->count == trace->config.fifo_depth : trace->readable;
	if (trace->readable)
		value |= RV_STATUS_NONEMPTY_MASK;
	if (trace->watermark && trace->count >= trace->watermark)
		value |= RV_STATUS_WATERMARK_MASK;
	if (full)
		value |= RV_STATUS_FULL_MASK;
	if (trace->status_sample)
		value |= RV_STATUS_SAMPLE_MASK;
	if (trace->lost)
		value |= RV_STATUS_LOST_MASK;
	if (trace->cur_valid)
		value |= RV_STATUS_CUR_VALID_MASK;
	return value;
}

static uint32_t capabilities(const struct trace_config *c)
{
	const bool bits[] = {c->xlen == 64, c->with_reason, c->with_cycles, c->with_insns, c->with_repeat,
	    c->with_sample, c->with_dither, c->with_mode, c->with_freeze, c->with_lost, c->with_lifo, c->with_context,
	    c->with_term};
	uint32_t value = c->ranges << RV_CAPS_RANGES_LSB | c->fifo_depth << RV_CAPS_DEPTH_LSB;
	for (unsigned i = 0; i < sizeof bits / sizeof *bits; i++)
		value |= (uint32_t)bits[i] << i;
	return value;
}

uint32_t trace_read(const struct trace *trace, unsigned index)
{
	const struct trace_config *c = &trace->config;
	static const struct trace_record nothing;
	const struct trace_record *rec = trace->readable || c->fifo_depth == 0 ? head(trace) : &nothing;
	uint64_t hist = trace->cur_valid ? trace->cur_hist : 0;
	switch (index) {
	case RV_REG_ID:
		return RV_MAGIC << RV_ID_MAGIC_LSB | c->hist << RV_ID_HIST_LSB | RV_VERSION << RV_ID_VERSION_LSB;
	case RV_REG_CAPS:
		return capabilities(c);
	case RV_REG_CTRL:
		return trace->ctrl;
	case RV_REG_STATUS:
		return status(trace);
	case RV_REG_CUR_START:
		return (uint32_t)trace->cur_start;
	case RV_REG_CUR_START_HI:
		return (uint32_t)(trace->cur_start >> 32);
	case RV_REG_CUR_HIST:
		return (uint32_t)hist;
	case RV_REG_CUR_HIST_HI:
		return (uint32_t)(hist >> 32);
	case RV_REG_CUR_INFO:
		return trace->cur_insns << RV_CUR_INFO_INSNS_LSB;
	case RV_REG_CUR_CYCLES:
		return trace->cur_cycles;
	case RV_REG_RESUME:
		return (uint32_t)trace->resume;
	case RV_REG_RESUME_HI:
		return (uint32_t)(trace->resume >> 32);
	case RV_REG_DEPTH:
		return trace->depth;
	case RV_REG_REC_START:
		return (uint32_t)rec->start;
	case RV_REG_REC_START_HI:
		return (uint32_t)(rec->start >> 32);
	case RV_REG_REC_HIST:
		return (uint32_t)rec->hist;
	case RV_REG_REC_HIST_HI:
		return (uint32_t)(rec->hist >> 32);
	case RV_REG_REC_INFO:
		/* without WITH_REPEAT the count is the constant 1 */
		if (rec == &nothing)
			return 0;
		return (uint32_t)rec->insns << RV_REC_INFO_INSNS_LSB |
		       (uint32_t)(c->with_repeat ? rec->repeat : 1) << RV_REC_INFO_REPEAT_LSB | (uint32_t)rec->reason;
	case RV_REG_REC_CYCLES:
		return rec->cycles;
	case RV_REG_COUNT:
		return trace->count;
	case RV_REG_WATERMARK:
		return trace->watermark;
	case RV_REG_LOST:
		return trace->lost;
	case RV_REG_PERIOD:
		return trace->period;
	case RV_REG_COUNTER:
		return trace->counter;
	case RV_REG_DITHER:
		return trace->dither;
	case RV_REG_LFSR:
		return trace->lfsr;
	default:
		break;
	}
	if (index >= RV_REG_RANGE0_LO && index < RV_REG_RANGE0_LO + 4 * TRACE_MAX_RANGES) {
		unsigned word = index - RV_REG_RANGE0_LO;
		uint64_t bound = word & 2 ? trace->range_hi[word / 4] : trace->range_lo[word / 4];
		return (uint32_t)(bound >> 32 * (word & 1));
	}
	return 0;
}

/* Replaces the low or the high word of an address register. */
static uint64_t put_word(const struct trace *trace, uint64_t old, bool high, uint32_t word)
{
	uint64_t value = high ? (old & 0xFFFFFFFFu) | (uint64_t)word << 32 : (old & ~0xFFFFFFFFull) | word;
	return value & ones(trace->config.xlen);
}

static void write_ctrl(struct trace *trace, uint32_t value)
{
	const struct trace_config *c = &trace->config;
	uint32_t mask = RV_CTRL_ENABLE_MASK | RV_CTRL_IE_MASK;
	if (c->with_term)
		mask |= RV_CTRL_NO_BACKWARD_MASK | RV_CTRL_NO_INDIRECT_MASK;
	if (c->with_freeze)
		mask |= RV_CTRL_HANDLERS_MASK;
	if (c->with_repeat)
		mask |= RV_CTRL_REPEAT_MASK;
	if (c->with_sample)
		mask |= RV_CTRL_SAMPLE_MASK;
	if (c->with_lifo && c->fifo_depth)
		mask |= RV_CTRL_LIFO_MASK;
	if (c->with_mode)
		mask |= RV_CTRL_MODES_MASK;
	mask |= ((1u << c->ranges) - 1) << RV_CTRL_RANGE_EN_LSB;
	trace->ctrl = (value & mask) | (c->with_mode ? 0 : RV_CTRL_MODES_MASK);
}

/* Registers of more than one word, as they were before stage S of this cycle: a write to one half keeps the other half
 * of these. */
struct before {
	uint64_t start, hist, resume;
};

static void write_hist(struct trace *trace, uint64_t old, bool high, uint32_t word)
{
	unsigned h = trace->config.hist;
	if (high && h <= 32)
		return;
	uint64_t value = (high ? (old & 0xFFFFFFFFu) | (uint64_t)word << 32 : (old & ~0xFFFFFFFFull) | word) & ones(h);
	trace->cur_valid = value != 0;
	trace->cur_hist = value ? value : 1;
	trace->end = value >> (h - 1) & 1;
	trace->end_reason = trace->end && trace->config.with_reason ? TRACE_FULL : TRACE_NONE;
}

static void write_context(struct trace *trace, const struct before *before, unsigned index, uint32_t value)
{
	const struct trace_config *c = &trace->config;
	bool wide = c->xlen == 64;
	switch (index) {
	case RV_REG_CUR_START:
	case RV_REG_CUR_START_HI:
		if (index == RV_REG_CUR_START || wide)
			trace->cur_start = put_word(trace, before->start, index == RV_REG_CUR_START_HI, value);
		break;
	case RV_REG_CUR_HIST:
	case RV_REG_CUR_HIST_HI:
		write_hist(trace, before->hist, index == RV_REG_CUR_HIST_HI, value);
		break;
	case RV_REG_CUR_INFO:
		if (c->with_insns)
			trace->cur_insns = value >> RV_CUR_INFO_INSNS_LSB & (uint32_t)ones(c->insn_bits);
		break;
	case RV_REG_CUR_CYCLES:
		if (c->with_cycles)
			trace->cur_cycles = value & (uint32_t)ones(c->cycle_bits);
		break;
	case RV_REG_RESUME:
	case RV_REG_RESUME_HI:
		if (c->with_freeze && (index == RV_REG_RESUME || wide))
			trace->resume = put_word(trace, before->resume, index == RV_REG_RESUME_HI, value);
		break;
	case RV_REG_DEPTH:
		if (c->with_freeze)
			trace->depth = value & RV_DEPTH_DEPTH_MASK;
		break;
	default:
		break;
	}
}

static void write_register(struct trace *trace, const struct before *before, unsigned index, uint32_t value)
{
	const struct trace_config *c = &trace->config;
	switch (index) {
	case RV_REG_CTRL:
		write_ctrl(trace, value);
		return;
	case RV_REG_STATUS:
		if (value & RV_STATUS_SAMPLE_MASK)
			trace->status_sample = false;
		return;
	case RV_REG_WATERMARK:
		if (c->fifo_depth)
			trace->watermark = value & (2 * c->fifo_depth - 1); /* the bits of COUNT */
		return;
	case RV_REG_LOST:
		if (c->with_lost)
			trace->lost = value;
		return;
	case RV_REG_PERIOD:
		if (c->with_sample)
			trace->period = value & (uint32_t)ones(c->sample_bits);
		return;
	case RV_REG_COUNTER:
		if (c->with_sample)
			trace->counter = value & (uint32_t)ones(c->sample_bits);
		return;
	case RV_REG_DITHER:
		if (c->with_dither)
			trace->dither = (uint16_t)value;
		return;
	case RV_REG_LFSR:
		if (c->with_dither)
			trace->lfsr = (uint16_t)value ? (uint16_t)value : 1;
		return;
	default:
		break;
	}
	if (index >= RV_REG_RANGE0_LO && index < RV_REG_RANGE0_LO + 4 * c->ranges) {
		unsigned word = index - RV_REG_RANGE0_LO;
		uint64_t *bound = word & 2 ? &trace->range_hi[word / 4] : &trace->range_lo[word / 4];
		if (!(word & 1) || c->xlen == 64)
			*bound = put_word(trace, *bound, word & 1, value);
		return;
	}
	if (c->with_context)
		write_context(trace, before, index, value);
}

/* ---------------------------------------------------------------- sections 4 to 7 */

static bool in_scope(const struct trace *trace)
{
	const struct trace_retire *s = &trace->s;
	if (!(trace->ctrl >> RV_CTRL_MODES_LSB >> s->mode & 1))
		return false;
	uint32_t enabled = trace->ctrl >> RV_CTRL_RANGE_EN_LSB & 0xF;
	if (!enabled)
		return true;
	for (unsigned i = 0; i < trace->config.ranges; i++)
		if (enabled >> i & 1 && s->pc >= trace->range_lo[i] && s->pc < trace->range_hi[i])
			return true;
	return false;
}

/* Trap handlers are left out. */
static bool freezing(const struct trace_config *config, uint32_t ctrl)
{
	return config->with_freeze && !(ctrl & RV_CTRL_HANDLERS_MASK);
}

/* Equal records in a row become one. */
static bool merging(uint32_t ctrl)
{
	return (ctrl & (RV_CTRL_REPEAT_MASK | RV_CTRL_SAMPLE_MASK | RV_CTRL_LIFO_MASK)) == RV_CTRL_REPEAT_MASK;
}

static void lfsr_step(struct trace *trace)
{
	for (unsigned i = 0; i < 4; i++)
		trace->lfsr = (uint16_t)(trace->lfsr >> 1 ^ (trace->lfsr & 1 ? 0xB400 : 0));
}

/* The sampling counter at a latch; returns whether this trace is the sample. */
static bool sample_latch(struct trace *trace)
{
	const struct trace_config *c = &trace->config;
	if (trace->counter > 1) {
		trace->counter--;
		return false;
	}
	uint32_t random = c->with_dither ? (uint32_t)(trace->lfsr & trace->dither) : 0;
	trace->counter = (trace->period + random) & (uint32_t)ones(c->sample_bits);
	trace->status_sample = true;
	return true;
}

static bool mergeable(const struct trace *trace, const struct trace_record *n)
{
	const struct trace_config *c = &trace->config;
	const struct trace_record *h = &trace->hold;
	return trace->hold_valid && h->start == n->start && h->hist == n->hist && h->reason == n->reason &&
	       (n->reason == TRACE_BACKWARD || n->reason == TRACE_INDIRECT || n->reason == TRACE_FULL) &&
	       h->repeat < ones(c->repeat_bits) &&
	       (!c->with_cycles || (uint64_t)h->cycles + n->cycles <= ones(c->cycle_bits)) &&
	       (!c->with_insns || h->insns == n->insns);
}

/* Section 7: what becomes of the latched record n (none: NULL). Returns whether *out is pushed. */
static bool collect(struct trace *trace, const struct trace_record *n, struct trace_record *out)
{
	uint32_t ctrl = trace->ctrl;
	bool merge = merging(ctrl);
	bool kept = n != NULL;
	if (n && ctrl & RV_CTRL_SAMPLE_MASK)
		kept = sample_latch(trace);
	if (n && trace->config.with_dither)
		lfsr_step(trace);
	if (!trace->config.with_repeat) {
		if (kept)
			*out = *n;
		return kept;
	}
	bool push = trace->hold_valid;
	if (kept) {
		if (merge && mergeable(trace, n)) {
			trace->hold.repeat++;
			trace->hold.cycles += n->cycles;
			return false;
		}
		*out = trace->hold;
		trace->hold = *n;
		trace->hold_valid = true;
		return push;
	}
	if (merge && ctrl & RV_CTRL_ENABLE_MASK)
		return false;
	*out = trace->hold;
	trace->hold_valid = false;
	return push;
}

/* Sections 4 to 6. Returns whether SECOND LOAD made the record *n in this cycle. */
static bool pair_cycle(struct trace *trace, struct trace_record *n)
{
	const struct trace_config *c = &trace->config;
	const struct trace_retire *s = &trace->s;
	uint32_t ctrl = trace->ctrl;
	bool enable = ctrl & RV_CTRL_ENABLE_MASK;
	bool freeze = freezing(c, ctrl);
	struct kind kind = {0};
	if (s->valid && !s->trap)
		kind = decode(c, s->insn);

	/* section 4 */
	bool enter = s->valid && s->intr;
	bool overflow = freeze && enter && trace->depth == DEPTH_MAX;
	bool elsewhere = false;
	bool frozen = false;
	if (freeze) {
		unsigned now = trace->depth + (enter && !overflow);
		frozen = now != 0;
		if (kind.ret && now != 0) {
			now--;
			elsewhere = now == 0 && s->next_pc != trace->resume;
		}
		trace->depth = now;
	}
	if (c->with_freeze && s->valid && !frozen)
		trace->resume = s->trap ? s->pc : s->next_pc;
	bool completed = s->valid && !s->trap && !frozen;
	bool scope = completed && in_scope(trace);
	bool take = scope && enable;
	if (completed)
		trace->outside = !scope;

	/* section 5, discontinuities */
	uint8_t disc = TRACE_NONE;
	if (!enable)
		disc = TRACE_OFF;
	else if (freeze ? overflow : s->valid && (s->trap || s->intr))
		disc = TRACE_TRAP;
	else if (completed && !scope)
		disc = TRACE_LEFT;

	/* section 6 */
	bool latch = trace->cur_valid && (trace->end || disc);
	bool fresh = latch || !trace->cur_valid;
	if (latch)
		*n = (struct trace_record){.start = trace->cur_start,
		    .hist = trace->cur_hist,
		    .reason = c->with_reason ? (trace->end ? trace->end_reason : disc) : (uint8_t)TRACE_NONE,
		    .repeat = 1,
		    .cycles = trace->cur_cycles,
		    .insns = (uint16_t)trace->cur_insns};
	if (take) {
		if (fresh) {
			trace->cur_start = s->pc;
			trace->cur_hist = 1;
			trace->cur_insns = 0;
		}
		bool outcome = kind.br && s->next_pc != ((s->pc + kind.length) & ones(c->xlen));
		bool back = (kind.jmp || outcome) && s->next_pc <= s->pc;
		if (kind.br)
			trace->cur_hist = trace->cur_hist << 1 | outcome;
		if (c->with_insns && trace->cur_insns < ones(c->insn_bits))
			trace->cur_insns++;
		trace->cur_valid = true;
		uint8_t reason = TRACE_NONE;
		if (back && !(ctrl & RV_CTRL_NO_BACKWARD_MASK))
			reason = TRACE_BACKWARD;
		else if (kind.ind && !(ctrl & RV_CTRL_NO_INDIRECT_MASK))
			reason = TRACE_INDIRECT;
		else if (kind.ret)
			reason = TRACE_XRET;
		else if (kind.br && trace->cur_hist >> (c->hist - 1))
			reason = TRACE_FULL;
		trace->end = reason != TRACE_NONE;
		trace->end_reason = c->with_reason ? reason : (uint8_t)TRACE_NONE;
	} else if (latch) {
		trace->cur_hist = 1;
		trace->cur_insns = 0;
		trace->cur_valid = false;
		trace->end = false;
		trace->end_reason = TRACE_NONE;
	} else if (elsewhere && trace->cur_valid) {
		trace->end = true;
		trace->end_reason = c->with_reason ? TRACE_TRAP : TRACE_NONE;
	}
	if (c->with_cycles) {
		uint32_t base = latch ? 0 : trace->cur_cycles;
		if (!enable || trace->outside)
			trace->cur_cycles = 0;
		else
			trace->cur_cycles = base + (!frozen && base < ones(c->cycle_bits));
	}
	return latch;
}

/* May it do more than retire? Too many are said to; those go the long way and are decoded there. */
static bool may_transfer(uint32_t insn)
{
	switch (insn & 3) {
	case 0:
		return false;
	case 1:
		return insn >> 13 & 1 || (insn >> 14 & 3) == 3;
	case 2:
		return (insn >> 13 & 7) == 4;
	default:
		return (insn & 0x60) == 0x60; /* BRANCH, JALR, JAL, SYSTEM */
	}
}

/*
 * The cycles between events, nearly all of a run: tracing is on, nothing ends, is written, pushed or handed over, and
 * stage S holds nothing or an instruction that only adds to the current pair. Returns false, with nothing changed, for
 * any other cycle. It is section 6 with most conditions known; check_trace_random holds it against a second reading of
 * that section.
 */
static bool uneventful_cycle(struct trace *trace)
{
	const struct trace_config *c = &trace->config;
	const struct trace_retire *s = &trace->s;
	const uint32_t ctrl = trace->ctrl;
	if (!(ctrl & RV_CTRL_ENABLE_MASK) || trace->end || trace->readable != (trace->count != 0))
		return false;
	if (trace->hold_valid && !merging(ctrl))
		return false;
	const bool frozen = trace->depth != 0 && freezing(c, ctrl);
	if (s->valid) {
		if (s->trap || s->intr || frozen || !trace->cur_valid || may_transfer(s->insn) || !in_scope(trace))
			return false;
		trace->outside = false;
		if (c->with_freeze)
			trace->resume = s->next_pc;
		if (c->with_insns && trace->cur_insns < ones(c->insn_bits))
			trace->cur_insns++;
	}
	if (trace->outside)
		trace->cur_cycles = 0;
	else if (c->with_cycles && !frozen && trace->cur_cycles < ones(c->cycle_bits))
		trace->cur_cycles++;
	return true;
}

void trace_cycle(
    struct trace *trace, const struct trace_retire *retire, const struct trace_bus *bus, struct trace_out *out)
{
	const uint32_t enabled = trace->ctrl >> RV_CTRL_IE_LSB & 0x1F;
	out->irq = trace->irq;
	out->rec_valid = false;
	trace->irq = enabled && (status(trace) & enabled);
	if (!bus->write && uneventful_cycle(trace)) {
		trace->s = *retire;
		return;
	}
	/* A write wins over what stage S does to the same register: stage S sees the old values first. */
	struct trace_record n, rec = {0};
	const struct before before = {trace->cur_start, trace->cur_hist, trace->resume};
	bool latched = pair_cycle(trace, &n);
	out->rec_valid = collect(trace, latched ? &n : NULL, &rec);
	out->rec = rec;
	buffer_cycle(trace, bus->write && bus->index == RV_REG_POP, out->rec_valid, &rec);
	if (bus->write)
		write_register(trace, &before, bus->index, bus->wdata);
	trace->s = *retire;
}
