/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#include "host/cmd/profile_system.h"

#include <stdlib.h>
#include <string.h>
#include "host/table/table.h"

enum { SHOWN_RANGES = 40 };

/* ---------------------------------------------------------------- what is run */

int take_emulator_words(struct profile_arguments *a, int argc, char **argv)
{
	bool system = false;
	int end = 1;
	for (; end < argc && strcmp(argv[end], "--") != 0; end++)
		system = system || strncmp(argv[end], "--system", 8) == 0;
	if (!system)
		return argc;
	for (int i = end + 1; i < argc; i++)
		profile_add_word(&a->rest, argv[i]);
	argv[end] = NULL;
	return end;
}

/* With a board: qemu-system-riscv64 -M BOARD -nographic -bios none -kernel PROGRAM, and the user's words. */
static char **emulator_words(struct profile_arguments *a, const struct image *image)
{
	char *const board[] = {image != NULL && image_xlen(image) == 32 ? "qemu-system-riscv32" : "qemu-system-riscv64",
	    "-M", (char *)(uintptr_t)a->board, "-nographic", "-bios", "none", "-kernel", a->program};
	a->emulator.count = 0;
	for (size_t i = 0; *a->board != '\0' && i < sizeof board / sizeof *board; i++)
		profile_add_word(&a->emulator, board[i]);
	for (int i = 0; i < a->rest.count; i++)
		profile_add_word(&a->emulator, a->rest.all[i]);
	return a->emulator.all;
}

int prepare_system(struct profile_arguments *a, struct qemu_system *s, struct image **image)
{
	char detail[1024];
	*s = (struct qemu_system){0};
	for (int i = 0; i < a->programs.count; i++) {
		if (system_add_program(s, a->programs.all[i]))
			continue;
		complain("%s: an ELF file is expected, or FILE@ADDRESS with a multiple of 4096; at most %d of them",
		    a->programs.all[i], SYSTEM_PROGRAMS);
		return STATUS_FAILED;
	}
	if (a->programs.count > 0)
		a->program = a->programs.all[0];
	else {
		s->words = emulator_words(a, NULL);
		system_find_programs(s);
		a->program = s->count > 0 ? (char *)(uintptr_t)s->programs[0].path : NULL;
	}
	if (a->program == NULL) {
		complain(
		    "%s: its command line names no ELF file (-kernel, -bios, -device loader): name those whose code "
		    "you want to see before --",
		    a->rest.all[0]);
		return STATUS_FAILED;
	}
	if (image_open(image, a->program, detail, sizeof detail) != IMAGE_OK) {
		complain("%s", detail);
		return STATUS_FAILED;
	}
	s->words = emulator_words(a, *image);
	if (a->emulator.failed) {
		complain("out of memory");
		return STATUS_FAILED;
	}
	if (a->programs.count > 0)
		system_find_programs(s);
	if (a->machine || (a->how != NULL && strcmp(a->how, "qemu") != 0)) {
		complain("%s: --system runs under qemu, not on the golden model: --set, --collect, --semihosting, "
			 "--cycles and --ram are of that",
		    a->program);
		return STATUS_FAILED;
	}
	return STATUS_OK;
}

/* ---------------------------------------------------------------- where it ran */

enum { RANGE_HART, RANGE_MODE, RANGE_FROM, RANGE_TO, RANGE_INSNS, RANGE_SHARE, RANGE_CODE, RANGE_COLUMNS };
static const struct table_column columns[RANGE_COLUMNS] = {
    [RANGE_HART] = {.title = "hart", .key = "hart", .form = TABLE_PLAIN, .width = 4},
    [RANGE_MODE] = {.title = "mode", .key = "mode", .form = TABLE_WORDS, .gap = "  ", .width = -10},
    [RANGE_FROM] = {.title = "from", .key = "from", .form = TABLE_ADDRESS, .gap = "  ", .width = 18, .decimals = 8},
    [RANGE_TO] = {.title = "to", .key = "to", .form = TABLE_ADDRESS, .gap = "  ", .width = 18, .decimals = 8},
    [RANGE_INSNS] = {.title = "instructions", .key = "instructions", .form = TABLE_COUNT, .gap = "  ", .width = 16},
    [RANGE_SHARE] = {.title = "share", .key = "share", .form = TABLE_SHARE, .width = 7, .decimals = 2},
    [RANGE_CODE] = {.title = "code", .key = "code", .form = TABLE_WORDS, .gap = "  "},
};

static int compare_range_insns(const void *a, const void *b)
{
	const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
	return (x < y) - (x > y);
}

/* Ranges with fewer instructions are not shown one by one. */
static uint64_t least_shown(const struct qemu_ranges *r)
{
	uint64_t *insns = r->count > SHOWN_RANGES ? calloc(r->count, sizeof *insns) : NULL;
	if (insns == NULL)
		return 0;
	for (size_t i = 0; i < r->count; i++)
		insns[i] = r->all[i].insns;
	qsort(insns, r->count, sizeof *insns, compare_range_insns);
	const uint64_t least = insns[SHOWN_RANGES - 1];
	free(insns);
	return least;
}

static const char *range_code(const struct qemu_range *range)
{
	if (range->path != NULL)
		return strrchr(range->path, '/') != NULL ? strrchr(range->path, '/') + 1 : range->path;
	return range->to == 0 ? "at addresses of more than 48 bits" : "in no program";
}

void show_ranges(const struct qemu_ranges *r, FILE *out)
{
	const struct table table = {columns, RANGE_COLUMNS, TABLE_TEXT, out, NULL, .name = "ranges"};
	const uint64_t least = least_shown(r);
	uint64_t all = 0, hidden = 0, ranges = 0;
	for (size_t i = 0; i < r->count; i++)
		all += r->all[i].insns;
	fprintf(out, "Instructions by processor, privilege mode and range of addresses:\n");
	table_begin(&table);
	for (size_t i = 0; i < r->count; i++) {
		const struct qemu_range *range = &r->all[i];
		const struct table_cell cells[RANGE_COLUMNS] = {[RANGE_HART] = table_number(range->cpu),
		    [RANGE_MODE] = table_words(qemu_mode_name(range->mode)),
		    [RANGE_FROM] = table_number(range->from),
		    [RANGE_TO] = table_number(range->to),
		    [RANGE_INSNS] = table_number(range->insns),
		    [RANGE_SHARE] = table_real(all > 0 ? (double)range->insns / (double)all : 0),
		    [RANGE_CODE] = table_words(range_code(range))};
		if (range->insns >= least)
			table_row(&table, cells);
		else {
			hidden += range->insns;
			ranges++;
		}
	}
	table_end(&table);
	if (ranges > 0)
		fprintf(out, "  and %s in %s ranges more\n", with_commas(hidden), with_commas(ranges));
	fprintf(out, "\n");
}
