/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* Coverage as files of other tools, each for itself. */
#include <inttypes.h>
#include "host/base/json.h"
#include "host/base/xml.h"
#include "host/cmd/coverage.h"
#include "host/cmd/not_traced.h"
#include "version.h"

void coverage_lcov(const struct covered *c, FILE *out)
{
	coverage_write_lcov(&c->coverage, out);
}

static double covered_share(uint64_t hit, uint64_t all)
{
	return all == 0 ? 1 : (double)hit / (double)all;
}

/* ---- JSON of our own ---- */

static void json_sum(struct json *j, const struct coverage_sum *sum)
{
	for (unsigned kind = 0; kind < COVERAGE_KINDS; kind++) {
		json_line(j, coverage_names[kind]);
		json_number(j, "all", sum->all[kind]);
		json_number(j, "ran", sum->hit[kind]);
		json_fixed(j, "percent", coverage_percent(sum, kind), 2);
		json_object_end(j);
	}
}

static void json_runs(struct json *j, const struct covered *c)
{
	json_array(j, "runs");
	for (size_t i = 0; i < c->run_count; i++) {
		json_object(j, NULL);
		coverage_evidence_json(j, &c->runs[i].evidence);
		json_number(j, "instructions", c->runs[i].instructions);
		json_not_traced(j, &c->runs[i].remainder);
		json_object_end(j);
	}
	json_array_end(j);
}

static void json_group(struct json *j, const struct coverage_row *rows, size_t count, size_t builds)
{
	if (rows->kind == COVERAGE_LINE) {
		json_line(j, NULL);
		json_number(j, "line", rows->line);
		json_number(j, "count", coverage_executions(rows, count));
		json_object_end(j);
		return;
	}
	for (size_t i = 0; i < count; i++) {
		json_line(j, NULL);
		json_number(j, "line", rows[i].line);
		json_text(j, rows->kind == COVERAGE_FUNCTION ? "name" : "function", rows[i].name);
		json_hex(j, "pc", rows[i].pc, 8);
		if (builds > 1)
			json_number(j, "build", rows[i].build);
		json_number(j, rows->kind == COVERAGE_BRANCH ? "taken" : "count", rows[i].count);
		if (rows->kind == COVERAGE_BRANCH)
			json_number(j, "not_taken", rows[i].other);
		json_object_end(j);
	}
}

static void json_file(struct json *j, const struct covered *c, size_t begin, size_t end)
{
	static const char *const lists[] = {
	    "function_list", "branch_list", "line_list", "call_list", "instruction_list"};
	struct coverage_sum sum = {0};
	coverage_add(&sum, &c->coverage, begin, end);
	json_object(j, NULL);
	json_text(j, "file", c->coverage.all[begin].file);
	json_sum(j, &sum);
	for (size_t i = begin; i < end;) {
		unsigned kind = c->coverage.all[i].kind;
		json_array(j, lists[kind]);
		while (i < end && c->coverage.all[i].kind == kind) {
			size_t next = coverage_group(&c->coverage, i);
			json_group(j, &c->coverage.all[i], next - i, c->build_count);
			i = next;
		}
		json_array_end(j);
	}
	coverage_handlers_json(j, c, begin, end);
	coverage_dead_json(j, c, begin, end);
	json_object_end(j);
}

static void json_builds(struct json *j, const struct covered *c)
{
	json_array(j, "builds");
	for (size_t i = 0; i < c->build_count; i++) {
		json_line(j, NULL);
		coverage_evidence_json(j, &c->builds[i].evidence);
		json_text(j, "build", c->builds[i].build);
		json_number(j, "runs", c->builds[i].end - c->builds[i].first);
		json_object_end(j);
	}
	json_array_end(j);
}

void coverage_json(const struct covered *c, FILE *out)
{
	struct json j;
	json_open(&j, out);
	json_text(&j, "program", c->program);
	if (c->builds[0].evidence.known) {
		json_number(&j, "program_bytes", c->builds[0].evidence.bytes);
		json_hex(&j, "program_crc32", c->builds[0].evidence.crc, 8);
	}
	json_text(&j, "build", c->builds[0].build);
	if (c->build_count > 1)
		json_builds(&j, c);
	json_text(&j, "tool", "rivulet " RIVULET_VERSION);
	json_runs(&j, c);
	json_object(&j, "total");
	json_sum(&j, &c->total);
	json_object_end(&j);
	json_line(&j, "without_source_lines");
	json_number(&j, "instructions", c->lineless);
	json_number(&j, "count", c->lineless_ran);
	json_object_end(&j);
	coverage_object_json(&j, c);
	if (c->mcdc.object_count > 0)
		coverage_mcdc_json(&j, c);
	json_array(&j, "files");
	for (size_t i = 0; i < c->coverage.count;) {
		size_t end = coverage_file_end(&c->coverage, i);
		json_file(&j, c, i, end);
		i = end;
	}
	json_array_end(&j);
	finish_json(&j);
}

/* ---- llvm-cov export ---- */

static void llvm_summary(struct json *j, const char *name, const struct coverage_sum *sum)
{
	static const struct {
		const char *name;
		enum coverage_kind kind;
	} rows[] = {{"branches", COVERAGE_BRANCH}, {"functions", COVERAGE_FUNCTION}, {"lines", COVERAGE_LINE}};
	json_object(j, name);
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		enum coverage_kind k = rows[i].kind;
		json_line(j, rows[i].name);
		json_number(j, "count", sum->all[k]);
		json_number(j, "covered", sum->hit[k]);
		if (k == COVERAGE_BRANCH)
			json_number(j, "notcovered", sum->all[k] - sum->hit[k]);
		json_fixed(j, "percent", coverage_percent(sum, k), 2);
		json_object_end(j);
	}
	json_object_end(j);
}

static void llvm_segment(struct json *j, unsigned line, uint64_t count, bool has)
{
	json_row(j, NULL);
	json_number(j, NULL, line);
	json_number(j, NULL, 1);
	json_number(j, NULL, count);
	json_bool(j, NULL, has);
	json_bool(j, NULL, has);
	json_bool(j, NULL, false);
	json_array_end(j);
}

/* A region for each line: it ends where the next begins, or behind it. */
static void llvm_segments(struct json *j, const struct coverage *c, size_t begin, size_t end)
{
	json_array(j, "segments");
	for (size_t i = begin; i < end;) {
		size_t next = coverage_group(c, i);
		const struct coverage_row *row = &c->all[i];
		if (row->kind == COVERAGE_LINE) {
			bool joined =
			    next < end && c->all[next].kind == COVERAGE_LINE && c->all[next].line == row->line + 1;
			llvm_segment(j, row->line, coverage_executions(row, next - i), true);
			if (!joined)
				llvm_segment(j, row->line + 1, 0, false);
		}
		i = next;
	}
	json_array_end(j);
}

static void llvm_branches(struct json *j, const struct coverage *c, size_t begin, size_t end)
{
	json_array(
	    j, "branches"); /* line, column, end line, end column, taken, not, file, expanded file, kind 4: branch */
	for (size_t i = begin; i < end; i++) {
		const struct coverage_row *row = &c->all[i];
		if (row->kind != COVERAGE_BRANCH)
			continue;
		const uint64_t numbers[] = {row->line, 1, row->line, 1, row->count, row->other, 0, 0, 4};
		json_row(j, NULL);
		for (size_t k = 0; k < sizeof numbers / sizeof *numbers; k++)
			json_number(j, NULL, numbers[k]);
		json_array_end(j);
	}
	json_array_end(j);
}

void coverage_llvm(const struct covered *c, FILE *out)
{
	struct json j;
	json_open(&j, out);
	json_array(&j, "data");
	json_object(&j, NULL);
	json_array(&j, "files");
	for (size_t i = 0; i < c->coverage.count;) {
		size_t end = coverage_file_end(&c->coverage, i);
		struct coverage_sum sum = {0};
		coverage_add(&sum, &c->coverage, i, end);
		json_object(&j, NULL);
		llvm_branches(&j, &c->coverage, i, end);
		json_text(&j, "filename", coverage_file(c->coverage.all[i].file));
		llvm_segments(&j, &c->coverage, i, end);
		llvm_summary(&j, "summary", &sum);
		json_object_end(&j);
		i = end;
	}
	json_array_end(&j);
	json_array(&j, "functions");
	json_array_end(&j);
	llvm_summary(&j, "totals", &c->total);
	json_object_end(&j);
	json_array_end(&j);
	json_text(&j, "type", "llvm.coverage.json.export");
	json_text(&j, "version", "2.0.1");
	finish_json(&j);
}

/* ---- Cobertura ---- */

static void cobertura_line(const struct coverage *c, size_t at, size_t next, size_t begin, size_t end, FILE *out)
{
	const struct coverage_row *row = &c->all[at];
	uint64_t all = 0, hit = 0;
	for (size_t i = begin; i < end; i++) {
		if (c->all[i].kind != COVERAGE_BRANCH || c->all[i].line != row->line)
			continue;
		all += 2;
		hit += (uint64_t)(c->all[i].count > 0) + (uint64_t)(c->all[i].other > 0);
	}
	fprintf(out, "     <line number=\"%u\" hits=\"%" PRIu64 "\" branch=\"%s\"", row->line,
	    coverage_executions(row, next - at), all > 0 ? "true" : "false");
	if (all > 0)
		fprintf(out, " condition-coverage=\"%.0f%% (%" PRIu64 "/%" PRIu64 ")\"", 100 * covered_share(hit, all),
		    hit, all);
	fputs("/>\n", out);
}

static void cobertura_rates(const struct coverage_sum *s, FILE *out)
{
	fprintf(out, " line-rate=\"%.4f\" branch-rate=\"%.4f\" complexity=\"0\"",
	    covered_share(s->hit[COVERAGE_LINE], s->all[COVERAGE_LINE]),
	    covered_share(s->hit[COVERAGE_BRANCH], s->all[COVERAGE_BRANCH]));
}

static void cobertura_file(const struct coverage *c, size_t begin, size_t end, FILE *out)
{
	struct coverage_sum sum = {0};
	coverage_add(&sum, c, begin, end);
	const char *file = coverage_file(c->all[begin].file);
	fputs("   <class name=\"", out);
	xml_text(out, file);
	fputs("\" filename=\"", out);
	xml_text(out, file);
	fputc('"', out);
	cobertura_rates(&sum, out);
	fputs(">\n    <methods/>\n    <lines>\n", out);
	for (size_t i = begin; i < end;) {
		size_t next = coverage_group(c, i);
		if (c->all[i].kind == COVERAGE_LINE)
			cobertura_line(c, i, next, begin, end, out);
		i = next;
	}
	fputs("    </lines>\n   </class>\n", out);
}

void coverage_cobertura(const struct covered *c, FILE *out)
{
	const struct coverage_sum *t = &c->total;
	fputs("<?xml version=\"1.0\"?>\n<!DOCTYPE coverage SYSTEM "
	      "\"http://cobertura.sourceforge.net/xml/coverage-04.dtd\">\n<coverage",
	    out);
	cobertura_rates(t, out);
	fprintf(out,
	    " lines-covered=\"%" PRIu64 "\" lines-valid=\"%" PRIu64 "\" branches-covered=\"%" PRIu64
	    "\" branches-valid=\"%" PRIu64 "\" version=\"rivulet " RIVULET_VERSION "\" timestamp=\"0\">\n",
	    t->hit[COVERAGE_LINE], t->all[COVERAGE_LINE], t->hit[COVERAGE_BRANCH], t->all[COVERAGE_BRANCH]);
	fputs(" <sources>\n  <source>.</source>\n </sources>\n <packages>\n  <package name=\"", out);
	xml_text(out, c->program);
	fputc('"', out);
	cobertura_rates(t, out);
	fputs(">\n   <classes>\n", out);
	for (size_t i = 0; i < c->coverage.count;) {
		size_t end = coverage_file_end(&c->coverage, i);
		cobertura_file(&c->coverage, i, end, out);
		i = end;
	}
	fputs("   </classes>\n  </package>\n </packages>\n</coverage>\n", out);
}

/* ---- JUnit ---- */

void coverage_junit(const struct covered *c, FILE *out)
{
	unsigned tests = 0, failures = 0;
	for (unsigned kind = 0; kind < LEAST_KINDS; kind++) {
		tests += c->least[kind] >= 0;
		failures += coverage_misses(c, kind);
	}
	fprintf(out, "<?xml version=\"1.0\"?>\n<testsuites>\n <testsuite name=\"coverage of ");
	xml_text(out, c->program);
	fprintf(out, "\" tests=\"%u\" failures=\"%u\">\n", tests, failures);
	coverage_evidence_junit(c, out);
	for (unsigned kind = 0; kind < LEAST_KINDS; kind++) {
		if (c->least[kind] < 0)
			continue;
		fprintf(out, "  <testcase classname=\"coverage\" name=\"%s\">", coverage_names[kind]);
		if (coverage_misses(c, kind))
			fprintf(out, "<failure message=\"%.2f%% %s, %.2f%% is asked for\"/>", coverage_reached(c, kind),
			    kind < COVERAGE_KINDS ? "ran" : "reached", c->least[kind]);
		fputs("</testcase>\n", out);
	}
	fputs(" </testsuite>\n</testsuites>\n", out);
}
