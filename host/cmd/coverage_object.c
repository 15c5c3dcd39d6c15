/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* rivulet coverage --object: dead code, and object code that the source does not have as such. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "host/base/json.h"
#include "host/base/order.h"
#include "host/cmd/coverage.h"

#define OBJECT_NAME_WIDTH 40

static int mark_object_code(struct covered *c, struct coverage_build *build, uint32_t number)
{
	struct image *image = c->runs[build->first].profiled.image;
	const struct merged *merged = &build->merged;
	const struct gather_result result = {.code = merged->code, .code_count = merged->count, .scale = 1};
	uint64_t *ran = calloc(merged->count + 1, sizeof *ran);
	bool good = ran != NULL && cfg_open(&build->cfg, image) == CFG_OK;
	for (size_t i = 0; good && i < merged->count; i++)
		ran[i] = merged->code[i].pc;
	good = good && cfg_reach_make(&build->reach, build->cfg, ran, merged->count) == CFG_OK;
	free(ran);
	if (good && added_make(&c->added, image, &build->spots, &result, number) == EXPORT_OK)
		return STATUS_OK;
	complain("out of memory");
	return STATUS_FAILED;
}

int coverage_piece_order(const struct added_piece *piece, const char *file, unsigned line)
{
	int order = strcmp(piece->file, file);
	return order != 0 ? order : (piece->line > line) - (piece->line < line);
}

static int compare_pieces(const void *a, const void *b)
{
	const struct added_piece *x = *(const struct added_piece *const *)a, *y = *(const struct added_piece *const *)b;
	int order = coverage_piece_order(x, y->file, y->line);
	if (order != 0)
		return order;
	return order_then(
	    ORDER_UP(x->build, y->build), order_then(ORDER_UP(x->start, y->start), ORDER_UP(x->kind, y->kind)));
}

static int order_pieces(struct covered *c)
{
	c->by_line = calloc(c->added.count + 1, sizeof *c->by_line);
	if (c->by_line == NULL) {
		complain("out of memory");
		return STATUS_FAILED;
	}
	for (size_t i = 0; i < c->added.count; i++)
		c->by_line[i] = &c->added.all[i];
	if (c->added.count > 0)
		qsort(c->by_line, c->added.count, sizeof *c->by_line, compare_pieces);
	return STATUS_OK;
}

int coverage_make_object(struct covered *c, bool (*wanted)(void *, const char *), void *context)
{
	int status = STATUS_OK;
	size_t kept = 0;
	for (size_t i = 0; c->object && i < c->build_count && status == STATUS_OK; i++)
		status = mark_object_code(c, &c->builds[i], (uint32_t)i);
	for (size_t i = 0; i < c->added.count; i++) {
		if (c->added.all[i].file != NULL && wanted(context, c->added.all[i].file))
			c->added.all[kept++] = c->added.all[i];
	}
	c->added.count = kept;
	return status == STATUS_OK ? order_pieces(c) : status;
}

bool coverage_line_dead(const struct covered *c, size_t begin, size_t end)
{
	if (!c->object)
		return false;
	for (size_t i = begin; i < end; i++) {
		const struct coverage_row *row = &c->coverage.all[i];
		const struct coverage_build *build = &c->builds[row->build];
		if (!cfg_is_dead(&build->reach, build->cfg, row->pc))
			return false;
	}
	return true;
}

void coverage_piece_text(const struct added_piece *piece, char text[COVERAGE_PIECE])
{
	const char *name = piece->name == NULL ? "?" : piece->name;
	switch (piece->kind) {
	case ADDED_INLINED:
		snprintf(text, COVERAGE_PIECE, "inlined %.*s", OBJECT_NAME_WIDTH, name);
		return;
	case ADDED_CALLED:
		snprintf(text, COVERAGE_PIECE, "calls %.*s, not named here", OBJECT_NAME_WIDTH, name);
		return;
	case ADDED_AGAIN:
		snprintf(text, COVERAGE_PIECE, "again what is at 0x%08" PRIx64, piece->first);
		return;
	default:
		snprintf(text, COVERAGE_PIECE, "without a line, from here");
	}
}

/* ---- sums ---- */

struct object_sum {
	uint64_t pieces, insns, ran, outcomes, outcomes_ran;
};

static struct object_sum sum_added(const struct covered *c, unsigned kind)
{
	struct object_sum sum = {0};
	for (size_t i = 0; i < c->added.count; i++) {
		const struct added_piece *piece = &c->added.all[i];
		if (piece->kind != kind)
			continue;
		sum.pieces++;
		sum.insns += piece->insns;
		sum.ran += piece->ran;
		sum.outcomes += piece->outcomes;
		sum.outcomes_ran += piece->outcomes_ran;
	}
	return sum;
}

static uint64_t count_dead_lines(const struct covered *c)
{
	uint64_t count = 0;
	for (size_t i = 0; i < c->coverage.count;) {
		size_t next = coverage_group(&c->coverage, i);
		count += c->coverage.all[i].kind == COVERAGE_LINE && coverage_line_dead(c, i, next);
		i = next;
	}
	return count;
}

/* ---- text ---- */

static void print_piece(const struct covered *c, const struct added_piece *piece, FILE *out)
{
	char text[COVERAGE_PIECE];
	coverage_piece_text(piece, text);
	fprintf(out, "  %s:%u", short_file(coverage_file(piece->file), 24), piece->line);
	if (piece->discriminator > 0)
		fprintf(out, " (%u)", piece->discriminator);
	fprintf(out, "  0x%08" PRIx64 "  %s: %u of %u ran", piece->start, text, piece->ran, piece->insns);
	if (piece->outcomes > 0)
		fprintf(out, ", %u of %u outcomes", piece->outcomes_ran, piece->outcomes);
	if (c->build_count > 1)
		fprintf(out, "  of %s", c->builds[piece->build].program);
	fputc('\n', out);
}

void coverage_object_text(const struct covered *c, FILE *out)
{
	if (!c->object)
		return;
	fprintf(out, "\nobject code beside the source\n");
	fprintf(out, "  dead, nothing known leads there: %s lines\n", with_commas(count_dead_lines(c)));
	for (unsigned kind = 0; kind < ADDED_KINDS; kind++) {
		const struct object_sum sum = sum_added(c, kind);
		uint64_t shown = 0;
		fprintf(out, "  %s: %s places", added_kind_name(kind), with_commas(sum.pieces));
		fprintf(out, ", %s", with_commas(sum.ran));
		fprintf(out, " of %s instructions ran", with_commas(sum.insns));
		fprintf(out, ", %s", with_commas(sum.outcomes_ran));
		fprintf(out, " of %s outcomes\n", with_commas(sum.outcomes));
		for (size_t i = 0; i < c->added.count; i++) {
			const struct added_piece *piece = &c->added.all[i];
			bool whole = piece->ran == piece->insns && piece->outcomes_ran == piece->outcomes;
			if (piece->kind == kind && !whole && shown++ < c->top)
				print_piece(c, piece, out);
		}
		if (shown > c->top)
			fprintf(out, "  ... and %s more that did not run whole (--top 0 shows all)\n",
			    with_commas(shown - c->top));
	}
}

/* ---- JSON ---- */

void coverage_object_json(struct json *j, const struct covered *c)
{
	if (!c->object)
		return;
	json_array(j, "object");
	for (size_t i = 0; i < c->added.count; i++) {
		const struct added_piece *piece = &c->added.all[i];
		json_line(j, NULL);
		json_text(j, "kind", added_kind_name(piece->kind));
		json_hex(j, "start", piece->start, 8);
		json_hex(j, "end", piece->end, 8);
		json_number(j, "build", piece->build);
		json_text(j, "file", piece->file);
		json_number(j, "line", piece->line);
		json_number(j, "discriminator", piece->discriminator);
		json_text(j, "function", piece->function);
		if (piece->kind == ADDED_AGAIN)
			json_hex(j, "first", piece->first, 8);
		else
			json_text(j, "name", piece->name);
		json_number(j, "instructions", piece->insns);
		json_number(j, "ran", piece->ran);
		json_number(j, "outcomes", piece->outcomes);
		json_number(j, "outcomes_ran", piece->outcomes_ran);
		json_object_end(j);
	}
	json_array_end(j);
}

void coverage_dead_json(struct json *j, const struct covered *c, size_t begin, size_t end)
{
	if (!c->object)
		return;
	json_array(j, "dead");
	for (size_t i = begin; i < end;) {
		size_t next = coverage_group(&c->coverage, i);
		if (c->coverage.all[i].kind == COVERAGE_LINE && coverage_line_dead(c, i, next))
			json_number(j, NULL, c->coverage.all[i].line);
		i = next;
	}
	json_array_end(j);
}
