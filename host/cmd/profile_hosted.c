/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#define _GNU_SOURCE /* strsignal() */
#include "host/cmd/profile_hosted.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "host/base/array.h"
#include "host/cmd/run_end.h"
#include "host/cmd/run_machine.h"
#include "host/qemu/qemu.h"

static int emit_hosted_bytes(void *context, const void *bytes, size_t size)
{
	return fwrite(bytes, 1, size, context) == size ? 0 : 1;
}

/* What the numbers leave open, and how the program ended. */
static void tell_run(const char *program, const struct qemu_run *run)
{
	if (run->made > 0)
		complain("%s: %s of %s instructions ran in code that no file has, made at run time or by the emulator "
			 "for signal "
			 "handlers: no row has them",
		    program, with_commas(run->made), with_commas(run->executed));
	if (run->outside > 0)
		complain("%s: %s of %s instructions ran in files that cannot be read (%s): no row has them", program,
		    with_commas(run->outside), with_commas(run->executed), run->unread);
	if (run->unknown > 0)
		complain("%s: of %s instructions in blocks that a signal or a fault ended it is not known which ran",
		    program, with_commas(run->unknown));
	if (run->children > 0)
		complain("%s: with the traces of %lu children that it made by fork()", program, run->children);
	if (run->running > 0)
		complain("%s: %lu children ran on when it ended: what they do from there on is not in it", program,
		    run->running);
	if (run->replaced > 0)
		complain(
		    "%s: %lu processes went on as another program (exec), which is none of RISC-V: what that did is "
		    "not in it",
		    program, run->replaced);
	if (run->followed > 0)
		complain(
		    "%s: %lu processes went on as another program of RISC-V (exec), which has a profile of its own",
		    program, run->followed);
	if (run->signal != 0)
		complain("%s: was ended by signal %d (%s); what it ran until then follows", program, run->signal,
		    strsignal(run->signal));
	else if (run->status != 0)
		complain("%s: ended with status %d", program, run->status);
}

static int write_hosted_profile(const struct profile *profile, struct output *output, const char *path, int status)
{
	if (profile_write(profile, emit_hosted_bytes, output_file(output)) != PROFILE_OK) {
		complain("%s: the profile cannot be written: %s", path, strerror(errno));
		status = STATUS_FAILED;
	}
	return finish_output(output, status);
}

/* ---------------------------------------------------------------- programs that processes became */

/* "sort.prof.wc"; of a second program of that name "sort.prof.wc.2". False: it is too long. */
static bool name_file(struct hosted_others *others, const char *base, const char *program, char *name, size_t size)
{
	const char *slash = strrchr(program, '/');
	unsigned same = 1;
	for (size_t i = 0; i < others->count; i++) {
		const char *other = strrchr(others->all[i].program, '/');
		same += strcmp(other == NULL ? others->all[i].program : other, slash == NULL ? program : slash) == 0;
	}
	int length = snprintf(name, size, "%s.%s", base, slash == NULL ? program : slash + 1);
	if (same > 1 && length > 0 && (size_t)length < size)
		length += snprintf(name + length, size - (size_t)length, ".%u", same);
	return length > 0 && (size_t)length < size;
}

struct hosted_state {
	const struct hosted_run *run;
	struct hosted_others *others;
	bool failed;
};

static void identify_hosted(struct profile *profile, const char *program, const struct image *image)
{
	if (image_build(image, &profile->header.build, NULL, 0) != IMAGE_OK)
		profile->header.build = image_code_build(image);
	profile->header.way = RUN_STREAM;
	profile->header.period = 1;
	run_name(program, image, profile->header.name);
}

/* One more program: it gets files beside those of the first. */
static void begin_other(void *context, struct qemu_program *program)
{
	struct hosted_state *state = context;
	struct hosted_others *others = state->others;
	const struct hosted_run *h = state->run;
	const char *const inputs[] = {h->program, program->path};
	identify_hosted(&program->profile, program->path, program->image);
	if (!array_room(&others->all, others->count + 1, &others->room)) {
		state->failed = true;
		return;
	}
	struct hosted_other *other = &others->all[others->count];
	*other = (struct hosted_other){.profile = ""};
	snprintf(other->program, sizeof other->program, "%s", program->path);
	char records[HOSTED_PATH_MAX];
	const bool named =
	    name_file(others, h->profile, program->path, other->profile, sizeof other->profile) &&
	    (h->records == NULL || name_file(others, h->records, program->path, records, sizeof records));
	others->count++;
	if (named && h->records != NULL)
		other->records = begin_output(records, OUTPUT_REPLACE, inputs, 2);
	state->failed = state->failed || !named || (h->records != NULL && other->records == NULL);
	program->context = other->records == NULL ? NULL : output_file(other->records);
}

/* What the others counted is written; those that ran nothing that can be read have no file. */
static int finish_others(struct hosted_state *state, const struct qemu_program *first, int status)
{
	const char *const inputs[] = {state->run->program};
	struct hosted_others *others = state->others;
	for (size_t i = 0; i < others->count; i++) {
		struct hosted_other *other = &others->all[i];
		const struct qemu_program *p = first;
		if (other->records != NULL)
			status = finish_output(other->records, status);
		other->records = NULL;
		while (p != NULL && strcmp(p->path, other->program) != 0)
			p = p->next;
		struct output *output =
		    p == NULL || status != STATUS_OK ? NULL : begin_output(other->profile, OUTPUT_REPLACE, inputs, 1);
		if (output != NULL)
			status = write_hosted_profile(&p->profile, output, other->profile, status);
		else if (p != NULL)
			status = STATUS_FAILED;
	}
	for (const struct qemu_program *p = first; p != NULL && status == STATUS_OK; p = p->next) {
		if (p->image == NULL)
			complain("%s: %s instructions ran in it, and it cannot be read", p->path,
			    with_commas(p->run.executed));
		else
			tell_run(p->path, &p->run);
	}
	return status;
}

void free_others(struct hosted_others *others)
{
	free(others->all);
	*others = (struct hosted_others){0};
}

/* ---------------------------------------------------------------- the run */

static int begin_files(const struct hosted_run *h, struct output **records, struct output **counts)
{
	const char *const inputs[] = {h->program};
	*records = *counts = NULL;
	if (h->records != NULL && (*records = begin_output(h->records, OUTPUT_REPLACE, inputs, 1)) == NULL)
		return STATUS_FAILED;
	if ((*counts = begin_output(h->profile, OUTPUT_REPLACE, inputs, 1)) != NULL)
		return STATUS_OK;
	if (*records != NULL)
		finish_output(*records, STATUS_FAILED);
	return STATUS_FAILED;
}

/* Runs it and writes all files. */
static int run_and_write(struct hosted_state *state, struct qemu_program *program, const struct qemu_options *options)
{
	const struct hosted_run *h = state->run;
	char detail[1024];
	struct output *records, *counts;
	if (begin_files(h, &records, &counts) != STATUS_OK)
		return STATUS_FAILED;
	program->context = records == NULL ? NULL : output_file(records);
	const int error = qemu_profile(program, h->words, options, detail, sizeof detail);
	int status = error == QEMU_OK && !state->failed ? STATUS_OK : STATUS_FAILED;
	stop_signal = program->run.told;
	if (error != QEMU_OK)
		complain("%s: %s", h->program, detail);
	if (records != NULL)
		status = finish_output(records, status);
	if (status == STATUS_OK)
		status = write_hosted_profile(&program->profile, counts, h->profile, status);
	else
		finish_output(counts, STATUS_FAILED);
	if (error == QEMU_OK)
		tell_run(h->program, &program->run);
	return finish_others(state, program->next, status);
}

/* A program that is missing has no name; what runs is the file that is looked at. */
int run_hosted(const struct hosted_run *h, struct image *image, struct hosted_others *others)
{
	char detail[1024];
	struct qemu_program program = {.image = image};
	struct hosted_state state = {.run = h, .others = others};
	struct core core;
	struct qemu_options options = {.ordered = h->records != NULL,
	    .edges = h->edges,
	    .emit = emit_hosted_bytes,
	    .begin = begin_other,
	    .context = &state,
	    .rules = h->core};
	*others = (struct hosted_others){0};
	if (h->core != NULL && core_open(&core, h->core, detail, sizeof detail) != CORE_OK) {
		complain("%s", detail);
		return -RUN_STATUS_FAILED;
	}
	options.core = h->core == NULL ? NULL : &core;
	options.folder = getenv("TMPDIR");
	if (options.folder == NULL || *options.folder == '\0')
		options.folder = "/tmp";
	profile_init(&program.profile);
	program.profile.by_length = program.profile.has_header = program.profile.has_end = true;
	identify_hosted(&program.profile, h->program, image);
	const int status = run_and_write(&state, &program, &options);
	qemu_programs_free(program.next);
	profile_fini(&program.profile);
	return status == STATUS_OK ? program.run.status : -RUN_STATUS_FAILED;
}
