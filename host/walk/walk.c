/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#include "host/walk/walk.h"

#include <stdlib.h>
#include "common/rivulet_regs.h"
#include "common/sizes.h"
#include "isa/isa.h"

/* What a walk looks at in CTRL. */
#define TERMINATION (RV_CTRL_NO_BACKWARD_MASK | RV_CTRL_NO_INDIRECT_MASK)

#define POOL_BLOCKS SIZED(1024, 8)
#define FIRST_SIZE SIZED(1024, 8) /* slots, a power of two */

struct pool { /* blocks stay where they are: the table and the callers point to them */
	struct pool *next;
	size_t used;
	struct walk_block blocks[POOL_BLOCKS];
};

struct walk {
	const struct image *image;
	struct walk_config config;
	struct walk_block **table; /* open addressing, size a power of two, at most half full */
	size_t size, count;
	struct pool *pool;
};

struct call {
	uint64_t target;
	uint8_t link;
};

const char *walk_strerror(int error)
{
	switch (error) {
	case WALK_UNKNOWN_END:
		return "the end of the trace is unknown";
	case WALK_OK:
		return "no error";
	case WALK_EODD:
		return "the start address is odd";
	case WALK_EOUTSIDE:
		return "the address is outside the program's code";
	case WALK_EILLEGAL:
		return "an instruction that cannot complete lies on the path";
	case WALK_EHISTORY:
		return "the history does not fit the code";
	case WALK_EREASON:
		return "the trace ended for another reason than the record says";
	case WALK_EINSNS:
		return "the instruction count does not fit the path";
	case WALK_ETARGET:
		return "the target of an indirect jump is unknown";
	case WALK_EENDLESS:
		return "the path has no end";
	case WALK_ESTOPPED:
		return "stopped";
	case WALK_ENOMEM:
		return "out of memory";
	default:
		return "unknown error";
	}
}

int walk_open(struct walk **out, const struct image *image, const struct walk_config *config)
{
	struct walk *walk = calloc(1, sizeof *walk);
	*out = NULL;
	if (walk == NULL)
		return WALK_ENOMEM;
	walk->image = image;
	walk->config = *config;
	walk->size = FIRST_SIZE;
	walk->table = calloc(walk->size, sizeof(struct walk_block *));
	if (walk->table == NULL) {
		free(walk);
		return WALK_ENOMEM;
	}
	*out = walk;
	return WALK_OK;
}

void walk_close(struct walk *walk)
{
	if (walk == NULL)
		return;
	while (walk->pool != NULL) {
		struct pool *next = walk->pool->next;
		free(walk->pool);
		walk->pool = next;
	}
	free(walk->table);
	free(walk);
}

bool walk_same(const struct walk *walk, const struct walk_config *config)
{
	const struct walk_config *own = &walk->config;
	return own->hist == config->hist && ((own->ctrl ^ config->ctrl) & TERMINATION) == 0 &&
	       own->insn_bits == config->insn_bits && own->isa_set == config->isa_set;
}

size_t walk_blocks(const struct walk *walk)
{
	return walk->count;
}

static size_t slot_of(uint64_t address, size_t size)
{
	return (size_t)((uint32_t)((address >> 1 ^ address >> 33) * 0x9E3779B1u) >> 7) & (size - 1);
}

static struct walk_block *new_block(struct walk *walk)
{
	if (walk->pool == NULL || walk->pool->used == POOL_BLOCKS) {
		struct pool *pool = malloc(sizeof *pool);
		if (pool == NULL)
			return NULL;
		pool->next = walk->pool;
		pool->used = 0;
		walk->pool = pool;
	}
	return &walk->pool->blocks[walk->pool->used++];
}

static int grow(struct walk *walk)
{
	size_t size = 2 * walk->size;
	struct walk_block **table = calloc(size, sizeof(struct walk_block *));
	if (table == NULL)
		return WALK_ENOMEM;
	for (size_t i = 0; i < walk->size; i++) {
		if (walk->table[i] == NULL)
			continue;
		size_t slot = slot_of(walk->table[i]->start, size);
		while (table[slot] != NULL)
			slot = (slot + 1) & (size - 1);
		table[slot] = walk->table[i];
	}
	free(walk->table);
	walk->table = table;
	walk->size = size;
	return WALK_OK;
}

/* The instruction at address. */
static int fetch(const struct walk *walk, uint64_t address, struct isa_insn *insn)
{
	if (!image_insn(walk->image, address, walk->config.isa_set, insn))
		return WALK_EOUTSIDE;
	return (insn->class_bits & ISA_TRAPS) != 0 || insn->op == ISA_ILLEGAL ? WALK_EILLEGAL : WALK_OK;
}

static void decode_block(const struct walk *walk, uint64_t start, struct walk_block *block)
{
	*block = (struct walk_block){.start = start, .next = start, .last = start, .exit = WALK_FALL};
	while ((block->next - start) / 2 < WALK_BLOCK_HALVES) {
		struct isa_insn insn;
		int error = fetch(walk, block->next, &insn);
		if (error != WALK_OK) {
			block->exit = WALK_STUCK;
			block->stuck = (int8_t)error;
			return;
		}
		block->starts |= UINT64_C(1) << ((block->next - start) / 2);
		block->last = block->next;
		block->next += insn.length;
		block->count++;
		if ((insn.class_bits & (ISA_JUMP | ISA_INDIRECT)) != 0 && (insn.class_bits & ISA_CALL) != 0)
			block->link = insn.rd;
		if ((insn.class_bits & ISA_BRANCH) != 0)
			block->exit = WALK_BRANCH;
		else if ((insn.class_bits & ISA_JUMP) != 0)
			block->exit = WALK_JUMP;
		else if ((insn.class_bits & ISA_INDIRECT) != 0) {
			block->exit = WALK_INDIRECT;
			if ((insn.class_bits & ISA_RETURN) != 0 && insn.imm == 0)
				block->through = insn.rs1;
		} else if ((insn.class_bits & ISA_RET) != 0)
			block->exit = WALK_RET;
		if ((insn.class_bits & (ISA_BRANCH | ISA_JUMP)) != 0)
			block->target = isa_target(&insn, block->last);
		if (block->exit != WALK_FALL)
			return;
	}
}

/* The block at address, decoded if it is new; NULL: out of memory. */
static struct walk_block *find_block(struct walk *walk, uint64_t address)
{
	size_t slot = slot_of(address, walk->size);
	while (walk->table[slot] != NULL) {
		if (walk->table[slot]->start == address)
			return walk->table[slot];
		slot = (slot + 1) & (walk->size - 1);
	}
	if (2 * (walk->count + 1) > walk->size) {
		if (grow(walk) != WALK_OK)
			return NULL;
		slot = slot_of(address, walk->size);
		while (walk->table[slot] != NULL)
			slot = (slot + 1) & (walk->size - 1);
	}
	struct walk_block *block = new_block(walk);
	if (block == NULL)
		return NULL;
	decode_block(walk, address, block);
	walk->table[slot] = block;
	walk->count++;
	return block;
}

/* Outcomes of a history: the bits below its leading 1. */
static unsigned outcomes_of(uint64_t hist)
{
	return 63 - (unsigned)__builtin_clzll(hist);
}

void walk_block_pcs(const struct walk_block *block, uint32_t count, uint64_t *pcs)
{
	uint64_t starts = block->starts;
	for (uint32_t i = 0; i < count && starts != 0; i++) {
		pcs[i] = block->start + 2 * (uint32_t)__builtin_ctzll(starts);
		starts &= starts - 1;
	}
}

/* Address of instruction index (0 ..) of a block. */
static uint64_t pc_in_block(const struct walk_block *block, uint32_t index)
{
	uint64_t starts = block->starts;
	while (index-- > 0)
		starts &= starts - 1;
	return starts == 0 ? block->next : block->start + 2 * (uint32_t)__builtin_ctzll(starts);
}

int walk_record(struct walk *walk, const struct record *record, walk_visitor *visit, void *context, uint64_t *at)
{
	const bool no_backward = (walk->config.ctrl & RV_CTRL_NO_BACKWARD_MASK) != 0,
		   no_indirect = (walk->config.ctrl & RV_CTRL_NO_INDIRECT_MASK) != 0;
	const bool cut = record->reason == TRACE_TRAP || record->reason == TRACE_LEFT || record->reason == TRACE_OFF;
	const uint32_t saturated = walk->config.insn_bits >= 32 ? UINT32_MAX : (1u << walk->config.insn_bits) - 1;
	const uint32_t insns = walk->config.insn_bits != 0 ? record->insns : 0;
	const bool counted = insns != 0 && insns < saturated;
	/* a cut record is followed for exactly this many instructions; a saturated count is a lower bound that is
	 * certain too */
	const uint32_t limit = cut && insns != 0 ? insns : UINT32_MAX;
	struct call calls[WALK_CALLS_MAX];
	uint32_t depth = 0, top = 0; /* calls remembered; the newest is calls[(top - 1) % WALK_CALLS_MAX] */
	uint64_t pc = record->start, dummy;
	struct walk_block *block, **follow; /* follow: where the address of the next block is kept, NULL: nowhere */
	if (at == NULL)
		at = &dummy;
	*at = pc;
	if ((pc & 1) != 0)
		return WALK_EODD;
	if (record->hist == 0 || (walk->config.hist < 64 && record->hist >> walk->config.hist != 0))
		return WALK_EHISTORY;
	unsigned left = outcomes_of(record->hist); /* outcomes not used yet */
	unsigned room =
	    walk->config.hist - 1 - left; /* shifts until the marker would be in bit H-1, counted at the last outcome */
	uint32_t done = 0, straight = 0;  /* instructions so far; those since the last conditional branch */

	/* Without a count a cut record is certain only up to its last outcome. */
	if (cut && insns == 0 && left == 0)
		return WALK_UNKNOWN_END;
	block = find_block(walk, pc);
	if (block == NULL)
		return WALK_ENOMEM;
	for (;;) {
		struct walk_visit v = {.block = block, .count = block->count, .outcome = -1};
		int error = WALK_OK;
		uint64_t next = block->next;
		follow = &block->fall;
		if (limit - done < block->count ||
		    (limit - done == block->count && (block->exit == WALK_FALL || block->exit == WALK_STUCK))) {
			/* the count runs out inside the block, before whatever ends it */
			v.count = limit - done;
			v.last = true;
			v.reason = counted ? record->reason : 0;
		} else if (block->exit == WALK_STUCK) {
			*at = block->next;
			error = block->stuck;
		} else if (block->exit == WALK_BRANCH) {
			*at = block->last;
			if (left == 0) {
				error = WALK_EHISTORY;
				v.count--;
			} else {
				v.outcome = (int)(record->hist >> --left & 1);
				straight = 0;
				bool taken = v.outcome == 1;
				if (taken && block->target ==
						 block->next) { /* to the next instruction: the outcome is always 0 */
					error = WALK_EHISTORY;
					v.count--;
				} else if (taken) {
					next = block->target;
					follow = &block->taken;
					if (!no_backward && next <= block->last)
						v.reason = TRACE_BACKWARD;
				}
				if (v.reason == 0 && left == 0 && room == 0)
					v.reason = TRACE_FULL;
			}
		} else if (block->exit == WALK_JUMP) {
			next = block->target;
			follow = &block->taken;
			if (!no_backward && next <= block->last)
				v.reason = TRACE_BACKWARD;
		} else if (block->exit == WALK_INDIRECT && !no_indirect)
			v.reason = TRACE_INDIRECT;
		else if (block->exit == WALK_RET)
			v.reason = TRACE_XRET;

		if (error == WALK_OK && !v.last && v.reason != 0) {
			v.last = true;
			*at = block->last;
			if (cut || (record->reason != 0 && record->reason != v.reason))
				error = WALK_EREASON;
		}
		done += v.count;
		straight += v.count;
		if (!v.last && done == limit &&
		    error == WALK_OK) { /* the count runs out behind the transfer that ends the block */
			v.last = true;
			v.reason = counted ? record->reason : 0;
		}
		if (v.last && error == WALK_OK) {
			*at = pc_in_block(block, v.count - 1);
			if (left != 0)
				error = WALK_EHISTORY;
			else if (counted && !cut && done != insns)
				error = WALK_EINSNS;
			else if (!counted && insns != 0 && done < insns)
				error = WALK_EINSNS;
		}
		bool unknown = error == WALK_OK && cut && insns == 0 && left == 0; /* nothing further is certain */
		if (unknown)
			v.last = true;
		if (visit != NULL && v.count > 0 && visit(context, &v) != 0)
			return WALK_ESTOPPED;
		if (error != WALK_OK)
			return error;
		if (v.last)
			return unknown || (cut && !counted) ? WALK_UNKNOWN_END : WALK_OK;
		if (straight > WALK_STRAIGHT_MAX) {
			*at = pc;
			return WALK_EENDLESS;
		}

		*at = block->last;
		if (block->exit == WALK_INDIRECT) {
			/* the newest call of this trace through the same link register */
			while (depth > 0 && calls[(top - 1) % WALK_CALLS_MAX].link != block->through) {
				depth--;
				top--;
			}
			if (block->through == 0 || depth == 0)
				return WALK_ETARGET;
			depth--;
			next = calls[--top % WALK_CALLS_MAX].target;
			follow = NULL;
		}
		if (block->link != 0) { /* the oldest is forgotten when there are too many */
			calls[top++ % WALK_CALLS_MAX] = (struct call){block->next, block->link};
			depth += depth < WALK_CALLS_MAX;
		}
		pc = next;
		if (follow != NULL && *follow != NULL) {
			block = *follow;
			continue;
		}
		block = find_block(walk, pc);
		if (block == NULL)
			return WALK_ENOMEM;
		if (follow != NULL)
			*follow = block;
	}
}

struct collect {
	uint64_t *pcs;
	size_t max, count;
};

static int collect_pcs(void *context, const struct walk_visit *visit)
{
	struct collect *collect = context;
	size_t room = collect->max - (collect->count < collect->max ? collect->count : collect->max);
	if (room > 0)
		walk_block_pcs(
		    visit->block, room < visit->count ? (uint32_t)room : visit->count, collect->pcs + collect->count);
	collect->count += visit->count;
	return 0;
}

int walk_pcs(struct walk *walk, const struct record *record, uint64_t *pcs, size_t max, size_t *count, uint64_t *at)
{
	struct collect collect = {pcs, max, 0};
	int error = walk_record(walk, record, collect_pcs, &collect, at);
	*count = collect.count;
	return error;
}
