/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#ifndef RIVULET_BASE_LATE_H
#define RIVULET_BASE_LATE_H
/*
 * Libraries that one command in thirty needs, loaded when it needs them: libcurl and libmicrohttpd bring thirty others,
 * and took three quarters of the time of each start of `rivulet'.
 */
#include <stddef.h>

struct late_function {
	const char *name;
	void *to; /* a pointer to a function, which is set */
};
/* NULL: each of them is there. Else why not, a sentence that stays; then none may be called. */
const char *late_load(const char *library, const struct late_function *functions, size_t count);

#endif
