/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/*
 * From the golden model to the engine and back. The engine can take over in the cycle in which X is about to begin with
 * an instruction, or in which it waits for the first word behind a redirect; what is in W then is completed here. It
 * gives back in such a cycle too, with the pipeline filled as the model would have it.
 *
 *   cycle      N-1       N            T
 *   X       last one   (empty)   next instruction
 *   W                  last one      (the last one, if T is N)
 *
 * The trace unit sees an instruction two cycles after X. It is handed over with everything processed that X has
 * completed, so it is ahead of the model's by up to two cycles; only a CSR instruction that reads the current pair in
 * just these cycles could tell.
 */
#include "model/fast/private.h"

#include <string.h>

#include "common/rivulet_regs.h"

#define MRET 0x30200073u
#define UNCOUNTED                                                                                                      \
	(RV_CTRL_SAMPLE_MASK | RV_CTRL_REPEAT_MASK | RV_CTRL_LIFO_MASK | RV_CTRL_IE_MASK | RV_CTRL_RANGE_EN_MASK |     \
	    RV_CTRL_RING_MASK)
#define HANDLER_NEAR 256u /* instructions before the end of a handler that has none that are the model's */
#define SAMPLE_NEAR 8u    /* traces before a sample that are the model's: what is on its way at the entry, and more */

/* ---------------------------------------------------------------- the pipeline of the model */

bool state_drained(const struct fast *f, bool redirected)
{
	const struct model *m = f->model;
	const struct stage_w *w = &m->w;
	if (redirected ? m->x.valid || m->word_count || !m->inflight || m->f_pc != (m->d_pc & ~3u) + 4
		       : !m->x.valid || m->x.fault || m->x.cycle)
		return false;
	bool access = w->load || w->store;
	return !w->valid || (!w->exception && !w->interrupt && !w->denied && !(access && m->response.err));
}

/* What X, A and B hold and what is on its way is what stands in RAM, and may be executed. */
static bool words_are_memory(const struct fast *f)
{
	const struct model *m = f->model;
	uint32_t at = (m->d_pc & ~3u) - f->ram_base;
	uint32_t x_at = m->x.pc - f->ram_base;
	if (m->x.valid &&
	    (!model_is_memory(&m->config, x_at + 3) || memcmp(f->ram + x_at, &m->x.raw, m->x.decoded->insn.length)))
		return false;
	for (unsigned i = 0; i < m->word_count; i++, at += 4) {
		if (m->word_errors >> i & 1 || !model_is_memory(&m->config, at) || memcmp(f->ram + at, &m->words[i], 4))
			return false;
	}
	if (!m->inflight)
		return true;
	at = m->f_pc - 4 - f->ram_base;
	return !m->response.err && model_is_memory(&m->config, at) && !memcmp(f->ram + at, &m->response.rdata, 4);
}

static bool devices_idle(const struct model *m)
{
	const struct uart *uart = &m->uart;
	return !uart->busy && !uart->buffer_full && !uart->rx_busy && uart->sync == 3;
}

/* The sink has nothing to write, and the engine brings it nothing: its records are counted in the table. */
static bool sink_idle(const struct trace *t)
{
	return !trace_sink_owns(t) || (!t->sink.busy && t->count == 0 && !(t->ctrl & RV_CTRL_LIFO_MASK));
}

/* MRET, or a CSR instruction that sets the address of handlers: as one, whatever it does with the CSR. */
static bool may_return(bool valid, uint32_t insn)
{
	const unsigned csr = insn >> 20;
	return valid && (insn == MRET || ((insn & 0x7F) == 0x73 && (csr == 0x305 || csr == 0x105)));
}

/* How many instructions may pass before a handler without an end is none (docs/trace-unit.md section 4). */
static uint64_t handler_room(const struct trace *t)
{
	const unsigned limit = (t->ctrl & RV_CTRL_LIMIT_MASK) >> RV_CTRL_LIMIT_LSB;
	if (!t->config.with_heal || limit == 0)
		return UINT64_MAX;
	const uint64_t bit = 1u << 3 * limit;
	return (t->since & bit) != 0 ? 0 : bit - (t->since & (bit - 1));
}

/* A trace may end there. */
static bool may_end(bool valid, uint32_t insn)
{
	return valid && trace_may_transfer(insn);
}

/* The instruction in S, or the next one, may show that the handler never returned: it is the first of one handler more
 * than DEPTH counts, or runs below the mode in which the outermost one began. */
static bool is_healing(const struct model *m)
{
	const struct trace *t = &m->trace;
	return t->config.with_heal && (m->csr.mode < t->hmode || (t->s.valid && (t->s.intr || t->s.mode < t->hmode)));
}

/* Does the engine know what it does to the trace unit? */
static bool traces_are_known(const struct fast *f)
{
	const struct model *m = f->model;
	const struct trace *t = &m->trace;
	if (!f->options.paths)
		return true;
	bool irq = trace_reg_read(t, RV_REG_STATUS) & t->ctrl >> RV_CTRL_IE_LSB & 0x1F;
	if (trace_table_busy(t) || irq != t->irq || t->readable != (t->count != 0))
		return false; /* the line, or the status, is about to change */
	if (!(t->ctrl & (RV_CTRL_ENABLE_MASK | RV_CTRL_RANGE_EN_MASK)))
		return !t->cur_valid && !t->hold_valid;
	bool full = t->config.fifo_depth ? t->count == t->config.fifo_depth : t->readable;
	/* a trace that began out of range (RANGE_START) leaves no record: the engine's all do */
	if (!t->hold_valid && !t->outside && !t->skip) {
		uint32_t uncounted = t->ctrl & UNCOUNTED;
		/* what is on its way may be thrown out */
		bool tabled = trace_table_counts(t);
		if (tabled && (uncounted & ~(uint32_t)RV_CTRL_IE_MASK) == 0 && !t->end &&
		    !may_end(t->s.valid, t->s.insn) && !may_end(m->w.valid, m->w.raw))
			return true;
		if (uncounted == 0 && full && !tabled)
			return true; /* every record is lost, and leaves by the record port */
		if (uncounted == RV_CTRL_LIFO_MASK)
			return true;
		/* nothing is pushed until the counter runs out */
		if ((uncounted & ~(uint32_t)RV_CTRL_IE_MASK) == RV_CTRL_SAMPLE_MASK && t->counter > SAMPLE_NEAR)
			return true;
	}
	/* in a handler that is left out, and not about to leave it */
	bool freezing = t->config.with_freeze && !(t->ctrl & RV_CTRL_HANDLERS_MASK);
	if (!freezing || t->depth == 0 || handler_room(t) <= HANDLER_NEAR || is_healing(m))
		return false;
	return !may_return(t->s.valid, t->s.insn) && !may_return(m->w.valid, m->w.raw);
}

/* The history is nearly full: the model ends the trace. */
static bool nearly_full(const struct fast *f)
{
	const struct trace *t = &f->model->trace;
	unsigned h = t->config.hist;
	return f->options.paths && t->cur_valid && t->cur_hist >> (h - 1 - (h > 16 ? 6 : 2)) != 0;
}

bool state_can_enter(struct fast *f)
{
	struct model *m = f->model;
	unsigned cause;
	bool redirected = !m->x.valid;
	if (redirected && m->w.valid && m->w.pc == m->d_pc)
		return false; /* a jump to itself retires: the model sees whether that is the end of the run */
	if (f->options.model_only || f->watch_count || m->intr || m->cycle < f->stay_until || f->debt ||
	    (m->hidden && m->hidden != HIDDEN_ALL) || !state_drained(f, redirected))
		return false;
	uint32_t pc = redirected ? m->d_pc : m->x.pc;
	if (!redirected && block_is_slow(f, m->x.decoded, pc))
		return false;
	return devices_idle(m) && sink_idle(&m->trace) && words_are_memory(f) && block_fetchable(f, pc) &&
	       traces_are_known(f) && !nearly_full(f) && !csr_irq_take(m, &cause);
}

void state_retire(struct fast *f)
{
	struct model *m = f->model;
	struct stage_w *w = &m->w;
	if (!w->valid)
		return;
	if (w->load) {
		uint32_t mask = UINT32_MAX >> (32 - 8u * w->load);
		uint32_t data = m->response.rdata >> 8 * (w->address & 3) & mask;
		w->result = w->load_signed && data & ~(mask >> 1) ? data | ~mask : data;
	}
	if (w->rd)
		m->regs[w->rd] = w->result;
	w->rd = w->load = 0;
}

/* ---------------------------------------------------------------- the trace unit */

/* The unit's next cycle, ahead of the model's by *ahead: a record leaves in that one. */
static void feed(struct fast *f, const struct trace_retire *retire, unsigned *ahead)
{
	static const struct trace_bus no_bus;
	const struct run_hooks *hooks = f->runner.hooks;
	struct trace_out out;
	trace_cycle(&f->model->trace, retire, &no_bus, &out);
	*ahead += 1;
	if (out.rec_valid && hooks->record) {
		f->model->cycle += *ahead;
		hooks->record(hooks->context, &out.rec);
		f->model->cycle -= *ahead;
	}
}

/* Lets the trace unit process all that has retired, the instruction in W (if any) as the last, and finds out what it
 * does next. */
static void traces_enter(struct fast *f, const struct trace_retire *last, uint32_t pc)
{
	static const struct trace_retire idle;
	struct model *m = f->model;
	struct trace *t = &m->trace;
	unsigned ahead = 0;
	feed(f, last, &ahead);
	feed(f, &idle, &ahead);
	bool freezing = t->config.with_freeze && !(t->ctrl & RV_CTRL_HANDLERS_MASK);
	bool enabled = t->ctrl & RV_CTRL_ENABLE_MASK;
	f->traces = TRACES_NONE;
	f->records = 0;
	if (freezing && t->depth) {
		f->traces = TRACES_FROZEN;
		const uint64_t room = handler_room(t); /* an instruction takes a cycle or more */
		if (room != UINT64_MAX)
			f->deadline = room > HANDLER_NEAR / 2 ? f->n + room - HANDLER_NEAR / 2 : f->n;
	} else if (enabled && t->ctrl >> RV_CTRL_MODES_LSB >> m->csr.mode & 1) {
		if (t->outside) { /* the first instruction in scope decides when the counting begins */
			f->deadline = f->n;
			return;
		}
		f->traces = TRACES_ON;
		uint32_t cycles = t->cur_cycles;
		bool end = t->end;
		if (end)
			feed(f, &idle, &ahead);
		f->trace_n = f->n - (end ? 0 : cycles);
		f->hist = t->cur_valid ? t->cur_hist : 1;
		f->start = t->cur_valid ? (uint32_t)t->cur_start : pc;
		f->trace_insns = f->insns - (t->cur_valid ? t->cur_insns : 0);
		/* a record on its way is in the buffer before those of the engine */
		while (t->hold_valid || t->readable != (t->count != 0))
			feed(f, &idle, &ahead);
		f->tabled = trace_table_counts(t);
		f->thinned = t->ctrl & RV_CTRL_SAMPLE_MASK;
		f->keeps_newest = t->ctrl & RV_CTRL_LIFO_MASK;
		f->records_to = f->thinned ? t->counter - 1 : UINT64_MAX;
		f->plain = !f->tabled && !f->thinned && !f->keeps_newest;
		if (f->log_ctrl != t->ctrl)
			order_flush(f);
		f->log_ctrl = t->ctrl;
		f->apart = true;
		if (!f->plain)
			order_forget_exits(f);
	} else {
		feed(f, &idle, &ahead);
		feed(f, &idle, &ahead);
	}
}

static void step_random(struct trace *t, uint64_t steps)
{
	if (!t->config.with_dither)
		return;
	for (steps = steps * 4 % 65535; steps; steps--)
		t->lfsr = (uint16_t)(t->lfsr >> 1 ^ (t->lfsr & 1 ? 0xB400 : 0));
}

/* The record of the current trace. */
static struct record current_record(
    const struct fast *f, uint64_t hist, uint64_t cycles, uint64_t insns, uint8_t reason)
{
	const struct trace_config *c = &f->model->trace.config;
	uint64_t in_trace = insns - f->trace_insns, most = (1u << c->insn_bits) - 1;
	return (struct record){.start = f->start,
	    .hist = hist,
	    .reason = c->with_reason ? reason : (uint8_t)TRACE_NONE,
	    .count = 1,
	    .timed = c->with_cycles,
	    .cycles = (uint32_t)cycles,
	    .insns = !c->with_insns ? 0 : (uint32_t)(in_trace < most ? in_trace : most)};
}

bool state_count(struct fast *f, uint64_t hist, uint64_t n, uint64_t insns, uint8_t reason)
{
	uint64_t cycles = n - f->trace_n;
	const struct record record =
	    current_record(f, hist, cycles < f->cycles_max ? cycles : f->cycles_max, insns, reason);
	return trace_table_keeps(&f->model->trace, &record);
}

void state_keep(struct fast *f, uint64_t hist, uint64_t cycles, uint64_t insns, uint8_t reason)
{
	const struct trace_config *c = &f->model->trace.config;
	f->kept[(f->records - 1) & (c->fifo_depth - 1)] = current_record(f, hist, cycles, insns, reason);
}

/* The records that are still in the buffer of a LIFO, newest behind the others. */
static void push_kept(struct fast *f)
{
	struct trace *t = &f->model->trace;
	unsigned depth = t->config.fifo_depth, last = depth - 1;
	uint64_t i = f->records > depth ? f->records - depth : 0;
	for (; i < f->records; i++) {
		t->fifo[t->wr_ptr] = f->kept[i & last];
		t->wr_ptr = (t->wr_ptr + 1) & last;
		if (t->count == depth)
			t->rd_ptr = t->wr_ptr;
		else
			t->count++;
	}
	t->readable = t->count != 0;
}

/* The records of the engine that no buffer had room for. */
static void lose(struct fast *f)
{
	struct trace *t = &f->model->trace;
	uint64_t room = t->ctrl & RV_CTRL_LIFO_MASK ? t->config.fifo_depth - t->count : 0;
	uint64_t lost = f->records > room ? f->records - room : 0;
	if (t->config.with_lost)
		t->lost = lost > UINT32_MAX - t->lost ? UINT32_MAX : t->lost + (uint32_t)lost;
}

/* now: the cycle that the model goes on with; insns: executed before it. */
static void traces_leave(struct fast *f, uint64_t now, uint64_t insns, unsigned bits, uint32_t pc)
{
	struct trace *t = &f->model->trace;
	t->s.valid = false;
	if (insns && f->traces != TRACES_FROZEN) {
		if (t->config.with_freeze)
			t->resume = pc;
		t->outside = !(t->ctrl >> RV_CTRL_MODES_LSB >> f->model->csr.mode & 1);
	}
	if (f->traces == TRACES_FROZEN)
		t->since = (uint32_t)((t->since + insns) & 0x3FFFFF);
	if (f->traces != TRACES_ON)
		return;
	uint64_t most = f->cycles_max, in_trace = insns - f->trace_insns;
	int64_t cycles = (int64_t)(now - f->trace_n) - 2;
	f->debt = cycles < 0 ? (unsigned)-cycles : 0;
	if (t->config.with_cycles)
		t->cur_cycles = cycles < 0 ? 0 : (uint64_t)cycles < most ? (uint32_t)cycles : (uint32_t)most;
	t->cur_valid = in_trace != 0;
	t->cur_hist = in_trace ? f->hist << bits : 1;
	/* The register keeps the start of a trace that has ended until the next one begins. */
	if (in_trace || f->records)
		t->cur_start = in_trace ? f->start : f->last_start;
	uint64_t insns_max = (1u << t->config.insn_bits) - 1;
	if (t->config.with_insns)
		t->cur_insns = in_trace < insns_max ? (uint32_t)in_trace : (uint32_t)insns_max;
	t->end = false;
	t->end_reason = TRACE_NONE;
	if (f->tabled) {
		/* they are in the table */
	} else if (f->thinned) {
		t->counter -= (uint32_t)f->records;
	} else {
		lose(f);
		if (f->keeps_newest)
			push_kept(f);
	}
	step_random(t, f->records);
}

/* ---------------------------------------------------------------- in and out */

static void set_windows(struct fast *f)
{
	const struct model *m = f->model;
	bool machine = m->csr.mprv ? m->csr.mpp == 3 : m->csr.mode == 3;
	bool locked = false;
	for (unsigned i = 0; i < m->config.pmp_regions; i++)
		locked |= m->pmp.cfg[i] >> 7;
	bool all = m->config.pmp_regions == 0 || (machine && !locked);
	for (unsigned i = 0; i < 2; i++)
		f->window[i] = (struct window){.first = 0, .size = all ? m->config.ram_size : 0};
	for (unsigned i = MEMORY_OTHER; i < WINDOWS; i++)
		f->window[i] = (struct window){0};
}

static bool same_protection(const struct pmp *a, const struct pmp *b)
{
	return !memcmp(a->cfg, b->cfg, sizeof a->cfg) && !memcmp(a->addr, b->addr, sizeof a->addr);
}

void state_enter(struct fast *f)
{
	struct model *m = f->model;
	bool redirected = !m->x.valid;
	const struct stage_w *w = &m->w;
	uint32_t pc = redirected ? m->d_pc : m->x.pc;
	struct trace_retire last = {.valid = w->valid, .mode = w->mode, .insn = w->raw, .pc = w->pc, .next_pc = pc};
	if (m->hidden)
		last.valid = false;
	f->n = f->entered_n = m->cycle;
	f->insns = 0;
	f->hist = 1;
	f->deadline = UINT64_MAX;
	state_retire(f);
	if (w->valid) {
		m->csr.instret += w->count;
		m->order++;
		f->runner.result->instructions++;
		if (m->trace.ctrl & RV_CTRL_ENABLE_MASK) {
			f->traced.instructions++;
			f->traced.last_cycle = m->cycle;
			f->ctrl_seen = m->trace.ctrl;
		}
		m->w.valid = false;
	}
	memcpy(f->r, m->regs, sizeof m->regs);
	f->traces = TRACES_NONE;
	if (f->options.paths)
		traces_enter(f, &last, pc);
	uint32_t ctrl = m->trace.ctrl & (RV_CTRL_NO_BACKWARD_MASK | RV_CTRL_NO_INDIRECT_MASK);
	if (f->dirty || ctrl != f->ctrl || !same_protection(&f->pmp, &m->pmp))
		block_flush(f);
	f->ctrl = ctrl;
	f->pmp = m->pmp;
	f->context = (m->csr.mode == 3 ? CONTEXT_MACHINE : 0) | (f->traces == TRACES_ON ? CONTEXT_TRACED : 0);
	set_windows(f);
	struct fetch_state fetch = {.words = (uint8_t)m->word_count, .inflight = m->inflight};
	f->op = block_find(f, pc, redirected ? ENTRY_REDIRECT : ENTRY(fetch, m->x.lduse, 0u), NODE_ANY);
	f->statistics.visits++;
}

/* A word of code as the fetch stage gets it. */
static uint32_t fetch_word(struct fast *f, uint32_t address, bool *error, bool *denied)
{
	struct model *m = f->model;
	uint32_t at = address - f->ram_base, word = 0;
	*error = !model_is_memory(&m->config, at);
	*denied = !pmp_allows(m, address, m->csr.mode == 3, PMP_X);
	if (!*error)
		memcpy(&word, f->ram + at, 4);
	return word;
}

/* Everything but D and X, which is the same whatever the model goes on with in cycle `now`. */
static void leave(struct fast *f, uint64_t now, uint64_t insns, unsigned gap, unsigned bits, uint32_t pc)
{
	struct model *m = f->model;
	uint64_t passed = now - m->cycle;
	bool in_w = insns != 0 && gap == 0;
	uint64_t retired = insns - in_w;
	memcpy(m->regs, f->r, sizeof m->regs);
	m->cycle = now;
	m->csr.cycle += passed;
	m->csr.instret += retired;
	m->order += retired;
	m->clint.mtime += passed;
	if (passed)
		m->clint.irq_timer = m->clint.mtime - 1 >= m->clint.mtimecmp;
	f->runner.result->cycles += passed;
	f->runner.result->instructions += retired;
	m->w = (struct stage_w){.valid = in_w, .count = true, .mode = m->csr.mode, .pc = 0, .raw = 0x13};
	m->intr = false;
	if (f->options.paths) {
		m->hidden = in_w;
		if (m->trace.ctrl & RV_CTRL_ENABLE_MASK && retired) {
			f->ctrl_seen = m->trace.ctrl;
			f->traced.instructions += retired;
			f->traced.last_cycle = now - gap;
		}
		traces_leave(f, now, insns, bits, pc);
	}
}

/* The fetch stage: words held, and one on its way, behind d_pc. */
static void fill(struct fast *f, uint32_t d_pc, unsigned words, bool inflight)
{
	struct model *m = f->model;
	bool error, denied;
	uint32_t at = d_pc & ~3u;
	m->d_pc = d_pc;
	m->word_count = words;
	m->word_errors = 0;
	for (unsigned i = 0; i < words; i++, at += 4) {
		m->words[i] = fetch_word(f, at, &error, &denied);
		m->word_errors |= (uint8_t)((error || denied) << i);
	}
	m->response = (struct response){.rdata = 0, .err = true};
	m->inflight = inflight;
	if (inflight) {
		m->response.rdata = fetch_word(f, at, &error, &denied);
		m->response.err = error;
		at += 4;
	}
	m->f_pc = at;
}

void state_leave(struct fast *f)
{
	struct model *m = f->model;
	const struct op_info *info = &f->infos[f->op - f->ops];
	uint32_t bits = 0;
	leave(f, f->n + info->t, f->insns + info->insns, info->gap, info->bits, info->pc);
	memcpy(&bits, f->ram + (info->pc - f->ram_base), 2);
	if ((bits & 3) == 3)
		memcpy((uint8_t *)&bits + 2, f->ram + (info->pc + 2 - f->ram_base), 2);
	const struct decoded *d = core_decode(m, bits);
	m->x = (struct stage_x){.valid = true, .lduse = info->lduse, .pc = info->pc, .raw = d->key, .decoded = d};
	fill(f, info->pc + d->insn.length, info->words, info->inflight);
}

void state_leave_redirect(struct fast *f, uint32_t pc)
{
	leave(f, f->n, f->insns, 0, 0, pc);
	f->model->x.valid = false;
	fill(f, pc, 0, true);
}

void state_redirect(struct fast *f, uint32_t pc)
{
	f->model->x.valid = false;
	fill(f, pc & ~1u, 0, true);
}
