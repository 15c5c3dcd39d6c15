/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#include "host/cmd/record_debugger.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include "host/cmd/cmd.h"
#include "host/cmd/run_machine.h"
#include "host/debugger/collect.h"
#include "host/debugger/openocd.h"

#define TAKEN_AT_ONCE 64u /* records, before it looks whether it is to end */

/* What goes on while it collects. */
struct session {
	const struct record_debugger *what;
	struct openocd *openocd;
	struct collect collect;
	struct profile profile;
	uint64_t until; /* address, if there is one */
	struct timespec begin, shown;
};

static int read_registers(void *context, unsigned index, unsigned count, uint32_t *words)
{
	struct session *s = context;
	return openocd_read(s->openocd, s->what->base + 4 * index, count, words);
}

static int write_register(void *context, unsigned index, uint32_t word)
{
	struct session *s = context;
	return openocd_write(s->openocd, s->what->base + 4 * index, word);
}

static int tell_openocd_error(const struct session *s, int error)
{
	const char *said = openocd_said(s->openocd);
	if (error == OPENOCD_ECONNECT)
		complain("%s: %s: %s", s->what->openocd, openocd_strerror(error), strerror(errno));
	else
		complain(
		    "%s: %s%s%.200s", s->what->openocd, openocd_strerror(error), said[0] != '\0' ? ": " : "", said);
	return STATUS_FAILED;
}

static int tell_collect_error(const struct session *s, int error)
{
	if (error == COLLECT_EPORT)
		return tell_openocd_error(s, s->collect.error);
	if (error == COLLECT_EPROFILE)
		complain("%s: %s: %s", s->what->output, collect_strerror(error), profile_strerror(s->collect.error));
	else
		complain("the trace unit at 0x%08" PRIx64 ": %s", s->what->base, collect_strerror(error));
	return STATUS_FAILED;
}

static double seconds_since(const struct timespec *then)
{
	struct timespec now;
	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)(now.tv_sec - then->tv_sec) + 1e-9 * (double)(now.tv_nsec - then->tv_nsec);
}

static void show_collected(struct session *s, bool last)
{
	if (s->what->quiet || isatty(STDERR_FILENO) == 0 || (!last && seconds_since(&s->shown) < 1))
		return;
	clock_gettime(CLOCK_MONOTONIC, &s->shown);
	fprintf(stderr, last ? "\r%60s\r" : "\r%s records left the table", last ? "" : with_commas(s->collect.records));
}

/* Whether the run is over, by the program's own word. Returns 0, 1, or an error of OpenOCD. */
static int program_ended(struct session *s)
{
	uint32_t word;
	if (s->what->until == NULL)
		return 0;
	const int error = openocd_read(s->openocd, s->until, 1, &word);
	return error != OPENOCD_OK ? error : word != 0;
}

static int collect_all(struct session *s)
{
	const struct timespec pause = {.tv_nsec = 1000000};
	int error = COLLECT_OK, ended = 0;
	while (error >= 0 && ended == 0 && stop_signal == 0 &&
	       (s->what->seconds < 0 || seconds_since(&s->begin) < s->what->seconds)) {
		error = collect_take(&s->collect, &s->profile, TAKEN_AT_ONCE);
		if (error == 0)
			nanosleep(&pause, NULL);
		if (error >= 0)
			ended = program_ended(s);
		show_collected(s, false);
	}
	show_collected(s, true);

	/* The unit is switched off whatever has happened; the first error is the one that counts. */
	const int last = collect_end(&s->collect, &s->profile);
	if (ended < 0)
		return tell_openocd_error(s, ended);
	if (error < 0 || last < 0)
		return tell_collect_error(s, error < 0 ? error : last);
	return STATUS_OK;
}

static int emit_debugged(void *context, const void *bytes, size_t size)
{
	return fwrite(bytes, 1, size, context) == size ? 0 : 1;
}

static int write_debugged(struct session *s, const struct image *image, FILE *file)
{
	struct profile *profile = &s->profile;
	profile->header = (struct profile_header){.source = PROFILE_DEBUGGER,
	    .xlen = s->collect.xlen,
	    .hist = s->collect.hist,
	    .ctrl = s->collect.ctrl,
	    .way = RUN_TABLE,
	    .period = 1};
	if (image_build(image, &profile->header.build, NULL, 0) != IMAGE_OK)
		profile->header.build = image_code_build(image);
	run_name(s->what->program, image, profile->header.name);
	profile->end = (struct profile_end){.lost = s->collect.lost};
	profile->has_header = profile->has_end = true;
	if (profile_write(profile, emit_debugged, file) != PROFILE_OK) {
		complain("%s: the profile cannot be written: %s", s->what->output, strerror(errno));
		return STATUS_FAILED;
	}
	if (s->collect.refused > 0)
		complain("%s: %s traces came in records that no trace unit makes: they are left out. Look at the "
			 "adapter's wires and speed",
		    s->what->output, with_commas(s->collect.refused));
	if (s->collect.lost == 0)
		return s->collect.refused > 0 ? STATUS_NO : STATUS_OK;
	complain(
	    "%s: %s%s traces are missing: they left the table faster than the debugger took them. A faster adapter, a "
	    "larger table or a deeper buffer keeps them",
	    s->what->output, with_commas(s->collect.lost), s->collect.lost == UINT32_MAX ? " or more" : "");
	return STATUS_NO;
}

static int run_session(struct session *s, const struct image *image, FILE *file, bool *empty)
{
	const struct collect_port port = {s, read_registers, write_register};
	int error = openocd_open(&s->openocd, s->what->openocd, s->what->tap);
	if (error != OPENOCD_OK)
		return tell_openocd_error(s, error);
	if (s->what->until != NULL && image_symbol(image, s->what->until, &s->until) != IMAGE_OK) {
		complain("%s: has no symbol `%s'", s->what->program, s->what->until);
		return STATUS_FAILED;
	}
	error = collect_begin(&s->collect, &port);
	if (error != COLLECT_OK)
		return tell_collect_error(s, error);
	clock_gettime(CLOCK_MONOTONIC, &s->begin);
	s->shown = s->begin;
	int status = collect_all(s);
	*empty = status == STATUS_FAILED || s->profile.total == 0;
	if (*empty)
		return status;
	status = write_debugged(s, image, file);
	if (!s->what->quiet)
		complain("%s: %s traces in %s distinct paths; %s records left the table of %u entries", s->what->output,
		    with_commas(s->profile.total), with_commas(s->profile.used), with_commas(s->collect.records),
		    s->collect.entries);
	return status;
}

int record_debugger(const struct record_debugger *what, FILE *file, bool *empty)
{
	struct session s = {.what = what};
	struct image *image = NULL;
	char detail[1024];
	*empty = true;
	int status = STATUS_FAILED;
	if (image_open(&image, what->program, detail, sizeof detail) != IMAGE_OK)
		complain("%s", detail);
	else if (profile_init(&s.profile) != PROFILE_OK)
		complain("%s: out of memory", what->program);
	else
		status = run_session(&s, image, file, empty);
	openocd_close(s.openocd);
	profile_fini(&s.profile);
	image_close(image);
	return status;
}
