/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#include "host/etrace/steps.h"

#define STRAIGHT_MAX SIZED(1u << 22, 1u << 12) /* instructions between two outcomes or jumps */

bool etrace_fail(struct etrace_decoder *d, const char *why)
{
	d->wrong = why;
	return false;
}

void etrace_empty_outcomes(struct etrace_decoder *d)
{
	d->outcomes = (struct etrace_outcomes){0};
	d->untrained = false;
}

/* ---------------------------------------------------------------- outcomes */

uint64_t etrace_outcomes_left(const struct etrace_decoder *d)
{
	return d->outcomes.count + d->outcomes.right + d->outcomes.wrong;
}

bool etrace_is_branch(const struct etrace_decoder *d, uint64_t pc)
{
	return standard_code_at(d->base.code, pc)->class == STANDARD_BRANCH;
}

bool etrace_next_outcome(const struct etrace_decoder *d)
{
	const struct etrace_outcomes *o = &d->outcomes;
	if (o->count > 0)
		return (o->map & 1) == 0;
	return etrace_predict(&d->state, d->pc) == (o->right > 0);
}

/* The next outcome, spent, and learnt by the predictor. */
static bool take_outcome(struct etrace_decoder *d)
{
	struct etrace_outcomes *o = &d->outcomes;
	bool taken = etrace_next_outcome(d);
	if (o->count > 0) {
		o->map >>= 1;
		o->count--;
	} else if (o->right > 0)
		o->right--;
	else
		o->wrong = false;
	if (!d->untrained)
		etrace_train(&d->state, d->pc, taken);
	d->untrained = false;
	d->straight = 0;
	return taken;
}

void etrace_add_outcomes(struct etrace_decoder *d, uint64_t map, unsigned count)
{
	d->outcomes.map |= map << d->outcomes.count;
	d->outcomes.count += count;
}

void etrace_settle_prediction(struct etrace_decoder *d)
{
	if (d->outcomes.count > 0 || etrace_outcomes_left(d) != 1)
		return;
	bool taken = etrace_next_outcome(d);
	d->outcomes = (struct etrace_outcomes){.map = !taken, .count = 1};
}

/* ---------------------------------------------------------------- walking */

/* The return at pc goes where the stack says: the packet does not report it. */
static bool is_implicit(
    const struct etrace_decoder *d, const struct standard_insn *insn, uint64_t target, const struct etrace_packet *t)
{
	if (!d->options.implicit_return || insn->class != STANDARD_RETURN || d->state.depth == 0)
		return false;
	bool last = etrace_outcomes_left(d) == (etrace_is_branch(d, target) ? 1u : 0u);
	return !(t->irreport && t->irdepth == d->state.depth && last);
}

bool etrace_expects_jump(const struct etrace_decoder *d, const struct standard_insn *insn, uint64_t *target)
{
	return d->options.sequential_jump && standard_sequential(&d->before, insn, target);
}

void etrace_decoder_retire(struct etrace_decoder *d, const struct standard_insn *insn)
{
	d->pc = insn->pc;
	d->behind = (insn->pc + insn->length) & d->base.ones;
	standard_flow_retire(&d->base.flow, insn);
}

/* From a plain instruction at pc on in a straight line, up to the next one that may do more; not past `short_of`
 * (odd: no such place). False: there is no such line, or it has to be walked step by step. */
static bool etrace_run_straight(struct etrace_decoder *d, uint64_t short_of)
{
	const struct standard_block *line = standard_code_block(d->base.code, d->pc);
	const bool inside = short_of > d->pc && short_of < line->last;
	const bool sequential =
	    d->options.sequential_jump && (line->class == STANDARD_PLAIN || line->class > STANDARD_CALL);
	if (line->count < 2 || inside || sequential || line->last < d->pc || d->straight + line->count > STRAIGHT_MAX)
		return false;
	const struct standard_block rest = {.pc = d->behind,
	    .last = line->last,
	    .behind = line->behind,
	    .count = (uint16_t)(line->count - 1),
	    .class = line->class};
	d->straight += rest.count;
	d->before.constant = false;
	d->before.class = STANDARD_PLAIN;
	d->pc = rest.last;
	d->behind = rest.behind;
	standard_flow_run(&d->base.flow, &rest);
	return true;
}

void etrace_leave_image(struct etrace_decoder *d, uint64_t pc)
{
	standard_flow_put(&d->base.flow, STANDARD_BROKEN, pc);
	d->base.counts.excursions++;
	d->place = PLACE_OUTSIDE;
	d->inferred = false;
	d->pc = pc;
}

/* Where insn goes, which is no jump whose target the packet tells. */
static bool infer_target(struct etrace_decoder *d, const struct standard_insn *insn, uint64_t target,
    const struct etrace_packet *t, uint64_t *to)
{
	*to = insn->pc + insn->length;
	if (etrace_expects_jump(d, insn, to))
		return true;
	if (is_implicit(d, insn, target, t)) {
		*to = etrace_top(&d->state);
		etrace_pop(&d->state);
		return true;
	}
	if (insn->class == STANDARD_BRANCH || insn->class == STANDARD_JUMP || insn->class == STANDARD_CALL)
		*to = insn->target;
	return !standard_uninferable(insn);
}

/* From pc to the instruction that retires after it; *stop: it is the target that the packet tells. */
static bool etrace_step(struct etrace_decoder *d, uint64_t target, const struct etrace_packet *t, bool *stop)
{
	const struct standard_insn here = *standard_code_at(d->base.code, d->pc), *insn = &here;
	uint64_t to;
	*stop = false;
	if (insn->class == STANDARD_BRANCH) {
		if (etrace_outcomes_left(d) == 0)
			return etrace_fail(d, "meets a branch without an outcome");
		to = take_outcome(d) ? insn->target : insn->pc + insn->length;
	} else if (!infer_target(d, insn, target, t, &to)) {
		if (d->stop_last)
			return etrace_fail(d, "has outcomes behind a jump whose target it does not tell");
		to = target;
		*stop = true;
	}
	to &= d->base.ones;
	d->before = here;
	if (d->options.implicit_return && (insn->class == STANDARD_CALL || insn->class == STANDARD_CALL_INDIRECT))
		etrace_push(&d->state, (insn->pc + insn->length) & d->base.ones);
	const struct standard_insn *there = standard_code_at(d->base.code, to);
	if (there->length == 0) {
		if (insn->class == STANDARD_PLAIN || insn->class == STANDARD_BRANCH)
			return etrace_fail(d, "leaves the program's code");
		etrace_leave_image(d, to);
		return true;
	}
	if (there->class == STANDARD_TRAPS)
		return etrace_fail(d, "passes an instruction that cannot retire");
	if (++d->straight > STRAIGHT_MAX)
		return etrace_fail(d, "names an instruction that its walk does not reach");
	etrace_decoder_retire(d, there);
	return true;
}

/* Whether the walk is where the packet ends, at address. */
static bool is_there(struct etrace_decoder *d, const struct etrace_packet *t)
{
	if (d->stop_last || d->pc != d->address || etrace_outcomes_left(d) != etrace_is_branch(d, d->pc))
		return false;
	if (t->kind == ETRACE_START)
		return t->privilege == d->privilege || d->before.class == STANDARD_TRAP_RETURN;
	if (t->kind == ETRACE_CACHED)
		return false;
	if (t->irreport && t->irdepth != d->state.depth)
		return false;
	if (t->notify || t->updiscon)
		return t->notify;
	d->inferred = true;
	d->meant = *t;
	return true;
}

bool etrace_follow_packet(struct etrace_decoder *d, const struct etrace_packet *t, bool *stop)
{
	d->straight = 0;
	while (d->base.flow.stopped == 0) {
		*stop = false;
		if (!etrace_run_straight(d, d->address) && !etrace_step(d, d->address, t, stop))
			return false;
		if (d->place == PLACE_OUTSIDE)
			return true;
		if (d->stop_last && etrace_outcomes_left(d) == 1 && etrace_is_branch(d, d->pc)) {
			d->stop_last = false;
			return true;
		}
		if (*stop && t->notify)
			return etrace_fail(d, "is about a jump's target, but says that it is not");
		if (*stop)
			return etrace_outcomes_left(d) == etrace_is_branch(d, d->pc)
				   ? true
				   : etrace_fail(d, "has more outcomes than branches");
		if (is_there(d, t))
			return true;
	}
	return true;
}

bool etrace_settle_arrival(struct etrace_decoder *d)
{
	uint64_t target = d->pc;
	bool stop = false;
	if (!d->inferred)
		return true;
	d->inferred = false;
	d->stop_last = false;
	d->straight = 0;
	while (!stop && d->base.flow.stopped == 0 && d->place == PLACE_KNOWN) {
		if (!etrace_run_straight(d, STANDARD_NOWHERE) && !etrace_step(d, target, &d->meant, &stop))
			return false;
	}
	if (stop && d->options.cache)
		*etrace_place(&d->state, d->pc) = d->pc;
	return true;
}
