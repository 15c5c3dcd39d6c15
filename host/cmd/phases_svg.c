/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* rivulet phases --svg: the run from left to right; a band of phases, the hottest paths as rows, detectors as ticks. */
#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include "host/cmd/phases.h"

#define WIDTH 1000.0
#define LEFT 250.0
#define ROW 16.0
#define NARROWEST 0.75 /* pixels: shorter intervals are drawn together */
#define ROWS 24u       /* paths that are drawn */

static const char *const colours[] = {
    "#4e79a7", "#f28e2b", "#59a14f", "#e15759", "#76b7b2", "#edc948", "#b07aa1", "#ff9da7", "#9c755f", "#bab0ac"};

static void put_svg_text(FILE *out, const char *words)
{
	for (; *words != '\0'; words++) {
		const unsigned char c = (unsigned char)*words;
		if (c == '<' || c == '>' || c == '&' || c == '"' || c < 0x20 || c >= 0x7F)
			fprintf(out, "&#%u;", c < 0x20 || c == 0x7F ? 0xFFFDu : c);
		else
			fputc(c, out);
	}
}

static double x_of(const struct phases_view *v, uint64_t instruction)
{
	return LEFT + (WIDTH - LEFT - 10) * (double)instruction / (double)v->total.at[PHASES_INSTRUCTION];
}

static void draw_band(const struct phases_view *v, double y, FILE *out)
{
	for (uint32_t s = 0; s < v->segments.count; s++) {
		const struct segment *segment = &v->segments.segment[s];
		const uint32_t behind = segment->first + segment->count;
		const uint64_t from = v->intervals.interval[segment->first].place.at[PHASES_INSTRUCTION];
		const uint64_t to = (behind < v->intervals.count ? &v->intervals.interval[behind].place : &v->total)
					->at[PHASES_INSTRUCTION];
		const double x = x_of(v, from), width = x_of(v, to) - x;
		fprintf(out, "<g><title>phase %s, instructions %" PRIu64 " to %" PRIu64 "</title>",
		    phases_letter(segment->phase), from, to);
		fprintf(out, "<rect x=\"%.2f\" y=\"%.1f\" width=\"%.2f\" height=\"28\" fill=\"%s\"/>", x, y, width,
		    colours[segment->phase % (sizeof colours / sizeof *colours)]);
		if (width > 14)
			fprintf(out,
			    "<text fill=\"#fff\" font-weight=\"bold\" text-anchor=\"middle\" x=\"%.2f\" "
			    "y=\"%.1f\">%s</text>",
			    x + width / 2, y + 19, phases_letter(segment->phase));
		fprintf(out, "</g>\n");
	}
}

static void draw_row(const struct phases_view *v, uint32_t path, const uint64_t *heat, double y, FILE *out)
{
	struct heat_path what;
	heat_path(&v->heat, path, &what);
	const char *first = phases_function_at(v, phases_block(v->file, what.blocks[0])->address);
	char name[40];
	snprintf(name, sizeof name, "%.25s%s, %" PRIu32 " block%s", first, strlen(first) > 25 ? "..." : "", what.count,
	    what.count == 1 ? "" : "s");
	fprintf(out, "<text text-anchor=\"end\" x=\"%.1f\" y=\"%.1f\">", LEFT - 8, y + 12);
	put_svg_text(out, name);
	fprintf(out, "</text>\n");
	for (uint32_t i = 0; i < v->intervals.count;) {
		uint64_t own = 0, all = 0;
		const double x = x_of(v, v->intervals.interval[i].place.at[PHASES_INSTRUCTION]);
		double width = 0;
		for (; i < v->intervals.count && width < NARROWEST; i++) {
			const struct interval *n = &v->intervals.interval[i];
			own += heat[i];
			all += n->instructions;
			width = x_of(v, n->place.at[PHASES_INSTRUCTION] + n->instructions) - x;
		}
		if (own == 0 || all == 0)
			continue;
		const double share = (double)own / (double)all;
		fprintf(out,
		    "<rect x=\"%.2f\" y=\"%.1f\" width=\"%.2f\" height=\"%.1f\" fill=\"#c0392b\" "
		    "fill-opacity=\"%.2f\"/>",
		    x, y + 1, width, ROW - 2, share > 1 ? 1 : 0.08 + 0.92 * share);
	}
	fprintf(out, "\n");
}

static void draw_detectors(const struct phases_view *v, double y, FILE *out)
{
	for (unsigned d = 0; d < DETECTORS; d++, y += ROW) {
		fprintf(out, "<text text-anchor=\"end\" x=\"%.1f\" y=\"%.1f\">%s</text>\n", LEFT - 8, y + 12,
		    detector_name(d));
		for (uint32_t i = 1; i < v->intervals.count; i++)
			if (detector_change(&v->intervals, i, (enum detector)d, &v->limits)) {
				const double x = x_of(v, v->intervals.interval[i].place.at[PHASES_INSTRUCTION]);
				fprintf(out,
				    "<line stroke=\"#555\" x1=\"%.2f\" x2=\"%.2f\" y1=\"%.1f\" y2=\"%.1f\"/>\n", x, x,
				    y + 2, y + ROW - 2);
			}
	}
}

static void draw_firmware(const struct phases_view *v, double y, FILE *out)
{
	const struct phases_mark *marks;
	size_t count;
	if (phases_marks(v->file, &marks, &count) != PHASES_OK)
		return;
	for (size_t i = 0; i < count; i++)
		if (marks[i].kind == PHASES_FIRMWARE) {
			const double x = x_of(v, marks[i].instruction);
			fprintf(out,
			    "<g><title>firmware noticed a phase change in cycle %" PRIu64
			    "</title><line stroke=\"#000\" stroke-width=\"2\" x1=\"%.2f\" x2=\"%.2f\" y1=\"%.1f\" "
			    "y2=\"%.1f\"/></g>\n",
			    marks[i].value, x, x, y, y + 32);
		}
}

/* Under the axis: a row for each layer of the grammar, with the runs of its repetitions. */
static void draw_layers(const struct phases_view *v, double y, FILE *out)
{
	const struct phase_repetitions *all = &v->repetitions;
	for (uint32_t layer = 1; layer <= phases_layers_shown(v); layer++, y += ROW) {
		char name[PHASE_LAYER_NAME_MAX];
		phase_layer_name(layer, name);
		fprintf(out, "<text text-anchor=\"end\" x=\"%.1f\" y=\"%.1f\">%s</text>\n", LEFT - 8, y + 12, name);
		for (uint32_t r = 0; r < all->runs; r++) {
			const struct phase_repetition *one = &all->repetition[all->run[r].repetition];
			if (one->layer != layer)
				continue;
			const double x = x_of(v, phases_segment_begin(v, all->run[r].first));
			const double width = x_of(v, phases_segment_begin(v, all->run[r].behind)) - x;
			char *text = phases_repetition_text(one);
			const size_t length = text != NULL ? strlen(text) : 0;
			fprintf(out, "<g class=\"layer\"><title>");
			put_svg_text(out, length > 0 ? text : "");
			fprintf(out,
			    "</title><rect x=\"%.2f\" y=\"%.1f\" width=\"%.2f\" height=\"%.1f\" fill=\"#e8eef5\" "
			    "stroke=\"#4e79a7\"/>",
			    x, y + 1, width, ROW - 2);
			if (length > 0 && width > 6.2 * (double)length + 6) {
				fprintf(out, "<text x=\"%.2f\" y=\"%.1f\">", x + 4, y + 12);
				put_svg_text(out, text);
				fprintf(out, "</text>");
			}
			fprintf(out, "</g>\n");
			free(text);
		}
	}
}

/* Instructions from left to right: steps of 1, 2 or 5 times a power of ten, at most six of them. */
static void draw_axis(const struct phases_view *v, double y, FILE *out)
{
	const uint64_t end = v->total.at[PHASES_INSTRUCTION];
	uint64_t step = 1;
	for (unsigned i = 0; end / step > 6; i++)
		step = i % 3 == 1 ? step / 2 * 5 : step * 2;
	fprintf(out, "<text text-anchor=\"end\" x=\"%.1f\" y=\"%.1f\">instruction</text>\n", LEFT - 8, y + 16);
	fprintf(
	    out, "<line stroke=\"#888\" x1=\"%.1f\" x2=\"%.1f\" y1=\"%.1f\" y2=\"%.1f\"/>\n", LEFT, WIDTH - 10, y, y);
	for (uint64_t at = 0; at <= end; at += step) {
		const double x = x_of(v, at);
		fprintf(out,
		    "<line stroke=\"#888\" x1=\"%.2f\" x2=\"%.2f\" y1=\"%.1f\" y2=\"%.1f\"/>"
		    "<text text-anchor=\"%s\" x=\"%.2f\" y=\"%.1f\">%s</text>\n",
		    x, x, y, y + 4, x > WIDTH - 45 ? "end" : "middle", x, y + 16, with_commas(at));
	}
}

/* What each phase is: its colour, its share, its hottest functions; two columns. Below, what the other marks mean. */
static void draw_legend(const struct phases_view *v, double y, FILE *out)
{
	const uint32_t rows = (v->segments.phases + 1) / 2;
	for (uint32_t p = 0; p < v->segments.phases; p++) {
		const double x = p < rows ? 10 : WIDTH / 2 + 5, at = y + ROW * (p < rows ? p : p - rows);
		size_t count;
		struct phases_function *f = phases_functions(v, p, &count);
		fprintf(out,
		    "<rect x=\"%.1f\" y=\"%.1f\" width=\"12\" height=\"12\" fill=\"%s\"/><text x=\"%.1f\" "
		    "y=\"%.1f\">%s",
		    x, at, colours[p % (sizeof colours / sizeof *colours)], x + 18, at + 10, phases_letter(p));
		fprintf(out, " %.1f%%:",
		    100 * (double)v->segments.phase[p].instructions / (double)v->total.at[PHASES_INSTRUCTION]);
		for (size_t i = 0; i < count && i < 3; i++) {
			fputs(i > 0 ? ", " : " ", out);
			put_svg_text(out, f[i].name);
		}
		/* as the table has it: per thousand, then per cent */
		fprintf(out, " (%.0f%% alike)</text>\n", floor(1000 * (1 - v->segments.phase[p].apart) + 0.5) / 10);
		free(f);
	}
	fprintf(out,
	    "<text x=\"10\" y=\"%.1f\">Rows: hot sequence paths, the darker the larger their share of the time. "
	    "Below them: where each detector sees a change.</text>\n",
	    y + ROW * rows + 16);
}

#define ORDER_LONGEST 160 /* characters in a line; all of it is what a pointer over it shows */

/* The order of the phases as nested repetitions. */
static void draw_order(const struct phases_view *v, double y, FILE *out)
{
	char *grammar = phases_grammar(v);
	if (grammar == NULL)
		return;
	fprintf(out, "<g><title>");
	put_svg_text(out, grammar);
	fprintf(out, "</title><text x=\"10\" y=\"%.1f\">Order of the phases: ", y);
	const bool all = strlen(grammar) <= ORDER_LONGEST;
	if (!all)
		grammar[ORDER_LONGEST] = '\0';
	put_svg_text(out, grammar);
	fprintf(out, "%s</text></g>\n", all ? "" : " ...");
	free(grammar);
}

/* In a browser: the wheel zooms around the pointer, dragging moves, a double click shows all of it. */
static const char zoom[] =
    "<script><![CDATA[\n"
    "const svg = document.documentElement, view = svg.viewBox.baseVal, all = {width: view.width, height: "
    "view.height};\n"
    "const scale = () => Math.min(svg.clientWidth / view.width, svg.clientHeight / view.height);\n"
    "svg.addEventListener('wheel', (e) => {\n"
    "  const by = Math.min(e.deltaY < 0 ? 0.8 : 1.25, all.width / view.width);\n"
    "  const at = new DOMPoint(e.clientX, e.clientY).matrixTransform(svg.getScreenCTM().inverse());\n"
    "  view.x = at.x - (at.x - view.x) * by;\n"
    "  view.y = at.y - (at.y - view.y) * by;\n"
    "  view.width *= by;\n"
    "  view.height *= by;\n"
    "  e.preventDefault();\n"
    "}, {passive: false});\n"
    "svg.addEventListener('pointermove', (e) => {\n"
    "  if (e.buttons !== 1) return;\n"
    "  view.x -= e.movementX / scale();\n"
    "  view.y -= e.movementY / scale();\n"
    "});\n"
    "svg.addEventListener('dblclick', () => Object.assign(view, {x: 0, y: 0}, all));\n"
    "]]></script>\n";

int phases_print_svg(const struct phases_view *v, FILE *out)
{
	uint32_t count;
	uint32_t *order = heat_order(&v->heat, v->heat.phases, &count);
	const uint32_t rows = count < ROWS ? count : ROWS;
	uint64_t *heat = order == NULL ? NULL : heat_over_time(&v->heat, v->file, &v->intervals, order, rows);
	if (heat == NULL) {
		free(order);
		complain("%s: there is nothing to draw, or no memory for it", v->input);
		return STATUS_FAILED;
	}
	const double height =
	    146 + ROW * (rows + phases_layers_shown(v) + DETECTORS + 2 + (v->segments.phases + 1) / 2);
	fprintf(out,
	    "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %.0f %.0f\" font-family=\"sans-serif\" "
	    "font-size=\"11\">\n"
	    "<rect width=\"100%%\" height=\"100%%\" fill=\"#fff\"/><g fill=\"#222\">\n",
	    WIDTH, height);
	fprintf(out, "<text x=\"10\" y=\"20\" font-size=\"14\">");
	put_svg_text(out, phases_header(v->file)->program);
	fprintf(out, ": %s instructions", with_commas(v->total.at[PHASES_INSTRUCTION]));
	if (v->total.at[PHASES_CYCLE] > 0)
		fprintf(out, ", %s cycles", with_commas(v->total.at[PHASES_CYCLE]));
	fprintf(out, "</text>\n");
	fprintf(out, "<text text-anchor=\"end\" x=\"%.1f\" y=\"52\">phases</text>\n", LEFT - 8);
	draw_band(v, 32, out);
	draw_firmware(v, 30, out);
	draw_axis(v, 62, out);
	draw_layers(v, 88, out);
	double y = 90 + ROW * phases_layers_shown(v);
	for (uint32_t r = 0; r < rows; r++, y += ROW)
		draw_row(v, order[r], heat + (size_t)r * v->intervals.count, y, out);
	draw_detectors(v, y + ROW, out);
	draw_legend(v, y + ROW * (DETECTORS + 2), out);
	draw_order(v, height - 8, out);
	fprintf(out, "</g>\n");
	fputs(zoom, out);
	fprintf(out, "</svg>\n");
	free(heat);
	free(order);
	return STATUS_OK;
}
