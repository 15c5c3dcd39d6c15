/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* rivulet cc: what follows from the options alone, and what a key of the cache has of them. */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include "host/cmd/cc_link.h"
#include "host/insert/reserved.h"

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

bool cc_add_option(struct cache_key *key, const char *option)
{
	struct stat status;
	const char *equals = option[0] == '-' ? strchr(option, '=') : NULL, *value = equals ? equals + 1 : option;
	cache_add_text(key, option);
	return stat(value, &status) != 0 || !S_ISREG(status.st_mode) || cache_add_file(key, value);
}

bool cc_inserts(const struct link *l, const char *option)
{
	for (size_t i = 0; i < l->arguments.insert.count; i++) {
		if (strcmp(l->arguments.insert.items[i], option) == 0)
			return true;
	}
	return false;
}

bool cc_inserts_like(const struct link *l, const char *begin)
{
	bool found = false;
	for (size_t i = 0; i < l->arguments.insert.count; i++)
		found = found || cc_begins(l->arguments.insert.items[i], begin);
	return found;
}

const char *cc_not_in_libraries(const struct link *l)
{
	static const char *const options[] = {"--trace", "--cycles", "--per-thread", "--switch"};
	for (size_t i = 0; i < sizeof options / sizeof *options; i++) {
		if (cc_inserts(l, options[i]))
			return options[i];
	}
	return l->arguments.runtime != NULL && strcmp(l->arguments.runtime, "linux") != 0 ? "--runtime" : NULL;
}

bool cc_needs_original(const struct link *l)
{
	bool needs = false, given = false;
	for (size_t i = 0; i < l->arguments.insert.count; i++) {
		const char *option = l->arguments.insert.items[i];
		static const char regions[] = "--regions=";
		const char *what = cc_begins(option, regions) ? option + strlen(regions) : "all";
		needs |= strcmp(option, "--cycles") == 0 ||
			 (strcmp(what, "loops") != 0 && strcmp(what, "hammocks") != 0 && strcmp(what, "all") != 0);
		given |= cc_begins(option, "--original");
	}
	return needs && !given && !l->arguments.map;
}

uint32_t cc_reserved(const struct link *l)
{
	uint32_t registers = 0;
	for (size_t i = 0; i < l->arguments.insert.count; i++) {
		const char *given = l->arguments.insert.items[i];
		if (cc_begins(given, CC_RESERVE))
			registers |= reserved_parse(given + strlen(CC_RESERVE));
	}
	return registers;
}
