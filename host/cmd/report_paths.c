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

static void function_names(const struct report *report, const struct path *path, struct line *line)
{
	if (path->function_count == 0) {
		uint32_t pc = (uint32_t)path->entry->start;
		append(line, "0x%08" PRIx32, pc);
		if (path->piece_count > 1)
			append(line, " ...");
	}
	for (size_t i = 0; i < path->function_count; i++)
		append(line, "%s%s", i == 0 ? "" : ", ", path->functions[i]);
	(void)report;
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
	struct line functions = {.width = REPORT_WIDTH - 74}, lines = {.width = REPORT_WIDTH - 6};
	printf("%s%4zu%s %6.2f%% %6.2f%% %11s", s->bold, rank, s->off,
	    100 * (double)entry->count / (double)report->profile->total, 100 * sum, with_commas(entry->count));
	if (report->timed)
		printf(" %8s %6.2f%% %7.1f", with_unit(cycles * report->period),
		    report->all_cycles > 0 ? 100 * cycles / report->all_cycles : 0,
		    entry->timed > 0 ? (double)entry->cycles / (double)entry->timed : 0);
	else
		printf(" %8s %7s %7s", "-", "-", "-");
	printf(" %5" PRIu32 "%s %-8s  ", path->insns, path->error == WALK_UNKNOWN_END ? "+" : " ",
	    trace_reason_name(entry->reason));
	function_names(report, path, &functions);
	printf("%s%s%s\n", s->bold, functions.text, s->off);
	if (path->error < 0)
		printf("      does not fit the program: %s, at 0x%08" PRIx32 " (start 0x%" PRIx64 ", history 0x%" PRIx64
		       ")\n",
		    walk_strerror(path->error), path->at, entry->start, entry->hist);
	line_ranges(path, &lines);
	if (lines.length > 0)
		printf("      %s%s%s\n", s->dim, lines.text, s->off);
}

/* Function and source line above the instruction at pc, where they differ from those above the one before. */
static void print_place(const struct report *report, uint32_t pc, struct image_place *before, size_t *before_count)
{
	const struct style *s = report->style;
	struct image_place places[PLACES];
	size_t count = image_places(report->image, pc, places, PLACES);
	bool other_function = count != *before_count;
	for (size_t i = 0; i < count && !other_function; i++) {
		const char *a = places[i].function, *b = before[i].function;
		other_function = (a == NULL) != (b == NULL) || (a != NULL && strcmp(a, b) != 0);
	}
	bool other_line = other_function || places[0].line != before[0].line || places[0].file != before[0].file;
	if (other_function && places[0].function != NULL) {
		printf("  %s%s%s", s->bold, places[0].function, s->off);
		for (size_t i = 1; i < count && places[i].function != NULL; i++) {
			printf("%s in %s", i == 1 ? ", inlined" : ",", places[i].function);
			if (places[i].file != NULL && places[i].line != 0)
				printf(" (%s:%u)", short_file(places[i].file, 30), places[i].line);
		}
		printf("\n");
	}
	if (other_line && places[0].file != NULL && places[0].line != 0) {
		const char *source = image_source(report->image, places[0].file, places[0].line);
		struct line line = {.width = REPORT_WIDTH - 4};
		append(&line, "%s:%u", short_file(places[0].file, 30), places[0].line);
		if (source != NULL) {
			char text[REPORT_WIDTH];
			size_t length = 0;
			while (*source == ' ' || *source == '\t')
				source++;
			for (; *source != '\0' && length + 1 < sizeof text; source++) {
				unsigned char c = (unsigned char)*source;
				text[length++] = c == '\t' ? ' ' : c < 0x20 || c == 0x7F ? '?' : (char)c;
			}
			size_t room = line.width - line.length - 2;
			if (length > room)
				length = room;
			text[length] = '\0';
			append(&line, "  %s", text);
		}
		printf("    %s%s%s\n", s->dim, line.text, s->off);
	}
	memcpy(before, places, count * sizeof *places);
	*before_count = count;
}

static void print_insn(
    const struct report *report, const struct path_piece *piece, uint32_t index, uint32_t pc, uint32_t next)
{
	const struct style *s = report->style;
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
	bool last = index + 1 == piece->count;
	const char *outcome = "";
	if (last && piece->outcome == 1)
		outcome = isa_target(&insn, pc) <= pc ? "taken, backward" : "taken";
	else if (last && piece->outcome == 0)
		outcome = "not taken";
	else if (last && (insn.class_bits & ISA_JUMP) != 0 && isa_target(&insn, pc) <= pc)
		outcome = "backward";
	const char *end = last && piece->reason != 0 ? "end of the trace: " : "";
	if (*outcome != '\0' || *end != '\0') {
		printf("%*s%s%s%s%s%s", column < OUTCOME_COLUMN ? OUTCOME_COLUMN - column : 1, "", s->hot, outcome,
		    *outcome != '\0' && *end != '\0' ? "; " : "", end,
		    *end != '\0' ? trace_reason_name(piece->reason) : "");
		printf("%s", s->off);
	}
	printf("\n");
	(void)next;
}

static void print_disassembly(const struct report *report, const struct path *path, size_t rank)
{
	const struct profile_entry *entry = path->entry;
	const struct style *s = report->style;
	struct line functions = {.width = 60};
	struct image_place before[PLACES] = {{0}};
	size_t before_count = 0;
	uint32_t shown = 0;
	function_names(report, path, &functions);
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
			print_place(report, pc, before, &before_count);
			print_insn(report, piece, k, pc, 0);
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
	if (error == WALK_OK)
		printf("\n%s%4s %7s %7s %11s %8s %7s %7s %5s  %-8s  %s%s\n", s->dim, "#", "share", "sum",
		    report->scaled ? "samples" : "count", "cycles", "share", "each", "insns", "ended by",
		    "functions, lines", s->off);
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
