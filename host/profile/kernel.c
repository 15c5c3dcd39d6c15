/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#include "host/profile/kernel.h"

#include <stdlib.h>
#include <string.h>
#include "common/frame.h"
#include "host/base/array.h"

/* count numbers from *at on. */
static bool read_kernel_numbers(const uint8_t *bytes, size_t size, size_t *at, uint64_t *const *to, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (frame_get_leb(bytes, size, at, to[i]) != 0)
			return false;
	return true;
}

static bool read_run(struct kernel_run *run, const uint8_t *bytes, size_t size, size_t at)
{
	uint64_t count = 0;
	uint64_t *const to[] = {&run->kernel, &run->idle, &run->slices, &run->slice, &count};
	if (!read_kernel_numbers(bytes, size, &at, to, 5) || at != size || count > KERNEL_RUN_PROCESSES)
		return false;
	run->count = (unsigned)count;
	run->there = true;
	return true;
}

static bool read_process(struct kernel_run *run, const uint8_t *bytes, size_t size, size_t at)
{
	struct kernel_process p = {.there = true};
	uint64_t slot = 0;
	uint64_t *const to[] = {&slot, &p.cycles, &p.slices, &p.preempted, &p.rounds, &p.failures};
	if (!read_kernel_numbers(bytes, size, &at, to, 6) || slot == 0 || slot > run->count ||
	    size - at >= sizeof p.name)
		return false;
	for (size_t i = 0; at < size; i++, at++) /* it is printed: nothing in it may steer a terminal */
		p.name[i] = bytes[at] < 0x20 || bytes[at] >= 0x7F ? '?' : (char)bytes[at];
	run->processes[slot] = p;
	return true;
}

static bool read_slices(struct kernel_run *run, const uint8_t *bytes, size_t size, size_t at, size_t *room, int *error)
{
	uint64_t time = run->first_count > 0 ? run->first[run->first_count - 1].end : 0;
	while (at < size) {
		uint64_t gap, ran;
		unsigned slot = bytes[at++];
		uint64_t *const to[] = {&gap, &ran};
		if (slot == 0 || slot > run->count || !read_kernel_numbers(bytes, size, &at, to, 2) ||
		    gap > UINT32_MAX || ran > UINT32_MAX)
			return false;
		if (!array_room(&run->first, run->first_count + 1, room)) {
			*error = -1;
			return false;
		}
		run->first[run->first_count++] = (struct kernel_slice){slot, time + gap, time + gap + ran};
		time += gap + ran;
	}
	return true;
}

static bool read_waits(struct kernel_run *run, const uint8_t *bytes, size_t size, size_t at)
{
	while (at < size) {
		uint64_t slot, wait;
		if (!read_kernel_numbers(bytes, size, &at, (uint64_t *const[]){&slot, &wait}, 2) || slot == 0 ||
		    slot > run->count || !run->processes[slot].there)
			return false;
		run->processes[slot].longest_wait = wait;
	}
	return true;
}

int kernel_run_read(struct kernel_run *run, const uint8_t *bytes, size_t size, unsigned *bad)
{
	size_t room = 0;
	int error = 0;
	memset(run, 0, sizeof *run);
	*bad = 0;
	const uint8_t *zero = size > 0 ? memchr(bytes, 0, size) : NULL;
	while (zero != NULL && error == 0) {
		uint8_t content[FRAME_CONTENT_MAX];
		const uint8_t *from = zero + 1;
		zero = memchr(from, 0, size - (size_t)(from - bytes));
		size_t coded = zero != NULL ? (size_t)(zero - from) : 0;
		int length = coded == 0 ? -1 : frame_decode(from, coded, content);
		uint64_t kind;
		size_t at = 2;
		if (length < 3 || content[0] != FRAME_KERNEL)
			continue;
		bool good = frame_get_leb(content, (size_t)length, &at, &kind) == 0;
		if (good && kind == FRAME_PHASE) /* of a profile */
			continue;
		if (good && kind == FRAME_KERNEL_RUN)
			good = !run->there && read_run(run, content, (size_t)length, at);
		else if (good && run->there && kind == FRAME_KERNEL_PROCESS)
			good = read_process(run, content, (size_t)length, at);
		else if (good && run->there && kind == FRAME_KERNEL_WAITS)
			good = read_waits(run, content, (size_t)length, at);
		else
			good = good && run->there && kind == FRAME_KERNEL_SLICES &&
			       read_slices(run, content, (size_t)length, at, &room, &error);
		*bad += !good;
	}
	return error;
}

void kernel_run_fini(struct kernel_run *run)
{
	free(run->first);
	run->first = NULL;
	run->first_count = 0;
}

uint64_t kernel_run_cycles(const struct kernel_run *run)
{
	uint64_t all = run->kernel + run->idle;
	for (unsigned i = 1; i <= run->count; i++)
		all += run->processes[i].cycles;
	return all;
}
