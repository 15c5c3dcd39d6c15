/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* gcc's notes, whatever they hold: read or refused; what was read is a graph, and counters of it can be written. */
#include "fuzz/fuzz.h"
#include "host/gcov/circulation.h"
#include "host/gcov/data.h"

#define SMALL_GRAPH 64 /* blocks, arcs: solved too */

/* A flow through any graph: what enters a block leaves it. */
static void solve_graph(const struct blocks_unit *unit, const struct notes_function *function)
{
	struct circulation_block blocks[SMALL_GRAPH] = {0};
	struct circulation_arc arcs[SMALL_GRAPH];
	uint64_t in[SMALL_GRAPH] = {0}, out[SMALL_GRAPH] = {0};
	if (function->block_count > SMALL_GRAPH || function->arc_count > SMALL_GRAPH)
		return;
	for (uint32_t i = 0; i < function->block_count; i++) {
		uint64_t likely = i * 7 % 5 * (uint64_t)function->ident;
		blocks[i] = (struct circulation_block){likely, likely / 2, 2 * likely, i % 3, i % 4};
		if (i % 4 == 0)
			blocks[i].most = CIRCULATION_ANY;
	}
	for (size_t i = 0; i < function->arc_count; i++) {
		const struct notes_arc *arc = &unit->notes.arcs[function->first_arc + i];
		arcs[i] = (struct circulation_arc){.from = arc->from, .to = arc->to, .cost = arc->flags % 5};
	}
	must(circulation_solve(blocks, function->block_count, arcs, function->arc_count, NOTES_ENTRY, NOTES_EXIT) ==
	     CIRCULATION_OK);
	for (size_t i = 0; i < function->arc_count; i++) {
		out[arcs[i].from] += arcs[i].count;
		in[arcs[i].to] += arcs[i].count;
		unit->arcs[function->first_arc + i] = arcs[i].count;
	}
	for (uint32_t i = NOTES_EXIT + 1; i < function->block_count; i++)
		must(in[i] == out[i]);
	must(out[NOTES_ENTRY] - in[NOTES_ENTRY] == in[NOTES_EXIT] - out[NOTES_EXIT]);
}

static void check_function(struct blocks_unit *unit, size_t index)
{
	const struct notes *notes = &unit->notes;
	const struct notes_function *function = &notes->functions[index];
	touch_text(function->name);
	touch_text(function->file);
	must(function->first_arc + function->arc_count <= notes->arc_count);
	must(function->first_place + function->place_count <= notes->place_count);
	for (size_t i = 0; i < function->arc_count; i++) {
		const struct notes_arc *arc = &notes->arcs[function->first_arc + i];
		must(arc->from < function->block_count && arc->to < function->block_count);
	}
	for (size_t i = 0; i < function->place_count; i++) {
		const struct notes_line *place = &notes->places[function->first_place + i];
		must(place->block < function->block_count && place->line != 0);
		touch_text(place->file);
	}
	unit->functions[index].fate = function->block_count > 0 ? BLOCKS_COUNTED : BLOCKS_NO_GRAPH;
	if (function->block_count > 0)
		solve_graph(unit, function);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	struct blocks_unit unit = {.name = "fuzz"};
	int error = notes_read(&unit.notes, bytes, size);
	must(notes_strerror(error)[0] != '\0' && unit.notes.offset <= size);
	unit.functions = calloc(unit.notes.function_count + 1, sizeof *unit.functions);
	unit.arcs = calloc(unit.notes.arc_count + 1, sizeof *unit.arcs);
	if (error == NOTES_OK && unit.functions != NULL && unit.arcs != NULL) {
		char *text = NULL;
		size_t length = 0;
		FILE *out = open_memstream(&text, &length);
		for (size_t i = 0; i < unit.notes.function_count; i++)
			check_function(&unit, i);
		if (out != NULL) {
			data_write(&unit, data_largest(&unit, 1), out);
			fclose(out);
			must(length >= 36);
		}
		free(text);
	}
	blocks_free(&unit, 1);
	return 0;
}
