/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/*
 * Coverage as one page of HTML, which needs nothing beside it and no script: the table of files, then each file's
 * source with what of each line ran.
 *
 *   rows of a file, by kind ──► a cursor each for lines, branches, instructions ──► line by line
 *   pieces of --object, decisions of --mcdc, by file and line ──────────────────┘
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "host/base/xml.h"
#include "host/cmd/coverage.h"
#include "host/cmd/not_traced.h"
#include "version.h"

struct page {
	const struct covered *c;
	FILE *out;
	size_t piece;                   /* the next one */
	size_t decision;                /* of the mapping, the next one */
	size_t at[COVERAGE_KINDS], end; /* rows of the file: the next one of each kind */
};

static const char style[] = "body{font:14px/1.4 sans-serif;margin:2em;color:#222}table{border-collapse:collapse}"
			    "td,th{padding:0 .6em;text-align:right;vertical-align:top}th{border-bottom:1px solid #999}"
			    "td.s,th.s{text-align:left;white-space:pre;font-family:monospace}"
			    "tr.r td.n{background:#d9f2d9}tr.u td.n{background:#f7c6c6}tr.d td.n{background:#ccc}"
			    "tr.h td.n{background:#d9e6f7}.m{color:#a00}.k{color:#070}.a{color:#666}"
			    "td.x{text-align:left;white-space:normal;font-size:12px}";

/* ---- the head ---- */

static void put_html_name(const struct page *p, const char *name)
{
	xml_text(p->out, name);
}

/* A line of the source: tabs are spaces, as XML has no place for them in a cell. */
static void put_html_source(const struct page *p, const char *text)
{
	char part[256];
	size_t used = 0, column = 0;
	for (; *text != '\0'; text++, column++) {
		do
			part[used++] = *text == '\t' ? ' ' : *text;
		while (*text == '\t' && column % 8 != 7 && ++column > 0);
		/* not within a character */
		if (used > sizeof part - 10 || (used > sizeof part - 16 && ((unsigned char)text[1] & 0xC0) != 0x80)) {
			part[used] = '\0';
			xml_text(p->out, part);
			used = 0;
		}
	}
	part[used] = '\0';
	xml_text(p->out, part);
}

static void put_html_evidence(const struct page *p, const char *what, const struct coverage_evidence *evidence)
{
	fprintf(p->out, "<li>%s ", what);
	put_html_name(p, evidence->file);
	coverage_evidence_text(evidence, p->out);
}

static void put_html_head(const struct page *p)
{
	const struct covered *c = p->c;
	fputs("<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"/><title>coverage of ", p->out);
	put_html_name(p, c->program);
	fprintf(p->out, "</title><style>%s</style></head><body>\n<h1>Coverage of ", style);
	put_html_name(p, c->program);
	fprintf(p->out, "</h1>\n<p>Made by rivulet %s from these files:</p>\n<ul>\n", RIVULET_VERSION);
	for (size_t i = 0; i < c->build_count; i++) {
		put_html_evidence(p, "program", &c->builds[i].evidence);
		fprintf(p->out, ", build %s</li>\n", c->builds[i].build);
	}
	for (size_t i = 0; i < c->run_count; i++) {
		put_html_evidence(p, "run", &c->runs[i].evidence);
		fprintf(p->out, ", %s instructions%s</li>\n", with_commas(c->runs[i].instructions),
		    remainder_any(&c->runs[i].remainder)
			? "; not traced whole: what ran there, and nowhere else, counts as not executed"
			: "");
	}
	for (size_t i = 0; i < c->mcdc.object_count; i++) {
		put_html_evidence(p, "decisions of", &c->mcdc.evidence[i]);
		fputs("</li>\n", p->out);
	}
	fputs("</ul>\n<p>\"Executed\" is certain; \"not executed\" holds for these runs alone. A branch is a "
	      "conditional branch of the object code.</p>\n",
	    p->out);
}

static void put_html_share(const struct page *p, uint64_t hit, uint64_t all)
{
	if (all == 0)
		fputs("<td>-</td>", p->out);
	else
		fprintf(p->out, "<td>%.1f%% %" PRIu64 "/%" PRIu64 "</td>", 100.0 * (double)hit / (double)all, hit, all);
}

static const enum coverage_kind html_kinds[] = {
    COVERAGE_LINE, COVERAGE_BRANCH, COVERAGE_FUNCTION, COVERAGE_CALL, COVERAGE_INSN};

static const char *mcdc_words(unsigned kind)
{
	if (kind == LEAST_DECIDED)
		return "decisions decided";
	return kind == LEAST_MCDC ? "conditions covered by unique cause" : "conditions covered by masking";
}

static void put_html_sums(const struct page *p, const struct coverage_sum *sum)
{
	for (size_t i = 0; i < COVERAGE_KINDS; i++)
		put_html_share(p, sum->hit[html_kinds[i]], sum->all[html_kinds[i]]);
}

static void put_html_files(const struct page *p)
{
	const struct covered *c = p->c;
	size_t number = 0;
	fputs("<table id=\"files\"><tr><th class=\"s\">file</th>", p->out);
	for (size_t i = 0; i < COVERAGE_KINDS; i++)
		fprintf(p->out, "<th>%s</th>", coverage_names[html_kinds[i]]);
	fputs("</tr>\n", p->out);
	for (size_t i = 0; i < c->coverage.count; number++) {
		struct coverage_sum sum = {0};
		size_t end = coverage_file_end(&c->coverage, i);
		coverage_add(&sum, &c->coverage, i, end);
		fprintf(p->out, "<tr><td class=\"s\"><a href=\"#f%zu\">", number);
		put_html_name(p, coverage_file(c->coverage.all[i].file));
		fputs("</a></td>", p->out);
		put_html_sums(p, &sum);
		fputs("</tr>\n", p->out);
		i = end;
	}
	fputs("<tr><td class=\"s\">all</td>", p->out);
	put_html_sums(p, &c->total);
	fputs("</tr></table>\n", p->out);
	for (unsigned kind = LEAST_MCDC; kind < LEAST_KINDS && c->mcdc.object_count > 0; kind++)
		fprintf(p->out, "<p>%s: %" PRIu64 " of %" PRIu64 " (%.1f%%)</p>\n", mcdc_words(kind), c->mcdc.hit[kind],
		    c->mcdc.all[kind], coverage_reached(c, kind));
}

/* ---- a line ---- */

/* The rows of a kind of this line: [at, *next); the cursor goes behind them. */
static size_t take_html_rows(struct page *p, enum coverage_kind kind, unsigned line, size_t *next)
{
	const struct coverage *rows = &p->c->coverage;
	size_t begin = p->at[kind];
	*next = begin;
	if (begin < p->end && rows->all[begin].kind == kind && rows->all[begin].line == line)
		p->at[kind] = *next = coverage_group(rows, begin);
	return begin;
}

static void put_html_branches(struct page *p, unsigned line)
{
	size_t next, i = take_html_rows(p, COVERAGE_BRANCH, line, &next);
	fputs("<td>", p->out);
	for (; i < next; i++) {
		const struct coverage_row *row = &p->c->coverage.all[i];
		const bool both = row->count > 0 && row->other > 0;
		fprintf(p->out, "<span class=\"%c\" title=\"0x%08" PRIx64 "\">%" PRIu64 "/%" PRIu64 "</span> ",
		    both ? 'k' : 'm', row->pc, row->count, row->other);
	}
	fputs("</td>", p->out);
}

static void put_html_decision(const struct page *p, size_t number)
{
	const struct coverage_mcdc *m = &p->c->mcdc;
	const struct mcdc_decision *d = &m->mapping.decisions[number];
	const struct mcdc_told *told = &m->vectors.told[number];
	size_t build;
	enum mcdc_reason reason = coverage_mcdc_reason(m, number, &build);
	fprintf(p->out, "<div>decision at column %u: ", d->span.column);
	if (reason != MCDC_TOLD) {
		fprintf(p->out, "<span class=\"m\">undecidable: %s</span></div>", mcdc_reason_text(reason));
		return;
	}
	for (unsigned k = 0; k < d->count; k++) {
		const bool unique = (told->unique >> k & 1) != 0, masking = (told->masking >> k & 1) != 0;
		const char *other = masking ? "by masking alone" : "not covered";
		fprintf(p->out, "%s<span class=\"%c\">condition %u %s</span>", k == 0 ? "" : ", ", unique ? 'k' : 'm',
		    k + 1, unique ? "covered" : other);
	}
	for (size_t k = 0; k < told->count; k++) {
		char text[MCDC_CONDITIONS + 1];
		mcdc_vector_text(&told->vectors[k], d->count, text);
		fprintf(p->out, "; %s gave %s %" PRIu64 " times", text, told->vectors[k].outcome ? "true" : "false",
		    told->vectors[k].count);
	}
	fputs("</div>", p->out);
}

static void put_html_decisions(struct page *p, const char *file, unsigned line)
{
	const struct mcdc_mapping *mapping = &p->c->mcdc.mapping;
	for (size_t i = 0; i < mapping->count && p->c->mcdc.object_count > 0; i++) {
		const struct mcdc_decision *d = &mapping->decisions[i];
		if (d->span.line == line && (strcmp(d->file, file) == 0 || strcmp(d->name, file) == 0))
			put_html_decision(p, i);
	}
}

static void put_html_pieces(struct page *p, const char *file, unsigned line)
{
	while (p->piece < p->c->added.count && coverage_piece_order(p->c->by_line[p->piece], file, line) < 0)
		p->piece++;
	for (; p->piece < p->c->added.count && coverage_piece_order(p->c->by_line[p->piece], file, line) == 0;
	     p->piece++) {
		const struct added_piece *piece = p->c->by_line[p->piece];
		char text[COVERAGE_PIECE];
		coverage_piece_text(piece, text);
		fprintf(
		    p->out, "<div class=\"%c\">0x%08" PRIx64 " ", piece->ran == piece->insns ? 'a' : 'm', piece->start);
		put_html_name(p, text);
		fprintf(p->out, ": %" PRIu32 " of %" PRIu32 " instructions ran", piece->ran, piece->insns);
		if (piece->outcomes > 0)
			fprintf(p->out, ", %" PRIu32 " of %" PRIu32 " outcomes", piece->outcomes_ran, piece->outcomes);
		fputs("</div>", p->out);
	}
}

/* r: ran, h: in handlers only, u: did not, d: dead; n: no code. */
static char html_class(const struct page *p, size_t begin, size_t end, bool handlers)
{
	if (begin == end)
		return 'n';
	if (coverage_executions(&p->c->coverage.all[begin], end - begin) > 0)
		return handlers ? 'h' : 'r';
	return coverage_line_dead(p->c, begin, end) ? 'd' : 'u';
}

static void put_html_line(struct page *p, const char *file, unsigned line, const char *text)
{
	size_t next, insn_end, begin = take_html_rows(p, COVERAGE_LINE, line, &next);
	size_t insn = take_html_rows(p, COVERAGE_INSN, line, &insn_end);
	const bool handlers = p->c->handlers && insn < insn_end && coverage_in_handlers(p->c, insn, insn_end);
	const char class = html_class(p, begin, next, handlers);
	fprintf(p->out, "<tr class=\"%c\"><td>%u</td><td class=\"n\">", class, line);
	if (begin < next)
		fprintf(p->out, "%" PRIu64, coverage_executions(&p->c->coverage.all[begin], next - begin));
	fputs("</td>", p->out);
	put_html_branches(p, line);
	fputs("<td class=\"s\">", p->out);
	put_html_source(p, text);
	fputs("</td><td class=\"x\">", p->out);
	if (class == 'd')
		fputs("<div class=\"m\">dead: nothing known leads there</div>", p->out);
	if (class == 'h')
		fputs("<div>in handlers only</div>", p->out);
	put_html_decisions(p, file, line);
	put_html_pieces(p, file, line);
	fputs("</td></tr>\n", p->out);
}

/* ---- a file ---- */

/* The next line that has a row or a piece; 0: none has. */
static unsigned next_html_line(const struct page *p, const char *file)
{
	unsigned line = 0;
	for (unsigned kind = COVERAGE_BRANCH; kind < COVERAGE_KINDS; kind++) {
		const struct coverage_row *row = p->at[kind] < p->end ? &p->c->coverage.all[p->at[kind]] : NULL;
		if (kind != COVERAGE_CALL && row != NULL && row->kind == kind && (line == 0 || row->line < line))
			line = row->line;
	}
	const struct added_piece *piece = p->piece < p->c->added.count ? p->c->by_line[p->piece] : NULL;
	if (piece != NULL && strcmp(piece->file, file) == 0 && (line == 0 || piece->line < line))
		line = piece->line;
	return line;
}

/* Pieces of functions none of which has a line. */
static void put_html_lineless(struct page *p, const char *file)
{
	while (p->piece < p->c->added.count && coverage_piece_order(p->c->by_line[p->piece], file, 0) < 0)
		p->piece++;
	if (p->piece < p->c->added.count && coverage_piece_order(p->c->by_line[p->piece], file, 0) == 0)
		put_html_line(p, file, 0, "");
}

static void put_html_file(struct page *p, size_t begin, size_t end, size_t number)
{
	const struct coverage *rows = &p->c->coverage;
	const char *file = rows->all[begin].file, *text;
	struct image *image = p->c->runs[0].profiled.image;
	unsigned line = 0;
	p->end = end;
	for (unsigned kind = 0; kind < COVERAGE_KINDS; kind++) {
		size_t at = begin;
		while (at < end && rows->all[at].kind < kind)
			at++;
		p->at[kind] = at;
	}
	fprintf(p->out, "<h2 id=\"f%zu\">", number);
	put_html_name(p, coverage_file(file));
	fputs("</h2>\n<table><tr><th>line</th><th>ran</th><th>taken/not</th><th class=\"s\">source</th>"
	      "<th class=\"s\">beside it</th></tr>\n",
	    p->out);
	put_html_lineless(p, file);
	while ((text = image_source(image, file, line + 1)) != NULL)
		put_html_line(p, file, ++line, text);
	while ((line = next_html_line(p, file)) != 0) /* the source cannot be read, or is shorter than it was */
		put_html_line(p, file, line, "");
	fputs("</table>\n", p->out);
}

void coverage_html(const struct covered *c, FILE *out)
{
	struct page p = {.c = c, .out = out};
	size_t number = 0;
	put_html_head(&p);
	put_html_files(&p);
	for (size_t i = 0; i < c->coverage.count; number++) {
		size_t end = coverage_file_end(&c->coverage, i);
		put_html_file(&p, i, end, number);
		i = end;
	}
	fputs("</body></html>\n", out);
}
