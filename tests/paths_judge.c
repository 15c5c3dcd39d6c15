/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/*
 * Holds the path profile made from the trace unit's records against one made from every retired instruction.
 *
 *   golden model ──► records ──► walk ──► frames and sums ──► numbers ──► paths regenerated ──┐
 *                └─► retired pcs ──► the list of blocks of each path, as it is ───────────────┴── equal, count by
 * count?
 *
 * The judge keeps paths as lists of blocks and knows neither edge values nor sums; of the numbering it takes only which
 * edges are cut (where paths end by definition). Each instruction has the cycles since the one before it was retired;
 * they are the path's of its function that is open then. Usage: paths-judge [-l] PROGRAM.elf [NAME=VALUE...]
 *   -l  nothing is compared: a line for each path, for `rivulet paths --json` with --regions=all and without
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "isa/isa.h"
#include "host/paths/feed.h"
#include "host/walk/follow.h"
#include "host/regions/find.h"
#include "host/regions/profile.h"
#include "model/run.h"
#include "tests/paths_table.h"

struct open { /* the path of a region so far: nodes, as regions.h counts them */
	uint32_t region, *nodes, length, size;
	uint64_t cycles;
	bool begins;
};

struct call { /* a function under way */
	uint32_t *blocks;
	uint32_t length, size, back;
	bool begins, dead, turning; /* turning: this is a turn of a self loop */
	uint64_t cycles;
	struct open open[REGIONS_DEPTH_MAX + 2]; /* of the function `of`, outermost region first */
	uint32_t depth, of;
};

struct judge {
	const struct cfg *cfg;
	const struct paths *paths;
	const struct model *model;
	struct paths_feed feed;
	struct table by_path, by_region; /* by_region: function, region, nodes */
	struct regions_profile *regions;
	struct call *calls;
	size_t depth, call_size;
	uint32_t pc;          /* of the instruction before */
	struct isa_insn insn; /* it */
	bool running;
	uint64_t last; /* cycle of the last retirement */
	uint64_t cycles, self_cycles;
	uint64_t held, differ, difference; /* paths whose cycles were compared; how many differ, and by how much */
	struct profile profile;            /* the same records, without their order */
	uint64_t insns, strange;
	int error;
};

static void end(struct judge *j, struct call *call, bool ends, uint32_t exit)
{
	if (!call->dead && call->length > 0) {
		struct item *item = find(&j->by_path, call->blocks, call->length, call->begins, ends, exit);
		item->count++;
		item->cycles += call->cycles;
	}
	call->length = 0;
	call->dead = true;
}

static void add_block(struct judge *j, uint32_t block)
{
	struct call *call = &j->calls[j->depth - 1];
	if (call->length == call->size) {
		call->size = call->size == 0 ? 64 : 2 * call->size;
		call->blocks = must(realloc(call->blocks, call->size * sizeof *call->blocks));
	}
	call->blocks[call->length++] = block;
}

/* ---- the paths of regions */

static void end_region(struct judge *j, const struct call *call, struct open *o, bool ends)
{
	uint32_t list[1024], length = 0;
	list[length++] = o->region;
	for (uint32_t i = 0; i < o->length; i++) {
		if (length == 1024) {
			j->strange++;
			return;
		}
		list[length++] = o->nodes[i];
	}
	struct item *item = find(&j->by_region, list, length, o->begins, ends, call->of);
	item->count++;
	item->cycles += o->cycles;
	o->length = 0;
	o->cycles = 0;
}

static void add_node(struct open *o, uint32_t node)
{
	if (o->length == o->size) {
		o->size = o->size == 0 ? 16 : 2 * o->size;
		o->nodes = must(realloc(o->nodes, o->size * sizeof *o->nodes));
	}
	o->nodes[o->length++] = node;
}

static bool holds(const struct regions *r, uint32_t region, uint32_t vertex)
{
	uint32_t q = r->of[vertex];
	while (q != region && q != 0)
		q = r->all[q].parent;
	return q == region;
}

/* Opens the regions around a block that are not open. */
static void open_regions(struct call *call, const struct regions *r, uint32_t vertex, bool begins)
{
	for (uint32_t i = 0; i < r->count; i++) { /* outer ones come first */
		if (!holds(r, i, vertex) || (call->depth > 0 && i <= call->open[call->depth - 1].region))
			continue;
		struct open *o = &call->open[call->depth++];
		o->region = i;
		o->length = 0;
		o->cycles = 0;
		o->begins = begins;
		add_node(o, regions_node_of(r, i, vertex));
	}
}

/* Over an edge; to CFG_NONE: out of the function. */
static void go_regions(struct judge *j, struct call *call, uint32_t e, uint32_t to)
{
	const struct cfg_function *f = &j->cfg->functions[call->of];
	const struct regions *r = regions_profile_regions(j->regions, call->of);
	while (call->depth > 0 && (to == CFG_NONE || !holds(r, call->open[call->depth - 1].region, to - f->blocks)))
		end_region(j, call, &call->open[--call->depth], true);
	if (call->depth == 0)
		return;
	struct open *o = &call->open[call->depth - 1];
	uint32_t local = r->local[e - j->cfg->blocks[f->blocks].edges];
	if (local == REGIONS_NONE || r->all[o->region].numbering.kind[local] != NUMBERING_PLAIN) {
		end_region(j, call, o, true);
		o->begins = true;
	}
	add_node(o, regions_node_of(r, o->region, to - f->blocks));
	open_regions(call, r, to - f->blocks, true);
}

static void begin_regions(struct judge *j, struct call *call, uint32_t block, bool begins)
{
	while (call->depth > 0) /* it was lost */
		end_region(j, call, &call->open[--call->depth], false);
	call->of = j->cfg->blocks[block].function;
	const struct cfg_function *f = &j->cfg->functions[call->of];
	open_regions(call, regions_profile_regions(j->regions, call->of), block - f->blocks,
	    begins && (block == f->entry || j->cfg->blocks[block].root));
}

static void begin(struct judge *j, uint32_t pc, bool begins)
{
	struct call *call = &j->calls[j->depth - 1];
	call->begins = begins;
	call->dead = call->turning = false;
	call->length = 0;
	call->cycles = 0;
	add_block(j, cfg_block_at(j->cfg, pc));
}

static void enter(struct judge *j, uint32_t pc, bool begins)
{
	if (j->depth == j->call_size) {
		size_t size = j->call_size == 0 ? 64 : 2 * j->call_size;
		j->calls = must(realloc(j->calls, size * sizeof *j->calls));
		memset(j->calls + j->call_size, 0, (size - j->call_size) * sizeof *j->calls);
		j->call_size = size;
	}
	j->depth++;
	j->calls[j->depth - 1].depth = 0;
	begin(j, pc, begins);
	begin_regions(j, &j->calls[j->depth - 1], cfg_block_at(j->cfg, pc), begins);
}

static uint32_t edge_to(const struct judge *j, uint32_t from, uint32_t to, unsigned kind)
{
	const struct cfg_block *block = &j->cfg->blocks[from];
	for (uint32_t e = block->edges; e < block->edges + block->edge_count; e++) {
		if (j->cfg->edges[e].to == to && (to != CFG_NONE || j->cfg->edges[e].kind == kind))
			return e;
	}
	return CFG_NONE;
}

/* Within a function: to the block that begins at pc. */
static void go(struct judge *j, uint32_t pc)
{
	struct call *call = &j->calls[j->depth - 1];
	uint32_t from = call->length > 0 ? call->blocks[call->length - 1] : CFG_NONE, to = cfg_block_at(j->cfg, pc);
	if (from == CFG_NONE || to == CFG_NONE || j->cfg->blocks[to].start != pc) {
		j->strange++;
		return;
	}
	uint32_t e = edge_to(j, from, to, 0), function = j->cfg->blocks[from].function;
	if (e == CFG_NONE) {
		fprintf(stderr, "paths-judge: no edge from 0x%08" PRIx32 " to 0x%08" PRIx32 "\n", j->pc, pc);
		j->strange++;
		return;
	}
	const struct numbering *n = paths_numbering(j->paths, function);
	unsigned kind = n->kind[e - j->cfg->blocks[j->cfg->functions[function].blocks].edges];
	go_regions(j, call, e, to);
	call->turning = kind == NUMBERING_SELF;
	if (kind == NUMBERING_PLAIN)
		add_block(j, to);
	else if (kind != NUMBERING_SELF) {
		end(j, call, true, CFG_NONE);
		begin(j, pc, true);
	}
}

static void step(struct judge *j, uint32_t pc)
{
	const struct isa_insn *before = &j->insn;
	struct call *call = j->depth > 0 ? &j->calls[j->depth - 1] : NULL;
	uint32_t behind = j->pc + before->length,
		 own = call != NULL && call->length > 0 ? call->blocks[call->length - 1] : CFG_NONE;
	unsigned bits = before->class_bits;
	if (!j->running)
		enter(j, pc, false);
	else if ((bits & ISA_CALL) != 0) {
		uint32_t exit = edge_to(j, own, CFG_NONE, CFG_NO_RETURN);
		if (exit != CFG_NONE) {
			end(j, call, true, exit);
			go_regions(j, call, exit, CFG_NONE);
		}
		call->back = behind;
		enter(j, pc, true);
	} else if ((bits & ISA_RETURN) != 0) {
		end(j, call, true, edge_to(j, own, CFG_NONE, CFG_RETURN));
		go_regions(j, call, 0, CFG_NONE);
		j->depth--;
		if (j->depth == 0)
			enter(j, pc, false);
		else if (j->calls[j->depth - 1].back != pc) {
			fprintf(stderr, "paths-judge: return to 0x%08" PRIx32 "\n", pc);
			j->strange++;
		} else
			go(j, pc);
	} else if ((bits & (ISA_JUMP | ISA_BRANCH | ISA_INDIRECT)) != 0 || cfg_block_at(j->cfg, pc) != own) {
		uint32_t function = cfg_function_at(j->cfg, pc);
		if (function != CFG_NONE && function != j->cfg->blocks[own].function) {
			uint32_t exit = CFG_NONE;
			const struct cfg_block *block = &j->cfg->blocks[own];
			for (uint32_t e = block->edges; e < block->edges + block->edge_count; e++) {
				const struct cfg_edge *edge = &j->cfg->edges[e];
				if ((edge->kind == CFG_TAIL && edge->target == pc) || edge->kind == CFG_TAIL_INDIRECT)
					exit = e;
			}
			j->strange += exit == CFG_NONE;
			end(j, call, true, exit);
			go_regions(j, call, 0, CFG_NONE);
			begin(j, pc, true);
			begin_regions(j, call, cfg_block_at(j->cfg, pc), true);
		} else
			go(j, pc);
	}
	j->running = true;
	j->pc = pc;
	j->insns++;
}

static void on_retire(void *context, const struct model_out *out)
{
	struct judge *j = context;
	const struct trace *trace = model_trace(j->model);
	uint64_t took = out->cycle - j->last;
	j->last = out->cycle;
	if (!follow_taken(trace))
		return;
	/* the unit counts from the cycle behind that of the write which switches it on: the write's own last */
	took -= !j->running;
	step(j, (uint32_t)trace->s.pc);
	struct call *call = &j->calls[j->depth - 1];
	j->cycles += took;
	if (call->turning)
		j->self_cycles += took;
	else if (!call->dead)
		call->cycles += took;
	if (call->depth > 0)
		call->open[call->depth - 1].cycles += took;
	isa_decode(trace->s.insn, ISA_CORE, &j->insn);
}

static void on_record(void *context, const struct record *record)
{
	struct judge *j = context;
	const struct trace *trace = model_trace(j->model);
	const struct walk_config config = {
	    .hist = trace->config.hist, .ctrl = trace->ctrl, .insn_bits = trace->config.insn_bits};
	if (profile_add(&j->profile, record) != PROFILE_OK)
		must(NULL);
	j->profile.header.hist = trace->config.hist;
	/* as `rivulet paths' feeds it: each pair of record and frames once */
	uint32_t key;
	if (j->error == PATHS_OK)
		j->error = paths_feed_key(&j->feed, record, &config, &key);
	if (j->error == PATHS_OK)
		j->error = paths_feed_keyed(&j->feed, key, record->cycles, 0);
}

/* What a profile without order gives: the same executions of blocks, no more executions of a whole path or an edge than
 * there were. */
static uint64_t compare_unordered(
    struct judge *j, const struct image *image, const uint64_t *blocks, const uint64_t *edges)
{
	const struct cfg *cfg = j->cfg;
	struct paths *paths;
	struct paths_feed feed;
	struct paths_entry *entries, *exact;
	size_t count, exact_count, at = 0;
	uint64_t wrong = 0, whole = 0, found = 0, executions = 0;
	uint64_t *block_counts = must(malloc((cfg->counts.blocks + 1) * sizeof *block_counts));
	uint64_t *edge_counts = must(malloc((cfg->counts.edges + 1) * sizeof *edge_counts));
	if (paths_open(&paths, cfg, 0) != PATHS_OK)
		must(NULL);
	paths_feed_open(&feed, paths, image);
	if (paths_feed_profile(&feed, &j->profile) != PATHS_OK || paths_finish(paths) != PATHS_OK ||
	    paths_list(paths, &entries, &count) != PATHS_OK || paths_list(j->paths, &exact, &exact_count) != PATHS_OK ||
	    paths_block_profile(paths, entries, count, block_counts, edge_counts) != PATHS_OK)
		must(NULL);
	for (size_t i = 0; i < exact_count; i++)
		executions += paths_whole(&exact[i]) ? exact[i].count : 0;
	for (size_t i = 0; i < count; i++) {
		const struct paths_entry *e = &entries[i];
		if (!paths_whole(e))
			continue;
		while (at < exact_count && (exact[at].function < e->function ||
					       (exact[at].function == e->function && exact[at].number < e->number)))
			at++;
		bool there = at < exact_count && exact[at].function == e->function && exact[at].number == e->number;
		if (!there || exact[at].count < e->count) {
			if (wrong++ < 5)
				fprintf(stderr,
				    "paths-judge: function %u, path %" PRIu64 ": %" PRIu64
				    " by single records, %" PRIu64 " executed\n",
				    e->function, e->number, e->count, there ? exact[at].count : 0);
		}
		whole++;
		found += e->count;
	}
	for (uint32_t b = 0; b < cfg->counts.blocks; b++) {
		if (block_counts[b] != blocks[b] && wrong++ < 5)
			fprintf(stderr,
			    "paths-judge: block 0x%08" PRIx64 ": %" PRIu64 " by single records, %" PRIu64 " executed\n",
			    cfg->blocks[b].start, block_counts[b], blocks[b]);
	}
	for (uint32_t e = 0; e < cfg->counts.edges; e++)
		wrong += edge_counts[e] > edges[e];
	printf("%s: single records show %" PRIu64 " of these paths whole, %.1f%% of the executions\n",
	    image_path(image), whole, 100 * (double)found / (double)executions);
	paths_feed_close(&feed);
	paths_close(paths);
	free(entries);
	free(exact);
	free(block_counts);
	free(edge_counts);
	return wrong;
}

/* Cycles of all executions of a path. They may differ where several instructions of one trace vary. */
static void hold_cycles(
    struct judge *j, uint32_t function, uint64_t region, uint64_t number, uint64_t golden, uint64_t spent)
{
	char name[CFG_NAME];
	j->held++;
	if (golden == spent)
		return;
	j->differ++;
	j->difference += golden > spent ? golden - spent : spent - golden;
	if (getenv("PATHS_CYCLES") != NULL)
		fprintf(stderr,
		    "paths-judge: %s, region %" PRId64 ", path %" PRId64 ": %" PRIu64 " cycles, by records %" PRIu64
		    "\n",
		    cfg_function_name(j->cfg, function, name), (int64_t)region, (int64_t)number, golden, spent);
}

/* Every entry must be in the judge's table with the same count, and nothing else be there. */
static uint64_t compare(struct judge *j)
{
	struct paths_entry *entries;
	size_t count, longest = 1;
	uint64_t wrong = 0, whole = 0, executions = 0;
	const struct cfg *cfg = j->cfg;
	for (uint32_t i = 0; i < cfg->counts.functions; i++)
		longest = cfg->functions[i].block_count > longest ? cfg->functions[i].block_count : longest;
	uint32_t *edges = must(malloc(longest * sizeof *edges)), *blocks = must(malloc((longest + 1) * sizeof *blocks));
	if (paths_list(j->paths, &entries, &count) != PATHS_OK)
		must(NULL);
	for (size_t i = 0; i < count; i++) {
		const struct paths_entry *e = &entries[i];
		size_t length;
		uint32_t exit;
		if (paths_edges(j->paths, e, edges, longest, &length, &exit) != NUMBERING_OK || length >= longest + 1) {
			fprintf(stderr, "paths-judge: entry %zu cannot be regenerated\n", i);
			wrong++;
			continue;
		}
		blocks[0] = e->from;
		for (size_t k = 0; k < length; k++)
			blocks[k + 1] = cfg->edges[edges[k]].to;
		struct item *item = find(&j->by_path, blocks, (uint32_t)length + 1, e->begins, e->to == CFG_NONE, exit);
		if (item->count != e->count && wrong++ < 5) {
			char name[CFG_NAME];
			fprintf(stderr,
			    "paths-judge: %s, path %" PRIu64 " of %zu blocks from 0x%08" PRIx64 "%s%s: %" PRIu64
			    " by records, %" PRIu64 " by instructions\n",
			    cfg_function_name(cfg, e->function, name), e->number, length + 1,
			    cfg->blocks[e->from].start, e->begins ? ", begins" : "", e->to == CFG_NONE ? ", ends" : "",
			    e->count, item->count);
		}
		hold_cycles(j, e->function, NUMBERING_NONE, e->number, item->cycles, e->spent);
		item->count = 0;
		whole += paths_whole(e);
		executions += paths_whole(e) ? e->count : 0;
	}
	for (size_t i = 0; i < j->by_path.size; i++) {
		const struct item *t = &j->by_path.table[i];
		if (t->blocks != NULL && t->count > 0 && wrong++ < 5)
			fprintf(stderr,
			    "paths-judge: %" PRIu64 " executions of a path of %u blocks from 0x%08" PRIx64
			    " to 0x%08" PRIx64 "%s%s are not in the profile\n",
			    t->count, t->length, cfg->blocks[t->blocks[0]].start,
			    cfg->blocks[t->blocks[t->length - 1]].start, t->begins ? ", begins" : "",
			    t->ends ? ", ends" : "");
	}
	/* every instruction is in exactly one path, piece or self loop */
	uint64_t *block_counts = must(malloc((cfg->counts.blocks + 1) * sizeof *block_counts));
	uint64_t *edge_counts = must(malloc((cfg->counts.edges + 1) * sizeof *edge_counts)), insns = 0;
	if (paths_block_profile(j->paths, entries, count, block_counts, edge_counts) != PATHS_OK)
		must(NULL);
	for (uint32_t b = 0; b < cfg->counts.blocks; b++)
		insns += block_counts[b] * cfg->blocks[b].insns;
	const struct paths_counts *c = paths_counts(j->paths);
	if (insns + c->again - c->skipped != j->insns) {
		fprintf(stderr, "paths-judge: the paths have %" PRIu64 " instructions, %" PRIu64 " were executed\n",
		    insns + c->again - c->skipped, j->insns);
		wrong++;
	}
	printf("%s: %" PRIu64 " paths, %" PRIu64 " executions of them, %zu pieces, %" PRIu64
	       " turns of self loops, %" PRIu64 " instructions: %s\n",
	    image_path(cfg->image), whole, executions, count - (size_t)whole, c->self, j->insns,
	    wrong == 0 ? "equal" : "DIFFERENT");
	if (getenv("PATHS_LIMIT") == NULL)
		wrong += compare_unordered(j, cfg->image, block_counts, edge_counts);
	free(block_counts);
	free(edge_counts);
	free(entries);
	free(edges);
	free(blocks);
	return wrong;
}

static int choose(void *context, uint32_t function, struct regions *regions)
{
	(void)context;
	(void)function;
	return regions_find(regions, REGIONS_FIND_LOOPS | REGIONS_FIND_HAMMOCKS, NULL);
}

/* Every path of every region, with the same count, and nothing else. */
static uint64_t compare_regions(struct judge *j)
{
	struct regions_entry *entries;
	size_t count;
	uint64_t wrong = 0, executions = 0, whole = 0;
	char name[CFG_NAME];
	if (regions_profile_list(j->regions, &entries, &count) != REGIONS_OK)
		must(NULL);
	for (size_t i = 0; i < count; i++) {
		const struct regions_entry *e = &entries[i];
		uint32_t list[1024] = {e->region}, length;
		length = regions_profile_nodes(j->regions, e, list + 1, 1023);
		if (length == 0 || length > 1023) {
			wrong++;
			continue;
		}
		struct item *item =
		    find(&j->by_region, list, length + 1, e->begins, e->to == REGIONS_NONE, e->function);
		if (item->count != e->count && wrong++ < 5)
			fprintf(stderr,
			    "paths-judge: %s, region %" PRIu32 ", path %" PRIu64 " of %" PRIu32 " nodes: %" PRIu64
			    " by records, %" PRIu64 " by instructions\n",
			    cfg_function_name(j->cfg, e->function, name), e->region, e->number, length, e->count,
			    item->count);
		hold_cycles(j, e->function, e->region, e->number, item->cycles, e->spent);
		item->count = 0;
		whole += e->number != NUMBERING_NONE;
		executions += e->count;
	}
	for (size_t i = 0; i < j->by_region.size; i++) {
		const struct item *t = &j->by_region.table[i];
		if (t->blocks != NULL && t->count > 0 && wrong++ < 5)
			fprintf(stderr,
			    "paths-judge: %s, region %" PRIu32 ": %" PRIu64 " executions of a path of %" PRIu32
			    " nodes from %" PRIu32 "%s%s are not in the profile\n",
			    cfg_function_name(j->cfg, t->exit, name), t->blocks[0], t->count, t->length - 1,
			    t->blocks[1], t->begins ? ", begins" : "", t->ends ? ", ends" : "");
	}
	printf("%s: %" PRIu64 " paths of regions, %" PRIu64 " executions of them: %s\n", image_path(j->cfg->image),
	    whole, executions, wrong == 0 ? "equal" : "DIFFERENT");
	free(entries);
	return wrong + (whole == 0);
}

static void list(const struct judge *j)
{
	for (size_t i = 0; i < j->by_path.size; i++) {
		const struct item *t = &j->by_path.table[i];
		if (t->blocks == NULL)
			continue;
		printf("path %u %s %s %" PRIu64 " %" PRIu64, j->cfg->blocks[t->blocks[0]].function,
		    t->begins ? "true" : "false",
		    !t->ends              ? "null"
		    : t->exit == CFG_NONE ? "back"
					  : cfg_edge_name(j->cfg->edges[t->exit].kind),
		    t->count, t->cycles);
		for (uint32_t k = 0; k < t->length; k++)
			printf(" %" PRIu64, j->cfg->blocks[t->blocks[k]].start);
		printf("\n");
	}
	for (size_t i = 0; i < j->by_region.size; i++) {
		const struct item *t = &j->by_region.table[i];
		if (t->blocks == NULL)
			continue;
		const struct regions *r = regions_profile_regions(j->regions, t->exit);
		printf("region %u %u %s %s %" PRIu64 " %" PRIu64, t->exit, t->blocks[0], t->begins ? "true" : "false",
		    t->ends ? "true" : "false", t->count, t->cycles);
		for (uint32_t k = 1; k < t->length; k++) {
			const struct regions_node n = r->nodes[r->all[t->blocks[0]].nodes + t->blocks[k]];
			if (n.region != REGIONS_NONE)
				printf(" R%u", n.region);
			else
				printf(" %" PRIu64, j->cfg->blocks[j->cfg->functions[t->exit].blocks + n.vertex].start);
		}
		printf("\n");
	}
}

int main(int argc, char **argv)
{
	struct judge j = {0};
	struct image *image;
	struct cfg *cfg;
	struct paths *paths;
	struct model *model;
	struct model_config config;
	struct run_result result;
	char detail[1024] = "wrong arguments";
	bool only_list = argc > 1 && strcmp(argv[1], "-l") == 0;
	argc -= only_list;
	argv += only_list;
	model_config_default(&config);
	if (argc < 2 || image_open(&image, argv[1], detail, sizeof detail) != IMAGE_OK ||
	    cfg_open(&cfg, image) != CFG_OK ||
	    paths_open(&paths, cfg, getenv("PATHS_LIMIT") != NULL ? strtoull(getenv("PATHS_LIMIT"), NULL, 0) : 0) !=
		PATHS_OK ||
	    profile_init(&j.profile) != PROFILE_OK || model_open(&model, &config) != MODEL_OK ||
	    model_load_elf(model, argv[1], detail, sizeof detail) != MODEL_OK ||
	    model_set(model, "way=5", detail, sizeof detail) != MODEL_OK) {
		fprintf(stderr, "paths-judge: %s\n", detail);
		return 2;
	}
	for (int i = 2; i < argc; i++) {
		if (model_set(model, argv[i], detail, sizeof detail) != MODEL_OK) {
			fprintf(stderr, "paths-judge: %s\n", detail);
			return 2;
		}
	}
	j.cfg = cfg;
	j.paths = paths;
	j.model = model;
	if (regions_profile_open(&j.regions, paths, choose, NULL,
		getenv("PATHS_LIMIT") != NULL ? strtoull(getenv("PATHS_LIMIT"), NULL, 0) : 0) != REGIONS_OK)
		must(NULL);
	struct core core;
	core_default(&core);
	paths_feed_open(&j.feed, paths, image);
	paths_feed_cycles(&j.feed, &core);
	const struct run_hooks hooks = {.context = &j, .record = on_record, .retire = on_retire};
	model_run(model, &hooks, 0, 0, &result);
	if (result.end != RUN_END_EXIT || result.code != 0 || j.error != PATHS_OK ||
	    paths_feed_settle(&j.feed) != PATHS_OK || paths_finish(paths) != PATHS_OK) {
		fprintf(stderr, "paths-judge: the run failed\n");
		return 2;
	}
	while (j.depth > 0) {
		struct call *call = &j.calls[--j.depth];
		end(&j, call, false, CFG_NONE);
		while (call->depth > 0)
			end_region(&j, call, &call->open[--call->depth], false);
	}
	const struct paths_counts *c = paths_counts(paths);
	uint64_t wrong = 0;
	if (only_list)
		list(&j);
	else
		wrong = compare(&j) + compare_regions(&j);
	if (!only_list) {
		printf("%s: cycles of %" PRIu64 " paths: %" PRIu64 " differ, by %" PRIu64 " of %" PRIu64
		       " cycles; %" PRIu64 " are of traces in which several instructions vary\n",
		    argv[1], j.held, j.differ, j.difference, 2 * j.cycles, j.feed.shared_cycles);
		wrong += c->spent != j.cycles || j.difference > 4 * j.feed.shared_cycles;
	}
	if (c->irregular + c->unresolved + c->outside + c->dropped_frames + j.strange + j.feed.failed > 0 ||
	    c->whole == 0 || c->insns != j.insns) {
		fprintf(stderr,
		    "paths-judge: irregular %" PRIu64 ", unresolved %" PRIu64 ", outside %" PRIu64 ", dropped %" PRIu64
		    ", strange %" PRIu64 ", failed %" PRIu64 "; unmatched %" PRIu64 "; %" PRIu64 " instructions\n",
		    c->irregular, c->unresolved, c->outside, c->dropped_frames, j.strange, j.feed.failed, c->unmatched,
		    c->insns);
		wrong++;
	}
	paths_feed_close(&j.feed);
	forget(&j.by_path);
	forget(&j.by_region);
	regions_profile_close(j.regions);
	for (size_t i = 0; i < j.call_size; i++) {
		free(j.calls[i].blocks);
		for (unsigned k = 0; k < REGIONS_DEPTH_MAX + 2; k++)
			free(j.calls[i].open[k].nodes);
	}
	free(j.calls);
	profile_fini(&j.profile);
	paths_close(paths);
	cfg_close(cfg);
	model_close(model);
	image_close(image);
	return wrong == 0 ? 0 : 1;
}
