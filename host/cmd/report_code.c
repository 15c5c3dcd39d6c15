/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/*
 * Where the time goes, by function or by source line. The cycles of a path are shared out to its instructions in equal
 * parts: a path knows how long it took, not which of its instructions waited.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "host/cmd/report.h"

struct weight {
	double insns, cycles;
};

struct row { /* of a function (line 0) or a source line */
	const char *function, *file;
	unsigned line;
	uint32_t address; /* of an instruction in it */
	double insns, cycles;
};

/* Weights of all halfwords of code, segment after segment. */
struct weights {
	const struct image *image;
	struct weight *all;
	size_t count;
	const struct profile_entry *entry;
	double insns, cycles; /* for each instruction of the current path */
};

static struct weight *weight_of(const struct weights *weights, uint32_t pc)
{
	size_t count, base = 0;
	const struct image_segment *segments = image_segments(weights->image, &count);
	for (size_t i = 0; i < count; i++) {
		if (!segments[i].execute)
			continue;
		if (pc >= segments[i].address && pc - segments[i].address < segments[i].file_size)
			return &weights->all[base + (pc - segments[i].address) / 2];
		base += segments[i].file_size / 2 + 1;
	}
	return NULL;
}

static int add_path(struct report *report, struct weights *weights, const struct profile_entry *entry)
{
	struct path path;
	int error = path_make(&path, report->walk, entry);
	if (path.error < 0) {
		report->unfit_paths++;
		report->unfit_counts += entry->count;
	} else if (path.error == WALK_UNKNOWN_END) {
		report->unknown_paths++;
		report->unknown_counts += entry->count;
	}
	if (error == WALK_OK && path.error >= 0 && path.insns > 0) {
		double insns = (double)entry->count, cycles = profile_cycles(entry) / path.insns;
		for (size_t i = 0; i < path.piece_count; i++) {
			uint64_t starts = path.pieces[i].starts;
			for (uint32_t k = 0; k < path.pieces[i].count; k++, starts &= starts - 1) {
				struct weight *w =
				    weight_of(weights, path.pieces[i].start + 2 * (uint32_t)__builtin_ctzll(starts));
				if (w != NULL) {
					w->insns += insns;
					w->cycles += cycles;
				}
			}
		}
	}
	path_free(&path);
	return error;
}

static int compare_text(const char *a, const char *b)
{
	return a == b ? 0 : a == NULL ? 1 : b == NULL ? -1 : strcmp(a, b);
}

static int same_row(const struct row *x, const struct row *y)
{
	int order = compare_text(x->file, y->file);
	if (order == 0)
		order = (x->line > y->line) - (x->line < y->line);
	return order != 0 ? order : compare_text(x->function, y->function);
}

static int by_name(const void *a, const void *b)
{
	return same_row(a, b);
}

static int by_weight(const void *a, const void *b)
{
	const struct row *x = a, *y = b;
	if (x->cycles != y->cycles)
		return x->cycles < y->cycles ? 1 : -1;
	if (x->insns != y->insns)
		return x->insns < y->insns ? 1 : -1;
	return same_row(x, y);
}

static void print_rows(const struct report *report, const struct row *rows, size_t count, bool by_line)
{
	const struct style *s = report->style;
	double insns = 0, cycles = 0, sum = 0;
	size_t shown = count < report->top ? count : (size_t)report->top;
	for (size_t i = 0; i < count; i++) {
		insns += rows[i].insns;
		cycles += rows[i].cycles;
	}
	printf("\n%s%4s %7s %7s %9s %12s  %s%s\n", s->dim, "#", "share", "sum", report->timed ? "cycles" : "",
	    "instructions", by_line ? "line" : "function", s->off);
	for (size_t i = 0; i < shown; i++) {
		const struct row *row = &rows[i];
		double share =
		    report->timed ? (cycles > 0 ? row->cycles / cycles : 0) : (insns > 0 ? row->insns / insns : 0);
		sum += share;
		printf("%s%4zu%s %6.2f%% %6.2f%% %9s %12s  ", s->bold, i + 1, s->off, 100 * share, 100 * sum,
		    report->timed ? with_unit(row->cycles * report->period) : "-",
		    with_unit(row->insns * report->period));
		if (by_line && row->file != NULL) {
			const char *source = image_source(report->image, row->file, row->line);
			int length = printf("%s:%u", short_file(row->file, 28), row->line);
			while (source != NULL && (*source == ' ' || *source == '\t'))
				source++;
			if (source != NULL && length < 50)
				printf("  %s%.*s%s", s->dim, 52 - length, source, s->off);
		} else if (row->function != NULL)
			printf("%s", row->function);
		else
			printf("0x%08" PRIx32, row->address);
		printf("\n");
	}
	if (shown < count)
		printf("%s     %6.2f%% in %s more (--top 0 shows all)%s\n", s->dim, 100 * (1 - sum),
		    with_commas(count - shown), s->off);
	if (report->timed)
		printf("%sCycles of a path are shared out to its instructions in equal parts.%s\n", s->dim, s->off);
}

int report_code(struct report *report, bool by_line)
{
	struct weights weights = {.image = report->image};
	struct row *rows = NULL;
	size_t count, used = 0, done = 0;
	const struct image_segment *segments = image_segments(report->image, &count);
	int error = WALK_OK;
	for (size_t i = 0; i < count; i++)
		weights.count += segments[i].execute ? segments[i].file_size / 2 + 1 : 0;
	weights.all = calloc(weights.count, sizeof *weights.all);
	if (weights.all == NULL)
		error = WALK_ENOMEM;
	for (size_t i = 0; i < report->profile->used && error == WALK_OK; i++)
		error = add_path(report, &weights, report->sorted[i]);
	for (size_t i = 0; i < weights.count && error == WALK_OK; i++)
		used += weights.all[i].insns > 0;
	if (error == WALK_OK && (rows = calloc(used + 1, sizeof *rows)) == NULL)
		error = WALK_ENOMEM;
	if (error == WALK_OK) {
		size_t base = 0;
		used = 0;
		for (size_t i = 0; i < count; i++) {
			for (uint32_t k = 0; segments[i].execute && k <= segments[i].file_size / 2; k++) {
				const struct weight *w = &weights.all[base + k];
				struct image_place place;
				if (w->insns <= 0)
					continue;
				uint32_t pc = segments[i].address + 2 * k;
				image_places(report->image, pc, &place, 1);
				bool line = by_line && place.file != NULL;
				rows[used++] = (struct row){.function = line ? NULL : place.function,
				    .file = line ? place.file : NULL,
				    .line = line ? place.line : 0,
				    .address = pc,
				    .insns = w->insns,
				    .cycles = w->cycles};
			}
			base += segments[i].execute ? segments[i].file_size / 2 + 1 : 0;
		}
		qsort(rows, used, sizeof *rows, by_name);
		for (size_t i = 0; i < used; i++) {
			/* code without a name stays apart by address */
			bool named = rows[i].function != NULL || rows[i].file != NULL;
			if (done > 0 && named && same_row(&rows[done - 1], &rows[i]) == 0) {
				rows[done - 1].insns += rows[i].insns;
				rows[done - 1].cycles += rows[i].cycles;
			} else
				rows[done++] = rows[i];
		}
		qsort(rows, done, sizeof *rows, by_weight);
		print_rows(report, rows, done, by_line);
	} else
		complain("out of memory");
	free(rows);
	free(weights.all);
	return error == WALK_OK ? STATUS_OK : STATUS_FAILED;
}
