/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* The table of hot paths, and the annotated disassembly of the hottest. */
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include "host/cmd/report.h"
#include "host/isa/isa.h"
#include "model/trace.h"

#define PLACES 16
#define INSNS_MAX 1000 /* shown of one path */
#define OUTCOME_COLUMN 62
#define EXPLAINED_MAX 64

/* A line that is cut with "..." where it passes width. */
struct line {
	char text[512];
	size_t length, width;
	bool cut;
};

static void append(struct line *line, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void append(struct line *line, const char *format, ...)
{
	char piece[256];
	va_list list;
	va_start(list, format);
	int length = vsnprintf(piece, sizeof piece, format, list);
	va_end(list);
	if (line->cut || length < 0)
		return;
	if (line->length + (size_t)length > line->width) {
		line->cut = true;
		if (line->length + 4 <= line->width)
			line->length +=
			    (size_t)snprintf(line->text + line->length, sizeof line->text - line->length, " ...");
		return;
	}
	line->length += (size_t)snprintf(line->text + line->length, sizeof line->text - line->length, "%s", piece);
}

static void function_names(const struct path *path, struct line *line)
{
	if (path->function_count == 0) {
		uint32_t pc = (uint32_t)path->entry->start;
		append(line, "0x%08" PRIx32, pc);
		if (path->piece_count > 1)
			append(line, " ...");
	}
	for (size_t i = 0; i < path->function_count; i++)
		append(line, "%s%s", i == 0 ? "" : ", ", path->functions[i]);
}

static void line_ranges(const struct path *path, struct line *line)
{
	const char *file = NULL;
	for (size_t i = 0; i < path->line_count; i++) {
		const struct path_lines *l = &path->lines[i];
		bool same = file != NULL && strcmp(file, l->file) == 0;
		if (same)
			append(line, ", %u", l->first);
		else
			append(line, "%s%s:%u", file == NULL ? "" : "; ", short_file(l->file, 40), l->first);
		if (l->last != l->first)
			append(line, "-%u", l->last);
		file = l->file;
	}
}

static void print_row(const struct report *report, const struct path *path, size_t rank, double sum)
{
	const struct profile_entry *entry = path->entry;
	const struct style *s = report->style;
	double cycles = profile_cycles(entry);
	struct line functions = {.width = (size_t)(REPORT_WIDTH - 64 - report->count_width)},
		    lines = {.width = REPORT_WIDTH - 6};
	printf("%s%4zu%s %6.2f%% %6.2f%% %*s", s->bold, rank, s->off,
	    100 * (double)entry->count / (double)report->profile->total, 100 * sum, report->count_width,
	    with_commas(entry->count));
	if (report->timed)
		printf(" %8s %6.2f%% %7.1f", with_unit(cycles * report->period),
		    report->all_cycles > 0 ? 100 * cycles / report->all_cycles : 0,
		    entry->timed > 0 ? (double)entry->cycles / (double)entry->timed : 0);
	else
		printf(" %8s %7s %7s", "-", "-", "-");
	printf(" %5" PRIu32 "%s %-8s  ", path->insns, path->error == WALK_UNKNOWN_END ? "+" : " ",
	    trace_reason_name(entry->reason));
	function_names(path, &functions);
	printf("%s%s%s\n", s->bold, functions.text, s->off);
	if (path->error < 0)
		printf("      does not fit the program: %s, at 0x%08" PRIx32 " (start 0x%" PRIx64 ", history 0x%" PRIx64
		       ")\n",
		    walk_strerror(path->error), path->at, entry->start, entry->hist);
	line_ranges(path, &lines);
	if (lines.length > 0)
		printf("      %s%s%s\n", s->dim, lines.text, s->off);
}

/* How a path is told: where it is, and which inlined functions have been explained. */
struct teller {
	struct image_place places[PLACES];
	size_t count;
	const char *explained[EXPLAINED_MAX];
	size_t explained_count;
};

static bool explain(struct teller *teller, const char *function)
{
	for (size_t i = 0; i < teller->explained_count; i++) {
		if (strcmp(teller->explained[i], function) == 0)
			return false;
	}
	if (teller->explained_count < EXPLAINED_MAX)
		teller->explained[teller->explained_count++] = function;
	return true;
}

/* Source text on one line, without what could steer a terminal. */
static void copy_source(struct line *line, const char *source)
{
	char text[REPORT_WIDTH];
	size_t length = 0, room = line->width > line->length + 2 ? line->width - line->length - 2 : 0;
	while (*source == ' ' || *source == '\t')
		source++;
	for (; *source != '\0' && length + 1 < sizeof text && length < room; source++) {
		unsigned char c = (unsigned char)*source;
		text[length++] = c == '\t' ? ' ' : c < 0x20 || c == 0x7F ? '?' : (char)c;
	}
	text[length] = '\0';
	append(line, "  %s", text);
}

/* Function and source line above the instruction at pc, where they differ from those above the one before. */
static void print_place(const struct report *report, struct teller *teller, uint32_t pc)
{
	const struct style *s = report->style;
	struct image_place places[PLACES];
	const struct image_place *before = teller->places;
	size_t count = image_places(report->image, pc, places, PLACES);
	const char *function = places[0].function, *last = before[0].function;
	bool other_function = (function == NULL) != (last == NULL) || (function != NULL && strcmp(function, last) != 0);
	bool has_line = places[0].file != NULL && places[0].line != 0;
	if (count > 1 && function != NULL && explain(teller, function)) {
		printf("    %s%s%s%s", s->off, s->dim, function, ", inlined");
		for (size_t i = 1; i < count && places[i].function != NULL; i++) {
			printf("%s in %s", i == 1 ? "" : ",", places[i].function);
			if (places[i].file != NULL && places[i].line != 0)
				printf(" (%s:%u)", short_file(places[i].file, 30), places[i].line);
		}
		printf("%s\n", s->off);
	}
	if (has_line && (other_function || places[0].line != before[0].line || places[0].file != before[0].file)) {
		const char *source = image_source(report->image, places[0].file, places[0].line);
		struct line line = {.width = REPORT_WIDTH - 6};
		append(&line, "%s:%u", short_file(places[0].file, 30), places[0].line);
		size_t split = line.length;
		if (function != NULL)
			append(&line, " %s", function);
		size_t end = line.length;
		if (source != NULL)
			copy_source(&line, source);
		printf("    %.*s%s%.*s%s%s%s%s\n", (int)split, line.text, s->bold, (int)(end - split),
		    line.text + split, s->off, s->dim, line.text + end, s->off);
	} else if (other_function && function != NULL)
		printf("    %s%s%s\n", s->bold, function, s->off);
	memcpy(teller->places, places, count * sizeof *places);
	teller->count = count;
}

/* What happened at the last instruction of a piece: the branch's outcome, and why the trace ended there. */
static void print_outcome(
    const struct report *report, const struct path_piece *piece, const struct isa_insn *insn, uint32_t pc, int column)
{
	static const char *const ends[] = {[TRACE_BACKWARD] = "end",
	    [TRACE_INDIRECT] = "indirect jump: end",
	    [TRACE_FULL] = "history full: end",
	    [TRACE_TRAP] = "then a trap: end",
	    [TRACE_XRET] = "trap return: end",
	    [TRACE_LEFT] = "then out of scope: end",
	    [TRACE_OFF] = "then tracing off: end"};
	bool direct = (insn->class_bits & (ISA_BRANCH | ISA_JUMP)) != 0,
	     backward = direct && isa_target(insn, pc) <= pc;
	const char *taken = piece->outcome == 0                              ? "not taken"
			    : piece->outcome == 1                            ? (backward ? "taken, backward" : "taken")
			    : backward && (insn->class_bits & ISA_JUMP) != 0 ? "backward"
									     : "";
	const char *end = piece->reason != 0 ? ends[piece->reason & 7] : "";
	if (*taken == '\0' && *end == '\0')
		return;
	printf("%*s%s%s%s%s%s", column < OUTCOME_COLUMN ? OUTCOME_COLUMN - column : 1, "",
	    *end != '\0' ? report->style->hot : "", taken, *taken != '\0' && *end != '\0' ? "; " : "", end,
	    report->style->off);
}

static void print_insn(const struct report *report, const struct path_piece *piece, uint32_t index, uint32_t pc)
{
	struct isa_insn insn;
	char text[80], *operands;
	size_t available;
	const uint8_t *code = image_code(report->image, pc, &available);
	if (code == NULL || available < 2)
		return;
	uint32_t word = (uint32_t)code[0] | (uint32_t)code[1] << 8;
	if (available >= 4)
		word |= (uint32_t)code[2] << 16 | (uint32_t)code[3] << 24;
	isa_decode(word, 0, &insn);
	isa_format(&insn, pc, text, sizeof text);
	operands = strchr(text, ' ');
	if (operands != NULL)
		*operands++ = '\0';
	int column = printf("      %08" PRIx32 "  ", pc);
	column +=
	    insn.length == 2 ? printf("%04" PRIx32 "      ", insn.word & 0xFFFF) : printf("%08" PRIx32 "  ", insn.word);
	column += printf("%-10s %s", text, operands == NULL ? "" : operands);
	if (index + 1 == piece->count)
		print_outcome(report, piece, &insn, pc, column);
	printf("\n");
}

static void print_disassembly(const struct report *report, const struct path *path, size_t rank)
{
	const struct profile_entry *entry = path->entry;
	const struct style *s = report->style;
	struct line functions = {.width = 60};
	struct teller teller = {0};
	uint32_t shown = 0;
	function_names(path, &functions);
	printf("\n%sPath %zu: %s%s\n", s->bold, rank, functions.text, s->off);
	printf("  start 0x%08" PRIx64 ", history 0x%" PRIx64 ", %.2f%% of the counts, %" PRIu32 " instructions",
	    entry->start, entry->hist, 100 * (double)entry->count / (double)report->profile->total, path->insns);
	if (entry->timed > 0 && entry->cycles > 0)
		printf(", %.1f cycles each", (double)entry->cycles / (double)entry->timed);
	printf("\n");
	for (size_t i = 0; i < path->piece_count && shown < INSNS_MAX; i++) {
		const struct path_piece *piece = &path->pieces[i];
		uint64_t starts = piece->starts;
		for (uint32_t k = 0; k < piece->count && shown < INSNS_MAX; k++, starts &= starts - 1, shown++) {
			uint32_t pc = piece->start + 2 * (uint32_t)__builtin_ctzll(starts);
			print_place(report, &teller, pc);
			print_insn(report, piece, k, pc);
		}
	}
	if (shown < path->insns)
		printf("      ... and %s more instructions\n", with_commas(path->insns - shown));
	if (path->error != WALK_OK)
		printf("      %s: 0x%08" PRIx32 "\n", walk_strerror(path->error), path->at);
}

int report_paths(struct report *report)
{
	const struct profile *profile = report->profile;
	const struct style *s = report->style;
	double sum = 0;
	size_t shown = profile->used < report->top ? profile->used : (size_t)report->top;
	size_t disassemble = shown < report->disassemble ? shown : (size_t)report->disassemble;
	struct path *kept = calloc(disassemble + 1, sizeof *kept);
	int error = kept == NULL ? WALK_ENOMEM : WALK_OK;
	report->count_width = 7;
	for (size_t i = 0; i < shown; i++) {
		int width = (int)strlen(with_commas(report->sorted[i]->count));
		if (report->count_width < width)
			report->count_width = width;
	}
	if (error == WALK_OK)
		printf("\n%s%4s %7s %7s %*s %8s %7s %7s %5s  %-8s  %s%s\n", s->dim, "#", "share", "sum",
		    report->count_width, report->scaled ? "samples" : "count", report->scaled ? "~cycles" : "cycles",
		    "share", "each", "insns", "ended by", "functions, lines", s->off);
	for (size_t i = 0; i < profile->used && error == WALK_OK; i++) {
		struct path path;
		error = path_make(&path, report->walk, report->sorted[i]);
		if (path.error < 0) {
			report->unfit_paths++;
			report->unfit_counts += path.entry->count;
		} else if (path.error == WALK_UNKNOWN_END) {
			report->unknown_paths++;
			report->unknown_counts += path.entry->count;
		}
		if (i < shown && error == WALK_OK) {
			error = path_places(&path, report->image);
			sum += (double)path.entry->count / (double)profile->total;
			print_row(report, &path, i + 1, sum);
		}
		if (i < disassemble)
			kept[i] = path;
		else
			path_free(&path);
	}
	if (error == WALK_OK && shown < profile->used)
		printf("%s     %6.2f%% in %s more paths (--top 0 shows all)%s\n", s->dim, 100 * (1 - sum),
		    with_commas(profile->used - shown), s->off);
	for (size_t i = 0; i < disassemble && kept != NULL; i++) {
		if (error == WALK_OK)
			print_disassembly(report, &kept[i], i + 1);
		path_free(&kept[i]);
	}
	free(kept);
	if (error != WALK_OK)
		complain("out of memory");
	return error == WALK_OK ? STATUS_OK : STATUS_FAILED;
}
