/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#include "host/mcdc/scan.h"
#include "host/base/order.h"

#include <stdlib.h>
#include <string.h>
#include "host/base/array.h"
#include "isa/isa.h"

#define FRAMES 8 /* inlined functions around an instruction that are looked at */

/* ---- files ---- */

/* Whether a whole name ends with one that is not. */
static bool ends_with_name(const char *whole, const char *name)
{
	while (name[0] == '.' && name[1] == '/')
		name += 2;
	size_t length = strlen(whole), tail = strlen(name);
	return name[0] != '/' && length > tail && whole[length - tail - 1] == '/' &&
	       strcmp(whole + length - tail, name) == 0;
}

/* Whether a file of the line table is the decision's: both names as far as they are known. */
static bool is_decision_file(const struct mcdc_decision *decision, const char *file)
{
	return strcmp(decision->file, file) == 0 || ends_with_name(file, decision->name) ||
	       ends_with_name(decision->file, file);
}

/* The decisions of a file, as the line table names it: [*first, *end). */
static void scan_file_decisions(struct scan *scan, const char *file, uint32_t *first, uint32_t *end)
{
	const struct mcdc_mapping *mapping = scan->mapping;
	if (file != NULL && file != scan->file) {
		scan->file = file;
		scan->first = 0;
		while (scan->first < mapping->count && !is_decision_file(&mapping->decisions[scan->first], file))
			scan->first++;
		scan->end = scan->first;
		while (scan->end < mapping->count && is_decision_file(&mapping->decisions[scan->end], file))
			scan->end++;
	}
	*first = file == NULL ? 0 : scan->first;
	*end = file == NULL ? 0 : scan->end;
}

/* ---- places ---- */

enum scan_class scan_classify(const struct mcdc_decision *decision, struct mcdc_point point, unsigned *index)
{
	struct mcdc_point start = mcdc_span_start(&decision->span);
	*index = 0;
	if (point.line == start.line && point.column <= start.column)
		return SCAN_ROOT;
	if (!mcdc_span_has(&decision->span, point))
		return SCAN_OUTSIDE;
	if (mcdc_point_before(point, mcdc_span_start(&decision->conditions[0].span)))
		return SCAN_ROOT;
	for (unsigned i = 0; i < decision->count; i++) {
		*index = i;
		if (mcdc_span_has(&decision->conditions[i].span, point))
			return SCAN_IN;
		if (i + 1 < decision->count &&
		    mcdc_point_before(point, mcdc_span_start(&decision->conditions[i + 1].span)))
			return SCAN_GAP;
	}
	return SCAN_ROOT;
}

static bool is_told(const struct mcdc_decision *decision)
{
	return decision->count <= MCDC_CONDITIONS && !decision->unclear;
}

/* The smallest decision that has the point. */
static uint32_t decision_of(const struct scan *scan, uint32_t first, uint32_t end, struct mcdc_point point)
{
	uint32_t found = SCAN_NONE;
	for (uint32_t i = first; i < end; i++) {
		const struct mcdc_span *span = &scan->mapping->decisions[i].span;
		if (mcdc_span_has(span, point) &&
		    (found == SCAN_NONE || mcdc_span_holds(&scan->mapping->decisions[found].span, span)))
			found = i;
	}
	return found;
}

bool scan_evaluates(struct scan *scan, uint32_t decision, uint64_t pc, int *within)
{
	const struct mcdc_decision *d = &scan->mapping->decisions[decision];
	struct image_place places[FRAMES];
	size_t count = image_places(scan->image, pc, places, FRAMES);
	*within = -1;
	if (places[0].file == NULL || places[0].line == 0)
		return true;
	for (size_t i = 0; i < count; i++) {
		uint32_t first, end;
		unsigned index;
		scan_file_decisions(scan, places[i].file, &first, &end);
		if (decision < first || decision >= end)
			continue;
		if (places[i].column == 0 && places[i].line >= d->span.line && places[i].line <= d->span.end_line)
			return true;
		enum scan_class class = scan_classify(d, (struct mcdc_point){places[i].line, places[i].column}, &index);
		if (class == SCAN_IN)
			*within = (int)index;
		if (class != SCAN_OUTSIDE)
			return true;
	}
	return false;
}

/* ---- the code ---- */

struct sweep_code {
	struct scan *scan;
	struct mcdc_found *found;
	const uint64_t *ran;
	size_t ran_count, at;
	const char **functions; /* of the files with decisions: those that ran */
	size_t function_count, function_room;
	const char *last_ran;
};

static bool has_run(const struct sweep_code *sweep, const char *function)
{
	for (size_t i = 0; function != NULL && i < sweep->function_count; i++) {
		if (strcmp(sweep->functions[i], function) == 0)
			return true;
	}
	return false;
}

static bool note_ran(struct sweep_code *sweep, const char *function)
{
	sweep->last_ran = function;
	if (has_run(sweep, function))
		return true;
	if (!array_room(&sweep->functions, sweep->function_count + 1, &sweep->function_room))
		return false;
	sweep->functions[sweep->function_count++] = function;
	return true;
}

/* Addresses come in order within a section. */
static bool did_run(struct sweep_code *sweep, uint64_t pc)
{
	while (sweep->at > 0 && sweep->ran[sweep->at - 1] >= pc)
		sweep->at--;
	while (sweep->at < sweep->ran_count && sweep->ran[sweep->at] < pc)
		sweep->at++;
	return sweep->at < sweep->ran_count && sweep->ran[sweep->at] == pc;
}

static int take_insn(struct sweep_code *sweep, uint64_t pc, const struct isa_insn *insn)
{
	struct scan *scan = sweep->scan;
	struct image_place place;
	if ((insn->class_bits & (ISA_BRANCH | ISA_JUMP)) != 0 && (insn->class_bits & ISA_CALL) == 0) {
		if (!array_room(&scan->targets, scan->target_count + 1, &scan->target_room))
			return MCDC_ENOMEM;
		scan->targets[scan->target_count++] = isa_target(insn, pc);
	}
	if (image_places(scan->image, pc, &place, 1) == 0 || place.file == NULL || place.line == 0)
		return MCDC_OK;
	struct scan_branch branch = {.pc = pc, .next = pc + insn->length, .point = {place.line, place.column}};
	scan_file_decisions(scan, place.file, &branch.first, &branch.end);
	if (branch.first == branch.end)
		return MCDC_OK;
	branch.decision = decision_of(scan, branch.first, branch.end, branch.point);
	if (branch.decision != SCAN_NONE) {
		struct mcdc_found *found = &sweep->found[branch.decision];
		found->pc = found->has_code ? found->pc : pc;
		found->has_code = true;
		found->ran = found->ran || did_run(sweep, pc);
		scan->functions[branch.decision] = place.function;
		found->branches += (insn->class_bits & ISA_BRANCH) != 0;
	}
	if (place.function != NULL && place.function != sweep->last_ran && did_run(sweep, pc) &&
	    !note_ran(sweep, place.function))
		return MCDC_ENOMEM;
	if ((insn->class_bits & ISA_BRANCH) == 0)
		return MCDC_OK;
	const char *producer = image_producer(scan->image, pc);
	branch.target = isa_target(insn, pc);
	branch.gcc = producer != NULL && strncmp(producer, "GNU ", 4) == 0;
	const char *level = branch.gcc ? strstr(producer, " -O") : NULL;
	branch.optimised = !branch.gcc || (level != NULL && strncmp(level, " -O0", 4) != 0);
	branch.straight =
	    branch.gcc && (!branch.optimised || strstr(producer, "--param=logical-op-non-short-circuit=0") != NULL);
	if (insn->rs2 == 0 && (insn->op == ISA_BEQ || insn->op == ISA_BNE))
		branch.tests = insn->op == ISA_BEQ ? SCAN_TESTS_ZERO : SCAN_TESTS_NOT_ZERO;
	if (!array_room(&scan->branches, scan->count + 1, &scan->room))
		return MCDC_ENOMEM;
	scan->branches[scan->count++] = branch;
	return MCDC_OK;
}

static int branches_by_pc(const void *a, const void *b)
{
	const struct scan_branch *x = a, *y = b;
	return ORDER_UP(x->pc, y->pc);
}

static int compare_targets(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;
	return ORDER_UP(*x, *y);
}

int scan_code(struct scan *scan, struct mcdc_found *found, const uint64_t *ran, size_t ran_count)
{
	struct sweep_code sweep = {.scan = scan, .found = found, .ran = ran, .ran_count = ran_count};
	struct image_text text;
	scan->functions = calloc(scan->mapping->count + 1, sizeof *scan->functions);
	int error = scan->functions == NULL ? MCDC_ENOMEM : MCDC_OK;
	for (size_t i = 0; error == MCDC_OK && image_text(scan->image, i, &text); i++) {
		struct isa_insn insn;
		for (uint64_t pc = text.start; error == MCDC_OK && pc - text.start < text.size; pc += insn.length) {
			if (!image_insn(scan->image, pc, 0, &insn) || insn.length == 0)
				break;
			error = take_insn(&sweep, pc, &insn);
		}
	}
	if (scan->count > 0)
		qsort(scan->branches, scan->count, sizeof *scan->branches, branches_by_pc);
	if (scan->target_count > 0)
		qsort(scan->targets, scan->target_count, sizeof *scan->targets, compare_targets);
	for (size_t i = 0; error == MCDC_OK && i < scan->mapping->count; i++) {
		const struct mcdc_decision *d = &scan->mapping->decisions[i];
		found[i].reason = MCDC_TOLD;
		if (!is_told(d))
			found[i].reason = d->unclear ? MCDC_UNCLEAR : MCDC_LARGE;
		else if (!found[i].has_code)
			found[i].reason = MCDC_NO_CODE;
		/* optimised code of a function that ran may have evaluated it without an instruction of its own */
		found[i].never = found[i].has_code && !found[i].ran && !has_run(&sweep, scan->functions[i]);
	}
	free(sweep.functions);
	return error;
}

bool scan_is_target(const struct scan *scan, uint64_t pc)
{
	return scan->target_count > 0 &&
	       bsearch(&pc, scan->targets, scan->target_count, sizeof pc, compare_targets) != NULL;
}

uint32_t scan_branch_at(const struct scan *scan, uint64_t pc)
{
	size_t low;
	ORDER_FIRST(low, 0, scan->count, scan->branches[low].pc < pc);
	return low < scan->count && scan->branches[low].pc == pc ? (uint32_t)low : SCAN_NONE;
}
