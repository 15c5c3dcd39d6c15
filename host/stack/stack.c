/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#include "host/stack/stack.h"

#include <stdlib.h>
#include <string.h>
#include "host/base/array.h"
#include "host/base/hash.h"
#include "host/base/shelf.h"
#include "model/trace.h"

#define CACHE 4096              /* a power of two */
#define NO_RETURN STACK_NOWHERE /* odd: no return goes there */
#define NONE UINT32_MAX

enum pending_kind { PENDING_NONE, PENDING_CALL, PENDING_RETURN, PENDING_JUMP, PENDING_TRAP, PENDING_TRAP_RETURN };

struct frame {
	uint32_t node;
	uint64_t back; /* back: address that it returns to; of a tail call that of the frame below */
	uint8_t kind;
};

struct state {           /* what stack_save() keeps: all that the records behind it depend on */
	uint32_t frames; /* on the shelf */
	uint8_t pending;
	uint64_t site, back; /* 0 if nothing is pending */
};

struct stack {
	uint32_t entered[STACK_ENTERED]; /* since stack_entered() */
	size_t entered_count;
	const struct image *image;
	struct stack_node *nodes; /* nodes[0] is STACK_NOBODY */
	size_t node_count, node_room;
	struct hash table;    /* of nodes, by parent, site, entry; nodes[0] is not in it */
	struct frame *frames; /* frames[0] is of a root; the last is the running one */
	size_t depth, frame_room;
	size_t low; /* frames below it have not changed since the last stack_save() or stack_load() */
	uint64_t times;
	/* what the last visited block did, to be settled when the next address is known */
	enum pending_kind pending;
	uint64_t site, back;
	struct stack_counts counts;
	struct shelf shelf; /* of frames */
	struct state *states;
	size_t state_count, state_room;
	struct hash state_table;
	struct { /* start of the function at an address; 0: not known */
		uint64_t address, start;
	} cache[CACHE];
};

static uint32_t hash_frame(const void *frame)
{
	const struct frame *f = frame;
	return hash_of_two(f->back ^ (uint64_t)f->kind << 56, f->node);
}

static bool same_frame(const void *a, const void *b)
{
	const struct frame *x = a, *y = b;
	return x->node == y->node && x->back == y->back && x->kind == y->kind;
}

int stack_open(struct stack **out, const struct image *image)
{
	struct stack *stack = calloc(1, sizeof *stack);
	*out = NULL;
	if (stack == NULL)
		return STACK_ENOMEM;
	stack->image = image;
	stack->node_room = stack->frame_room = 256;
	stack->nodes = calloc(stack->node_room, sizeof *stack->nodes);
	stack->frames = calloc(stack->frame_room, sizeof *stack->frames);
	if (stack->nodes == NULL || stack->frames == NULL) {
		stack_close(stack);
		return STACK_ENOMEM;
	}
	stack->node_count = 1;
	shelf_init(&stack->shelf, sizeof *stack->frames, hash_frame, same_frame);
	memset(stack->cache, 0xFF, sizeof stack->cache); /* an odd address, so it is nobody's */
	*out = stack;
	return STACK_OK;
}

void stack_close(struct stack *stack)
{
	if (stack == NULL)
		return;
	free(stack->nodes);
	hash_free(&stack->table);
	free(stack->frames);
	shelf_free(&stack->shelf);
	free(stack->states);
	hash_free(&stack->state_table);
	free(stack);
}

const struct stack_node *stack_nodes(const struct stack *stack, size_t *count)
{
	*count = stack->node_count;
	return stack->nodes;
}

const struct stack_counts *stack_counts(const struct stack *stack)
{
	return &stack->counts;
}

void stack_enter_again(struct stack *stack, uint32_t node, uint64_t times)
{
	stack->nodes[node].entered += times;
}

void stack_count_again(struct stack *stack, const struct stack_counts *once, uint64_t times)
{
	stack_counts_add(&stack->counts, once, times);
}

/* Start of the function at address; that of f for f.cold; 0: not known. */
static uint64_t function_start(struct stack *stack, uint64_t address)
{
	size_t slot = (address >> 1) & (CACHE - 1);
	if (stack->cache[slot].address == address)
		return stack->cache[slot].start;
	uint64_t start = 0;
	if (image_whole_function(stack->image, address, &start) == NULL)
		start = 0;
	stack->cache[slot].address = address;
	stack->cache[slot].start = start;
	return start;
}

/* ---- the tree ---- */

struct node_key {
	const struct stack_node *nodes;
	uint64_t site, entry;
	uint32_t parent;
};

static bool is_stack_node(const void *context, uint32_t index)
{
	const struct node_key *key = context;
	const struct stack_node *node = &key->nodes[index];
	return node->parent == key->parent && node->site == key->site && node->entry == key->entry;
}

/* The context of an outer call with this site and entry, NONE if there is none. */
static uint32_t outer_context(const struct stack *stack, uint32_t parent, uint64_t site, uint64_t entry)
{
	for (uint32_t i = parent; i != STACK_NOBODY; i = stack->nodes[i].parent) {
		if (stack->nodes[i].site == site && stack->nodes[i].entry == entry)
			return i;
	}
	return NONE;
}

static void count_entry(struct stack *stack, uint32_t node)
{
	stack->nodes[node].entered += stack->times;
	if (stack->entered_count < STACK_ENTERED)
		stack->entered[stack->entered_count++] = node;
}

size_t stack_entered(struct stack *stack, uint32_t nodes[STACK_ENTERED])
{
	size_t count = stack->entered_count;
	memcpy(nodes, stack->entered, count * sizeof *nodes);
	stack->entered_count = 0;
	return count;
}

/* Finds or makes a context, and counts that it is entered. */
static int enter_context(
    struct stack *stack, uint32_t parent, uint64_t site, uint64_t entry, enum stack_kind kind, uint32_t *index)
{
	const struct node_key key = {stack->nodes, site, entry, parent};
	uint32_t hash = hash_of_two(site, entry) ^ hash_of(parent);
	*index = hash_find(&stack->table, hash, is_stack_node, &key);
	if (*index != HASH_NONE) {
		count_entry(stack, *index);
		return STACK_OK;
	}
	uint32_t level = parent == STACK_NOBODY ? 0 : stack->nodes[parent].level + 1;
	if (stack->node_count >= STACK_NODES_MAX || level > STACK_LEVELS_MAX) {
		uint32_t outer = outer_context(stack, parent, site, entry);
		if (outer != NONE) {
			count_entry(stack, outer);
			stack->counts.folded += stack->times;
			*index = outer;
			return STACK_OK;
		}
	}
	*index = (uint32_t)stack->node_count;
	if (!array_room(&stack->nodes, stack->node_count + 1, &stack->node_room) ||
	    !hash_add(&stack->table, hash, *index))
		return STACK_ENOMEM;
	stack->nodes[stack->node_count++] =
	    (struct stack_node){.parent = parent, .site = site, .entry = entry, .level = level, .kind = (uint8_t)kind};
	count_entry(stack, *index);
	return STACK_OK;
}

/* ---- the frames ---- */

/* Gives frames up. */
static void cut_to(struct stack *stack, size_t depth)
{
	stack->depth = depth;
	if (depth < stack->low)
		stack->low = depth;
}

static int push_stack_frame(struct stack *stack, uint32_t node, uint64_t back, enum stack_kind kind)
{
	if (stack->depth == STACK_FRAMES_MAX) { /* endless recursion: the outer half will hardly be returned to */
		size_t kept = stack->depth / 2;
		stack->counts.forgotten += (stack->depth - kept) * stack->times;
		memmove(stack->frames, stack->frames + (stack->depth - kept), kept * sizeof *stack->frames);
		cut_to(stack, 0);
		stack->depth = kept;
	}
	if (stack->depth == stack->frame_room) {
		struct frame *grown = realloc(stack->frames, 2 * stack->frame_room * sizeof *grown);
		if (grown == NULL)
			return STACK_ENOMEM;
		stack->frames = grown;
		stack->frame_room *= 2;
	}
	stack->frames[stack->depth++] = (struct frame){node, back, (uint8_t)kind};
	return STACK_OK;
}

static int begin_root(struct stack *stack, uint64_t pc)
{
	uint32_t node;
	cut_to(stack, 0);
	int error = enter_context(stack, STACK_NOBODY, 0, function_start(stack, pc), STACK_ROOT, &node);
	return error != STACK_OK ? error : push_stack_frame(stack, node, NO_RETURN, STACK_ROOT);
}

/* Keeps the frames down to the newest of the function at pc. Returns whether there is one. */
static bool resume_function(struct stack *stack, uint64_t pc)
{
	uint64_t start = function_start(stack, pc);
	for (size_t i = stack->depth; start != 0 && i-- > 0;) {
		if (stack->nodes[stack->frames[i].node].entry == start) {
			cut_to(stack, i + 1);
			return true;
		}
	}
	return false;
}

static int settle_call(struct stack *stack, uint64_t pc, uint64_t back, enum stack_kind kind)
{
	uint32_t node;
	int error = enter_context(stack, stack->frames[stack->depth - 1].node, stack->site, pc, kind, &node);
	return error != STACK_OK ? error : push_stack_frame(stack, node, back, kind);
}

/*
 * Down to the frame that goes back to pc, and below the tail calls in it, which return where their caller would:
 *
 *   main calls f, to go on at 14      main │ f 14
 *   f jumps to g                      main │ f 14 │ g 14, a tail call
 *   g returns to 14                   main
 */
static int settle_return(struct stack *stack, uint64_t pc)
{
	stack->counts.returns += stack->times;
	for (size_t i = stack->depth; i-- > 1;) {
		if (stack->frames[i].back != pc || stack->frames[i].kind == STACK_TRAP)
			continue;
		while (i > 1 && stack->frames[i].kind == STACK_TAIL)
			i--;
		for (size_t above = i; above < stack->depth; above++) {
			if (stack->frames[above].kind != STACK_TRAP)
				continue;
			stack->counts.astray += stack->times; /* a handler jumped away */
			break;
		}
		cut_to(stack, i);
		return STACK_OK;
	}
	stack->counts.unmatched += stack->times;
	const size_t depth = stack->depth;
	const bool found = resume_function(stack, pc);
	/* back in the function on top: its call was cut off by a trap */
	stack->counts.astray += depth > 1 && !(found && stack->depth == depth) ? stack->times : 0;
	return found ? STACK_OK : begin_root(stack, pc);
}

static int settle_trap_return(struct stack *stack, uint64_t pc)
{
	for (size_t i = stack->depth; i-- > 1;) {
		if (stack->frames[i].kind != STACK_TRAP)
			continue;
		const uint64_t at = stack->nodes[stack->frames[i].node].site, function = function_start(stack, pc);
		const uint64_t interrupted = function_start(stack, stack->nodes[stack->frames[i - 1].node].entry);
		cut_to(stack, i);
		/* a function's first instruction: the trap came between a call and it */
		if (pc == at || pc == function || function == function_start(stack, at) || interrupted == 0 ||
		    function == interrupted)
			return STACK_OK;
		stack->counts.astray += stack->times;
		break;
	}
	return resume_function(stack, pc) ? STACK_OK : begin_root(stack, pc);
}

/* A jump is a tail call if it goes to the start of another function. Functions that jump to each other in turn would
 * grow the stack for ever: a jump that a frame of this call's tail calls was made by before goes back to that frame. */
static int settle_jump(struct stack *stack, uint64_t pc)
{
	size_t top = stack->depth - 1;
	if (function_start(stack, pc) != pc || stack->nodes[stack->frames[top].node].entry == pc)
		return STACK_OK;
	for (size_t i = top; stack->frames[i].kind == STACK_TAIL; i--) {
		const struct stack_node *node = &stack->nodes[stack->frames[i].node];
		if (node->site == stack->site && node->entry == pc) {
			count_entry(stack, stack->frames[i].node);
			cut_to(stack, i + 1);
			return STACK_OK;
		}
	}
	return settle_call(stack, pc, stack->frames[top].back, STACK_TAIL);
}

static int settle_pending(struct stack *stack, uint64_t pc)
{
	enum pending_kind pending = stack->pending;
	stack->pending = PENDING_NONE;
	switch (pending) {
	case PENDING_CALL:
		stack->counts.calls += stack->times;
		return settle_call(stack, pc, stack->back, STACK_CALL);
	case PENDING_RETURN:
		return settle_return(stack, pc);
	case PENDING_JUMP:
		return settle_jump(stack, pc);
	case PENDING_TRAP:
		return settle_call(stack, pc, NO_RETURN, STACK_TRAP);
	case PENDING_TRAP_RETURN:
		return settle_trap_return(stack, pc);
	case PENDING_NONE:
	default:
		return STACK_OK;
	}
}

int stack_begin(struct stack *stack, uint64_t pc, enum stack_continuity continuity, uint64_t times)
{
	stack->times = times;
	if (stack->depth > 0 && continuity == STACK_FOLLOWS)
		return STACK_OK; /* the first visit settles what is pending */
	stack->pending = PENDING_NONE;
	if (continuity == STACK_RESUMES && resume_function(stack, pc)) {
		stack->counts.resumed += times;
		return STACK_OK;
	}
	return begin_root(stack, pc);
}

int stack_arrive(struct stack *stack, uint64_t pc, uint64_t times)
{
	stack->times = times;
	return stack->depth > 0 ? settle_pending(stack, pc) : begin_root(stack, pc);
}

uint64_t stack_return(const struct stack *stack, uint64_t start, bool *trapped)
{
	uint64_t back = STACK_NOWHERE;
	*trapped = stack->pending == PENDING_TRAP_RETURN;
	if (!*trapped && stack->pending != PENDING_RETURN)
		return STACK_NOWHERE;
	for (size_t i = stack->depth; i-- > 1;) {
		const struct frame *frame = &stack->frames[i];
		if (frame->kind != STACK_TRAP && frame->back == start)
			return STACK_NOWHERE;
		if (back == STACK_NOWHERE && (frame->kind == STACK_TRAP) == *trapped)
			back = *trapped ? stack->nodes[frame->node].site : frame->back;
	}
	return back;
}

int stack_trap(struct stack *stack, uint64_t pc, uint64_t times)
{
	int error = stack_arrive(stack, pc, times);
	if (error == STACK_OK) {
		stack->pending = PENDING_TRAP;
		stack->site = pc;
	}
	return error;
}

/* Address behind the last instruction that ran of a visit that ended inside its block. */
static uint64_t visit_end_of(const struct walk_visit *visit)
{
	uint64_t starts = visit->block->starts;
	for (uint32_t i = 0; i < visit->count; i++)
		starts &= starts - 1;
	return starts == 0 ? visit->block->next : visit->block->start + 2 * (uint32_t)__builtin_ctzll(starts);
}

static void take_visit_exit(struct stack *stack, const struct walk_visit *visit)
{
	const struct walk_block *block = visit->block;
	stack->site = block->last;
	stack->back = block->next;
	if (visit->last && visit->reason == TRACE_TRAP) {
		stack->pending = PENDING_TRAP;
		stack->site = visit_end_of(visit);
		return;
	}
	if (visit->count < block->count)
		return;
	if (block->exit == WALK_RET)
		stack->pending = PENDING_TRAP_RETURN;
	else if ((block->exit == WALK_JUMP || block->exit == WALK_INDIRECT) && block->link != 0)
		stack->pending = PENDING_CALL;
	else if (block->exit == WALK_INDIRECT && block->through != 0)
		stack->pending = PENDING_RETURN;
	else if (block->exit == WALK_JUMP || block->exit == WALK_INDIRECT || visit->outcome == 1)
		stack->pending = PENDING_JUMP;
}

int stack_visit(struct stack *stack, const struct walk_visit *visit, uint32_t *node)
{
	int error = settle_pending(stack, visit->block->start);
	if (error != STACK_OK)
		return error;
	*node = stack->frames[stack->depth - 1].node;
	take_visit_exit(stack, visit);
	return STACK_OK;
}

/* ---- states ---- */

struct state_wanted {
	const struct stack *stack;
	struct state state;
};

static bool same_stack_state(const void *context, uint32_t index)
{
	const struct state_wanted *wanted = context;
	const struct state *a = &wanted->stack->states[index], *b = &wanted->state;
	return a->frames == b->frames && a->pending == b->pending && a->site == b->site && a->back == b->back;
}

int stack_save(struct stack *stack, uint32_t *number)
{
	struct state_wanted wanted = {.stack = stack, .state = {.pending = (uint8_t)stack->pending}};
	if (!shelf_save(&stack->shelf, stack->frames, stack->depth, stack->low, &wanted.state.frames))
		return STACK_ENOMEM;
	stack->low = stack->depth;
	if (stack->pending != PENDING_NONE) {
		wanted.state.site = stack->site;
		wanted.state.back = stack->back;
	}
	uint32_t hash = hash_of_two(wanted.state.site ^ (uint64_t)wanted.state.pending << 48,
	    wanted.state.back ^ (uint64_t)wanted.state.frames << 32);
	*number = hash_find(&stack->state_table, hash, same_stack_state, &wanted);
	if (*number != HASH_NONE)
		return STACK_OK;
	if (!array_room(&stack->states, stack->state_count + 1, &stack->state_room) ||
	    !hash_add(&stack->state_table, hash, (uint32_t)stack->state_count))
		return STACK_ENOMEM;
	*number = (uint32_t)stack->state_count;
	stack->states[stack->state_count++] = wanted.state;
	return STACK_OK;
}

int stack_load(struct stack *stack, uint32_t number)
{
	const struct state *state = &stack->states[number];
	size_t depth = shelf_depth(&stack->shelf, state->frames);
	if (!array_room(&stack->frames, depth, &stack->frame_room) ||
	    !shelf_load(&stack->shelf, state->frames, stack->frames, stack->low))
		return STACK_ENOMEM;
	stack->depth = stack->low = depth;
	stack->pending = (enum pending_kind)state->pending;
	stack->site = state->site;
	stack->back = state->back;
	return STACK_OK;
}

void stack_forget(struct stack *stack)
{
	shelf_clear(&stack->shelf);
	hash_clear(&stack->state_table);
	stack->state_count = 0;
	stack->low = 0;
}
