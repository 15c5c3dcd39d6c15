/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* rivulet processes: a run of the kernel in one report: who had the core, when, and where each profiled process spent
 * its cycles. */
#include <argp.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "host/base/array.h"
#include "host/base/order.h"
#include "host/cmd/parse_options.h"
#include "host/cmd/profiled.h"
#include "host/cmd/table_options.h"
#include "host/profile/kernel.h"
#include "host/profile/split.h"
#include "host/table/numbers.h"

COMMAND(105, processes, "a run of the kernel: schedule, kernel time, each process");

#define WIDTH 64 /* columns of the schedule */
#define PROGRAMS_MAX 64

struct arguments {
	const char *capture, *programs[PROGRAMS_MAX];
	unsigned count;
	uint64_t top;
	enum table_format format;
};

#define OPTIONS_OF struct arguments
static const struct option_row options[] = {
    {"top", 'n', "N", "Functions of each process (default 8; 0: all)",
	OPTION_NUMBER(top, 0, UINT32_MAX, "a number of functions")},
    OPTION_CHILD(format),
    {0},
};

static error_t parse_processes_option(int key, char *value, struct argp_state *state)
{
	struct arguments *arguments = state->input;
	switch (key) {
	case ARGP_KEY_ARG:
		if (arguments->capture == NULL)
			arguments->capture = value;
		else if (arguments->count == PROGRAMS_MAX)
			argp_error(state, "more than %d programs", PROGRAMS_MAX);
		else
			arguments->programs[arguments->count++] = value;
		return 0;
	case ARGP_KEY_END:
		if (arguments->capture == NULL)
			argp_error(state, "a capture of the kernel's output is expected, then the programs");
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

/* ---------------------------------------------------------------- who had the core */

/* The longest that a process waited while it could run; of captures of before the kernel said so, between two of its
 * first slices. */
static uint64_t longest_wait(const struct kernel_run *run, unsigned slot)
{
	uint64_t longest = run->processes[slot].longest_wait, end = 0;
	if (longest != 0)
		return longest;
	bool before = false;
	for (size_t i = 0; i < run->first_count; i++) {
		const struct kernel_slice *s = &run->first[i];
		if (s->slot != slot)
			continue;
		if (before && s->begin - end > longest)
			longest = s->begin - end;
		before = true;
		end = s->end;
	}
	return longest;
}

static int share_letter(double share)
{
	if (share > 0.95)
		return '#';
	if (share < 0.02)
		return ' ';
	return share < 0.15 ? '1' : '0' + (int)(share * 10 + 0.5);
}

/* Each line is a process; in each column the tenths of it in which it had the core, # for all. */
static void print_schedule(const struct kernel_run *run)
{
	if (run->first_count == 0)
		return;
	uint64_t all = run->first[run->first_count - 1].end;
	printf("\nschedule  the first %s of %s slices, %s cycles; a column is %s, tenths of it\n",
	    with_commas(run->first_count), with_commas(run->slices), with_commas(all),
	    with_commas((all + WIDTH - 1) / WIDTH));
	for (unsigned slot = 1; slot <= run->count; slot++) {
		double ran[WIDTH] = {0};
		if (!run->processes[slot].there)
			continue;
		for (size_t i = 0; i < run->first_count; i++) {
			const struct kernel_slice *s = &run->first[i];
			if (s->slot != slot)
				continue;
			for (unsigned c = (unsigned)(s->begin * WIDTH / all); c < WIDTH; c++) {
				double from = (double)all * c / WIDTH, to = (double)all * (c + 1) / WIDTH;
				if (from >= (double)s->end)
					break;
				double begin = (double)s->begin > from ? (double)s->begin : from;
				double end = (double)s->end < to ? (double)s->end : to;
				ran[c] += end > begin ? end - begin : 0;
			}
		}
		printf("  %2u %-10.10s |", slot, run->processes[slot].name);
		for (unsigned c = 0; c < WIDTH; c++) {
			double share = ran[c] * WIDTH / (double)all;
			putchar(share_letter(share));
		}
		printf("|\n");
	}
}

enum {
	COLUMN_SLOT,
	COLUMN_NAME,
	COLUMN_CYCLES,
	COLUMN_SHARE,
	COLUMN_SLICES,
	COLUMN_TIMER,
	COLUMN_WAIT,
	COLUMN_ROUNDS,
	COLUMN_FAILURES,
	COLUMNS
};

static const struct table_column columns[COLUMNS] = {
    [COLUMN_SLOT] = {.title = "slot", .key = "slot", .form = TABLE_PLAIN, .width = 4},
    [COLUMN_NAME] = {.title = "process", .key = "name", .form = TABLE_WORDS, .gap = "  ", .width = -10, .most = 10},
    [COLUMN_CYCLES] = {.title = "cycles", .key = "cycles", .form = TABLE_COUNT, .width = 14},
    [COLUMN_SHARE] = {.title = "share", .form = TABLE_SHARE, .width = 7, .decimals = 2},
    [COLUMN_SLICES] = {.title = "slices", .key = "slices", .form = TABLE_COUNT, .gap = "  ", .width = 7},
    [COLUMN_TIMER] = {.title = "timer", .key = "timer", .form = TABLE_COUNT, .width = 6},
    [COLUMN_WAIT] = {.title = "longest wait", .key = "longest_wait", .form = TABLE_COUNT, .gap = "  ", .width = 12},
    [COLUMN_ROUNDS] = {.title = "rounds", .key = "rounds", .form = TABLE_COUNT, .gap = "  ", .width = 6},
    [COLUMN_FAILURES] = {.title = "failed", .key = "failures", .form = TABLE_COUNT, .gap = "  ", .width = 6},
};

/* Who had the core: the processes, and for people the kernel, which JSON has beside them. */
static void put_processes(const struct kernel_run *run, enum table_format format, struct json *json)
{
	const struct table table = {columns, COLUMNS, format, stdout, json, .name = "processes"};
	const uint64_t all = kernel_run_cycles(run);
	table_begin(&table);
	for (unsigned i = 1; i <= run->count; i++) {
		const struct kernel_process *p = &run->processes[i];
		const struct table_cell cells[COLUMNS] = {[COLUMN_SLOT] = table_number(i),
		    [COLUMN_NAME] = table_words(p->name),
		    [COLUMN_CYCLES] = table_number(p->cycles),
		    [COLUMN_SHARE] = table_real(share_of(p->cycles, all)),
		    [COLUMN_SLICES] = table_number(p->slices),
		    [COLUMN_TIMER] = table_number(p->preempted),
		    [COLUMN_WAIT] = table_number(longest_wait(run, i)),
		    [COLUMN_ROUNDS] = table_number(p->rounds),
		    [COLUMN_FAILURES] = table_number(p->failures)};
		if (p->there)
			table_row(&table, cells);
	}
	if (format == TABLE_MARKDOWN || format == TABLE_TEXT) {
		struct table kernel = table;
		const struct table_cell cells[COLUMNS] = {[COLUMN_NAME] = table_words("kernel"),
		    [COLUMN_CYCLES] = table_number(run->kernel),
		    [COLUMN_SHARE] = table_real(share_of(run->kernel, all)),
		    [COLUMN_SLICES] = table_number(run->slices)};
		if (format == TABLE_TEXT) /* the row ends there */
			kernel.count = COLUMN_TIMER;
		table_row(&kernel, cells);
	}
	table_end(&table);
}

static void print_run(const char *path, const struct kernel_run *run)
{
	uint64_t all = kernel_run_cycles(run);
	printf("%s: %s cycles: processes %.2f%%, kernel %.2f%%, waiting %.2f%%; time slice %s cycles\n\n", path,
	    with_commas(all), percent_of(all - run->kernel - run->idle, all), percent_of(run->kernel, all),
	    percent_of(run->idle, all), with_commas(run->slice));
	put_processes(run, TABLE_TEXT, NULL);
	print_schedule(run);
}

static void json_run(struct json *j, const char *path, const struct kernel_run *run)
{
	json_text(j, "file", path);
	json_number(j, "cycles", kernel_run_cycles(run));
	json_number(j, "kernel_cycles", run->kernel);
	json_number(j, "waiting_cycles", run->idle);
	json_number(j, "slices", run->slices);
	json_number(j, "slice_cycles", run->slice);
	put_processes(run, TABLE_JSON, j);
	json_array(j, "schedule");
	for (size_t i = 0; i < run->first_count; i++) {
		json_line(j, NULL);
		json_number(j, "slot", run->first[i].slot);
		json_number(j, "begin", run->first[i].begin);
		json_number(j, "end", run->first[i].end);
		json_object_end(j);
	}
	json_array_end(j);
}

/* ---------------------------------------------------------------- what each did */

/* The program of this build among those given, or NULL. */
static const char *program_of(const struct arguments *arguments, uint32_t build)
{
	for (unsigned i = 0; i < arguments->count; i++) {
		struct image *image;
		uint32_t own;
		if (image_open(&image, arguments->programs[i], NULL, 0) != IMAGE_OK)
			continue;
		bool same = image_build(image, &own, NULL, 0) == IMAGE_OK && own == build;
		image_close(image);
		if (same)
			return arguments->programs[i];
	}
	return NULL;
}

static int processes_by_cycles(const void *a, const void *b)
{
	const struct account_function *x = a, *y = b;
	return order_then(ORDER_DOWN(x->self.cycles, y->self.cycles), ORDER_UP(x->start, y->start));
}

static void put_process_functions(
    const struct arguments *arguments, struct json *j, struct account *account, const char *name, uint64_t traces)
{
	enum { SHARE, SUM, COUNT, CYCLES, FUNCTION, FUNCTION_COLUMNS };
	static const struct table_column function_columns[FUNCTION_COLUMNS] = {
	    [SHARE] = {.title = "share", .key = "share", .form = TABLE_PERCENT, .width = 8, .decimals = 2},
	    [SUM] = {.title = "sum", .form = TABLE_SHARE, .width = 7, .decimals = 2},
	    [COUNT] = {.title = "count", .key = "count", .form = TABLE_COUNT, .width = 6},
	    [CYCLES] = {.title = "cycles", .key = "cycles", .form = TABLE_COUNT, .width = 11},
	    [FUNCTION] = {.title = "function", .key = "function", .form = TABLE_WORDS, .gap = "  "}};
	const struct table table = {
	    function_columns, FUNCTION_COLUMNS, arguments->format, stdout, j, .name = "functions"};
	size_t count = account->function_count;
	qsort(account->functions, count, sizeof *account->functions, processes_by_cycles);
	if (arguments->top != 0 && arguments->top < count)
		count = (size_t)arguments->top;
	if (arguments->format == TABLE_TEXT)
		printf("\n%s: %s traces\n", name, with_commas(traces));
	table_begin(&table);
	double sum = 0;
	for (size_t i = 0; i < count; i++) {
		const struct account_function *f = &account->functions[i];
		double share = account_share(account, &f->self);
		sum += share;
		const struct table_cell cells[FUNCTION_COLUMNS] = {[SHARE] = table_real(share),
		    [SUM] = table_real(sum),
		    [COUNT] = table_number(f->self.count),
		    [CYCLES] = table_number(f->self.cycles),
		    [FUNCTION] =
			table_shown(table_words(function_name(f->name, f->start)), shown_name(f->name, f->start))};
		table_row(&table, cells);
	}
	table_end(&table);
}

/* One profile of the capture. Returns a status. */
static int tell_process(const struct arguments *arguments, struct json *j, const uint8_t *bytes, size_t size)
{
	char path[64];
	int status = STATUS_FAILED;
	FILE *file = tmpfile(); /* the readers of profiles take names */
	if (file == NULL || fwrite(bytes, 1, size, file) != size || fflush(file) != 0) {
		complain("a profile in a temporary file: %s", strerror(errno));
		if (file != NULL)
			fclose(file);
		return status;
	}
	snprintf(path, sizeof path, "/proc/self/fd/%d", fileno(file));
	struct loaded loaded;
	status = load_profile(&loaded, path);
	uint32_t build = loaded.profile.header.build;
	char name[sizeof loaded.profile.header.name];
	snprintf(name, sizeof name, "%s", loaded.profile.header.name);
	bool known = status != STATUS_FAILED && loaded.profile.has_header;
	uint64_t traces = loaded.profile.total;
	free_profile(&loaded);
	const char *program = known ? program_of(arguments, build) : NULL;
	if (j != NULL) {
		json_object(j, NULL);
		json_text(j, "name", name);
		json_hex(j, "build", build, 8);
		json_text(j, "program", program);
		json_number(j, "traces", traces);
	}
	bool told = false;
	if (program == NULL) {
		if (j == NULL)
			printf("\n%s: %s traces; none of the programs given has build %08" PRIx32 "\n", name,
			    with_commas(traces), build);
		status = arguments->count > 0 ? STATUS_NO : status;
	} else if (traces > 0) {
		struct profiled profiled = {.program = program, .file = path, .partial = true};
		status = open_profiled(&profiled);
		if (status != STATUS_FAILED) {
			int one = account_profiled(&profiled, ACCOUNT_BY_COST);
			status = one > status ? one : status;
			if (one != STATUS_FAILED)
				put_process_functions(arguments, j, profiled.account, name, traces);
			told = one != STATUS_FAILED;
		}
		close_profiled(&profiled);
	}
	if (j != NULL && !told) {
		json_array(j, "functions");
		json_array_end(j);
	}
	if (j != NULL)
		json_object_end(j);
	fclose(file);
	return status;
}

int cmd_processes(int argc, char **argv)
{
	static const struct argp_child children[] = {TABLE_CHILD, {0}};
	static const struct argp argp = {NULL, parse_processes_option, "CAPTURE [PROGRAM.elf ...]",
	    "Reports a run of the kernel (docs/kernel.md): the cycles of each process, of the kernel and of waiting, "
	    "the "
	    "schedule of the first slices, and the functions of each process that was profiled. The programs are those "
	    "of "
	    "the slots; each profile finds its own by its build.",
	    children, NULL, NULL};
	struct arguments arguments = {.top = 8};
	parse_options(&argp, options, argc, argv, 0, &arguments);
	size_t size, at = 0;
	unsigned bad;
	int status = STATUS_OK;
	static struct kernel_run run;
	uint8_t *bytes = read_whole_file(arguments.capture, UINT64_MAX, &size);
	if (bytes == NULL) {
		complain("%s: %s", arguments.capture, strerror(errno));
		return STATUS_FAILED;
	}
	if (kernel_run_read(&run, bytes, size, &bad) != 0) {
		complain("out of memory");
		free(bytes);
		return STATUS_FAILED;
	}
	if (bad > 0) {
		complain("%s: %u frames of the kernel's account are damaged and left out", arguments.capture, bad);
		status = STATUS_NO;
	}
	struct json json, *j = arguments.format == TABLE_JSON ? &json : NULL;
	const bool alone = table_alone(arguments.format);
	if (j != NULL)
		json_open(j, stdout);
	if (run.there && alone)
		put_processes(&run, arguments.format, NULL);
	else if (run.there && j == NULL)
		print_run(arguments.capture, &run);
	else if (run.there)
		json_run(j, arguments.capture, &run);
	else {
		complain(
		    "%s: the kernel's account is not there: the run did not come to its end, or is not the kernel's",
		    arguments.capture);
		status = STATUS_NO;
	}
	struct profile_range range;
	unsigned profiles = 0;
	if (j != NULL)
		json_array(j, "profiles");
	while (!alone && status != STATUS_FAILED && profile_next(bytes, size, &at, &range)) {
		int one = tell_process(&arguments, j, bytes + range.begin, range.size);
		status = one > status ? one : status;
		profiles++;
	}
	if (j != NULL) {
		json_array_end(j);
		finish_json(j);
	}
	kernel_run_fini(&run);
	free(bytes);
	if (!run.there && profiles == 0)
		status = STATUS_FAILED;
	return end_output(status);
}
