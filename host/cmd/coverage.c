/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* rivulet coverage: lines, branches, functions, calls and instructions that ran, over many runs. */
#include "host/cmd/coverage.h"

#include <argp.h>
#include <errno.h>
#include <fnmatch.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "host/base/array.h"
#include "host/cmd/not_traced.h"
#include "host/cmd/table_options.h"
#include "isa/isa.h"

COMMAND(35, coverage, "lines, branches, functions, calls and instructions that ran");

enum { KEY_MIN = 256, KEY_SOURCE, KEY_EXCLUDE, KEY_MCDC };

const char *const coverage_names[LEAST_KINDS] = {
    "functions", "branches", "lines", "calls", "instructions", "mcdc", "masking", "decided"};

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
    {"junit", "a test case for each limit of --min: any CI", coverage_junit}, {NULL, NULL, NULL}};

struct arguments {
	struct operands operands;
	const char **files; /* behind the first */
	size_t file_count, file_room;
	const char *output;
	const struct format *format; /* of --format; NULL: as the next one says */
	enum table_format table;
	const char *sources[COVERAGE_PATTERNS], *excluded[COVERAGE_PATTERNS];
	size_t source_count, excluded_count;
	struct covered covered;
};

static const struct argp_option options[] = {{"format", 'f', "FORMAT", 0, "What to write, see below", 0},
    {"output", 'o', "FILE", 0, "Where to (default: standard output)", 0},
    {"min", KEY_MIN, "LIST", 0, "Exit status 1 below so many per cent: lines=90,branches=75,...", 0},
    {"mcdc", KEY_MCDC, "OBJECT", 0,
	"Decisions and conditions too, as this object of clang-19 -fcoverage-mcdc names them; may be given again", 0},
    {"source", KEY_SOURCE, "PATTERN", 0, "Only files whose name matches, as of a shell; may be given again", 0},
    {"exclude", KEY_EXCLUDE, "PATTERN", 0, "Not these files; may be given again", 0},
    {"top", 'n', "N", 0, "At most N places of each file that did not run (default 10; 0: all)", 0}, {0}};

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
	argp_error(state, "--format %s: text, json, csv, markdown, lcov, cobertura, llvm or junit is expected", value);
}

static error_t parse_coverage_option(int key, char *value, struct argp_state *state)
{
	struct arguments *a = state->input;
	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &a->operands;
		state->child_inputs[1] = &a->table;
		return 0;
	case 'f':
		take_format(a, value, state);
		return 0;
	case 'o':
		a->output = value;
		return 0;
	case 'n':
		if (!parse_number(value, UINT32_MAX, &a->covered.top))
			argp_error(state, "--top %s: a number is expected", value);
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
	case KEY_SOURCE:
		take_pattern(a->sources, &a->source_count, value, state);
		return 0;
	case KEY_EXCLUDE:
		take_pattern(a->excluded, &a->excluded_count, value, state);
		return 0;
	case ARGP_KEY_ARG:
		if (a->operands.file == NULL)
			return ARGP_ERR_UNKNOWN; /* the operands' */
		if (!array_room(&a->files, a->file_count + 1, &a->file_room))
			return ENOMEM;
		a->files[a->file_count++] = value;
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

double coverage_percent(const struct coverage_sum *sum, unsigned kind)
{
	return sum->all[kind] == 0 ? 100 : 100.0 * (double)sum->hit[kind] / (double)sum->all[kind];
}

double coverage_reached(const struct covered *c, unsigned kind)
{
	if (kind < COVERAGE_KINDS)
		return coverage_percent(&c->total, kind);
	return c->mcdc.all[kind] == 0 ? 100 : 100.0 * (double)c->mcdc.hit[kind] / (double)c->mcdc.all[kind];
}

bool coverage_misses(const struct covered *c, unsigned kind)
{
	return c->least[kind] >= 0 && coverage_reached(c, kind) < c->least[kind];
}

/* ---- runs ---- */

struct merged { /* by pc */
	struct gather_code *code;
	size_t count;
};

/* Adds the instructions of a run, whose program was loaded `shift` higher than that of the first. */
static bool add_coverage_run(struct merged *m, const struct account *account, uint64_t shift)
{
	struct gather_code *sum = malloc((m->count + account->insn_count + 1) * sizeof *sum);
	size_t used = 0, a = 0, b = 0;
	if (sum == NULL)
		return false;
	while (a < m->count || b < account->insn_count) {
		uint64_t there = b < account->insn_count ? account->insns[b].pc - shift : 0;
		bool take_old = a < m->count && (b == account->insn_count || m->code[a].pc <= there);
		bool take_new = b < account->insn_count && (a == m->count || there <= m->code[a].pc);
		struct gather_code *out = &sum[used++];
		*out = take_old ? m->code[a++] : (struct gather_code){.pc = there};
		if (!take_new)
			continue;
		const struct account_insn *insn = &account->insns[b++];
		out->count += insn->count;
		out->taken += insn->taken;
		out->not_taken += (insn->class_bits & ISA_BRANCH) != 0 ? insn->count - insn->taken - insn->unknown : 0;
	}
	free(m->code);
	m->code = sum;
	m->count = used;
	return true;
}

/* Whether the file has all that ran, and not samples of it. */
static bool is_exact(const struct profiled *p)
{
	const struct profile *profile = &p->loaded.profile;
	if (profile->total == 0) {
		complain("%s: has no traces", p->file);
		return false;
	}
	if (p->account->period <= 1 && !p->account->sampled)
		return true;
	complain(
	    "%s: is sampled: what a sample does not have may have run all the same; take an exact run (rivulet run "
	    "--records, --collect table, rivulet profile of a Linux program, rivulet cc)",
	    p->file);
	return false;
}

static int load_run(const struct arguments *a, struct coverage_run *run, const char *file, struct merged *merged)
{
	take_operands(&run->profiled, &a->operands);
	run->profiled.file = file;
	run->evidence = coverage_evidence_of(file);
	int status = open_profiled(&run->profiled);
	if (status != STATUS_FAILED && run->profiled.loaded.profile.total > 0)
		status = worse_status(status, account_profiled(&run->profiled, ACCOUNT_EQUAL));
	if (status == STATUS_FAILED || !is_exact(&run->profiled))
		return STATUS_FAILED;
	const struct account *account = run->profiled.account;
	remainder_profiled(&run->remainder, &run->profiled);
	run->instructions = account->accounted.insns;
	uint64_t first = image_load_address(a->covered.runs[0].profiled.image);
	if (!add_coverage_run(merged, account, image_load_address(run->profiled.image) - first)) {
		complain("out of memory");
		return STATUS_FAILED;
	}
	return status;
}

static int load_runs(struct arguments *a, struct merged *merged)
{
	struct covered *c = &a->covered;
	int status = STATUS_OK;
	c->run_count = 1 + a->file_count;
	c->runs = calloc(c->run_count, sizeof *c->runs);
	if (c->runs == NULL) {
		complain("out of memory");
		return STATUS_FAILED;
	}
	for (size_t i = 0; i < c->run_count && status != STATUS_FAILED; i++) {
		const char *file = i == 0 ? a->operands.file : a->files[i - 1];
		status = worse_status(status, load_run(a, &c->runs[i], file, merged));
	}
	return status;
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

static void count_lineless(struct covered *c, const struct merged *merged, const struct spots *spots)
{
	for (size_t i = 0; i < merged->count; i++) {
		const struct spot_place *place = spots_at(spots, merged->code[i].pc);
		if (place != NULL && place->file != NULL && place->line != 0)
			continue;
		c->lineless++;
		c->lineless_ran += merged->code[i].count;
	}
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

static int follow_decisions(struct arguments *a, const struct merged *merged)
{
	size_t count = 0;
	if (a->covered.mcdc.object_count == 0)
		return STATUS_OK;
	uint64_t *ran = calloc(merged->count + 1, sizeof *ran);
	if (ran == NULL) {
		complain("out of memory");
		return STATUS_FAILED;
	}
	for (size_t i = 0; i < merged->count; i++) {
		if (merged->code[i].count > 0)
			ran[count++] = merged->code[i].pc;
	}
	int status = coverage_follow_mcdc(&a->covered, ran, count, is_wanted_file, a);
	free(ran);
	return status;
}

static int make_coverage(struct arguments *a, const struct merged *merged, struct output *file)
{
	struct covered *c = &a->covered;
	const struct image *image = c->runs[0].profiled.image;
	uint64_t *pcs = calloc(merged->count + 1, sizeof *pcs);
	struct spots spots = {0};
	const struct gather_result result = {.code = merged->code, .code_count = merged->count, .scale = 1};
	const struct export_input input = {.image = image, .result = &result, .spots = &spots, .name = ""};
	int error = pcs == NULL ? EXPORT_ENOMEM : EXPORT_OK, status = STATUS_FAILED;
	for (size_t i = 0; pcs != NULL && i < merged->count; i++)
		pcs[i] = merged->code[i].pc;
	if (error == EXPORT_OK && spots_make(&spots, image, pcs, merged->count) != SPOTS_OK)
		error = EXPORT_ENOMEM;
	if (error == EXPORT_OK)
		error = coverage_make(&c->coverage, &input);
	if (error == EXPORT_EDEBUG)
		complain("%s: has no source lines: compile with -g (the code may stay as it is)", c->program);
	else if (error != EXPORT_OK)
		complain("%s: %s", c->program, export_strerror(error));
	if (error == EXPORT_OK) {
		choose_files(a, &c->coverage);
		count_lineless(c, merged, &spots);
		c->exported = &input;
		status = write_covered(a, file);
	}
	if (error == EXPORT_OK && c->coverage.count == 0) {
		complain("%s: no source file passes --source and --exclude", c->program);
		status = STATUS_FAILED;
	}
	coverage_free(&c->coverage);
	spots_free(&spots);
	free(pcs);
	return status;
}

static int cover_runs(struct arguments *a)
{
	struct covered *c = &a->covered;
	struct merged merged = {0};
	const char *const inputs[] = {a->operands.program, a->operands.file};
	char build[16], detail[512];
	uint32_t crc;
	struct output *file = begin_output(a->output, OUTPUT_REPLACE, inputs, 2);
	if (file == NULL)
		return STATUS_FAILED;
	c->evidence = coverage_evidence_of(c->program);
	int status = load_runs(a, &merged);
	if (status != STATUS_FAILED) {
		const struct image *image = c->runs[0].profiled.image;
		if (image_build(image, &crc, detail, sizeof detail) != IMAGE_OK)
			crc = image_code_build(image);
		snprintf(build, sizeof build, "%08" PRIx32, crc);
		c->build = build;
		status = worse_status(status, follow_decisions(a, &merged));
	}
	if (status != STATUS_FAILED)
		status = worse_status(status, make_coverage(a, &merged, file));
	status = finish_output(file, status);
	for (size_t i = 0; i < c->run_count; i++)
		close_profiled(&c->runs[i].profiled);
	coverage_free_mcdc(&c->mcdc);
	free(merged.code);
	free(c->runs);
	return status;
}

int cmd_coverage(int argc, char **argv)
{
	static const struct argp_child children[] = {OPERANDS_CHILD, TABLE_CHILD, {0}};
	static const struct argp argp = {options, parse_coverage_option, "PROGRAM.elf PROFILE|RECORDS...",
	    "What of a program ran: source lines, both outcomes of branches, functions, calls, instructions; of one "
	    "run or "
	    "of several of the same program together. The program is the one that ships, without instrumentation.\v"
	    "Runs must be exact: record files, profiles of each trace, counters, imported logs. "
	    "Exit status: 0 all is well; 1 less than --min asks for, or an input is not whole; 2 a file cannot be "
	    "used. "
	    "Manual: docs/coverage-of-programs.md",
	    children, coverage_help_filter, NULL};
	struct arguments a = {.output = "-", .covered = {.top = 10}};
	for (unsigned kind = 0; kind < LEAST_KINDS; kind++)
		a.covered.least[kind] = -1;
	a.operands.wanted = "a program (ELF) and profiles or record files";
	argp_parse(&argp, argc, argv, 0, NULL, &a);
	if (a.format == NULL)
		a.format = &formats[a.table];
	a.covered.program = a.operands.program;
	a.covered.top = a.covered.top == 0 ? UINT64_MAX : a.covered.top;
	int status = cover_runs(&a);
	free(a.files);
	return status;
}
