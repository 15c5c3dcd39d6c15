/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#define _GNU_SOURCE /* strsignal() */
#include "host/cmd/profile_hosted.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
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
		complain("%s: %lu processes went on as another program (exec): what that did is not in it", program,
		    run->replaced);
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

/* A program that is missing has no name; what runs is the file that is looked at. */
int run_hosted(const struct hosted_run *h, struct image *image)
{
	const char *const inputs[] = {h->program};
	char detail[1024];
	struct profile profile;
	struct qemu_run run;
	struct output *records = NULL, *counts = NULL;
	struct core core;
	struct qemu_options options = {
	    .ordered = h->records != NULL, .edges = h->edges, .emit = emit_hosted_bytes, .rules = h->core};
	if (h->core != NULL && core_open(&core, h->core, detail, sizeof detail) != CORE_OK) {
		complain("%s", detail);
		return -RUN_STATUS_FAILED;
	}
	options.core = h->core == NULL ? NULL : &core;
	options.folder = getenv("TMPDIR");
	if (options.folder == NULL || *options.folder == '\0')
		options.folder = "/tmp";
	if (h->records != NULL && (records = begin_output(h->records, OUTPUT_REPLACE, inputs, 1)) == NULL)
		return -RUN_STATUS_FAILED;
	if (h->profile != NULL && (counts = begin_output(h->profile, OUTPUT_REPLACE, inputs, 1)) == NULL) {
		if (records != NULL)
			finish_output(records, STATUS_FAILED);
		return -RUN_STATUS_FAILED;
	}
	options.context = records == NULL ? NULL : output_file(records);
	profile_init(&profile);
	profile.by_length = profile.has_header = profile.has_end = true;
	if (image_build(image, &profile.header.build, NULL, 0) != IMAGE_OK)
		profile.header.build = image_code_build(image);
	profile.header.way = RUN_STREAM;
	profile.header.period = 1;
	run_name(h->program, image, profile.header.name);
	const int error = qemu_profile(image, h->words, &options, &profile, &run, detail, sizeof detail);
	int status = error == QEMU_OK ? STATUS_OK : STATUS_FAILED;
	stop_signal = run.told;
	if (error != QEMU_OK)
		complain("%s: %s", h->program, detail);
	if (records != NULL)
		status = finish_output(records, status);
	if (counts != NULL && status == STATUS_OK)
		status = write_hosted_profile(&profile, counts, h->profile, status);
	else if (counts != NULL)
		finish_output(counts, STATUS_FAILED);
	if (error == QEMU_OK)
		tell_run(h->program, &run);
	profile_fini(&profile);
	return status == STATUS_OK ? run.status : -RUN_STATUS_FAILED;
}
