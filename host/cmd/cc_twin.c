/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* rivulet cc: whether a link has a twin, and what it is called. */
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include "host/cmd/cc_link.h"
#include "host/cmd/twin.h"

const char *cc_output_of(const struct linker *linker, size_t i, size_t *words)
{
	const char *word = linker->words[i].text;
	bool two = strcmp(word, "-o") == 0 || strcmp(word, "--output") == 0;
	*words = two ? 2 : 1;
	if (two)
		return i + 1 < linker->count ? linker->words[i + 1].text : NULL;
	if (cc_begins(word, "--output="))
		return word + strlen("--output=");
	return cc_begins(word, "-o") && word[2] != '\0' ? word + 2 : NULL;
}

void cc_want_twin(struct link *l, const struct linker *linker)
{
	struct stat status;
	size_t words;
	const char *output = "a.out", *next;
	char name[PATH_MAX];
	for (size_t i = 0; i < linker->count; i++) {
		if ((next = cc_output_of(linker, i, &words)) != NULL)
			output = next;
	}
	if (stat(output, &status) == 0 && !S_ISREG(status.st_mode))
		return; /* /dev/null: somebody tries whether it links */
	if ((size_t)snprintf(name, sizeof name, "%s" TWIN_SUFFIX, output) >= sizeof name)
		return;
	l->output = strdup(output);
	if (l->arguments.map || l->arguments.no_twin || linker->relocatable ||
	    (l->shared && cc_not_in_libraries(l) != NULL))
		return;
	l->twin_output = strdup(name);
}
