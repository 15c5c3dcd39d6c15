/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#include "host/base/late.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

static const char *why_not_loaded(const char *library)
{
	static _Thread_local char why[256];
	const char *said = dlerror();
	snprintf(why, sizeof why, "%s cannot be loaded: %s", library, said == NULL ? "no reason is known" : said);
	return why;
}

const char *late_load(const char *library, const struct late_function *functions, size_t count)
{
	void *handle = dlopen(library, RTLD_NOW | RTLD_LOCAL); /* never closed: once is enough for a process */
	if (handle == NULL)
		return why_not_loaded(library);
	for (size_t i = 0; i < count; i++) {
		void *symbol = dlsym(handle, functions[i].name);
		if (symbol == NULL)
			return why_not_loaded(library);
		memcpy(functions[i].to, &symbol, sizeof symbol); /* POSIX: a function's address in an object pointer */
	}
	return NULL;
}
