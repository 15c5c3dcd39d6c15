/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/*
 * A block is described by its runs: it is cut where something was put between two of its atoms, so that inserted code
 * is in no block. Addresses are labels' symbols, which the linker moves:
 *
 *        a: addi        run [a, c)        map: a, length 2
 *        b: lw
 *           ── put ──
 *        c: beq         run [c, d)        map: c, length 1
 */
#include "host/insert/object_map.h"

#include <elf.h>
#include <string.h>

/* Atoms of padding between a block and the one that it falls into. */
static uint32_t pad_behind(const struct insert_job *job, const struct graph_block *block)
{
	const struct graph *g = job->graph;
	uint32_t pads = 0;
	for (uint32_t e = block->edges; e < block->edges + block->edge_count; e++) {
		if (g->edges[e].kind != GRAPH_FALL && g->edges[e].kind != GRAPH_TAIL_FALL)
			continue;
		const struct edit_section *s = &job->edit->sections[block->section];
		const uint32_t *block_of = g->block_of[block->section];
		while (block->last + 1 + pads < s->count && s->atoms[block->last + 1 + pads].kind == EDIT_PAD &&
		       block_of[block->last + 1 + pads] == 0)
			pads++;
		return pads;
	}
	return 0;
}

/* The runs of a block: it is cut where something was put between two atoms. Returns how many; writes them if asked. */
static uint32_t describe_runs(struct insert_job *job, const struct graph_block *block, uint32_t pads, bool write)
{
	const struct edit_section *s = &job->edit->sections[block->section];
	unsigned xlen = job->object->xlen;
	uint32_t runs = 0, first = block->first, end = block->last + pads;
	for (uint32_t i = block->first; i <= end; i++) {
		bool cut = i == end || i == block->last || s->atoms[i + 1].host_call ||
			   s->atoms[i + 1].pieces[EDIT_FALL] != 0 || s->atoms[i + 1].pieces[EDIT_LABEL] != 0;
		if (!cut || (i > block->last && i < end))
			continue;
		if (write) {
			map_address(&job->map, xlen, s->number, s->atoms[first].offset, MAP_AT);
			map_address(&job->map, xlen, s->number, s->atoms[i].offset, MAP_END);
		}
		runs++;
		first = i + 1;
	}
	return runs;
}

/* Whether an atom is a call of a function. */
static void describe_sites(struct insert_job *job, const struct graph_function *f)
{
	struct map_writer *w = &job->map;
	for (unsigned pass = 0; pass < 2; pass++) {
		uint32_t count = 0;
		for (uint32_t b = f->blocks; b < f->blocks + f->block_count; b++) {
			const struct graph_block *block = &job->graph->blocks[b];
			if (block->section == GRAPH_NONE)
				continue;
			const struct edit_section *s = &job->edit->sections[block->section];
			for (uint32_t a = block->first; a <= block->last; a++) {
				if (!insert_is_call(job, &s->atoms[a]))
					continue;
				count++;
				if (pass == 1)
					map_address(w, job->object->xlen, s->number, s->atoms[a].offset, MAP_AT);
			}
		}
		if (pass == 0)
			map_word(w, count);
	}
}

void object_map_function(struct insert_job *job, const struct graph_function *f, bool counted, uint64_t first,
    const struct insert_result *result)
{
	const struct graph *g = job->graph;
	struct map_writer *w = &job->map;
	unsigned xlen = job->object->xlen;
	map_string(w, object_symbol_name(job->object, f->symbol));
	map_word(w, counted ? MAP_COUNTED | result->flags : 0);
	map_word(w, (uint32_t)first);
	map_word(w, counted ? (uint32_t)result->counters : 0);
	map_word(w, (uint32_t)result->limit);
	map_word(w, counted ? (uint32_t)result->word_count : 0);
	for (size_t i = 0; counted && i < result->word_count; i++)
		map_word(w, result->words[i]);
	describe_sites(job, f);
	map_word(w, f->block_count);
	map_word(w, f->edge_count);
	for (uint32_t b = f->blocks; b < f->blocks + f->block_count; b++) {
		const struct graph_block *block = &g->blocks[b];
		uint32_t flags = (block->root || b == f->blocks ? MAP_ROOT : 0u) | (block->pad ? MAP_PAD : 0u) |
				 (insert_leaves(job, b) ? MAP_LEAVES : 0u);
		uint32_t runs = 0, pad = pad_behind(job, block);
		if (block->section != GRAPH_NONE) {
			const struct edit_section *s = &job->edit->sections[block->section];
			runs = describe_runs(job, block, pad, false);
			map_address(w, xlen, s->number, s->atoms[block->first].offset, MAP_LABEL);
			map_address(w, xlen, s->number, s->atoms[block->last].offset, MAP_AT);
			if (!w->failed)
				w->addresses[w->address_count - 1].flags = (uint32_t)w->size + 1;
			flags |= pad > 0 ? MAP_PADDED : 0u;
		} else {
			flags |= MAP_TABLE;
			for (unsigned i = 0; i < 2 * xlen / 32; i++)
				map_word(w, 0);
		}
		map_word(w, flags);
		map_word(w, block->edge_count);
		map_word(w, runs);
		for (uint32_t e = block->edges; e < block->edges + block->edge_count; e++) {
			map_word(w, g->edges[e].to == GRAPH_NONE ? GRAPH_NONE : g->edges[e].to - f->blocks);
			map_word(w, g->edges[e].kind);
		}
		if (runs > 0)
			describe_runs(job, block, pad, true);
	}
}

void object_map_near(struct map_writer *w, const struct insert_near *near)
{
	map_word(w, (uint32_t)near->run_count);
	for (size_t i = 0; i < near->run_count; i++) {
		map_word(w, (uint32_t)near->runs[i].first);
		map_word(w, (uint32_t)near->runs[i].count);
	}
}

/* Sections that turn a label's symbol into the address in .debug_rivulet. */
int object_map_write(struct insert_job *job)
{
	struct object *o = job->object;
	struct map_writer *w = &job->map;
	uint32_t section;
	uint32_t length = (uint32_t)w->size - 8;
	if (w->failed)
		return OBJECT_ENOMEM;
	memcpy(w->bytes + 4, &length, 4);
	for (size_t i = 0; i < w->address_count; i++) {
		const struct edit_section *s = edit_section(job->edit, w->addresses[i].section);
		if (w->addresses[i].flags != 0 && s->touched && edit_inverted(edit_atom_at(s, w->addresses[i].offset)))
			w->bytes[w->addresses[i].flags - 1] |= MAP_INVERTED;
	}
	int error = object_add_section(
	    o, &(struct object_new_section){".debug_rivulet", SHT_PROGBITS, 0, 4, w->bytes, w->size}, &section);
	for (size_t i = 0; i < w->address_count && error == OBJECT_OK; i++) {
		const struct edit_section *s = edit_section(job->edit, w->addresses[i].section);
		const struct edit_atom *atom = edit_atom_at(s, w->addresses[i].offset);
		uint64_t place;
		if (!s->touched)
			place = atom->offset;
		else if (w->addresses[i].which == MAP_AT)
			place = atom->at;
		else
			place = atom->label;
		if (w->addresses[i].which == MAP_END)
			place = edit_end(s, atom);
		uint32_t symbol;
		error = object_add_symbol(o,
		    &(struct object_new_symbol){NULL, place, 0, s->number, ELF64_ST_INFO(STB_LOCAL, STT_NOTYPE)},
		    &symbol);
		if (error == OBJECT_OK)
			error = object_add_reloc(o, section,
			    &(struct object_reloc){
				w->addresses[i].at, 0, symbol, o->xlen == 64 ? R_RISCV_64 : R_RISCV_32});
	}
	return error;
}
