/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* rivulet cc: the linker's words, with edited files in the place of those that they name. */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "host/cc/process.h"
#include "host/cmd/cc_link.h"
#include "host/cmd/cmd.h"
#include "host/insert/insert.h"

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

bool cc_make_twin_command(struct link *l, const struct linker *linker)
{
	return make_command(l, linker, true);
}
