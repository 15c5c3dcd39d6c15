/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/*
 * The optimiser for processes (docs/kernel.md, section 8). It runs in the kernel, in M mode; what it makes runs in U
 * mode behind the PMP, as the program does:
 *
 *	base .. execute_only	text with patches: execute only. A load from it is a fault, and the patches are undone
 *				first
 *	.. code_end		the rest: read and execute. The code cache is the room before code_end
 *	.. memory_end		read and write
 *
 * So neither patch nor cache can be written by any process, nor executed by another; and the process does not see what
 * is patched. Whatever it does (jumps into the middle of the cache, histories of its choice), it executes instructions
 * of U mode in its own slot, as it could before.
 */
#include "sw/kernel/kernel.h"
#include "sw/optimise/counts.h"

#define LENGTH 32u /* of traces, instructions */
#define RARE 64u   /* entries with less than 1/RARE of the counts are not read */
#define HOT 60u    /* a trace may begin where at least 1/HOT of the counts begin */
#define WORTH 24u  /* and if it saves a cycle in each WORTH counts */
#define CAUSE_LOAD_ACCESS 5u

extern uint8_t __optimise_start[], __optimise_end[];

static struct engine {
	struct optimise optimise;
	struct optimise_config config;
	struct optimise_code code;
	struct counts counts; /* of the table's entries when the last look ended */
	uint8_t *memory;      /* null: not yet given */
	uint32_t size, interval, threshold, share;
	uint64_t next; /* the next look, by process->ran */
	bool on;       /* there is something in the cache */
	bool reads;    /* it reads its own code: left alone */
	uint32_t builds, released, traces, patches, bytes;
	uint64_t cycles;
	int error;
} engines[KERNEL_PROCESSES];

static struct engine *engine_of(const struct process *process)
{
	return &engines[process->slot - kernel_slots];
}

/* Two halves: the instruction may lie on an odd halfword. */
static void write_word(uint32_t pc, uint32_t word)
{
	*(volatile uint16_t *)(uintptr_t)pc = (uint16_t)word;
	*(volatile uint16_t *)(uintptr_t)(pc + 2) = (uint16_t)(word >> 16);
}

static uint32_t read_word(uint32_t pc)
{
	return *(volatile uint16_t *)(uintptr_t)pc | (uint32_t) * (volatile uint16_t *)(uintptr_t)(pc + 2) << 16;
}

static void fence_i(void)
{
	__asm__ volatile("fence.i" : : : "memory");
}

static bool in_cache(const struct engine *engine, uint32_t pc)
{
	return pc - engine->config.cache < engine->config.cache_size;
}

/* A patch is a jump from an instruction of the process's own text, as it was when it was read, to the beginning of a
 * trace in its own cache. This is checked here, so it holds even if the optimiser is wrong. */
static bool allowed(const struct process *process, const struct engine *engine, const struct optimise_patch *patch)
{
	uint32_t from = process->slot->base + 4 * IMAGE_WORDS, to = process->program->text_end;
	if (patch->pc < from || patch->pc >= to || to - patch->pc < 4 || (patch->pc & 1) != 0 ||
	    patch->trace >= engine->optimise.trace_count || read_word(patch->pc) != patch->before)
		return false;
	uint32_t target = optimise_address(&engine->optimise, &engine->optimise.traces[patch->trace]);
	return in_cache(engine, target) && patch->after == optimise_jump_word((int32_t)(target - patch->pc));
}

/* Step 856. */
static void patch(struct process *process, struct engine *engine)
{
	struct optimise *o = &engine->optimise;
	uint32_t kept = o->built_patches;
	for (uint32_t i = kept; i < o->patch_count; i++)
		if (allowed(process, engine, &o->patches[i]))
			o->patches[kept++] = o->patches[i];
	for (uint32_t i = o->built_patches; i < kept; i++) {
		const struct optimise_patch *p = &o->patches[i];
		write_word(p->pc, p->after);
		if (p->pc + 4 > process->execute_only)
			process->execute_only = (p->pc + 4 + 15) & ~15u;
	}
	engine->patches += kept - o->built_patches;
	o->patch_count = kept;
	fence_i();
	kernel_set_memory(process);
}

/* Step 858: memory as it was. */
static void release(struct process *process, struct engine *engine)
{
	const struct optimise *o = &engine->optimise;
	if (!engine->on)
		return;
	for (uint32_t i = 0; i < o->patch_count; i++)
		write_word(o->patches[i].pc, o->patches[i].before);
	for (uint32_t i = 0; i < engine->config.cache_size; i += 4)
		*(volatile uint32_t *)(uintptr_t)(engine->config.cache + i) = 0;
	engine->on = false;
	engine->released++;
	process->execute_only = 0;
	fence_i();
	kernel_set_memory(process);
}

/* The process goes on in the program, from where it is in the cache. False: it is at no place where a program can
 * be. */
static bool leave(struct process *process, const struct engine *engine)
{
	struct hal_frame *frame = &process->area.frame;
	if (!engine->on || !in_cache(engine, frame->pc))
		return true;
	uint32_t pc;
	if (!optimise_leave(
		&engine->optimise, (const uint8_t *)(uintptr_t)engine->config.cache, frame->pc, frame->x, &pc))
		return false;
	frame->pc = pc;
	return true;
}

/* Traces of the patched program are counted as those of the program. */
static void translate(struct process *process, struct engine *engine)
{
	if (engine->on)
		counts_translate(
		    &engine->counts, &engine->optimise, &process->table, rivulet_config.ctrl, collect_bits(), NULL);
}

/* Steps 850 to 856, from what has been counted since the last time. */
static void build(struct process *process, struct engine *engine)
{
	struct optimise *o = &engine->optimise;
	const struct table *table = &process->table;
	if (engine->on && o->full > 0 && leave(process, engine))
		release(process, engine);
	if (!engine->on)
		engine->error = optimise_init(o, &engine->config, engine->memory, engine->size);
	if (engine->error != OPTIMISE_OK)
		return;
	uint32_t total = 0, traces = o->trace_count;
	for (uint32_t i = 0; i < table->used; i++)
		total += counts_since(&engine->counts, table, i);
	for (uint32_t i = 0; i < table->used; i++) {
		struct record record;
		uint32_t count = counts_since(&engine->counts, table, i);
		if (count == 0 || count < total / RARE)
			continue;
		table_get(table, i, &record);
		if (!record_partial(&record))
			optimise_record(o, (uint32_t)record.start, (uint32_t)record.hist, count);
	}
	for (uint32_t i = 0; i < table->used; i++)
		optimise_witness(o, table->entries[i].key & ~TABLE_PARTIAL, table->entries[i].hist);
	optimise_build(o);
	optimise_emit(o, (uint8_t *)(uintptr_t)engine->config.cache);
	engine->on = true;
	patch(process, engine);
	engine->builds++;
	engine->traces += o->trace_count - traces;
	engine->bytes = o->cache_used > engine->bytes ? o->cache_used : engine->bytes;
}

/* Whether to build: a trace is hot, and if there are traces already, more than half of the counts since the last build
 * are at hot places that no build has considered. */
static bool hot(const struct process *process, const struct engine *engine)
{
	uint64_t old = 0, new = 0;
	for (uint32_t i = 0; i < process->table.used; i++) {
		uint32_t pc = process->table.entries[i].key & ~TABLE_PARTIAL,
			 count = counts_since(&engine->counts, &process->table, i);
		if (count < engine->threshold ||
		    (engine->on && (in_cache(engine, pc) || optimise_considered(&engine->optimise, pc))))
			old += count;
		else
			new += count;
	}
	return engine->on ? new > old : new > 0;
}

/* No process can make the kernel work for more than a share of the process's own time: the next look comes later by as
 * much, and switching the profile off and on does not bring it back. */
static void spent(struct process *process, struct engine *engine, uint64_t from)
{
	uint64_t now = account_own(process), took = now - from;
	engine->cycles += took;
	if (engine->next < now + engine->interval)
		engine->next = now + engine->interval;
	if (engine->share < 1000000)
		engine->next += took * 1000000 / engine->share;
}

bool optimise_due(const struct process *process)
{
	const struct engine *engine = engine_of(process);
	return process->ran >= engine->next && !engine->reads;
}

void optimise_look(struct process *process)
{
	struct engine *engine = engine_of(process);
	uint64_t from = account_own(process);
	if (hot(process, engine)) {
		work_cut();
		translate(process, engine);
		build(process, engine);
		counts_remember(&engine->counts, &process->table);
	}
	spent(process, engine, from);
}

void optimise_on(struct process *process)
{
	static uint8_t *free_memory = __optimise_start;
	struct engine *engine = engine_of(process);
	const struct program *program = process->program;
	const volatile struct run_config *run = &rivulet_config;
	process->optimising = false;
	uint32_t way = run->way, room = program->code_end - program->cache;
	if (!(process->slot->flags & SLOT_OPTIMISE) || run->optimise == 0 || room < 64 ||
	    (way != RUN_EVERY && way != RUN_SAMPLE && way != RUN_WATERMARK && way != RUN_FULL))
		return;
	uint32_t users = 0;
	for (uint32_t i = 0; i < kernel_slot_count; i++)
		users += (kernel_slots[i].flags & SLOT_OPTIMISE) != 0;
	uint32_t size = (uint32_t)(__optimise_end - __optimise_start) / users & ~15u,
		 counts = process->table.capacity * (uint32_t)sizeof(uint32_t);
	if (engine->memory == NULL) {
		if (size < counts + 4096)
			return;
		engine->memory = free_memory;
		free_memory += size;
	}
	uint8_t *memory = engine->memory;
	uint64_t next = process->ran + run->optimise;
	*engine = (struct engine){.memory = memory,
	    .size = size - counts,
	    .interval = run->optimise,
	    .threshold = run->threshold != 0 ? run->threshold : 1,
	    .share = run->share != 0 ? run->share : 1,
	    .next = engine->next > next ? engine->next : next};
	counts_init(&engine->counts, memory + engine->size, process->table.capacity);
	engine->code = (struct optimise_code){process->slot->base + 4 * IMAGE_WORDS,
	    program->text_end - process->slot->base - 4 * IMAGE_WORDS,
	    (const uint8_t *)(uintptr_t)(process->slot->base + 4 * IMAGE_WORDS)};
	engine->config = (struct optimise_config){.passes = OPTIMISE_ALL,
	    .cache = program->cache,
	    .cache_size = run->cache != 0 && run->cache < room ? run->cache & ~15u : room,
	    .length = LENGTH,
	    .hot_share = HOT,
	    .gain_percent = 30,
	    .worth = WORTH,
	    .leads_pay = true,
	    .code = &engine->code,
	    .code_count = 1};
	process->optimising = true;
}

void optimise_off(struct process *process)
{
	struct engine *engine = engine_of(process);
	if (!process->optimising)
		return;
	uint64_t from = account_own(process);
	translate(process, engine);
	leave(process, engine);
	release(process, engine);
	spent(process, engine, from);
	process->optimising = false;
	uint32_t before = work_quiet();
	console_text();
	hal_print("optimise: ");
	hal_print(process->name);
	hal_print(": builds ");
	hal_print_decimal(engine->builds);
	hal_print(", traces ");
	hal_print_decimal(engine->traces);
	hal_print(", patches ");
	hal_print_decimal(engine->patches);
	hal_print(", bytes ");
	hal_print_decimal(engine->bytes);
	hal_print(", released ");
	hal_print_decimal(engine->released);
	hal_print(engine->reads ? " (reads its code), cycles " : ", cycles ");
	hal_print_decimal(engine->cycles);
	hal_print("\n");
	if (engine->error != OPTIMISE_OK) {
		hal_print("optimise: ");
		hal_print(optimise_strerror(engine->error));
		hal_print("\n");
	}
	work_loud(before);
}

bool optimise_hides(const struct process *process, uint32_t address, uint32_t size)
{
	return process->optimising && size != 0 && address < process->execute_only;
}

bool optimise_fault(struct process *process, uint32_t cause, uint32_t address)
{
	return process->optimising && leave(process, engine_of(process)) && cause == CAUSE_LOAD_ACCESS &&
	       address >= process->slot->base && optimise_hides(process, address, 1);
}

void optimise_release(struct process *process)
{
	struct engine *engine = engine_of(process);
	uint64_t from = account_own(process);
	work_cut();
	translate(process, engine);
	if (leave(process, engine)) {
		release(process, engine);
		engine->reads = true;
	}
	counts_remember(&engine->counts, &process->table);
	spent(process, engine, from);
}
