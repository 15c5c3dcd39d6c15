/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#define _GNU_SOURCE /* strsignal() */
#include "host/cmd/profile_hosted.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "host/base/array.h"
#include "host/cmd/run_end.h"
#include "host/cmd/run_machine.h"
#include "host/qemu/qemu.h"

static int emit_hosted_bytes(void *context, const void *bytes, size_t size)
{
	return fwrite(bytes, 1, size, context) == size ? 0 : 1;
}

/* What was written is no more. */
static bool restart_hosted_file(void *context)
{
	rewind(context);
	return ftruncate(fileno(context), 0) == 0;
}

static bool flush_hosted_file(void *context)
{
	return fflush(context) == 0;
}

/* What the numbers leave open, and how the program ended. */
static void tell_run(const char *program, const struct qemu_run *run)
{
	if (run->made > 0)
		complain("%s: %s of %s instructions ran in code that no file has, made at run time or by the emulator "
			 "for signal handlers: no row has them",
		    program, with_commas(run->made), with_commas(run->executed));
	if (run->outside > 0)
		complain("%s: %s of %s instructions ran in files that cannot be read (%s): no row has them", program,
		    with_commas(run->outside), with_commas(run->executed), run->unread);
	if (run->unknown > 0)
		complain("%s: of %s instructions in blocks that a signal or a fault ended it is not known which ran",
		    program, with_commas(run->unknown));
	if (run->unclear > 0)
		complain("%s: of %lu blocks about a signal it is not known which they were: no number has their "
			 "instructions",
		    program, (unsigned long)run->unclear);
	if (run->uncounted > 0)
		complain("%s: %lu threads or children found no memory to count in: what they ran is in no number",
		    program, (unsigned long)run->uncounted);
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
		complain("%s: processes went on %lu times as a program of RISC-V (exec): what each ran is in the "
			 "profile of that program",
		    program, run->followed);
	if (run->signal != 0)
		complain("%s: was ended by signal %d (%s); what it ran until then follows", program, run->signal,
		    strsignal(run->signal));
	else if (run->status != 0)
		complain("%s: ended with status %d", program, run->status);
}

/* The same of a whole system. */
static void tell_system(const char *program, const char *emulator, const struct qemu_run *run)
{
	if (run->modes_unknown)
		complain("%s: has -d or -D, so its log is yours: privilege modes are not known, nor how much ran of "
			 "blocks that traps ended",
		    emulator);
	if (run->unknown > 0)
		complain("%s: of %s instructions in blocks that a trap ended, or the end of the emulator, it is not "
			 "known which ran",
		    program, with_commas(run->unknown));
	if (run->signal != 0)
		complain("%s: was ended by signal %d (%s); what ran until then follows", emulator, run->signal,
		    strsignal(run->signal));
	else if (run->status != 0)
		complain("%s: ended with status %d", emulator, run->status);
}

static int write_hosted_profile(const struct profile *profile, struct output *output, const char *path, int status)
{
	if (profile_write(profile, emit_hosted_bytes, output_file(output)) != PROFILE_OK) {
		complain("%s: the profile cannot be written: %s", path, strerror(errno));
		status = STATUS_FAILED;
	}
	return finish_output(output, status);
}

/* Records that are not whole cost their own file alone. */
static void finish_records(
    struct output *output, const char *path, const struct qemu_run *run, bool good, struct hosted_others *others)
{
	const bool lost = good && run->records_lost[0] != '\0';
	if (lost)
		complain("%s: the records cannot be written, and are not kept; the counts are %s: %s", path,
		    run->uncounted > 0 ? "there in part" : "whole", run->records_lost);
	if (finish_output(output, good && !lost ? STATUS_OK : STATUS_FAILED) != STATUS_OK)
		others->records_failed = true;
}

/* ---------------------------------------------------------------- programs that processes became */

/* What is no regular file (a device, a pipe) has nothing beside it. */
static bool has_beside(const char *path)
{
	struct stat there;
	return path != NULL && (stat(path, &there) != 0 || S_ISREG(there.st_mode));
}

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');
	return slash == NULL ? path : slash + 1;
}

/* Whether both are one place, there yet or not. */
static bool same_place(const char *a, const char *b)
{
	struct stat folders[2];
	const char *const paths[] = {a, b};
	if (strcmp(base_name(a), base_name(b)) != 0)
		return false;
	for (int i = 0; i < 2; i++) {
		char folder[HOSTED_PATH_MAX];
		const int length = (int)(base_name(paths[i]) - paths[i]);
		snprintf(folder, sizeof folder, "%.*s", length == 0 ? 1 : length, length == 0 ? "." : paths[i]);
		if (stat(folder, &folders[i]) != 0)
			return false;
	}
	return folders[0].st_dev == folders[1].st_dev && folders[0].st_ino == folders[1].st_ino;
}

/* Whether the run writes this file for something else. */
static bool is_used(const struct hosted_run *h, const struct hosted_others *others, const char *name)
{
	if (same_place(name, h->profile) || (h->records != NULL && same_place(name, h->records)))
		return true;
	for (size_t i = 0; i < others->count; i++) {
		const struct hosted_other *other = &others->all[i];
		if (same_place(name, other->profile) || (h->records != NULL && same_place(name, other->kept)))
			return true;
	}
	return false;
}

/* "sort.prof.wc"; where that is taken "sort.prof.wc.2". False: it is too long. */
static bool name_files(const struct hosted_run *h, const struct hosted_others *others, struct hosted_other *other)
{
	for (unsigned n = 1;; n++) {
		char number[16] = "";
		if (n > 1)
			snprintf(number, sizeof number, ".%u", n);
		const int counts = snprintf(
		    other->profile, sizeof other->profile, "%s.%s%s", h->profile, base_name(other->program), number);
		const int records = h->records == NULL ? 0
						       : snprintf(other->kept, sizeof other->kept, "%s.%s%s",
							     h->records, base_name(other->program), number);
		if ((size_t)counts >= sizeof other->profile || (size_t)records >= sizeof other->kept)
			return false;
		if (!is_used(h, others, other->profile) &&
		    (h->records == NULL ||
			(!same_place(other->kept, other->profile) && !is_used(h, others, other->kept))))
			return true;
	}
}

struct hosted_state {
	const struct hosted_run *run;
	struct hosted_others *others;
	bool failed;
	bool beside_nothing; /* other programs ran, and have no file */
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
	program->context = NULL;
	if (!has_beside(h->profile)) {
		state->beside_nothing = true;
		return;
	}
	if (!array_room(&others->all, others->count + 1, &others->room)) {
		complain("out of memory");
		state->failed = true;
		return;
	}
	struct hosted_other *other = &others->all[others->count];
	*other = (struct hosted_other){.profile = ""};
	snprintf(other->program, sizeof other->program, "%s", program->path);
	const bool named = name_files(h, others, other);
	others->count++;
	if (!named)
		complain("%s: the name of its file beside %s is too long", program->path, h->profile);
	if (named && has_beside(h->records))
		other->records = begin_output(other->kept, OUTPUT_REPLACE, inputs, 2);
	state->failed = state->failed || !named || (has_beside(h->records) && other->records == NULL);
	program->context = other->records == NULL ? NULL : output_file(other->records);
}

/* NULL: it ran nothing that can be read. */
static const struct qemu_program *program_of_file(const struct qemu_program *first, const struct hosted_other *other)
{
	const struct qemu_program *p = first;
	while (p != NULL && strcmp(p->path, other->program) != 0)
		p = p->next;
	return p;
}

/* The profile of another program; no program that ran is written over. */
static int write_other(struct hosted_state *state, const struct hosted_other *other, const struct qemu_program *p)
{
	const struct hosted_others *others = state->others;
	const char **inputs = calloc(others->count + 1, sizeof *inputs);
	int status = STATUS_FAILED;
	if (inputs == NULL)
		return STATUS_FAILED;
	for (size_t i = 0; i < others->count; i++)
		inputs[i] = others->all[i].program;
	inputs[others->count] = state->run->program;
	struct output *output = begin_output(other->profile, OUTPUT_REPLACE, inputs, others->count + 1);
	if (output != NULL)
		status = write_hosted_profile(&p->profile, output, other->profile, STATUS_OK);
	free(inputs);
	return status;
}

/* What the others counted is written, each whatever became of the rest; those that ran nothing that can be read have
 * no file. */
static int finish_others(struct hosted_state *state, const struct qemu_program *first, int status)
{
	static const struct qemu_run none;
	struct hosted_others *others = state->others;
	const bool good = status == STATUS_OK;
	for (size_t i = 0; i < others->count; i++) {
		struct hosted_other *other = &others->all[i];
		const struct qemu_program *p = program_of_file(first, other);
		if (other->records != NULL)
			finish_records(other->records, other->kept, p != NULL ? &p->run : &none, good, others);
		other->records = NULL;
		if (good && p != NULL && write_other(state, other, p) != STATUS_OK)
			status = STATUS_FAILED;
	}
	for (const struct qemu_program *p = first; p != NULL && good; p = p->next) {
		if (p->image == NULL)
			complain("%s: %s instructions ran in it, and it cannot be read", p->path,
			    with_commas(p->run.executed));
		else
			tell_run(p->path, &p->run);
	}
	if (good && state->beside_nothing)
		complain("%s: is no regular file, so the profiles of other programs are not kept beside it",
		    state->run->profile);
	if (good && others->count > 0 && state->run->records != NULL && !has_beside(state->run->records))
		complain("%s: is no regular file, so the records of other programs are not kept beside it",
		    state->run->records);
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
static int run_and_write(struct hosted_state *state, struct qemu_program *program, struct qemu_options *options)
{
	const struct hosted_run *h = state->run;
	char detail[1024];
	struct output *records, *counts;
	if (begin_files(h, &records, &counts) != STATUS_OK)
		return STATUS_FAILED;
	program->context = records == NULL ? NULL : output_file(records);
	if (records != NULL && output_is_beside(records)) { /* rivulet view --serve may follow it */
		options->restart = restart_hosted_file;
		options->flush = flush_hosted_file;
	}
	const int error = h->system != NULL
			      ? qemu_profile_system(program, h->system, h->ranges, options, detail, sizeof detail)
			      : qemu_profile(program, h->words, options, detail, sizeof detail);
	int status = error == QEMU_OK && !state->failed ? STATUS_OK : STATUS_FAILED;
	stop_signal = program->run.told;
	if (error != QEMU_OK)
		complain("%s: %s", h->program, detail);
	if (records != NULL)
		finish_records(records, h->records, &program->run, status == STATUS_OK, state->others);
	if (status == STATUS_OK)
		status = write_hosted_profile(&program->profile, counts, h->profile, status);
	else
		finish_output(counts, STATUS_FAILED);
	if (error == QEMU_OK && h->system != NULL)
		tell_system(h->program, h->system->words[0], &program->run);
	else if (error == QEMU_OK)
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
