/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#include "host/export/otlp_message.h"

#include <stdlib.h>
#include <string.h>
#include "host/export/stacks.h"

typedef Rivulet__Otlp__Mapping Mapping;
typedef Rivulet__Otlp__Location Location;
typedef Rivulet__Otlp__Line Line;
typedef Rivulet__Otlp__Function Function;
typedef Rivulet__Otlp__Stack Stack;
typedef Rivulet__Otlp__Sample Sample;
typedef Rivulet__Otlp__Profile Profile;
typedef Rivulet__Otlp__KeyValue KeyValue;
typedef Rivulet__Otlp__AnyValue AnyValue;

enum { KINDS = 2, ID_SIZE = 16, ATTRIBUTES = 2 };

struct otlp_parts {
	const struct export_input *input;
	struct export_strings strings;
	struct export_pcs pcs; /* locations: their numbers are those of the table */
	bool rest;             /* what was not traced has a function, a location and a stack behind all others */
	size_t cells, lines;   /* cells: samples of a profile at most; lines: given out so far */
	Rivulet__Otlp__ProfilesDictionary dictionary;
	Mapping mappings[2], *mapping_list[2];
	Rivulet__Otlp__Link link, *link_list[1];
	Rivulet__Otlp__KeyValueAndUnit attribute, *attribute_list[1];
	Function *functions, **function_list;
	char (*names)[SPOTS_NAME];
	Location *locations, **location_list;
	Line *line_pool, **line_list;
	Stack *stacks, **stack_list;
	int32_t *indices;
	Sample *samples, **sample_list;
	int64_t *values;
	uint8_t ids[KINDS][ID_SIZE];
	Rivulet__Otlp__ValueType types[KINDS];
	Profile profiles[KINDS], *profile_list[KINDS];
	Rivulet__Otlp__InstrumentationScope scope;
	Rivulet__Otlp__ScopeProfiles scopes, *scope_list[1];
	KeyValue attributes[ATTRIBUTES], *resource_list[ATTRIBUTES];
	AnyValue attribute_values[ATTRIBUTES];
	Rivulet__Otlp__Resource resource;
	Rivulet__Otlp__ResourceProfiles resources, *resources_list[1];
};

/* Tables have numbers of 32 bits. False: out of memory, or there are too many strings. */
static bool text_number(struct otlp_parts *p, const char *text, int32_t *number)
{
	const int64_t found = export_string(&p->strings, text);
	*number = (int32_t)found;
	return found >= 0 && found <= INT32_MAX;
}

static unsigned stack_depth_of(const struct gather_result *result, const struct gather_cell *cell)
{
	unsigned depth = 1;
	for (uint32_t n = cell->node; n != STACK_NOBODY && result->nodes[n].kind != STACK_ROOT;
	     n = result->nodes[n].parent)
		depth++;
	return depth;
}

static bool make_room(struct otlp_parts *p)
{
	const struct gather_result *result = p->input->result;
	const size_t functions = p->input->spots->count + 2, locations = p->pcs.count + 2;
	const size_t lines = locations * (SPOT_DEPTH_MAX + 1);
	size_t indices = 1;
	for (size_t i = 0; i < result->cell_count; i++)
		indices += stack_depth_of(result, &result->cells[i]);
	p->cells = result->cell_count + (p->rest ? 1 : 0);
	p->functions = calloc(functions, sizeof *p->functions);
	p->function_list = calloc(functions, sizeof(void *));
	p->names = calloc(functions, sizeof *p->names);
	p->locations = calloc(locations, sizeof *p->locations);
	p->location_list = calloc(locations, sizeof(void *));
	p->line_pool = calloc(lines, sizeof *p->line_pool);
	p->line_list = calloc(lines, sizeof(void *));
	p->stacks = calloc(p->cells + 1, sizeof *p->stacks);
	p->stack_list = calloc(p->cells + 1, sizeof(void *));
	p->indices = calloc(indices, sizeof *p->indices);
	p->samples = calloc(KINDS * p->cells + 1, sizeof *p->samples);
	p->sample_list = calloc(KINDS * p->cells + 1, sizeof(void *));
	p->values = calloc(KINDS * p->cells + 1, sizeof *p->values);
	return p->functions != NULL && p->function_list != NULL && p->names != NULL && p->locations != NULL &&
	       p->location_list != NULL && p->line_pool != NULL && p->line_list != NULL && p->stacks != NULL &&
	       p->stack_list != NULL && p->indices != NULL && p->samples != NULL && p->sample_list != NULL &&
	       p->values != NULL;
}

/* ---- dictionary ---- */

/* Place 0 of each table is empty. */
static bool make_otlp_functions(struct otlp_parts *p)
{
	const struct spots *spots = p->input->spots;
	for (size_t i = 0; i < spots->count + 2; i++) {
		rivulet__otlp__function__init(&p->functions[i]);
		p->function_list[i] = &p->functions[i];
	}
	for (size_t i = 0; i < spots->count; i++) {
		const struct spot *spot = &spots->all[i];
		Function *function = &p->functions[i + 1];
		if (!text_number(p, spots_name(spots, (uint32_t)i, p->names[i]), &function->name_strindex) ||
		    !text_number(p, spot->file, &function->filename_strindex))
			return false;
		function->system_name_strindex = function->name_strindex;
		function->start_line = spot->declared;
	}
	Function *rest = &p->functions[spots->count + 1];
	p->dictionary.function_table = p->function_list;
	p->dictionary.n_function_table = spots->count + 1 + (p->rest ? 1 : 0);
	return !p->rest || text_number(p, REMAINDER_FRAME, &rest->name_strindex);
}

/* A line more for the location that has the last ones. */
static void add_line(struct otlp_parts *p, Location *location, size_t function, unsigned line)
{
	Line *next = &p->line_pool[p->lines];
	rivulet__otlp__line__init(next);
	next->function_index = (int32_t)function;
	next->line = line;
	if (location->n_lines == 0)
		location->lines = &p->line_list[p->lines];
	p->line_list[p->lines++] = next;
	location->n_lines++;
}

static void make_locations(struct otlp_parts *p)
{
	const struct spots *spots = p->input->spots;
	for (size_t i = 0; i < p->pcs.count + 2; i++) {
		Location *location = p->location_list[i] = &p->locations[i];
		rivulet__otlp__location__init(location);
		if (i == 0 || i > p->pcs.count)
			continue;
		location->mapping_index = 1;
		location->address = p->pcs.all[i - 1];
		const struct spot_place *place = spots_at(spots, location->address);
		unsigned line = place == NULL ? 0 : place->line;
		for (uint32_t s = place == NULL ? SPOT_NONE : place->spot; s != SPOT_NONE; s = spots->all[s].parent) {
			add_line(p, location, (size_t)s + 1, line);
			line = spots->all[s].call_line;
		}
	}
	if (p->rest)
		add_line(p, &p->locations[p->pcs.count + 1], spots->count + 1, 0);
	p->dictionary.location_table = p->location_list;
	p->dictionary.n_location_table = p->pcs.count + 1 + (p->rest ? 1 : 0);
}

static bool make_mapping(struct otlp_parts *p)
{
	Mapping *mapping = &p->mappings[1];
	for (size_t i = 0; i < 2; i++) {
		rivulet__otlp__mapping__init(&p->mappings[i]);
		p->mapping_list[i] = &p->mappings[i];
	}
	mapping->memory_start = p->pcs.count == 0 ? 0 : p->pcs.all[0];
	mapping->memory_limit = p->pcs.count == 0 ? 0 : p->pcs.all[p->pcs.count - 1] + 4;
	p->dictionary.mapping_table = p->mapping_list;
	p->dictionary.n_mapping_table = 2;
	rivulet__otlp__link__init(&p->link);
	rivulet__otlp__key_value_and_unit__init(&p->attribute);
	p->link_list[0] = &p->link;
	p->attribute_list[0] = &p->attribute;
	p->dictionary.link_table = p->link_list;
	p->dictionary.attribute_table = p->attribute_list;
	p->dictionary.n_link_table = p->dictionary.n_attribute_table = 1;
	return text_number(p, p->input->program, &mapping->filename_strindex);
}

static void make_stacks(struct otlp_parts *p)
{
	const struct gather_result *result = p->input->result;
	int32_t *at = p->indices;
	for (size_t i = 0; i <= p->cells; i++) {
		Stack *stack = p->stack_list[i] = &p->stacks[i];
		rivulet__otlp__stack__init(stack);
		stack->location_indices = at;
		if (i == 0)
			continue;
		if (i > result->cell_count)
			*at++ = (int32_t)p->pcs.count + 1;
		else {
			const struct gather_cell *cell = &result->cells[i - 1];
			*at++ = (int32_t)export_pc_number(&p->pcs, cell->pc);
			for (uint32_t n = cell->node; n != STACK_NOBODY && result->nodes[n].kind != STACK_ROOT;
			     n = result->nodes[n].parent)
				*at++ = (int32_t)export_pc_number(&p->pcs, result->nodes[n].site);
		}
		stack->n_location_indices = (size_t)(at - stack->location_indices);
	}
	p->dictionary.stack_table = p->stack_list;
	p->dictionary.n_stack_table = p->cells + 1;
}

/* ---- profiles ---- */

static int64_t value_of(const struct otlp_parts *p, size_t cell, int kind)
{
	const struct gather_result *result = p->input->result;
	const struct remainder *left = p->input->remainder;
	if (cell == result->cell_count)
		return (int64_t)(kind == 0 ? left->left_insns : left->left_cycles);
	return (int64_t)(kind == 0 ? result->cells[cell].count : result->cells[cell].cycles);
}

/* Two hashes of what the profile holds. */
static void make_id(const struct otlp_parts *p, const Profile *profile, int kind, uint8_t id[ID_SIZE])
{
	uint64_t hash[2] = {
	    UINT64_C(0xCBF29CE484222325) ^ p->input->build, UINT64_C(0x84222325CBF29CE4) + (unsigned)kind};
	for (size_t i = 0; i < profile->n_samples; i++) {
		const Sample *sample = profile->samples[i];
		const Stack *stack = &p->stacks[sample->stack_index];
		for (int k = 0; k < 2; k++) {
			hash[k] = (hash[k] ^ (uint64_t)sample->values[0]) * UINT64_C(0x100000001B3) + (unsigned)k;
			for (size_t n = 0; n < stack->n_location_indices; n++)
				hash[k] = (hash[k] ^ p->locations[stack->location_indices[n]].address) *
					  UINT64_C(0x9E3779B97F4A7C15);
			hash[k] ^= hash[k] >> 29;
		}
	}
	hash[0] ^= p->input->time;
	hash[1] |= 1; /* it is never 0 */
	memcpy(id, hash, ID_SIZE);
}

static bool make_profile(struct otlp_parts *p, int kind)
{
	static const char *const names[KINDS] = {"instructions", "cycles"};
	Profile *profile = p->profile_list[kind] = &p->profiles[kind];
	rivulet__otlp__profile__init(profile);
	rivulet__otlp__value_type__init(&p->types[kind]);
	profile->samples = p->sample_list + (size_t)kind * p->cells;
	for (size_t i = 0; i < p->cells; i++) {
		const size_t at = (size_t)kind * p->cells + profile->n_samples;
		Sample *sample = &p->samples[at];
		p->values[at] = value_of(p, i, kind);
		if (p->values[at] == 0)
			continue;
		rivulet__otlp__sample__init(sample);
		sample->stack_index = (int32_t)i + 1;
		sample->values = &p->values[at];
		sample->n_values = 1;
		profile->samples[profile->n_samples++] = sample;
	}
	make_id(p, profile, kind, p->ids[kind]);
	profile->profile_id = (ProtobufCBinaryData){.len = ID_SIZE, .data = p->ids[kind]};
	profile->time_unix_nano = p->input->time * UINT64_C(1000000000);
	profile->sample_type = profile->period_type = &p->types[kind];
	profile->period = 1;
	return text_number(p, names[kind], &p->types[kind].type_strindex) &&
	       text_number(p, "count", &p->types[kind].unit_strindex);
}

static bool make_resource(struct otlp_parts *p)
{
	static const char *const keys[ATTRIBUTES] = {"service.name", "process.executable.name"};
	const char *slash = p->input->program == NULL ? NULL : strrchr(p->input->program, '/');
	const char *program = slash != NULL ? slash + 1 : p->input->program;
	const char *const values[ATTRIBUTES] = {
	    p->input->name != NULL && *p->input->name != '\0' ? p->input->name : program, program};
	rivulet__otlp__resource__init(&p->resource);
	for (size_t i = 0; i < ATTRIBUTES; i++) {
		rivulet__otlp__key_value__init(&p->attributes[i]);
		rivulet__otlp__any_value__init(&p->attribute_values[i]);
		p->attributes[i].key = (char *)(uintptr_t)keys[i];
		p->attributes[i].value = &p->attribute_values[i];
		const char *text = export_text(&p->strings, values[i] == NULL ? "" : values[i]);
		if (text == NULL)
			return false;
		p->attribute_values[i].string_value = (char *)(uintptr_t)text;
		p->resource_list[i] = &p->attributes[i];
	}
	p->resource.attributes = p->resource_list;
	p->resource.n_attributes = ATTRIBUTES;
	return true;
}

static void join_message(struct otlp_message *message)
{
	struct otlp_parts *p = message->parts;
	rivulet__otlp__instrumentation_scope__init(&p->scope);
	p->scope.name = (char *)(uintptr_t) "rivulet";
	rivulet__otlp__scope_profiles__init(&p->scopes);
	p->scopes.scope = &p->scope;
	p->scopes.profiles = p->profile_list;
	p->scopes.n_profiles = p->input->timed ? KINDS : 1;
	p->scope_list[0] = &p->scopes;
	rivulet__otlp__resource_profiles__init(&p->resources);
	p->resources.resource = &p->resource;
	p->resources.scope_profiles = p->scope_list;
	p->resources.n_scope_profiles = 1;
	p->resources_list[0] = &p->resources;
	p->dictionary.string_table = p->strings.all;
	p->dictionary.n_string_table = p->strings.count;
	message->data.resource_profiles = p->resources_list;
	message->data.n_resource_profiles = 1;
	message->data.dictionary = &p->dictionary;
}

int otlp_message_make(struct otlp_message *message, const struct export_input *input)
{
	const struct gather_result *result = input->result;
	const struct remainder *left = input->remainder;
	struct otlp_parts *p = message->parts = calloc(1, sizeof *p);
	rivulet__otlp__profiles_data__init(&message->data);
	if (p == NULL)
		return EXPORT_ENOMEM;
	if (result->count > INT64_MAX || result->cycles > INT64_MAX || result->cell_count >= INT32_MAX / 2)
		return EXPORT_EOVERFLOW;
	p->input = input;
	p->rest = left != NULL && (left->left_insns > 0 || left->left_cycles > 0);
	rivulet__otlp__profiles_dictionary__init(&p->dictionary);
	if (export_string(&p->strings, "") != 0 || export_pcs_make(&p->pcs, result) != EXPORT_OK || !make_room(p) ||
	    !make_otlp_functions(p) || !make_mapping(p))
		return EXPORT_ENOMEM;
	make_locations(p);
	make_stacks(p);
	for (int kind = 0; kind < (input->timed ? KINDS : 1); kind++) {
		if (!make_profile(p, kind))
			return EXPORT_ENOMEM;
	}
	if (!make_resource(p))
		return EXPORT_ENOMEM;
	join_message(message);
	return EXPORT_OK;
}

void otlp_message_free(struct otlp_message *message)
{
	struct otlp_parts *p = message->parts;
	if (p == NULL)
		return;
	export_strings_free(&p->strings);
	free(p->pcs.all);
	free(p->functions);
	free(p->function_list);
	free(p->names);
	free(p->locations);
	free(p->location_list);
	free(p->line_pool);
	free(p->line_list);
	free(p->stacks);
	free(p->stack_list);
	free(p->indices);
	free(p->samples);
	free(p->sample_list);
	free(p->values);
	free(p);
	message->parts = NULL;
}
