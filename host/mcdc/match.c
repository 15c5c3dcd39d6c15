/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* Lays the conditions of a decision over its branches: each branch that may be the first is tried, condition by
 * condition, with either way as true. */
#include "host/mcdc/match.h"
#include "host/base/order.h"

#include <stdlib.h>
#include <string.h>
#include "host/base/array.h"
#include "host/mcdc/origins.h"
#include "host/mcdc/same.h"
#include "isa/isa.h"

#define FOLLOW_MAX 512 /* instructions between two branches */

const char *mcdc_reason_text(unsigned reason)
{
	static const char *const texts[MCDC_REASONS] = {[MCDC_TOLD] = "",
	    [MCDC_LARGE] = "it has too many conditions",
	    [MCDC_UNCLEAR] = "the mapping does not name each of its conditions once",
	    [MCDC_CONSTANT] = "the compiler knows the value of a condition",
	    [MCDC_NO_CODE] = "no code of it is in the program",
	    [MCDC_NO_BRANCH] = "branchless code: it has no branch",
	    [MCDC_FOLDED] = "conditions were folded into one branch, or computed without",
	    [MCDC_EXTRA] = "a branch of it is no condition's",
	    [MCDC_SHAPE] = "its branches do not go where its conditions go",
	    [MCDC_PLACE] = "columns do not tell its conditions apart",
	    [MCDC_SIDES] = "which way of a branch is true is open",
	    [MCDC_ASTRAY] = "its branches ran in an order that no evaluation has"};
	return reason < MCDC_REASONS ? texts[reason] : "";
}

struct side { /* a way on which the decision is known */
	uint64_t address;
	uint32_t branch; /* of the scan, to which it leads; SCAN_NONE: out of the decision */
	bool value;
	uint8_t condition, way;
};

struct cover {                            /* a trial */
	uint32_t branch[MCDC_CONDITIONS]; /* of the scan; SCAN_NONE: not known yet */
	bool taken_is_true[MCDC_CONDITIONS];
	uint8_t echo[MCDC_CONDITIONS]; /* as in struct mcdc_branch */
	uint32_t sets;                 /* registers set between its branches, for what comes behind it */
	bool computed;                 /* code of the last condition stands before its branch, on each way to it */
	struct side sides[2 * MCDC_CONDITIONS];
	unsigned side_count;
};

struct trial {
	struct scan *scan;
	uint32_t number;
	const struct mcdc_decision *decision;
	unsigned fits;      /* ways that fit, at most 2 */
	bool misplaced;     /* one would fit, but for its columns */
	struct cover cover; /* the first that fits */
};

/* ---- where code leads ---- */

struct leads {
	uint64_t address; /* behind jumps */
	uint32_t branch;  /* the next one of the decision; SCAN_NONE: out of it */
	uint32_t within;  /* bits: conditions of which an instruction stands before that branch */
	uint32_t sets;    /* bits: registers written by no condition, that nothing up to that branch reads */
};

static bool is_candidate(const struct scan *scan, uint32_t number, const struct scan_branch *branch)
{
	unsigned index;
	if (branch->decision != SCAN_NONE)
		return branch->decision == number;
	return number >= branch->first && number < branch->end &&
	       scan_classify(&scan->mapping->decisions[number], branch->point, &index) == SCAN_ROOT;
}

/* From an address on, over jumps and calls, up to a branch. */
static struct leads follow_code(struct trial *t, uint64_t address)
{
	struct leads leads = {address, SCAN_NONE, 0, 0};
	bool only_jumps = true;
	for (unsigned i = 0; i < FOLLOW_MAX; i++) {
		struct isa_insn insn;
		int within;
		if (!image_insn(t->scan->image, address, 0, &insn))
			return leads;
		bool jumps = (insn.class_bits & (ISA_JUMP | ISA_CALL)) == ISA_JUMP;
		if (only_jumps && jumps) {
			address = leads.address = isa_target(&insn, address);
			continue;
		}
		only_jumps = false;
		if (!scan_evaluates(t->scan, t->number, address, &within))
			return leads;
		leads.within |= within >= 0 ? 1u << within : 0;
		struct isa_registers registers;
		isa_registers(&insn, &registers);
		leads.sets =
		    (leads.sets & ~registers.x_read & ~registers.x_written) | (within < 0 ? registers.x_written : 0);
		if ((insn.class_bits & ISA_BRANCH) != 0) {
			uint32_t branch = scan_branch_at(t->scan, address);
			if (branch != SCAN_NONE && is_candidate(t->scan, t->number, &t->scan->branches[branch]))
				leads.branch = branch;
			return leads;
		}
		if ((insn.class_bits & (ISA_INDIRECT | ISA_RET | ISA_TRAPS)) != 0 && (insn.class_bits & ISA_CALL) == 0)
			return leads;
		address = jumps ? isa_target(&insn, address) : address + insn.length;
	}
	return leads;
}

/* ---- columns ---- */

static bool clang_places(const struct mcdc_decision *d, unsigned condition, enum scan_class class, unsigned index)
{
	if (class == SCAN_IN)
		return index == condition;
	return condition + 1 < d->count ? class == SCAN_GAP && index == condition : class == SCAN_ROOT;
}

static bool gcc_places(unsigned condition, enum scan_class class, unsigned index)
{
	if (class == SCAN_IN)
		return index == condition;
	return condition == 0 ? class != SCAN_OUTSIDE : class == SCAN_GAP && index + 1 == condition;
}

/* Whether an instruction of condition `to` alone stands behind the branch of `from`: they were not joined. */
static bool is_between(struct trial *t, const struct cover *c, unsigned from, unsigned to)
{
	const struct scan_branch *b = &t->scan->branches[c->branch[from]];
	const uint64_t ways[2] = {b->target, b->next};
	for (unsigned i = 0; i < 2; i++) {
		struct leads leads = follow_code(t, ways[i]);
		if (leads.branch == c->branch[to] && leads.within == 1u << to)
			return true;
	}
	return false;
}

/* gcc's first branch may have the place of another one: they are told apart by what stands between them. */
static bool first_apart(struct trial *t, const struct cover *c, enum scan_class class, unsigned index)
{
	if (class != SCAN_GAP)
		return true;
	return index == 0 && is_between(t, c, 0, 1);
}

static bool is_placed(struct trial *t, const struct cover *c)
{
	for (unsigned i = 0; i < t->decision->count; i++) {
		const struct scan_branch *b = &t->scan->branches[c->branch[i]];
		unsigned index;
		if (b->straight)
			continue;
		enum scan_class class = scan_classify(t->decision, b->point, &index);
		bool fits = b->gcc ? gcc_places(i, class, index) : clang_places(t->decision, i, class, index);
		if (!fits || (b->gcc && i == 0 && !first_apart(t, c, class, index)))
			return false;
	}
	return true;
}

/* ---- the shape ---- */

static bool put_branch(struct cover *c, unsigned condition, unsigned count, uint32_t branch)
{
	if (c->branch[condition] != SCAN_NONE)
		return c->branch[condition] == branch;
	for (unsigned i = 0; i < count; i++) {
		if (c->branch[i] == branch)
			return false;
	}
	c->branch[condition] = branch;
	return true;
}

/* One way of a branch. */
static bool put_way(struct trial *t, struct cover *c, unsigned condition, bool taken)
{
	const struct scan_branch *b = &t->scan->branches[c->branch[condition]];
	const struct mcdc_condition *source = &t->decision->conditions[condition];
	const int next = taken == c->taken_is_true[condition] ? source->if_true : source->if_false;
	struct leads leads = follow_code(t, taken ? b->target : b->next);
	if (next < 0) {
		c->sides[c->side_count++] = (struct side){leads.address, leads.branch, next == MCDC_TRUE,
		    (uint8_t)condition, taken ? MCDC_ECHO_TAKEN : MCDC_ECHO_NOT_TAKEN};
		return true;
	}
	c->sets |= b->optimised ? leads.sets : 0;
	if ((unsigned)next + 1 == t->decision->count)
		c->computed = c->computed && (leads.within >> next & 1) != 0;
	return leads.branch != SCAN_NONE && put_branch(c, (unsigned)next, t->decision->count, leads.branch);
}

/* Whether all ways with the same outcome can be told from those with the other one. A way may lead to the branch of the
 * last condition all the same: the decision's value is a value there, and that branch tests it. */
static bool settle_sides(const struct trial *t, struct cover *c)
{
	const unsigned last = t->decision->count - 1;
	bool echoes = false;
	for (unsigned i = 0; i < c->side_count; i++) {
		struct side *side = &c->sides[i];
		for (unsigned k = 1; k < last; k++) {
			if (side->branch == c->branch[k])
				return false;
		}
		if (side->branch == c->branch[last] && side->condition != last) {
			c->echo[side->condition] |= side->way;
			echoes = true;
			continue;
		}
		for (unsigned k = 0; k < c->side_count; k++) {
			bool echo = c->sides[k].branch == c->branch[last] && c->sides[k].condition != last;
			if (echo || k == i || !code_is_same(t->scan->image, c->sides[k].address, side->address))
				continue;
			/* one address is two ways out if what was set on the way there decides what comes behind */
			if (c->sides[k].value != side->value || code_reads(t->scan->image, side->address, c->sets))
				return false;
		}
	}
	if (!echoes)
		return true;
	const struct scan_branch *b = &t->scan->branches[c->branch[last]];
	return c->computed && b->tests != SCAN_TESTS_OTHER &&
	       (b->tests == SCAN_TESTS_NOT_ZERO) == c->taken_is_true[last];
}

static void take_cover(struct trial *t, const struct cover *before)
{
	struct cover cover = *before, *c = &cover;
	if (!settle_sides(t, c))
		return;
	if (!is_placed(t, c) && !origins_identify(t->scan, t->number, c->branch)) {
		t->misplaced = true;
		return;
	}
	if (t->fits == 0)
		t->cover = *c;
	t->fits += t->fits < 2;
}

static void try_condition(struct trial *t, const struct cover *before, unsigned condition)
{
	if (condition == t->decision->count) {
		take_cover(t, before);
		return;
	}
	if (before->branch[condition] == SCAN_NONE)
		return;
	for (unsigned taken = 0; taken < 2; taken++) {
		struct cover c = *before;
		c.taken_is_true[condition] = taken == 1;
		if (put_way(t, &c, condition, true) && put_way(t, &c, condition, false))
			try_condition(t, &c, condition + 1);
	}
}

/* ---- all of a decision ---- */

struct making {
	struct scan scan;
	struct mcdc_match *match;
	uint8_t *condition; /* by branch of the scan: 1 + condition; 0: none; of the decision at hand */
	uint8_t *echo;
	bool *taken_is_true;
};

/* Takes over what fits; false: a branch is another condition elsewhere. */
static bool take_branches(struct making *m, const struct trial *t)
{
	for (unsigned i = 0; i < t->decision->count; i++) {
		uint32_t b = t->cover.branch[i];
		if (m->condition[b] != 0 &&
		    (m->condition[b] != i + 1 || m->taken_is_true[b] != t->cover.taken_is_true[i] ||
			m->echo[b] != t->cover.echo[i]))
			return false;
		m->condition[b] = (uint8_t)(i + 1);
		m->taken_is_true[b] = t->cover.taken_is_true[i];
		m->echo[b] = t->cover.echo[i];
	}
	return true;
}

static int keep_branches(struct making *m, uint32_t number)
{
	struct mcdc_match *match = m->match;
	for (size_t i = 0; i < m->scan.count; i++) {
		if (m->condition[i] == 0)
			continue;
		if (!array_room(&match->branches, match->count + 1, &match->room))
			return MCDC_ENOMEM;
		match->branches[match->count++] = (struct mcdc_branch){
		    m->scan.branches[i].pc, number, (uint8_t)(m->condition[i] - 1), m->echo[i], m->taken_is_true[i]};
	}
	return MCDC_OK;
}

/* A branch that stands in the decision and is no condition's; SCAN_NONE: there is none. */
static uint32_t extra_branch(const struct making *m, uint32_t number)
{
	for (size_t i = 0; i < m->scan.count; i++) {
		if (m->scan.branches[i].decision == number && m->condition[i] == 0)
			return (uint32_t)i;
	}
	return SCAN_NONE;
}

static enum mcdc_reason reason_without(const struct mcdc_found *found, const struct trial *t, bool open)
{
	if (open)
		return MCDC_SIDES;
	if (t->misplaced)
		return MCDC_PLACE;
	if (found->branches == 0)
		return MCDC_NO_BRANCH;
	return found->branches < t->decision->count ? MCDC_FOLDED : MCDC_SHAPE;
}

static enum mcdc_reason lay_decision(struct making *m, uint32_t number, struct mcdc_found *found)
{
	struct trial t = {.scan = &m->scan, .number = number, .decision = &m->scan.mapping->decisions[number]};
	bool some = false, open = false;
	memset(m->condition, 0, m->scan.count);
	for (unsigned i = 0; i < t.decision->count; i++) {
		if (t.decision->conditions[i].constant)
			return MCDC_CONSTANT;
	}
	for (uint32_t i = 0; i < m->scan.count; i++) {
		struct cover cover = {.branch = {i}, .computed = true};
		if (!is_candidate(&m->scan, number, &m->scan.branches[i]))
			continue;
		for (unsigned k = 1; k < t.decision->count; k++)
			cover.branch[k] = SCAN_NONE;
		t.fits = 0;
		try_condition(&t, &cover, 0);
		open = open || t.fits > 1;
		if (t.fits == 1 && !take_branches(m, &t))
			return MCDC_SHAPE;
		some = some || t.fits == 1;
	}
	if (!some || open)
		return reason_without(found, &t, open);
	uint32_t extra = extra_branch(m, number);
	if (extra == SCAN_NONE)
		return MCDC_TOLD;
	found->pc = m->scan.branches[extra].pc;
	return MCDC_EXTRA;
}

static int branches_in_order(const void *a, const void *b)
{
	const struct mcdc_branch *x = a, *y = b;
	return ORDER_UP(x->pc, y->pc);
}

static int lay_decisions(struct making *m)
{
	int error = MCDC_OK;
	m->condition = calloc(m->scan.count + 1, sizeof *m->condition);
	m->taken_is_true = calloc(m->scan.count + 1, sizeof *m->taken_is_true);
	m->echo = calloc(m->scan.count + 1, sizeof *m->echo);
	if (m->condition == NULL || m->echo == NULL || m->taken_is_true == NULL)
		error = MCDC_ENOMEM;
	for (uint32_t i = 0; error == MCDC_OK && i < m->scan.mapping->count; i++) {
		struct mcdc_found *found = &m->match->found[i];
		if (found->reason != MCDC_TOLD)
			continue;
		found->reason = (uint8_t)lay_decision(m, i, found);
		if (found->reason == MCDC_TOLD)
			error = keep_branches(m, i);
	}
	free(m->condition);
	free(m->taken_is_true);
	free(m->echo);
	return error;
}

int mcdc_match_make(struct mcdc_match *match, const struct mcdc_mapping *mapping, struct image *image,
    const uint64_t *ran, size_t ran_count)
{
	struct making making = {.scan = {.mapping = mapping, .image = image}, .match = match};
	*match = (struct mcdc_match){.found = calloc(mapping->count + 1, sizeof *match->found)};
	if (match->found == NULL)
		return MCDC_ENOMEM;
	int error = scan_code(&making.scan, match->found, ran, ran_count);
	if (error == MCDC_OK)
		error = lay_decisions(&making);
	if (match->count > 0)
		qsort(match->branches, match->count, sizeof *match->branches, branches_in_order);
	free(making.scan.branches);
	free(making.scan.targets);
	free(making.scan.functions);
	return error;
}

void mcdc_match_free(struct mcdc_match *match)
{
	free(match->branches);
	free(match->found);
	*match = (struct mcdc_match){0};
}

static int branch_of_pc(const void *pc, const void *branch)
{
	const uint64_t x = *(const uint64_t *)pc, y = ((const struct mcdc_branch *)branch)->pc;
	return ORDER_UP(x, y);
}

const struct mcdc_branch *mcdc_branch_at(const struct mcdc_match *match, uint64_t pc)
{
	if (match->count == 0)
		return NULL;
	return bsearch(&pc, match->branches, match->count, sizeof *match->branches, branch_of_pc);
}
