/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* A run: the engine as long as it can, the golden model where it must. */
#include "model/fast/private.h"

#include <stdlib.h>
#include <string.h>

#include "common/rivulet_regs.h"

#define CHUNK (1u << 24)
#define MODEL_PROGRESS (1u << 20)
#define NOP 0x13u
#define EBREAK 0x00100073u

static void mark_special(struct fast *f)
{
	uint32_t at = f->model->tohost - f->ram_base;
	if (f->model->has_tohost && model_is_memory(&f->model->config, at))
		f->lines[at >> LINE_BITS] = 2;
}

int fast_open(struct fast **fast, struct model *model, const struct fast_options *options)
{
	struct fast *f = calloc(1, sizeof *f);
	if (!f)
		return MODEL_ENOMEM;
	f->model = model;
	f->options = *options;
	f->runner.model = model;
	f->ram = model->ram;
	f->ram_base = model->config.ram_base;
	f->places = engine_places();
	f->nodes_most = NODES_EARLY_MAX;
	f->unlinked[1].go = f->places[OP_UNLINKED];
	f->lines = calloc(((model->ram_mapped ? model->ram_mapped : model->config.ram_size) >> LINE_BITS) + 2, 1);
	f->ops = malloc(OPS_MAX * sizeof *f->ops);
	f->infos = malloc(OPS_MAX * sizeof *f->infos);
	f->exits = malloc(EXITS_MAX * sizeof *f->exits);
	f->slots = malloc(sizeof *f->slots << BLOCKS_BITS);
	if (!f->lines || !f->ops || !f->infos || !f->exits || !f->slots || paths_init(f)) {
		fast_close(f);
		return MODEL_ENOMEM;
	}
	if (options->paths && options->order && order_init(f)) {
		fast_close(f);
		return MODEL_ENOMEM;
	}
	mark_special(f);
	block_flush(f);
	f->statistics.flushes = 0;
	f->counted = !(options->order && options->order_only);
	f->tag_mask = f->counted ? 0 : UINT32_MAX;
	const struct trace_config *t = &model->config.trace;
	f->cycles_max = t->with_cycles ? (1ull << t->cycle_bits) - 1 : 0;
	model->hidden = options->paths ? 0 : HIDDEN_ALL;
	*fast = f;
	return MODEL_OK;
}

void fast_close(struct fast *f)
{
	if (!f)
		return;
	if (f->model)
		f->model->hidden = 0;
	free(f->lines);
	free(f->ops);
	free(f->infos);
	free(f->exits);
	free(f->slots);
	free(f->paths);
	order_fini(f);
	free(f);
}

/* ---------------------------------------------------------------- the golden model's part */

/* Notes what a cycle of the model did that concerns the engine. */
static void look_at(struct fast *f, const struct model_out *out)
{
	struct model *m = f->model;
	uint32_t at = out->bus_addr - f->ram_base;
	if (out->bus_valid && out->bus_wstrb && model_is_memory(&m->config, at) && f->lines[at >> LINE_BITS] & 1)
		f->dirty = true;
	const uint32_t sunk = (uint32_t)out->trace.sink_addr - f->ram_base;
	if (out->trace.sink_valid && !m->sink_ring && model_is_memory(&m->config, sunk) &&
	    f->lines[sunk >> LINE_BITS] & 1)
		f->dirty = true;
	if (f->debt) {
		f->debt--;
		m->trace.cur_cycles = 0;
	}
	if (out->valid && m->trace.ctrl & RV_CTRL_ENABLE_MASK) {
		struct fast_traced *t = &f->traced;
		if (!t->any) {
			t->any = true;
			t->first_cycle = out->cycle;
			t->ctrl = m->trace.ctrl;
		}
		t->last_cycle = out->cycle;
		t->instructions += !out->trap;
	}
	f->statistics.model_cycles++;
}

struct limits {
	uint64_t cycle_end; /* cycle of the model that is not to be begun; UINT64_MAX: none */
	uint64_t instructions;
};

/* Runs the model, for one cycle or more, until the engine can take over: true. False: the run has ended. */
/* The state between two instructions: all before have their results in the registers. */
static bool between(const struct fast *f)
{
	return state_drained(f, !f->model->x.valid);
}

uint32_t fast_pc(const struct fast *f)
{
	return f->model->x.valid ? f->model->x.pc : f->model->d_pc;
}

static bool at_break(struct fast *f)
{
	if (f->break_count == 0 || !between(f))
		return false;
	uint32_t pc = fast_pc(f);
	for (unsigned i = 0; i < f->break_count; i++)
		if (f->breaks[i] == pc)
			return true;
	return false;
}

/* An access in W that is watched. */
static bool watched(struct fast *f)
{
	const struct stage_w *w = &f->model->w;
	if (!w->valid || w->exception || !(w->load || w->store))
		return false;
	for (unsigned i = 0; i < f->watch_count; i++) {
		const struct fast_watch *watch = &f->watches[i];
		bool overlaps = w->address - watch->address < watch->size ||
				watch->address - w->address < (uint32_t)(w->load + w->store);
		if (overlaps && (w->load ? watch->reads : watch->writes)) {
			f->watch_address = w->address;
			return true;
		}
	}
	return false;
}

/* EBREAK in X between the two shifts that mark a call of the host (RISC-V semihosting): the call is made, and the
 * EBREAK does nothing. Not if an interrupt comes first: then the EBREAK comes again. */
static bool call_host(struct fast *f, bool *exit)
{
	struct model *m = f->model;
	uint32_t before, behind, pc = m->x.pc;
	unsigned cause;
	*exit = false;
	if (!f->options.semihost || !m->x.valid || m->x.fault || m->x.decoded->key != EBREAK || !between(f) ||
	    csr_irq_take(m, &cause) || model_read(m, pc - 4, &before, 4) || model_read(m, pc + 4, &behind, 4) ||
	    before != SEMIHOST_BEFORE || behind != SEMIHOST_BEHIND)
		return false;
	state_retire(f);
	uint32_t result = f->options.semihost(
	    f->options.semihost_context, m, m->regs[10], m->regs[11], exit, &f->runner.result->code);
	f->dirty = true; /* it may have written code */
	if (*exit) {
		f->runner.result->end = RUN_END_EXIT;
		f->runner.result->told = RUN_TOLD_SEMIHOSTING;
		return true;
	}
	m->regs[10] = result;
	m->x.decoded = core_decode(m, NOP);
	m->x.raw = NOP;
	return true;
}

static bool model_part(struct fast *f, const struct limits *limits)
{
	struct run_result *result = f->runner.result;
	const struct run_hooks *hooks = f->runner.hooks;
	struct model_out out;
	do {
		if (at_break(f)) {
			result->end = RUN_END_BREAK;
			return false;
		}
		bool exit;
		if (f->options.semihost && call_host(f, &exit) && exit)
			return false;
		if (f->model->cycle >= limits->cycle_end) {
			result->end = RUN_END_CYCLES;
			return false;
		}
		bool ended = run_cycle(&f->runner, &out);
		look_at(f, &out);
		if (ended)
			return false;
		if (f->watch_count && (f->watch_hit |= watched(f)) && between(f)) {
			f->watch_hit = false;
			result->end = RUN_END_WATCH;
			return false;
		}
		if (result->instructions >= limits->instructions) {
			result->end = RUN_END_INSTRUCTIONS;
			return false;
		}
		if (!(f->statistics.model_cycles & (MODEL_PROGRESS - 1)) && hooks->progress &&
		    !hooks->progress(hooks->context, result->cycles, result->instructions)) {
			result->end = RUN_END_STOPPED;
			return false;
		}
	} while (f->model->cycle >= limits->cycle_end || result->instructions + 1 >= limits->instructions ||
		 !state_can_enter(f));
	return true;
}

/* ---------------------------------------------------------------- the engine's part */

/* An access outside of the windows: true if it can be done in the engine after all. */
static bool widen(struct fast *f)
{
	struct model *m = f->model;
	const struct op_info *info = &f->infos[f->op - f->ops];
	uint16_t low;
	uint32_t bits;
	memcpy(&low, f->ram + (info->pc - f->ram_base), 2);
	bits = low;
	if ((low & 3) == 3) {
		memcpy(&low, f->ram + (info->pc + 2 - f->ram_base), 2);
		bits |= (uint32_t)low << 16;
	}
	const struct decoded *d = core_decode(m, bits);
	bool store = d->insn.class_bits & ISA_STORE;
	uint32_t address = f->r[d->insn.rs1] + (uint32_t)d->insn.imm, at = address - f->ram_base;
	uint32_t memory, size;
	bool machine = m->csr.mprv ? m->csr.mpp == 3 : m->csr.mode == 3;
	if (!model_memory_of(&m->config, at, &memory, &size))
		return false;
	struct window *window = &f->window[(memory != 0 ? MEMORY_OTHER : 0) + (store ? MEMORY_STORE : MEMORY_LOAD)];
	if (address & (d->bytes - 1u) || at - window->first < window->size ||
	    !pmp_allows(m, address, machine, store ? PMP_W : PMP_R))
		return false;
	/* what one region of the memory protection decides, as far as it is RAM; in words of the address */
	uint64_t first = 4ull * m->pmp.data.first, end = 4ull * m->pmp.data.last + 4;
	uint64_t base = (uint32_t)(f->ram_base + memory), ram_end = base + size;
	first = first < base ? base : first;
	end = end > ram_end ? ram_end : end;
	*window = (struct window){.first = (uint32_t)(first - f->ram_base), .size = (uint32_t)(end - first)};
	return true;
}

/* Up to which cycle nothing can happen that the engine does not do. */
static uint64_t next_deadline(const struct fast *f, const struct limits *limits)
{
	const struct model *m = f->model;
	uint64_t deadline = f->n + CHUNK;
	uint64_t left = limits->instructions - f->runner.result->instructions;
	if (deadline > limits->cycle_end)
		deadline = limits->cycle_end;
	/* an instruction takes a cycle or more */
	left = left > f->insns + 1 ? left - f->insns - 1 : 0; /* the model does the last */
	if (deadline - f->n > left)
		deadline = f->n + left;
	if (m->csr.ie >> IRQ_TIMER & 1 && (m->csr.mode != 3 || m->csr.mie)) {
		uint64_t mtime = m->clint.mtime + (f->n - f->entered_n);
		uint64_t wait = m->clint.mtimecmp > mtime ? m->clint.mtimecmp - mtime : 0;
		if (deadline - f->n > wait)
			deadline = f->n + wait;
	}
	return deadline;
}

/* f->op becomes the first op of a block, of the way out that was taken; false if it cannot be executed here. */
static bool link(struct fast *f, enum leave why)
{
	bool indirect = why == LEAVE_INDIRECT;
	struct exit *exit = f->exit;
	uint32_t pc = indirect ? f->target : exit->target;
	uint64_t flushes = f->statistics.flushes;
	if (!indirect && exit->code != &f->unlinked[1]) {
		f->op = exit->code;
		return true;
	}
	f->op = block_find(f, pc, indirect ? ENTRY_REDIRECT : exit->entry, block_node(f, exit));
	if (!f->op) {
		state_leave_redirect(f, pc);
		return false;
	}
	if (indirect)
		f->jumps[f->context][pc >> 1 & (JUMPS - 1)] = (struct jump){.pc = pc, .code = f->op};
	else if (flushes == f->statistics.flushes)
		exit->code = f->op;
	return true;
}

/* Room in the log for a record in each cycle. */
static void limit_log(struct fast *f)
{
	if (!f->log)
		return;
	if (f->log_count > LOG_MAX / 2)
		order_flush(f);
	uint64_t end = f->n + LOG_MAX - f->log_count - 1;
	f->limit = f->limit < end ? f->limit : end;
}

/* Runs the engine until the model has the state again: true. False: the run has ended. */
static bool engine_part(struct fast *f, const struct limits *limits)
{
	const struct run_hooks *hooks = f->runner.hooks;
	struct run_result *result = f->runner.result;
	uint64_t chunk_end = f->n + CHUNK;
	uint64_t stop = f->deadline; /* the state was taken, but nothing may be executed */
	bool wanted = true;
	for (;;) {
		/* at a block's first op */
		uint64_t deadline = next_deadline(f, limits);
		if (deadline > stop)
			deadline = stop;
		bool fits = f->n + f->op[-1].imm <= deadline;
		if (fits && f->n >= chunk_end) {
			chunk_end = f->n + CHUNK;
			order_flush(f);
			/* an instruction that jumps to itself is seen by the model only */
			if (hooks->progress)
				wanted = hooks->progress(hooks->context, result->cycles + (f->n - f->entered_n),
				    result->instructions + f->insns);
			fits = false;
		}
		bool room = f->traces != TRACES_ON || (f->hist >> f->op[-1].x == 0 && f->records < f->records_to);
		if (!fits || !room) {
			const struct op_info *head = &f->infos[f->op - 1 - f->ops];
			if (head->entry == ENTRY_REDIRECT) /* the cycles until its first instruction are the model's */
				state_leave_redirect(f, head->pc);
			else
				state_leave(f);
			if (!wanted)
				result->end = RUN_END_STOPPED;
			return wanted;
		}
		f->limit = deadline > chunk_end ? chunk_end : deadline;
		f->limit = f->limit > BLOCK_CYCLES ? f->limit - BLOCK_CYCLES : 0;
		limit_log(f);
		enum leave why;
		while ((why = engine_execute(f)) == LEAVE_MEMORY && widen(f))
			;
		switch (why) {
		case LEAVE_SLOW:
		case LEAVE_MEMORY:
			state_leave(f);
			return true;
		default:
			if (!link(f, why))
				return true;
			break;
		}
	}
}

/* The hooks between the model and the caller's: what the engine noted goes before the next record of the model. */
struct relay {
	struct fast *fast;
	const struct run_hooks *hooks;
};

static void on_retire(void *context, const struct model_out *out)
{
	struct fast *f = ((struct relay *)context)->fast;
	(void)out;
	if (f->model->trace.ctrl & RV_CTRL_ENABLE_MASK)
		f->ctrl_seen = f->model->trace.ctrl;
}

static void on_record(void *context, const struct record *record)
{
	const struct relay *b = context;
	order_flush(b->fast);
	if (b->hooks->record)
		b->hooks->record(b->hooks->context, record);
}

static void on_console(void *context, uint8_t byte)
{
	const struct relay *b = context;
	b->hooks->console(b->hooks->context, byte);
}

static void on_uart(void *context, uint8_t byte)
{
	const struct relay *b = context;
	b->hooks->uart(b->hooks->context, byte);
}

static bool on_progress(void *context, uint64_t run_cycles, uint64_t instructions)
{
	const struct relay *b = context;
	return b->hooks->progress(b->hooks->context, run_cycles, instructions);
}

static void run_all(struct fast *f, uint64_t cycle_limit, uint64_t instruction_limit, struct run_result *result)
{
	const struct limits limits = {.cycle_end = cycle_limit ? f->model->cycle + cycle_limit : UINT64_MAX,
	    .instructions = instruction_limit ? instruction_limit : UINT64_MAX};
	*result = (struct run_result){.end = RUN_END_CYCLES};
	f->runner.result = result;
	while (model_part(f, &limits)) {
		state_enter(f);
		if (!engine_part(f, &limits))
			break;
	}
	if (between(f))
		state_retire(f);
	order_flush(f);
}

void fast_run(struct fast *f, const struct run_hooks *hooks, uint64_t cycle_limit, uint64_t instruction_limit,
    struct run_result *result)
{
	static const struct run_hooks none;
	struct relay relay = {f, hooks ? hooks : &none};
	struct run_hooks own = *relay.hooks;
	own.retire = NULL;
	if (f->log) {
		own = (struct run_hooks){.context = &relay,
		    .console = own.console ? on_console : NULL,
		    .uart = own.uart ? on_uart : NULL,
		    .record = on_record,
		    .retire = on_retire,
		    .progress = own.progress ? on_progress : NULL};
	}
	f->runner.hooks = &own;
	run_all(f, cycle_limit, instruction_limit, result);
}

void fast_finish(struct fast *f, const struct run_hooks *hooks, struct run_result *result)
{
	struct run_hooks own = *hooks;
	struct model_out out;
	/* The engine has given the last instruction to the trace unit when W still holds it. */
	bool within =
	    result->end == RUN_END_STOPPED || (result->end == RUN_END_EXIT && result->told == RUN_TOLD_SEMIHOSTING);
	if (within && f->model->w.valid) {
		const struct run_result ended = *result;
		own.retire = NULL;
		f->runner.hooks = &own;
		f->runner.result = result;
		run_cycle(&f->runner, &out);
		look_at(f, &out);
		result->end = ended.end;
		result->code = ended.code;
		result->told = ended.told;
	}
	if (f->debt)
		f->model->trace.cur_cycles = 0;
}

/* ---------------------------------------------------------------- for debuggers */

bool fast_between(const struct fast *f)
{
	return between(f);
}

void fast_set_pc(struct fast *f, uint32_t pc)
{
	state_redirect(f, pc);
}

int fast_break(struct fast *f, uint32_t pc, bool set)
{
	f->dirty = true;
	for (unsigned i = 0; i < f->break_count; i++) {
		if (f->breaks[i] == pc) {
			if (!set)
				f->breaks[i] = f->breaks[--f->break_count];
			return MODEL_OK;
		}
	}
	if (!set)
		return MODEL_OK;
	if (f->break_count == BREAKS_MAX)
		return MODEL_ENOMEM;
	f->breaks[f->break_count++] = pc;
	return MODEL_OK;
}

int fast_watch(struct fast *f, const struct fast_watch *watch, bool set)
{
	for (unsigned i = 0; !set && i < f->watch_count; i++) {
		const struct fast_watch *w = &f->watches[i];
		if (w->address == watch->address && w->size == watch->size && w->reads == watch->reads &&
		    w->writes == watch->writes) {
			f->watches[i] = f->watches[--f->watch_count];
			return MODEL_OK;
		}
	}
	if (!set)
		return MODEL_OK;
	if (f->watch_count == WATCHES_MAX)
		return MODEL_ENOMEM;
	f->watches[f->watch_count++] = *watch;
	return MODEL_OK;
}

uint32_t fast_watch_address(const struct fast *f)
{
	return f->watch_address;
}

void fast_memory_changed(struct fast *f)
{
	f->dirty = true;
	/* what was fetched already is fetched again */
	state_redirect(f, fast_pc(f));
}

void fast_step(struct fast *f, const struct run_hooks *hooks, struct run_result *result)
{
	static const struct run_hooks none;
	struct run_hooks own = hooks ? *hooks : none;
	struct model_out out;
	bool exit = false, completed = false;
	own.retire = NULL;
	*result = (struct run_result){.end = RUN_END_STOPPED};
	f->runner.hooks = &own;
	f->runner.result = result;
	do {
		if (!completed && call_host(f, &exit) && exit)
			return;
		bool ended = run_cycle(&f->runner, &out);
		look_at(f, &out);
		completed |= f->model->w.valid; /* X gave an instruction away */
		if (ended)
			return;
		if (!(result->cycles & 0xFFFF) && own.progress &&
		    !own.progress(own.context, result->cycles, result->instructions))
			return;
	} while (!completed || !between(f));
	state_retire(f);
	result->end = RUN_END_BREAK;
}

uint32_t fast_ctrl(const struct fast *f)
{
	return f->ctrl_seen;
}

const struct fast_traced *fast_traced(const struct fast *f)
{
	return &f->traced;
}

void fast_statistics(const struct fast *f, struct fast_statistics *statistics)
{
	*statistics = f->statistics;
}
