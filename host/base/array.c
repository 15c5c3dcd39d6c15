/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#include "host/base/array.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include "common/sizes.h"

#define FIRST_ROOM SIZED(32, 2) /* items */

bool array_grow_more(void *items, size_t size, size_t wanted, size_t *room)
{
	size_t more = *room == 0 ? FIRST_ROOM : *room;
	void *old, *grown;
	while (more < wanted && more <= SIZE_MAX / 2)
		more *= 2;
	if (more < wanted || more > SIZE_MAX / 2 / size)
		return false;
	memcpy(&old, items, sizeof old); /* a pointer of another type stands there */
	grown = realloc(old, more * size);
	if (grown == NULL)
		return false;
	memcpy(items, &grown, sizeof grown);
	*room = more;
	return true;
}
