/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/*
 * Random units, random programs: the golden model of the trace unit against a second reading of docs/trace-unit.md that
 * knows the whole run beforehand. It works in passes over the run (scope, traces, what is kept, buffer) with lists in
 * place of registers: outcomes of a trace, latches, records with the cycle in which they came. Everything that can be
 * seen is compared in every cycle.
 *
 * TRACE_SEED=n runs from another seed, TRACE_RUNS=n as many runs. A failure names the seed of its run.
 */
#include "tests/suite.h"
#include "tests/trace_run.h"

/* ---------------------------------------------------------------- first pass: what each cycle is, whatever traces
 * there are */

struct plain {
	bool on; /* ENABLE, and nothing from outside holds it off */
	bool traced, br, taken;
	bool counts, restarts; /* the cycle belongs to the pair; the count is 0 after it */
	bool elsewhere;
	unsigned reason, disc; /* of the instruction, of the cycle */
	unsigned depth;        /* after the cycle */
	uint64_t resume;
	uint64_t pc;
};
static struct plain plain[CYCLES];

static bool within(const struct trace_retire *s)
{
	if (config.with_mode && !(ctrl_bits >> (RV_CTRL_MODES_LSB + s->mode) & 1))
		return false;
	bool any = false, hit = false;
	for (unsigned i = 0; i < config.ranges; i++)
		if (ctrl_bits >> (RV_CTRL_RANGE_EN_LSB + i) & 1) {
			any = true;
			hit = hit || (lo[i] <= s->pc && s->pc < hi[i]);
		}
	return hit || !any;
}

static void first_pass(void)
{
	const bool freezing = config.with_freeze && !(ctrl_bits & RV_CTRL_HANDLERS_MASK);
	unsigned depth = 0;
	uint64_t resume = 0;
	bool outside = false, on = false;
	for (unsigned k = 0; k < CYCLES; k++) {
		struct plain *p = &plain[k];
		const struct trace_retire *s = k ? &run[k - 1].port : &(struct trace_retire){0};
		const bool going = on && !s->stop;
		*p = (struct plain){.on = going};
		bool ret = s->valid && !s->trap && (s->insn == MRET || s->insn == SRET);
		bool sixteenth = false;
		bool frozen = false;
		if (freezing) {
			if (s->valid && s->intr) {
				sixteenth = depth == 15;
				depth += !sixteenth;
			}
			frozen = depth > 0;
			if (ret && frozen && --depth == 0)
				p->elsewhere = s->next_pc != resume;
		}
		if (s->valid && !frozen) {
			if (config.with_freeze)
				resume = s->trap ? s->pc : s->next_pc;
			if (!s->trap) {
				outside = !within(s);
				p->traced = going && !outside;
				p->disc = outside ? TRACE_LEFT : TRACE_NONE;
			}
		}
		if (sixteenth || (!freezing && s->valid && (s->trap || s->intr)))
			p->disc = TRACE_TRAP;
		if (!going)
			p->disc = TRACE_OFF;
		p->counts = going && !frozen && !outside;
		p->restarts = !going || outside;
		p->depth = depth;
		p->resume = resume;
		p->pc = s->pc;
		if (p->traced) {
			unsigned f3 = s->insn >> 13 & 7;
			bool narrow = (s->insn & 3) != 3;
			bool jmp = narrow ? (s->insn & 3) == 1 && (f3 == 5 || (f3 == 1 && config.xlen == 32))
					  : (s->insn & 0x7F) == 0x6F;
			bool ind =
			    narrow ? (s->insn & 0xFFFF) == 0x8082 || (s->insn & 0xFFFF) == 0x9782 : s->insn == JALR;
			p->br = narrow ? (s->insn & 0xFFFF) == 0xC391 : (s->insn & 0x7F) == 0x63;
			p->taken = p->br && s->next_pc != ((s->pc + (narrow ? 2 : 4)) & address_mask());
			if ((jmp || p->taken) && s->next_pc <= s->pc && !(ctrl_bits & RV_CTRL_NO_BACKWARD_MASK))
				p->reason = TRACE_BACKWARD;
			else if (ind && !(ctrl_bits & RV_CTRL_NO_INDIRECT_MASK))
				p->reason = TRACE_INDIRECT;
			else if (ret)
				p->reason = TRACE_XRET;
		}
		if (run[k].bus.write && run[k].bus.index == RV_REG_CTRL)
			on = run[k].bus.wdata & RV_CTRL_ENABLE_MASK;
	}
}

/* ---------------------------------------------------------------- second pass: traces, as lists of outcomes */

static struct latch {
	bool here;
	struct record rec;
} latches[CYCLES];
static struct current {
	bool valid, ended;
	unsigned reason;
	uint64_t start, hist;
	uint32_t insns, cycles;
} current[CYCLES]; /* during the cycle */

static uint64_t value_of(const bool *outcomes, unsigned count)
{
	uint64_t value = UINT64_C(1) << count;
	for (unsigned i = 0; i < count; i++)
		if (outcomes[i])
			value |= UINT64_C(1) << (count - 1 - i);
	return value;
}

/* Counted cycles from `from` to before `to`, behind the last restart. */
static uint32_t counted(unsigned from, unsigned to)
{
	uint64_t n = 0;
	for (unsigned k = to; k-- > from && !plain[k].restarts;)
		n += plain[k].counts;
	return n > bits32(config.cycle_bits) ? bits32(config.cycle_bits) : (uint32_t)n;
}

static void second_pass(void)
{
	bool outcomes[64], open = false;
	unsigned count = 0, insns = 0, last_latch = 0, due = TRACE_NONE;
	uint64_t start = 0;
	for (unsigned k = 0; k < CYCLES; k++) {
		const struct plain *p = &plain[k];
		const uint32_t most = bits32(config.insn_bits);
		const unsigned shown = !config.with_insns || !open ? 0 : insns < most ? insns : most;
		current[k] = (struct current){.valid = open,
		    .ended = due != TRACE_NONE,
		    .reason = config.with_reason ? due : TRACE_NONE,
		    .start = start,
		    .hist = open ? value_of(outcomes, count) : 1,
		    .insns = shown,
		    .cycles = config.with_cycles ? counted(last_latch, k) : 0};
		latches[k].here = open && (due != TRACE_NONE || p->disc != TRACE_NONE);
		if (latches[k].here) {
			unsigned reason = due != TRACE_NONE ? due : p->disc;
			latches[k].rec = (struct record){.start = start,
			    .hist = current[k].hist,
			    .reason = (uint8_t)(config.with_reason ? reason : TRACE_NONE),
			    .count = 1,
			    .cycles = current[k].cycles,
			    .insns = (uint16_t)shown};
			open = false;
			due = TRACE_NONE;
			last_latch = k;
		}
		if (p->traced) {
			if (!open) {
				open = true;
				start = p->pc;
				count = insns = 0;
			}
			insns++;
			if (p->br)
				outcomes[count++] = p->taken;
			due = p->reason;
			if (due == TRACE_NONE && count == config.hist - 1)
				due = TRACE_FULL;
		} else if (open && p->elsewhere) {
			due = TRACE_TRAP;
		}
	}
}

/* ---------------------------------------------------------------- third pass: which records are pushed, and when */

static struct push {
	bool here;
	struct record rec;
} pushes[CYCLES];
static struct kept {
	uint32_t counter, lfsr;
	bool sampled, held;
} kept[CYCLES]; /* during the cycle; sampled: in this cycle */

static bool same_path(const struct record *a, const struct record *b)
{
	return a->start == b->start && a->hist == b->hist && a->reason == b->reason && a->insns == b->insns;
}

static void third_pass(void)
{
	const bool sampling = ctrl_bits & RV_CTRL_SAMPLE_MASK;
	const bool merging =
	    (ctrl_bits & RV_CTRL_REPEAT_MASK) && !(ctrl_bits & (RV_CTRL_SAMPLE_MASK | RV_CTRL_LIFO_MASK));
	uint32_t left = counter, x = lfsr;
	struct record group = {0}; /* equal records in a row */
	for (unsigned k = 0; k < CYCLES; k++) {
		kept[k] = (struct kept){.counter = left, .lfsr = x, .held = group.count != 0};
		pushes[k].here = group.count && !merging;
		if (pushes[k].here) { /* it was held only to be pushed */
			pushes[k].rec = group;
			group.count = 0;
		}
		if (!latches[k].here) {
			if (group.count && !plain[k].on) {
				pushes[k] = (struct push){true, group};
				group.count = 0;
			}
			continue;
		}
		const struct record *n = &latches[k].rec;
		bool keep = !sampling || left <= 1;
		if (sampling) {
			if (keep) {
				kept[k].sampled = true;
				left = (period + (x & dither)) & bits32(config.sample_bits);
			} else {
				left--;
			}
		}
		if (keep && !config.with_repeat) {
			pushes[k] = (struct push){true, *n};
		} else if (keep && !merging) {
			group = *n;
		} else if (keep) {
			bool merge =
			    group.count && same_path(&group, n) && n->reason >= TRACE_BACKWARD &&
			    n->reason <= TRACE_FULL && group.count + 1u < 1u << config.repeat_bits &&
			    (!config.with_cycles || (uint64_t)group.cycles + n->cycles <= bits32(config.cycle_bits));
			if (merge) {
				group.count++;
				group.cycles += n->cycles;
			} else {
				if (group.count)
					pushes[k] = (struct push){true, group};
				group = *n;
			}
		}
		for (unsigned i = 0; config.with_dither && i < 4; i++)
			x = x & 1 ? x >> 1 ^ 0xB400 : x >> 1;
	}
}

/* ---------------------------------------------------------------- last pass: the buffer as a list, compared in every
 * cycle */

static unsigned long failing; /* the seed of the run that is being played, */
static unsigned now;          /* and its cycle */
#define same(model, reading)                                                                                           \
	do {                                                                                                           \
		uint64_t m_ = (model), r_ = (reading);                                                                 \
		if (m_ != r_)                                                                                          \
			ck_abort_msg("TRACE_SEED=%lu, cycle %u: %s is %" PRIx64 ", not %" PRIx64, failing, now,        \
			    #model, m_, r_);                                                                           \
	} while (0)

static struct entry {
	struct record rec;
	unsigned came; /* the cycle of its push */
} entries[CYCLES];
static size_t entry_count;

static void take_out(size_t i)
{
	memmove(&entries[i], &entries[i + 1], (entry_count - i - 1) * sizeof *entries);
	entry_count--;
}

static void compare_record(const struct record *a, const struct record *b)
{
	same(a->start, b->start);
	same(a->hist, b->hist);
	same(a->reason, b->reason);
	same(a->count, b->count);
	same(a->cycles, b->cycles);
	same(a->insns, b->insns);
}

static uint64_t head_start(void)
{
	return (uint64_t)rd(RV_REG_REC_START_HI) << 32 | rd(RV_REG_REC_START);
}
static uint64_t head_hist(void)
{
	return (uint64_t)rd(RV_REG_REC_HIST_HI) << 32 | rd(RV_REG_REC_HIST);
}

static void set_up(void)
{
	reset();
	for (unsigned i = 0; i < config.ranges; i++) {
		wr(RV_REG_RANGE0_LO + 4 * i, (uint32_t)lo[i]);
		wr(RV_REG_RANGE0_LO + 4 * i + 1, (uint32_t)(lo[i] >> 32));
		wr(RV_REG_RANGE0_LO + 4 * i + 2, (uint32_t)hi[i]);
		wr(RV_REG_RANGE0_LO + 4 * i + 3, (uint32_t)(hi[i] >> 32));
	}
	wr(RV_REG_PERIOD, period);
	wr(RV_REG_COUNTER, counter);
	wr(RV_REG_DITHER, dither);
	wr(RV_REG_LFSR, lfsr);
	wr(RV_REG_WATERMARK, watermark_level);
	wr(RV_REG_CTRL, ctrl_bits);
	same(rd(RV_REG_CTRL), ctrl_bits);
}

/* Returns the number of pushes, for the statistics. */
static unsigned play(void)
{
	const bool lifo = ctrl_bits & RV_CTRL_LIFO_MASK;
	const size_t room = config.fifo_depth ? config.fifo_depth : 1;
	uint64_t lost = 0;
	uint32_t status_before = 0;
	bool sampled = false;
	unsigned pushes_seen = 0;
	struct record last = {0};
	uint64_t all_pushed = 0, all_read = 0, all_lost = 0; /* traces, counted with their repetitions */
	entry_count = 0;
	set_up();
	for (unsigned k = 0; k < CYCLES; k++) {
		/* during the cycle */
		now = k;
		const struct current *c = &current[k];
		same(t.cur_valid, c->valid);
		same(t.cur_hist, c->hist);
		same(t.end, c->ended);
		same(t.end_reason, c->reason);
		same(t.cur_start, c->start);
		same(t.cur_insns, c->insns);
		same(t.cur_cycles, c->cycles);
		same(t.depth, k ? plain[k - 1].depth : 0);
		same(t.resume, k ? plain[k - 1].resume : 0);
		same(t.counter, kept[k].counter);
		same(t.lfsr, kept[k].lfsr);
		same(t.hold_valid, kept[k].held);
		same(t.count, entry_count);
		if (config.fifo_depth) {
			same(t.wr_ptr, (t.rd_ptr + t.count) % config.fifo_depth);
			if (entry_count)
				compare_record(&t.fifo[t.rd_ptr], &entries[0].rec);
		}
		/* FIFO: something came two cycles ago or earlier; LIFO: and nothing since; one pair: it is there */
		bool readable = entry_count > 0;
		if (config.fifo_depth)
			readable = readable && entries[0].came + 2 <= k && !(lifo && pushes[k - 1].here);
		same(t.readable, readable);
		uint64_t reachable = config.with_lost ? lost : 0;
		same(rd(RV_REG_LOST), reachable > UINT32_MAX ? UINT32_MAX : (uint32_t)reachable);
		uint32_t status = (readable ? RV_STATUS_NONEMPTY_MASK : 0) |
				  (watermark_level && entry_count >= watermark_level ? RV_STATUS_WATERMARK_MASK : 0) |
				  (entry_count == room ? RV_STATUS_FULL_MASK : 0) |
				  (sampled ? RV_STATUS_SAMPLE_MASK : 0) | (reachable ? RV_STATUS_LOST_MASK : 0) |
				  (c->valid ? RV_STATUS_CUR_VALID_MASK : 0) |
				  (k > 0 && run[k - 1].port.stop ? RV_STATUS_STOPPED_MASK : 0);
		same(rd(RV_REG_STATUS), status);
		const size_t head = lifo && entry_count ? entry_count - 1 : 0;
		if (readable || !config.fifo_depth) {
			const struct record *r = config.fifo_depth ? &entries[head].rec : &last;
			same(head_start(), r->start);
			same(head_hist(), r->hist);
			same(rd(RV_REG_REC_CYCLES), r->cycles);
			if (r->count)
				same(rd(RV_REG_REC_INFO), (uint32_t)r->insns << RV_REC_INFO_INSNS_LSB |
							      (uint32_t)r->count << RV_REC_INFO_REPEAT_LSB | r->reason);
		} else {
			same(head_start(), 0);
			same(head_hist(), 0);
			same(rd(RV_REG_REC_INFO), 0);
		}

		step(&run[k].port, &run[k].bus);

		same(out.irq, (status_before & ctrl_bits >> RV_CTRL_IE_LSB & 0x1F) != 0);
		status_before = status;
		same(out.rec_valid, pushes[k].here);
		if (pushes[k].here)
			compare_record(&out.rec, &pushes[k].rec);

		/* its end */
		if (run[k].bus.write && run[k].bus.index == RV_REG_POP && readable) {
			all_read += entries[head].rec.count;
			take_out(head);
		}
		if (pushes[k].here) {
			const unsigned repeat = (unsigned)pushes[k].rec.count;
			pushes_seen++;
			all_pushed += repeat;
			last = pushes[k].rec;
			bool drop = false;
			if (entry_count == room) {
				drop = config.fifo_depth && !lifo;
				unsigned gone = drop ? repeat : (unsigned)entries[0].rec.count;
				lost += gone;
				all_lost += gone;
				if (!drop)
					take_out(0);
			}
			if (!drop)
				entries[entry_count++] = (struct entry){pushes[k].rec, k};
		}
		if (lost > UINT32_MAX)
			lost = UINT32_MAX;
		if (kept[k].sampled)
			sampled = true;
		if (run[k].bus.write && run[k].bus.index == RV_REG_STATUS && run[k].bus.wdata & RV_STATUS_SAMPLE_MASK)
			sampled = false;
		if (run[k].bus.write && run[k].bus.index == RV_REG_LOST)
			lost = run[k].bus.wdata;
	}
	uint64_t left = 0;
	for (size_t i = 0; i < entry_count; i++)
		left += entries[i].rec.count;
	same(all_pushed, all_read + all_lost + left);
	return pushes_seen;
}

/* ---------------------------------------------------------------- what must hold of the model's own records, whatever
 * the second reading says */

/* All records without sampling: each has its marker, their cycles are the counted ones, their instructions the traced
 * ones. */
static void invariants(void)
{
	uint64_t cycles = 0, insns = 0, traces = 0, traced = 0, time = 0, latched = 0;
	for (size_t i = 0; i < pushed_count; i++) {
		const struct record *r = &pushed[i];
		if (r->reason == TRACE_FULL)
			must(r->hist >> (config.hist - 1) == 1);
		cycles += r->cycles;
		insns += (uint64_t)r->insns * r->count;
		traces += r->count;
	}
	if (ctrl_bits & RV_CTRL_SAMPLE_MASK)
		return;
	if (t.hold_valid) {
		cycles += t.hold.cycles;
		insns += (uint64_t)t.hold.insns * t.hold.count;
		traces += t.hold.count;
	}
	for (unsigned k = 0; k < CYCLES; k++) {
		traced += plain[k].traced;
		latched += latches[k].here;
		time += plain[k].counts;
	}
	ck_assert_uint_eq(traces, latched);
	if (config.with_insns && config.insn_bits >= 12)
		ck_assert_uint_eq(insns + t.cur_insns, traced);
	/* time before the first instruction in scope, and before one behind a place out of scope, is of no trace */
	if (config.with_cycles)
		ck_assert_uint_le(cycles, time);
}

static void one_run(uint64_t number)
{
	seed = number * UINT64_C(0x9E3779B97F4A7C15) + 1;
	random_config();
	random_run();
	first_pass();
	second_pass();
	third_pass();
}

static unsigned long setting(const char *name, unsigned long otherwise)
{
	const char *value = getenv(name);
	return value ? strtoul(value, NULL, 0) : otherwise;
}

START_TEST(random_runs)
{
	const unsigned long first = setting("TRACE_SEED", 1) + (unsigned long)_i * 1000000,
			    runs = setting("TRACE_RUNS", 1000);
	unsigned long records = 0, reasons[8] = {0}, repeated = 0, merged_runs = 0;
	for (unsigned long i = 0; i < runs; i++) {
		failing = first + i;
		one_run(failing);
		records += play();
		invariants();
		for (size_t r = 0; r < pushed_count; r++) {
			reasons[pushed[r].reason]++;
			repeated += pushed[r].count > 1;
		}
		merged_runs += (ctrl_bits & RV_CTRL_REPEAT_MASK) != 0;
	}
	/* the runs are worth something */
	if (runs >= 100) {
		ck_assert_uint_gt(records, 50 * runs);
		for (unsigned r = TRACE_NONE; r <= TRACE_OFF; r++)
			ck_assert_msg(reasons[r] > 0, "no record with reason %s", record_reason_name(r));
		ck_assert_uint_gt(repeated, 0);
		ck_assert_uint_gt(merged_runs, 0);
	}
}
END_TEST

int main(void)
{
	const struct suite_case cases[] = {{"runs", random_runs, 4}};
	return SUITE_RUN("trace random", cases, NULL, NULL);
}
