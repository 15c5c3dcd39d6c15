/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* The cells of a sweep as an array of Slurm: task I of N runs the cells I, I + N, ... of FOLDER/pending. */
#define _XOPEN_SOURCE 700 /* realpath() */
#include "host/cmd/sweep.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/statvfs.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include "host/base/array.h"

#define SLURM_TASKS 1000 /* of an array: Slurm's MaxArraySize is 1001 unless its configuration says otherwise */

static int write_pending(const struct sweep_command *s, const size_t *cells, size_t count)
{
	char path[SWEEP_PATH];
	snprintf(path, sizeof path, "%s/pending", s->folder);
	struct output *output = begin_output(path, OUTPUT_REPLACE, NULL, 0);
	if (output == NULL)
		return STATUS_FAILED;
	for (size_t i = 0; i < count; i++)
		fprintf(output_file(output), "%zu\n", cells[i]);
	return finish_output(output, STATUS_OK);
}

/* In single quotes for the shell. */
static void put_quoted(FILE *out, const char *text)
{
	fputc('\'', out);
	for (; *text != '\0'; text++)
		fputs(*text == '\'' ? "'\\''" : (const char[]){*text, '\0'}, out);
	fputc('\'', out);
}

/* This program's own file: the nodes have the same file system, or Slurm has none of our cells either. */
static char *own_program(void)
{
	return realpath("/proc/self/exe", NULL);
}

static char *sbatch_command(const struct sweep_command *s, size_t tasks)
{
	char *command = NULL, *wrapped = NULL, *program = own_program();
	char *file = realpath(s->file, NULL), *folder = realpath(s->folder, NULL);
	size_t size;
	FILE *out = program == NULL || file == NULL || folder == NULL ? NULL : open_memstream(&wrapped, &size);
	if (out != NULL) {
		put_quoted(out, program);
		fputs(" sweep -j 1 --task \"$SLURM_ARRAY_TASK_ID\"", out);
		fprintf(out, "/%zu -o ", tasks);
		put_quoted(out, folder);
		fputc(' ', out);
		put_quoted(out, file);
		fclose(out);
		out = open_memstream(&command, &size);
	}
	if (out != NULL) {
		fprintf(out, "sbatch --parsable --array=0-%zu --job-name=rivulet-sweep --output=", tasks - 1);
		put_quoted(out, folder);
		fprintf(out, "/slurm-%%a.log %s --wrap ", s->slurm);
		put_quoted(out, wrapped);
		fclose(out);
	}
	free(wrapped);
	free(program);
	free(file);
	free(folder);
	return command;
}

/* ---------------------------------------------------------------- the job */

struct job {
	const struct sweep_command *s;
	char number[32];
	char waits[128];  /* why its tasks wait, as Slurm says it; "": they do not */
	unsigned waiting; /* looks with this reason */
	bool silent;      /* Slurm did not answer the last time */
	time_t since;     /* ... and not since then */
	time_t tell;      /* when to say so again */
};

/* What Slurm calls the end of a task, and what to say of it; the others go on. */
static const struct {
	const char *state, *words;
} ends[] = {{"COMPLETED", NULL}, {"FAILED", "ended with another status than 0: each said why in its slurm-TASK.log"},
    {"CANCELLED", "were cancelled"}, {"NODE_FAIL", "ended because their node died"},
    {"BOOT_FAIL", "had a node that did not start"}, {"PREEMPTED", "made room for other jobs"},
    {"REVOKED", "were taken by another cluster"},
    {"TIMEOUT", "took longer than they may (--slurm=--time=MINUTES gives them more)"},
    {"DEADLINE", "were not ready by their deadline"},
    {"OUT_OF_MEMORY", "needed more memory than they may have (--slurm=--mem=SIZE gives them more)"}};
enum { ENDS = sizeof ends / sizeof *ends };

/* Submits; sbatch itself says what it does not like. */
static int submit_job(const char *command, struct job *job)
{
	fflush(NULL);
	FILE *pipe = popen(command, "r");
	const bool numbered = pipe != NULL && fscanf(pipe, "%31[0-9]", job->number) == 1;
	for (int c = 0; pipe != NULL && c != EOF;)
		c = fgetc(pipe);
	const int status = pipe == NULL ? -1 : pclose(pipe);
	if (status == 0 && numbered)
		return STATUS_OK;
	if (status == -1 || (WIFEXITED(status) && WEXITSTATUS(status) == 127))
		complain("sbatch cannot be started: Slurm's commands are expected (Debian: slurm-client)");
	else
		complain("%s: Slurm did not take the cells; sbatch says why above", job->s->file);
	return STATUS_FAILED;
}

/* Its tasks wait: says why if that stays so, such as on nodes that are down. */
static void tell_waiting(struct job *job, const char *why)
{
	job->waiting = strcmp(job->waits, why) == 0 ? job->waiting + 1 : 0;
	snprintf(job->waits, sizeof job->waits, "%s", why);
	if (job->waiting == 3 && *why != '\0')
		complain("%s: job %s of Slurm waits: %s", job->s->file, job->number, why);
}

static time_t now_seconds(void)
{
	struct timespec now;
	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec;
}

/* Says at once that Slurm is silent, then after 1, 2, 4, ... minutes, and that it answers again. */
static void tell_silence(struct job *job, bool answered)
{
	const time_t now = now_seconds();
	if (!answered && !job->silent) {
		complain("%s: Slurm does not say how job %s is: is its controller there?", job->s->file, job->number);
		job->since = now;
		job->tell = now + 60;
	}
	const unsigned long minutes = (unsigned long)(now - job->since) / 60;
	if (answered && job->silent && minutes > 0)
		complain("%s: Slurm answers again, after %lu minutes", job->s->file, minutes);
	if (!answered && now >= job->tell) {
		complain("%s: Slurm has not said for %lu minutes how job %s is; it is given up after %u (--silence)",
		    job->s->file, minutes, job->number, job->s->silence);
		job->tell = now + (now - job->since);
	}
	job->silent = !answered;
}

/* Whether that lasts too long. */
static bool is_given_up(const struct job *job)
{
	return job->silent && now_seconds() - job->since >= (time_t)job->s->silence * 60;
}

/* Looks at all tasks once, and counts how they ended. True: some go on. */
static bool look_at_job(struct job *job, size_t ended[ENDS])
{
	char command[160], line[256], waits[sizeof job->waits] = "";
	bool runs = false, answered = false;
	memset(ended, 0, ENDS * sizeof *ended);
	snprintf(command, sizeof command, "squeue --noheader --array --states=all --format='%%T %%r' --jobs=%s 2>&1",
	    job->number);
	FILE *pipe = popen(command, "r");
	bool goes_on = false;
	while (pipe != NULL && fgets(line, sizeof line, pipe) != NULL) {
		size_t end = 0;
		line[strcspn(line, "\n")] = '\0';
		if (strstr(line, "error: ") != NULL) {
			answered = answered || strstr(line, "Invalid job id") != NULL; /* long over */
			continue;
		}
		char *why = line + strcspn(line, " ");
		if (*why != '\0')
			*why++ = '\0';
		answered = true;
		while (end < ENDS && strcmp(line, ends[end].state) != 0)
			end++;
		if (end < ENDS) {
			ended[end]++;
			continue;
		}
		goes_on = true;
		runs = runs || strcmp(line, "PENDING") != 0;
		snprintf(waits, sizeof waits, "%s", why);
	}
	if (pipe != NULL)
		pclose(pipe);
	tell_silence(job, answered);
	tell_waiting(job, runs ? "" : waits);
	return goes_on || !answered;
}

static int await_job(struct job *job)
{
	size_t ended[ENDS];
	unsigned pause = 1;
	while (look_at_job(job, ended) && stop_signal == 0 && !is_given_up(job)) {
		sleep(pause);
		pause += pause < 10;
	}
	if (stop_signal == 0 && is_given_up(job)) {
		complain("%s: job %s is given up: Slurm has not said for %u minutes how it is. It may run on: `scancel "
			 "%s' ends it; the same command then goes on",
		    job->s->file, job->number, job->s->silence, job->number);
		return STATUS_FAILED;
	}
	if (stop_signal != 0) {
		char command[64];
		snprintf(command, sizeof command, "scancel %s", job->number);
		if (system(command) == 0)
			complain("%s: interrupted: job %s of Slurm is cancelled; the same command goes on",
			    job->s->file, job->number);
		return stop_status();
	}
	for (size_t i = 0; i < ENDS; i++) {
		if (ended[i] > 0 && ends[i].words != NULL)
			complain("%s: job %s of Slurm: %s tasks %s", job->s->file, job->number, with_commas(ended[i]),
			    ends[i].words);
	}
	return STATUS_OK; /* how each cell ended its folder says */
}

/* What is written there is lost, and may be why. */
static void tell_full_disk(const struct sweep_command *s)
{
	struct statvfs disk;
	if (statvfs(s->folder, &disk) == 0 && disk.f_bavail == 0)
		complain("%s: no space is left there: cells cannot keep what they made", s->folder);
}

int sweep_slurm(const struct sweep_command *s, const size_t *cells, size_t count)
{
	size_t tasks = count < SLURM_TASKS ? count : SLURM_TASKS;
	struct job job = {.s = s};
	if (write_pending(s, cells, count) != STATUS_OK)
		return STATUS_FAILED;
	char *command = sbatch_command(s, tasks);
	if (command == NULL) {
		complain("%s: %s", s->file, strerror(errno));
		return STATUS_FAILED;
	}
	complain("%s: %s cells in %s tasks of Slurm", s->file, with_commas(count), with_commas(tasks));
	int status = submit_job(command, &job);
	if (status == STATUS_OK)
		status = await_job(&job);
	tell_full_disk(s);
	free(command);
	return status;
}

int sweep_task(const struct sweep_command *s, const char *task)
{
	char path[SWEEP_PATH];
	size_t *cells = NULL, count = 0, room = 0, cell, line = 0;
	uint64_t index, tasks;
	if (sscanf(task, "%" SCNu64 "/%" SCNu64, &index, &tasks) != 2 || index >= tasks) {
		complain("--task %s: I/N is expected, with I from 0 to N - 1", task);
		return STATUS_FAILED;
	}
	snprintf(path, sizeof path, "%s/pending", s->folder);
	FILE *file = fopen(path, "r");
	if (file == NULL) {
		complain("%s: %s", path, strerror(errno));
		return STATUS_FAILED;
	}
	bool good = true;
	for (; good && fscanf(file, "%zu", &cell) == 1; line++) {
		if (line % tasks != index || cell >= s->plan.cells)
			continue;
		good = array_room(&cells, count + 1, &room);
		if (good)
			cells[count++] = cell;
	}
	fclose(file);
	int status = good ? sweep_cells(s, cells, count, false) : STATUS_FAILED;
	free(cells);
	return status;
}
