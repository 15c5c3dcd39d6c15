/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/*
 * The trace unit belongs to the process that runs (TSH [0044], [0054], [0070] to [0078]). Only U mode is traced. Every
 * trap freezes the current pair (docs/trace-unit.md, section 4), so a process that goes on after an interrupt goes on
 * with its trace; a switch takes the pair out of the unit and puts it back later. DEPTH is not saved: in the kernel
 * it is 1, whichever process runs next.
 */
#include "common/frame.h"
#include "sw/kernel/kernel.h"
#include "sw/trace/front.h"
#include "sw/trace/handler.h"
#include "sw/trace/profile.h"

extern uint8_t __table_start[], __table_end[];
extern const uint32_t trace_vectors_single[], trace_vectors_drain[], trace_vectors_repeat[], trace_vectors_owned[];
extern const uint8_t hal_trap_entry[];

/* A process can choose traces that have one hash; the handler walks their chain with interrupts off. */
#define CHAIN 64u
#define MODE_U (1u << TRACE_LSB(CTRL, MODES))
#define IE(condition) (TRACE_MASK(STATUS, condition) << TRACE_LSB(CTRL, IE))

static struct run_config run;
static uint32_t ctrl; /* CTRL while a process is profiled; 0: none is */
static uint32_t hist, extras;
static bool shared; /* way table: the unit's table knows whose a trace is, so that it is not emptied at a switch */

/* The trace handler's words in the area (handler.h). */
static volatile uint32_t *word(struct process *process, size_t offset)
{
	return (volatile uint32_t *)(void *)(process->area.bytes + offset);
}

/* Way table: whether the unit has one, and it counts every trace. */
static bool set_table(void)
{
	if (TRACE_GET(TABLE_CAPS, ENTRIES, csr_read(RV_CSR_TABLE_CAPS)) == 0)
		return false;
	csr_write(RV_CSR_WATERMARK, run.watermark);
	csr_write(RV_CSR_TABLE_POLICY, 0);
	csr_write(RV_CSR_TABLE_CONTEXT, kernel_slot_count - 1);
	shared = csr_read(RV_CSR_TABLE_CONTEXT) == kernel_slot_count - 1;
	return run.watermark != 0 && csr_read(RV_CSR_WATERMARK) == run.watermark;
}

bool collect_init(void)
{
	const uint32_t need = TRACE_MASK(CAPS, FREEZE) | TRACE_MASK(CAPS, CONTEXT) | TRACE_MASK(CAPS, MODE);
	/* A loader may have written these words after they were compiled, so they are read as memory. */
	const volatile uint32_t *words = (const volatile uint32_t *)(const void *)&rivulet_config;
	for (size_t i = 0; i < sizeof run / sizeof(uint32_t); i++)
		((uint32_t *)(void *)&run)[i] = words[i];

	uint32_t id = csr_read(RV_CSR_ID), caps = csr_read(RV_CSR_CAPS);
	ctrl = 0;
	hist = TRACE_GET(ID, HIST, id);
	extras = TRACE_GET(CAPS, CYCLES, caps) && TRACE_GET(CAPS, INSNS, caps);
	if (TRACE_GET(ID, MAGIC, id) != 0x5254 || hist > 32 || TRACE_GET(CAPS, XLEN64, caps) || (caps & need) != need)
		return false;
	uint32_t bits = TRACE_MASK(CTRL, ENABLE) | MODE_U;
	bits |= run.ctrl & (TRACE_MASK(CTRL, NO_BACKWARD) | TRACE_MASK(CTRL, NO_INDIRECT));
	switch (run.way) {
	case RUN_OFF:
		return true;
	case RUN_EVERY:
		bits |= IE(NONEMPTY) | (run.ctrl & TRACE_MASK(CTRL, REPEAT));
		break;
	case RUN_TIMER:
		bits |= TRACE_GET(CAPS, LIFO, caps) ? TRACE_MASK(CTRL, LIFO) : 0;
		break;
	case RUN_SAMPLE:
		bits |= TRACE_MASK(CTRL, SAMPLE) | IE(NONEMPTY);
		break;
	case RUN_FULL:
		bits |= TRACE_MASK(CTRL, SAMPLE) | IE(FULL);
		break;
	case RUN_WATERMARK:
		bits |= TRACE_MASK(CTRL, SAMPLE) | IE(WATERMARK);
		csr_write(RV_CSR_WATERMARK, run.watermark);
		break;
	case RUN_STREAM:
		break;
	case RUN_TABLE:
		if (!set_table())
			return false;
		bits |= TRACE_MASK(CTRL, TABLE) | IE(WATERMARK);
		break;
	default:
		return false;
	}
	if (bits & TRACE_MASK(CTRL, SAMPLE)) {
		csr_write(RV_CSR_PERIOD, run.period);
		csr_write(RV_CSR_DITHER, run.dither);
		if (run.period == 0 || csr_read(RV_CSR_PERIOD) != run.period || csr_read(RV_CSR_DITHER) != run.dither)
			return false;
	}
	ctrl = bits;
	csr_write(RV_CSR_CTRL, ctrl & ~TRACE_MASK(CTRL, ENABLE));
	bool all = csr_read(RV_CSR_CTRL) == (ctrl & ~TRACE_MASK(CTRL, ENABLE));
	csr_write(RV_CSR_CTRL, 0);
	if (!all)
		ctrl = 0;
	return all;
}

const uint32_t *collect_vectors(void)
{
	if (run.way == RUN_WATERMARK || run.way == RUN_FULL)
		return trace_vectors_drain;
	if (run.way == RUN_TABLE)
		return trace_vectors_owned;
	return ctrl & TRACE_MASK(CTRL, REPEAT) ? trace_vectors_repeat : trace_vectors_single;
}

/* Takes the record at the head. */
static bool take(struct trace_state *to)
{
	if ((csr_read(RV_CSR_STATUS) & TRACE_MASK(STATUS, NONEMPTY)) == 0)
		return false;
	to->last_start = csr_read(RV_CSR_REC_START);
	to->last_hist = csr_read(RV_CSR_REC_HIST);
	to->last_info = csr_read(RV_CSR_REC_INFO);
	to->last_cycles = csr_read(RV_CSR_REC_CYCLES);
	to->last_count = run.way == RUN_TABLE ? csr_read(RV_CSR_REC_COUNT) : TRACE_GET(REC_INFO, REPEAT, to->last_info);
	to->last_context = csr_read(RV_CSR_REC_CONTEXT);
	csr_write(RV_CSR_POP, 0);
	return true;
}

static void count(struct process *process, const struct trace_state *record)
{
	uint32_t info = record->last_info;
	table_add(&process->table, record->last_start, record->last_hist, TRACE_GET(REC_INFO, REASON, info),
	    record->last_count, record->last_cycles, TRACE_GET(REC_INFO, INSNS, info));
}

/* Way table: counts all records there are, each for the process that it is of. */
static void count_owned(struct process *process)
{
	struct trace_state record;
	while (take(&record)) {
		struct process *owner = shared ? &kernel_processes[record.last_context] : process;
		if (owner->memory != NULL)
			count(owner, &record);
	}
}

/* The trace interrupt of way table (handler.S). */
void trace_owned(void);
void trace_owned(void)
{
	volatile uint32_t *interrupts = word(kernel_current, CONTEXT_INTERRUPTS);
	*interrupts = *interrupts + 1;
	count_owned(kernel_current);
}

/* Way table: what is in the unit's table, of all processes. Three instructions take longer than the last entry's
 * way. */
static void empty_table(struct process *process)
{
	csr_write(RV_CSR_TABLE, TRACE_MASK(TABLE, DRAIN));
	while (csr_read(RV_CSR_TABLE) & TRACE_MASK(TABLE, DRAIN))
		count_owned(process);
	count_owned(process);
}

/* Counts all records there are, or, where the way takes samples by itself, drops them. */
static void drain(struct process *process)
{
	struct trace_state record;
	if (run.way == RUN_TABLE) {
		count_owned(process);
		return;
	}
	while (take(&record))
		if (run.way != RUN_TIMER && run.way != RUN_STREAM)
			count(process, &record);
}

/* The handler's rare cases (handler.S), on the stack below the area. */
void trace_slow(void);
void trace_slow(void)
{
	struct process *process = kernel_current;
	struct trace_state record;
	if (take(&record))
		count(process, &record);
	else
		process->samples_empty++;
}

static void run_from_here(struct process *process)
{
	process->cycles_from = hal_cycles();
	process->instructions_from = hal_instructions();
}

static void run_to_here(struct process *process)
{
	process->cycles += hal_cycles() - process->cycles_from;
	process->instructions += hal_instructions() - process->instructions_from;
}

int collect_on(struct process *process)
{
	static uint8_t *free_memory;
	if (ctrl == 0 || !(process->slot->flags & SLOT_PROFILE))
		return SYS_EDENIED;
	if (process->collecting)
		return 0;
	uint32_t users = 0;
	for (uint32_t i = 0; i < kernel_slot_count; i++)
		users += kernel_slots[i].flags & SLOT_PROFILE;
	uint32_t size = (uint32_t)(__table_end - __table_start) / users & ~15u;
	if (process->memory == NULL) {
		if (free_memory == NULL)
			free_memory = __table_start;
		process->memory = free_memory;
		free_memory += size;
	}
	if (table_init(&process->table, process->memory, size, run.threshold) < 0)
		return SYS_EDENIED;
	process->table.longest_chain = CHAIN;
	*word(process, CONTEXT_HASH) = TABLE_HASH;
	*word(process, CONTEXT_SHIFT) = process->table.shift;
	*word(process, CONTEXT_HEADS) = (uint32_t)process->table.heads;
	*word(process, CONTEXT_PERIOD) = 0;
	*word(process, CONTEXT_INTERRUPTS) = 0;
	process->trace =
	    (struct trace_state){.resume = csr_read(RV_CSR_RESUME), .counter = run.period, .lfsr = run.seed};
	process->lost = process->cycles = process->instructions = 0;
	process->samples_empty = 0;
	process->collecting = true;
	process->cut = false;
	collect_restore(process);
	optimise_on(process);
	return 0;
}

void collect_save(struct process *process)
{
	struct trace_state *state = &process->trace;
	state->start = csr_read(RV_CSR_CUR_START);
	state->hist = csr_read(RV_CSR_CUR_HIST);
	state->info = csr_read(RV_CSR_CUR_INFO);
	state->cycles = csr_read(RV_CSR_CUR_CYCLES);
	state->resume = csr_read(RV_CSR_RESUME);
	/* Without a pair switching off makes no record of it. */
	csr_write(RV_CSR_CUR_HIST, 0);
	csr_write(RV_CSR_CTRL, ctrl & ~TRACE_MASK(CTRL, ENABLE));
	if (ctrl & TRACE_MASK(CTRL, SAMPLE)) {
		state->counter = csr_read(RV_CSR_COUNTER);
		state->lfsr = csr_read(RV_CSR_LFSR);
	}
	/* What is left in the buffer, and a record held for repetition, which comes now, are this process's. */
	if (process->slot->flags & SLOT_SAVE_LAST)
		take(state);
	if (run.way == RUN_TABLE && !shared)
		empty_table(process);
	else if (run.way != RUN_TABLE) /* what it threw out says whose it is */
		drain(process);
	uint32_t lost = csr_read(RV_CSR_LOST);
	if (lost != 0) {
		process->lost += lost;
		csr_write(RV_CSR_LOST, 0);
	}
	run_to_here(process);
}

void collect_restore(struct process *process)
{
	struct trace_state *state = &process->trace;
	if (process->cut)
		state->resume = process->area.frame.pc;
	process->cut = false;
	if (ctrl & TRACE_MASK(CTRL, SAMPLE)) {
		csr_write(RV_CSR_COUNTER, state->counter);
		csr_write(RV_CSR_LFSR, state->lfsr);
	}
	if (shared)
		csr_write(RV_CSR_TABLE_CONTEXT, process - kernel_processes);
	/* On first: while it is off there is neither a pair nor cycles. The kernel is not traced: it is frozen. */
	csr_write(RV_CSR_CTRL, ctrl);
	csr_write(RV_CSR_CUR_START, state->start);
	csr_write(RV_CSR_CUR_INFO, state->info);
	csr_write(RV_CSR_CUR_CYCLES, state->cycles);
	csr_write(RV_CSR_RESUME, state->resume);
	csr_write(RV_CSR_CUR_HIST, state->hist);
	run_from_here(process);
}

unsigned collect_bits(void)
{
	return hist;
}

/* CTRL off, which makes a record of the pair. What is in the buffer is the process's. */
static void stop(struct process *process)
{
	csr_write(RV_CSR_CTRL, ctrl & ~TRACE_MASK(CTRL, ENABLE));
	if (ctrl & TRACE_MASK(CTRL, SAMPLE)) {
		process->trace.counter = csr_read(RV_CSR_COUNTER);
		process->trace.lfsr = csr_read(RV_CSR_LFSR);
	}
	run_to_here(process); /* meanwhile the record comes */
	drain(process);
	if (run.way == RUN_TABLE)
		empty_table(process);
	process->lost += csr_read(RV_CSR_LOST);
	csr_write(RV_CSR_LOST, 0);
}

void collect_cut(struct process *process)
{
	collect_restore(process);
	stop(process);
	process->trace = (struct trace_state){.counter = process->trace.counter, .lfsr = process->trace.lfsr};
	process->cut = true;
}

void collect_tick(struct process *process)
{
	struct trace_state *state = &process->trace;
	if (run.way != RUN_TIMER)
		return;
	/* The newest record is at the head; without one, that which was saved at the last switch. */
	bool fresh = take(state);
	if (fresh || state->last_hist != 0)
		count(process, state);
	else
		process->samples_empty++;
	drain(process);
	if (!(process->slot->flags & SLOT_SAVE_LAST))
		state->last_hist = 0;
}

bool collect_stop(struct process *process)
{
	if (!process->collecting)
		return false;
	process->collecting = process->cut = false;
	stop(process);
	return true;
}

static void put(void *context, const void *bytes, size_t size)
{
	(void)context;
	console_frame(bytes, size);
}

/* One profile at a time: its frames are in order. Text of others may stand between them. */
static const struct process *sender;

static void wait_for_console(const struct process *process)
{
	for (;;) {
		uint32_t before = work_quiet();
		if (sender == NULL)
			sender = process;
		work_loud(before);
		if (sender == process)
			return;
		work_yield();
	}
}

void collect_send(struct process *process)
{
	uint32_t way = run.way, interrupts = way == RUN_WATERMARK || way == RUN_FULL || way == RUN_TABLE ||
						     ctrl & TRACE_MASK(CTRL, REPEAT)
						 ? *word(process, CONTEXT_INTERRUPTS)
						 : (uint32_t)table_total(&process->table);
	optimise_off(process);
	struct profile_info info = {
	    .xlen = 32,
	    .hist = hist,
	    .ctrl = ctrl,
	    .way = way,
	    .period = ctrl & TRACE_MASK(CTRL, SAMPLE) ? run.period + (run.dither + 1) / 2 : way != RUN_TIMER,
	    .dither = ctrl & TRACE_MASK(CTRL, SAMPLE) ? run.dither : 0,
	    .name = process->name,
	    .extras = extras,
	    .lost = way == RUN_TIMER || way == RUN_STREAM ? 0 : process->lost,
	    .cycles = process->cycles,
	    .instructions = process->instructions,
	    .interrupts = interrupts,
	};
	/* the program's __text_start to __text_end */
	info.build =
	    frame_crc32(0, (const void *)process->slot->base, process->program->text_end - process->slot->base);
	table_sort(&process->table);
	wait_for_console(process);
	profile_send(&info, &process->table, put, NULL);
	sender = NULL;
}
