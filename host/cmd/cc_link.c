/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* rivulet cc, the linker's side: files of the link are edited, the runtime is compiled, the real linker is run. It is
 * run twice: first for the twin, PROGRAM.twin, which has the map of the counters and nothing put in. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include "host/cc/linker.h"
#include "host/cc/process.h"
#include "host/cmd/cc.h"
#include "host/cmd/cc_link.h"
#include "host/cmd/cmd.h"
#include "host/cmd/twin.h"
#include "host/insert/insert.h"

#define CACHE_LIMIT (UINT64_C(2) << 30)

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
static bool real_linker(const struct link *l, char *path, size_t size)
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

/* What `insert` had to say. True: an object of link-time optimisation is among it. */
static bool tell_insert_errors(const char *errors)
{
	char line[4096];
	bool lto = false;
	FILE *file = fopen(errors, "r");
	while (file != NULL && fgets(line, sizeof line, file) != NULL) {
		lto |= strstr(line, "link-time optimisation") != NULL;
		fputs(line, stderr);
	}
	if (file != NULL)
		fclose(file);
	unlink(errors);
	return lto;
}

bool cc_add_self(struct cache_key *key)
{
	static struct cache_key own = CACHE_KEY;
	static bool known, good;
	if (!known)
		good = cache_add_file(&own, getenv(SELF) != NULL ? getenv(SELF) : cc_own_path());
	known = true;
	cache_add(key, own.words, sizeof own.words);
	return good;
}

/* `rivulet insert` and its options. The original is a twin of no counters in particular. */
static void insert_words(const struct link *l, bool twin, unsigned near, struct cc_words *command)
{
	char text[PATH_MAX + 16];
	cc_push(command, getenv(SELF) != NULL ? getenv(SELF) : cc_own_path());
	cc_push(command, "insert");
	cc_push(command, "-q");
	for (size_t i = 0; i < l->arguments.insert.count && !(twin && l->original); i++)
		cc_push(command, l->arguments.insert.items[i]);
	bool given = cc_inserts_like(l, "--near") || cc_inserts_like(l, "--weights");
	snprintf(text, sizeof text, "--near=%u", near);
	if (!given)
		cc_push(command, text);
	snprintf(text, sizeof text, "--original=%s", l->original ? l->twin_output : "");
	if (twin || l->original)
		cc_push(command, twin ? "--map" : text);
	snprintf(text, sizeof text, "--level=%u", l->level);
	if (l->level > 0 && !(twin && l->original))
		cc_push(command, text);
}

bool cc_add_option(struct cache_key *key, const char *option)
{
	struct stat status;
	const char *equals = option[0] == '-' ? strchr(option, '=') : NULL, *value = equals ? equals + 1 : option;
	cache_add_text(key, option);
	return stat(value, &status) != 0 || !S_ISREG(status.st_mode) || cache_add_file(key, value);
}

/* The edited form of a file, or its twin's. */
static bool edit_input(struct link *l, const char *path, unsigned near, bool twin, char edited[CACHE_PATH])
{
	struct cache_key key = CACHE_KEY;
	struct cc_words command = {0};
	char making[CACHE_PATH], errors[CACHE_PATH + 8], detail[CACHE_PATH + 256], whole[PATH_MAX];
	const char *slash = strrchr(path, '/');
	char suffix[128]; /* with the name: the linker says it in its messages */
	bool good = cc_add_self(&key);
	const char *name = slash != NULL ? slash + 1 : path;
	size_t lasting = insert_lasting_name(name);
	snprintf(suffix, sizeof suffix, "-%.*s%s", (int)(lasting < 100 ? lasting : 100), name,
	    name[lasting] != '\0' ? ".o" : "");
	cache_add_text(&key, suffix);
	insert_words(l, twin, near, &command);
	for (size_t i = 1; i < command.count; i++)
		good = good && cc_add_option(&key, command.items[i]);
	good = good && cache_add_file(&key, path);
	/* a thin archive names its members: they are part of it, and are read anew each time */
	unsigned char head[20] = "";
	FILE *file = fopen(path, "rb");
	const size_t there = file != NULL ? fread(head, 1, sizeof head, file) : 0;
	const bool thin = there >= 8 && memcmp(head, "!<thin>\n", 8) == 0;
	if (file != NULL)
		fclose(file);
	if (there == sizeof head && memcmp(head, "\177ELF", 4) == 0 &&
	    (head[18] != 243 || head[19] != 0)) { /* e_machine */
		complain("%s: is not for RISC-V: give the compiler driver of a RISC-V target", path);
		cc_drop(&command);
		return false;
	}
	if (thin) {
		snprintf(whole, sizeof whole, "%ld", (long)getpid());
		cache_add_text(&key, whole);
	}
	if (good && cache_find(&l->cache, &key, suffix, edited)) {
		l->cached += !twin;
		cc_drop(&command);
		return true;
	}
	cache_making(edited, making);
	snprintf(errors, sizeof errors, "%.4090s.err", making);
	/* what is said is no part of what is made: the same file serves from the cache */
	if (l->arguments.verbose && !twin && !l->quiet)
		cc_push(&command, "--verbose");
	/* the object keeps its name: it is part of what the profile says */
	cc_push(&command, path);
	cc_push(&command, "-o");
	cc_push(&command, making);
	int status = good ? cc_process_run(false, command.items, NULL, 0, errors) : STATUS_FAILED;
	cc_drop(&command);
	if (l->quiet || (twin && !l->original))
		unlink(errors); /* what there is to say of the file has been said */
	else if (tell_insert_errors(errors)) {
		complain("%s: has members that were compiled with -flto: name them as objects, or compile them with "
			 "-ffat-lto-objects or without -flto",
		    path);
		status = STATUS_FAILED;
	}
	if (status != STATUS_OK && status != STATUS_NO) {
		unlink(making);
		complain("%s: cannot be edited%s", path, good ? "" : ": it cannot be read");
		return false;
	}
	l->edited += !twin;
	if (cache_keep(making, edited, detail, sizeof detail))
		return true;
	complain("%s", detail);
	return false;
}

bool cc_inserts(const struct link *l, const char *option)
{
	for (size_t i = 0; i < l->arguments.insert.count; i++) {
		if (strcmp(l->arguments.insert.items[i], option) == 0)
			return true;
	}
	return false;
}

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
/* The words of a command, the twin's or the program's; what is edited is in the cache then. */
static bool make_command(struct link *l, const struct linker *linker, bool twin)
{
	struct cc_words *command = twin ? &l->twin : &l->command;
	bool plain = linker->relocatable || (l->shared && cc_not_in_libraries(l) != NULL), runtime = plain;
	char edited[CACHE_PATH];
	for (size_t i = 0; i < linker->count; i++) {
		const struct linker_word *w = &linker->words[i];
		size_t words;
		if ((!twin && cc_add_script(l, linker, &i)) || (!plain && cc_left_out(l, linker, twin, &i)))
			continue;
		/* what the runtime needs is in the first archive, edited or not */
		if (!runtime && w->kind == LINKER_ARCHIVE && !cc_add_runtime(l, twin))
			return false;
		runtime |= w->kind == LINKER_ARCHIVE;
		if (twin && cc_output_of(linker, i, &words) != NULL) {
			i += words - 1;
		} else if (plain || w->kind == LINKER_WORD || cc_excluded(l, linker, i)) {
			l->left += w->kind != LINKER_WORD && !plain && !twin;
			cc_push(command, w->text);
		} else {
			if (!edit_input(l, w->path, cc_near_bytes(linker, w->kind == LINKER_ARCHIVE), twin, edited))
				return false;
			cc_push(command, edited);
		}
	}
	return runtime || cc_add_runtime(l, twin);
}

bool cc_make_command(struct link *l, const struct linker *linker)
{
	cc_drop(&l->command);
	cc_push(&l->command, l->real);
	l->cached = l->left = 0;
	return make_command(l, linker, false);
}

void cc_run_quietly(const struct link *l, const char *errors)
{
	cc_process_run(true, l->command.items, NULL, 0, errors);
}

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
	real_linker(l, l->real, sizeof l->real);
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
	bool linked = l->original && make_command(l, &linker, true) && link_twin(l);
	if (linked != l->original || !cc_find_level(l, &linker, cc_is_linux(l)) || !cc_make_command(l, &linker) ||
	    (l->twin_output != NULL && !linked && !make_command(l, &linker, true)))
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
