/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* rivulet cc, the linker's side: files of the link are edited, the runtime is compiled, the real linker is run. It is
 * run twice: first for the twin, PROGRAM.twin, which has the map of the counters and nothing put in. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "host/cc/process.h"
#include "host/cmd/cc_link.h"
#include "host/cmd/cmd.h"

#define CACHE_LIMIT (UINT64_C(2) << 30)

/* ---- the twin ---- */
/* Links the twin, silently: what there is to say, the program's own link says, unless it cannot begin without the
 * twin. */
static bool link_twin(struct link *l)
{
	char errors[CACHE_PATH];
	snprintf(errors, sizeof errors, "%.3900s/twin.%ld.err", l->cache.directory, (long)getpid());
	cc_push(&l->twin, "-o");
	cc_push(&l->twin, l->twin_output);
	/* what the program calls of the runtime, which the twin has not */
	cc_push(&l->twin, "--unresolved-symbols=ignore-all");
	int status = cc_process_run(true, l->twin.items, NULL, 0, l->original ? NULL : errors);
	unlink(errors);
	if (status != 0)
		unlink(l->twin_output);
	return status == 0;
}

/* ---- the link ---- */

/* A program of Linux has memory for whole paths, unless something says how many there shall be or excludes tables. A
 * library with tables cannot be unloaded, so it has them only if that is asked for. */
static void want_tables(struct link *l)
{
	static const char *const others[] = {"--hash", "--edges", "--blocks", "--cycles", "--trace", "--per-thread"};
	static const char *const begins[] = {"--regions", "--limit", "--metric", "--budget"};
	bool wanted = !l->shared && l->arguments.budget == 0 && cc_is_linux(l);
	for (size_t i = 0; i < sizeof others / sizeof *others && wanted; i++)
		wanted = !cc_inserts(l, others[i]);
	for (size_t i = 0; i < sizeof begins / sizeof *begins && wanted; i++)
		wanted = !cc_inserts_like(l, begins[i]);
	if (wanted)
		cc_push(&l->arguments.insert, "--hash");
}

static int run_linker(struct link *l, char *const *words, size_t count)
{
	struct linker linker;
	char detail[CACHE_PATH + 256];
	for (size_t i = 0; i < count; i++)
		l->dynamic |= strcmp(words[i], "-dynamic-linker") == 0;
	if (!cache_open(&l->cache, l->arguments.cache, detail, sizeof detail)) {
		complain("%s", detail);
		return STATUS_FAILED;
	}
	cc_real_linker(l, l->real, sizeof l->real);
	if (!linker_open(&linker, words, count)) {
		complain("the linker's command line cannot be read: %s", strerror(errno));
		return STATUS_FAILED;
	}
	const int undone = cc_undo_lto(l, &linker);
	if (undone != STATUS_OK)
		return undone;
	cc_push(&l->twin, l->real);
	l->shared = linker.shared;
	for (size_t i = 0; i < linker.count && !linker.relocatable && !linker.shared; i++) {
		if (linker.words[i].kind != LINKER_WORD)
			cc_names_jumps(linker.words[i].path, &l->jumps, &l->catches);
	}
	l->no_libc = !linker.libc;
	want_tables(l);
	if (!linker.relocatable) {
		cc_find_reserved(l, &linker);
		cc_find_early(l, &linker);
		cc_tell_startup(l, &linker);
	}
	cc_want_twin(l, &linker);
	l->original = cc_needs_original(l) && !linker.relocatable && !(l->shared && cc_not_in_libraries(l) != NULL);
	if (l->shared && cc_not_in_libraries(l) != NULL)
		complain("a shared library is linked without counters: %s puts them into programs only",
		    cc_not_in_libraries(l));
	else if (l->shared && !cc_make_salt(l, &linker)) {
		complain("a file of the link cannot be read");
		return STATUS_FAILED;
	}
	if (l->no_libc && !l->shared && !linker.relocatable && !l->arguments.map && l->arguments.runtime == NULL &&
	    cc_is_linux(l))
		complain("without a C library it is the program that writes its profile: it calls "
			 "rivulet_probe_finish() where it ends (docs/insert.md)");
	if (l->original && l->twin_output == NULL) {
		complain("--cycles and --regions=FILE take their addresses from the twin: no --no-twin, and a file as "
			 "output");
		return STATUS_FAILED;
	}
	bool linked = l->original && cc_make_twin_command(l, &linker) && link_twin(l);
	if (linked != l->original || !cc_find_level(l, &linker, cc_is_linux(l)) || !cc_make_command(l, &linker) ||
	    (l->twin_output != NULL && !linked && !cc_make_twin_command(l, &linker)))
		return STATUS_FAILED;
	if (l->arguments.verbose)
		complain("%s files edited, %s from the cache, %s left as they are; linked by %s",
		    with_commas(l->edited), with_commas(l->cached), with_commas(l->left), l->real);
	if (l->edited > 0)
		cache_trim(&l->cache, CACHE_LIMIT);
	linker_close(&linker);
	unsetenv(STATE);
	/* the twin first: maps of the link and lists of its files are those of the program then */
	bool twin = linked || l->twin_output == NULL || link_twin(l);
	int status = cc_process_run(true, l->command.items, NULL, 0, NULL);
	if (status == 127)
		complain("%s: cannot be run", l->real);
	else if (status != 0 && l->twin_output != NULL)
		unlink(l->twin_output);
	else if (status == 0 && !cc_keeps_host_calls(l))
		status = STATUS_FAILED;
	else if (status == 0)
		cc_tell_budget(l);
	if (status == 0 && !twin)
		complain("%s: its twin cannot be linked; --no-twin does not try it", l->output);
	return status;
}

int cc_run_linker(struct cc_arguments *arguments)
{
	struct link link = {.arguments = *arguments};
	struct cc_words words = arguments->driver;
	link.arguments.driver = (struct cc_words){0};
	if (!cc_get_state(&link.arguments)) {
		complain("cc --as-linker is run by `rivulet cc' only");
		return STATUS_FAILED;
	}
	int status = run_linker(&link, words.items, words.count);
	cc_end_lto(&link);
	return status;
}
