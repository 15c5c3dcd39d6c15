/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* rivulet cc, of shared libraries: which have counters, what they are known by, what they export. */
#include "host/cmd/cc_link.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "host/cc/script.h"
#include "host/cmd/cmd.h"
#include "host/insert/insert.h"

bool cc_make_salt(struct link *l, const struct linker *linker)
{
	bool good = true;
	for (size_t i = 0; i < linker->count && good; i++) {
		const struct linker_word *w = &linker->words[i];
		if (w->kind != LINKER_WORD) {
			const char *slash = strrchr(w->path, '/'), *name = slash != NULL ? slash + 1 : w->path;
			char lasting[256];
			snprintf(lasting, sizeof lasting, "%.*s", (int)insert_lasting_name(name), name);
			cache_add_text(&l->salt, lasting);
			good = cache_add_file(&l->salt, w->path);
		} else if (cc_begins(w->text, "-soname") || cc_begins(w->text, "--soname") ||
			   strcmp(w->text, "-h") == 0) {
			cache_add_text(&l->salt, w->text);
			cache_add_text(&l->salt, i + 1 < linker->count ? linker->words[i + 1].text : "");
		}
	}
	return good;
}

bool cc_add_script(struct link *l, const struct linker *linker, size_t *i)
{
	const char *word = linker->words[*i].text, *name = cc_begins(word, "--") ? word + 1 : word, *path = NULL;
	struct cache_key key = CACHE_KEY;
	char script[CACHE_PATH], making[CACHE_PATH], detail[CACHE_PATH + 256], option[CACHE_PATH + 32];
	if (!l->shared || cc_not_in_libraries(l) != NULL || l->arguments.map)
		return false;
	if (cc_begins(name, "-version-script="))
		path = name + strlen("-version-script=");
	else if (strcmp(name, "-version-script") == 0 && *i + 1 < linker->count)
		path = linker->words[*i + 1].text;
	char *text = path == NULL ? NULL : script_export(path, "rivulet_probe_process");
	if (text == NULL)
		return false;
	cache_add_text(&key, text);
	bool good = cache_find(&l->cache, &key, ".ver", script);
	if (!good) {
		cache_making(script, making);
		good = cache_write_script(making, text) && cache_keep(making, script, detail, sizeof detail);
	}
	free(text);
	if (!good) {
		complain("%s: this version script cannot be copied into the cache", path);
		return false;
	}
	snprintf(option, sizeof option, "--version-script=%s", script);
	cc_push(&l->command, option);
	*i += strchr(name, '=') == NULL;
	return true;
}
