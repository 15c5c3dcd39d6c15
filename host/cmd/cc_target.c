/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* rivulet cc: what the compiler driver says of its target. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "host/cc/process.h"
#include "host/cmd/cc_link.h"

void cc_target_words(const struct cc_arguments *a, struct cc_words *words)
{
	static const char *const alone[] = {"-target", "--target", "-isysroot", "-isystem", "-B", "--sysroot", "-arch"};
	const struct cc_words *d = &a->driver;
	const char *slash = strrchr(d->items[0], '/'), *name = slash != NULL ? slash + 1 : d->items[0];
	bool wrapper = strcmp(name, "ccache") == 0 || strcmp(name, "distcc") == 0; /* its compiler comes next */
	cc_push(words, d->items[0]);
	for (size_t i = 1; i < d->count; i++) {
		const char *w = d->items[i];
		if (i == 1 && wrapper)
			cc_push(words, w);
		if ((cc_begins(w, "-m") && w[2] != '\0') || cc_begins(w, "--target=") || cc_begins(w, "--sysroot=") ||
		    cc_begins(w, "-specs") || cc_begins(w, "--specs") || cc_begins(w, "--gcc-toolchain") ||
		    cc_begins(w, "--gcc-install-dir") || (cc_begins(w, "-B") && w[2] != '\0'))
			cc_push(words, w);
		for (size_t k = 0; k < sizeof alone / sizeof *alone && i + 1 < d->count; k++) {
			if (strcmp(w, alone[k]) == 0) {
				cc_push(words, w);
				cc_push(words, d->items[++i]);
				break;
			}
		}
	}
}

/* The linker that the driver would have run. */
bool cc_real_linker(const struct link *l, char *path, size_t size)
{
	struct cc_words ask = {0};
	char option[128];
	cc_target_words(&l->arguments, &ask);
	snprintf(option, sizeof option, "-print-prog-name=%.90s", l->arguments.as_linker);
	cc_push(&ask, option);
	int status = cc_process_run(false, ask.items, path, size, "/dev/null");
	cc_drop(&ask);
	path[strcspn(path, "\n")] = '\0';
	if (status != 0 || path[0] == '\0' || cc_begins(path, l->cache.directory))
		snprintf(path, size, "%s", l->arguments.as_linker);
	return strchr(path, '/') != NULL || !cc_begins(path, "ld") || access("/usr/bin/ld", X_OK) == 0;
}

bool cc_is_linux(const struct link *l)
{
	struct cc_words ask = {0};
	char machine[256];
	cc_target_words(&l->arguments, &ask);
	cc_push(&ask, "-dumpmachine");
	int status = cc_process_run(false, ask.items, machine, sizeof machine, "/dev/null");
	cc_drop(&ask);
	return status == 0 && strstr(machine, "linux") != NULL;
}
