/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#include "host/walk/walk.h"

#include <stdlib.h>
#include "common/rivulet_regs.h"
#include "common/sizes.h"
#include "host/base/array.h"
#include "host/base/hash.h"
#include "isa/isa.h"

/* The bits of CTRL that change a walk. */
#define TERMINATION (RV_CTRL_NO_BACKWARD_MASK | RV_CTRL_NO_INDIRECT_MASK)

#define POOL_BLOCKS SIZED(1024, 8)
#define HEAP_MAX (UINT64_C(64) << 20) /* bytes behind the start of a program's data that are its own */
#define RECENT SIZED(2048, 8)         /* a power of two */

struct pool { /* blocks stay where they are: the table and the callers point to them */
	struct pool *next;
	size_t used;
	struct walk_block blocks[POOL_BLOCKS];
};

struct walk {
	const struct image *image;
	struct walk_config config;
	struct walk_block **blocks;
	size_t count, room;
	struct hash table; /* of blocks, by their start */
	struct pool *pool;
	struct walk_block *recent[RECENT]; /* the block last found whose address ends in this; spares the table */
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
	case WALK_EWRITTEN:
		return "the program wrote this code itself: its file has none there";
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
	free(walk->blocks);
	hash_free(&walk->table);
	free(walk);
}

bool walk_same(const struct walk *walk, const struct walk_config *config)
{
	const struct walk_config *own = &walk->config;
	return own->hist == config->hist && ((own->ctrl ^ config->ctrl) & TERMINATION) == 0 &&
	       own->insn_bits == config->insn_bits && own->isa_set == config->isa_set;
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

/* Why there is none at address. A program without an operating system has its heap and stack behind its data. */
static int no_code(const struct walk *walk, uint64_t address)
{
	size_t count;
	const struct elf_segment *segments = image_segments(walk->image, &count);
	for (size_t i = 0; i < count; i++) {
		uint64_t offset = address - segments[i].address;
		bool behind = i + 1 == count && !image_hosted(walk->image);
		if (segments[i].write && address >= segments[i].address &&
		    (offset < segments[i].size || (behind && offset < HEAP_MAX)))
			return WALK_EWRITTEN;
	}
	return WALK_EOUTSIDE;
}

/* The instruction at address. */
static int fetch_insn(const struct walk *walk, uint64_t address, struct isa_insn *insn)
{
	if (!image_insn(walk->image, address, walk->config.isa_set, insn))
		return no_code(walk, address);
	return (insn->class_bits & ISA_TRAPS) != 0 && !image_serves(walk->image, insn, address) ? WALK_EILLEGAL
												: WALK_OK;
}

#define RA 1 /* the register of CM.JALT, CM.POPRET and CM.POPRETZ, which have no field for it */

static void decode_block(const struct walk *walk, uint64_t start, struct walk_block *block)
{
	*block = (struct walk_block){.start = start, .next = start, .last = start, .exit = WALK_FALL};
	while ((block->next - start) / 2 < WALK_BLOCK_HALVES) {
		struct isa_insn insn;
		int error = fetch_insn(walk, block->next, &insn);
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
			block->link = insn.op == ISA_CM_JALT ? RA : insn.rd;
		if ((insn.class_bits & ISA_BRANCH) != 0)
			block->exit = WALK_BRANCH;
		else if ((insn.class_bits & ISA_JUMP) != 0)
			block->exit = WALK_JUMP;
		else if ((insn.class_bits & ISA_INDIRECT) != 0) {
			block->exit = WALK_INDIRECT;
			if (insn.op == ISA_CM_POPRET || insn.op == ISA_CM_POPRETZ)
				block->through = RA;
			else if ((insn.class_bits & ISA_RETURN) != 0 && insn.imm == 0)
				block->through = insn.rs1;
		} else if ((insn.class_bits & ISA_RET) != 0)
			block->exit = WALK_RET;
		if ((insn.class_bits & (ISA_BRANCH | ISA_JUMP)) != 0)
			block->target = isa_target(&insn, block->last);
		if (block->exit != WALK_FALL)
			return;
	}
}

struct block_key {
	const struct walk *walk;
	uint64_t start;
};

static bool same_start(const void *context, uint32_t index)
{
	const struct block_key *key = context;
	return key->walk->blocks[index]->start == key->start;
}

/* The block at address, decoded if it is new; NULL: out of memory. */
static struct walk_block *find_walk_block(struct walk *walk, uint64_t address)
{
	struct walk_block **recent = &walk->recent[address >> 1 & (RECENT - 1)];
	if (*recent != NULL && (*recent)->start == address)
		return *recent;
	const struct block_key key = {walk, address};
	uint32_t hash = hash_of(address), index = hash_find(&walk->table, hash, same_start, &key);
	if (index != HASH_NONE)
		return *recent = walk->blocks[index];
	struct walk_block *block = new_block(walk);
	if (block == NULL || !array_room(&walk->blocks, walk->count + 1, &walk->room) ||
	    !hash_add(&walk->table, hash, (uint32_t)walk->count))
		return NULL;
	decode_block(walk, address, block);
	return walk->blocks[walk->count++] = block;
}

/* Outcomes of a history: the bits below its leading 1. */
static unsigned outcome_count_of(uint64_t hist)
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

/* The walk of one record. */
struct course {
	const struct record *record;
	uint32_t insns; /* of the record; 0: not counted */
	bool cut;       /* a discontinuity ended it, between instructions */
	bool counted;   /* insns is the exact number */
	bool no_backward, no_indirect;
	uint32_t limit;             /* instructions that are followed at most */
	unsigned left;              /* outcomes not used yet */
	unsigned room;              /* shifts until the marker would be in bit H-1, counted at the last outcome */
	uint32_t done, straight;    /* instructions so far; those since the last conditional branch */
	uint32_t depth, top;        /* calls remembered; the newest is calls[(top - 1) % WALK_CALLS_MAX] */
	uint64_t next;              /* address behind the block */
	struct walk_block **follow; /* where the block at next is kept; NULL: nowhere */
	uint64_t at;                /* address that an error is about */
};

/* What the record says about its walk, before the first instruction. */
static int begin_course(struct course *c, const struct walk *walk, const struct record *record)
{
	const struct walk_config *config = &walk->config;
	const uint32_t saturated = config->insn_bits >= 32 ? UINT32_MAX : (1u << config->insn_bits) - 1;
	*c = (struct course){.record = record,
	    .insns = config->insn_bits != 0 ? record->insns : 0,
	    .cut = record_reason_cut(record->reason),
	    .no_backward = (config->ctrl & RV_CTRL_NO_BACKWARD_MASK) != 0,
	    .no_indirect = (config->ctrl & RV_CTRL_NO_INDIRECT_MASK) != 0,
	    .limit = UINT32_MAX,
	    .at = record->start};
	if ((record->start & 1) != 0)
		return WALK_EODD;
	if (record->hist == 0 || (config->hist < 64 && record->hist >> config->hist != 0))
		return WALK_EHISTORY;
	c->counted = c->insns != 0 && c->insns < saturated;
	/* followed for exactly this many; a saturated count is a lower bound that is certain too */
	if (c->cut && c->insns != 0)
		c->limit = c->insns;
	c->left = outcome_count_of(record->hist);
	c->room = config->hist - 1 - c->left;
	/* Without a count a cut record is certain only up to its last outcome. */
	return c->cut && c->insns == 0 && c->left == 0 ? WALK_UNKNOWN_END : WALK_OK;
}

/* The count runs out here. */
static void run_out(const struct course *c, struct walk_visit *v)
{
	v->last = true;
	v->reason = c->counted ? c->record->reason : 0;
}

static void take_walk_visit(struct course *c, struct walk_block *block, struct walk_visit *v)
{
	c->next = block->target;
	c->follow = &block->taken;
	if (!c->no_backward && c->next <= block->last)
		v->reason = TRACE_BACKWARD;
}

/* The block's last instruction may be the one behind which the core went astray: it may have gone anywhere. */
static bool may_be_astray(const struct course *c, const struct walk_block *block)
{
	return c->record->reason == TRACE_GAP && c->left == 0 && (c->insns == 0 || c->limit - c->done == block->count);
}

/* The conditional branch that ends the block, by the next outcome of the history. */
static int walk_branch(struct course *c, struct walk_block *block, struct walk_visit *v)
{
	c->at = block->last;
	if (c->left == 0 && c->insns != 0 && may_be_astray(c, block))
		return WALK_OK; /* it is the last one, and may have gone either way */
	if (c->left == 0) {
		v->count--;
		return WALK_EHISTORY;
	}
	v->outcome = (int)(c->record->hist >> --c->left & 1);
	c->straight = 0;
	if (v->outcome == 1 && block->target == block->next &&
	    !may_be_astray(c, block)) { /* to the next instruction: the outcome is always 0 */
		v->count--;
		return WALK_EHISTORY;
	}
	if (v->outcome == 1)
		take_walk_visit(c, block, v);
	if (v->reason == 0 && c->left == 0 && c->room == 0)
		v->reason = TRACE_FULL;
	return WALK_OK;
}

/* How the block is left: v's count, outcome, reason; next and follow. */
static int leave_walk_block(struct course *c, struct walk_block *block, struct walk_visit *v)
{
	c->next = block->next;
	c->follow = &block->fall;
	if (c->limit - c->done < block->count ||
	    (c->limit - c->done == block->count && (block->exit == WALK_FALL || block->exit == WALK_STUCK))) {
		/* inside the block, before whatever ends it */
		v->count = c->limit - c->done;
		run_out(c, v);
		return WALK_OK;
	}
	switch ((enum walk_exit)block->exit) {
	case WALK_FALL:
		break;
	case WALK_STUCK:
		c->at = block->next;
		return block->stuck;
	case WALK_BRANCH:
		return walk_branch(c, block, v);
	case WALK_JUMP:
		take_walk_visit(c, block, v);
		break;
	case WALK_INDIRECT:
		v->reason = c->no_indirect ? 0 : TRACE_INDIRECT;
		break;
	case WALK_RET:
		v->reason = TRACE_XRET;
	}
	return WALK_OK;
}

/* Whether the trace ends with this visit, and whether the record says so too. */
static int settle_visit(struct course *c, const struct walk_block *block, struct walk_visit *v)
{
	int error = WALK_OK;
	if (!v->last && v->reason != 0) {
		v->last = true;
		c->at = block->last;
		if (c->record->reason == TRACE_GAP && c->done + v->count == c->limit)
			v->reason = TRACE_GAP; /* its last instruction may have gone anywhere */
		else if (c->cut || (c->record->reason != 0 && c->record->reason != v->reason))
			error = WALK_EREASON;
	}
	if (!v->last && c->done + v->count == c->limit) /* behind the transfer that ends the block */
		run_out(c, v);
	if (!v->last || error != WALK_OK)
		return error;
	uint32_t done = c->done + v->count;
	c->at = pc_in_block(block, v->count - 1);
	if (c->left != 0)
		return WALK_EHISTORY;
	if (c->counted ? !c->cut && done != c->insns : c->insns != 0 && done < c->insns)
		return WALK_EINSNS;
	return WALK_OK;
}

/* Behind the block: an indirect jump goes back to the newest call of this trace through the same link register. */
static int transfer_control(struct course *c, struct call *calls, const struct walk_block *block)
{
	c->at = block->last;
	if (block->exit == WALK_INDIRECT) {
		while (c->depth > 0 && calls[(c->top - 1) % WALK_CALLS_MAX].link != block->through) {
			c->depth--;
			c->top--;
		}
		if (block->through == 0 || c->depth == 0)
			return WALK_ETARGET;
		c->depth--;
		c->next = calls[--c->top % WALK_CALLS_MAX].target;
		c->follow = NULL;
	}
	if (block->link != 0) { /* the oldest is forgotten when there are too many */
		calls[c->top++ % WALK_CALLS_MAX] = (struct call){block->next, block->link};
		c->depth += c->depth < WALK_CALLS_MAX;
	}
	return WALK_OK;
}

/* The block at next, found where it was left the last time, or looked up. */
static struct walk_block *next_block(struct walk *walk, const struct course *c)
{
	if (c->follow != NULL && *c->follow != NULL)
		return *c->follow;
	struct walk_block *block = find_walk_block(walk, c->next);
	if (c->follow != NULL)
		*c->follow = block;
	return block;
}

static int go_on_course(struct walk *walk, struct course *c, walk_visitor *visit, void *context)
{
	struct call calls[WALK_CALLS_MAX];
	struct walk_block *block = find_walk_block(walk, c->record->start);
	for (; block != NULL; block = next_block(walk, c)) {
		struct walk_visit v = {.block = block, .count = block->count, .outcome = -1};
		int error = leave_walk_block(c, block, &v);
		if (error == WALK_OK)
			error = settle_visit(c, block, &v);
		c->done += v.count;
		c->straight += v.count;
		/* of a cut record without count nothing is certain behind the last outcome */
		bool unknown = error == WALK_OK && c->cut && c->insns == 0 && c->left == 0;
		v.last = v.last || unknown;
		if (visit != NULL && v.count > 0 && visit(context, &v) != 0)
			return WALK_ESTOPPED;
		if (error != WALK_OK)
			return error;
		if (v.last)
			return unknown || (c->cut && !c->counted) ? WALK_UNKNOWN_END : WALK_OK;
		if (c->straight > WALK_STRAIGHT_MAX) {
			c->at = block->start;
			return WALK_EENDLESS;
		}
		error = transfer_control(c, calls, block);
		if (error != WALK_OK)
			return error;
	}
	return WALK_ENOMEM;
}

int walk_record(struct walk *walk, const struct record *record, walk_visitor *visit, void *context, uint64_t *at)
{
	struct course course;
	int error = begin_course(&course, walk, record);
	if (error == WALK_OK)
		error = go_on_course(walk, &course, visit, context);
	if (at != NULL)
		*at = course.at;
	return error;
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
