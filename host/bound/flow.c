/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#include "host/bound/flow.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "host/base/array.h"
#include "isa/isa.h"

#define WORDS 64
#define PLACES 16 /* levels of inlining that are looked at */

struct fact_reader {
	struct flow_facts *facts;
	struct cited_code cited;
	char *words[WORDS];
	size_t count;
};

int flow_facts_open(struct flow_facts *facts, const struct cfg *cfg)
{
	*facts = (struct flow_facts){0};
	facts->loops = calloc(cfg->counts.loops + 1u, sizeof *facts->loops);
	facts->depths = calloc(cfg->counts.functions + 1u, sizeof *facts->depths);
	facts->never = calloc(cfg->counts.blocks + 1u, sizeof *facts->never);
	if (facts->loops != NULL && facts->depths != NULL && facts->never != NULL)
		return FLOW_OK;
	flow_facts_close(facts);
	return FLOW_ENOMEM;
}

void flow_facts_close(struct flow_facts *facts)
{
	free(facts->loops);
	free(facts->depths);
	free(facts->never);
	free(facts->calls);
	free(facts->costs);
	*facts = (struct flow_facts){0};
}

bool flow_facts_cost(const struct flow_facts *facts, uint64_t address, uint64_t *cycles)
{
	for (size_t i = 0; i < facts->cost_count; i++) {
		if (facts->costs[i].address == address) {
			*cycles = facts->costs[i].cycles;
			return true;
		}
	}
	return false;
}

/* ---- places */

static bool read_count(const char *text, uint64_t *value)
{
	char *end;
	if (!isdigit((unsigned char)*text))
		return false;
	*value = strtoull(text, &end, 0);
	return *end == '\0' && *value < UINT32_MAX;
}

/* "FILE:LINE"; the file's name ends at the colon, which is cut. */
static bool split_line(char *text, unsigned *line)
{
	char *colon = strrchr(text, ':');
	uint64_t number;
	if (colon == NULL || colon == text || !read_count(colon + 1, &number))
		return false;
	*colon = '\0';
	*line = (unsigned)number;
	return true;
}

/* Whether an instruction at address comes from this line, also by inlining. */
static bool comes_from(const struct cfg *cfg, uint64_t address, const char *file, unsigned line)
{
	struct image_place places[PLACES];
	size_t n = image_places(cfg->image, address, places, PLACES);
	for (size_t i = 0; i < n; i++) {
		if (places[i].file != NULL && places[i].line == line && cited_file(places[i].file, file))
			return true;
	}
	return false;
}

/* Whether some instruction of a block does. */
static bool block_comes_from(const struct cfg *cfg, const struct cfg_block *block, const char *file, unsigned line)
{
	struct isa_insn insn;
	for (uint64_t at = block->start; at < block->end; at += insn.length) {
		if (!image_insn(cfg->image, at, 0, &insn) || insn.length == 0)
			return false;
		if (comes_from(cfg, at, file, line))
			return true;
	}
	return false;
}

/* ---- facts */

static int put_loop_fact(struct fact_reader *r, uint32_t loop, const struct flow_loop *fact)
{
	struct flow_loop *now = &r->facts->loops[loop];
	if (now->most != 0 && (now->most != fact->most || now->total != fact->total))
		return cited_wrong(&r->cited, "this loop has another bound already");
	*now = *fact;
	return FLOW_OK;
}

/* The innermost loops that the line is in, in each function. */
static int put_loops_of_line(struct fact_reader *r, char *text, const struct flow_loop *fact)
{
	const struct cfg *cfg = r->cited.cfg;
	unsigned line, found = 0;
	int error = FLOW_OK;
	if (!split_line(text, &line))
		return cited_wrong(&r->cited, "`%s': FILE:LINE is expected, or a function and its loop", text);
	for (uint32_t i = 0; i < cfg->counts.functions && error == FLOW_OK; i++) {
		const struct cfg_function *f = &cfg->functions[i];
		uint32_t loop = CFG_NONE;
		for (uint32_t b = f->blocks; b < f->blocks + f->block_count; b++) {
			const struct cfg_block *block = &cfg->blocks[b];
			bool deeper = block->loop != CFG_NONE &&
				      (loop == CFG_NONE || cfg->loops[block->loop].depth > cfg->loops[loop].depth);
			if (deeper && block_comes_from(cfg, block, text, line))
				loop = block->loop;
		}
		if (loop != CFG_NONE) {
			found++;
			error = put_loop_fact(r, loop, fact);
		}
	}
	return found > 0 ? error : cited_wrong(&r->cited, "no loop has code of %s:%u", text, line);
}

static int take_loop(struct fact_reader *r)
{
	struct flow_loop fact = {0};
	size_t behind = r->count;
	if (behind >= 4 && strcmp(r->words[behind - 2], "total") == 0) {
		if (!read_count(r->words[behind - 1], &fact.total) || fact.total == 0)
			return cited_wrong(&r->cited, "`%s' is no number of executions", r->words[behind - 1]);
		behind -= 2;
	}
	if ((behind != 3 && behind != 4) || !read_count(r->words[behind - 1], &fact.most) || fact.most == 0)
		return cited_wrong(
		    &r->cited, "expected is: loop FUNCTION LOOP N, or loop FILE:LINE N, and perhaps total M");
	if (behind == 3)
		return put_loops_of_line(r, r->words[1], &fact);
	uint32_t function = cited_function(&r->cited, r->words[1]);
	if (function == CFG_NONE)
		return FLOW_EFILE;
	uint32_t loop = cited_loop(&r->cited, function, r->words[2]);
	return loop == CFG_NONE ? FLOW_EFILE : put_loop_fact(r, loop, &fact);
}

static int take_depth(struct fact_reader *r)
{
	uint64_t depth;
	if (r->count != 3 || !read_count(r->words[2], &depth) || depth == 0)
		return cited_wrong(&r->cited, "expected is: depth FUNCTION N");
	uint32_t function = cited_function(&r->cited, r->words[1]);
	if (function == CFG_NONE)
		return FLOW_EFILE;
	r->facts->depths[function] = depth;
	return FLOW_OK;
}

/* Calls `use` for each block that the place names, with the address of the instruction. */
typedef int place_user(struct fact_reader *r, uint32_t block, uint64_t address);
static int use_place(struct fact_reader *r, char *text, bool whole, place_user *use)
{
	const struct cfg *cfg = r->cited.cfg;
	unsigned line, found = 0;
	int error = FLOW_OK;
	if (strncmp(text, "0x", 2) == 0) {
		char *end;
		uint64_t address = strtoull(text, &end, 16);
		uint32_t block = *end == '\0' ? cfg_block_at(cfg, address) : CFG_NONE;
		return block == CFG_NONE ? cited_wrong(&r->cited, "there is no code at %s", text)
					 : use(r, block, address);
	}
	uint32_t function = whole ? cfg_function_named(cfg, text) : CFG_NONE;
	if (function != CFG_NONE && cfg->functions[function].entry != CFG_NONE)
		return use(r, cfg->functions[function].entry, cfg->functions[function].start);
	if (!split_line(text, &line))
		return cited_wrong(&r->cited, "`%s': FILE:LINE or an address (0x...) is expected%s", text,
		    whole ? ", or the name of a function" : "");
	for (uint32_t b = 0; b < cfg->counts.blocks && error == FLOW_OK; b++) {
		if (comes_from(cfg, whole ? cfg->blocks[b].start : cfg->blocks[b].last, text, line)) {
			found++;
			error = use(r, b, cfg->blocks[b].last);
		}
	}
	if (found > 0)
		return error;
	return cited_wrong(&r->cited, "no block of code %s in %s:%u", whole ? "begins" : "ends", text, line);
}

static int put_never(struct fact_reader *r, uint32_t block, uint64_t address)
{
	(void)address;
	r->facts->never[block] = true;
	return FLOW_OK;
}

static int take_never(struct fact_reader *r)
{
	return r->count == 2 ? use_place(r, r->words[1], true, put_never)
			     : cited_wrong(&r->cited, "expected is: never PLACE");
}

static int put_call_fact(struct fact_reader *r, uint32_t block, uint64_t address)
{
	struct flow_facts *facts = r->facts;
	(void)address;
	for (size_t i = 2; i < r->count; i++) {
		uint32_t function = cited_function(&r->cited, r->words[i]);
		if (function == CFG_NONE)
			return FLOW_EFILE;
		if (!array_room(&facts->calls, facts->call_count + 1, &facts->call_room))
			return FLOW_ENOMEM;
		facts->calls[facts->call_count++] = (struct flow_call){r->cited.cfg->blocks[block].last, function};
	}
	return FLOW_OK;
}

static int take_call_fact(struct fact_reader *r)
{
	return r->count >= 3 ? use_place(r, r->words[1], false, put_call_fact)
			     : cited_wrong(&r->cited, "expected is: call PLACE FUNCTION...");
}

static int put_cost(struct fact_reader *r, uint32_t block, uint64_t address)
{
	struct flow_facts *facts = r->facts;
	uint64_t cycles = 0;
	(void)block;
	read_count(r->words[2], &cycles);
	if (!array_room(&facts->costs, facts->cost_count + 1, &facts->cost_room))
		return FLOW_ENOMEM;
	facts->costs[facts->cost_count++] = (struct flow_cost){address, cycles};
	return FLOW_OK;
}

static int take_cost(struct fact_reader *r)
{
	uint64_t cycles;
	if (r->count != 3 || !read_count(r->words[2], &cycles))
		return cited_wrong(&r->cited, "expected is: cost PLACE CYCLES");
	return use_place(r, r->words[1], false, put_cost);
}

static int take_fact(struct fact_reader *r)
{
	static const struct {
		const char *word;
		int (*take)(struct fact_reader *r);
	} kinds[] = {{"loop", take_loop}, {"depth", take_depth}, {"call", take_call_fact}, {"never", take_never},
	    {"cost", take_cost}};
	for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
		if (strcmp(r->words[0], kinds[i].word) == 0)
			return kinds[i].take(r);
	}
	return cited_wrong(&r->cited, "`%s': loop, depth, call, never or cost is expected", r->words[0]);
}

int flow_facts_read(
    struct flow_facts *facts, const char *path, const char *text, const struct cfg *cfg, char *detail, size_t size)
{
	struct fact_reader r = {.facts = facts, .cited = {.cfg = cfg, .path = path, .detail = detail, .size = size}};
	char *copy = strdup(text), *next = copy;
	int error = copy == NULL ? FLOW_ENOMEM : FLOW_OK;
	while (error == FLOW_OK && next != NULL) {
		char *line = next, *rest = NULL;
		next = strchr(line, '\n');
		if (next != NULL)
			*next++ = '\0';
		r.cited.line++;
		r.count = 0;
		line[strcspn(line, "#")] = '\0';
		char *word = strtok_r(line, " \t\r", &rest);
		for (; word != NULL && error == FLOW_OK; word = strtok_r(NULL, " \t\r", &rest)) {
			if (r.count == WORDS)
				error = cited_wrong(&r.cited, "more than %d words", WORDS);
			else
				r.words[r.count++] = word;
		}
		if (error == FLOW_OK && r.count > 0)
			error = take_fact(&r);
	}
	free(copy);
	return error;
}

/* ---- comments of the source */

/* "rivulet: loop N [total M]" in a line. */
static bool comment_says(const char *line, struct flow_loop *fact)
{
	static const char mark[] = "rivulet: loop ";
	const char *at = line == NULL ? NULL : strstr(line, mark);
	char *end;
	if (at == NULL)
		return false;
	fact->most = strtoull(at + sizeof mark - 1, &end, 10);
	fact->total = strncmp(end, " total ", 7) == 0 ? strtoull(end + 7, NULL, 10) : 0;
	return fact->most > 0 && fact->most < UINT32_MAX;
}

/* The first line of a loop: of its blocks' instructions, those of the head's file. */
static bool first_line(const struct cfg *cfg, uint32_t loop, struct image_place *first)
{
	const struct cfg_function *f = &cfg->functions[cfg->loops[loop].function];
	struct image_place place;
	*first = (struct image_place){0};
	if (image_places(cfg->image, cfg->blocks[cfg->loops[loop].head].start, first, 1) == 0 || first->file == NULL)
		return false;
	for (uint32_t b = f->blocks; b < f->blocks + f->block_count; b++) {
		struct isa_insn insn;
		if (cfg->blocks[b].loop != loop)
			continue;
		for (uint64_t at = cfg->blocks[b].start; at < cfg->blocks[b].end; at += insn.length) {
			if (!image_insn(cfg->image, at, 0, &insn) || insn.length == 0)
				break;
			if (image_places(cfg->image, at, &place, 1) == 1 && place.file != NULL && place.line != 0 &&
			    strcmp(place.file, first->file) == 0 && place.line < first->line)
				first->line = place.line;
		}
	}
	return first->line > 0;
}

void flow_facts_source(struct flow_facts *facts, const struct cfg *cfg, struct image *image)
{
	for (uint32_t l = 0; l < cfg->counts.loops; l++) {
		struct image_place first;
		struct flow_loop fact;
		if (facts->loops[l].most != 0 || !first_line(cfg, l, &first))
			continue;
		if (comment_says(image_source(image, first.file, first.line), &fact) ||
		    (first.line > 1 && comment_says(image_source(image, first.file, first.line - 1), &fact)))
			facts->loops[l] = fact;
	}
}
