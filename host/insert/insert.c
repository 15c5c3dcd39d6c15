/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#include "host/insert/insert_private.h"

#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "host/base/array.h"
#include "host/insert/budget.h"
#include "host/insert/cost.h"
#include "host/insert/near.h"
#include "host/insert/object_map.h"
#include "isa/isa.h"

const char *insert_mode_name(unsigned mode)
{
	static const char *const names[INSERT_MODES] = {
	    "nothing", "paths", "edges", "blocks", "regions", "cycles", "trace"};
	return mode < INSERT_MODES ? names[mode] : "an unknown kind";
}

static void leave_uncounted(struct insert_job *job, const char *function, const char *reason)
{
	struct insert_counts *c = job->counts;
	c->left++;
	if (c->on_left != NULL)
		c->on_left(function, reason);
	for (unsigned i = 0; i < INSERT_REASONS; i++) {
		if (c->reasons[i] == NULL)
			c->reasons[i] = reason;
		if (strcmp(c->reasons[i], reason) == 0) {
			c->reason_counts[i]++;
			return;
		}
	}
}

bool insert_is_call(const struct insert_job *job, const struct edit_atom *atom)
{
	struct isa_insn insn;
	if (atom->kind != EDIT_INSN && atom->kind != EDIT_PAIR)
		return false;
	graph_insn(job->graph, atom, &insn);
	return (insn.class_bits & ISA_CALL) != 0;
}

bool insert_leaves(const struct insert_job *job, uint32_t b)
{
	const struct graph_block *block = &job->graph->blocks[b];
	if (block->section == GRAPH_NONE)
		return false;
	const struct edit_section *s = &job->edit->sections[block->section];
	for (uint32_t a = block->first; a <= block->last; a++) {
		struct isa_insn insn;
		if (s->atoms[a].kind != EDIT_INSN && s->atoms[a].kind != EDIT_PAIR)
			continue;
		graph_insn(job->graph, &s->atoms[a], &insn);
		if ((insn.class_bits & (ISA_CALL | ISA_TRAPS)) != 0)
			return true;
	}
	return false;
}

size_t insert_lasting_name(const char *name)
{
	const size_t length = strlen(name);
	const char *dash = strrchr(name, '-');
	if (length == 10 && strncmp(name, "cc", 2) == 0 && strcmp(name + 8, ".o") == 0)
		return 2;
	if (dash != NULL && dash > name && strspn(dash + 1, "0123456789abcdef") == 6 && strcmp(dash + 7, ".o") == 0)
		return (size_t)(dash - name);
	return length;
}

static uint64_t object_identity(const struct object *o, const char *name)
{
	const size_t lasting = insert_lasting_name(name);
	uint64_t hash = UINT64_C(14695981039346656037);
	for (size_t i = 0; i < o->file_size; i++)
		hash = (hash ^ o->file[i]) * UINT64_C(1099511628211);
	for (size_t i = 0; i < lasting; i++)
		hash = (hash ^ (uint8_t)name[i]) * UINT64_C(1099511628211);
	for (const char *end = ".o"; lasting < strlen(name) && *end != '\0'; end++)
		hash = (hash ^ (uint8_t)*end) * UINT64_C(1099511628211);
	return (hash ^ hash >> 32) << 1 & UINT64_C(0x3FFFFFFFFFFFFFFE); /* even, as starts of traces are */
}

bool insert_is_setjmp(const struct insert_job *job, const struct edit_atom *atom)
{
	static const char *const names[] = {"setjmp", "_setjmp", "__setjmp", "sigsetjmp", "__sigsetjmp"};
	const char *name = object_symbol_name(job->object, atom->symbol);
	for (unsigned i = 0; i < sizeof names / sizeof *names; i++) {
		if (strcmp(name, names[i]) == 0)
			return true;
	}
	return false;
}

bool insert_calls_setjmp(const struct insert_job *job, const struct graph_function *f)
{
	for (uint32_t b = f->blocks; b < f->blocks + f->block_count; b++) {
		const struct graph_block *block = &job->graph->blocks[b];
		for (uint32_t a = block->first; block->section != GRAPH_NONE && a <= block->last; a++) {
			const struct edit_atom *atom = &job->edit->sections[block->section].atoms[a];
			if (insert_is_call(job, atom) && insert_is_setjmp(job, atom))
				return true;
		}
	}
	return false;
}

int insert_word(struct insert_result *result, uint32_t word)
{
	if (result->word_count == result->word_size) {
		size_t larger = 2 * result->word_size + 16;
		uint32_t *words = realloc(result->words, larger * sizeof *words);
		if (words == NULL)
			return OBJECT_ENOMEM;
		result->words = words;
		result->word_size = larger;
	}
	result->words[result->word_count++] = word;
	return OBJECT_OK;
}

/* Edges of a block are together and in the order of blocks, as the map says them. */
static bool in_order(const struct graph *g, const struct graph_function *f)
{
	uint32_t next = f->edge_first;
	for (uint32_t b = f->blocks; b < f->blocks + f->block_count; b++) {
		if (g->blocks[b].edge_count > 0 && g->blocks[b].edges != next)
			return false;
		next += g->blocks[b].edge_count;
	}
	return f->block_count > 0;
}

/* The plan keeps what the function's code is; its words too. */
static void learn_function(
    struct insert_job *job, struct insert_plan *plan, size_t function, const struct insert_planned *planned)
{
	if (!array_room(&plan->functions, function + 1, &plan->room)) {
		job->map.failed = true;
		return;
	}
	while (plan->count <= function)
		plan->functions[plan->count++] = (struct insert_planned){0};
	plan->functions[function] = *planned;
}

const struct insert_wait *insert_waits(const struct insert_options *options, const char *name)
{
	for (size_t i = 0; i < options->wait_count; i++) {
		if (strcmp(options->waits[i].name, name) == 0)
			return &options->waits[i];
	}
	return NULL;
}

/* Whether a function is timed where it is called, by any of its names. */
static bool is_waited_for(const struct insert_job *job, uint32_t symbol)
{
	const struct object *o = job->object;
	const struct object_symbol *own = &o->symbols[symbol];
	for (uint32_t i = 1; i < o->symbol_count && job->options->wait_count > 0; i++) {
		const struct object_symbol *s = &o->symbols[i];
		if (s->section == own->section && s->value == own->value && object_symbol_type(s) == STT_FUNC &&
		    insert_waits(job->options, object_symbol_name(o, i)) != NULL)
			return true;
	}
	return false;
}

/* Why a function has no counters because of what it is; NULL: it may have. */
static const char *reason_by_name(const char *name, bool calls_system)
{
	/* of the C library: nobody reads the stack of a thread that has ended */
	if (calls_system && (strcmp(name, "start_thread") == 0 || strcmp(name, "__thread_start") == 0))
		return "a thread ends in it";
	if (calls_system && strcmp(name, "_Fork") == 0) /* sw/probe/linux.c */
		return "the counters of a child begin behind it";
	static const char *const leaves[] = {"longjmp", "_longjmp", "siglongjmp", "__libc_longjmp", "__libc_siglongjmp",
	    "____longjmp_chk", "__longjmp_chk"};
	for (unsigned i = 0; i < sizeof leaves / sizeof *leaves; i++) {
		if (strcmp(name, leaves[i]) == 0)
			return "it never returns: the runtime keeps the stack before it runs"; /* sw/probe/left.c */
	}
	if (strncmp(name, "__riscv_save_", 13) == 0 || strncmp(name, "__riscv_restore_", 16) == 0)
		return "it saves registers for others";
	if (strcmp(name, "_Unwind_Resume_or_Rethrow") == 0) /* it calls _Unwind_RaiseException(), of its own object */
		return "it may not return: the runtime keeps the stack before it runs"; /* sw/probe/thrown_hook.S */
	if (strcmp(name, "_Unwind_GetCFA") == 0)                                        /* sw/probe/thrown.c */
		return "the runtime calls it";
	return NULL;
}

/* Counters that go by variables with values cannot run before these have them: INSERT_CYCLES has its stack of calls so,
 * INSERT_TRACE its buffer, a hash table where it lies. */
static const char *reason_of_start(const struct insert_options *options, const char *name)
{
	const bool needs_values = options->mode == INSERT_CYCLES || options->mode == INSERT_TRACE || options->hash;
	const bool copies = strcmp(name, "memcpy") == 0 || strcmp(name, "memmove") == 0 || strcmp(name, "memset") == 0;
	return options->early && needs_values && copies ? "start-up code calls it before variables have values" : NULL;
}

static int insert_functions(struct insert_job *job)
{
	int error = OBJECT_OK;
	if (job->profiler != NULL && job->profiler->begin != NULL)
		error = job->profiler->begin(job);
	for (size_t i = 0; i < job->function_count && error == OBJECT_OK; i++) {
		const size_t second = insert_second_version(job, i);
		const struct graph_function *f = &job->graph->functions[second];
		struct insert_result result = {
		    .reason = f->odd, .limit = job->options->limit != 0 ? job->options->limit : INSERT_PATHS_MAX};
		result.limit = budget_limit(job, f, result.limit);
		if (job->options->mode == INSERT_PATHS && !job->options->hash && job->options->metric == 0)
			result.limit = budget_sure_limit(job, f, result.limit);
		if (result.reason == NULL)
			result.reason = reason_by_name(object_symbol_name(job->object, f->symbol), f->calls_system);
		if (result.reason == NULL)
			result.reason = reason_of_start(job->options, object_symbol_name(job->object, f->symbol));
		if (result.reason == NULL && job->seconds != NULL && second == i)
			result.reason = versions_reason(&job->versions, f);
		if (is_waited_for(job, f->symbol))
			result.reason = "its calls are timed, as --wait says";
		if (!in_order(job->graph, f))
			result.reason = "it has no code that is understood";
		if (result.reason != NULL)
			error = OBJECT_EUNSUPPORTED;
		else if (job->profiler != NULL) {
			const uint32_t pieces = (uint32_t)job->edit->piece_count;
			error = job->profiler->function(job, second, job->used, &result);
			if (error == OBJECT_OK)
				error = near_learn(job, i, pieces, &result);
			free(result.parts);
			result.parts = NULL;
			if (error == OBJECT_OK && second != i)
				error = insert_switch(job, i, second);
		}
		bool counted = error == OBJECT_OK;
		uint64_t first = job->used;
		struct insert_plan *plan = job->options->plan;
		if (plan != NULL && job->profiler == NULL && i < plan->count) {
			counted = plan->functions[i].counted;
			first = plan->functions[i].first;
			result = plan->functions[i].result;
		}
		if (f->block_count > 0)
			object_map_function(job, f, counted, first, &result);
		if (plan != NULL && job->profiler != NULL)
			learn_function(job, plan, i, &(struct insert_planned){counted, first, result});
		if (error == OBJECT_OK) {
			job->counts->functions++;
			job->used += result.counters;
		} else if (error == OBJECT_EUNSUPPORTED) {
			leave_uncounted(job, object_symbol_name(job->object, f->symbol),
			    result.reason != NULL ? result.reason : "its code is too large");
			error = OBJECT_OK;
		}
		if (job->options->plan == NULL)
			free(result.words);
	}
	return error;
}

/* What is put into an object without compressed instructions may have them, if the program it is for has: half the
 * fetches. Alignment by the linker reckons with less; then not. */
static bool compress_code(struct object *object, const struct insert_options *options)
{
	bool runs = options->mode == INSERT_CYCLES ? options->original->compressed
						   : options->mode != INSERT_MAP && options->weights != NULL &&
							 weights_compressed(options->weights);
	if (!runs || (object->flags & EF_RISCV_RVC) != 0)
		return false;
	for (uint32_t i = 1; i < object->section_count; i++) {
		const struct object_section *s = &object->sections[i];
		for (size_t k = 0; k < s->reloc_count; k++) {
			if (s->relocs[k].type == R_RISCV_ALIGN)
				return false;
		}
	}
	object->flags |= EF_RISCV_RVC;
	return true;
}

int insert_object(struct object *object, const char *name, const struct insert_options *options,
    struct insert_counts *counts, char *detail, size_t size)
{
	struct insert_job job = {.object = object,
	    .options = options,
	    .counts = counts,
	    .profiler = insert_profiler(options->mode),
	    .target.width = object->xlen == 64 || options->wide ? 8 : 4,
	    .target.atomic = options->atomic,
	    .target.in_order = options->mode == INSERT_CYCLES || options->mode == INSERT_TRACE || options->metric != 0};
	if (options->mode == INSERT_TRACE || (options->plan != NULL && options->plan->mode == INSERT_TRACE))
		job.target.width = 1;
	if (object_section_named(object, ".debug_rivulet") != 0) {
		snprintf(detail, size, "it has been through `rivulet insert' already; give the unedited object");
		return OBJECT_EUNSUPPORTED;
	}
	if ((object->flags & EF_RISCV_RVE) != 0 &&
	    (options->hash || options->mode == INSERT_CYCLES || options->mode == INSERT_TRACE)) {
		snprintf(detail, size, "RV32E has too few registers for --hash, --cycles and --trace");
		return OBJECT_EUNSUPPORTED;
	}
	job.target.even = compress_code(object, options);
	int error = options->switched && options->mode != INSERT_MAP
			? versions_make(object, options->reserved, &job.versions, detail, size)
			: OBJECT_OK;
	if (error == OBJECT_OK)
		error = edit_open(&job.edit, object, detail, size);
	if (error != OBJECT_OK) {
		versions_free(&job.versions);
		return error;
	}
	counts->objects++;
	snprintf(detail, size, "out of memory");
	job.id = object_identity(object, name);
	counts->unknown += options->named != NULL && !named_knows(options->named, job.id);
	error = graph_open(&job.graph, job.edit, options->reserved);
	if (error == OBJECT_OK)
		job.function_count = job.graph->function_count;
	if (error == OBJECT_OK && job.versions.second != NULL)
		error = insert_match_versions(&job);
	if (error == OBJECT_OK && job.graph->function_count == 0) { /* data only */
		free(job.seconds);
		versions_free(&job.versions);
		graph_close(job.graph);
		edit_close(job.edit);
		return OBJECT_OK;
	}
	if (error == OBJECT_OK && options->mode != INSERT_MAP) {
		error = object_add_section(object,
		    &(struct object_new_section){
			".bss.rivulet", SHT_NOBITS, SHF_ALLOC | SHF_WRITE, job.target.width, NULL, 0},
		    &job.bss);
		if (error == OBJECT_OK)
			error = object_add_symbol(object,
			    &(struct object_new_symbol){
				"rivulet.counters", 0, 0, job.bss, ELF64_ST_INFO(STB_LOCAL, STT_OBJECT)},
			    &job.target.counters);
		if (error == OBJECT_OK && options->per_thread)
			error = object_add_symbol(object,
			    &(struct object_new_symbol){
				"rivulet_probe_thread", 0, 0, SHN_UNDEF, ELF64_ST_INFO(STB_GLOBAL, STT_TLS)},
			    &job.target.thread);
	}
	map_word(&job.map, MAP_MAGIC);
	map_word(&job.map, 0);
	map_word(&job.map, MAP_VERSION);
	bool twin = options->mode == INSERT_MAP && options->plan != NULL;
	map_word(&job.map, twin ? options->plan->mode : options->mode);
	map_word(&job.map, twin || options->mode == INSERT_MAP ? MAP_TWIN : 0);
	map_word(&job.map, job.target.width);
	map_word(&job.map, object->xlen);
	map_word(&job.map, (uint32_t)job.id);
	map_word(&job.map, (uint32_t)(job.id >> 32));
	size_t counters_at = job.map.size;
	map_word(&job.map, 0);
	map_word(&job.map, error == OBJECT_OK ? (uint32_t)job.function_count : 0);
	map_string(&job.map, name);
	job.target.graph = job.graph;
	job.target.entries = &job.entries;
	if (error == OBJECT_OK)
		error = insert_functions(&job);
	if (error == OBJECT_EFORMAT)
		snprintf(detail, size, "a function is too large for its counters");
	if (error == OBJECT_OK)
		error = near_choose(&job);
	object_map_near(&job.map, twin ? &options->plan->near : &job.near);
	if (error == OBJECT_OK)
		error = edit_apply(job.edit, detail, size);
	if (error == OBJECT_OK)
		error = inserter_finish(job.graph, &job.entries);
	if (error == OBJECT_OK && !job.map.failed) {
		uint32_t used = (uint32_t)(twin ? options->plan->counters : job.used);
		memcpy(job.map.bytes + counters_at, &used, 4);
		if (!twin && options->plan != NULL) {
			options->plan->counters = job.used;
			options->plan->near = job.near;
			job.near = (struct insert_near){0};
		}
	}
	if (error == OBJECT_OK)
		error = insert_tables_finish(&job);
	if (error == OBJECT_OK)
		error = object_map_write(&job);
	if (error == OBJECT_OK && (job.used > 0 || job.tables.count > 0) && options->mode != INSERT_MAP) {
		object->sections[job.bss].size = job.used * job.target.width;
		object->symbols[job.target.counters].size = job.used * job.target.width;
		error = insert_write_node(&job, job.id, job.target.counters, job.used);
		if (error == OBJECT_OK && job.near.count > 0)
			error = insert_write_node(&job, job.id ^ MAP_NEAR, job.near.symbol, job.near.count);
	}
	counts->lost_lists += job.edit->lost.lists + job.edit->lost.lines;
	counts->lost_frames += job.edit->lost.frames;
	counts->counters += job.used;
	counts->counter_bytes += job.used * job.target.width;
	counts->instructions += job.entries.instructions;
	counts->spilled += job.entries.spilled;
	free(job.map.bytes);
	free(job.map.addresses);
	free(job.entries.entries);
	commit_forget_places(&job.entries);
	free(job.tables.functions);
	near_free(&job.near);
	free(job.seconds);
	versions_free(&job.versions);
	graph_close(job.graph);
	edit_close(job.edit);
	return error;
}

int insert_twin(struct object *object, const char *name, const struct insert_options *options,
    struct insert_counts *counts, char *detail, size_t size)
{
	struct insert_plan plan = {.mode = options->mode};
	struct insert_options trial = *options, twin = *options;
	struct insert_counts dropped = {0};
	struct object *copy;
	int error = object_open(&copy, object->file, object->file_size, detail, size);
	if (error != OBJECT_OK)
		return error;
	trial.plan = twin.plan = &plan;
	twin.mode = INSERT_MAP;
	error = insert_object(copy, name, &trial, &dropped, detail, size);
	object_close(copy);
	if (error == OBJECT_OK)
		error = insert_object(object, name, &twin, counts, detail, size);
	for (size_t i = 0; i < plan.count; i++)
		free(plan.functions[i].result.words);
	free(plan.functions);
	near_free(&plan.near);
	return error;
}
