/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#define _XOPEN_SOURCE 700 /* realpath() */
#include "host/qemu/qemu.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include "common/rivulet_regs.h"
#include "host/qemu/capture.h"

static const unsigned char plugin_bytes[] = {
#include "qemu_plugin.h"
};

struct work {
	const struct image *image;
	struct profile *profile;
	struct qemu_run *run;
	char folder[256];
	char *detail;
	size_t size;
};

static int fail(struct work *w, int error, const char *what)
{
	snprintf(w->detail, w->size, "%s: %s", what, strerror(errno));
	return error;
}

/* The plugin is a file of its own for qemu. */
static int put_plugin(struct work *w, char *path, size_t size)
{
	snprintf(path, size, "%s/plugin.so", w->folder);
	FILE *file = fopen(path, "wb");
	bool good = file != NULL && fwrite(plugin_bytes, sizeof plugin_bytes, 1, file) == 1;
	if (file != NULL && fclose(file) != 0)
		good = false;
	return good ? QEMU_OK : fail(w, QEMU_EFILE, path);
}

static const char *emulator(const struct image *image)
{
	const char *named = getenv("RIVULET_QEMU");
	if (named != NULL && *named != '\0')
		return named;
	return image_xlen(image) == 64 ? "qemu-riscv64" : "qemu-riscv32";
}

/* Waits for the program, and passes on what tells this process to end, unless that is ignored (nohup). */
static void wait_for(struct work *w, pid_t child, const sigset_t *awaited)
{
	int status, number;
	while (waitpid(child, &status, WNOHANG) == 0) {
		if (sigwait(awaited, &number) != 0 || number == SIGCHLD)
			continue;
		w->run->told = number;
		if (number != SIGINT)
			kill(child, number);
	}
	w->run->signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
	w->run->status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

static int start(struct work *w, char **argv, const char *plugin)
{
	char option[600];
	size_t count = 0;
	while (argv[count] != NULL)
		count++;
	char **words = calloc(count + 8, sizeof *words);
	if (words == NULL)
		return QEMU_ENOMEM;
	const char *name = emulator(w->image);
	snprintf(option, sizeof option, "%s,out=%s/traces", plugin, w->folder);
	size_t n = 0;
	words[n++] = (char *)(uintptr_t)name;
	words[n++] = (char *)(uintptr_t) "-plugin";
	words[n++] = option;
	for (size_t i = 0; i < count; i++)
		words[n++] = argv[i];
	const int ends[] = {SIGINT, SIGTERM, SIGHUP};
	sigset_t awaited, before;
	sigemptyset(&awaited);
	sigaddset(&awaited, SIGCHLD);
	for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
		struct sigaction old;
		if (sigaction(ends[i], NULL, &old) == 0 && old.sa_handler != SIG_IGN)
			sigaddset(&awaited, ends[i]);
	}
	sigprocmask(SIG_BLOCK, &awaited, &before);
	fflush(NULL);
	pid_t child = fork();
	if (child == 0) {
		sigprocmask(SIG_SETMASK, &before, NULL);
		execvp(name, words);
		fprintf(stderr, "rivulet: %s: %s\n", name, strerror(errno));
		_exit(127);
	}
	free(words);
	int error = child < 0 ? fail(w, QEMU_ESTART, name) : QEMU_OK;
	if (child >= 0)
		wait_for(w, child, &awaited);
	sigprocmask(SIG_SETMASK, &before, NULL);
	return error;
}

/* Where the program's code begins in its file, as qemu says it of memory. */
static uint64_t first_code(const struct image *image)
{
	size_t count;
	const struct elf_segment *segments = image_segments(image, &count);
	for (size_t i = 0; i < count; i++) {
		if (segments[i].execute)
			return segments[i].address;
	}
	return 0;
}

static int add_trace(struct work *w, const struct capture_trace *t, uint64_t bias)
{
	struct isa_insn insn;
	const struct record record = {.start = t->start - bias,
	    .hist = t->hist,
	    .count = t->count,
	    .insns = t->insns,
	    .reason = (uint8_t)t->reason};
	if (!image_insn(w->image, record.start, 0, &insn)) {
		w->run->outside += t->insns * t->count;
		return QEMU_OK;
	}
	int error = profile_add(w->profile, &record);
	if (error == PROFILE_OK)
		return QEMU_OK;
	if (error != PROFILE_ENOMEM)
		snprintf(w->detail, w->size, "what the plugin wrote: %s", profile_strerror(error));
	return error == PROFILE_ENOMEM ? QEMU_ENOMEM : QEMU_EFILE;
}

static int read_capture(struct work *w, const char *name)
{
	char path[600];
	struct capture_header h;
	struct capture_trace t;
	int error = QEMU_OK;
	snprintf(path, sizeof path, "%s/%s", w->folder, name);
	FILE *file = fopen(path, "rb");
	bool whole = file != NULL && fread(&h, sizeof h, 1, file) == 1 && h.magic == CAPTURE_MAGIC;
	for (uint64_t i = 0; whole && error == QEMU_OK && i < h.count; i++) {
		whole = fread(&t, sizeof t, 1, file) == 1;
		if (whole)
			error = add_trace(w, &t, h.start_code - first_code(w->image));
	}
	if (file != NULL)
		fclose(file);
	if (!whole) {
		snprintf(w->detail, w->size, "what the plugin wrote is not whole");
		return QEMU_EFILE;
	}
	w->run->executed += h.executed;
	w->run->unknown += h.unknown;
	return error;
}

/* The program's own traces, and those of its children. */
static int read_all(struct work *w)
{
	struct stat there;
	char path[600];
	snprintf(path, sizeof path, "%s/traces", w->folder);
	if (stat(path, &there) != 0) {
		if (w->run->signal != 0)
			snprintf(w->detail, w->size,
			    "was ended by signal %d: qemu tells a plugin nothing then, so there is no profile",
			    w->run->signal);
		else
			snprintf(w->detail, w->size,
			    "%s wrote nothing: it is missing, takes no plugins (qemu-user 7.2 of Debian 12 does), or "
			    "was "
			    "killed",
			    emulator(w->image));
		return QEMU_ESTART;
	}
	DIR *folder = opendir(w->folder);
	if (folder == NULL)
		return fail(w, QEMU_EFILE, w->folder);
	int error = QEMU_OK;
	for (struct dirent *entry; error == QEMU_OK && (entry = readdir(folder)) != NULL;) {
		if (strncmp(entry->d_name, "traces", 6) != 0)
			continue;
		if (strstr(entry->d_name, ".part") != NULL) {
			w->run->running++;
			continue;
		}
		error = read_capture(w, entry->d_name);
		w->run->children += entry->d_name[6] == '.';
	}
	closedir(folder);
	return error;
}

static void remove_folder(const char *path)
{
	DIR *folder = opendir(path);
	if (folder == NULL)
		return;
	for (struct dirent *entry; (entry = readdir(folder)) != NULL;) {
		char name[600];
		snprintf(name, sizeof name, "%s/%s", path, entry->d_name);
		if (entry->d_name[0] != '.')
			unlink(name);
	}
	closedir(folder);
	rmdir(path);
}

int qemu_profile(
    const struct image *image, char **argv, struct profile *profile, struct qemu_run *run, char *detail, size_t size)
{
	struct work w = {.image = image, .profile = profile, .run = run, .detail = detail, .size = size};
	const char *folder = getenv("TMPDIR");
	char plugin[300];
	*run = (struct qemu_run){0};
	snprintf(detail, size, "out of memory");
	snprintf(w.folder, sizeof w.folder, "%.200s/rivulet-qemu.XXXXXX",
	    folder != NULL && *folder != '\0' ? folder : "/tmp");
	if (strchr(w.folder, ',') != NULL) { /* it ends a word of qemu's option */
		snprintf(detail, size, "TMPDIR=%s has a comma in it, which qemu's -plugin does not take", folder);
		return QEMU_ESTART;
	}
	if (mkdtemp(w.folder) == NULL)
		return fail(&w, QEMU_EFILE, w.folder);
	char *whole = realpath(w.folder, NULL); /* the program may go to another folder */
	if (whole != NULL && strlen(whole) < sizeof w.folder)
		snprintf(w.folder, sizeof w.folder, "%s", whole);
	free(whole);
	int error = put_plugin(&w, plugin, sizeof plugin);
	if (error == QEMU_OK)
		error = start(&w, argv, plugin);
	if (error == QEMU_OK)
		error = read_all(&w);
	remove_folder(w.folder);
	profile->header.source = PROFILE_QEMU;
	profile->header.xlen = image_xlen(image);
	profile->header.hist = CAPTURE_HIST;
	profile->header.ctrl = RV_CTRL_ENABLE_MASK | RV_CTRL_HANDLERS_MASK | RV_CTRL_MODES_MASK;
	profile->end.instructions = profile->end.run_instructions = run->executed;
	return error;
}
