/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* rivulet view --serve: the files are read again whenever they have changed. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include "host/cmd/cmd.h"
#include "host/cmd/view.h"
#include "host/view/serve.h"

static volatile sig_atomic_t stopped;

static void stop_on_signal(int signal)
{
	(void)signal;
	stopped = 1;
}

/* Changes whenever one of the files does. */
static uint64_t state_of(const struct view_source *sources, size_t count)
{
	uint64_t sum = 0;
	for (size_t i = 0; i < count; i++) {
		struct stat status;
		if (stat(sources[i].file, &status) != 0)
			continue;
		sum = sum * 31 + (uint64_t)status.st_size + 1;
		sum = sum * 31 + (uint64_t)status.st_mtim.tv_sec;
		sum = sum * 31 + (uint64_t)status.st_mtim.tv_nsec;
	}
	return sum;
}

/* A file that is still being written is incomplete, and the same messages would come every second: none are printed. */
static int make_quietly(view_maker *maker, void *context, char **document, size_t *size)
{
	int kept = dup(STDERR_FILENO), null = open("/dev/null", O_WRONLY);
	fflush(stderr);
	if (null >= 0)
		dup2(null, STDERR_FILENO);
	int status = maker(context, document, size);
	fflush(stderr);
	if (kept >= 0)
		dup2(kept, STDERR_FILENO);
	if (kept >= 0)
		close(kept);
	if (null >= 0)
		close(null);
	return status;
}

/* Half a second, or until a signal. */
static void rest_half_second(void)
{
	const struct timespec half = {.tv_nsec = 500000000};
	nanosleep(&half, NULL);
}

int view_serve(const struct view_serving *serving, view_maker *maker, void *context)
{
	struct serve *serve;
	uint64_t seen = 0;
	bool first = true, shown = false;
	struct sigaction action = {.sa_handler = stop_on_signal};
	int error = serve_open(&serve, serving->port, &serving->page);
	if (error != SERVE_OK) {
		complain("--serve: port %u: %s", serving->port, serve_strerror(error));
		return STATUS_FAILED;
	}
	sigemptyset(&action.sa_mask);
	sigaction(SIGINT, &action, NULL);
	sigaction(SIGTERM, &action, NULL);
	while (!stopped) {
		uint64_t state = state_of(serving->sources, serving->count);
		char *document = NULL;
		size_t size = 0;
		if (first || state != seen) {
			seen = state;
			if (make_quietly(maker, context, &document, &size) != STATUS_FAILED) {
				serve_put(serve, document, size);
				document = NULL;
				if (!shown) {
					printf("%s\n", serve_address(serve));
					fflush(stdout);
					complain(
					    "serves this page until Ctrl-C; the address is as secret as the profile");
					if (serving->open && isatty(STDOUT_FILENO))
						view_open(serve_address(serve));
				}
				shown = true;
			} else if (first)
				complain("%s: waiting until it holds something to show", serving->sources[0].file);
			free(document);
			first = false;
		}
		rest_half_second();
	}
	serve_close(serve);
	return shown ? STATUS_OK : STATUS_FAILED;
}
