/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* MC/DC: objects of clang to decisions, records to vectors. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "host/cmd/coverage.h"

static int read_objects(struct coverage_mcdc *m)
{
	for (size_t i = 0; i < m->object_count; i++) {
		int error = mcdc_mapping_read(&m->mapping, m->objects[i]);
		if (error == MCDC_OK) {
			m->evidence[i] = coverage_evidence_of(m->objects[i]);
			continue;
		}
		complain("%s: %s%s%s", m->objects[i], mcdc_strerror(error), error == MCDC_EOPEN ? ": " : "",
		    error == MCDC_EOPEN ? strerror(errno) : "");
		return STATUS_FAILED;
	}
	return STATUS_OK;
}

/* ---- runs ---- */

struct following {
	struct coverage_mcdc *mcdc;
	const struct mcdc_match *match;
	uint64_t shift; /* the run's program was loaded so much higher */
};

static int watch_branches(void *context, const struct gather_visit *visit)
{
	struct following *f = context;
	struct mcdc_vectors *vectors = &f->mcdc->vectors;
	if (visit->apart)
		mcdc_vectors_cut(vectors);
	if (visit->block->exit != WALK_BRANCH || visit->count < visit->block->count)
		return 0;
	const struct mcdc_branch *branch = mcdc_branch_at(f->match, visit->block->last - f->shift);
	if (branch == NULL)
		return 0;
	if (visit->outcome < 0) {
		mcdc_vectors_cut(vectors);
		return 0;
	}
	uint64_t chain = (uint64_t)visit->process << 32 | visit->node;
	return mcdc_vectors_branch(vectors, branch, chain, visit->outcome == 1) == MCDC_OK ? 0 : 1;
}

static int follow_run(struct covered *c, const struct coverage_build *build, const struct mcdc_match *match,
    const struct coverage_run *run)
{
	const struct image *first = c->runs[build->first].profiled.image;
	struct following f = {&c->mcdc, match, image_load_address(run->profiled.image) - image_load_address(first)};
	struct coverage_walk walk = {.why = "what a decision was", .watcher = watch_branches, .context = &f};
	int status = coverage_walk_run(&walk, run);
	coverage_walk_end(&walk);
	mcdc_vectors_cut(&c->mcdc.vectors);
	return status;
}

/* ---- sums ---- */

enum mcdc_reason coverage_mcdc_reason(const struct coverage_mcdc *m, size_t i, size_t *build)
{
	const struct mcdc_told *told = &m->vectors.told[i];
	*build = 0;
	if (told->astray > 0)
		return MCDC_ASTRAY;
	if ((unsigned)__builtin_popcount(told->unique) == m->mapping.decisions[i].count)
		return MCDC_TOLD; /* no build can change it */
	for (; *build < m->match_count; ++*build) {
		const struct mcdc_found *found = &m->matches[*build].found[i];
		if (!found->never && found->reason != MCDC_TOLD)
			return found->reason;
	}
	*build = 0;
	return MCDC_TOLD;
}

static void sum_decisions(struct coverage_mcdc *m)
{
	for (size_t i = 0; i < m->mapping.count; i++) {
		size_t build;
		bool told = coverage_mcdc_reason(m, i, &build) == MCDC_TOLD;
		unsigned count = m->mapping.decisions[i].count;
		m->all[LEAST_DECIDED]++;
		m->hit[LEAST_DECIDED] += told;
		m->all[LEAST_MCDC] += count;
		m->all[LEAST_MASKING] += count;
		m->hit[LEAST_MCDC] += told ? (unsigned)__builtin_popcount(m->vectors.told[i].unique) : 0;
		m->hit[LEAST_MASKING] += told ? (unsigned)__builtin_popcount(m->vectors.told[i].masking) : 0;
	}
}

/* Of a build; its addresses that ran. */
static int lay_mapping(
    const struct mcdc_mapping *mapping, struct mcdc_match *match, struct image *image, const struct merged *merged)
{
	size_t count = 0;
	uint64_t *ran = calloc(merged->count + 1, sizeof *ran);
	for (size_t i = 0; ran != NULL && i < merged->count; i++) {
		if (merged->code[i].count > 0)
			ran[count++] = merged->code[i].pc;
	}
	int error = ran == NULL ? MCDC_ENOMEM : mcdc_match_make(match, mapping, image, ran, count);
	free(ran);
	return error;
}

static int follow_build(struct covered *c, const struct coverage_build *build)
{
	struct coverage_mcdc *m = &c->mcdc;
	struct mcdc_match *match = &m->matches[m->match_count++];
	int status = STATUS_OK;
	if (lay_mapping(&m->mapping, match, c->runs[build->first].profiled.image, &build->merged) != MCDC_OK) {
		complain("out of memory");
		return STATUS_FAILED;
	}
	for (size_t i = build->first; status == STATUS_OK && i < build->end; i++)
		status = follow_run(c, build, match, &c->runs[i]);
	return status;
}

int coverage_follow_mcdc(struct covered *c, bool (*wanted)(void *, const char *), void *context)
{
	struct coverage_mcdc *m = &c->mcdc;
	if (m->object_count == 0)
		return STATUS_OK;
	int status = read_objects(m);
	if (status != STATUS_OK)
		return status;
	mcdc_mapping_choose(&m->mapping, wanted, context);
	mcdc_mapping_sort(&m->mapping);
	if (mcdc_vectors_init(&m->vectors, &m->mapping) != MCDC_OK) {
		complain("out of memory");
		return STATUS_FAILED;
	}
	for (size_t i = 0; status == STATUS_OK && i < c->build_count; i++)
		status = follow_build(c, &c->builds[i]);
	if (status != STATUS_OK)
		return status;
	mcdc_vectors_judge(&m->vectors);
	sum_decisions(m);
	return STATUS_OK;
}

void coverage_free_mcdc(struct coverage_mcdc *m)
{
	mcdc_vectors_free(&m->vectors);
	for (size_t i = 0; i < m->match_count; i++)
		mcdc_match_free(&m->matches[i]);
	mcdc_mapping_free(&m->mapping);
}
