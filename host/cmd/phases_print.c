/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* rivulet phases on a terminal. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "host/cmd/not_traced.h"
#include "host/cmd/phases.h"
#include "host/cmd/profiled.h"
#include "host/table/numbers.h"

#define BAND 74

static void print_band(const struct phases_view *v, FILE *out)
{
	char band[BAND + 1];
	const uint32_t n = v->intervals.count;
	for (unsigned c = 0; c < BAND; c++) {
		const uint32_t interval = (uint32_t)((uint64_t)c * n / BAND);
		uint32_t s = 0;
		while (s + 1 < v->segments.count && v->segments.segment[s + 1].first <= interval)
			s++;
		const uint32_t phase = v->segments.segment[s].phase;
		band[c] = phase < 26 ? (char)('A' + phase) : '+';
	}
	band[BAND] = '\0';
	fprintf(out, "\n  |%s|\n", band);
}

static void print_phase_paths(const struct phases_view *v, uint32_t phase, FILE *out)
{
	uint32_t count;
	uint32_t *order = heat_order(&v->heat, phase, &count);
	uint64_t total = 0;
	for (uint32_t i = 0; i < count; i++)
		total += heat_value(&v->heat, order[i], phase);
	for (uint32_t i = 0; i < count && (v->top == 0 || i < v->top); i++) {
		struct heat_path what;
		struct line line = {.width = v->wide ? LINE_WIDEST : line_width()};
		const uint64_t value = heat_value(&v->heat, order[i], phase);
		const char *last = NULL;
		heat_path(&v->heat, order[i], &what);
		line_add(&line, "  %-5s %5.2f%%  %13s x %4" PRIu64 "  %4" PRIu32 " blocks from 0x%" PRIx64 "  ",
		    phases_letter(phase), percent_of(value, total), with_commas(heat_trips(&v->heat, order[i], phase)),
		    what.heat, what.count, phases_block(v->file, what.blocks[0])->address);
		for (uint32_t b = 0; b < what.count; b++) {
			const char *name = phases_function_at(v, phases_block(v->file, what.blocks[b])->address);
			if (last == NULL || strcmp(name, last) != 0)
				line_add(&line, "%s%s", b > 0 ? " > " : "", name);
			last = name;
		}
		fprintf(out, "%s\n", line.text);
	}
	free(order);
}

char *phases_grammar(const struct phases_view *v)
{
	const size_t length = phase_grammar_text(&v->grammar, NULL, 0);
	char *text = v->grammar.count == 0 ? NULL : malloc(length + 1);
	if (text != NULL)
		phase_grammar_text(&v->grammar, text, length + 1);
	return text;
}

/* Words in lines of at most width columns, two spaces before each. */
static void print_folded(const char *text, size_t width, FILE *out)
{
	fprintf(out, "\n");
	while (*text != '\0') {
		size_t length = strlen(text);
		if (length + 2 > width) {
			length = width - 2;
			while (length > 1 && text[length] != ' ')
				length--;
		}
		fprintf(out, "  %.*s\n", (int)length, text);
		text += length + (text[length] == ' ');
	}
}

static void print_grammar(const struct phases_view *v, FILE *out)
{
	char *text = phases_grammar(v);
	if (text == NULL)
		fprintf(out, "\n  %s segments: too many for a short form\n", with_commas(v->segments.count));
	else
		print_folded(text, v->wide ? LINE_WIDEST : line_width(), out);
	free(text);
}

#define MIXED_PHASE 0.25
#define MIXED_RUN 0.1 /* of the only phase: a run that has others looks so if they are shorter than its intervals */

/* A phase whose intervals do other things than it does on the whole is no phase: it only looks like one from far
 * away. */
static void print_mixed(const struct phases_view *v, FILE *out)
{
	const double limit = v->segments.phases == 1 ? MIXED_RUN : MIXED_PHASE;
	for (uint32_t p = 0; p < v->segments.phases; p++)
		if (v->segments.phase[p].apart > limit)
			fprintf(out,
			    "  phase %s is mixed: its intervals spend %.0f%% of their instructions in other code than "
			    "all of it "
			    "does\n",
			    phases_letter(p), 100 * v->segments.phase[p].apart);
}

#define SEGMENTS_SHOWN 32u

static void print_segments(const struct phases_view *v, FILE *out)
{
	const uint32_t shown = v->top == 0 || v->segments.count <= SEGMENTS_SHOWN ? v->segments.count : SEGMENTS_SHOWN;
	fprintf(out, "\n");
	phases_put_segments(v, TABLE_TEXT, shown, out, NULL);
	if (shown < v->segments.count)
		fprintf(out, "  and %s more, as above; --top=0 or --json has them\n",
		    with_commas(v->segments.count - shown));
}

static void print_phase_layers(const struct phases_view *v, FILE *out)
{
	const struct phase_repetitions *all = &v->repetitions;
	const uint32_t shown = phases_layers_shown(v);
	if (all->count == 0)
		return;
	if (shown > 0) {
		fprintf(out, "\n");
		phases_put_layers(v, TABLE_TEXT, out, NULL);
	}
	if (shown < all->layers)
		fprintf(out, "  and %" PRIu32 " more of such layers: --levels=%" PRIu32 "\n", all->layers - shown,
		    all->layers + 1);
}

void phases_print(const struct phases_view *v, FILE *out)
{
	const struct phases_place *t = &v->total;
	const struct phases_mark *marks;
	size_t mark_count, gaps = 0, changes = 0, firmware = 0;
	fprintf(out, "%s: %s instructions in %s blocks, %s%s\n", v->input, with_commas(t->at[PHASES_INSTRUCTION]),
	    with_commas(t->at[PHASES_BLOCK]),
	    t->at[PHASES_CYCLE] == 0 ? "cycles are not known" : with_commas(t->at[PHASES_CYCLE]),
	    t->at[PHASES_CYCLE] == 0 ? "" : " cycles");
	fprintf(out, "%s paths, %s of them distinct; %s repeated paths; %s strata\n", with_commas(t->at[PHASES_PATH]),
	    with_commas(v->heat.paths), with_commas(t->at[PHASES_REPEATED]), with_commas(t->at[PHASES_STRATUM]));
	print_not_traced(&v->remainder, out);
	if (v->bytes > 0)
		fprintf(out, "phases file: %s bytes, %.3f bits an instruction\n", with_commas(v->bytes),
		    t->at[PHASES_INSTRUCTION] == 0 ? 0 : 8.0 * (double)v->bytes / (double)t->at[PHASES_INSTRUCTION]);
	if (phases_marks(v->file, &marks, &mark_count) == PHASES_OK)
		for (size_t i = 0; i < mark_count; i++) {
			gaps += marks[i].kind == PHASES_GAP;
			changes += marks[i].kind == PHASES_CHANGE;
			firmware += marks[i].kind == PHASES_FIRMWARE;
		}
	if (gaps > 0)
		fprintf(out, "gaps: %s places where records are missing or cannot be followed\n", with_commas(gaps));
	fprintf(out, "phase changes that the sorted table noticed: %s\n", with_commas(changes));
	if (firmware > 0)
		fprintf(out, "phase changes that the firmware's table noticed: %s\n", with_commas(firmware));
	if (v->segments.count == 0)
		return;
	print_band(v, out);
	print_grammar(v, out);
	print_phase_layers(v, out);
	fprintf(out, "\n");
	phases_put_phases(v, TABLE_TEXT, out, NULL);
	print_mixed(v, out);
	if (v->clusters != NULL)
		phases_print_clusters(v, out);
	print_segments(v, out);
	fprintf(out, "\n  phase  share          trips   heat  hot paths, by %s\n", phases_heat_names[v->heat_by]);
	for (uint32_t p = 0; p < v->segments.phases; p++)
		print_phase_paths(v, p, out);
}
