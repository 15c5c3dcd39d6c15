/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/*
 * Control-flow graphs held against what ran: every transfer of a retirement log must be one that the graph has.
 *   cfg-judge PROGRAM.elf LOG [MOST]
 * MOST: per cent of the static indirect jumps (not calls, not returns) that may stay unresolved; without it any.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "host/cfg/cfg.h"
#include "host/import/import.h"
#include "isa/isa.h"

struct judge {
	const struct image *image;
	const struct cfg *cfg;
	uint64_t insns, transfers, lacking, nowhere, unresolved;
};

static void complain(struct judge *j, const char *what, uint64_t pc, uint64_t next)
{
	const char *name = image_function(j->image, pc, NULL), *to = image_function(j->image, next, NULL);
	if (j->lacking + j->nowhere <= 20)
		fprintf(stderr, "cfg-judge: %s: 0x%08" PRIx64 " (%s) to 0x%08" PRIx64 " (%s)\n", what, pc,
		    name == NULL ? "?" : name, next, to == NULL ? "?" : to);
}

/* Whether a block's last instruction can go to next, as far as the graph says. */
static bool has_edge(struct judge *j, const struct cfg_block *block, uint64_t next)
{
	const struct cfg *cfg = j->cfg;
	if (block->call == CFG_CALL_INDIRECT)
		return cfg_function_at(cfg, next) != CFG_NONE; /* any function */
	if (block->call == CFG_CALL)
		return block->callee != CFG_NONE && cfg->functions[block->callee].start == next;
	for (uint32_t e = block->edges; e < block->edges + block->edge_count; e++) {
		const struct cfg_edge *edge = &cfg->edges[e];
		switch (edge->kind) {
		case CFG_RETURN:
		case CFG_XRET:
			return true;
		case CFG_UNRESOLVED:
			j->unresolved++;
			return true;
		case CFG_TAIL_INDIRECT:
			if (cfg_function_at(cfg, next) != CFG_NONE)
				return true;
			break;
		default:
			if (edge->to != CFG_NONE ? cfg->blocks[edge->to].start == next : edge->target == next)
				return true;
		}
	}
	return false;
}

static void on_step(void *context, uint64_t pc, uint64_t next, uint32_t word, bool broken)
{
	struct judge *j = context;
	struct isa_insn insn;
	uint32_t b = cfg_block_at(j->cfg, pc);
	j->insns++;
	if (b == CFG_NONE) {
		if (j->nowhere++ < 20)
			complain(j, "executed, but in no block", pc, next);
		return;
	}
	const struct cfg_block *block = &j->cfg->blocks[b];
	isa_decode(word, image_isa(j->image), &insn);
	if (broken)
		return;
	if (pc != block->last) { /* inside: it must go on in line */
		if (next != pc + insn.length || cfg_block_at(j->cfg, next) != b) {
			j->lacking++;
			complain(j, "left in the middle of a block", pc, next);
		}
		return;
	}
	j->transfers++;
	if (has_edge(j, block, next))
		return;
	j->lacking++;
	complain(j, "no such edge", pc, next);
}

static int no_record(void *context, const struct record *record, uint64_t time)
{
	(void)context;
	(void)record;
	(void)time;
	return 0;
}

static int read_log(struct import *import, const char *path)
{
	static char buffer[65536];
	size_t got;
	int error = IMPORT_OK;
	FILE *log = fopen(path, "rb");
	if (log == NULL) {
		perror(path);
		return IMPORT_EFORM;
	}
	while (error == IMPORT_OK && (got = fread(buffer, 1, sizeof buffer, log)) > 0)
		error = import_feed(import, buffer, got);
	fclose(log);
	return error == IMPORT_OK ? import_finish(import) : error;
}

int main(int argc, char **argv)
{
	struct image *image;
	struct cfg *cfg;
	struct import *import;
	char detail[1024];
	if (argc < 3) {
		fprintf(stderr, "usage: %s PROGRAM.elf LOG [MOST]\n", argv[0]);
		return 2;
	}
	if (image_open(&image, argv[1], detail, sizeof detail) != IMAGE_OK) {
		fprintf(stderr, "cfg-judge: %s\n", detail);
		return 2;
	}
	if (cfg_open(&cfg, image) != CFG_OK)
		return 2;
	struct judge j = {.image = image, .cfg = cfg};
	const struct import_config config = {.hist = 64, .modes = 15, .sink = no_record};
	if (import_open(&import, image, &config) != IMPORT_OK)
		return 2;
	import_watch(import, on_step, &j);
	int error = read_log(import, argv[2]);
	if (error != IMPORT_OK)
		fprintf(stderr, "cfg-judge: %s: %s\n", argv[2], import_strerror(error));
	const struct cfg_counts *c = &cfg->counts;
	unsigned indirect = c->tables + c->unresolved + c->indirect_tail_calls;
	double share = indirect == 0 ? 0 : 100.0 * c->unresolved / indirect;
	printf("%-12s %9" PRIu64 " instructions, %8" PRIu64 " transfers, %" PRIu64
	       " that the graph lacks; indirect jumps: %u, "
	       "%u not resolved (%.2f%%), executed %" PRIu64 " times\n",
	    strrchr(argv[1], '/') != NULL ? strrchr(argv[1], '/') + 1 : argv[1], j.insns, j.transfers,
	    j.lacking + j.nowhere, indirect, c->unresolved, share, j.unresolved);
	bool good = error == IMPORT_OK && j.lacking + j.nowhere == 0 && j.insns > 0;
	if (argc > 3 && share > atof(argv[3]))
		good = false;
	import_close(import);
	cfg_close(cfg);
	image_close(image);
	return good ? 0 : 1;
}
