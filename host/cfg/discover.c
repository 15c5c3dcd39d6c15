/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/*
 * Which instruction belongs to which function: a work list of (function, address). What follows a call is looked at
 * only when the callee is known to return, so a call of exit() does not run on into whatever lies behind it.
 */
#include "host/cfg/private.h"
#include "host/base/order.h"

#include <stdlib.h>
#include <string.h>
#include "isa/isa.h"

#define RUN_MAX 256 /* instructions */

size_t map_slot(const struct cfg_map *map, uint64_t address)
{
	if ((address & 1) != 0)
		return SIZE_MAX;
	for (size_t i = 0; i < map->range_count; i++) {
		const struct range *r = &map->ranges[i];
		if (address >= r->start && address - r->start < r->size)
			return r->slot + (address - r->start) / 2;
	}
	return SIZE_MAX;
}

bool map_decode(const struct cfg_map *map, uint64_t address, struct isa_insn *insn)
{
	return map_slot(map, address) != SIZE_MAX && image_insn(map->image, address, 0, insn) &&
	       (insn->length == 2 || map_slot(map, address + insn->length - 2) != SIZE_MAX);
}

bool map_is_entry(const struct cfg_map *map, uint64_t address)
{
	size_t slot = map_slot(map, address);
	return slot != SIZE_MAX && (map->flags[slot] & AT_ENTRY) != 0;
}

bool map_stops(const struct cfg_map *map, uint64_t address, const struct isa_insn *insn)
{
	const uint32_t unimp =
	    0xC0001073; /* writes to a read-only CSR: what compilers emit behind what cannot return */
	return insn->op == ISA_ILLEGAL || (insn->length == 4 && insn->word == unimp) ||
	       (insn->op == ISA_EBREAK && !image_semihosting(map->image, address));
}

/* Functions are sorted by address only at the end; until then a search from the owner of the entry's slot. */
uint32_t map_function(const struct cfg_map *map, uint64_t address)
{
	size_t slot = map_slot(map, address);
	if (slot == SIZE_MAX || (map->flags[slot] & AT_ENTRY) == 0 || map->owner[slot] == 0)
		return CFG_NONE;
	return map->owner[slot] - 1;
}

/* Zcmt: the linker's table of jump targets. */
static bool table_jump(const struct cfg_map *map, const struct isa_insn *insn, uint64_t *target)
{
	uint64_t base;
	size_t available, size = insn->xlen / 8;
	if (image_symbol(map->image, "__jvt_base$", &base) != IMAGE_OK)
		return false;
	const uint8_t *entry = image_data(map->image, base + size * (uint64_t)insn->imm, &available);
	if (entry == NULL || available < size)
		return false;
	*target = 0;
	for (size_t i = 0; i < size; i++)
		*target |= (uint64_t)entry[i] << 8 * i;
	*target &= ~UINT64_C(1);
	return true;
}

bool map_far_target(const struct cfg_map *map, uint64_t address, const struct isa_insn *insn, uint64_t *target)
{
	struct isa_insn before;
	if (insn->op == ISA_CM_JT || insn->op == ISA_CM_JALT)
		return table_jump(map, insn, target);
	if (insn->op != ISA_JALR)
		return false;
	size_t slot = map_slot(map, address - 4);
	if (slot == SIZE_MAX || (map->flags[slot] & AT_START) == 0 || insn->rs1 == 0 ||
	    !map_decode(map, address - 4, &before) || before.length != 4 || before.rd != insn->rs1)
		return false;
	if (before.op != ISA_AUIPC && before.op != ISA_LUI)
		return false;
	uint64_t base = before.op == ISA_AUIPC ? address - 4 : 0;
	*target = (base + (uint64_t)(int64_t)before.imm + (uint64_t)(int64_t)insn->imm) & map->ones & ~UINT64_C(1);
	return true;
}

static size_t jump_place(const struct cfg_map *map, uint64_t site)
{
	size_t low;
	ORDER_FIRST(low, 0, map->jump_count, map->jumps[low].site < site);
	return low;
}

struct jump *map_jump(const struct cfg_map *map, uint64_t site)
{
	size_t place = jump_place(map, site);
	return place < map->jump_count && map->jumps[place].site == site ? &map->jumps[place] : NULL;
}

static int add_jump(struct cfg_map *map, uint64_t site, uint32_t function, bool call)
{
	if (map_jump(map, site) != NULL)
		return CFG_OK;
	if (!array_room(&map->jumps, map->jump_count + 1, &map->jump_size))
		return CFG_ENOMEM;
	size_t place = jump_place(map, site);
	memmove(map->jumps + place + 1, map->jumps + place, (map->jump_count++ - place) * sizeof *map->jumps);
	map->jumps[place] = (struct jump){.site = site, .function = function, .call = call};
	return CFG_OK;
}

static int push_address(struct cfg_map *map, uint32_t function, uint64_t address)
{
	if (!array_room(&map->work, map->work_count + 1, &map->work_size))
		return CFG_ENOMEM;
	map->work[map->work_count].function = function;
	map->work[map->work_count++].address = address;
	return CFG_OK;
}

/* Whether the first bytes there can be code at all. */
static bool plausible_code(const struct cfg_map *map, uint64_t address)
{
	struct isa_insn insn;
	return map_decode(map, address, &insn) && insn.op != ISA_ILLEGAL && insn.op != ISA_OTHER;
}

/* Code of two functions begins here: the next pass has it as a function of its own. */
static void split_at(struct cfg_map *map, size_t slot)
{
	map->split = map->split || (map->flags[slot] & AT_SPLIT) == 0;
	map->flags[slot] |= AT_SPLIT;
	map->shared = true;
}

int cfg_add_function(struct cfg_map *map, uint64_t address, uint8_t origin)
{
	size_t slot = map_slot(map, address);
	if (slot == SIZE_MAX || (map->flags[slot] & AT_ENTRY) != 0 || !plausible_code(map, address))
		return CFG_OK;
	if (map->owner[slot] != 0) { /* so far in the middle of another one: the next pass begins with it */
		split_at(map, slot);
		return CFG_OK;
	}
	if (!array_room(&map->makers, map->maker_count + 1, &map->maker_size))
		return CFG_ENOMEM;
	uint32_t function = (uint32_t)map->maker_count++;
	map->makers[function] = (struct maker){.start = address, .origin = origin};
	map->flags[slot] |= AT_ENTRY;
	map->owner[slot] = function + 1;
	return push_address(map, function, address);
}

static int insert_leader(struct cfg_map *map, uint32_t function, uint64_t address, size_t slot)
{
	struct maker *maker = &map->makers[function];
	if ((map->flags[slot] & AT_LEADER) != 0)
		return CFG_OK;
	map->flags[slot] |= AT_LEADER;
	if (!array_room(&maker->leaders, maker->leader_count + 1, &maker->leader_size))
		return CFG_ENOMEM;
	maker->leaders[maker->leader_count++] = address;
	return CFG_OK;
}

static int now_returns(struct cfg_map *map, uint32_t function)
{
	struct maker *maker = &map->makers[function];
	int error = CFG_OK;
	if (maker->returns)
		return CFG_OK;
	maker->returns = true;
	/* those that wait for a function that waits itself are found through the work list: no recursion */
	for (uint32_t w = maker->first_waiter; w != 0 && error == CFG_OK; w = map->next_waiter[w - 1])
		error = push_address(map, map->waiters[w - 1].function, map->waiters[w - 1].address);
	return error;
}

/* `address` of function goes on once callee returns; 0: function returns then. */
static int wait_for_return(struct cfg_map *map, uint32_t callee, uint32_t function, uint64_t address)
{
	if (map->makers[callee].returns)
		return push_address(map, function, address);
	if (!array_room(&map->waiters, map->waiter_count + 1, &map->waiter_size) ||
	    !array_room(&map->next_waiter, map->waiter_count + 1, &map->next_size))
		return CFG_ENOMEM;
	map->waiters[map->waiter_count] = (struct waiter){callee, function, address};
	map->next_waiter[map->waiter_count++] = map->makers[callee].first_waiter;
	map->makers[callee].first_waiter = (uint32_t)map->waiter_count;
	return CFG_OK;
}

/* A transfer of function to address, within it or away from it. */
static int discover_transfer(struct cfg_map *map, uint32_t function, uint64_t address)
{
	size_t slot = map_slot(map, address);
	if (slot == SIZE_MAX)
		return CFG_OK;
	if ((map->flags[slot] & AT_ENTRY) != 0 && map->makers[function].start != address)
		return wait_for_return(map, map->owner[slot] - 1, function, 0);
	return push_address(map, function, address);
}

static int discover_call(struct cfg_map *map, uint32_t function, uint64_t callee, uint64_t back)
{
	int error = cfg_add_function(map, callee, CFG_CALLED);
	if (error != CFG_OK)
		return error;
	uint32_t called = map_function(map, callee);
	/* nothing there, or shared until the next pass: it may return */
	return called == CFG_NONE ? push_address(map, function, back) : wait_for_return(map, called, function, back);
}

/* Straight code from address on. */
static int explore_code(struct cfg_map *map, uint32_t function, uint64_t address)
{
	int error = CFG_OK;
	bool first = true;
	for (;; first = false) {
		struct isa_insn insn;
		size_t slot = map_slot(map, address);
		if (slot == SIZE_MAX)
			return CFG_OK;
		if (!first && (map->flags[slot] & AT_ENTRY) != 0) /* falls into another function, or its own entry */
			return discover_transfer(map, function, address);
		if (map->owner[slot] != 0 && map->owner[slot] != function + 1) {
			split_at(map, slot);
			return CFG_OK;
		}
		bool known = (map->flags[slot] & AT_START) != 0;
		if ((first || known) && (error = insert_leader(map, function, address, slot)) != CFG_OK)
			return error;
		if (known)
			return CFG_OK;
		map->owner[slot] = function + 1;
		map->flags[slot] |= AT_START;
		if (!map_decode(map, address, &insn) || map_stops(map, address, &insn))
			return CFG_OK;
		for (unsigned half = 1; half < insn.length / 2u; half++) { /* no other may have these */
			if (map->owner[slot + half] == 0)
				map->owner[slot + half] = function + 1;
		}
		uint64_t next = address + insn.length;
		unsigned bits = insn.class_bits;
		if ((bits & ISA_BRANCH) != 0) {
			error = discover_transfer(map, function, isa_target(&insn, address));
			return error != CFG_OK ? error : discover_transfer(map, function, next);
		}
		if ((bits & ISA_JUMP) != 0)
			return (bits & ISA_CALL) != 0 ? discover_call(map, function, isa_target(&insn, address), next)
						      : discover_transfer(map, function, isa_target(&insn, address));
		if ((bits & ISA_INDIRECT) != 0) {
			uint64_t target;
			if ((bits & ISA_RETURN) != 0)
				return now_returns(map, function);
			if (map_far_target(map, address, &insn, &target))
				return (bits & ISA_CALL) != 0 ? discover_call(map, function, target, next)
							      : discover_transfer(map, function, target);
			map->makers[function].jumps = true;
			error = add_jump(map, address, function, (bits & ISA_CALL) != 0);
			return error != CFG_OK || (bits & ISA_CALL) == 0 ? error : push_address(map, function, next);
		}
		if ((bits & ISA_RET) != 0)
			return CFG_OK;
		address = next;
	}
}

static int work_off(struct cfg_map *map)
{
	int error = CFG_OK;
	while (map->work_count > 0 && error == CFG_OK) {
		uint32_t function = map->work[--map->work_count].function;
		uint64_t address = map->work[map->work_count].address;
		error = address == 0 ? now_returns(map, function) : explore_code(map, function, address);
	}
	return error;
}

/* Until nothing new comes. A jump that is not resolved is looked at again when its function has grown, since more is
 * known about registers then; in the end it is taken for a way back to the caller. */
static int drain_queue(struct cfg_map *map)
{
	for (;;) {
		int error = work_off(map);
		for (uint32_t i = 0; i < map->maker_count && error == CFG_OK; i++) {
			struct maker *maker = &map->makers[i];
			if (!maker->jumps || maker->tried == maker->leader_count)
				continue;
			maker->tried = maker->leader_count;
			error = cfg_resolve(map, i);
		}
		if (error != CFG_OK)
			return error;
		if (map->work_count > 0)
			continue;
		for (size_t i = 0; i < map->jump_count && error == CFG_OK; i++) {
			const struct jump *jump = &map->jumps[i];
			if (jump->count == 0 && !jump->call && !map->makers[jump->function].returns)
				error = push_address(map, jump->function, 0);
		}
		if (error != CFG_OK || map->work_count == 0)
			return error;
	}
}

/* Symbols that are functions: sized ones, and global or lone labels outside of those. */
static int add_symbols(struct cfg_map *map)
{
	struct image_label label;
	uint64_t covered = 0; /* end of the sized functions so far */
	for (size_t i = 0; image_label(map->image, i, &label); i++) {
		size_t slot = map_slot(map, label.address);
		if (!label.code || slot == SIZE_MAX)
			continue;
		if (strstr(label.name, ".cold") != NULL) {
			map->flags[slot] |= AT_COLD;
			continue;
		}
		if (!label.function && (label.address < covered || !label.global))
			continue;
		if ((map->flags[slot] & AT_ENTRY) == 0 && cfg_add_function(map, label.address, CFG_SYMBOL) != CFG_OK)
			return CFG_ENOMEM;
		uint32_t function = map_function(map, label.address);
		if (function == CFG_NONE)
			continue;
		map->makers[function].name = label.name; /* the last name of an address is the one that is shown */
		if (label.function) {
			map->makers[function].end = label.address + label.size;
			covered = label.address + label.size > covered ? label.address + label.size : covered;
		}
	}
	return CFG_OK;
}

/* Whether bytes that no transfer leads to are code: instructions that the program was linked for, up to one that
 * transfers control or belongs to code already. Constants between functions seldom are. */
static bool looks_like_code(const struct cfg_map *map, uint64_t address)
{
	const unsigned transfers = ISA_BRANCH | ISA_JUMP | ISA_INDIRECT | ISA_RET;
	for (unsigned i = 0; i < RUN_MAX; i++) {
		struct isa_insn insn;
		size_t slot = map_slot(map, address);
		if (slot == SIZE_MAX || !image_insn(map->image, address, image_isa_named(map->image), &insn))
			return false;
		if (map->owner[slot] != 0)
			return true;
		if (insn.op == ISA_ILLEGAL || insn.op == ISA_OTHER)
			return false;
		if ((insn.class_bits & transfers) != 0 || map_stops(map, address, &insn))
			return true;
		address += insn.length;
	}
	return true;
}

/* Words in data that point to code which nothing else leads to. */
static int add_pointers(struct cfg_map *map)
{
	size_t count;
	const unsigned size = image_xlen(map->image) / 8;
	const struct elf_segment *segments = image_segments(map->image, &count);
	for (size_t i = 0; i < count; i++) {
		for (uint64_t at = 0; at + size <= segments[i].file_size; at += size) {
			const uint8_t *b = segments[i].bytes + at;
			uint64_t address = segments[i].address + at;
			uint64_t word = 0;
			for (unsigned k = 0; k < size; k++)
				word |= (uint64_t)b[k] << 8 * k;
			size_t own = map_slot(map, address), slot = map_slot(map, word);
			if (slot == SIZE_MAX || map->owner[slot] != 0 ||
			    (own != SIZE_MAX && (map->sections || map->owner[own] != 0)))
				continue;
			if (cfg_add_function(map, word, CFG_POINTER) != CFG_OK)
				return CFG_ENOMEM;
		}
	}
	return CFG_OK;
}

/* Padding between functions: nops, zeros. */
static bool is_padding_insn(const struct isa_insn *insn)
{
	return insn->word == 0x0001 || insn->word == 0x00000013 || insn->op == ISA_ILLEGAL;
}

/* The first code that no function has: inside a function's symbol it is a further root of that function, else a
 * function of its own. *found: there was some. */
static int fill_gap(struct cfg_map *map, size_t *from, bool *found)
{
	*found = false;
	for (size_t r = 0; r < map->range_count; r++) {
		const struct range *range = &map->ranges[r];
		size_t last = 0; /* without section headers constants may follow the last function */
		if (!map->sections) {
			for (size_t s = range->size / 2; s-- > 0 && last == 0;)
				last = map->owner[range->slot + s] != 0 ? s : 0;
		}
		/* not from its start each time: a library has thousands of gaps */
		for (uint64_t at = *from > range->slot ? 2 * (*from - range->slot) : 0; at + 2 <= range->size;) {
			size_t slot = range->slot + at / 2;
			uint64_t address = range->start + at;
			struct isa_insn insn;
			if (!map->sections && at / 2 > last)
				break;
			bool decoded = map_decode(map, address, &insn);
			if (map->owner[slot] != 0 || !decoded || is_padding_insn(&insn)) {
				at += decoded && map->owner[slot] == 0 && insn.op != ISA_ILLEGAL ? insn.length : 2;
				continue;
			}
			*from = slot + 1;
			*found = true;
			uint64_t start = 0;
			uint32_t function = CFG_NONE;
			if (image_function(map->image, address, &start) != NULL)
				function = map_function(map, start);
			if (!looks_like_code(map, address))
				return CFG_OK;
			if (function == CFG_NONE)
				return cfg_add_function(map, address, CFG_GAP);
			map->flags[slot] |= AT_ROOT;
			return push_address(map, function, address);
		}
	}
	return CFG_OK;
}

/* Everything anew, but for the entries that the pass before has found. */
static void forget_pass(struct cfg_map *map)
{
	for (size_t i = 0; i < map->slots; i++) {
		map->owner[i] = 0;
		map->flags[i] &= AT_SPLIT;
	}
	for (size_t i = 0; i < map->maker_count; i++)
		free(map->makers[i].leaders);
	map->maker_count = map->waiter_count = map->jump_count = map->target_count = map->work_count = 0;
	map->shared = map->split = false;
}

static int discover_pass(struct cfg_map *map)
{
	int error = add_symbols(map);
	for (size_t r = 0; r < map->range_count && error == CFG_OK; r++) {
		const struct range *range = &map->ranges[r];
		for (uint64_t at = 0; at + 2 <= range->size && error == CFG_OK; at += 2) {
			if ((map->flags[range->slot + at / 2] & AT_SPLIT) != 0)
				error = cfg_add_function(map, range->start + at, CFG_SHARED);
		}
	}
	if (error == CFG_OK)
		error = cfg_add_function(map, image_entry(map->image), CFG_ENTRY);
	if (error == CFG_OK)
		error = drain_queue(map);
	if (error == CFG_OK && map->stripped)
		error = add_pointers(map);
	if (error == CFG_OK)
		error = drain_queue(map);
	bool found = true;
	for (size_t from = 0; found && error == CFG_OK;) {
		error = fill_gap(map, &from, &found);
		if (error == CFG_OK)
			error = drain_queue(map);
	}
	return error;
}

int cfg_discover(struct cfg_map *map)
{
	for (unsigned i = 0; i < PASSES_MAX; i++) {
		forget_pass(map);
		int error = discover_pass(map);
		if (error != CFG_OK)
			return error;
		map->settled = !map->shared;
		if (!map->split) /* a pass follows from the splits: the next one would be the same again */
			break;
	}
	return CFG_OK;
}
