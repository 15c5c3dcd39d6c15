/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#include "host/cmd/budget_parts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "host/cmd/cmd.h"
#include "host/regions/names.h"

enum { WORDS_MAX = 32 };

int budget_parts_open(struct budget_parts *p, const struct profiled *side)
{
	*p = (struct budget_parts){.side = side};
	if (cfg_open(&p->cfg, side->image) != CFG_OK) {
		complain("%s: out of memory for its graphs", side->program);
		return STATUS_FAILED;
	}
	if (core_open(&p->core, side->core == NULL ? core_names[0] : side->core, p->detail, sizeof p->detail) ==
	    CORE_OK)
		return STATUS_OK;
	complain("%s", p->detail);
	return STATUS_FAILED;
}

void budget_parts_close(struct budget_parts *p)
{
	if (p->opened)
		source_close(&p->paths);
	cfg_close(p->cfg);
	image_close(p->ran);
	*p = (struct budget_parts){0};
}

/* ---- regions ---- */

/* What runs of one block of the graph. The parts of a region are in the same traces, so the roots of their squares add
 * up at most; what is seen of a block in part has that share of its squares. */
static void add_region_block(
    const struct account *a, const struct cfg_block *block, bool entered, struct account_sum *sum, double *root)
{
	const size_t first = account_from(a, block->start);
	for (size_t i = first; i < a->insn_count && a->insns[i].pc < block->end; i++) {
		const struct account_insn *insn = &a->insns[i];
		const struct account_block *of = &a->blocks[insn->block];
		sum->insns += insn->count;
		sum->cycles += insn->cycles;
		sum->products += of->sum.products / of->insn_count;
		*root += sqrt(of->sum.squares > 0 ? of->sum.squares : 0) / of->insn_count;
	}
	if (entered && first < a->insn_count && a->insns[first].pc == block->start)
		sum->count += a->insns[first].count;
}

/* A region begins with the block whose way in is outside. */
static bool is_first(const struct cfg *cfg, const struct cfg_function *f, uint32_t block, const bool *inside)
{
	const uint32_t before = cfg->blocks[block].dominator;
	return before == CFG_NONE || !inside[before - f->blocks];
}

static bool add_region_part(const struct budget_parts *p, const struct regions_named *part, struct budget_part *to)
{
	const struct cfg_function *f = &p->cfg->functions[part->function];
	bool *inside = calloc(f->block_count + 1u, sizeof *inside);
	double root = 0;
	if (inside == NULL)
		return false;
	for (uint32_t b = 0; b < f->block_count && part->count == 0; b++)
		inside[b] = true;
	for (uint32_t i = 0; i < part->count; i++)
		inside[part->vertices[i]] = true;
	for (uint32_t b = 0; b < f->block_count; b++) {
		const uint32_t block = f->blocks + b;
		const bool first = part->count == 0 ? block == f->entry : is_first(p->cfg, f, block, inside);
		if (inside[b])
			add_region_block(p->side->account, &p->cfg->blocks[block], first, &to->sum, &root);
	}
	to->sum.squares += root * root;
	free(inside);
	return true;
}

/* Each line is read by itself: regions of a budget may overlap. */
static enum budget_part_state find_region(
    struct budget_parts *p, const char *path, unsigned line, const char *text, struct budget_part *part)
{
	struct regions_names names;
	char *lines = malloc(line + strlen(text));
	if (lines == NULL) {
		snprintf(p->detail, sizeof p->detail, "out of memory");
		return BUDGET_PART_FAILED;
	}
	memset(lines, '\n', line - 1); /* for the number of the line in messages */
	strcpy(lines + line - 1, text);
	const int error = regions_names_read(&names, path, lines, p->cfg, p->detail, sizeof p->detail);
	free(lines);
	if (error != NAMES_OK)
		return error == NAMES_EFILE ? BUDGET_PART_MISSING : BUDGET_PART_FAILED;
	bool good = true;
	for (size_t i = 0; i < names.part_count && good; i++)
		good = add_region_part(p, &names.parts[i], part);
	regions_names_free(&names);
	if (!good)
		snprintf(p->detail, sizeof p->detail, "out of memory");
	return good ? BUDGET_PART_THERE : BUDGET_PART_FAILED;
}

enum budget_part_state budget_part_find(
    struct budget_parts *p, const char *path, unsigned line, const char *text, struct budget_part *part)
{
	struct cited_code cited = {
	    .cfg = p->cfg, .path = path, .line = line, .detail = p->detail, .size = sizeof p->detail};
	char *words[WORDS_MAX], *rest = NULL, *copy = strdup(text);
	size_t count = 0;
	enum budget_part_state state = BUDGET_PART_FAILED;
	*part = (struct budget_part){0};
	if (copy == NULL) {
		snprintf(p->detail, sizeof p->detail, "out of memory");
		return state;
	}
	for (char *word = strtok_r(copy, " \t\r\n", &rest); word != NULL && count < WORDS_MAX;
	     word = strtok_r(NULL, " \t\r\n", &rest))
		words[count++] = word;
	if (count < 3 || strcmp(words[2], "path") != 0)
		state = find_region(p, path, line, text, part);
	else if (count == WORDS_MAX)
		cited_wrong(&cited, "a path has at most %d points", WORDS_MAX - 5);
	else
		state = budget_path_find(p, &cited, words, count, part);
	free(copy);
	return state;
}
