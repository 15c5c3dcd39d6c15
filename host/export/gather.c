/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#include "common/rivulet_regs.h"
#include "host/export/gather_private.h"

#include <stdlib.h>
#include <string.h>
#include "host/export/spots.h"
#include "model/trace.h"

#define UNKNOWN_PC 1u

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
	gather->config = *config;
	gather->unit_size = gather->call_size = 1024;
	gather->move_room = gather->step_room = 256;
	gather->units = calloc(gather->unit_size, sizeof *gather->units);
	gather->calls = calloc(gather->call_size, sizeof *gather->calls);
	gather->moves = calloc(gather->move_room, sizeof *gather->moves);
	gather->steps = calloc(gather->step_room, sizeof *gather->steps);
	if (gather->units == NULL || gather->calls == NULL || gather->moves == NULL || gather->steps == NULL ||
	    gather_ctrl(gather, config->ctrl) != GATHER_OK || stack_open(&gather->stack, image) != STACK_OK) {
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
	for (size_t i = 0; gather->units != NULL && i < gather->unit_size; i++)
		free(gather->units[i].cycles);
	free(gather->units);
	free(gather->calls);
	free(gather->moves);
	free(gather->steps);
	while (gather->costs != NULL) {
		struct costs *next = gather->costs->next;
		free(gather->costs);
		gather->costs = next;
	}
	free(gather->nodes);
	free(gather->result.cells);
	free(gather->result.code);
	free(gather->result.calls);
	stack_close(gather->stack);
	for (size_t i = 0; i < 4; i++) {
		walk_close(gather->walks[i]);
		if (gather->paths[i].entries != NULL)
			profile_fini(&gather->paths[i]);
	}
	free(gather);
}

int gather_ctrl(struct gather *gather, uint32_t ctrl)
{
	struct walk **walk =
	    &gather->walks[(ctrl & RV_CTRL_NO_BACKWARD_MASK ? 1 : 0) | (ctrl & RV_CTRL_NO_INDIRECT_MASK ? 2 : 0)];
	struct walk_config config = gather->config;
	config.ctrl = ctrl;
	if (*walk == NULL && walk_open(walk, gather->image, &config) != WALK_OK)
		return GATHER_ENOMEM;
	gather->walk = *walk;
	return GATHER_OK;
}

void gather_watch(struct gather *gather, gather_watcher *watcher, void *context)
{
	gather->watcher = watcher;
	gather->watcher_context = context;
}

void gather_process(struct gather *gather, uint32_t process)
{
	gather->process = process;
}

/* ---- tables ---- */

static size_t mix(uint64_t x, size_t size)
{
	x *= UINT64_C(0x9E3779B97F4A7C15);
	return (size_t)((x ^ (x >> 32)) >> 8) & (size - 1);
}

static size_t unit_slot(const struct unit *units, size_t size, const struct unit *key)
{
	size_t slot = mix((uint64_t)key->node << 40 ^ (uint64_t)key->block->start << 8 ^ key->count, size);
	while (units[slot].cycles != NULL &&
	       (units[slot].block != key->block || units[slot].node != key->node || units[slot].count != key->count))
		slot = (slot + 1) & (size - 1);
	return slot;
}

static int grow_units(struct gather *gather)
{
	size_t size = 2 * gather->unit_size;
	struct unit *grown = calloc(size, sizeof *grown);
	if (grown == NULL)
		return GATHER_ENOMEM;
	for (size_t i = 0; i < gather->unit_size; i++) {
		if (gather->units[i].cycles != NULL)
			grown[unit_slot(grown, size, &gather->units[i])] = gather->units[i];
	}
	free(gather->units);
	gather->units = grown;
	gather->unit_size = size;
	return GATHER_OK;
}

/* The caller has made room, so that it stays where it is. */
static int find_unit(struct gather *gather, const struct walk_visit *visit, uint32_t node, struct unit **found)
{
	const struct unit key = {.block = visit->block, .node = node, .count = visit->count};
	size_t slot = unit_slot(gather->units, gather->unit_size, &key);
	if (gather->units[slot].cycles == NULL) {
		gather->units[slot] = key;
		gather->units[slot].cycles = calloc(2 * (size_t)visit->count, sizeof(uint64_t));
		if (gather->units[slot].cycles == NULL)
			return GATHER_ENOMEM;
		gather->unit_count++;
	}
	*found = &gather->units[slot];
	return GATHER_OK;
}

static size_t call_slot(const struct gather_call *calls, size_t size, uint64_t site, uint64_t target)
{
	size_t slot = mix(site << 32 ^ site >> 32 ^ target, size);
	while (calls[slot].count != 0 && (calls[slot].site != site || calls[slot].target != target))
		slot = (slot + 1) & (size - 1);
	return slot;
}

static int add_call(struct gather *gather, uint64_t site, uint64_t target, uint64_t times)
{
	if (times == 0)
		return GATHER_OK;
	size_t slot = call_slot(gather->calls, gather->call_size, site, target);
	if (gather->calls[slot].count == 0 && 2 * (gather->call_count + 1) > gather->call_size) {
		size_t size = 2 * gather->call_size;
		struct gather_call *grown = calloc(size, sizeof *grown);
		if (grown == NULL)
			return GATHER_ENOMEM;
		for (size_t i = 0; i < gather->call_size; i++) {
			const struct gather_call *old = &gather->calls[i];
			if (old->count != 0)
				grown[call_slot(grown, size, old->site, old->target)] = *old;
		}
		free(gather->calls);
		gather->calls = grown;
		gather->call_size = size;
		slot = call_slot(grown, size, site, target);
	}
	struct gather_call *call = &gather->calls[slot];
	if (call->count == 0) {
		*call = (struct gather_call){.site = site, .target = target};
		gather->call_count++;
	}
	return __builtin_add_overflow(call->count, times, &call->count) ? GATHER_EOVERFLOW : GATHER_OK;
}

/* ---- adding ---- */

static const struct cost *find_costs(struct gather *gather, struct walk_block *block)
{
	struct costs *costs = block->user;
	if (costs != NULL)
		return costs->all;
	costs = malloc(sizeof *costs + block->count * sizeof *costs->all);
	if (costs == NULL)
		return NULL;
	uint64_t starts = block->starts;
	for (uint32_t k = 0; k < block->count; k++, starts &= starts - 1) {
		struct isa_insn insn;
		uint64_t pc = block->start + 2 * (uint32_t)__builtin_ctzll(starts);
		if (!image_insn(gather->image, pc, 0, &insn))
			insn = (struct isa_insn){0};
		account_cost(&insn, pc, &costs->all[k]);
	}
	costs->next = gather->costs;
	gather->costs = block->user = costs;
	return costs->all;
}

static int keep_move(void *context, const struct walk_visit *visit)
{
	struct gather *gather = context;
	if (gather->move_count == gather->move_room) {
		struct move *grown = realloc(gather->moves, 2 * gather->move_room * sizeof *grown);
		if (grown == NULL)
			return 1;
		gather->moves = grown;
		gather->move_room *= 2;
	}
	const struct cost *costs = find_costs(gather, visit->block);
	gather->moves[gather->move_count++] = (struct move){*visit, costs};
	gather->step_count += visit->count;
	return costs == NULL;
}

static void weigh(struct gather *gather)
{
	struct weigher weigher = WEIGHER_START;
	size_t at = 0;
	for (size_t i = 0; i < gather->move_count; i++) {
		const struct walk_visit *visit = &gather->moves[i].visit;
		for (uint32_t k = 0; k < visit->count; k++) {
			bool goes = k + 1 < visit->count || visit->outcome != 0;
			gather->steps[at++].weight = account_weigh(&weigher, &gather->moves[i].costs[k], goes);
		}
	}
}

/* In proportion to the weights, without loss: host/account/account.h. */
static void share_out(struct gather *gather, uint64_t cycles)
{
	uint64_t total = 0, passed = 0, given = 0;
	for (size_t i = 0; i < gather->step_count; i++)
		total += gather->steps[i].weight;
	for (size_t i = 0; i < gather->step_count; i++) {
		passed += gather->steps[i].weight;
		uint64_t upto = (uint64_t)((unsigned __int128)cycles * passed / total);
		gather->steps[i].cycles = upto - given;
		given = upto;
	}
}

/* *sum += a * b; false: overflow. */
static bool add(uint64_t *sum, uint64_t a, uint64_t b)
{
	uint64_t product;
	return !__builtin_mul_overflow(a, b, &product) && !__builtin_add_overflow(*sum, product, sum);
}

/* Direct calls are edges at once; the target of an indirect one is where the next step begins. */
static int move_calls(struct gather *gather, size_t index, uint64_t times)
{
	const struct walk_visit *visit = &gather->moves[index].visit;
	const struct walk_block *block = visit->block;
	if (block->link == 0 || visit->count < block->count)
		return GATHER_OK;
	if (block->exit == WALK_JUMP)
		return add_call(gather, block->last, block->target, times);
	if (index + 1 < gather->move_count)
		return add_call(gather, block->last, gather->moves[index + 1].visit.block->start, times);
	gather->waiting = true;
	gather->waiting_site = block->last;
	return GATHER_OK;
}

static int show_visit(struct gather *gather, uint32_t node, uint64_t insns, uint64_t cycles)
{
	size_t count;
	const struct gather_visit visit = {.nodes = stack_nodes(gather->stack, &count),
	    .node = node,
	    .process = gather->process,
	    .insns = insns,
	    .cycles = cycles};
	return gather->watcher(gather->watcher_context, &visit);
}

/* Takes the moves `times` times: contexts, counts, cycles. */
static int take_moves(struct gather *gather, uint64_t times, uint64_t cycles)
{
	struct gather_result *result = &gather->result;
	const struct step *share = gather->steps;
	while (2 * (gather->unit_count + gather->move_count) > gather->unit_size) {
		if (grow_units(gather) != GATHER_OK)
			return GATHER_ENOMEM;
	}
	share_out(gather, cycles);
	for (size_t i = 0; i < gather->move_count; i++) {
		const struct walk_visit *visit = &gather->moves[i].visit;
		struct unit *unit;
		uint32_t node;
		if (stack_visit(gather->stack, visit, &node) != STACK_OK ||
		    find_unit(gather, visit, node, &unit) != GATHER_OK)
			return GATHER_ENOMEM;
		unit->visits += times;
		if (visit->outcome >= 0)
			*(visit->outcome == 1 ? &unit->taken : &unit->not_taken) += times;
		uint64_t spent = 0;
		for (uint32_t k = 0; k < unit->count; k++, share++) {
			unit->cycles[k] += share->cycles;
			if (gather->cut_off)
				unit->cycles[unit->count + k] += share->cycles;
			spent += share->cycles;
		}
		if (gather->watcher != NULL && show_visit(gather, node, times * unit->count, spent) != 0)
			return GATHER_ENOMEM;
		int error = move_calls(gather, i, times);
		if (error != GATHER_OK)
			return error;
	}
	return add(&result->cycles, cycles, 1) && add(&result->count, times, gather->step_count) ? GATHER_OK
												 : GATHER_EOVERFLOW;
}

/* Where the program goes on behind the moves, as far as its code tells. */
static uint64_t next_pc(const struct gather *gather)
{
	if (gather->move_count == 0)
		return UNKNOWN_PC;
	const struct walk_visit *visit = &gather->moves[gather->move_count - 1].visit;
	const struct walk_block *block = visit->block;
	if (visit->count < block->count || visit->reason == TRACE_TRAP)
		return UNKNOWN_PC;
	if (block->exit == WALK_JUMP || (block->exit == WALK_BRANCH && visit->outcome == 1))
		return block->target;
	return block->exit == WALK_BRANCH ? block->next : UNKNOWN_PC;
}

/* Walks the record into moves and steps. *known: what of its cycles belongs to them; GATHER_OK, GATHER_ENOMEM. No
 * moves: nothing of it is known. */
static int walk_moves(struct gather *gather, const struct record *record, uint64_t cycles, uint64_t *known)
{
	struct gather_result *result = &gather->result;
	gather->move_count = gather->step_count = 0;
	int error = walk_record(gather->walk, record, keep_move, gather, NULL);
	if (error == WALK_ENOMEM || error == WALK_ESTOPPED)
		return GATHER_ENOMEM;
	bool part = (error == WALK_UNKNOWN_END || error == WALK_ETARGET) && gather->step_count > 0;
	result->traces += record->count;
	*known = error == WALK_OK ? cycles : 0;
	if (error != WALK_OK && !part) {
		result->unfit += record->count;
		gather->move_count = gather->step_count = 0;
	} else if (part) {
		size_t insns = record->insns > gather->step_count ? record->insns : gather->step_count;
		result->cut += record->count;
		if (record->insns != 0)
			*known = (uint64_t)((unsigned __int128)cycles * gather->step_count / insns);
	}
	result->lost_cycles += cycles - *known;
	if (gather->step_count > gather->step_room) {
		struct step *grown = realloc(gather->steps, 2 * gather->step_count * sizeof *grown);
		if (grown == NULL)
			return GATHER_ENOMEM;
		gather->steps = grown;
		gather->step_room = 2 * gather->step_count;
	}
	weigh(gather);
	return GATHER_OK;
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
	int error = walk_moves(gather, entry, cycles, &cycles);
	if (error != GATHER_OK || gather->move_count == 0)
		return error;
	if (stack_begin(gather->stack, entry->start, STACK_UNRELATED, entry->count) != STACK_OK)
		return GATHER_ENOMEM;
	return take_moves(gather, entry->count, cycles);
}

static int keep_path(struct gather *gather, const struct record *record)
{
	size_t i = 0;
	while (gather->walks[i] != gather->walk)
		i++;
	if (gather->paths[i].entries == NULL && profile_init(&gather->paths[i]) != PROFILE_OK)
		return GATHER_ENOMEM;
	switch (profile_add(&gather->paths[i], record)) {
	case PROFILE_ENOMEM:
		return GATHER_ENOMEM;
	case PROFILE_EOVERFLOW:
		return GATHER_EOVERFLOW;
	default: /* what no trace unit makes cannot be walked either */
		return GATHER_OK;
	}
}

static int share_path(
    struct gather *gather, const struct record *path, const struct gather_code *code, size_t count, uint64_t *want)
{
	uint64_t cycles;
	int error = walk_moves(gather, path, path->cycles, &cycles);
	if (error != GATHER_OK || gather->move_count == 0)
		return error;
	share_out(gather, cycles);
	const struct step *share = gather->steps;
	for (size_t m = 0; m < gather->move_count; m++) {
		const struct walk_visit *visit = &gather->moves[m].visit;
		uint64_t starts = visit->block->starts;
		for (uint32_t k = 0; k < visit->count; k++, starts &= starts - 1, share++) {
			uint64_t pc = visit->block->start + 2 * (uint64_t)__builtin_ctzll(starts);
			size_t at = gather_index(code, count, pc);
			if (at < count)
				want[at] += share->cycles;
		}
	}
	return GATHER_OK;
}

int gather_share_paths(struct gather *gather, const struct gather_code *code, size_t count, uint64_t *want)
{
	struct gather_result *result = &gather->result;
	const struct gather_result before = *result;
	struct walk *walk = gather->walk;
	uint64_t known = 0, lost = 0;
	int error = GATHER_OK;
	for (size_t i = 0; i < 4 && error == GATHER_OK; i++) {
		const struct record **sorted = NULL;
		if (gather->paths[i].entries == NULL)
			continue;
		if (profile_sort(&gather->paths[i], PROFILE_BY_START, &sorted) != PROFILE_OK)
			error = GATHER_ENOMEM;
		gather->walk = gather->walks[i];
		for (size_t k = 0; k < gather->paths[i].used && error == GATHER_OK; k++) {
			result->lost_cycles = 0;
			error = share_path(gather, sorted[k], code, count, want);
			lost += result->lost_cycles;
			known += sorted[k]->cycles - result->lost_cycles;
		}
		free(sorted);
	}
	gather->walk = walk;
	result->traces = before.traces;
	result->unfit = before.unfit;
	result->cut = before.cut;
	/* those of the records that were cut off stay as they are */
	result->lost_cycles = before.lost_cycles - gather->whole_lost + lost;
	result->cycles = before.cycles - gather->whole_known + known;
	return error;
}

int gather_record(struct gather *gather, const struct record *record, enum stack_continuity continuity)
{
	uint64_t cuts = gather->result.cut, cycles;
	int error = walk_moves(gather, record, record->cycles, &cycles);
	bool cut = gather->result.cut != cuts;
	gather->result.ordered |= continuity == STACK_FOLLOWS;
	gather->cut_off = record_partial(record);
	if (error == GATHER_OK && !gather->cut_off) {
		gather->whole_known += cycles;
		gather->whole_lost += record->cycles - cycles;
		error = keep_path(gather, record);
	}
	if (error != GATHER_OK)
		return error;
	if (continuity == STACK_FOLLOWS && (gather->next & 1) == 0 && gather->next != record->start) {
		gather->result.breaks++;
		gather->broken = true;
	}
	bool broken = gather->broken && continuity == STACK_FOLLOWS;
	gather->next = next_pc(gather);
	gather->broken = gather->move_count == 0 || cut;
	if (gather->move_count == 0) {
		gather->waiting = false;
		return GATHER_OK;
	}
	if (broken)
		continuity = STACK_RESUMES;
	for (uint64_t i = 0; i < record->count && error == GATHER_OK; i++) {
		if (gather->waiting && continuity == STACK_FOLLOWS)
			error = add_call(gather, gather->waiting_site, record->start, 1);
		gather->waiting = false;
		if (error == GATHER_OK && stack_begin(gather->stack, record->start, continuity, 1) != STACK_OK)
			error = GATHER_ENOMEM;
		/* the repetitions' shares of the cycles add up to all of them */
		if (error == GATHER_OK)
			error = take_moves(gather, 1, cycles / record->count + (i < cycles % record->count));
		continuity = STACK_FOLLOWS;
	}
	return error;
}
