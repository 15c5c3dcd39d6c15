/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* Control-flow graphs of arbitrary code, their path numbering, and path profiles from arbitrary records on them. */
#include "common/rivulet_regs.h"
#include "fuzz/fuzz.h"
#include "host/cfg/cfg.h"
#include "host/paths/chords.h"
#include "host/paths/feed.h"
#include "host/paths/survey.h"

#define BASE 0x80000000u
#define EDGES 64

static void check_graph(const struct cfg *cfg)
{
	for (uint32_t f = 0; f < cfg->counts.functions; f++) {
		const struct cfg_function *function = &cfg->functions[f];
		must(function->entry >= function->blocks && function->entry - function->blocks < function->block_count);
		must(cfg_function_at(cfg, function->start) == f);
		for (uint32_t b = function->blocks; b < function->blocks + function->block_count; b++) {
			const struct cfg_block *block = &cfg->blocks[b];
			must(block->function == f);
			must(block->start <= block->last && block->insns <= (block->end - block->start) / 2);
			must(block->insns == 0 ? block->end == block->start : block->last < block->end);
			const uint32_t at =
			    cfg_block_at(cfg, block->start); /* another one if jumps go into instructions */
			must(at == CFG_NONE ? block->insns == 0 : cfg->blocks[at].start <= block->start);
			must(block->dominator == CFG_NONE || cfg_dominates(cfg, block->dominator, b));
			for (uint32_t e = block->edges; e < block->edges + block->edge_count; e++)
				must(cfg->edges[e].kind < CFG_EDGE_KINDS &&
				     (cfg->edges[e].to == CFG_NONE || cfg->blocks[cfg->edges[e].to].function == f));
		}
		for (uint32_t l = function->loops; l < function->loops + function->loop_count; l++)
			must(cfg->loops[l].function == f &&
			     (cfg->loops[l].parent == CFG_NONE || cfg->loops[l].parent < l));
	}
	struct cfg_call_edge *calls = NULL;
	size_t count;
	if (cfg_call_graph(cfg, &calls, &count) == CFG_OK)
		free(calls);
}

/* Number to path to number, for the first and the last. */
static void check_numbering(const struct paths *paths)
{
	const struct cfg *cfg = paths_graph(paths);
	for (uint32_t f = 0; f < cfg->counts.functions; f++) {
		const struct numbering *n = paths_numbering(paths, f);
		if (n == NULL || n->paths == 0)
			continue;
		const uint64_t numbers[] = {0, n->paths - 1, n->paths / 2};
		for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
			struct numbering_path path;
			uint32_t edges[EDGES];
			must(numbering_path(n, numbers[i], &path, edges, EDGES) == NUMBERING_OK);
			uint64_t sum = n->enter[path.first];
			for (uint32_t e = 0; e < path.length && e < EDGES; e++)
				sum += n->value[edges[e]];
			sum += path.to_exit ? n->value[path.exit] : n->leave[path.last];
			must(path.length > EDGES || sum == numbers[i]);
		}
		must(numbering_path(n, n->paths, &(struct numbering_path){0}, NULL, 0) == NUMBERING_EPATH);
		struct chords chords;
		if (chords_make(&chords, n, NULL) == NUMBERING_OK)
			chords_free(&chords);
	}
}

/* Record by record, and each pair of record and frames once: the same. */
static void check_same(const struct paths_feed *a, const struct paths_feed *b)
{
	struct paths_entry *x = NULL, *y = NULL;
	size_t x_count, y_count;
	const struct paths_counts *p = paths_counts(a->paths), *q = paths_counts(b->paths);
	must(a->traces == b->traces && a->insns == b->insns && a->failed == b->failed && a->unknown == b->unknown);
	must(a->missing == b->missing && (a->failed == 0 || a->at == b->at));
	must(memcmp(p, q, sizeof *p) == 0);
	if (paths_list(a->paths, &x, &x_count) == PATHS_OK && paths_list(b->paths, &y, &y_count) == PATHS_OK) {
		must(x_count == y_count);
		for (size_t i = 0; i < x_count; i++)
			must(x[i].count == y[i].count && x[i].from == y[i].from && x[i].to == y[i].to &&
			     x[i].sum == y[i].sum && x[i].begins == y[i].begins && x[i].spent == y[i].spent);
	}
	free(x);
	free(y);
}

static void feed(struct paths *paths, const struct image *image, uint64_t limit, struct input *in)
{
	struct paths_feed feed, keyed;
	struct paths_entry *entries = NULL;
	struct paths *again;
	struct survey survey;
	struct core core;
	size_t count;
	uint32_t key;
	if (paths_open(&again, paths_graph(paths), limit) != PATHS_OK)
		return;
	paths_feed_open(&feed, paths, image);
	paths_feed_open(&keyed, again, image);
	core_default(&core);
	paths_feed_cycles(&feed, &core);
	paths_feed_cycles(&keyed, &core);
	for (int i = 0; i < 8 && in->left > 0; i++) {
		struct walk_config config = {.hist = 32, .insn_bits = 16};
		struct record record = {.start = BASE + take(in, 2)};
		record.hist = take(in, 4);
		record.insns = (uint32_t)take(in, 1);
		record.reason = (uint8_t)take(in, 1);
		config.ctrl = 1 | (uint32_t)(record.reason >> 3);
		if ((config.ctrl & RV_CTRL_NO_BACKWARD_MASK) !=
		    0) { /* each outcome may cost WALK_STRAIGHT_MAX instructions */
			config.hist = 8;
			record.hist &= 7;
			i = 8;
		}
		record.reason &= 7;
		record.count = 1 + take(in, 1);
		const uint64_t missing = record.count % 7 == 0;
		record.cycles = record.hist % 5 == 0 ? 0 : record.count * (1 + record.hist % 251) + record.insns;
		record.timed = record.cycles == 0 ? 0 : record.count;
		if (paths_feed_record(&feed, &record, &config, missing) != 0)
			break;
		must(paths_feed_key(&keyed, &record, &config, &key) == PATHS_OK);
		must(paths_feed_keyed(&keyed, key, record.cycles, missing) == PATHS_OK);
	}
	must(paths_feed_settle(&keyed) == PATHS_OK);
	paths_finish(paths);
	paths_finish(again);
	check_same(&feed, &keyed);
	if (paths_list(paths, &entries, &count) == PATHS_OK) {
		for (size_t i = 0; i < count; i++) {
			uint32_t edges[EDGES], exit;
			size_t length;
			must(entries[i].count > 0);
			must(paths_edges(paths, &entries[i], edges, EDGES, &length, &exit) == PATHS_OK);
		}
		if (survey_make(&survey, paths, entries, count) == 0)
			survey_free(&survey);
		free(entries);
	}
	paths_feed_close(&feed);
	paths_feed_close(&keyed);
	paths_close(again);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	struct input in = {bytes, size};
	struct image *image = NULL;
	struct cfg *cfg = NULL;
	struct paths *paths = NULL;
	unsigned mode = (unsigned)take(&in, 1);
	size_t code = (size_t)take(&in, 2) % 4096;
	if (code > in.left)
		code = in.left;
	int error = (mode & 1) != 0 ? image_open_memory(&image, "input.elf", in.at, in.left, NULL, 0)
				    : image_from_code(&image, BASE, in.at, code);
	if (error != IMAGE_OK)
		return 0;
	in.at += code;
	in.left -= code;
	if (cfg_open(&cfg, image) == CFG_OK) {
		check_graph(cfg);
		if ((mode & 2) != 0 && paths_open(&paths, cfg, (mode & 4) != 0 ? 1 + (mode >> 3) : 0) == PATHS_OK) {
			check_numbering(paths);
			feed(paths, image, (mode & 4) != 0 ? 1 + (mode >> 3) : 0, &in);
			paths_close(paths);
		}
		cfg_close(cfg);
	}
	image_close(image);
	return 0;
}
