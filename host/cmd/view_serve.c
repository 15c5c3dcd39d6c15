/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* rivulet view --serve: the files are read again whenever they have changed. */
#include <errno.h>
#include <fcntl.h>
#include <malloc.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include "host/base/output.h"
#include "host/cmd/cmd.h"
#include "host/cmd/view.h"
#include "host/cmd/view_live.h"
#include "host/view/serve.h"

static volatile sig_atomic_t stopped, making, shown_once; /* making: a picture, which may take a minute */

/* No file is being written, so there is nothing to wait for. */
static void stop_on_signal(int signal)
{
	(void)signal;
	if (making)
		_exit(shown_once ? STATUS_OK : STATUS_FAILED);
	stopped = 1;
}

/* The file, and what is read now: the file, or the part that a run writes beside it (host/base/output.h). */
struct followed {
	const char *file;
	char *part;
	struct view_live *live;
};

static bool is_newer(const struct stat *a, const struct stat *b)
{
	if (a->st_mtim.tv_sec != b->st_mtim.tv_sec)
		return a->st_mtim.tv_sec > b->st_mtim.tv_sec;
	return a->st_mtim.tv_nsec > b->st_mtim.tv_nsec;
}

/* A part that is older than the file was left behind by a run that was killed. */
static void follow_part(const struct followed *followed, struct view_source *source)
{
	struct stat file, part;
	const bool has_part = stat(followed->part, &part) == 0;
	const bool has_file = stat(followed->file, &file) == 0;
	source->label = followed->file;
	source->file = has_part && (!has_file || is_newer(&part, &file)) ? followed->part : followed->file;
}

static void free_followed(struct followed *followed, size_t count)
{
	for (size_t i = 0; followed != NULL && i < count; i++) {
		free(followed[i].part);
		view_live_close(followed[i].live);
	}
	free(followed);
}

static struct followed *make_followed(struct view_source *sources, size_t count)
{
	struct followed *followed = calloc(count + 1, sizeof *followed);
	for (size_t i = 0; followed != NULL && i < count; i++) {
		const size_t room = strlen(sources[i].file) + sizeof OUTPUT_PART;
		followed[i] = (struct followed){sources[i].file, malloc(room), view_live_open(&sources[i])};
		sources[i].live = followed[i].live;
		if (followed[i].part == NULL || followed[i].live == NULL) {
			free_followed(followed, count);
			return NULL;
		}
		snprintf(followed[i].part, room, "%s" OUTPUT_PART, sources[i].file);
	}
	return followed;
}

/* A file that is still being written is incomplete, and the same messages would come every second: none are printed. */
static int make_quietly(view_maker *maker, void *context, char **document, size_t *size)
{
	int kept = dup(STDERR_FILENO), null = open("/dev/null", O_WRONLY);
	fflush(stderr);
	if (null >= 0)
		dup2(null, STDERR_FILENO);
	making = 1;
	int status = maker(context, document, size);
	making = 0;
	fflush(stderr);
	if (kept >= 0)
		dup2(kept, STDERR_FILENO);
	if (kept >= 0)
		close(kept);
	if (null >= 0)
		close(null);
	return status;
}

#define REST 19                       /* times what the last document took: a twentieth of a core at most */
#define REST_FIRST INT64_C(100000000) /* until there is something to show */
#define PERIOD INT64_C(1000000000)
#define KEPT_MEMORY (32 << 20)
#define REST_MOST INT64_C(30000000000)

/* When a look at the files began, and what it took. */
struct serve_turn {
	int64_t begin, processor;
};
static struct serve_turn begin_turn(void)
{
	return (struct serve_turn){view_clock(CLOCK_MONOTONIC), view_clock(CLOCK_PROCESS_CPUTIME_ID)};
}

/* Or until a signal. A document each second, if a twentieth of a core is enough for that. The first one is not counted:
 * it reads the program, which is done once, and whoever asked for it waits. */
static void rest_after(const struct serve_turn *turn, bool shown, bool counted)
{
	const int64_t taken = view_clock(CLOCK_PROCESS_CPUTIME_ID) - turn->processor;
	int64_t rest = counted ? REST * taken : 0;
	const int64_t least = shown ? turn->begin + PERIOD - view_clock(CLOCK_MONOTONIC) : REST_FIRST;
	rest = rest < least ? least : rest;
	rest = rest > REST_MOST ? REST_MOST : rest;
	const struct timespec time = {.tv_sec = rest / 1000000000, .tv_nsec = rest % 1000000000};
	if (rest > 0)
		nanosleep(&time, NULL);
}

static void tell_address(const struct view_serving *serving, const struct serve *serve)
{
	printf("%s\n", serve_address(serve));
	fflush(stdout);
	complain("serves this page until Ctrl-C; the address is as secret as the profile");
	if (serving->open && isatty(STDOUT_FILENO))
		view_open(serve_address(serve));
}

/* Makes documents until a signal comes; whether one was made. */
static bool keep_serving(const struct view_serving *serving, struct serve *serve, const struct followed *followed,
    view_maker *maker, void *context)
{
	bool first = true, shown = false;
	while (!stopped) {
		bool changed = false;
		const struct serve_turn turn = begin_turn();
		for (size_t i = 0; i < serving->count; i++) {
			follow_part(&followed[i], &serving->sources[i]);
			changed = view_live_look(serving->sources[i].live) || changed;
		}
		char *document = NULL;
		size_t size = 0;
		const bool counted = shown;
		if (first || changed) {
			if (make_quietly(maker, context, &document, &size) != STATUS_FAILED) {
				serve_put(serve, document, size);
				document = NULL;
				if (!shown)
					tell_address(serving, serve);
				shown = true;
				shown_once = 1;
			} else if (first)
				complain("%s: waiting until it holds something to show", followed[0].file);
			free(document);
			first = false;
		}
		rest_after(&turn, shown, counted);
	}
	return shown;
}

int view_serve(const struct view_serving *serving, view_maker *maker, void *context)
{
	struct serve *serve;
	/* pictures take the same memory again and again: it is not given back to the system between two of them */
	mallopt(M_MMAP_THRESHOLD, KEPT_MEMORY);
	mallopt(M_TRIM_THRESHOLD, KEPT_MEMORY);
	struct sigaction action = {.sa_handler = stop_on_signal};
	int error = serve_open(&serve, serving->port, &serving->page);
	if (error != SERVE_OK) {
		complain("--serve: port %u: %s", serving->port, serve_strerror(error));
		return STATUS_FAILED;
	}
	sigemptyset(&action.sa_mask);
	sigaction(SIGINT, &action, NULL);
	sigaction(SIGTERM, &action, NULL);
	struct followed *followed = make_followed(serving->sources, serving->count);
	if (followed == NULL)
		complain("out of memory");
	const bool shown = followed != NULL && keep_serving(serving, serve, followed, maker, context);
	free_followed(followed, serving->count);
	serve_close(serve);
	return shown ? STATUS_OK : STATUS_FAILED;
}
