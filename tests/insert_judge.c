/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/*
 * Holds the counts of an edited program against the complete record stream of the unedited one.
 *
 *   twin (`rivulet insert --map`: the same code) ──► golden model ──► records ──► walk ──► pcs ──► blocks of each path
 *   ──┐ edited program ──► profile ──► counters ──► numbers ──► blocks of each path
 *   ─────────────────────────────────────────┴─ equal?
 *
 * The judge keeps paths as lists of blocks and knows neither edge values nor increments; of the numbering it takes only
 * which edges are cut. Usage: insert-judge TWIN.elf EDITED.elf PROFILE [NAME=VALUE...]
 */
#include <fcntl.h>
#include <gelf.h>
#include <inttypes.h>
#include <libelf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "host/insert/insert.h"
#include "host/insert/map.h"
#include "host/profile/stream.h"
#include "host/walk/walk.h"
#include "isa/isa.h"
#include "model/run.h"
#include "tests/insert_judge_blocks.h"
#include "tests/insert_judge_regions.h"

struct item {
	uint32_t *blocks; /* of the map; then the exit's edge, or GRAPH_NONE: back */
	uint32_t length, exit;
	uint64_t hash, count, counted;
	uint32_t function;
};

struct call {
	uint32_t function; /* GRAPH_NONE: not in the map */
	uint32_t block;
	uint64_t back;
	uint32_t *blocks, length, size;
	struct judge_nest *nest; /* --regions */
};

struct judge {
	struct map *map;
	struct image *image;
	struct walk *walk;
	const struct model *model;
	uint32_t *function_of; /* by block */
	uint32_t *starts;      /* block + 1 by halfword of code */
	uint64_t base, span;
	struct item *items;
	size_t size, used;
	struct call *calls;
	size_t depth, call_size;
	uint64_t pc, insns, strange;
	struct isa_insn insn;
	bool running;
	struct judge_regions *regions;        /* NULL: the counters are others */
	uint64_t *block_counts, *self_counts; /* by block; by edge */
	uint64_t *edge_counts, *into_counts;  /* by edge; by block: ways in from outside */
};

static void *must(void *memory)
{
	if (memory == NULL) {
		fprintf(stderr, "insert-judge: out of memory\n");
		exit(2);
	}
	return memory;
}

static struct item *find(struct judge *j, const uint32_t *blocks, uint32_t length, uint32_t exit)
{
	uint64_t hash = UINT64_C(14695981039346656037) ^ (uint64_t)exit << 8;
	for (uint32_t i = 0; i < length; i++)
		hash = (hash ^ blocks[i]) * UINT64_C(1099511628211);
	hash ^= hash >> 31;
	if (2 * (j->used + 1) > j->size) {
		size_t size = j->size == 0 ? 4096 : 2 * j->size;
		struct item *items = must(calloc(size, sizeof *items));
		for (size_t i = 0; i < j->size; i++) {
			size_t at = j->items[i].hash & (size - 1);
			if (j->items[i].blocks == NULL)
				continue;
			while (items[at].blocks != NULL)
				at = (at + 1) & (size - 1);
			items[at] = j->items[i];
		}
		free(j->items);
		j->items = items;
		j->size = size;
	}
	size_t at = hash & (j->size - 1);
	for (; j->items[at].blocks != NULL; at = (at + 1) & (j->size - 1)) {
		const struct item *t = &j->items[at];
		if (t->hash == hash && t->length == length && t->exit == exit &&
		    memcmp(t->blocks, blocks, length * sizeof *blocks) == 0)
			return &j->items[at];
	}
	struct item *t = &j->items[at];
	*t = (struct item){.hash = hash, .length = length, .exit = exit, .function = j->function_of[blocks[0]]};
	t->blocks = must(malloc((length + 1) * sizeof *blocks));
	memcpy(t->blocks, blocks, length * sizeof *blocks);
	j->used++;
	return t;
}

static void add(struct judge *j, struct call *call, uint32_t block)
{
	(void)j;
	if (call->length == call->size) {
		call->size = call->size == 0 ? 64 : 2 * call->size;
		call->blocks = must(realloc(call->blocks, call->size * sizeof *call->blocks));
	}
	call->blocks[call->length++] = block;
}

static void end(struct judge *j, struct call *call, uint32_t exit)
{
	if (exit != GRAPH_NONE)
		j->edge_counts[exit]++;
	if (call->function != GRAPH_NONE && call->length > 0)
		find(j, call->blocks, call->length, exit)->count++;
	call->length = 0;
}

static uint32_t block_at(const struct judge *j, uint64_t pc)
{
	return pc < j->base || pc - j->base >= j->span ? 0 : j->starts[(pc - j->base) / 2];
}

static void begin(struct judge *j, struct call *call, uint64_t pc)
{
	uint32_t block = block_at(j, pc);
	call->function = GRAPH_NONE;
	call->length = 0;
	if (block == 0 || (j->map->blocks[block - 1].flags & MAP_ROOT) == 0)
		return;
	call->block = block - 1;
	call->function = j->function_of[block - 1];
	add(j, call, block - 1);
	j->block_counts[block - 1]++;
	if (j->regions != NULL)
		judge_regions_enter(j->regions, &call->nest, block - 1);
	j->into_counts[block - 1]++;
}

static void enter(struct judge *j, uint64_t pc)
{
	if (j->depth == j->call_size) {
		size_t size = j->call_size == 0 ? 64 : 2 * j->call_size;
		j->calls = must(realloc(j->calls, size * sizeof *j->calls));
		memset(j->calls + j->call_size, 0, (size - j->call_size) * sizeof *j->calls);
		j->call_size = size;
	}
	begin(j, &j->calls[j->depth++], pc);
}

/* Over one edge of the graph. */
static void over(struct judge *j, struct call *call, uint32_t e)
{
	const struct map_function *f = &j->map->functions[call->function];
	uint32_t to = f->blocks + j->map->edges[e].to;
	unsigned kind = f->numbering.kind[e - f->edges];
	if (j->regions != NULL)
		judge_regions_edge(j->regions, call->nest, call->block, e);
	j->edge_counts[e]++;
	if (kind == NUMBERING_SELF)
		j->self_counts[e]++;
	else if (kind != NUMBERING_PLAIN) {
		end(j, call, GRAPH_NONE);
		add(j, call, to);
	} else
		add(j, call, to);
	call->block = to;
}

/* From the end of the frame's block to pc, in the same function: false if there is no such edge. */
static bool go(struct judge *j, struct call *call, uint64_t pc)
{
	uint32_t to = block_at(j, pc);
	if (call->function == GRAPH_NONE)
		return true;
	const struct map_function *f = &j->map->functions[call->function];
	const struct map_block *from = &j->map->blocks[call->block];
	if (to == 0 || j->function_of[to - 1] != call->function)
		return false;
	for (uint32_t e = from->edges; e < from->edges + from->edge_count; e++) {
		const struct graph_edge *edge = &j->map->edges[e];
		if (edge->to == GRAPH_NONE)
			continue;
		if (f->blocks + edge->to == to - 1) {
			over(j, call, e);
			j->block_counts[to - 1]++;
			return true;
		}
		if (edge->kind != GRAPH_INTO)
			continue;
		const struct map_block *table = &j->map->blocks[f->blocks + edge->to];
		for (uint32_t t = table->edges; t < table->edges + table->edge_count; t++) {
			if (f->blocks + j->map->edges[t].to != to - 1)
				continue;
			over(j, call, e);
			over(j, call, t);
			j->block_counts[to - 1]++;
			return true;
		}
	}
	return false;
}

static uint32_t exit_edge(const struct judge *j, const struct call *call, uint64_t pc)
{
	if (call->function == GRAPH_NONE)
		return GRAPH_NONE;
	const struct map_block *from = &j->map->blocks[call->block];
	bool falls = pc == j->pc + j->insn.length && (j->insn.class_bits & (ISA_JUMP | ISA_INDIRECT)) == 0;
	uint32_t found = GRAPH_NONE;
	for (uint32_t e = from->edges; e < from->edges + from->edge_count; e++) {
		const struct graph_edge *edge = &j->map->edges[e];
		if (edge->to == GRAPH_NONE && (found == GRAPH_NONE || (edge->kind == GRAPH_TAIL_FALL) == falls))
			found = e;
	}
	return found;
}

static void leave(struct judge *j, struct call *call, uint64_t pc)
{
	if (call->function == GRAPH_NONE)
		return;
	if (j->regions != NULL)
		judge_regions_edge(j->regions, call->nest, call->block, exit_edge(j, call, pc));
	end(j, call, exit_edge(j, call, pc));
}

static void step(struct judge *j, uint64_t pc)
{
	struct call *call = j->depth > 0 ? &j->calls[j->depth - 1] : NULL;
	unsigned bits = j->insn.class_bits;
	if (!j->running || call == NULL)
		enter(j, pc);
	else if ((bits & ISA_CALL) != 0) {
		call->back = j->pc + j->insn.length;
		enter(j, pc);
	} else if ((bits & ISA_RETURN) != 0) {
		leave(j, call, pc);
		j->depth--;
		if (j->depth > 0 && j->calls[j->depth - 1].back == pc) {
			call = &j->calls[j->depth - 1];
			uint32_t to = block_at(j, pc);
			if (to != 0 && call->function != GRAPH_NONE && j->function_of[to - 1] == call->function &&
			    !go(j, call, pc))
				j->strange++;
		} else if (j->depth > 0)
			j->strange += j->calls[j->depth - 1].function != GRAPH_NONE;
	} else if ((bits & ISA_BRANCH) != 0 && block_at(j, pc) == 0 && pc == j->pc + j->insn.length) {
		/* padding that the linker left before a label: the label comes */
	} else if ((bits & (ISA_JUMP | ISA_BRANCH | ISA_INDIRECT)) != 0 || block_at(j, pc) != 0) {
		bool inside = call->function != GRAPH_NONE && block_at(j, pc) != 0 &&
			      j->function_of[block_at(j, pc) - 1] == call->function && go(j, call, pc);
		if (!inside && (call->function != GRAPH_NONE || block_at(j, pc) != 0)) {
			leave(j, call, pc);
			begin(j, call, pc);
		}
	}
	j->running = true;
	j->pc = pc;
	j->insns++;
	image_insn(j->image, pc, 0, &j->insn);
}

static int visit(void *context, const struct walk_visit *v)
{
	uint64_t pcs[WALK_BLOCK_HALVES];
	walk_block_pcs(v->block, v->count, pcs);
	for (uint32_t i = 0; i < v->count; i++)
		step(context, pcs[i]);
	return 0;
}

static void on_record(void *context, const struct record *record)
{
	struct judge *j = context;
	const struct trace *trace = model_trace(j->model);
	if (j->walk == NULL) {
		const struct walk_config config = {
		    .hist = trace->config.hist, .ctrl = trace->ctrl, .insn_bits = trace->config.insn_bits};
		if (walk_open(&j->walk, j->image, &config) != WALK_OK)
			must(NULL);
	}
	uint64_t times = record->count > 0 ? record->count : 1;
	for (uint64_t i = 0; i < times; i++) {
		uint64_t at;
		int error = walk_record(j->walk, record, visit, j, &at);
		if (error < 0 && j->strange++ < 3)
			fprintf(stderr, "insert-judge: 0x%08" PRIx64 ": %s\n", at, walk_strerror(error));
	}
}

static struct map *read_map(const char *path)
{
	struct map *map = NULL;
	elf_version(EV_CURRENT);
	int fd = open(path, O_RDONLY);
	Elf *elf = elf_begin(fd, ELF_C_READ, NULL);
	size_t names;
	elf_getshdrstrndx(elf, &names);
	for (Elf_Scn *scn = NULL; (scn = elf_nextscn(elf, scn)) != NULL;) {
		GElf_Shdr header;
		gelf_getshdr(scn, &header);
		Elf_Data *data = elf_rawdata(scn, NULL);
		const char *name = elf_strptr(elf, names, header.sh_name);
		if (data != NULL && name != NULL && strcmp(name, ".debug_rivulet") == 0)
			map_open(&map, data->d_buf, data->d_size);
	}
	elf_end(elf);
	close(fd);
	return map;
}

static void read_profile(struct profile *profile, const char *path)
{
	static struct profile_reader reader;
	uint8_t bytes[4096];
	size_t got;
	FILE *file = fopen(path, "rb");
	if (file == NULL) {
		fprintf(stderr, "insert-judge: %s cannot be read\n", path);
		exit(2);
	}
	profile_init(profile);
	profile_reader_init(&reader, profile);
	while ((got = fread(bytes, 1, sizeof bytes, file)) > 0)
		profile_feed(&reader, bytes, got);
	profile_finish(&reader);
	fclose(file);
	if (reader.damage_count > 0) {
		char text[256];
		damage_describe(&reader.damage[0], text, sizeof text);
		fprintf(stderr, "insert-judge: %s: %s\n", path, text);
		exit(2);
	}
}

static void show(const struct judge *j, const struct item *t)
{
	const struct map_function *f = &j->map->functions[t->function];
	fprintf(stderr, "insert-judge: %s (%s):", f->name, j->map->objects[f->object].name);
	for (uint32_t i = 0; i < t->length && i < 20; i++)
		fprintf(stderr, " %" PRIx64, j->map->blocks[t->blocks[i]].first);
	fprintf(stderr, "%s: %" PRIu64 " by records, %" PRIu64 " by counters\n",
	    t->exit == GRAPH_NONE ? " back" : " exit", t->count, t->counted);
}

/* Whether the function of an edge has counters. */
static bool counted_edge(const struct map *m, size_t edge)
{
	for (size_t i = 0; i < m->function_count; i++) {
		const struct map_function *f = &m->functions[i];
		if (edge >= f->edges && edge < f->edges + f->edge_count)
			return (f->flags & MAP_COUNTED) != 0;
	}
	return false;
}

/* Counts of the edges without counters, by what goes in and out of each vertex: as long as one of them is left. */
static void solve(
    const struct map *m, const struct map_function *f, uint64_t *edges, uint64_t *intos, bool *known, bool *known_into)
{
	uint64_t calls = 0;
	bool calls_known = false, more = true;
	while (more) {
		more = false;
		for (uint32_t b = f->blocks; b <= f->blocks + f->block_count + 1; b++) {
			bool outside = b >= f->blocks + f->block_count, entry = b == f->blocks + f->block_count;
			uint64_t in = 0, out = 0, *open = NULL;
			bool *state = NULL, opens_in = false;
			unsigned left = 0;
			/* EXIT -> ENTRY */
			if (outside && calls_known)
				*(entry ? &in : &out) += calls;
			else if (outside) {
				left++;
				open = &calls;
				state = &calls_known;
				opens_in = entry;
			}
			for (uint32_t v = f->blocks; v < f->blocks + f->block_count; v++) {
				if ((m->blocks[v].flags & MAP_ROOT) == 0 || !(entry || v == b))
					continue;
				if (known_into[v])
					*(entry ? &out : &in) += intos[v];
				else {
					left++;
					open = &intos[v];
					state = &known_into[v];
					opens_in = !entry;
				}
			}
			for (uint32_t v = f->blocks; v < f->blocks + f->block_count && !entry; v++) {
				for (uint32_t e = m->blocks[v].edges; e < m->blocks[v].edges + m->blocks[v].edge_count;
				     e++) {
					uint32_t to = m->edges[e].to == GRAPH_NONE ? f->blocks + f->block_count + 1
										   : f->blocks + m->edges[e].to;
					for (int way = 0; way < 2; way++) {
						if ((way == 0 ? to : v) != b)
							continue;
						if (known[e])
							*(way == 0 ? &in : &out) += edges[e];
						else {
							left++;
							open = &edges[e];
							state = &known[e];
							opens_in = way == 0;
						}
					}
				}
			}
			if (left != 1)
				continue;
			*open = opens_in ? out - in : in - out;
			*state = more = true;
		}
	}
}

static bool judge_edges(const struct judge *j, const struct map *edited, const uint32_t *edited_of, uint64_t *edges,
    uint64_t *intos, const char *name)
{
	const struct map *m = j->map;
	bool *known = must(calloc(m->edge_count + 1, 1)), *known_into = must(calloc(m->block_count + 1, 1));
	uint64_t wrong = 0, taken = 0, number = 0, counted = 0;
	for (uint32_t i = 0; i < m->function_count; i++) {
		const struct map_function *f = &m->functions[i], *e = &edited->functions[edited_of[i]];
		if (f->address == 0 || (f->flags & MAP_COUNTED) == 0)
			continue;
		for (uint32_t k = 0; k < e->word_count; k++) {
			uint32_t word = edited->words[e->words + k];
			*(word < EDGES_INTO ? &known[f->edges + word] : &known_into[f->blocks + word - EDGES_INTO]) =
			    true;
		}
		for (uint32_t b = f->blocks; b < f->blocks + f->block_count; b++)
			known_into[b] = known_into[b] || (m->blocks[b].flags & MAP_ROOT) == 0;
		counted += e->word_count;
		solve(m, f, edges, intos, known, known_into);
		for (uint32_t b = f->blocks; b < f->blocks + f->block_count; b++) {
			if (intos[b] != j->into_counts[b] && wrong++ < 8)
				fprintf(stderr,
				    "insert-judge: %s, way in: %" PRIu64 " by records, %" PRIu64 " by counters\n",
				    f->name, j->into_counts[b], intos[b]);
		}
		for (uint32_t k = f->edges; k < f->edges + f->edge_count; k++) {
			number += j->edge_counts[k] > 0;
			taken += j->edge_counts[k];
			if ((edges[k] != j->edge_counts[k] || !known[k]) && wrong++ < 8)
				fprintf(stderr,
				    "insert-judge: %s, edge %" PRIu32 ": %" PRIu64 " by records, %" PRIu64
				    " by counters%s\n",
				    f->name, k - f->edges, j->edge_counts[k], edges[k], known[k] ? "" : ", unknown");
		}
	}
	printf("%s: %" PRIu64 " edges, %" PRIu64 " executions, %" PRIu64 " counters; differences: %" PRIu64 "\n", name,
	    number, taken, counted, wrong);
	return wrong == 0 && taken > 0;
}

int main(int argc, char **argv)
{
	struct judge j = {0};
	struct profile profile;
	struct model *model;
	struct model_config config;
	struct run_result result;
	char detail[1024] = "usage: insert-judge TWIN.elf EDITED.elf PROFILE [NAME=VALUE...]";
	model_config_default(&config);
	config.ram_size = 4u << 20;
	if (argc < 4 || image_open(&j.image, argv[1], detail, sizeof detail) != IMAGE_OK ||
	    model_open(&model, &config) != MODEL_OK ||
	    model_load_elf(model, argv[1], detail, sizeof detail) != MODEL_OK ||
	    model_set(model, "way=5", detail, sizeof detail) != MODEL_OK) {
		fprintf(stderr, "insert-judge: %s\n", detail);
		return 2;
	}
	for (int i = 4; i < argc; i++)
		model_set(model, argv[i], detail, sizeof detail);
	j.map = read_map(argv[1]);
	if (j.map == NULL) {
		fprintf(stderr, "insert-judge: %s has no map\n", argv[1]);
		return 2;
	}
	read_profile(&profile, argv[3]);
	struct map *m = j.map, *edited = read_map(argv[2]);
	if (edited == NULL) {
		fprintf(stderr, "insert-judge: %s has no map\n", argv[2]);
		return 2;
	}
	uint32_t *edited_of = must(calloc(m->function_count + 1, sizeof *edited_of));
	/* which counters a function has is for the edited program to say */
	for (size_t i = 0; i < m->object_count; i++) {
		const struct map_object *o = map_object(edited, m->objects[i].id);
		for (uint32_t k = 0; o != NULL && k < o->function_count && k < m->objects[i].function_count; k++) {
			m->functions[m->objects[i].functions + k].first = edited->functions[o->functions + k].first;
			m->functions[m->objects[i].functions + k].flags = edited->functions[o->functions + k].flags;
			m->functions[m->objects[i].functions + k].limit = edited->functions[o->functions + k].limit;
			m->functions[m->objects[i].functions + k].counters =
			    edited->functions[o->functions + k].counters;
			m->functions[m->objects[i].functions + k].words = edited->functions[o->functions + k].words;
			m->functions[m->objects[i].functions + k].word_count =
			    edited->functions[o->functions + k].word_count;
			edited_of[m->objects[i].functions + k] = o->functions + k;
		}
	}
	j.function_of = must(malloc((m->block_count + 1) * sizeof *j.function_of));
	j.block_counts = must(calloc(m->block_count + 1, sizeof *j.block_counts));
	j.self_counts = must(calloc(m->edge_count + 1, sizeof *j.self_counts));
	j.edge_counts = must(calloc(m->edge_count + 1, sizeof *j.edge_counts));
	j.into_counts = must(calloc(m->block_count + 1, sizeof *j.into_counts));
	j.base = 0x80000000u;
	j.span = 4u << 20;
	j.starts = must(calloc(j.span / 2, sizeof *j.starts));
	uint64_t unnumbered = 0;
	for (uint32_t i = 0; i < m->function_count; i++) {
		const struct map_function *f = &m->functions[i];
		for (uint32_t b = f->blocks; b < f->blocks + f->block_count; b++) {
			j.function_of[b] = i;
			if (f->address != 0 && m->blocks[b].first >= j.base && m->blocks[b].first < j.base + j.span)
				j.starts[(m->blocks[b].first - j.base) / 2] = b + 1;
		}
		if (f->address != 0 && map_number(m, i) != MAP_OK)
			unnumbered++;
	}
	m->words = edited->words;
	bool by_region = profile.header.ctrl == INSERT_REGIONS;
	if (by_region)
		j.regions = judge_regions_open(m);
	j.model = model;
	const struct run_hooks hooks = {.context = &j, .record = on_record};
	model_run(model, &hooks, 0, 0, &result);
	if (result.end != RUN_END_EXIT) {
		fprintf(stderr, "insert-judge: the run failed\n");
		return 2;
	}
	/* counters into paths, self loops, blocks */
	uint64_t *self = must(calloc(m->edge_count + 1, sizeof *self)),
		 *blocks = must(calloc(m->block_count + 1, sizeof *blocks));
	uint64_t unknown = 0, skipped = 0, total = 0, in_tables = 0;
	bool by_block = profile.header.ctrl == INSERT_BLOCKS;
	uint64_t *chords = must(calloc(m->edge_count + 1, sizeof *chords)),
		 *intos = must(calloc(m->block_count + 1, sizeof *intos));
	for (size_t s = 0; s < profile.used; s++) {
		const struct record *entry = &profile.entries[s];
		const struct map_object *object = map_object(m, entry->start);
		const struct map_object *of = map_object(edited, entry->start);
		uint64_t index = of == NULL ? 0 : map_counter(edited, of, entry->start, entry->hist - 1);
		bool found = false;
		total += entry->count;
		for (uint32_t i = 0; object != NULL && i < object->function_count && !found; i++) {
			const struct map_function *f = &m->functions[object->functions + i];
			uint64_t end =
			    i + 1 < object->function_count ? m->functions[object->functions + i + 1].first : UINT64_MAX;
			bool hashed = (f->flags & MAP_HASHED) != 0 && index >> MAP_HASH_SHIFT == i + 1;
			if ((index < f->first || index >= end) && !hashed)
				continue;
			if (f->address == 0 || (f->flags & MAP_COUNTED) == 0)
				continue;
			found = true;
			uint64_t number = hashed ? index & UINT32_MAX : index - f->first;
			if ((f->flags & MAP_HASHED) != 0 && !hashed && !by_region) /* of a self loop */
				number += number < map_counted_paths(f) ? 0 : f->numbering.paths - map_counted_paths(f);
			in_tables += hashed ? entry->count : 0;
			if (by_region) {
				unknown += !judge_regions_counter(
				    j.regions, object->functions + i, hashed, number, entry->count);
				continue;
			}
			if (profile.header.ctrl == INSERT_EDGES || by_block) {
				const struct map_function *e = &edited->functions[edited_of[object->functions + i]];
				uint32_t word = number < e->word_count ? edited->words[e->words + number] : UINT32_MAX;
				if (word < EDGES_INTO && word < f->edge_count)
					chords[f->edges + word] = entry->count;
				else if (by_block && word - EDGES_BLOCK < f->block_count)
					blocks[f->blocks + word - EDGES_BLOCK] = entry->count;
				else if (word - EDGES_INTO < f->block_count)
					intos[f->blocks + word - EDGES_INTO] = entry->count;
				else
					unknown++;
				continue;
			}
			if (number >= f->numbering.paths) {
				number -= f->numbering.paths;
				for (uint32_t e = 0; e < f->edge_count; e++) {
					if (f->numbering.kind[e] == NUMBERING_SELF && number-- == 0)
						self[f->edges + e] += entry->count;
				}
				continue;
			}
			struct numbering_path path;
			uint32_t edges[4096], list[4097], length = 0;
			if (numbering_path(&f->numbering, number, &path, edges, 4096) != NUMBERING_OK ||
			    path.length >= 4096) {
				unknown++;
				continue;
			}
			list[length++] = f->blocks + path.first;
			for (uint32_t k = 0; k < path.length; k++)
				list[length++] = f->blocks + m->edges[f->edges + edges[k]].to;
			find(&j, list, length, path.to_exit ? f->edges + path.exit : GRAPH_NONE)->counted +=
			    entry->count;
		}
		unknown += !found;
	}
	if (profile.header.ctrl == INSERT_EDGES)
		return judge_edges(&j, edited, edited_of, chords, intos, argv[1]) && unknown == 0 && j.strange == 0 ? 0
														    : 1;
	uint64_t wrong = 0, paths = 0, executions = 0, turns = 0, block_number = 0;
	if (by_block)
		unknown += judge_blocks_derive(m, edited, edited_of, chords, intos, blocks);
	if (by_region)
		wrong = judge_regions_compare(j.regions, &paths, &executions, &turns, &skipped);
	for (size_t i = 0; i < j.size && !by_block && !by_region; i++) {
		const struct item *t = &j.items[i];
		if (t->blocks == NULL)
			continue;
		if ((m->functions[t->function].flags & MAP_COUNTED) == 0) {
			skipped += t->count;
			continue;
		}
		paths++;
		executions += t->count;
		if (t->count != t->counted && wrong++ < 8)
			show(&j, t);
	}
	for (size_t e = 0; e < m->edge_count && !by_block && !by_region; e++) {
		turns += self[e];
		if (self[e] != j.self_counts[e] && counted_edge(m, e) && wrong++ < 8)
			fprintf(stderr, "insert-judge: a self loop: %" PRIu64 " by records, %" PRIu64 " by counters\n",
			    j.self_counts[e], self[e]);
	}
	for (size_t b = 0; b < m->block_count && by_block; b++) {
		block_number += j.block_counts[b] > 0;
		executions += j.block_counts[b];
		bool code = (m->blocks[b].flags & MAP_TABLE) == 0; /* records know of no tables */
		if (code && blocks[b] != j.block_counts[b] &&
		    (m->functions[j.function_of[b]].flags & MAP_COUNTED) != 0 && wrong++ < 8)
			fprintf(stderr,
			    "insert-judge: %s, block 0x%" PRIx64 ": %" PRIu64 " by records, %" PRIu64 " by counters\n",
			    m->functions[j.function_of[b]].name, m->blocks[b].first, j.block_counts[b], blocks[b]);
	}
	printf("%s: %" PRIu64 " %s, %" PRIu64 " executions, %" PRIu64 " turns%s, %" PRIu64
	       " in functions without counters, %" PRIu64 " in hash tables; differences: %" PRIu64 "%s\n",
	    argv[1], by_block ? block_number : paths,
	    by_block    ? "blocks"
	    : by_region ? "paths of regions"
			: "paths",
	    executions, turns, by_region ? "" : " of self loops", skipped, in_tables, wrong,
	    unknown > 0 || j.strange > 0 || unnumbered > 0 ? " (and counters or transfers that are unknown)" : "");
	if (unknown > 0 || j.strange > 0)
		fprintf(stderr, "insert-judge: %" PRIu64 " counters unknown, %" PRIu64 " transfers not understood\n",
		    unknown, j.strange);
	return wrong == 0 && unknown == 0 && j.strange == 0 && executions > 0 ? 0 : 1;
}
