/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* Targets of indirect jumps: constants, and tables as compilers lay them out. */
#include "host/cfg/private.h"
#include "host/base/order.h"

#include <stdlib.h>
#include "isa/isa.h"

static bool read_entry(const struct cfg_map *map, uint64_t address, const struct value *value, uint64_t *entry)
{
	size_t available;
	const uint8_t *b = image_data(map->image, address, &available);
	if (b == NULL || available < value->bytes)
		return false;
	uint64_t word = b[0];
	for (unsigned i = 1; i < value->bytes; i++)
		word |= (uint64_t)b[i] << 8 * i;
	if (value->sign && value->bytes < 8 && (word >> (8 * value->bytes - 1) & 1) != 0)
		word |= ~UINT64_C(0) << 8 * value->bytes;
	*entry = (word + value->c) & map->ones & ~UINT64_C(1);
	return true;
}

/* Whether a table of this function can lead there. */
static bool table_may_lead(const struct cfg_map *map, const struct maker *maker, uint64_t target)
{
	struct isa_insn insn;
	size_t slot = map_slot(map, target);
	uint64_t start = 0;
	if (slot == SIZE_MAX || !map_decode(map, target, &insn) || insn.op == ISA_ILLEGAL)
		return false;
	if (maker->end == 0 || (target >= maker->start && target < maker->end))
		return true;
	/* elsewhere: another function's entry, or the function's cold part */
	return (map->flags[slot] & AT_ENTRY) != 0 ||
	       (image_function(map->image, target, &start) != NULL && map_slot(map, start) != SIZE_MAX &&
		   (map->flags[map_slot(map, start)] & AT_COLD) != 0);
}

/* Without a bounds check the table ends where its object does, if there is a symbol for it. */
static uint32_t object_entries(const struct cfg_map *map, uint64_t table, unsigned step)
{
	struct image_label label;
	for (size_t i = 0; image_label(map->image, i, &label) && label.address <= table; i++) {
		if (!label.code && label.size > 0 && table - label.address < label.size)
			return (uint32_t)((label.size - (table - label.address)) / step);
	}
	return 0;
}

/* A guessed table ends where another begins. */
static bool starts_table(const struct cfg_map *map, uint64_t address)
{
	for (size_t i = 0; i < map->jump_count; i++) {
		if (map->jumps[i].table == address)
			return true;
	}
	return false;
}

static int table_targets_by_address(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;
	return ORDER_UP(*x, *y);
}

static int add_table_target(struct cfg_map *map, uint64_t target)
{
	if (!array_room(&map->targets, map->target_count + 1, &map->target_size))
		return CFG_ENOMEM;
	map->targets[map->target_count++] = target;
	return CFG_OK;
}

/* Sorts the targets since first, drops doubles and gives them to the jump. */
static void take_targets(struct cfg_map *map, struct jump *jump, size_t first)
{
	size_t kept = first;
	qsort(map->targets + first, map->target_count - first, sizeof *map->targets, table_targets_by_address);
	for (size_t i = first; i < map->target_count; i++) {
		if (i == first || map->targets[i] != map->targets[kept - 1])
			map->targets[kept++] = map->targets[i];
	}
	map->target_count = kept;
	jump->first = (uint32_t)first;
	jump->count = (uint32_t)(kept - first);
}

/* Targets of [base + (id << shift)] + c. The index that the code checks is i = id + bias. */
static int read_table(
    struct cfg_map *map, struct jump *jump, const struct value *value, const struct bound *bounds, unsigned bound_count)
{
	const struct maker *maker = &map->makers[jump->function];
	uint64_t table = value->base & map->ones;
	uint32_t entries = 0, step = 1u << value->shift;
	size_t first = map->target_count;
	bool bounded = false, mask = false;
	if (value->id == VALUE_FIXED) { /* one fixed word: a variable, unless it cannot change */
		return CFG_OK;
	}
	for (unsigned i = bound_count; i-- > 0 && !bounded;) {
		if (bounds[i].id == value->id && bounds[i].count <= TABLE_ENTRIES_MAX) {
			entries = bounds[i].count;
			table = (table - (bounds[i].bias << value->shift)) & map->ones;
			bounded = true;
			mask = bounds[i].mask;
		}
	}
	if (value->shift > 3 || step < value->bytes || (!bounded && value->shift == 0))
		return CFG_OK;
	if (!bounded) {
		entries = object_entries(map, table, step);
		bounded = entries > 0;
	}
	uint32_t count = 0;
	for (; count < (entries > 0 ? entries : TABLE_ENTRIES_MAX); count++) {
		uint64_t target;
		uint64_t at = (table + ((uint64_t)count << value->shift)) & map->ones;
		if (!bounded && count > 0 && starts_table(map, at))
			break;
		if (!read_entry(map, at, value, &target) || !table_may_lead(map, maker, target))
			break;
		if (add_table_target(map, target) != CFG_OK)
			return CFG_ENOMEM;
	}
	bounded = bounded && !(mask && count < entries);
	if (count == 0 || (bounded && count < entries)) { /* no table, or not of jump targets */
		map->target_count = first;
		return CFG_OK;
	}
	take_targets(map, jump, first);
	jump->table = table;
	jump->entries = count;
	jump->bounded = bounded;
	return CFG_OK;
}

static int resolve_table(struct cfg_map *map, struct jump *jump, const struct values *values, uint32_t block)
{
	struct registers registers;
	struct bound bounds[BOUNDS_MAX];
	unsigned bound_count;
	struct isa_insn insn;
	int error = CFG_OK;
	if (!map_decode(map, jump->site, &insn) || insn.op != ISA_JALR)
		return CFG_OK;
	values_before(values, block, &registers, bounds, &bound_count);
	struct value target = registers.r[insn.rs1];
	const struct value *stack = &registers.r[2];
	jump->tail = !jump->call && stack->kind == VALUE_STACK && stack->c == 0;
	if (target.kind == VALUE_CONST) {
		uint64_t address = (target.c + (uint64_t)(int64_t)insn.imm) & map->ones & ~UINT64_C(1);
		size_t first = map->target_count;
		if (!table_may_lead(map, &map->makers[jump->function], address) && !jump->call)
			return CFG_OK;
		error = add_table_target(map, address);
		if (error == CFG_OK)
			take_targets(map, jump, first);
		jump->bounded = true;
	} else if (target.kind == VALUE_LOADED && !jump->call) {
		target.c += (uint64_t)(int64_t)insn.imm;
		error = read_table(map, jump, &target, bounds, bound_count);
	}
	return error;
}

static int follow_table_target(struct cfg_map *map, uint32_t function, uint64_t target)
{
	if (!array_room(&map->work, map->work_count + 1, &map->work_size))
		return CFG_ENOMEM;
	/* to another function's entry it is a tail call, and this one may return when that one does */
	if (map_is_entry(map, target) && target != map->makers[function].start)
		target = 0;
	map->work[map->work_count].function = function;
	map->work[map->work_count++].address = target;
	return CFG_OK;
}

int cfg_resolve(struct cfg_map *map, uint32_t function)
{
	struct graph graph = {0};
	struct values *values = NULL;
	uint32_t entry = CFG_NONE;
	int error = cfg_blocks(map, function, &graph);
	for (size_t i = 0; i < graph.block_count; i++) {
		if (graph.blocks[i].start == map->makers[function].start)
			entry = (uint32_t)i;
	}
	if (error == CFG_OK)
		error = values_make(&values, map, &graph, entry);
	for (uint32_t i = 0; i < graph.block_count && error == CFG_OK; i++) {
		struct jump *jump = map_jump(map, graph.blocks[i].last);
		if (jump == NULL || jump->function != function || jump->count > 0)
			continue;
		error = resolve_table(map, jump, values, i);
		for (uint32_t k = 0; k < jump->count && error == CFG_OK; k++)
			error = jump->call ? cfg_add_function(map, map->targets[jump->first + k], CFG_CALLED)
					   : follow_table_target(map, function, map->targets[jump->first + k]);
	}
	values_free(values);
	free(graph.blocks);
	free(graph.edges);
	return error;
}
