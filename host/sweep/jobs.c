/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#include "host/sweep/jobs.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

struct sweep_job {
	pid_t process; /* 0: free */
	size_t cell;
	struct timespec start;
};

struct sweep_runner {
	const struct sweep_plan *plan;
	const char *folder;
	struct sweep_job *jobs;
	unsigned at_once, running;
	sweep_watcher *watch;
	void *context;
};

bool sweep_path(const struct sweep_plan *plan, const char *folder, size_t cell, const char *part, char path[SWEEP_PATH])
{
	char name[SWEEP_NAME];
	if (sweep_name(plan, cell, name) != SWEEP_OK)
		return false;
	int length = snprintf(path, SWEEP_PATH, "%s/%s%s%s", folder, name, *part == '\0' ? "" : "/", part);
	return length > 0 && length < SWEEP_PATH;
}

void sweep_done(const struct sweep_plan *plan, const char *folder, size_t cell, struct sweep_done *done)
{
	char path[SWEEP_PATH];
	*done = (struct sweep_done){0};
	FILE *file = sweep_path(plan, folder, cell, "done", path) ? fopen(path, "r") : NULL;
	if (file == NULL)
		return;
	long status;
	done->there = fscanf(file, "status %ld seconds %lf", &status, &done->seconds) == 2 && status >= 0 &&
		      status <= UINT8_MAX && done->seconds >= 0; /* else it is damaged */
	done->status = done->there ? (int)status : 0;
	fclose(file);
	done->lacks = done->there && done->status == 0 && strstr(plan->run, "{profile}") != NULL &&
		      sweep_path(plan, folder, cell, "profile", path) && access(path, F_OK) != 0;
}

/* What a line says of a name at its beginning: `NAME VALUE', `NAME=VALUE' or `NAME: VALUE'; NULL: nothing. */
static const char *said_of(const char *line, const char *name)
{
	const size_t length = strlen(name);
	if (strncmp(line, name, length) != 0 || line[length] == '\0' || strchr(" \t=:", line[length]) == NULL)
		return NULL;
	line += length;
	return line + strspn(line, " \t=:");
}

bool sweep_said(const struct sweep_plan *plan, const char *folder, size_t cell, char (*values)[SWEEP_VALUE])
{
	char path[SWEEP_PATH], *line = NULL;
	size_t room = 0, found = 0;
	for (size_t i = 0; i < plan->column_count; i++)
		values[i][0] = '\0';
	FILE *file = sweep_path(plan, folder, cell, "output", path) ? fopen(path, "r") : NULL;
	while (file != NULL && getline(&line, &room, file) >= 0) {
		line[strcspn(line, "\r\n")] = '\0';
		for (size_t i = 0; i < plan->column_count; i++) {
			const char *value = said_of(line, plan->columns[i]);
			if (value != NULL && snprintf(values[i], SWEEP_VALUE, "%s", value) >= SWEEP_VALUE)
				strcpy(values[i] + SWEEP_VALUE - 4, "...");
		}
	}
	for (size_t i = 0; i < plan->column_count; i++)
		found += values[i][0] != '\0';
	free(line);
	if (file != NULL)
		fclose(file);
	return found == plan->column_count;
}

/* The next word of a command that may name a file, from *at on; its length, 0: no more. What stands behind > is
 * written. */
static size_t next_command_word(const char **at, const char **word)
{
	static const char marks[] = " \t\n\"'`;|&<>()={}:,";
	const char *start = *at;
	for (;;) {
		*word = start + strspn(start, marks);
		size_t length = strcspn(*word, marks);
		bool written = *word > start && memchr(start, '>', (size_t)(*word - start)) != NULL;
		*at = start = *word + length;
		if (length == 0 || !written)
			return length;
	}
}

bool sweep_older(const struct sweep_plan *plan, const char *folder, size_t cell, char file[SWEEP_PATH])
{
	char path[SWEEP_PATH];
	struct stat done, named;
	if (!sweep_path(plan, folder, cell, "done", path) || stat(path, &done) != 0)
		return false;
	char *command = sweep_command(plan, cell, "");
	const char *at = command, *word = command;
	bool older = false;
	for (size_t length; !older && command != NULL && (length = next_command_word(&at, &word)) > 0;) {
		if (length >= SWEEP_PATH)
			continue;
		memcpy(file, word, length);
		file[length] = '\0';
		older =
		    stat(file, &named) == 0 && S_ISREG(named.st_mode) &&
		    (named.st_mtim.tv_sec > done.st_mtim.tv_sec ||
			(named.st_mtim.tv_sec == done.st_mtim.tv_sec && named.st_mtim.tv_nsec > done.st_mtim.tv_nsec));
	}
	free(command);
	return older;
}

/* What an attempt that was killed left behind. */
static void clear_parts(const char *folder)
{
	DIR *list = opendir(folder);
	for (struct dirent *entry; list != NULL && (entry = readdir(list)) != NULL;) {
		char path[SWEEP_PATH + 256];
		snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
		if (strncmp(entry->d_name, "profile.", 8) == 0)
			unlink(path);
	}
	if (list != NULL)
		closedir(list);
}

static bool job_path(const struct sweep_runner *r, const struct sweep_job *job, const char *part, char *path)
{
	char name[64];
	snprintf(name, sizeof name, "%s.%ld", part, (long)job->process);
	return sweep_path(r->plan, r->folder, job->cell, name, path);
}

/* In the new process; does not return. */
static void become_job(const struct sweep_runner *r, struct sweep_job *job)
{
	char path[SWEEP_PATH], profile[SWEEP_PATH];
	job->process = getpid();
	setpgid(0, 0);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	int nothing = open("/dev/null", O_RDONLY);
	int out = sweep_path(r->plan, r->folder, job->cell, "output", path)
		      ? open(path, O_WRONLY | O_CREAT | O_TRUNC, 0666)
		      : -1;
	char *command = job_path(r, job, "profile", profile) ? sweep_command(r->plan, job->cell, profile) : NULL;
	if (out < 0 || nothing < 0 || command == NULL)
		_exit(126);
	dup2(nothing, STDIN_FILENO);
	dup2(out, STDOUT_FILENO);
	dup2(out, STDERR_FILENO);
	signal(SIGINT, SIG_DFL);
	signal(SIGTERM, SIG_DFL);
	signal(SIGHUP, SIG_DFL);
	execl("/bin/sh", "sh", "-c", command, (char *)NULL);
	_exit(127);
}

static int begin_job(struct sweep_runner *r, struct sweep_job *job, size_t cell)
{
	char path[SWEEP_PATH];
	if (!sweep_path(r->plan, r->folder, cell, "", path))
		return -ENAMETOOLONG;
	if (mkdir(path, 0777) != 0 && errno != EEXIST)
		return -errno;
	clear_parts(path);
	job->cell = cell;
	clock_gettime(CLOCK_MONOTONIC, &job->start);
	fflush(NULL);
	pid_t process = fork();
	if (process < 0)
		return -errno;
	if (process == 0)
		become_job(r, job);
	job->process = process;
	r->running++;
	return 0;
}

static int write_done(const char *path, const char *beside, const struct sweep_done *done, const char *command)
{
	FILE *file = fopen(beside, "w");
	if (file == NULL)
		return -errno;
	fprintf(file, "status %d seconds %.3f\n%s\n", done->status, done->seconds, command);
	bool good = fflush(file) == 0 && fsync(fileno(file)) == 0;
	int error = errno;
	if (fclose(file) != 0 || !good || rename(beside, path) != 0)
		return good ? -errno : -error;
	return 0;
}

static int finish_job(struct sweep_runner *r, struct sweep_job *job, int status)
{
	char path[SWEEP_PATH], beside[SWEEP_PATH];
	struct timespec now;
	clock_gettime(CLOCK_MONOTONIC, &now);
	struct sweep_done done = {.there = true,
	    .status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status),
	    .seconds = (double)(now.tv_sec - job->start.tv_sec) + 1e-9 * (double)(now.tv_nsec - job->start.tv_nsec)};
	char *command = sweep_command(r->plan, job->cell, NULL);
	int error = command == NULL ? -ENOMEM : 0;
	if (error == 0 && job_path(r, job, "profile", beside) &&
	    sweep_path(r->plan, r->folder, job->cell, "profile", path)) {
		unlink(path);
		if (done.status != 0)
			unlink(beside);
		else if (rename(beside, path) != 0 && errno != ENOENT)
			error = -errno;
	}
	if (error == 0 && job_path(r, job, "done", beside) && sweep_path(r->plan, r->folder, job->cell, "done", path))
		error = write_done(path, beside, &done, command);
	free(command);
	job->process = 0;
	r->running--;
	return error == 0 ? r->watch(r->context, job->cell, &done) : error;
}

/* Waits for one; what it left is put in its place, but not if all were ended by us. */
static int await_job(struct sweep_runner *r, bool ended)
{
	int status;
	pid_t process = waitpid(-1, &status, 0);
	for (unsigned i = 0; process > 0 && i < r->at_once; i++) {
		if (r->jobs[i].process != process)
			continue;
		if (!ended)
			return finish_job(r, &r->jobs[i], status);
		r->jobs[i].process = 0;
		r->running--;
		return 0;
	}
	/* a signal: the watcher says whether it ends the sweep */
	return process < 0 && errno == EINTR && !ended ? r->watch(r->context, SIZE_MAX, NULL) : 0;
}

int sweep_run(const struct sweep_plan *plan, const char *folder, const struct sweep_list *list, unsigned at_once,
    sweep_watcher *watch, void *context)
{
	struct sweep_runner r = {plan, folder, calloc(at_once, sizeof *r.jobs), at_once, 0, watch, context};
	size_t next = 0;
	int error = r.jobs == NULL ? -ENOMEM : 0;
	while (error == 0 && (next < list->count || r.running > 0)) {
		for (unsigned i = 0; error == 0 && i < at_once && next < list->count; i++) {
			if (r.jobs[i].process == 0)
				error = begin_job(&r, &r.jobs[i], list->cells[next++]);
		}
		if (error == 0)
			error = await_job(&r, false);
	}
	for (unsigned i = 0; error != 0 && r.jobs != NULL && i < at_once; i++) {
		if (r.jobs[i].process != 0)
			kill(-r.jobs[i].process, SIGKILL);
	}
	while (r.running > 0)
		await_job(&r, true);
	free(r.jobs);
	return error;
}
