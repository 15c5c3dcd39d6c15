/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* rivulet sweep: programs x inputs x settings, a profile for each, one table. */
#include <argp.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>
#include "host/cmd/parse_options.h"
#include "host/cmd/sweep.h"
#include "host/cmd/table_options.h"

COMMAND(125, sweep, "many runs: programs x inputs x settings, resumed and in one table");

enum { KEY_SLURM = 256 };

struct arguments {
	struct sweep_command sweep;
	const char *task;
	enum table_format format;
	bool show;
};

#define OPTIONS_OF struct arguments
static const struct option_row options[] = {
    {"output", 'o', "DIR", "The folder of the cells (default: FILE.cells)", OPTION_TEXT(sweep.folder)},
    {"jobs", 'j', "N", "Cells at a time (default: the processors that there are)",
	OPTION_NUMBER(sweep.at_once, 1, 4096, "a number from 1 to 4096")},
    {"show", 0, NULL, "Run nothing: the table of what there is", OPTION_FLAG(show)},
    {"slurm", KEY_SLURM, "OPTIONS", "Hand the cells to Slurm as an array and wait for them; OPTIONS are sbatch's",
	OPTION_OWN, .flags = OPTION_ARG_OPTIONAL},
    {"silence", 0, "MINUTES", "Give the job up when Slurm has not answered for so long (default: 60)",
	OPTION_NUMBER(sweep.silence, 0, 1000000, "a number of minutes")},
    {"task", 0, "I/N", "The part of a task of that array; for Slurm alone", OPTION_TEXT(task)},
    OPTION_CHILD(format),
    OPTION_OPERAND(sweep.file, "one file is expected", "a file that describes the sweep is expected"),
    {0},
};

static error_t parse_sweep_option(int key, char *value, struct argp_state *state)
{
	struct arguments *a = state->input;
	switch (key) {
	case KEY_SLURM:
		a->sweep.slurm = value == NULL ? "" : value;
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

/* The cells that have not ended well. */
static size_t list_pending(const struct sweep_command *s, size_t *cells)
{
	size_t count = 0;
	for (size_t i = 0; i < s->plan.cells; i++) {
		struct sweep_done done;
		sweep_done(&s->plan, s->folder, i, &done);
		if (!done.there || done.status != 0 || done.lacks)
			cells[count++] = i;
	}
	return count;
}

/* Alone with this folder as long as the process lives. */
static int lock_folder(const struct sweep_command *s)
{
	char path[SWEEP_PATH];
	if (mkdir(s->folder, 0777) != 0 && errno != EEXIST) {
		complain("%s: cannot be made: %s", s->folder, strerror(errno));
		return STATUS_FAILED;
	}
	snprintf(path, sizeof path, "%s/lock", s->folder);
	FILE *lock = fopen(path, "we"); /* not for the cells */
	if (lock == NULL || flock(fileno(lock), LOCK_EX | LOCK_NB) != 0) {
		bool other = lock != NULL && errno == EWOULDBLOCK;
		complain("%s: %s", path, other ? "another sweep is at work in this folder" : strerror(errno));
		if (lock != NULL)
			fclose(lock);
		return STATUS_FAILED;
	}
	return STATUS_OK; /* the file stays open, and with it the lock */
}

static int run_pending(const struct sweep_command *s)
{
	if (lock_folder(s) != STATUS_OK)
		return STATUS_FAILED;
	size_t *cells = calloc(s->plan.cells, sizeof *cells);
	if (cells == NULL) {
		complain("out of memory");
		return STATUS_FAILED;
	}
	size_t count = list_pending(s, cells);
	if (count < s->plan.cells)
		complain("%s: %s of %s cells are there already", s->file, with_commas(s->plan.cells - count),
		    with_commas(s->plan.cells));
	int status = sweep_builds(s, cells, &count);
	if (count == 0 || (status != STATUS_OK && status != STATUS_NO))
		;
	else if (s->slurm != NULL)
		status = sweep_slurm(s, cells, count);
	else
		status = sweep_cells(s, cells, count, true);
	free(cells);
	return status;
}

/* Names of the cells that failed or never ran: their values and what to read. */
static int tell_failed(const struct sweep_command *s)
{
	size_t failed = 0, missing = 0;
	for (size_t i = 0; i < s->plan.cells; i++) {
		struct sweep_done done;
		char path[SWEEP_PATH];
		sweep_done(&s->plan, s->folder, i, &done);
		missing += !done.there;
		if (!done.there || (done.status == 0 && !done.lacks) || failed++ >= 8 ||
		    !sweep_path(&s->plan, s->folder, i, "output", path))
			continue;
		complain("%s: status %d%s; what it said: %s", sweep_title(&s->plan, i), done.status,
		    done.lacks ? ", but it left no profile" : "", path);
	}
	if (failed > 8)
		complain("... and %s more", with_commas(failed - 8));
	sweep_tell_builds(s);
	if (missing > 0)
		complain("%s of %s cells have not run", with_commas(missing), with_commas(s->plan.cells));
	return failed + missing > 0 ? STATUS_NO : STATUS_OK;
}

/* Cells that a rebuilt program, or another input, has made old; builds, of which `of` is the sweep, that their sources
 * have. All of them go with the folder of the cells. */
static void tell_older(const struct sweep_command *s, const struct sweep_command *of, const char *what)
{
	char file[SWEEP_PATH], first[SWEEP_PATH];
	size_t older = 0;
	for (size_t i = 0; i < of->plan.cells; i++) {
		if (sweep_older(&of->plan, of->folder, i, file) && older++ == 0)
			memcpy(first, file, sizeof first);
	}
	if (older > 0)
		complain("%s: %s of %s %s ended before %s was written, or another file that they name: remove %s, "
			 "and they run anew",
		    s->file, with_commas(older), with_commas(of->plan.cells), what, first, s->folder);
}

static int sweep_whole(struct arguments *a)
{
	const struct sweep_command *s = &a->sweep;
	int status = a->show ? STATUS_OK : run_pending(s);
	if (status != STATUS_OK && status != STATUS_NO)
		return status;
	const bool whole = sweep_table(s, a->format);
	tell_older(s, s, "cells");
	if (s->plan.build != NULL) {
		const struct sweep_command builds = sweep_of_builds(s);
		tell_older(s, &builds, "builds");
	}
	status = tell_failed(s);
	if (!whole)
		status = STATUS_NO;
	if (!a->show && s->plan.merged != SIZE_MAX && sweep_merge(s) != STATUS_OK)
		status = STATUS_NO;
	return end_output(status);
}

/* Whether each {NAME} of the command stands behind a quote: "{profile}". */
static bool names_in_quotes(const char *command, const char *name)
{
	for (const char *at = command; at != NULL && (at = strstr(at, name)) != NULL; at++) {
		if (at == command || at[-1] != '"')
			return false;
	}
	return true;
}

/* {profile} and {built} begin with the folder's name: the shell must not take it apart. False: told. */
static bool check_folder_name(const struct sweep_command *s)
{
	const char *run = s->plan.run, *build = s->plan.build != NULL ? s->plan.build->run : NULL;
	const bool quoted =
	    names_in_quotes(run, "{profile}") && names_in_quotes(run, "{built}") && names_in_quotes(build, "{built}");
	const char *apart = strpbrk(s->folder, quoted ? "$`\"\\\n" : "$`\"\\\n \t';&|<>()*?[]{}#~!");
	if (apart != NULL && (strstr(run, "{profile}") != NULL || strstr(run, "{built}") != NULL || build != NULL))
		complain(
		    "%s: the shell takes this name apart at `%c': give another --output, without such characters%s",
		    s->folder, *apart, quoted ? "" : ", or write \"{profile}\" and \"{built}\" in quotes");
	else
		apart = NULL;
	return apart == NULL;
}

int cmd_sweep(int argc, char **argv)
{
	static const struct argp_child children[] = {TABLE_CHILD, {0}};
	static const struct argp argp = {NULL, parse_sweep_option, "FILE",
	    "Runs a command for each choice of values, as FILE describes it: `NAME VALUE...' for each axis, `run "
	    "COMMAND' "
	    "with {NAME} for a value and {profile} for the file that the run leaves, `build COMMAND' for what comes "
	    "before, `merge NAME' to add up profiles over an axis, `column NAME...' for what the command says. Cells "
	    "that have ended well are not run again; those that failed are.\v"
	    "Exit status: 0 every cell has ended well; 1 some have not, they are named; 2 FILE or the folder cannot be "
	    "used. Manual: docs/sweep.md",
	    children, NULL, NULL};
	struct arguments a = {0};
	char detail[1024], folder[SWEEP_PATH], built[SWEEP_PATH];
	long processors = sysconf(_SC_NPROCESSORS_ONLN);
	a.sweep.at_once = processors > 0 ? (unsigned)processors : 1;
	a.sweep.silence = 60;
	parse_options(&argp, options, argc, argv, 0, &a);
	if (a.sweep.folder == NULL) {
		snprintf(folder, sizeof folder, "%s.cells", a.sweep.file);
		a.sweep.folder = folder;
	}
	int status = STATUS_FAILED;
	catch_stop_signals();
	if (sweep_plan_read(&a.sweep.plan, a.sweep.file, detail, sizeof detail) != SWEEP_OK)
		complain("%s", detail);
	else if (check_folder_name(&a.sweep)) {
		snprintf(built, sizeof built, "%s/built", a.sweep.folder);
		a.sweep.plan.built = built;
		if (a.sweep.plan.build != NULL)
			a.sweep.plan.build->built = built;
		status = a.task != NULL ? sweep_task(&a.sweep, a.task) : sweep_whole(&a);
	}
	sweep_plan_free(&a.sweep.plan);
	return status;
}
