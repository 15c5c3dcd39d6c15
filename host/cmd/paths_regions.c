/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* Where `rivulet paths --regions` takes its numbers from. */
#include "host/cmd/paths_regions.h"

#include <stdlib.h>
#include <string.h>
#include "host/cmd/cmd.h"
#include "host/cmd/regions_file.h"
#include "host/cmd/stream.h"

static int choose_regions(void *context, uint32_t function, struct regions *regions)
{
	const struct regions_source *s = context;
	return regions_names_choose(&s->names, function, regions);
}

struct opening {
	struct regions_source *s;
	uint64_t limit;
	const char *program;
};

static int regions_opened(void *context, struct paths *paths)
{
	struct opening *o = context;
	int error = regions_profile_open(&o->s->profile, paths, choose_regions, o->s, o->limit);
	if (error != REGIONS_OK)
		complain("%s: regions: %s", o->program, regions_strerror(error));
	return error == REGIONS_OK ? STATUS_OK : STATUS_FAILED;
}

/* Cycles (or instructions, if the records have none) and executions of each block. */
static int account_blocks(struct regions_source *s, const struct source_options *o)
{
	const struct cfg *cfg = o->cfg;
	s->spent = calloc(cfg->counts.blocks + 1u, sizeof *s->spent);
	s->runs = calloc(cfg->counts.blocks + 1u, sizeof *s->runs);
	s->address = calloc(cfg->counts.blocks + 1u, sizeof *s->address);
	int error = s->spent == NULL || s->runs == NULL || s->address == NULL ||
			    walk_open(&s->walk, o->image, &s->source.config) != WALK_OK
			? ACCOUNT_ENOMEM
			: account_make(&s->account, o->image, s->walk, &s->whole, ACCOUNT_BY_COST, NULL);
	if (error != ACCOUNT_OK) {
		complain("%s: %s", s->source.name, account_strerror(error));
		return STATUS_FAILED;
	}
	const struct account *a = s->account;
	s->timed = paths_timed(&s->source);
	for (uint32_t b = 0; b < cfg->counts.blocks; b++)
		s->address[b] = cfg->blocks[b].start;
	for (size_t i = 0; i < a->insn_count; i++) {
		const struct account_insn *insn = &a->insns[i];
		uint32_t block = cfg_block_at(cfg, insn->pc);
		s->total += insn->count;
		if (block == CFG_NONE)
			continue;
		s->spent[block] += insn->count;
		if (insn->pc == cfg->blocks[block].start)
			s->runs[block] = insn->count;
	}
	if (!s->timed)
		return STATUS_OK;
	s->total = paths_counts(s->source.paths)->spent;
	for (uint32_t b = 0; b < cfg->counts.blocks; b++)
		s->spent[b] = paths_block_spent(s->source.paths, b);
	return STATUS_OK;
}

static int open_records(struct regions_source *s, const char *text, const struct source_options *options)
{
	struct opening opening = {s, options->limit == 0 ? REGIONS_LIMIT : options->limit, options->program};
	struct source_options o = *options;
	if (strcmp(s->what, "loops") == 0)
		s->names.find = REGIONS_FIND_LOOPS;
	else if (strcmp(s->what, "hammocks") == 0)
		s->names.find = REGIONS_FIND_HAMMOCKS;
	else if (strcmp(s->what, "all") == 0)
		s->names.find = REGIONS_FIND_LOOPS | REGIONS_FIND_HAMMOCKS;
	else if (read_regions_file(&s->names, s->what, o.cfg) != STATUS_OK)
		return STATUS_FAILED;
	if (profile_init(&s->whole) != PROFILE_OK) {
		complain("%s: out of memory", text);
		return STATUS_FAILED;
	}
	s->whole.by_length = true;
	o.whole = &s->whole;
	o.opened = regions_opened;
	o.context = &opening;
	int status = source_open(&s->source, text, &o);
	if (status == STATUS_FAILED || account_blocks(s, &o) != STATUS_OK)
		return STATUS_FAILED;
	const struct cfg *cfg = o.cfg;
	s->function_count = cfg->counts.functions;
	s->functions = calloc(s->function_count + 1u, sizeof *s->functions);
	if (s->functions == NULL || regions_profile_list(s->profile, &s->entries, &s->count) != REGIONS_OK) {
		complain("%s: out of memory", text);
		return STATUS_FAILED;
	}
	for (uint32_t i = 0; i < s->function_count; i++) {
		struct regions_function *f = &s->functions[i];
		uint32_t first = cfg->functions[i].blocks;
		f->name = cfg_function_name(cfg, i, f->text);
		f->start = cfg->functions[i].start;
		f->regions = regions_profile_regions(s->profile, i);
		f->traffic = f->regions == NULL ? NULL : regions_profile_traffic(s->profile, i, 0);
		f->address = s->address + first;
		f->spent = s->spent + first;
		f->runs = s->runs + first;
	}
	return status;
}

/* What each region costs. */
static int add_up_regions(struct regions_source *s)
{
	size_t count = 0;
	for (uint32_t i = 0; i < s->function_count; i++)
		count += s->functions[i].regions != NULL ? s->functions[i].regions->count : 0;
	s->costs = calloc(2 * count + 1, sizeof *s->costs);
	if (s->costs == NULL)
		return STATUS_FAILED;
	uint64_t *at = s->costs;
	for (uint32_t i = 0; i < s->function_count; i++) {
		struct regions_function *f = &s->functions[i];
		const struct regions *r = f->regions;
		if (r == NULL)
			continue;
		f->self = at;
		f->nest = at + r->count;
		at += 2 * (size_t)r->count;
		for (uint32_t v = 0; v < r->graph.count; v++)
			f->self[r->of[v]] += f->spent[v];
		for (uint32_t k = r->count; k-- > 0;) { /* inner ones before outer ones */
			f->nest[k] += f->self[k];
			if (k > 0)
				f->nest[r->all[k].parent] += f->nest[k];
		}
	}
	return STATUS_OK;
}

int regions_source_open(struct regions_source *s, const char *text, const struct source_options *options)
{
	s->input = text;
	s->cfg = options->cfg;
	s->image = options->image;
	s->status = is_stream(text) ? open_records(s, text, options) : regions_counters_open(s, text, options);
	if (s->status != STATUS_FAILED && add_up_regions(s) != STATUS_OK) {
		complain("%s: out of memory", text);
		s->status = STATUS_FAILED;
	}
	s->source.counted.insns = s->timed ? 0 : s->total;
	for (uint32_t i = 0; i < s->function_count && s->status != STATUS_FAILED; i++) {
		const struct regions *r = s->functions[i].regions;
		size_t end;
		if (r == NULL || (regions_entries(s, i, 0, &end) == end && regions_spent(s, i, 0, true) == 0))
			continue;
		for (uint32_t k = 0; k < r->count; k++)
			s->found[r->all[k].kind]++;
	}
	return s->status;
}

void regions_source_close(struct regions_source *s)
{
	free(s->entries);
	free(s->functions);
	free(s->spent);
	free(s->runs);
	free(s->address);
	free(s->costs);
	account_free(s->account);
	walk_close(s->walk);
	regions_profile_close(s->profile);
	source_close(&s->source);
	profile_fini(&s->whole);
	regions_names_free(&s->names);
	regions_counters_close(s->counted);
}
