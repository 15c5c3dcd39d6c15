/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#include "host/insert/insert.h"

#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "host/insert/map.h"

struct job {
	struct object *object;
	struct edit *edit;
	struct graph *graph;
	const struct insert_options *options;
	struct insert_counts *counts;
	struct inserter_entries entries;
	struct map_writer map;
	uint32_t counters; /* symbol */
	uint32_t bss;
	uint64_t used; /* counters so far */
	unsigned width;
	uint64_t id;
};

/* A function as a graph to be numbered. */
struct numbered {
	struct numbering numbering;
	uint32_t *first, *to, *depth;
	bool *root;
	uint64_t *weights;
};

static void leave(struct job *job, const char *reason)
{
	struct insert_counts *c = job->counts;
	c->left++;
	for (unsigned i = 0; i < 16; i++) {
		if (c->reasons[i] == NULL)
			c->reasons[i] = reason;
		if (strcmp(c->reasons[i], reason) == 0) {
			c->reason_counts[i]++;
			return;
		}
	}
}

static int number(const struct job *job, const struct graph_function *f, struct numbered *n)
{
	const struct graph *g = job->graph;
	*n = (struct numbered){.first = malloc((f->block_count + 1u) * sizeof *n->first),
	    .to = malloc((f->edge_count + 1u) * sizeof *n->to),
	    .depth = malloc((f->block_count + 1u) * sizeof *n->depth),
	    .root = calloc(f->block_count + 1u, sizeof *n->root),
	    .weights = calloc(f->edge_count + 1u, sizeof *n->weights)};
	if (n->first == NULL || n->to == NULL || n->depth == NULL || n->root == NULL || n->weights == NULL)
		return OBJECT_ENOMEM;
	/* edges of a block are together, but those of tables come last: in the order of the blocks here */
	uint32_t used = 0;
	for (uint32_t b = 0; b < f->block_count; b++) {
		const struct graph_block *block = &g->blocks[f->blocks + b];
		n->first[b] = used;
		n->depth[b] = block->depth;
		n->root[b] = block->root || b == 0;
		for (uint32_t e = block->edges; e < block->edges + block->edge_count; e++) {
			uint32_t to = g->edges[e].to;
			if (e - f->edge_first != used)
				return OBJECT_EUNSUPPORTED;
			n->to[used++] = to == GRAPH_NONE ? NUMBERING_EXIT : to - f->blocks;
		}
	}
	n->first[f->block_count] = used;
	const struct numbering_graph graph = {
	    .count = f->block_count, .entry = 0, .first = n->first, .to = n->to, .root = n->root};
	uint64_t limit = job->options->limit != 0 ? job->options->limit : INSERT_PATHS_MAX;
	if (numbering_make(&n->numbering, &graph, limit) != NUMBERING_OK)
		return OBJECT_ENOMEM;
	chords_guess(&n->numbering, n->depth, n->weights);
	return OBJECT_OK;
}

static void free_numbered(struct numbered *n)
{
	numbering_free(&n->numbering);
	free(n->first);
	free(n->to);
	free(n->depth);
	free(n->root);
	free(n->weights);
}

/* The codes of EPP's placement at a place; at most 2 for each. */
static size_t translate(const struct place_code *p, uint64_t base, struct inserter_code *codes)
{
	if (p->count == PLACE_COUNT)
		codes[0] = (struct inserter_code){INSERTER_COUNT, (int64_t)base + p->value};
	else if (p->count == PLACE_COUNT_AT)
		codes[0] = (struct inserter_code){INSERTER_COUNT_AT, p->value};
	else if (p->step == PLACE_SET)
		codes[0] = (struct inserter_code){INSERTER_SET, (int64_t)base + p->value};
	else if (p->step == PLACE_ADD)
		codes[0] = (struct inserter_code){INSERTER_ADD, p->value};
	else
		return 0;
	return 1;
}

static int put_paths(struct job *job, struct inserter *in, const struct graph_function *f, const struct numbered *n,
    const struct placement *p, uint64_t base)
{
	int error = OBJECT_OK;
	uint64_t self = base + n->numbering.paths;
	for (uint32_t b = 0; b < f->block_count && error == OBJECT_OK; b++) {
		const struct graph_block *block = &job->graph->blocks[f->blocks + b];
		struct inserter_code codes[4];
		size_t count;
		if ((block->root || b == 0) && n->numbering.enter[b] != NUMBERING_NONE &&
		    (count = translate(&p->enter[b], base, codes)) > 0)
			error = inserter_enter(in, f->blocks + b, codes, count);
		bool reached = n->numbering.count != NULL && n->numbering.count[b] > 0;
		for (uint32_t e = n->first[b]; e < n->first[b + 1] && error == OBJECT_OK; e++) {
			count = 0;
			if (n->numbering.kind[e] == NUMBERING_SELF) {
				codes[count++] = (struct inserter_code){INSERTER_COUNT, (int64_t)self++};
			} else if (!reached)
				continue;
			else if (n->numbering.kind[e] == NUMBERING_PLAIN)
				count = translate(&p->edge[e], base, codes);
			else {
				count = translate(&p->leave[b], base, codes);
				count += translate(&p->enter[n->to[e]], base, codes + count);
			}
			if (count > 0)
				error = inserter_edge(in, f->edge_first + e, codes, count);
		}
	}
	return error;
}

static int put_blocks(struct job *job, struct inserter *in, const struct graph_function *f, uint64_t base)
{
	int error = OBJECT_OK;
	for (uint32_t b = 0; b < f->block_count && error == OBJECT_OK; b++) {
		const struct inserter_code code = {INSERTER_COUNT, (int64_t)(base + b)};
		if (job->graph->blocks[f->blocks + b].section != GRAPH_NONE)
			error = inserter_block(in, f->blocks + b, &code, 1);
	}
	return error;
}

/* Counters of one function; 0 or more: how many, OBJECT_EUNSUPPORTED: none, with a reason. */
static int instrument(
    struct job *job, size_t function, const struct numbered *n, uint64_t *counters, const char **reason)
{
	const struct graph_function *f = &job->graph->functions[function];
	struct inserter *in;
	struct chords chords = {0};
	struct placement placement = {0};
	*counters = 0;
	*reason = NULL;
	int error = inserter_open(&in, job->graph, function, job->counters, job->width);
	if (error != OBJECT_OK)
		return error;
	inserter_into(in, &job->entries);
	inserter_weights(in, n->weights);
	if (job->options->mode == INSERT_BLOCKS) {
		*counters = f->block_count;
		error = put_blocks(job, in, f, job->used);
	} else {
		error = chords_make(&chords, &n->numbering, n->weights) == NUMBERING_OK &&
				place_make(&placement, &n->numbering, &chords) == NUMBERING_OK
			    ? OBJECT_OK
			    : OBJECT_ENOMEM;
		if (error == OBJECT_OK && placement.uses_register) {
			error = inserter_register(in, reason);
			if (error >= 0) {
				job->counts->registers[error]++;
				error = OBJECT_OK;
			}
		} else if (error == OBJECT_OK)
			job->counts->registers[INSERTER_NO_REGISTER]++;
		*counters = n->numbering.paths + n->numbering.self;
		if (error == OBJECT_OK)
			error = put_paths(job, in, f, n, &placement, job->used);
		job->counts->chords += chords.chords;
		job->counts->cut += n->numbering.cut;
	}
	if (error == OBJECT_OK)
		error = inserter_commit(in, reason);
	inserter_close(in);
	chords_free(&chords);
	place_free(&placement);
	return error;
}

static void describe(struct job *job, const struct graph_function *f, bool counted, uint64_t first)
{
	const struct graph *g = job->graph;
	struct map_writer *w = &job->map;
	unsigned xlen = job->object->xlen;
	map_string(w, object_symbol_name(job->object, f->symbol));
	map_word(w, counted ? MAP_COUNTED : 0);
	map_word(w, (uint32_t)first);
	map_word(w, (uint32_t)(job->options->limit != 0 ? job->options->limit : INSERT_PATHS_MAX));
	map_word(w, f->block_count);
	map_word(w, f->edge_count);
	for (uint32_t b = f->blocks; b < f->blocks + f->block_count; b++) {
		const struct graph_block *block = &g->blocks[b];
		uint32_t flags = (block->root || b == f->blocks ? MAP_ROOT : 0u) | (block->pad ? MAP_PAD : 0u);
		if (block->section != GRAPH_NONE) {
			const struct edit_section *s = &job->edit->sections[block->section];
			map_address(w, xlen, s->number, s->atoms[block->first].offset, false);
			map_address(w, xlen, s->number, s->atoms[block->last].offset, true);
		} else {
			flags |= MAP_TABLE;
			for (unsigned i = 0; i < 2 * xlen / 32; i++)
				map_word(w, 0);
		}
		map_word(w, flags);
		map_word(w, block->edge_count);
		for (uint32_t e = block->edges; e < block->edges + block->edge_count; e++) {
			map_word(w, g->edges[e].to == GRAPH_NONE ? GRAPH_NONE : g->edges[e].to - f->blocks);
			map_word(w, g->edges[e].kind);
		}
	}
}

/* Sections that turn a label's symbol into the address in .debug_rivulet. */
static int write_map(struct job *job)
{
	struct object *o = job->object;
	struct map_writer *w = &job->map;
	uint32_t section;
	uint32_t length = (uint32_t)w->size - 8;
	if (w->failed)
		return OBJECT_ENOMEM;
	memcpy(w->bytes + 4, &length, 4);
	int error = object_add_section(o, ".debug_rivulet", SHT_PROGBITS, 0, 4, w->bytes, w->size, &section);
	for (size_t i = 0; i < w->address_count && error == OBJECT_OK; i++) {
		const struct edit_section *s = edit_section(job->edit, w->addresses[i].section);
		const struct edit_atom *atom = edit_atom_at(s, w->addresses[i].offset);
		uint64_t place = !s->touched ? atom->offset : w->addresses[i].last ? atom->at : atom->label;
		uint32_t symbol;
		error =
		    object_add_symbol(o, NULL, place, 0, s->number, ELF64_ST_INFO(STB_LOCAL, STT_NOTYPE), 0, &symbol);
		if (error == OBJECT_OK)
			error = object_add_reloc(o, section,
			    &(struct object_reloc){
				w->addresses[i].at, 0, symbol, o->xlen == 64 ? R_RISCV_64 : R_RISCV_32});
	}
	return error;
}

/* A node { next, id, counters, count, width } and a constructor that hands it to the runtime. */
static int write_node(struct job *job)
{
	struct object *o = job->object;
	unsigned word = o->xlen / 8;
	uint8_t node[40] = {0};
	uint32_t data = 0, text = 0, init = 0, node_symbol = 0, code_symbol = 0, runtime = 0, high_symbol = 0;
	uint32_t count = (uint32_t)job->used, width = job->width | (uint32_t)job->options->mode << 16;
	size_t size = word + 8 + word + 8;
	memcpy(node + word, &job->id, 8);
	memcpy(node + word + 8 + word, &count, 4);
	memcpy(node + word + 8 + word + 4, &width, 4);
	/* la a0, node; tail rivulet_probe_register */
	const uint32_t lui[] = {0x00000537, 0x00050513, 0x00000317, 0x00030067},
		       pc[] = {0x00000517, 0x00050513, 0x00000317, 0x00030067};
	bool wide = o->xlen == 64;
	int error = object_add_section(o, ".data.rivulet", SHT_PROGBITS, SHF_ALLOC | SHF_WRITE, 8, node, size, &data);
	if (error == OBJECT_OK)
		error = object_add_section(
		    o, ".text.rivulet", SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR, 4, wide ? pc : lui, 16, &text);
	if (error == OBJECT_OK)
		error = object_add_section(
		    o, ".init_array", SHT_INIT_ARRAY, SHF_ALLOC | SHF_WRITE, word, NULL, word, &init);
	if (error == OBJECT_OK)
		o->sections[init].entry_size = word;
	if (error == OBJECT_OK)
		error =
		    object_add_symbol(o, NULL, 0, size, data, ELF64_ST_INFO(STB_LOCAL, STT_OBJECT), 0, &node_symbol);
	if (error == OBJECT_OK)
		error = object_add_symbol(
		    o, "rivulet.register", 0, 16, text, ELF64_ST_INFO(STB_LOCAL, STT_FUNC), 0, &code_symbol);
	if (error == OBJECT_OK)
		error = object_add_symbol(o, NULL, 0, 0, text, ELF64_ST_INFO(STB_LOCAL, STT_NOTYPE), 0, &high_symbol);
	if (error == OBJECT_OK)
		error = object_add_symbol(
		    o, "rivulet_probe_register", 0, 0, SHN_UNDEF, ELF64_ST_INFO(STB_GLOBAL, STT_NOTYPE), 0, &runtime);
	uint32_t pointer = wide ? R_RISCV_64 : R_RISCV_32;
	const struct object_reloc relocs[] = {{word + 8, 0, job->counters, pointer},
	    {0, 0, node_symbol, wide ? R_RISCV_PCREL_HI20 : R_RISCV_HI20},
	    {4, 0, wide ? high_symbol : node_symbol, wide ? R_RISCV_PCREL_LO12_I : R_RISCV_LO12_I},
	    {8, 0, runtime, R_RISCV_CALL_PLT}, {0, 0, code_symbol, pointer}};
	const uint32_t where[] = {data, text, text, text, init};
	for (unsigned i = 0; i < 5 && error == OBJECT_OK; i++)
		error = object_add_reloc(o, where[i], &relocs[i]);
	return error;
}

static uint64_t identity(const struct object *o, const char *name)
{
	uint64_t hash = UINT64_C(14695981039346656037);
	for (size_t i = 0; i < o->file_size; i++)
		hash = (hash ^ o->file[i]) * UINT64_C(1099511628211);
	for (; *name != '\0'; name++)
		hash = (hash ^ (uint8_t)*name) * UINT64_C(1099511628211);
	return (hash ^ hash >> 32) << 1 & UINT64_C(0x3FFFFFFFFFFFFFFE); /* even, as starts of traces are */
}

static int insert_functions(struct job *job)
{
	int error = OBJECT_OK;
	for (size_t i = 0; i < job->graph->function_count && error == OBJECT_OK; i++) {
		const struct graph_function *f = &job->graph->functions[i];
		struct numbered n = {0};
		uint64_t counters = 0;
		const char *reason = f->odd, *name = object_symbol_name(job->object, f->symbol);
		if (strncmp(name, "__riscv_save_", 13) == 0 || strncmp(name, "__riscv_restore_", 16) == 0)
			reason = "it saves registers for others";
		error = f->block_count == 0 ? OBJECT_EUNSUPPORTED : number(job, f, &n);
		if (error == OBJECT_EUNSUPPORTED)
			reason = "it has no code that is understood";
		if (error == OBJECT_OK && reason != NULL)
			error = OBJECT_EUNSUPPORTED;
		if (error == OBJECT_OK && job->options->mode != INSERT_MAP)
			error = instrument(job, i, &n, &counters, &reason);
		if (f->block_count > 0)
			describe(job, f, error == OBJECT_OK, job->used);
		if (error == OBJECT_OK) {
			job->counts->functions++;
			job->used += counters;
		} else if (error == OBJECT_EUNSUPPORTED) {
			leave(job, reason != NULL ? reason : "its code is too large");
			error = OBJECT_OK;
		}
		free_numbered(&n);
	}
	return error;
}

int insert_object(struct object *object, const char *name, const struct insert_options *options,
    struct insert_counts *counts, char *detail, size_t size)
{
	struct job job = {.object = object, .options = options, .counts = counts, .width = object->xlen == 64 ? 8 : 4};
	int error = edit_open(&job.edit, object, detail, size);
	if (error != OBJECT_OK)
		return error;
	counts->objects++;
	snprintf(detail, size, "out of memory");
	job.id = identity(object, name);
	error = graph_open(&job.graph, job.edit);
	if (error == OBJECT_OK && job.graph->function_count == 0) { /* data only */
		graph_close(job.graph);
		edit_close(job.edit);
		return OBJECT_OK;
	}
	if (error == OBJECT_OK && options->mode != INSERT_MAP) {
		error = object_add_section(
		    object, ".bss.rivulet", SHT_NOBITS, SHF_ALLOC | SHF_WRITE, job.width, NULL, 0, &job.bss);
		if (error == OBJECT_OK)
			error = object_add_symbol(object, "rivulet.counters", 0, 0, job.bss,
			    ELF64_ST_INFO(STB_LOCAL, STT_OBJECT), 0, &job.counters);
	}
	map_word(&job.map, MAP_MAGIC);
	map_word(&job.map, 0);
	map_word(&job.map, MAP_VERSION);
	map_word(&job.map, options->mode);
	map_word(&job.map, job.width);
	map_word(&job.map, object->xlen);
	map_word(&job.map, (uint32_t)job.id);
	map_word(&job.map, (uint32_t)(job.id >> 32));
	size_t counters_at = job.map.size;
	map_word(&job.map, 0);
	map_word(&job.map, error == OBJECT_OK ? (uint32_t)job.graph->function_count : 0);
	map_string(&job.map, name);
	if (error == OBJECT_OK)
		error = insert_functions(&job);
	if (error == OBJECT_EFORMAT)
		snprintf(detail, size, "a function is too large for its counters");
	if (error == OBJECT_OK)
		error = edit_apply(job.edit, detail, size);
	if (error == OBJECT_OK)
		error = inserter_finish(job.graph, &job.entries);
	if (error == OBJECT_OK && !job.map.failed) {
		uint32_t used = (uint32_t)job.used;
		memcpy(job.map.bytes + counters_at, &used, 4);
	}
	if (error == OBJECT_OK)
		error = write_map(&job);
	if (error == OBJECT_OK && job.used > 0) {
		object->sections[job.bss].size = job.used * job.width;
		object->symbols[job.counters].size = job.used * job.width;
		error = write_node(&job);
	}
	counts->counters += job.used;
	counts->counter_bytes += job.used * job.width;
	counts->instructions += job.entries.instructions;
	counts->spilled += job.entries.spilled;
	free(job.map.bytes);
	free(job.map.addresses);
	free(job.entries.entries);
	graph_close(job.graph);
	edit_close(job.edit);
	return error;
}
