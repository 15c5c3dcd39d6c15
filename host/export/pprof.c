/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/*
 * pprof's profile.proto, gzip. A sample is an instruction in its context: the locations are that instruction and the
 * calls around it; each location has its line and those of the functions that it is inlined into.
 *
 * A message may be written in parts, one after the other: the head first, then samples in groups, so that only one
 * group is in memory.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>
#include "host/export/profile.pb-c.h"
#include "host/export/stacks.h"

#define GROUP 4096 /* samples */

typedef Rivulet__Pprof__Profile Profile;
typedef Rivulet__Pprof__ValueType ValueType;
typedef Rivulet__Pprof__Sample Sample;
typedef Rivulet__Pprof__Mapping Mapping;
typedef Rivulet__Pprof__Location Location;
typedef Rivulet__Pprof__Line Line;
typedef Rivulet__Pprof__Function Function;

struct writer {
	const struct export_input *input;
	FILE *out;
	z_stream zip;
	bool zipping;
	struct export_strings strings;
	struct export_pcs pcs; /* locations, id = place + 1 */
	Location *locations;
	Line *lines;
	size_t line_count;
	Function *functions;       /* by spot */
	char (*names)[SPOTS_NAME]; /* of functions without a symbol */
	bool rest;                 /* what was not traced is a function and a location of its own, behind all others */
};

/* ---- output ---- */

static int deflate_out(struct writer *w, const uint8_t *bytes, size_t size, int flush)
{
	uint8_t buffer[65536];
	w->zip.next_in = (uint8_t *)(uintptr_t)bytes;
	w->zip.avail_in = (unsigned)size;
	do {
		w->zip.next_out = buffer;
		w->zip.avail_out = sizeof buffer;
		if (deflate(&w->zip, flush) == Z_STREAM_ERROR)
			return EXPORT_ECODING;
		size_t got = sizeof buffer - w->zip.avail_out;
		if (fwrite(buffer, 1, got, w->out) != got)
			return EXPORT_EWRITE;
	} while (w->zip.avail_out == 0);
	return EXPORT_OK;
}

static int write_part(struct writer *w, const Profile *part)
{
	size_t size = protobuf_c_message_get_packed_size(&part->base);
	uint8_t *bytes = malloc(size + 1);
	if (bytes == NULL)
		return EXPORT_ENOMEM;
	size = protobuf_c_message_pack(&part->base, bytes);
	int error = EXPORT_OK;
	for (size_t at = 0; at < size && error == EXPORT_OK; at += 1u << 30)
		error = deflate_out(w, bytes + at, size - at < 1u << 30 ? size - at : 1u << 30, Z_NO_FLUSH);
	free(bytes);
	return error;
}

/* ---- locations ---- */

static int make_functions(struct writer *w)
{
	const struct spots *spots = w->input->spots;
	w->functions = calloc(spots->count + 2, sizeof *w->functions);
	w->names = calloc(spots->count + 1, sizeof *w->names);
	if (w->functions == NULL || w->names == NULL)
		return EXPORT_ENOMEM;
	for (size_t i = 0; i < spots->count; i++) {
		const struct spot *spot = &spots->all[i];
		Function *function = &w->functions[i];
		rivulet__pprof__function__init(function);
		function->id = i + 1;
		function->name = function->system_name =
		    export_string(&w->strings, spots_name(spots, (uint32_t)i, w->names[i]));
		function->filename = export_string(&w->strings, spot->file);
		function->start_line = spot->declared;
		if (function->name < 0 || function->filename < 0)
			return EXPORT_ENOMEM;
	}
	const struct remainder *left = w->input->remainder;
	Function *rest = &w->functions[spots->count];
	w->rest = left != NULL && (left->left_insns > 0 || left->left_cycles > 0);
	rivulet__pprof__function__init(rest);
	rest->id = spots->count + 1;
	rest->name = rest->system_name = export_string(&w->strings, REMAINDER_FRAME);
	return rest->name < 0 ? EXPORT_ENOMEM : EXPORT_OK;
}

/* Lines of the instruction at pc: its own, then those of the calls that inlining removed. */
static unsigned add_lines(struct writer *w, uint64_t pc, Line ***list)
{
	const struct spots *spots = w->input->spots;
	const struct spot_place *place = spots_at(spots, pc);
	unsigned count = 0, line = place == NULL ? 0 : place->line;
	for (uint32_t i = place == NULL ? SPOT_NONE : place->spot; i != SPOT_NONE; i = spots->all[i].parent) {
		Line *next = &w->lines[w->line_count++];
		rivulet__pprof__line__init(next);
		next->function_id = i + 1;
		next->line = line;
		line = spots->all[i].call_line;
		*(*list)++ = next;
		count++;
	}
	return count;
}

/* Function and location of what was not traced, behind all others. */
static void place_rest(struct writer *w, Line **at, Location **locations, Function **functions)
{
	const size_t spot = w->input->spots->count;
	Line *line = *at = &w->lines[w->line_count++];
	Location *location = locations[w->pcs.count] = &w->locations[w->pcs.count];
	functions[spot] = &w->functions[spot];
	rivulet__pprof__line__init(line);
	line->function_id = spot + 1;
	rivulet__pprof__location__init(location);
	location->id = w->pcs.count + 1;
	location->line = at;
	location->n_line = 1;
}

static int write_pprof_head(struct writer *w)
{
	Profile head = RIVULET__PPROF__PROFILE__INIT;
	Mapping mapping = RIVULET__PPROF__MAPPING__INIT, *mappings[] = {&mapping};
	ValueType types[3], *sample_types[2] = {&types[1], &types[2]};
	const struct spots *spots = w->input->spots;
	size_t room = w->pcs.count * (SPOT_DEPTH_MAX + 1);
	Line **list = calloc(room + 2, sizeof *list), **at = list;
	Location **locations = calloc(w->pcs.count + 2, sizeof *locations);
	Function **functions = calloc(spots->count + 2, sizeof *functions);
	int error = EXPORT_ENOMEM;
	w->locations = calloc(w->pcs.count + 2, sizeof *w->locations);
	w->lines = calloc(room + 2, sizeof *w->lines);
	if (list == NULL || locations == NULL || functions == NULL || w->locations == NULL || w->lines == NULL)
		goto out;
	for (size_t i = 0; i < 3; i++)
		rivulet__pprof__value_type__init(&types[i]);
	types[1].type = export_string(&w->strings, "instructions");
	types[1].unit = export_string(&w->strings, "count");
	types[0].type = types[2].type = export_string(&w->strings, "cycles");
	types[0].unit = types[2].unit = types[1].unit;
	int64_t comment =
	    export_string(&w->strings, export_extent(w->input, "sampled by the trace unit, times the period"));
	mapping.id = 1;
	mapping.filename = export_string(&w->strings, w->input->program);
	mapping.has_functions = mapping.has_filenames = mapping.has_line_numbers = mapping.has_inline_frames = true;
	if (types[1].type < 0 || types[1].unit < 0 || types[0].type < 0 || comment < 0 || mapping.filename < 0)
		goto out;
	mapping.memory_start = w->pcs.count == 0 ? 0 : w->pcs.all[0];
	mapping.memory_limit = w->pcs.count == 0 ? 0 : (uint64_t)w->pcs.all[w->pcs.count - 1] + 4;
	for (size_t i = 0; i < w->pcs.count; i++) {
		Location *location = locations[i] = &w->locations[i];
		rivulet__pprof__location__init(location);
		location->id = i + 1;
		location->mapping_id = 1;
		location->address = w->pcs.all[i];
		location->line = at;
		location->n_line = add_lines(w, w->pcs.all[i], &at);
	}
	for (size_t i = 0; i < spots->count; i++)
		functions[i] = &w->functions[i];
	if (w->rest)
		place_rest(w, at, locations, functions);
	head.sample_type = sample_types;
	head.n_sample_type = w->input->timed ? 2 : 1;
	head.mapping = mappings;
	head.n_mapping = 1;
	head.location = locations;
	head.n_location = w->pcs.count + (w->rest ? 1 : 0);
	head.function = functions;
	head.n_function = spots->count + (w->rest ? 1 : 0);
	head.string_table = w->strings.all;
	head.n_string_table = w->strings.count;
	head.period_type = &types[w->input->timed ? 0 : 1];
	head.period = 1;
	head.comment = &comment;
	head.n_comment = 1;
	head.default_sample_type = types[w->input->timed ? 0 : 1].type;
	error = write_part(w, &head);
out:
	free(list);
	free(locations);
	free(functions);
	return error;
}

/* ---- samples ---- */

static unsigned depth_of(const struct stack_node *nodes, uint32_t node)
{
	unsigned depth = 1;
	for (; node != STACK_NOBODY && nodes[node].kind != STACK_ROOT; node = nodes[node].parent)
		depth++;
	return depth;
}

static int write_group(struct writer *w, size_t from, size_t to)
{
	const struct gather_result *result = w->input->result;
	Profile part = RIVULET__PPROF__PROFILE__INIT;
	size_t ids = 0;
	for (size_t i = from; i < to; i++)
		ids += depth_of(result->nodes, result->cells[i].node);
	Sample *samples = calloc(to - from, sizeof *samples), **list = calloc(to - from, sizeof *list);
	int64_t *values = calloc(to - from, 2 * sizeof *values);
	uint64_t *id = calloc(ids, sizeof *id), *at = id;
	int error = EXPORT_ENOMEM;
	if (samples != NULL && list != NULL && values != NULL && id != NULL) {
		for (size_t i = from; i < to; i++) {
			const struct gather_cell *cell = &result->cells[i];
			Sample *sample = list[i - from] = &samples[i - from];
			rivulet__pprof__sample__init(sample);
			sample->value = &values[2 * (i - from)];
			sample->value[0] = (int64_t)cell->count;
			sample->value[1] = (int64_t)cell->cycles;
			sample->n_value = w->input->timed ? 2 : 1;
			sample->location_id = at;
			*at++ = export_pc_number(&w->pcs, cell->pc);
			for (uint32_t n = cell->node; n != STACK_NOBODY && result->nodes[n].kind != STACK_ROOT;
			     n = result->nodes[n].parent)
				*at++ = export_pc_number(&w->pcs, result->nodes[n].site);
			sample->n_location_id = (size_t)(at - sample->location_id);
		}
		part.sample = list;
		part.n_sample = to - from;
		error = write_part(w, &part);
	}
	free(samples);
	free(list);
	free(values);
	free(id);
	return error;
}

/* What of the run is in no trace, so that shares are those of the run. */
static int write_rest(struct writer *w)
{
	const struct remainder *left = w->input->remainder;
	Profile part = RIVULET__PPROF__PROFILE__INIT;
	Sample sample = RIVULET__PPROF__SAMPLE__INIT, *list[] = {&sample};
	uint64_t id = w->pcs.count + 1;
	int64_t values[2];
	if (!w->rest)
		return EXPORT_OK;
	values[0] = (int64_t)left->left_insns;
	values[1] = (int64_t)left->left_cycles;
	sample.value = values;
	sample.n_value = w->input->timed ? 2 : 1;
	sample.location_id = &id;
	sample.n_location_id = 1;
	part.sample = list;
	part.n_sample = 1;
	return write_part(w, &part);
}

int export_pprof(const struct export_input *input, FILE *out)
{
	struct writer w = {.input = input, .out = out};
	const struct gather_result *result = input->result;
	int error = result->count > INT64_MAX || result->cycles > INT64_MAX ? EXPORT_EOVERFLOW : EXPORT_OK;
	if (error == EXPORT_OK && export_string(&w.strings, "") != 0)
		error = EXPORT_ENOMEM;
	if (error == EXPORT_OK && deflateInit2(&w.zip, Z_DEFAULT_COMPRESSION, Z_DEFLATED, 15 + 16, 8,
				      Z_DEFAULT_STRATEGY) != Z_OK) /* 16: gzip */
		error = EXPORT_ENOMEM;
	else
		w.zipping = error == EXPORT_OK;
	if (error == EXPORT_OK)
		error = export_pcs_make(&w.pcs, input->result);
	if (error == EXPORT_OK)
		error = make_functions(&w);
	if (error == EXPORT_OK)
		error = write_pprof_head(&w);
	for (size_t i = 0; i < result->cell_count && error == EXPORT_OK; i += GROUP)
		error = write_group(&w, i, result->cell_count - i < GROUP ? result->cell_count : i + GROUP);
	if (error == EXPORT_OK)
		error = write_rest(&w);
	if (error == EXPORT_OK)
		error = deflate_out(&w, NULL, 0, Z_FINISH);
	if (w.zipping)
		deflateEnd(&w.zip);
	export_strings_free(&w.strings);
	free(w.pcs.all);
	free(w.locations);
	free(w.lines);
	free(w.functions);
	free(w.names);
	return error == EXPORT_OK && ferror(out) ? EXPORT_EWRITE : error;
}
