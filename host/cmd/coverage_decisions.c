/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* Decisions of --mcdc, as text and as JSON. */
#include <inttypes.h>
#include <string.h>
#include "host/base/json.h"
#include "host/cmd/coverage.h"
#include "host/table/table.h"

/* The part of a condition's or decision's text that fits, from the source; "" without it. */
#define SNIPPET 44

static void source_snippet(const struct covered *c, const char *file, const struct mcdc_span *span, char *text)
{
	const char *line = image_source(c->runs[0].profiled.image, file, span->line);
	size_t length = line == NULL ? 0 : strlen(line);
	text[0] = '\0';
	if (span->column == 0 || length < span->column)
		return;
	const char *from = line + span->column - 1;
	size_t size = strlen(from);
	if (span->end_line == span->line && span->end_column > span->column && span->end_column - span->column < size)
		size = span->end_column - span->column;
	if (size >= SNIPPET)
		size = SNIPPET - 1;
	memcpy(text, from, size);
	text[size] = '\0';
}

static void print_condition(const struct covered *c, size_t i, unsigned k, FILE *out)
{
	const struct mcdc_decision *d = &c->mcdc.mapping.decisions[i];
	const struct mcdc_told *told = &c->mcdc.vectors.told[i];
	char text[SNIPPET];
	if ((told->unique >> k & 1) != 0)
		return;
	source_snippet(c, d->file, &d->conditions[k].span, text);
	fprintf(out, "    condition %u at %u:%u  %s: %s\n", k + 1, d->conditions[k].span.line,
	    d->conditions[k].span.column, text, (told->masking >> k & 1) != 0 ? "by masking alone" : "not covered");
}

static void print_vectors(const struct covered *c, size_t i, FILE *out)
{
	const struct mcdc_told *told = &c->mcdc.vectors.told[i];
	for (size_t k = 0; k < told->count; k++) {
		char text[MCDC_CONDITIONS + 1];
		mcdc_vector_text(&told->vectors[k], c->mcdc.mapping.decisions[i].count, text);
		fprintf(out, "    %s gave %s, %s times\n", text, told->vectors[k].outcome ? "true" : "false",
		    with_commas(told->vectors[k].count));
	}
}

static void print_decision(const struct covered *c, size_t i, FILE *out)
{
	const struct coverage_mcdc *m = &c->mcdc;
	const struct mcdc_decision *d = &m->mapping.decisions[i];
	const struct mcdc_told *told = &m->vectors.told[i];
	size_t build;
	enum mcdc_reason reason = coverage_mcdc_reason(m, i, &build);
	unsigned covered = (unsigned)__builtin_popcount(told->unique);
	char text[SNIPPET];
	if (reason == MCDC_TOLD && covered == d->count)
		return;
	source_snippet(c, d->file, &d->span, text);
	fprintf(out, "  %u:%u  %s\n", d->span.line, d->span.column, text);
	if (reason != MCDC_TOLD) {
		fprintf(out, "    undecidable: %s (%u branches, %u conditions)", mcdc_reason_text(reason),
		    m->matches[build].found[i].branches, d->count);
		if (c->build_count > 1)
			fprintf(out, " in %s", c->builds[build].program);
		fputc('\n', out);
		return;
	}
	fprintf(out, "    %u of %u conditions covered", covered, d->count);
	fprintf(out, told->evaluations == 0 ? ", never evaluated\n" : "\n");
	if (told->evaluations == 0)
		return;
	for (unsigned k = 0; k < d->count; k++)
		print_condition(c, i, k, out);
	print_vectors(c, i, out);
}

void coverage_mcdc_text(const struct covered *c, FILE *out)
{
	const struct coverage_mcdc *m = &c->mcdc;
	const char *file = NULL;
	fprintf(out, "\nMC/DC: %s of %s decisions decided (%.1f%%); ", with_commas(m->hit[LEAST_DECIDED]),
	    with_commas(m->all[LEAST_DECIDED]), coverage_reached(c, LEAST_DECIDED));
	fprintf(out, "of %s conditions %s covered (%.1f%%), ", with_commas(m->all[LEAST_MCDC]),
	    with_commas(m->hit[LEAST_MCDC]), coverage_reached(c, LEAST_MCDC));
	fprintf(
	    out, "%s by masking (%.1f%%)\n", with_commas(m->hit[LEAST_MASKING]), coverage_reached(c, LEAST_MASKING));
	for (size_t i = 0; i < m->mapping.count; i++) {
		const struct mcdc_decision *d = &m->mapping.decisions[i];
		size_t build;
		bool whole = coverage_mcdc_reason(m, i, &build) == MCDC_TOLD &&
			     (unsigned)__builtin_popcount(m->vectors.told[i].unique) == d->count;
		if (!whole && (file == NULL || strcmp(file, d->file) != 0)) {
			file = d->file;
			fprintf(out, "\n%s\n", short_file(d->file, 96));
		}
		print_decision(c, i, out);
	}
}

/* ---- JSON ---- */

static void json_span(struct json *j, const struct mcdc_span *span)
{
	json_number(j, "line", span->line);
	json_number(j, "column", span->column);
	json_number(j, "end_line", span->end_line);
	json_number(j, "end_column", span->end_column);
}

static void json_conditions(struct json *j, const struct coverage_mcdc *m, size_t i)
{
	const struct mcdc_decision *d = &m->mapping.decisions[i];
	const struct mcdc_told *told = &m->vectors.told[i];
	size_t build;
	bool decided = coverage_mcdc_reason(m, i, &build) == MCDC_TOLD;
	bool has = d->count <= MCDC_CONDITIONS && !d->unclear;
	json_array(j, "conditions");
	for (unsigned k = 0; has && k < d->count; k++) {
		json_line(j, NULL);
		json_span(j, &d->conditions[k].span);
		if (decided) {
			json_bool(j, "covered", (told->unique >> k & 1) != 0);
			json_bool(j, "masking", (told->masking >> k & 1) != 0);
		}
		json_object_end(j);
	}
	json_array_end(j);
}

/* build: -1: there is one alone. */
static void json_branches(struct json *j, const struct mcdc_match *match, size_t i, int build)
{
	for (size_t k = 0; k < match->count; k++) {
		const struct mcdc_branch *branch = &match->branches[k];
		if (branch->decision != i)
			continue;
		json_line(j, NULL);
		json_hex(j, "pc", branch->pc, 8);
		json_number(j, "condition", branch->condition + 1u);
		json_bool(j, "taken_is_true", branch->taken_is_true);
		if (build >= 0)
			json_number(j, "build", (uint64_t)build);
		json_object_end(j);
	}
}

static void json_evidence(struct json *j, const struct coverage_mcdc *m, size_t i)
{
	const struct mcdc_told *told = &m->vectors.told[i];
	char text[MCDC_CONDITIONS + 1];
	json_array(j, "vectors");
	for (size_t k = 0; k < told->count; k++) {
		mcdc_vector_text(&told->vectors[k], m->mapping.decisions[i].count, text);
		json_line(j, NULL);
		json_text(j, "values", text);
		json_bool(j, "outcome", told->vectors[k].outcome);
		json_number(j, "count", told->vectors[k].count);
		json_object_end(j);
	}
	json_array_end(j);
	json_array(j, "branches");
	for (size_t k = 0; k < m->match_count; k++)
		json_branches(j, &m->matches[k], i, m->match_count > 1 ? (int)k : -1);
	json_array_end(j);
}

static void json_decision(struct json *j, const struct coverage_mcdc *m, size_t i)
{
	const struct mcdc_decision *d = &m->mapping.decisions[i];
	size_t build;
	enum mcdc_reason reason = coverage_mcdc_reason(m, i, &build);
	json_object(j, NULL);
	json_text(j, "file", d->file);
	json_span(j, &d->span);
	json_bool(j, "decided", reason == MCDC_TOLD);
	if (reason != MCDC_TOLD)
		json_text(j, "reason", mcdc_reason_text(reason));
	json_number(j, "evaluations", m->vectors.told[i].evaluations);
	json_conditions(j, m, i);
	if (reason == MCDC_TOLD)
		json_evidence(j, m, i);
	json_object_end(j);
}

void coverage_mcdc_json(struct json *j, const struct covered *c)
{
	const struct coverage_mcdc *m = &c->mcdc;
	static const char *const names[] = {"conditions_unique_cause", "conditions_masking", "decisions_decided"};
	json_object(j, "mcdc");
	for (unsigned kind = LEAST_MCDC; kind < LEAST_KINDS; kind++) {
		json_line(j, names[kind - LEAST_MCDC]);
		json_number(j, "all", m->all[kind]);
		json_number(j, "reached", m->hit[kind]);
		json_fixed(j, "percent", coverage_reached(c, kind), 2);
		json_object_end(j);
	}
	json_array(j, "objects");
	for (size_t i = 0; i < m->object_count; i++) {
		json_line(j, NULL);
		coverage_evidence_json(j, &m->evidence[i]);
		json_object_end(j);
	}
	json_array_end(j);
	json_array(j, "decisions");
	for (size_t i = 0; i < m->mapping.count; i++)
		json_decision(j, m, i);
	json_array_end(j);
	json_object_end(j);
}
