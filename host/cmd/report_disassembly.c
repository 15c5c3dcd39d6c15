/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* The annotated disassembly of a hot trace, and what a trace goes through: functions, lines. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "host/cmd/report.h"
#include "isa/isa.h"
#include "model/trace.h"

#define PLACES 16
#define INSNS_MAX 1000 /* shown of one path */
#define OUTCOME_COLUMN 62
#define OUTCOME_NARROW 52 /* on a terminal of few columns */
#define EXPLAINED_MAX 64

void report_functions(const struct path *path, struct line *line)
{
	if (path->function_count == 0) {
		uint64_t pc = path->entry->start;
		line_add(line, "0x%08" PRIx64, pc);
		if (path->piece_count > 1)
			line_add(line, " ...");
	}
	for (size_t i = 0; i < path->function_count; i++)
		line_add(line, "%s%s", i == 0 ? "" : ", ", path->functions[i]);
}

void report_lines(const struct path *path, struct line *line)
{
	const char *file = NULL;
	for (size_t i = 0; i < path->line_count; i++) {
		const struct path_lines *l = &path->lines[i];
		bool same = file != NULL && strcmp(file, l->file) == 0;
		if (same)
			line_add(line, ", %u", l->first);
		else
			line_add(line, "%s%s:%u", file == NULL ? "" : "; ", short_file(l->file, 40), l->first);
		if (l->last != l->first)
			line_add(line, "-%u", l->last);
		file = l->file;
	}
}

/* The state of printing a path: where it is, and which inlined functions have been explained. */
struct teller {
	struct image_place places[PLACES];
	size_t count;
	const char *explained[EXPLAINED_MAX];
	size_t explained_count;
};

static bool explain_function(struct teller *teller, const char *function)
{
	for (size_t i = 0; i < teller->explained_count; i++) {
		if (strcmp(teller->explained[i], function) == 0)
			return false;
	}
	if (teller->explained_count < EXPLAINED_MAX)
		teller->explained[teller->explained_count++] = function;
	return true;
}

/* Function and source line above the instruction at pc, where they differ from those above the one before. */
static void print_place(const struct report *report, struct teller *teller, uint64_t pc)
{
	const struct style *s = report->style;
	struct image_place places[PLACES];
	const struct image_place *before = teller->places;
	size_t count = image_places(report->profiled->image, pc, places, PLACES);
	const char *function = places[0].function, *last = before[0].function;
	bool other_function = (function == NULL) != (last == NULL) || (function != NULL && strcmp(function, last) != 0);
	bool has_line = places[0].file != NULL && places[0].line != 0;
	if (count > 1 && function != NULL && explain_function(teller, function)) {
		printf("    %s%s%s%s", s->off, s->dim, function, ", inlined");
		for (size_t i = 1; i < count && places[i].function != NULL; i++) {
			printf("%s in %s", i == 1 ? "" : ",", places[i].function);
			if (places[i].file != NULL && places[i].line != 0)
				printf(" (%s:%u)", short_file(places[i].file, 30), places[i].line);
		}
		printf("%s\n", s->off);
	}
	if (has_line && (other_function || places[0].line != before[0].line || places[0].file != before[0].file)) {
		const char *source = image_source(report->profiled->image, places[0].file, places[0].line);
		struct line line = {.width = report_width(report) - 6};
		line_add(&line, "%s:%u", short_file(places[0].file, 30), places[0].line);
		size_t split = line.length;
		if (function != NULL)
			line_add(&line, " %s", function);
		size_t end = line.length;
		if (source != NULL)
			line_add_source(&line, source);
		printf("    %.*s%s%.*s%s%s%s%s\n", (int)split, line.text, s->bold, (int)(end - split),
		    line.text + split, s->off, s->dim, line.text + end, s->off);
	} else if (other_function && function != NULL)
		printf("    %s%s%s\n", s->bold, function, s->off);
	memcpy(teller->places, places, count * sizeof *places);
	teller->count = count;
}

/* What happened at the last instruction of a piece: the branch's outcome, and why the trace ended there. */
static void print_outcome(
    const struct report *report, const struct path_piece *piece, const struct isa_insn *insn, uint64_t pc, int column)
{
	bool direct = (insn->class_bits & (ISA_BRANCH | ISA_JUMP)) != 0,
	     backward = direct && isa_target(insn, pc) <= pc;
	const char *taken;
	if (piece->outcome == 0)
		taken = "not taken";
	else if (piece->outcome == 1)
		taken = backward ? "taken, backward" : "taken";
	else if (backward && (insn->class_bits & ISA_JUMP) != 0)
		taken = "backward";
	else
		taken = "";
	const char *end = report->profiled->counted != NULL ? "" : record_reason_end(piece->reason);
	if (*taken == '\0' && *end == '\0')
		return;
	int at = report_width(report) < LINE_WIDTH ? OUTCOME_NARROW : OUTCOME_COLUMN;
	printf("%*s%s%s%s%s%s", column < at ? at - column : 1, "", *end != '\0' ? report->style->hot : "", taken,
	    *taken != '\0' && *end != '\0' ? "; " : "", end, report->style->off);
}

static void print_piece_insn(const struct report *report, const struct path_piece *piece, uint32_t index, uint64_t pc)
{
	struct isa_insn insn;
	char text[80], *operands;
	if (!image_insn(report->profiled->image, pc, 0, &insn))
		return;
	image_format(report->profiled->image, &insn, pc, text, sizeof text);
	operands = strchr(text, ' ');
	if (operands != NULL)
		*operands++ = '\0';
	int column = printf("      %08" PRIx64 "  ", pc);
	column += insn.length == 2 ? printf("%04" PRIx64 "      ", insn.word) : printf("%08" PRIx64 "  ", insn.word);
	column += printf("%-10s %s", text, operands == NULL ? "" : operands);
	if (index + 1 == piece->count)
		print_outcome(report, piece, &insn, pc, column);
	printf("\n");
}

void report_disassembly(const struct report *report, const struct path *path, size_t rank)
{
	const struct record *entry = path->entry;
	const struct style *s = report->style;
	struct line functions = {.width = 60};
	struct teller teller = {0};
	uint32_t shown = 0;
	report_functions(path, &functions);
	if (report->profiled->counted != NULL)
		printf("\n%sRow %zu: %s%s\n  %s times, %" PRIu32 " instructions", s->bold, rank, functions.text, s->off,
		    with_commas(entry->count), path->insns);
	else
		printf("\n%sPath %zu: %s%s\n  start 0x%08" PRIx64 ", history 0x%" PRIx64
		       "\n  %.2f%% of the counts, %" PRIu32 " instructions",
		    s->bold, rank, functions.text, s->off, entry->start, entry->hist,
		    100 * (double)entry->count / (double)report_account(report)->all.count, path->insns);
	if (entry->timed > 0 && entry->cycles > 0)
		printf(", %.1f cycles each", (double)entry->cycles / (double)entry->timed);
	printf("\n");
	for (size_t i = 0; i < path->piece_count && shown < INSNS_MAX; i++) {
		const struct path_piece *piece = &path->pieces[i];
		uint64_t starts = piece->starts;
		for (uint32_t k = 0; k < piece->count && shown < INSNS_MAX; k++, starts &= starts - 1, shown++) {
			uint64_t pc = piece->start + 2 * (uint32_t)__builtin_ctzll(starts);
			print_place(report, &teller, pc);
			print_piece_insn(report, piece, k, pc);
		}
	}
	if (shown < path->insns)
		printf("      ... and %s more instructions\n", with_commas(path->insns - shown));
	if (path->error != WALK_OK)
		printf("      %s: 0x%08" PRIx64 "\n", walk_strerror(path->error), path->at);
}
