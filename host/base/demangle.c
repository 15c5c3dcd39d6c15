/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#include "host/base/demangle.h"

#include <stdlib.h>
#include <string.h>
#include "host/base/demangle_rust.h"

/* cxxabi.h is a header of C++ alone. */
char *__cxa_demangle(const char *mangled, char *output, size_t *length, int *status);

const char *demangle(const char *name)
{
	static char *texts[16];
	static unsigned turn;
	int status = 0;
	if (name == NULL || (strncmp(name, "_Z", 2) != 0 && strncmp(name, "_R", 2) != 0))
		return name;
	char *text = demangle_rust(name);
	if (text == NULL && name[1] == 'Z')
		text = __cxa_demangle(name, NULL, NULL, &status);
	if (text == NULL)
		return name;
	char **place = &texts[turn++ % (sizeof texts / sizeof *texts)];
	free(*place);
	*place = text;
	return text;
}

bool demangle_means(const char *wanted, const char *name)
{
	if (name == NULL || strcmp(wanted, name) == 0)
		return name != NULL;
	const char *shown = demangle(name);
	size_t length = strlen(wanted);
	return strncmp(shown, wanted, length) == 0 &&
	       (shown[length] == '\0' ||
		   (shown != name && (shown[length] == '(' || strncmp(shown + length, "::<", 3) == 0)));
}
