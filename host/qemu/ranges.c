/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#include "host/qemu/ranges.h"

#include <stdlib.h>
#include <string.h>
#include "host/base/array.h"

#define RANGE_PAGE UINT64_C(0xFFF)

const char *qemu_mode_name(unsigned mode)
{
	static const char *const names[] = {[CAPTURE_USER] = "user",
	    [CAPTURE_SUPERVISOR] = "supervisor",
	    [CAPTURE_MODE_UNKNOWN] = "not known",
	    [CAPTURE_MACHINE] = "machine"};
	return names[mode < sizeof names / sizeof *names ? mode : CAPTURE_MODE_UNKNOWN];
}

static int compare_qemu_ranges(const void *a, const void *b)
{
	const struct qemu_range *x = a, *y = b;
	if (x->cpu != y->cpu)
		return x->cpu < y->cpu ? -1 : 1;
	if (x->mode != y->mode)
		return x->mode > y->mode ? -1 : 1;
	if ((x->path == NULL) != (y->path == NULL))
		return x->path != NULL ? -1 : 1;
	if (x->from != y->from)
		return x->from < y->from ? -1 : 1;
	return x->path != NULL && y->path != NULL ? strcmp(x->path, y->path) : 0;
}

bool ranges_add(struct qemu_ranges *r, const struct qemu_range *range)
{
	if (!array_room(&r->all, r->count + 1, &r->room))
		return false;
	struct qemu_range *added = &r->all[r->count++];
	*added = *range;
	if (range->path == NULL && range->to != 0) {
		added->from = range->from & ~RANGE_PAGE;
		added->to = range->from | RANGE_PAGE;
	}
	/* equal ones in a row are many: code of one program */
	if (r->count > 1 && compare_qemu_ranges(added, added - 1) == 0) {
		r->count--;
		(added - 1)->insns += range->insns;
	}
	return true;
}

static bool ranges_touch(const struct qemu_range *a, const struct qemu_range *b)
{
	if (a->cpu != b->cpu || a->mode != b->mode || (a->path == NULL) != (b->path == NULL))
		return false;
	if (a->path != NULL)
		return a->from == b->from && strcmp(a->path, b->path) == 0;
	return b->from == a->from || b->from == a->to + 1;
}

void ranges_sum(struct qemu_ranges *r)
{
	size_t kept = 0;
	if (r->count == 0)
		return;
	qsort(r->all, r->count, sizeof *r->all, compare_qemu_ranges);
	for (size_t i = 1; i < r->count; i++) {
		if (!ranges_touch(&r->all[kept], &r->all[i])) {
			r->all[++kept] = r->all[i];
			continue;
		}
		r->all[kept].to = r->all[i].to;
		r->all[kept].insns += r->all[i].insns;
	}
	r->count = kept + 1;
	for (size_t i = 0; i < r->count; i++) {
		if (r->all[i].path != NULL && (r->all[i].path = strdup(r->all[i].path)) == NULL)
			r->all[i].path = "";
	}
	r->own = true;
}

void ranges_free(struct qemu_ranges *r)
{
	for (size_t i = 0; i < r->count && r->own; i++) {
		if (r->all[i].path != NULL && *r->all[i].path != '\0')
			free((char *)(uintptr_t)r->all[i].path);
	}
	free(r->all);
	*r = (struct qemu_ranges){0};
}
