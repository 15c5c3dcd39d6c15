/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/*
 * From visited blocks to paths. The newest frame is what runs; each frame below waits for a callee (or a handler) to
 * come back. Where a transfer goes is known only when the next block arrives, so every transfer is first noted in the
 * frame (pending) and made then.
 */
#include "host/paths/private.h"
#include "host/base/order.h"

#include <stdlib.h>
#include <string.h>

static const struct numbering *numbering_of_block(const struct paths *paths, uint32_t block, uint32_t *base)
{
	const struct cfg *cfg = paths->cfg;
	uint32_t function = cfg->blocks[block].function;
	*base = cfg->blocks[cfg->functions[function].blocks].edges;
	return &paths->functions[function].numbering;
}

/* Whatever the observer returns is kept until the visit is over. */
static void keep_observed(struct paths *paths, int error)
{
	if (paths->error == PATHS_OK)
		paths->error = error;
}

static void observe_lost(struct paths *paths, struct frame *frame)
{
	const struct paths_observer *o = &paths->observer;
	if (o->context != NULL && frame->word != 0)
		keep_observed(paths, o->lost(o->context, paths->times, &frame->word));
}

static void observe_edge(struct paths *paths, struct frame *frame, uint32_t edge)
{
	const struct paths_observer *o = &paths->observer;
	if (o->context != NULL && frame->block != CFG_NONE)
		keep_observed(paths, o->edge(o->context, edge, frame->block, paths->times, &frame->word));
}

/* The frame's own code has taken so many cycles, one time. */
static void spend_cycles(struct paths *paths, struct frame *frame, uint64_t cycles)
{
	const struct paths_observer *o = &paths->observer;
	paths->counts.spent += cycles * paths->times;
	if (frame->block == CFG_NONE)
		return;
	paths->block_spent[frame->block] += cycles * paths->times;
	if (frame->turning != 0)
		paths->edge_spent[frame->turning - 1] += cycles * paths->times;
	else
		frame->spent += cycles;
	if (o->context != NULL && frame->word != 0)
		keep_observed(paths, o->spend(o->context, cycles, &frame->word));
}

/* A path of this frame begins, or goes on from an unknown beginning. */
static void begin_frame_path(struct paths *paths, struct frame *frame, uint32_t block, bool begins)
{
	uint32_t base;
	frame->from = frame->block = block;
	frame->sum = frame->spent = 0;
	frame->insns = frame->turning = 0;
	frame->begins = false;
	frame->pending = AT_NOTHING;
	if (block == CFG_NONE) {
		paths->counts.outside += paths->times;
		return;
	}
	const struct numbering *n = numbering_of_block(paths, block, &base);
	frame->begins =
	    begins && n->enter != NULL &&
	    n->enter[block - paths->cfg->functions[paths->cfg->blocks[block].function].blocks] != NUMBERING_NONE;
}

/* The same for execution that comes there from outside of the function, or from where is not known. */
static void start_path(struct paths *paths, struct frame *frame, uint32_t block, bool begins)
{
	const struct paths_observer *o = &paths->observer;
	begin_frame_path(paths, frame, block, begins);
	frame->word = 0;
	if (o->context != NULL && block != CFG_NONE)
		keep_observed(paths, o->enter(o->context, block, begins, paths->times, &frame->word));
}

/* The frame's block is left: what of it was not executed. */
static void leave_frame_block(struct paths *paths, const struct frame *frame)
{
	if (frame->block == CFG_NONE)
		return;
	uint32_t insns = paths->cfg->blocks[frame->block].insns;
	if (frame->insns < insns)
		paths->counts.skipped += (insns - frame->insns) * paths->times;
	else
		paths->counts.again += (frame->insns - insns) * paths->times;
}

/* The path is cut off in its present block. */
static int end_piece(struct paths *paths, struct frame *frame)
{
	int error = PATHS_OK;
	observe_lost(paths, frame);
	if (frame->from != CFG_NONE && frame->block != CFG_NONE) {
		leave_frame_block(paths, frame);
		error = paths_count(paths,
		    &(struct counter_key){paths, frame->from, frame->block, frame->begins, frame->sum, 0}, frame->spent,
		    paths->times);
	}
	frame->from = frame->block = CFG_NONE;
	frame->pending = AT_NOTHING;
	return error;
}

/* The path ends; value is that of its last edge. */
static int end_frame_path(struct paths *paths, struct frame *frame, uint64_t value)
{
	leave_frame_block(paths, frame);
	int error = paths_count(paths,
	    &(struct counter_key){paths, frame->from, CFG_NONE, frame->begins, frame->sum + value, 0}, frame->spent,
	    paths->times);
	frame->from = frame->block = CFG_NONE;
	frame->pending = AT_NOTHING;
	return error;
}

/* The edge to a block, or one out of the function of this kind (and target, unless 0); CFG_NONE: there is none. */
uint32_t paths_find_edge(const struct cfg *cfg, uint32_t from, uint32_t to, unsigned kind, uint64_t target)
{
	const struct cfg_block *block = &cfg->blocks[from];
	uint32_t e = block->edges, end = e + block->edge_count;
	if (to != CFG_NONE && end - e > 16 && cfg->edges[e].kind == CFG_TABLE) { /* a large table, by address */
		uint32_t low;
		ORDER_FIRST(low, e, end, cfg->edges[low].target < cfg->blocks[to].start);
		return low < end && cfg->edges[low].to == to ? low : CFG_NONE;
	}
	for (; e < end; e++) {
		const struct cfg_edge *edge = &cfg->edges[e];
		if (to != CFG_NONE
			? edge->to == to
			: edge->to == CFG_NONE && edge->kind == kind && (target == 0 || edge->target == target))
			return e;
	}
	return CFG_NONE;
}

/* Over an edge to a block of the function. */
static int take_path_edge(struct paths *paths, struct frame *frame, uint32_t e)
{
	uint32_t base, to = paths->cfg->edges[e].to;
	const struct numbering *n = numbering_of_block(paths, frame->block, &base);
	unsigned kind = n->kind[e - base];
	observe_edge(paths, frame, e);
	frame->turning = kind == NUMBERING_SELF ? e + 1 : 0;
	if (kind == NUMBERING_PLAIN) {
		leave_frame_block(paths, frame);
		frame->sum += n->value[e - base];
	} else if (kind == NUMBERING_SELF) {
		leave_frame_block(paths, frame);
		paths->edge_counts[e] += paths->times;
		paths->counts.self += paths->times;
	} else {
		uint32_t own = frame->block - paths->cfg->functions[paths->cfg->blocks[frame->block].function].blocks;
		paths->edge_counts[e] += paths->times;
		int error = end_frame_path(paths, frame, n->leave[own]);
		begin_frame_path(paths, frame, to, true);
		return error;
	}
	frame->block = to;
	frame->insns = 0;
	frame->pending = AT_NOTHING;
	return PATHS_OK;
}

/* Out of the function by an edge of this kind. */
static int take_path_exit(struct paths *paths, struct frame *frame, unsigned kind, uint64_t target)
{
	uint32_t base, e;
	if (frame->block == CFG_NONE)
		return PATHS_OK;
	e = paths_find_edge(paths->cfg, frame->block, CFG_NONE, kind, target);
	if (e == CFG_NONE) {
		paths->counts.irregular += paths->times;
		return end_piece(paths, frame);
	}
	const struct numbering *n = numbering_of_block(paths, frame->block, &base);
	observe_edge(paths, frame, e);
	return end_frame_path(paths, frame, n->value[e - base]);
}

/* The newest frame, and whatever was above it, may have changed. */
static void touch_frames(struct paths *paths)
{
	size_t top = paths->depth == 0 ? 0 : paths->depth - 1;
	paths->low = top < paths->low ? top : paths->low;
}

static int push_frame(struct paths *paths, bool trap)
{
	if (paths->depth == PATHS_FRAMES_MAX) {
		int error = PATHS_OK;
		size_t half = paths->depth / 2;
		for (size_t i = 0; i < half && error == PATHS_OK; i++)
			error = end_piece(paths, &paths->frames[i]);
		if (error != PATHS_OK)
			return error;
		memmove(paths->frames, paths->frames + half, (paths->depth - half) * sizeof *paths->frames);
		paths->depth -= half;
		paths->low = 0;
		paths->counts.forgotten += half * paths->times;
	}
	if (!array_room(&paths->frames, paths->depth + 1, &paths->frame_size))
		return PATHS_ENOMEM;
	paths->frames[paths->depth++] =
	    (struct frame){.from = CFG_NONE, .block = CFG_NONE, .trap = trap, .pending = AT_NOTHING};
	return PATHS_OK;
}

/* Ends the frames above `keep` of them, which nothing comes back to. */
static int drop_frames(struct paths *paths, size_t keep)
{
	int error = PATHS_OK;
	while (paths->depth > keep && error == PATHS_OK)
		error = end_piece(paths, &paths->frames[--paths->depth]);
	touch_frames(paths);
	return error;
}

static bool waits_at(const struct paths *paths, const struct frame *frame, uint64_t pc)
{
	const struct cfg *cfg = paths->cfg;
	if (frame->pending == AT_CALL || frame->pending == AT_DIRECT)
		return frame->next == pc;
	/* behind a trapped instruction too: it was emulated, or is an environment call */
	return frame->pending == AT_MIDDLE && frame->block != CFG_NONE && pc >= frame->next && pc - frame->next <= 4 &&
	       pc < cfg->blocks[frame->block].end;
}

/* Makes the pending transfer of a frame that waits for pc. */
static int go_on_at(struct paths *paths, struct frame *frame, uint64_t pc)
{
	const struct cfg *cfg = paths->cfg;
	if (frame->pending == AT_MIDDLE)
		return PATHS_OK; /* in the same block */
	uint32_t to = cfg_block_at(cfg, pc);
	uint32_t e = frame->block == CFG_NONE || to == CFG_NONE || cfg->blocks[to].start != pc
			 ? CFG_NONE
			 : paths_find_edge(cfg, frame->block, to, 0, 0);
	if (e != CFG_NONE)
		return take_path_edge(paths, frame, e);
	if (frame->block != CFG_NONE) {
		paths->counts.irregular += paths->times;
		int error = end_piece(paths, frame);
		if (error != PATHS_OK)
			return error;
	}
	start_path(paths, frame, to, false);
	return PATHS_OK;
}

/* Execution is at pc, and no frame says why: a piece begins. It goes on in a frame whose function it is (longjmp),
 * else nothing is known. */
static int arrive_somewhere(struct paths *paths, uint64_t pc, bool known)
{
	const struct cfg *cfg = paths->cfg;
	uint32_t block = cfg_block_at(cfg, pc);
	bool begins = block != CFG_NONE && cfg->blocks[block].start == pc && paths->certain[block];
	size_t keep = 0;
	for (size_t i = paths->depth; block != CFG_NONE && i-- > 0 && keep == 0;) {
		const struct frame *f = &paths->frames[i];
		if (f->block != CFG_NONE && cfg->blocks[f->block].function == cfg->blocks[block].function)
			keep = i + 1;
	}
	if (known && keep > 0)
		paths->counts.dropped_frames += (paths->depth - keep) * paths->times;
	int error = drop_frames(paths, keep);
	if (error == PATHS_OK && keep > 0)
		error = end_piece(paths, &paths->frames[keep - 1]);
	else if (error == PATHS_OK)
		error = push_frame(paths, false);
	if (error == PATHS_OK)
		start_path(paths, &paths->frames[paths->depth - 1], block, begins);
	return error;
}

/* To the entry of another function, in the same frame. */
static int take_tail_call(struct paths *paths, struct frame *frame, uint64_t pc, unsigned kind)
{
	int error = take_path_exit(paths, frame, kind, kind == CFG_TAIL ? pc : 0);
	start_path(paths, frame, cfg_block_at(paths->cfg, pc), true);
	return error;
}

/* Back to a frame that waits at pc; handlers on the way have ended too. */
static int go_back_to(struct paths *paths, uint64_t pc)
{
	for (size_t i = paths->depth; i-- > 0;) {
		if (!waits_at(paths, &paths->frames[i], pc))
			continue;
		paths->counts.dropped_frames += (paths->depth - 1 - i) * paths->times;
		int error = drop_frames(paths, i + 1);
		return error != PATHS_OK ? error : go_on_at(paths, &paths->frames[i], pc);
	}
	paths->counts.unmatched += paths->times;
	return arrive_somewhere(paths, pc, true);
}

static int take_indirect(struct paths *paths, uint64_t pc)
{
	const struct cfg *cfg = paths->cfg;
	struct frame *frame = &paths->frames[paths->depth - 1];
	uint32_t to = cfg_block_at(cfg, pc);
	if (frame->block != CFG_NONE && to != CFG_NONE && cfg->blocks[to].start == pc) {
		uint32_t e = paths_find_edge(cfg, frame->block, to, 0, 0);
		if (e != CFG_NONE)
			return take_path_edge(paths, frame, e);
		if (paths_find_edge(cfg, frame->block, CFG_NONE, CFG_TAIL, pc) != CFG_NONE)
			return take_tail_call(paths, frame, pc, CFG_TAIL);
	}
	bool unresolved =
	    frame->block != CFG_NONE && paths_find_edge(cfg, frame->block, CFG_NONE, CFG_UNRESOLVED, 0) != CFG_NONE;
	unsigned kind = unresolved ? CFG_UNRESOLVED : CFG_TAIL_INDIRECT;
	if (cfg_function_at(cfg, pc) != CFG_NONE)
		return take_tail_call(paths, frame, pc, kind);
	for (size_t i = paths->depth - 1; i-- > 0;) {
		if (!waits_at(paths, &paths->frames[i], pc))
			continue;
		int error = take_path_exit(paths, frame, kind, 0); /* a return by another register */
		paths->depth--;
		touch_frames(paths);
		return error != PATHS_OK ? error : go_back_to(paths, pc);
	}
	paths->counts.unresolved += paths->times;
	int error = take_path_exit(paths, frame, kind, 0);
	/* a block that nothing else leads to is where paths of unknown jumps begin */
	start_path(paths, frame, to, to != CFG_NONE && cfg->blocks[to].start == pc && cfg->blocks[to].root);
	return error;
}

/* Execution goes on at pc. */
static int arrive_at(struct paths *paths, uint64_t pc)
{
	const struct cfg *cfg = paths->cfg;
	if (paths->depth == 0)
		return arrive_somewhere(paths, pc, false);
	struct frame *frame = &paths->frames[paths->depth - 1];
	int error = PATHS_OK;
	switch (frame->pending) {
	case AT_MIDDLE:
		return waits_at(paths, frame, pc) ? PATHS_OK : arrive_somewhere(paths, pc, true);
	case AT_DIRECT:
		if (frame->block != CFG_NONE && frame->next == pc) {
			uint32_t to = cfg_block_at(cfg, pc);
			if (to != CFG_NONE && cfg->blocks[to].start == pc) {
				uint32_t e = paths_find_edge(cfg, frame->block, to, 0, 0);
				if (e != CFG_NONE)
					return take_path_edge(paths, frame, e);
			}
			if (paths_find_edge(cfg, frame->block, CFG_NONE, CFG_TAIL, pc) != CFG_NONE)
				return take_tail_call(paths, frame, pc, CFG_TAIL);
			paths->counts.irregular += paths->times;
			error = end_piece(paths, frame);
		}
		start_path(paths, frame, cfg_block_at(cfg, pc), cfg_function_at(cfg, pc) != CFG_NONE);
		return error;
	case AT_CALL:
		/* the caller's path ends here if nobody comes back */
		if (frame->block != CFG_NONE &&
		    paths_find_edge(cfg, frame->block, CFG_NONE, CFG_NO_RETURN, 0) != CFG_NONE) {
			uint64_t next = frame->next;
			error = take_path_exit(paths, frame, CFG_NO_RETURN, 0);
			frame->pending = AT_CALL;
			frame->next = next;
		}
		if (error == PATHS_OK)
			error = push_frame(paths, false);
		if (error == PATHS_OK)
			start_path(paths, &paths->frames[paths->depth - 1], cfg_block_at(cfg, pc),
			    cfg_function_at(cfg, pc) != CFG_NONE);
		return error;
	case AT_RETURN:
	case AT_XRET: {
		/* a handler goes back to what it interrupted, whatever that was about to do */
		bool resume = frame->pending == AT_XRET && frame->trap && paths->depth > 1;
		error = take_path_exit(paths, frame, frame->pending == AT_RETURN ? CFG_RETURN : CFG_XRET, 0);
		paths->depth--;
		touch_frames(paths);
		if (error == PATHS_OK && resume)
			return arrive_at(paths, pc);
		return error != PATHS_OK ? error : go_back_to(paths, pc);
	}
	case AT_INDIRECT:
		return take_indirect(paths, pc);
	default:
		return arrive_somewhere(paths, pc, true);
	}
}

/* The same when something may have been left out before pc. */
static int arrive_after(struct paths *paths, uint64_t pc)
{
	for (size_t i = paths->depth; i-- > 0;) {
		if (!waits_at(paths, &paths->frames[i], pc))
			continue;
		int error = drop_frames(paths, i + 1);
		return error != PATHS_OK ? error : go_on_at(paths, &paths->frames[i], pc);
	}
	return arrive_somewhere(paths, pc, false);
}

int paths_begin(struct paths *paths, enum paths_continuity continuity, uint64_t times)
{
	int error = PATHS_OK;
	paths->times = times;
	if (continuity == PATHS_UNRELATED)
		error = drop_frames(paths, 0);
	paths->continuity = continuity;
	paths->begun = true;
	return error != PATHS_OK ? error : paths->error;
}

/* How control leaves a visited block. */
static void note_pending(struct frame *frame, const struct walk_visit *visit, bool complete, uint64_t end)
{
	const struct walk_block *block = visit->block;
	frame->next = end;
	frame->pending = AT_DIRECT;
	if (!complete)
		return;
	switch (block->exit) {
	case WALK_BRANCH:
		if (visit->outcome < 0)
			frame->pending = AT_NOTHING; /* it is not known which way */
		frame->next = visit->outcome == 1 ? block->target : block->next;
		break;
	case WALK_JUMP:
		frame->next = block->link != 0 ? block->next : block->target;
		frame->pending = block->link != 0 ? AT_CALL : AT_DIRECT;
		break;
	case WALK_INDIRECT:
		frame->next = block->next;
		if (block->link != 0)
			frame->pending = AT_CALL;
		else if (block->through != 0)
			frame->pending = AT_RETURN;
		else
			frame->pending = AT_INDIRECT;
		break;
	case WALK_RET:
		frame->pending = AT_XRET;
		break;
	default:
		break;
	}
}

int paths_visit(struct paths *paths, const struct walk_visit *visit)
{
	return paths_visit_spent(paths, visit, NULL);
}

int paths_visit_spent(struct paths *paths, const struct walk_visit *visit, const uint64_t *spent)
{
	const struct cfg *cfg = paths->cfg;
	const struct walk_block *block = visit->block;
	bool complete = visit->count == block->count;
	uint64_t starts = block->starts;
	uint64_t pc = block->start;
	uint32_t left = visit->count;
	int error = PATHS_OK;
	touch_frames(paths);
	if (!paths->begun || paths->continuity == PATHS_FOLLOWS)
		error = arrive_at(paths, pc);
	else if (paths->continuity == PATHS_INTERRUPTS) {
		error = push_frame(paths, true);
		if (error == PATHS_OK)
			start_path(paths, &paths->frames[paths->depth - 1], cfg_block_at(cfg, pc),
			    cfg_function_at(cfg, pc) != CFG_NONE);
	} else
		error = arrive_after(paths, pc);
	paths->begun = false;
	paths->counts.insns += visit->count * paths->times;
	/* the visit may span several blocks, joined by falling through */
	while (error == PATHS_OK) {
		struct frame *frame = &paths->frames[paths->depth - 1];
		uint64_t end = frame->block == CFG_NONE ? UINT64_MAX : cfg->blocks[frame->block].end;
		uint64_t cycles = 0;
		uint32_t count = 0;
		while (left > 0 && pc < end) {
			cycles += spent != NULL ? *spent++ : 0;
			starts &= starts - 1;
			pc = starts != 0 ? block->start + 2 * (uint32_t)__builtin_ctzll(starts) : block->next;
			left--;
			count++;
		}
		frame->insns += count;
		if (cycles > 0)
			spend_cycles(paths, frame, cycles);
		if (left == 0) {
			note_pending(frame, visit, complete, pc);
			if (frame->pending == AT_DIRECT && pc < end && frame->block != CFG_NONE &&
			    (!complete || block->exit == WALK_FALL || block->exit == WALK_STUCK))
				frame->pending = AT_MIDDLE;
			return paths->error;
		}
		if (count == 0) { /* a graph with overlapping code: the block ends before the instruction does */
			paths->counts.irregular += paths->times;
			error = end_piece(paths, frame);
			continue;
		}
		frame->pending = AT_DIRECT;
		frame->next = pc;
		error = arrive_at(paths, pc);
	}
	return error;
}

int paths_record_end(struct paths *paths)
{
	if (paths->depth > 0) {
		struct frame *frame = &paths->frames[paths->depth - 1];
		int error = PATHS_OK;
		if (frame->block == CFG_NONE)
			return drop_frames(paths, 0);
		if (frame->pending == AT_RETURN || frame->pending == AT_XRET) {
			error = take_path_exit(paths, frame, frame->pending == AT_RETURN ? CFG_RETURN : CFG_XRET, 0);
		} else if (frame->pending == AT_DIRECT) {
			uint32_t to = cfg_block_at(paths->cfg, frame->next), base, e = CFG_NONE;
			const struct numbering *n = numbering_of_block(paths, frame->block, &base);
			if (to != CFG_NONE && paths->cfg->blocks[to].start == frame->next)
				e = paths_find_edge(paths->cfg, frame->block, to, 0, 0);
			bool alone = frame->from == frame->block;
			if (e != CFG_NONE &&
			    (n->kind[e - base] == NUMBERING_SELF ? alone : n->kind[e - base] != NUMBERING_PLAIN)) {
				/* over the back edge; what begins behind it is the next record's */
				error = take_path_edge(paths, frame, e);
				frame->from = frame->block = CFG_NONE;
			} else if (e == CFG_NONE && paths_find_edge(paths->cfg, frame->block, CFG_NONE, CFG_TAIL,
							frame->next) != CFG_NONE)
				error = take_path_exit(paths, frame, CFG_TAIL, frame->next);
		}
		if (error != PATHS_OK)
			return error;
	}
	int error = drop_frames(paths, 0);
	return error != PATHS_OK ? error : paths->error;
}

int paths_finish(struct paths *paths)
{
	paths->begun = true;
	paths->continuity = PATHS_UNRELATED;
	int error = drop_frames(paths, 0);
	return error != PATHS_OK ? error : paths->error;
}

/* ---- states ---- */

uint32_t paths_hash_frame(const void *frame)
{
	const struct frame *f = frame;
	return hash_of_two(f->next ^ (uint64_t)f->block << 40 ^ (uint64_t)f->pending << 32,
	    f->sum ^ (uint64_t)f->from << 32 ^ (uint64_t)f->insns << 20 ^ (uint64_t)f->begins << 63 ^
		(uint64_t)f->trap << 62 ^ (f->word + (f->spent << 32)) * UINT64_C(0x9E3779B97F4A7C15));
}

bool paths_same_frame(const void *a, const void *b)
{
	const struct frame *x = a, *y = b;
	return x->from == y->from && x->block == y->block && x->next == y->next && x->insns == y->insns &&
	       x->sum == y->sum && x->begins == y->begins && x->trap == y->trap && x->pending == y->pending &&
	       x->word == y->word && x->spent == y->spent && x->turning == y->turning;
}

int paths_save(struct paths *paths, uint32_t *frames)
{
	if (!shelf_save(&paths->shelf, paths->frames, paths->depth, paths->low, frames))
		return PATHS_ENOMEM;
	paths->low = paths->depth;
	return PATHS_OK;
}

int paths_load(struct paths *paths, uint32_t frames)
{
	size_t depth = shelf_depth(&paths->shelf, frames);
	if (!array_room(&paths->frames, depth, &paths->frame_size) ||
	    !shelf_load(&paths->shelf, frames, paths->frames, paths->low))
		return PATHS_ENOMEM;
	paths->depth = paths->low = depth;
	return PATHS_OK;
}

int paths_forget(struct paths *paths)
{
	const struct paths_observer *o = &paths->observer;
	int error = PATHS_OK;
	shelf_clear(&paths->shelf);
	if (o->context == NULL)
		return error;
	o->forget(o->context);
	for (size_t i = 0; i < paths->depth && error == PATHS_OK; i++)
		error = o->kept(o->context, &paths->frames[i].word);
	paths->low = 0;
	return error;
}
