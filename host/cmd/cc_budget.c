/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/*
 * rivulet cc: counters within a budget. What is linked of an archive is the linker's to say, so a program is linked at
 * several levels of host/insert/budget.h, aside, until its counters fit. The level is kept in the cache: only a link of
 * other files looks for it again.
 */
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "host/cmd/cc_link.h"
#include "host/cmd/cmd.h"
#include "host/insert/budget.h"

/* Bytes; 0: none. */
static uint64_t budget_of(const struct link *l, bool on_linux)
{
	static const char *const others[] = {"--edges", "--blocks", "--cycles", "--trace", "--map"};
	const bool given = l->arguments.budget_given;
	for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
		if (!cc_inserts(l, others[i]))
			continue;
		if (given && l->arguments.budget > 0)
			complain("--budget is for --paths and --regions: other counters are no more than the edges");
		return 0;
	}
	/* who says how many paths there may be has chosen */
	if (!given && (on_linux || cc_inserts(l, "--hash") || cc_inserts_like(l, "--limit")))
		return 0;
	return given ? l->arguments.budget : BUDGET_BARE_METAL;
}

/* All that the level depends on. */
static bool key_of(const struct link *l, const struct linker *linker, uint64_t budget, struct cache_key *key)
{
	char text[64];
	struct stat status;
	bool good = cc_add_self(key);
	snprintf(text, sizeof text, "level within %llu", (unsigned long long)budget);
	cache_add_text(key, text);
	for (size_t i = 0; i < l->arguments.insert.count; i++)
		good = good && cc_add_option(key, l->arguments.insert.items[i]);
	for (size_t i = 0; i < l->arguments.exclude.count; i++)
		cache_add_text(key, l->arguments.exclude.items[i]);
	for (size_t i = 0; i < linker->count && good; i++) {
		const struct linker_word *w = &linker->words[i];
		const bool output =
		    i > 0 && linker->words[i - 1].kind == LINKER_WORD && strcmp(linker->words[i - 1].text, "-o") == 0;
		if (output)
			continue;
		if (w->kind != LINKER_WORD)
			good = cache_add_file(key, w->path);
		else if (access(w->text, R_OK) !=
			 0) /* not the names of temporary files, but what is in them: linker scripts too */
			cache_add_text(key, w->text);
		else
			good = stat(w->text, &status) != 0 || !S_ISREG(status.st_mode) || cache_add_file(key, w->text);
	}
	return good;
}

enum tried { NOT_EDITED = -1, NOT_LINKED, LINKED };

/* Bytes of the program's counters at a level. */
static enum tried try_link_level(struct link *l, const struct linker *linker, unsigned level, uint64_t *bytes)
{
	char program[CACHE_PATH], errors[CACHE_PATH + 8];
	struct budget_used used;
	l->level = level;
	l->quiet = level > 0;
	if (!cc_make_command(l, linker))
		return NOT_EDITED;
	snprintf(program, sizeof program, "%.3900s/level.%ld", l->cache.directory, (long)getpid());
	snprintf(errors, sizeof errors, "%s.err", program);
	cc_push(&l->command, "-o");
	cc_push(&l->command, program);
	cc_push(&l->command, "--noinhibit-exec"); /* memory that is too small is why it is asked for */
	cc_run_quietly(l, errors);
	bool good = budget_of_program(program, &used);
	*bytes = used.bytes;
	unlink(program);
	unlink(errors);
	return good ? LINKED : NOT_LINKED;
}

static enum tried find_level(struct link *l, const struct linker *linker, uint64_t budget)
{
	unsigned low = 0, high = BUDGET_LEVELS;
	while (low < high) {
		unsigned middle = low == 0 ? 0 : low + (high - low) / 2;
		uint64_t bytes;
		enum tried tried = try_link_level(l, linker, middle, &bytes);
		if (tried != LINKED)
			return tried;
		if (bytes <= budget)
			high = middle;
		else
			low = middle + 1;
	}
	l->level = low;
	return LINKED;
}

bool cc_find_level(struct link *l, const struct linker *linker, bool on_linux)
{
	struct cache_key key = CACHE_KEY;
	char path[CACHE_PATH], text[16];
	l->budget = budget_of(l, on_linux);
	if (l->budget == 0 || linker->relocatable || l->arguments.map)
		return true;
	bool keyed = key_of(l, linker, l->budget, &key);
	if (keyed && cache_find(&l->cache, &key, ".level", path)) {
		FILE *file = fopen(path, "r");
		bool known = file != NULL && fscanf(file, "%2u", &l->level) == 1 && l->level <= BUDGET_LEVELS;
		if (file != NULL)
			fclose(file);
		if (known)
			return true;
	}
	enum tried tried = find_level(l, linker, l->budget);
	l->quiet = false;
	if (tried == NOT_LINKED) /* the link itself says what is wrong */
		l->level = 0;
	if (tried != LINKED)
		return tried == NOT_LINKED;
	snprintf(text, sizeof text, "%u\n", l->level);
	if (keyed)
		cache_keep_text(path, text);
	return true;
}

void cc_tell_budget(const struct link *l)
{
	struct budget_used used;
	if (l->budget == 0 || l->output == NULL || (l->level == 0 && !l->arguments.verbose) ||
	    !budget_of_program(l->output, &used))
		return;
	if (used.bytes > l->budget)
		complain("%s: its counters take %s bytes, more than the budget of %s: no function can do with fewer "
			 "(--edges, or --exclude files)",
		    l->output, with_commas(used.bytes), with_commas(l->budget));
	else if (l->level > 0 && used.cut > 0)
		complain(
		    "%s: its counters take %s bytes of a budget of %s: so the paths of %s of %s functions are counted "
		    "in parts, those of %s of them at every branch (--budget=BYTES, or none)",
		    l->output, with_commas(used.bytes), with_commas(l->budget), with_commas(used.cut),
		    with_commas(used.functions), with_commas(used.apart));
	else
		complain("%s: its counters take %s bytes of a budget of %s (--budget)", l->output,
		    with_commas(used.bytes), with_commas(l->budget));
}
