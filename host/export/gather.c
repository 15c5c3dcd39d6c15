/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#include "common/rivulet_regs.h"
#include "host/export/gather_private.h"

#include <stdlib.h>
#include <string.h>
#include "model/trace.h"
#include "isa/isa.h"

#define UNKNOWN_PC 1u
#define TRAPS_BETWEEN 64 /* instructions that trap, one behind the other, between two records */

const char *gather_strerror(int error)
{
	switch (error) {
	case GATHER_OK:
		return "no error";
	case GATHER_ENOMEM:
		return "out of memory";
	case GATHER_EOVERFLOW:
		return "a count passes 64 bits";
	default:
		return "unknown error";
	}
}

int gather_open(struct gather **out, const struct image *image, const struct walk_config *config)
{
	struct gather *gather = calloc(1, sizeof *gather);
	*out = NULL;
	if (gather == NULL)
		return GATHER_ENOMEM;
	gather->image = image;
	gather->next = UNKNOWN_PC;
	steps_init(&gather->taken);
	gather->config = *config;
	core_default(&gather->core);
	gather->costs = (struct trace_costs){.image = image, .core = &gather->core};
	gather->core_state = CORE_START;
	if (gather_ctrl(gather, config->ctrl) != GATHER_OK || stack_open(&gather->stack, image) != STACK_OK) {
		gather_close(gather);
		return GATHER_ENOMEM;
	}
	*out = gather;
	return GATHER_OK;
}

void gather_close(struct gather *gather)
{
	if (gather == NULL)
		return;
	for (size_t i = 0; i < gather->unit_count; i++)
		free(gather->units[i].cycles);
	free(gather->units);
	hash_free(&gather->unit_table);
	free(gather->parts);
	hash_free(&gather->part_table);
	free(gather->calls);
	hash_free(&gather->call_table);
	free(gather->steps);
	trace_costs_free(&gather->costs);
	gather_result_free(gather);
	free(gather->live);
	stack_close(gather->stack);
	gather_steps_free(gather);
	for (size_t i = 0; i < 8; i++) {
		walk_cache_close(gather->modes[i].cache);
		walk_close(gather->modes[i].walk);
	}
	free(gather);
}

#define HANDLERS 4 /* bit of a mode's number */

int gather_ctrl(struct gather *gather, uint32_t ctrl)
{
	struct mode *mode =
	    &gather->modes[(ctrl & RV_CTRL_NO_BACKWARD_MASK ? 1 : 0) | (ctrl & RV_CTRL_NO_INDIRECT_MASK ? 2 : 0) |
			   (ctrl & RV_CTRL_HANDLERS_MASK ? HANDLERS : 0)];
	struct walk_config config = gather->config;
	config.ctrl = ctrl;
	if (mode->walk == NULL && walk_open(&mode->walk, gather->image, &config) != WALK_OK)
		return GATHER_ENOMEM;
	if (mode->cache == NULL && walk_cache_open(&mode->cache, mode->walk, WALK_CACHE_BYTES) != WALK_OK)
		return GATHER_ENOMEM;
	gather->mode = mode;
	return GATHER_OK;
}

void gather_watch(struct gather *gather, enum gather_watch watch, gather_watcher *watcher, void *context)
{
	gather->watch = watch;
	gather->watcher = watcher;
	gather->watcher_context = context;
}

void gather_core(struct gather *gather, const struct core *core)
{
	gather->core = *core;
}

/* ---- the trace at hand ---- */

/* What the rules say of each instruction; nothing if the run has no cycles, which they would have to share. */
static int weigh_step(struct gather *gather)
{
	struct trace_bounds bounds;
	if (gather->untimed) {
		memset(gather->steps, 0, gather->step_count * sizeof *gather->steps);
		return GATHER_OK;
	}
	if (!trace_costs_parts(&gather->costs, &gather->core_state, gather->core_known,
		&(struct trace_visits){gather->walked->visits, gather->walked->count}, gather->steps, &bounds))
		return GATHER_ENOMEM;
	gather->core_known = true;
	gather->least += bounds.least;
	gather->room += bounds.room;
	return GATHER_OK;
}

/* Walks a record with gather->mode into walked and steps; step_count 0: nothing of it is known. */
static int gather_walk(struct gather *gather, const struct record *record)
{
	const struct walked *walked = walk_cached(gather->mode->cache, record);
	if (walked == NULL)
		return GATHER_ENOMEM;
	gather->walked = walked;
	bool part = walked->error == WALK_OK || walked->error == WALK_UNKNOWN_END || walked->error == WALK_ETARGET;
	gather->step_count = part ? walked->insns : 0;
	if (gather->step_count == 0)
		return GATHER_OK;
	return array_room(&gather->steps, gather->step_count, &gather->step_room) ? GATHER_OK : GATHER_ENOMEM;
}

uint64_t gather_known(const struct record *record, size_t steps, bool whole, uint64_t cycles)
{
	if (whole || steps == 0 || record->insns == 0)
		return whole ? cycles : 0;
	size_t insns = record->insns > steps ? record->insns : steps;
	return (uint64_t)((unsigned __int128)cycles * steps / insns);
}

/* The same of the trace at hand. */
static uint64_t known_of(const struct gather *gather, const struct record *record, uint64_t cycles)
{
	return gather_known(record, gather->step_count, gather->walked->error == WALK_OK, cycles);
}

/* Where the program goes on behind it, as far as its code tells. */
static uint64_t next_pc(const struct gather *gather)
{
	if (gather->step_count == 0)
		return UNKNOWN_PC;
	const struct walk_visit *visit = &gather->walked->visits[gather->walked->count - 1];
	const struct walk_block *block = visit->block;
	if (visit->count < block->count || visit->reason == TRACE_TRAP)
		return UNKNOWN_PC;
	if (block->exit == WALK_JUMP || (block->exit == WALK_BRANCH && visit->outcome == 1))
		return block->target;
	return block->exit == WALK_BRANCH ? block->next : UNKNOWN_PC;
}

/* The same; of a trace that stopped inside of a block the instruction that did not run any more. */
static uint64_t stopped_at(const struct gather *gather)
{
	if (gather->step_count == 0)
		return UNKNOWN_PC;
	const struct walk_visit *visit = &gather->walked->visits[gather->walked->count - 1];
	uint64_t starts = visit->block->starts;
	if (visit->count >= visit->block->count)
		return next_pc(gather);
	for (uint32_t i = 0; i < visit->count; i++)
		starts &= starts - 1;
	return starts == 0 ? UNKNOWN_PC : visit->block->start + 2 * (uint32_t)__builtin_ctzll(starts);
}

/* ---- adding ---- */

/* *sum += a * b; false: overflow. */
static bool add_gathered(uint64_t *sum, uint64_t a, uint64_t b)
{
	uint64_t product;
	return !__builtin_mul_overflow(a, b, &product) && !__builtin_add_overflow(*sum, product, sum);
}

/* Direct calls are edges at once; the target of an indirect one is where the next step begins. */
static int visit_calls(struct gather *gather, uint32_t index, uint64_t times)
{
	const struct walk_visit *visit = &gather->walked->visits[index];
	const struct walk_block *block = visit->block;
	if (block->link == 0 || visit->count < block->count)
		return GATHER_OK;
	if (block->exit == WALK_JUMP)
		return gather_add_call(gather, block->last, block->target, times);
	if (index + 1 < gather->walked->count)
		return gather_add_call(gather, block->last, visit[1].block->start, times);
	gather->waiting = true;
	gather->waiting_site = block->last;
	return GATHER_OK;
}

static int show_visit(struct gather *gather, uint32_t node, const struct walk_visit *walked, uint64_t times,
    const struct split_part *parts, uint64_t cycles)
{
	size_t count;
	const struct gather_visit visit = {.nodes = stack_nodes(gather->stack, &count),
	    .node = node,
	    .process = gather->process,
	    .time = gather->time,
	    .insns = times * walked->count,
	    .cycles = cycles,
	    .block = walked->block,
	    .count = walked->count,
	    .parts = parts,
	    .outcome = walked->outcome,
	    .apart = gather->apart};
	gather->apart = false;
	return gather->watcher(gather->watcher_context, &visit) == 0 ? GATHER_OK : GATHER_ENOMEM;
}

static int add_visit(struct gather *gather, uint32_t index, uint32_t node, const struct split_part *share,
    uint64_t times, uint64_t *spent)
{
	const struct walk_visit *visit = &gather->walked->visits[index];
	struct unit *unit;
	if (gather_unit(gather, visit, node, &unit) != GATHER_OK)
		return GATHER_ENOMEM;
	unit->visits += times;
	if (visit->outcome >= 0)
		*(visit->outcome == 1 ? &unit->taken : &unit->not_taken) += times;
	if (gather->replay.writing)
		gather_replay_unit(gather, (uint32_t)(unit - gather->units), visit->outcome, times);
	for (uint32_t k = 0; k < unit->count; k++) {
		unit->cycles[k] += share[k].cycles;
		*spent += share[k].cycles;
	}
	return GATHER_OK;
}

/* Takes the trace at hand `times` times: contexts, counts, cycles. times 0: contexts only. */
static int take_visits(struct gather *gather, uint64_t times, uint64_t cycles)
{
	struct gather_result *result = &gather->result;
	const struct split_part *share = gather->steps;
	if (weigh_step(gather) != GATHER_OK)
		return GATHER_ENOMEM;
	/* of a profile's entry it is not known what was before: as in an account */
	if (gather->entries && !split_fits(gather->steps, sizeof *gather->steps, gather->step_count, times, cycles))
		split_begin(&gather->steps[0], trace_costs_block(&gather->costs, gather->walked->visits[0].block));
	uint64_t shared = 0;
	if (times > 0 && !gather->untimed)
		shared = split_cycles(gather->steps, sizeof *gather->steps, gather->step_count, times, cycles);
	if (gather->watcher == NULL || gather->watch == GATHER_VISITS) /* else it is known of each time alone */
		result->shared += shared;
	for (uint32_t i = 0; i < gather->walked->count; i++) {
		const struct walk_visit *visit = &gather->walked->visits[i];
		uint64_t spent = 0;
		uint32_t node;
		int error = stack_visit(gather->stack, visit, &node) == STACK_OK ? GATHER_OK : GATHER_ENOMEM;
		if (gather->replay.writing)
			gather_replay_entered(gather, times);
		if (error == GATHER_OK && times > 0)
			error = add_visit(gather, i, node, share, times, &spent);
		if (error == GATHER_OK && gather->watcher != NULL && gather->watch == GATHER_VISITS && times > 0)
			error = show_visit(gather, node, visit, times, share, spent);
		if (error == GATHER_OK && gather->watcher != NULL && times == 0)
			error = gather_add_run(gather, node, share, visit->count);
		if (error == GATHER_OK)
			error = visit_calls(gather, i, times);
		if (error != GATHER_OK)
			return error;
		share += visit->count;
	}
	return add_gathered(&gather->cycles, cycles, 1) && add_gathered(&gather->count, times, gather->step_count)
		   ? GATHER_OK
		   : GATHER_EOVERFLOW;
}

/* Of a profile's entry nobody knows what came behind it; a call by a register that the code alone tells is known. */
static int count_far_call(struct gather *gather, uint64_t times)
{
	uint64_t target;
	const bool known = gather->waiting && image_far_target(gather->image, gather->waiting_site, &target);
	gather->waiting = false;
	return known ? gather_add_call(gather, gather->waiting_site, target, times) : GATHER_OK;
}

int gather_entry(struct gather *gather, const struct record *entry)
{
	uint64_t cycles = entry->timed == 0 ? 0 : entry->cycles;
	if (entry->timed != 0 && entry->timed != entry->count) {
		unsigned __int128 all =
		    ((unsigned __int128)entry->cycles * entry->count + entry->timed / 2) / entry->timed;
		if (all > UINT64_MAX)
			return GATHER_EOVERFLOW;
		cycles = (uint64_t)all;
	}
	gather->waiting = false;
	gather->entries = true;
	if (gather_walk(gather, entry) != GATHER_OK)
		return GATHER_ENOMEM;
	struct gather_result *result = &gather->result;
	uint64_t known = known_of(gather, entry, cycles);
	result->traces += entry->count;
	result->lost_cycles += cycles - known;
	if (gather->step_count == 0) {
		result->unfit += entry->count;
		result->unfit_insns += entry->insns * entry->count;
		return GATHER_OK;
	}
	result->cut += gather->walked->error != WALK_OK ? entry->count : 0;
	if (stack_begin(gather->stack, entry->start, STACK_UNRELATED, entry->count) != STACK_OK)
		return GATHER_ENOMEM;
	gather->core_state = CORE_START; /* where most traces begin */
	gather->core_known = true;
	const int error = take_visits(gather, entry->count, known);
	return error == GATHER_OK ? count_far_call(gather, entry->count) : error;
}

/* Its repetitions, one after the other until they change nothing any more, then the rest at once. */
static int take_repetitions(struct gather *gather, const struct record *record, enum stack_continuity continuity,
    uint64_t times, uint64_t cycles)
{
	uint32_t before = STEP_NONE, behind = STEP_NONE;
	unsigned core_before = CORE_STATES, core_behind = CORE_STATES;
	uint64_t least = 0, room = 0;
	bool visits = gather->watcher != NULL && gather->watch == GATHER_VISITS; /* each is shown */
	for (uint64_t i = 0, n = 1; i < record->count; i += n) {
		uint64_t left = record->count - i;
		n = !visits && i >= 2 && before == behind && core_before == core_behind ? left : 1;
		uint64_t mine = n == left ? cycles : cycles / left;
		cycles -= mine;
		if (gather->waiting && continuity == STACK_FOLLOWS &&
		    gather_add_call(gather, gather->waiting_site, record->start, times * n) != GATHER_OK)
			return GATHER_ENOMEM;
		gather->waiting = false;
		if (stack_begin(gather->stack, record->start, continuity, times * n) != STACK_OK)
			return GATHER_ENOMEM;
		if (continuity != STACK_FOLLOWS)
			gather->core_known = false;
		if (!gather->core_known)
			gather->core_state = CORE_START;
		gather->least = gather->room = 0;
		int error = take_visits(gather, times * n, mine);
		least += gather->least * n;
		room += gather->room * n;
		if (error == GATHER_OK && times == 0 && gather->watcher != NULL)
			error = gather_repeat_runs(gather, n);
		if (error != GATHER_OK)
			return error;
		continuity = STACK_FOLLOWS;
		before = behind;
		core_before = core_behind;
		core_behind = core_state_number(&gather->core_state);
		if (left > 2 && stack_save(gather->stack, &behind) != STACK_OK)
			return GATHER_ENOMEM;
	}
	gather->least = least;
	gather->room = room;
	return GATHER_OK;
}

/* The instruction at pc always traps: ECALL, EBREAK, an illegal one. Its length; 0: it does not. */
static uint32_t trap_length(const struct gather *gather, uint64_t pc)
{
	struct isa_insn insn;
	if ((pc & 1) != 0 || !image_insn(gather->image, pc, 0, &insn) || (insn.class_bits & ISA_TRAPS) == 0)
		return 0;
	return image_serves(gather->image, &insn, pc) ? 0 : insn.length;
}

/* Where the program goes on behind the last record; UNKNOWN_PC: nobody says. Of a return the frames say it. */
static uint64_t goes_on_at(const struct gather *gather, uint64_t start)
{
	bool again;
	if (gather->next != UNKNOWN_PC)
		return gather->next;
	uint64_t back = stack_return(gather->stack, start, &again);
	if (again && back != STACK_NOWHERE) { /* an ECALL is not executed again */
		const uint32_t length = trap_length(gather, back);
		/* four bytes are passed of a word whose length nobody knows, as 0xFFFFFFFF */
		back += length > 0 && start - back == 4 ? 4 : length;
	}
	return back;
}

/* The instruction where the program goes on always traps. At the beginning of a trace no record has it: the next one is
 * that of the handler. Left out, the program goes on at it or behind it, where the same may come again. True: so it is,
 * and nothing is missing between the two records. */
static bool trapped_between(struct gather *gather, const struct record *record, uint64_t times, int *error)
{
	const uint64_t pc = goes_on_at(gather, record->start);
	const bool inside = ((gather->mode - gather->modes) & HANDLERS) != 0;
	uint64_t behind = pc;
	for (unsigned i = 0; i < TRAPS_BETWEEN && behind != record->start && !(inside && behind != pc); i++)
		behind += trap_length(gather, behind);
	if (behind == pc || (!inside && behind != record->start))
		return false;
	int moved = inside ? stack_trap(gather->stack, pc, times) : stack_arrive(gather->stack, pc, times);
	*error = moved == STACK_OK ? GATHER_OK : GATHER_ENOMEM;
	return true;
}

int gather_take(struct gather *gather, const struct record_key *key, enum stack_continuity continuity, uint64_t times,
    uint64_t cycles)
{
	struct gather_result *result = &gather->result;
	const struct record *record = &key->record;
	gather->mode = &gather->modes[key->mode];
	int error = gather_walk(gather, record);
	if (error != GATHER_OK)
		return error;
	uint64_t known = known_of(gather, record, cycles);
	bool cut = gather->step_count > 0 && gather->walked->error != WALK_OK;
	result->traces += record->count * times;
	result->lost_cycles += cycles - known;
	result->unfit += gather->step_count == 0 ? record->count * times : 0;
	result->unfit_insns += gather->step_count == 0 ? record->insns * record->count * times : 0;
	result->cut += cut ? record->count * times : 0;
	result->ordered |= continuity == STACK_FOLLOWS;
	const bool between = continuity == STACK_FOLLOWS && trapped_between(gather, record, times, &error);
	if (continuity == STACK_FOLLOWS && gather->next != UNKNOWN_PC && gather->next != record->start && !between) {
		result->breaks += times;
		gather->broken = true;
	}
	if (error != GATHER_OK)
		return error;
	bool broken = gather->broken && continuity == STACK_FOLLOWS;
	gather->apart = gather->apart || broken || continuity == STACK_UNRELATED ||
			(continuity == STACK_RESUMES && gather->stopped != record->start);
	gather->next = next_pc(gather);
	gather->stopped = stopped_at(gather);
	gather->broken = gather->step_count == 0 || cut;
	gather->least = 0;
	gather->room = UINT64_MAX;
	if (gather->step_count == 0) {
		gather->waiting = gather->core_known = false;
		return gather->watcher != NULL && times == 0 ? gather_add_run(gather, STACK_NOBODY, NULL, 0)
							     : GATHER_OK;
	}
	return take_repetitions(gather, record, broken ? STACK_RESUMES : continuity, times, known);
}
