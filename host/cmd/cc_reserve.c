/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* rivulet cc: registers that belong to the program, by what any file of the link does with them. All files are edited
 * with all of them: a function of one file calls those of another. And whether the program stays in machine mode. */
#include <inttypes.h>
#include <stdio.h>
#include "host/cmd/cc_link.h"
#include "host/cmd/cmd.h"
#include "host/insert/reserved.h"

/* What was found before is in the cache: "00200000 1 push in engine.o". */
static unsigned flags_of(const struct modes *m)
{
	return (m->machine ? 1u : 0) | (m->returns ? 2u : 0) | (m->sets ? 4u : 0) | (m->unknown ? 8u : 0);
}

static bool in_cache(const char *path, struct reserved_by *by)
{
	FILE *file = fopen(path, "r");
	unsigned flags = 0;
	bool good = file != NULL && fscanf(file, "%8" SCNx32 " %2u %159[^\n]", &by->registers, &flags, by->who) >= 2;
	by->modes = (struct modes){(flags & 1) != 0, (flags & 2) != 0, (flags & 4) != 0, (flags & 8) != 0};
	if (file != NULL)
		fclose(file);
	return good;
}

static void keep_in_cache(const char *path, const struct reserved_by *by)
{
	char text[256];
	snprintf(text, sizeof text, "%08" PRIx32 " %u %s\n", by->registers, flags_of(&by->modes), by->who);
	cache_keep_text(path, text);
}

static void look_at_object(struct link *l, const char *path, uint32_t *registers)
{
	struct cache_key key = CACHE_KEY;
	struct reserved_by by = {0};
	char known[CACHE_PATH], detail[CACHE_PATH + 256], names[160];
	cc_add_self(&key);
	cache_add_text(&key, "reserved");
	cache_add_text(&key, path);
	if (!cache_add_file(&key, path)) {
		l->modes.unknown = true;
		return;
	}
	if (!cache_find(&l->cache, &key, ".reserved", known) || !in_cache(known, &by)) {
		by = (struct reserved_by){0};
		if (reserved_of_file(path, &by, detail, sizeof detail) != 0) {
			l->modes.unknown = true; /* the editor says why */
			return;
		}
		keep_in_cache(known, &by);
	}
	reserved_names(by.registers & ~*registers, names, sizeof names);
	if (names[0] != '\0' && l->arguments.verbose)
		complain("nothing is kept in %s: %s uses it without saving it", names, by.who);
	*registers |= by.registers;
	l->modes.machine |= by.modes.machine;
	l->modes.returns |= by.modes.returns;
	l->modes.sets |= by.modes.sets;
	l->modes.unknown |= by.modes.unknown;
}

void cc_find_reserved(struct link *l, const struct linker *linker)
{
	uint32_t registers = cc_reserved(l), given = registers;
	char text[sizeof CC_RESERVE + 160], names[160];
	for (size_t i = 0; i < linker->count; i++) {
		const struct linker_word *w = &linker->words[i];
		if (w->kind != LINKER_WORD && !cc_of_compiler(w->path))
			look_at_object(l, w->path, &registers);
	}
	cc_push(&l->arguments.insert, "--reserve=none"); /* no file is looked at again */
	reserved_names(registers & ~given, names, sizeof names);
	snprintf(text, sizeof text, "%s%s", CC_RESERVE, names);
	if (names[0] != '\0')
		cc_push(&l->arguments.insert, text);
}
