/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* Blocks and edges of a function, from the leaders that discovery found. */
#include "host/cfg/private.h"
#include "host/base/order.h"

#include <stdlib.h>
#include "isa/isa.h"

static int leaders_by_address(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;
	return ORDER_UP(*x, *y);
}

static uint32_t leader_at(const struct maker *maker, uint64_t address)
{
	const uint64_t *found =
	    bsearch(&address, maker->leaders, maker->leader_count, sizeof *maker->leaders, leaders_by_address);
	return found == NULL ? CFG_NONE : (uint32_t)(found - maker->leaders);
}

static int add_block_edge(struct graph *graph, uint32_t to, uint64_t target, unsigned kind)
{
	struct cfg_block *block = &graph->blocks[graph->block_count - 1];
	/* a branch to the next instruction has one way to go */
	if (block->edge_count > 0 && kind == CFG_TAKEN && graph->edges[graph->edge_count - 1].to == to &&
	    to != CFG_NONE)
		return CFG_OK;
	if (!array_room(&graph->edges, graph->edge_count + 1, &graph->edge_size))
		return CFG_ENOMEM;
	graph->edges[graph->edge_count++] = (struct cfg_edge){.to = to, .target = target, .kind = (uint8_t)kind};
	block->edge_count++;
	return CFG_OK;
}

/* A transfer to an address: within the function, to another one, or to nothing known. */
static int link_transfer(const struct cfg_map *map, uint32_t function, struct graph *graph, size_t first_block,
    uint64_t target, unsigned kind)
{
	const struct maker *maker = &map->makers[function];
	if (target != maker->start && map_is_entry(map, target))
		return add_block_edge(graph, CFG_NONE, target, CFG_TAIL);
	uint32_t leader = leader_at(maker, target);
	if (leader == CFG_NONE)
		return add_block_edge(graph, CFG_NONE, target, CFG_OUTSIDE);
	return add_block_edge(graph, (uint32_t)first_block + leader, target, kind);
}

static int link_jump(
    struct cfg_map *map, uint32_t function, struct graph *graph, size_t first_block, const struct jump *jump)
{
	int error = CFG_OK;
	if (jump == NULL || (jump->count == 0 && !jump->tail))
		return add_block_edge(graph, CFG_NONE, 0, CFG_UNRESOLVED);
	if (jump->count == 0)
		return add_block_edge(graph, CFG_NONE, 0, CFG_TAIL_INDIRECT);
	for (uint32_t i = 0; i < jump->count && error == CFG_OK; i++)
		error = link_transfer(map, function, graph, first_block, map->targets[jump->first + i], CFG_TABLE);
	return error;
}

static int link_after_call(
    struct cfg_map *map, uint32_t function, struct graph *graph, size_t first_block, uint64_t callee, uint64_t next)
{
	struct cfg_block *block = &graph->blocks[graph->block_count - 1];
	block->call = callee == 0 ? CFG_CALL_INDIRECT : CFG_CALL;
	block->callee = callee == 0 ? CFG_NONE : map_function(map, callee);
	if (block->callee != CFG_NONE && !map->makers[block->callee].returns)
		return add_block_edge(graph, CFG_NONE, next, CFG_NO_RETURN);
	return link_transfer(map, function, graph, first_block, next, CFG_AFTER_CALL);
}

/* The edges of the last block, which ends with insn at its last address. */
static int add_block_edges(
    struct cfg_map *map, uint32_t function, struct graph *graph, size_t first_block, const struct isa_insn *insn)
{
	uint64_t last = graph->blocks[graph->block_count - 1].last, next = last + insn->length, target;
	unsigned bits = insn->class_bits;
	if (map_stops(map, last, insn))
		return add_block_edge(graph, CFG_NONE, 0, CFG_STOP);
	if ((bits & ISA_BRANCH) != 0) {
		int error = link_transfer(map, function, graph, first_block, next, CFG_FALL);
		target = isa_target(insn, last);
		return error != CFG_OK || target == next
			   ? error
			   : link_transfer(map, function, graph, first_block, target, CFG_TAKEN);
	}
	if ((bits & ISA_JUMP) != 0) {
		target = isa_target(insn, last);
		return (bits & ISA_CALL) != 0 ? link_after_call(map, function, graph, first_block, target, next)
					      : link_transfer(map, function, graph, first_block, target, CFG_JUMP);
	}
	if ((bits & ISA_INDIRECT) != 0) {
		if ((bits & ISA_RETURN) != 0)
			return add_block_edge(graph, CFG_NONE, 0, CFG_RETURN);
		bool far = map_far_target(map, last, insn, &target);
		const struct jump *jump = map_jump(map, last);
		if ((bits & ISA_CALL) != 0) {
			if (!far)
				target = jump != NULL && jump->count == 1 ? map->targets[jump->first] : 0;
			return link_after_call(map, function, graph, first_block, target, next);
		}
		return far ? link_transfer(map, function, graph, first_block, target, CFG_JUMP)
			   : link_jump(map, function, graph, first_block, jump);
	}
	if ((bits & ISA_RET) != 0)
		return add_block_edge(graph, CFG_NONE, 0, CFG_XRET);
	return link_transfer(map, function, graph, first_block, next, CFG_FALL);
}

int cfg_blocks(struct cfg_map *map, uint32_t function, struct graph *graph)
{
	struct maker *maker = &map->makers[function];
	size_t first_block = graph->block_count;
	if (maker->leader_count > 0) /* a function without an instruction has none */
		qsort(maker->leaders, maker->leader_count, sizeof *maker->leaders, leaders_by_address);
	for (size_t i = 0; i < maker->leader_count; i++) {
		uint64_t address = maker->leaders[i];
		struct isa_insn insn;
		if (!array_room(&graph->blocks, graph->block_count + 1, &graph->block_size))
			return CFG_ENOMEM;
		struct cfg_block *block = &graph->blocks[graph->block_count++];
		*block = (struct cfg_block){.start = address,
		    .end = address,
		    .last = address,
		    .function = function,
		    .edges = (uint32_t)graph->edge_count,
		    .callee = CFG_NONE,
		    .loop = CFG_NONE,
		    .dominator = CFG_NONE,
		    .root = address == maker->start || (map->flags[map_slot(map, address)] & AT_ROOT) != 0};
		bool inside = true;
		while (inside && map_decode(map, block->end, &insn)) {
			block->last = block->end;
			block->end += insn.length;
			block->insns++;
			size_t slot = map_slot(map, block->end);
			inside = (insn.class_bits & (ISA_BRANCH | ISA_JUMP | ISA_INDIRECT | ISA_RET)) == 0 &&
				 !map_stops(map, block->last, &insn) && slot != SIZE_MAX &&
				 map->owner[slot] == function + 1 && (map->flags[slot] & (AT_LEADER | AT_ENTRY)) == 0;
		}
		int error = block->insns == 0 ? add_block_edge(graph, CFG_NONE, 0, CFG_OUTSIDE)
					      : add_block_edges(map, function, graph, first_block, &insn);
		if (error != CFG_OK)
			return error;
	}
	return CFG_OK;
}
