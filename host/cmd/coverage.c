/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* rivulet coverage: lines, branches, functions, calls and instructions that ran, over many runs. */
#include "host/cmd/coverage.h"

#include <argp.h>
#include <errno.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>
#include "host/cmd/not_traced.h"
#include "host/cmd/parse_options.h"
#include "host/cmd/table_options.h"

COMMAND(35, coverage, "lines, branches, functions, calls and instructions that ran");

enum { KEY_MIN = 256, KEY_SOURCE, KEY_EXCLUDE, KEY_MCDC, KEY_BUILD };

static const struct format { /* the first are those of enum table_format, in its order */
	const char *name, *text;
	void (*write)(const struct covered *covered, FILE *out);
} formats[] = {{"text", "a table of files, and what did not run (default)", coverage_text},
    {"json", "everything, with its runs, for programs of your own", coverage_json},
    {"csv", "the table of files", coverage_csv},
    {"markdown", "the table of files, for a pull request", coverage_markdown},
    {"lcov", "lcov's tracefile: genhtml, lcov", coverage_lcov},
    {"cobertura", "Cobertura's XML: Jenkins, GitLab", coverage_cobertura},
    {"llvm", "the JSON of llvm-cov export", coverage_llvm},
    {"html", "one page: the source with lines, branches, MC/DC, dead and added code", coverage_html},
    {"junit", "a test case for each limit of --min: any CI", coverage_junit}, {NULL, NULL, NULL}};

struct arguments {
	struct operands operands;
	const char *output;
	const struct format *format; /* of --format; NULL: as the next one says */
	enum table_format table;
	const char *sources[COVERAGE_PATTERNS], *excluded[COVERAGE_PATTERNS];
	size_t source_count, excluded_count;
	struct covered covered;
};

#define OPTIONS_OF struct arguments
static const struct option_row options[] = {
    {"format", 'f', "FORMAT", "What to write, see below", OPTION_OWN},
    {"output", 'o', "FILE", "Where to (default: standard output)", OPTION_TEXT(output)},
    {"min", KEY_MIN, "LIST", "Exit status 1 below so many per cent: lines=90,branches=75,...", OPTION_OWN},
    {"mcdc", KEY_MCDC, "OBJECT",
	"Decisions and conditions too, as this object of clang-19 -fcoverage-mcdc names them; may be given again",
	OPTION_OWN},
    {"handlers", 0, NULL, "Lines that ran in handlers of interrupts and traps only; runs are record files",
	OPTION_FLAG(covered.handlers)},
    {"object", 0, NULL,
	"Object code beside the source: dead code, and what the compiler added, with the construct it came from",
	OPTION_FLAG(covered.object)},
    {"build", KEY_BUILD, "PROGRAM=FILE,...",
	"Another build of the program, with its runs: lines and functions are taken together; may be given again",
	OPTION_OWN},
    {"source", KEY_SOURCE, "PATTERN", "Only files whose name matches, as of a shell; may be given again", OPTION_OWN},
    {"exclude", KEY_EXCLUDE, "PATTERN", "Not these files; may be given again", OPTION_OWN},
    {"top", 'n', "N", "At most N places of each file that did not run (default 10; 0: all)",
	OPTION_NUMBER(covered.top, 0, UINT32_MAX, "a number")},
    OPTION_CHILD(operands),
    OPTION_CHILD(table),
    {0},
};

static bool take_least(struct covered *covered, char *list)
{
	char *rest = NULL;
	for (char *word = strtok_r(list, ",", &rest); word != NULL; word = strtok_r(NULL, ",", &rest)) {
		char *end, *equal = strchr(word, '=');
		unsigned kind = 0;
		if (equal == NULL)
			return false;
		*equal = '\0';
		while (kind < LEAST_KINDS && strcmp(word, coverage_names[kind]) != 0)
			kind++;
		double value = strtod(equal + 1, &end);
		if (kind == LEAST_KINDS || *end != '\0' || end == equal + 1 || !(value >= 0 && value <= 100))
			return false;
		covered->least[kind] = value;
	}
	return true;
}

static void take_pattern(const char **patterns, size_t *count, const char *value, struct argp_state *state)
{
	if (*count == COVERAGE_PATTERNS)
		argp_error(state, "%s: there are more than %d patterns", value, COVERAGE_PATTERNS);
	patterns[(*count)++] = value;
}

static void take_format(struct arguments *a, const char *value, struct argp_state *state)
{
	for (a->format = formats; a->format->name != NULL; a->format++) {
		if (strcmp(a->format->name, value) == 0)
			return;
	}
	argp_error(
	    state, "--format %s: text, json, csv, markdown, lcov, cobertura, llvm, html or junit is expected", value);
}

static error_t parse_coverage_option(int key, char *value, struct argp_state *state)
{
	struct arguments *a = state->input;
	switch (key) {
	case 'f':
		take_format(a, value, state);
		return 0;
	case KEY_MIN:
		if (!take_least(&a->covered, value))
			argp_error(state, "--min: lines=N, branches=N, functions=N, calls=N, instructions=N, mcdc=N, "
					  "masking=N or decided=N is expected, N from 0 to 100, commas between them");
		return 0;
	case KEY_MCDC:
		if (a->covered.mcdc.object_count == COVERAGE_OBJECTS)
			argp_error(state, "--mcdc %s: there are more than %d objects", value, COVERAGE_OBJECTS);
		a->covered.mcdc.objects[a->covered.mcdc.object_count++] = value;
		return 0;
	case KEY_BUILD:
		if (!coverage_add_build(&a->covered, value))
			argp_error(state, "--build %s: PROGRAM=FILE,... is expected, at most %d times", value,
			    COVERAGE_BUILDS - 1);
		return 0;
	case KEY_SOURCE:
		take_pattern(a->sources, &a->source_count, value, state);
		return 0;
	case KEY_EXCLUDE:
		take_pattern(a->excluded, &a->excluded_count, value, state);
		return 0;
	case ARGP_KEY_END:
		for (unsigned kind = LEAST_MCDC; kind < LEAST_KINDS; kind++) {
			if (a->covered.least[kind] >= 0 && a->covered.mcdc.object_count == 0)
				argp_error(state, "--min %s: --mcdc OBJECT is expected", coverage_names[kind]);
		}
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static bool coverage_format_row(size_t i, const char **name, const char **line)
{
	*name = formats[i].name;
	*line = formats[i].text;
	return *name != NULL;
}

static char *coverage_help_filter(int key, const char *text, void *input)
{
	(void)input;
	return help_with_table(key, text, "Formats", coverage_format_row);
}

/* ---- coverage ---- */

static bool matches_patterns(const char *const *patterns, size_t count, const char *file)
{
	for (size_t i = 0; i < count; i++) {
		if (fnmatch(patterns[i], file, 0) == 0)
			return true;
	}
	return false;
}

static bool is_wanted_file(void *context, const char *file)
{
	const struct arguments *a = context;
	return (a->source_count == 0 || matches_patterns(a->sources, a->source_count, file)) &&
	       !matches_patterns(a->excluded, a->excluded_count, file);
}

/* Only the files that were asked for stay. */
static void choose_files(struct arguments *a, struct coverage *coverage)
{
	size_t kept = 0;
	for (size_t i = 0; i < coverage->count;) {
		size_t end = coverage_file_end(coverage, i);
		if (is_wanted_file(a, coverage->all[i].file)) {
			memmove(&coverage->all[kept], &coverage->all[i], (end - i) * sizeof *coverage->all);
			kept += end - i;
		}
		i = end;
	}
	coverage->count = kept;
}

static int write_covered(struct arguments *a, struct output *file)
{
	struct covered *c = &a->covered;
	int status = STATUS_OK;
	coverage_add(&c->total, &c->coverage, 0, c->coverage.count);
	errno = 0;
	a->format->write(c, output_file(file));
	if (ferror(output_file(file)) != 0 || fflush(output_file(file)) != 0) {
		complain("%s: cannot be written: %s", a->output, strerror(errno));
		return STATUS_FAILED;
	}
	for (unsigned kind = 0; kind < LEAST_KINDS; kind++) {
		if (!coverage_misses(c, kind))
			continue;
		static const char *const what[] = {"conditions are covered (unique cause)",
		    "conditions are covered (masking)", "decisions could be decided"};
		if (kind < COVERAGE_KINDS)
			complain("%s: %.2f%% of the %s ran, less than %.2f%% (--min)", c->program,
			    coverage_reached(c, kind), coverage_names[kind], c->least[kind]);
		else
			complain("%s: %.2f%% of the %s, less than %.2f%% (--min)", c->program,
			    coverage_reached(c, kind), what[kind - LEAST_MCDC], c->least[kind]);
		status = STATUS_NO;
	}
	return status;
}

/* What is shown, of all builds together. */
static int show_coverage(struct arguments *a, struct output *file)
{
	struct covered *c = &a->covered;
	choose_files(a, &c->coverage);
	if (coverage_check_sources(c) != STATUS_OK)
		return STATUS_FAILED;
	int status = write_covered(a, file);
	if (c->coverage.count > 0)
		return status;
	complain("%s: no source file passes --source and --exclude", c->program);
	return STATUS_FAILED;
}

static int cover_runs(struct arguments *a)
{
	struct covered *c = &a->covered;
	const char *const inputs[] = {a->operands.program, a->operands.file};
	struct output *file = begin_output(a->output, OUTPUT_REPLACE, inputs, 2);
	if (file == NULL)
		return STATUS_FAILED;
	int status = coverage_open_builds(c, &a->operands, a->operands.files, a->operands.file_count);
	if (status != STATUS_FAILED)
		status = worse_status(status, coverage_follow_mcdc(c, is_wanted_file, a));
	if (status != STATUS_FAILED)
		status = worse_status(status, coverage_follow_handlers(c));
	if (status != STATUS_FAILED)
		status = worse_status(status, coverage_make_builds(c));
	if (status != STATUS_FAILED)
		status = worse_status(status, coverage_make_object(c, is_wanted_file, a));
	if (status != STATUS_FAILED)
		status = worse_status(status, show_coverage(a, file));
	status = finish_output(file, status);
	coverage_free_mcdc(&c->mcdc);
	coverage_close_builds(c);
	return status;
}

int cmd_coverage(int argc, char **argv)
{
	static const struct argp_child children[] = {OPERANDS_CHILD, TABLE_CHILD, {0}};
	static const struct argp argp = {NULL, parse_coverage_option, "PROGRAM.elf PROFILE|RECORDS...",
	    "What of a program ran: source lines, both outcomes of branches, functions, calls, instructions; of one "
	    "run or "
	    "of several of the same program together. The program is the one that ships, without instrumentation.\v"
	    "Runs must be exact: record files, profiles of each trace, counters, imported logs. "
	    "Exit status: 0 all is well; 1 less than --min asks for, or an input is not whole; 2 a file cannot be "
	    "used. "
	    "Manual: docs/coverage-of-programs.md",
	    children, coverage_help_filter, NULL};
	struct arguments a = {.output = "-", .covered = {.top = 10, .build_count = 1}};
	for (unsigned kind = 0; kind < LEAST_KINDS; kind++)
		a.covered.least[kind] = -1;
	a.operands.many = true;
	a.operands.wanted = "a program (ELF) and profiles or record files";
	parse_options(&argp, options, argc, argv, 0, &a);
	if (a.format == NULL)
		a.format = &formats[a.table];
	a.covered.program = a.operands.program;
	a.covered.top = a.covered.top == 0 ? UINT64_MAX : a.covered.top;
	int status = cover_runs(&a);
	free(a.operands.files);
	return status;
}
