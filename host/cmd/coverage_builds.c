/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* Builds of a program with their runs: the runs of one build are added up instruction by instruction, the builds by
 * source line. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "host/base/array.h"
#include "host/cmd/coverage.h"
#include "host/cmd/not_traced.h"
#include "isa/isa.h"

bool coverage_add_build(struct covered *c, char *text)
{
	char *equal = strrchr(text, '=');
	if (equal == NULL || equal == text || equal[1] == '\0' || c->build_count == COVERAGE_BUILDS)
		return false;
	*equal = '\0';
	c->builds[c->build_count++] = (struct coverage_build){.program = text, .files = equal + 1};
	return true;
}

/* ---- runs ---- */

/* Adds the instructions of a run, whose program was loaded `shift` higher than that of the first. */
static bool add_coverage_run(struct merged *m, const struct account *account, uint64_t shift)
{
	struct gather_code *sum = malloc((m->count + account->insn_count + 1) * sizeof *sum);
	size_t used = 0, a = 0, b = 0;
	if (sum == NULL)
		return false;
	while (a < m->count || b < account->insn_count) {
		uint64_t there = b < account->insn_count ? account->insns[b].pc - shift : 0;
		bool take_old = a < m->count && (b == account->insn_count || m->code[a].pc <= there);
		bool take_new = b < account->insn_count && (a == m->count || there <= m->code[a].pc);
		struct gather_code *out = &sum[used++];
		*out = take_old ? m->code[a++] : (struct gather_code){.pc = there};
		if (!take_new)
			continue;
		const struct account_insn *insn = &account->insns[b++];
		out->count += insn->count;
		out->taken += insn->taken;
		out->not_taken += (insn->class_bits & ISA_BRANCH) != 0 ? insn->count - insn->taken - insn->unknown : 0;
	}
	free(m->code);
	m->code = sum;
	m->count = used;
	return true;
}

/* Whether the file has all that ran, and not samples of it. */
static bool is_exact(const struct profiled *p)
{
	const struct profile *profile = &p->loaded.profile;
	if (profile->total == 0) {
		complain("%s: has no traces", p->file);
		return false;
	}
	if (profile_is_part(&p->loaded.profile)) {
		complain("%s: is of a part of the run, since counting was switched off: what it does not have may have "
			 "run all the same; take a run that was not switched",
		    p->file);
		return false;
	}
	if (p->account->period <= 1 && !p->account->sampled)
		return true;
	complain(
	    "%s: is sampled: what a sample does not have may have run all the same; take an exact run (rivulet run "
	    "--records, --collect table, rivulet profile of a Linux program, rivulet cc)",
	    p->file);
	return false;
}

static int load_run(struct covered *c, struct coverage_build *build, const struct operands *operands, const char *file)
{
	if (!array_room(&c->runs, c->run_count + 1, &c->run_room)) {
		complain("out of memory");
		return STATUS_FAILED;
	}
	struct coverage_run *run = &c->runs[c->run_count++];
	build->end = c->run_count;
	*run = (struct coverage_run){.evidence = coverage_evidence_of(file)};
	take_operands(&run->profiled, operands);
	run->profiled.program = build->program;
	run->profiled.file = file;
	int status = open_profiled(&run->profiled);
	if (status != STATUS_FAILED && run->profiled.loaded.profile.total > 0)
		status = worse_status(status, account_profiled(&run->profiled, ACCOUNT_EQUAL));
	if (status == STATUS_FAILED || !is_exact(&run->profiled))
		return STATUS_FAILED;
	const struct account *account = run->profiled.account;
	remainder_profiled(&run->remainder, &run->profiled);
	run->instructions = account->accounted.insns;
	uint64_t first = image_load_address(c->runs[build->first].profiled.image);
	if (!add_coverage_run(&build->merged, account, image_load_address(run->profiled.image) - first)) {
		complain("out of memory");
		return STATUS_FAILED;
	}
	return status;
}

/* Of the operands: file, then files. Of --build: its own list. */
static int load_build(struct covered *c, struct coverage_build *build, const struct operands *operands,
    const char *const *files, size_t file_count)
{
	int status = STATUS_OK;
	char *rest = NULL;
	build->first = build->end = c->run_count;
	build->evidence = coverage_evidence_of(build->program);
	if (build->files == NULL)
		status = load_run(c, build, operands, operands->file);
	for (size_t i = 0; build->files == NULL && i < file_count && status != STATUS_FAILED; i++)
		status = worse_status(status, load_run(c, build, operands, files[i]));
	char *word = build->files == NULL ? NULL : strtok_r(build->files, ",", &rest);
	for (; word != NULL && status != STATUS_FAILED; word = strtok_r(NULL, ",", &rest))
		status = worse_status(status, load_run(c, build, operands, word));
	return status;
}

static void name_build(const struct covered *c, struct coverage_build *build)
{
	const struct image *image = c->runs[build->first].profiled.image;
	char detail[512];
	uint32_t crc;
	if (image_build(image, &crc, detail, sizeof detail) != IMAGE_OK)
		crc = image_code_build(image);
	snprintf(build->build, sizeof build->build, "%08" PRIx32, crc);
}

int coverage_open_builds(
    struct covered *c, const struct operands *operands, const char *const *files, size_t file_count)
{
	int status = STATUS_OK;
	c->builds[0].program = operands->program;
	for (size_t i = 0; i < c->build_count && status != STATUS_FAILED; i++) {
		struct coverage_build *build = &c->builds[i];
		status = worse_status(status, load_build(c, build, operands, files, file_count));
		if (status != STATUS_FAILED && build->first == build->end) {
			complain("--build %s: names no run", build->program);
			status = STATUS_FAILED;
		}
		if (status != STATUS_FAILED)
			name_build(c, build);
	}
	return status;
}

void coverage_close_builds(struct covered *c)
{
	added_free(&c->added);
	free(c->by_line);
	coverage_free(&c->coverage);
	for (size_t i = 0; i < c->build_count; i++) {
		spots_free(&c->builds[i].spots);
		cfg_reach_free(&c->builds[i].reach);
		cfg_close(c->builds[i].cfg);
		free(c->builds[i].merged.code);
		free(c->builds[i].merged.outside);
	}
	for (size_t i = 0; i < c->run_count; i++)
		close_profiled(&c->runs[i].profiled);
	free(c->runs);
}

/* ---- rows ---- */

static void count_lineless(struct covered *c, const struct merged *merged, const struct spots *spots)
{
	for (size_t i = 0; i < merged->count; i++) {
		const struct spot_place *place = spots_at(spots, merged->code[i].pc);
		if (place != NULL && place->file != NULL && place->line != 0)
			continue;
		c->lineless++;
		c->lineless_ran += merged->code[i].count;
	}
}

static int make_build(struct covered *c, struct coverage_build *build, uint32_t number)
{
	const struct merged *merged = &build->merged;
	const struct image *image = c->runs[build->first].profiled.image;
	const struct gather_result result = {.code = merged->code, .code_count = merged->count, .scale = 1};
	const struct export_input input = {.image = image, .result = &result, .spots = &build->spots, .name = ""};
	struct coverage own = {0};
	int error = spots_make(&build->spots, image, &result) == SPOTS_OK ? EXPORT_OK : EXPORT_ENOMEM;
	if (error == EXPORT_OK)
		error = coverage_make(&own, &input);
	if (error == EXPORT_OK)
		error = coverage_join(&c->coverage, &own, number);
	if (error == EXPORT_EDEBUG)
		complain("%s: has no source lines: compile with -g (the code may stay as it is)", build->program);
	else if (error != EXPORT_OK)
		complain("%s: %s", build->program, export_strerror(error));
	if (error == EXPORT_OK)
		count_lineless(c, merged, &build->spots);
	coverage_free(&own);
	return error == EXPORT_OK ? STATUS_OK : STATUS_FAILED;
}

int coverage_make_builds(struct covered *c)
{
	int status = STATUS_OK;
	for (size_t i = 0; i < c->build_count && status == STATUS_OK; i++)
		status = make_build(c, &c->builds[i], (uint32_t)i);
	return status;
}

int coverage_check_sources(const struct covered *c)
{
	struct coverage_moved moved = {0};
	int found = coverage_find_moved(&c->coverage, &moved);
	if (found == EXPORT_OK)
		return STATUS_OK;
	if (found < 0)
		complain("%s", export_strerror(found));
	else
		complain("%s: %s begins at line %u in %s, and at line %u in %s: the builds are of different sources, "
			 "whose lines cannot be added up (--exclude leaves the file out)",
		    moved.one->file, moved.one->name, moved.one->line, c->builds[moved.one->build].program,
		    moved.other->line, c->builds[moved.other->build].program);
	return STATUS_FAILED;
}
