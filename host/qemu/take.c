/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#define _GNU_SOURCE /* MAP_NORESERVE */
#include "host/qemu/take.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include "common/rivulet_regs.h"
#include "host/base/array.h"

/* Maps the regions that are new; those that are being made are left for later. */
static int map_regions(struct qemu_take *t)
{
	const uint32_t count = atomic_load_explicit(&t->capture->regions, memory_order_acquire);
	const size_t all = count < CAPTURE_REGIONS_MAX ? count : CAPTURE_REGIONS_MAX;
	if (!array_room(&t->regions, all, &t->region_room))
		return QEMU_ENOMEM;
	for (; t->region_count < all; t->region_count++)
		t->regions[t->region_count] = (struct taken_region){0};
	for (size_t i = 0; i < all; i++) {
		if (t->regions[i].memory != NULL)
			continue;
		void *at = mmap(NULL, CAPTURE_REGION_SIZE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, t->file,
		    (off_t)(CAPTURE_REGIONS_AT + i * CAPTURE_REGION_SIZE));
		if (at == MAP_FAILED)
			return QEMU_ENOMEM;
		t->regions[i].memory = at;
	}
	return QEMU_OK;
}

static bool has_begun(const struct capture_region *region)
{
	return atomic_load_explicit(&region->state, memory_order_acquire) != CAPTURE_NEW;
}

static int fail(struct qemu_take *t, int error)
{
	if (error == QEMU_EFILE)
		snprintf(t->detail, t->size, "%s: records cannot be written: %s", t->options->folder, strerror(errno));
	else if (error == QEMU_ENOMEM)
		snprintf(t->detail, t->size, "out of memory");
	return error;
}

int take_orders(struct qemu_take *t, bool *more)
{
	const struct order_source source = {&t->places, &t->estimate, t->options->folder};
	int error = map_regions(t);
	*more = false;
	for (size_t i = 0; i < t->region_count && error == QEMU_OK; i++) {
		struct taken_region *r = &t->regions[i];
		if (!has_begun(r->memory) || atomic_load(&r->memory->pushed) == atomic_load(&r->memory->taken))
			continue;
		*more = true;
		error = order_drain(&r->order, &source, r->memory, (uint32_t)i);
	}
	return fail(t, error);
}

/* ---------------------------------------------------------------- the end */

static int add_record(struct qemu_take *t, struct record *record)
{
	const uint64_t insns = record->count * record->insns;
	switch (places_find(&t->places, &record->start)) {
	case PLACE_CODE:
		break;
	case PLACE_MADE:
		t->run->made += insns;
		return QEMU_OK;
	default:
		t->run->outside += insns;
		return QEMU_OK;
	}
	if (t->estimate.core != NULL) {
		uint64_t cycles;
		if (!estimate_cycles(&t->estimate, record, &cycles))
			return QEMU_ENOMEM;
		record->cycles = cycles * record->count;
		record->timed = record->count;
		t->cycles += record->cycles;
	}
	const int error = profile_add(t->profile, record);
	if (error == PROFILE_OK)
		return QEMU_OK;
	if (error != PROFILE_ENOMEM)
		snprintf(t->detail, t->size, "what the plugin counted: %s", profile_strerror(error));
	return error == PROFILE_ENOMEM ? QEMU_ENOMEM : QEMU_EFILE;
}

/* A thread that did not come to its end: what it was at. Of the last block it is known how much ran only behind
 * exec(). */
static int add_under_way(
    struct qemu_take *t, const struct capture_region *r, uint64_t counted, struct record *record, bool *there)
{
	const uint64_t last = r->executed - r->unknown - counted - r->insns;
	const bool replaced = atomic_load(&r->replaced) != 0;
	*record =
	    (struct record){.start = r->start, .hist = r->hist, .count = 1, .insns = r->insns, .reason = TRACE_OFF};
	if (replaced)
		record->insns += (uint32_t)last;
	else
		t->run->unknown += last;
	*there = false;
	if (record->insns == 0)
		return QEMU_OK;
	const size_t before = t->profile->used;
	const uint64_t total = t->profile->total;
	const int error = add_record(t, record);
	*there = t->profile->used != before || t->profile->total != total;
	return error;
}

static int take_region(struct qemu_take *t, size_t number)
{
	struct taken_region *taken = &t->regions[number];
	struct capture_region *r = taken->memory;
	const struct capture_key *keys = (const struct capture_key *)((const char *)r + CAPTURE_KEYS_AT);
	const uint32_t count = atomic_load_explicit(&r->keys, memory_order_acquire);
	const struct order_source source = {&t->places, &t->estimate, t->options->folder};
	struct record under_way;
	bool cut = false;
	uint64_t counted = 0;
	int error = QEMU_OK;
	if (count > CAPTURE_KEYS_MAX)
		return QEMU_EFILE;
	t->run->executed += r->executed;
	t->run->unknown += r->unknown;
	for (uint32_t i = 0; i < count && error == QEMU_OK; i++) {
		struct record record = {.start = keys[i].start,
		    .hist = keys[i].hist,
		    .count = keys[i].count,
		    .insns = keys[i].insns,
		    .reason = (uint8_t)keys[i].reason};
		counted += record.count * record.insns;
		error = add_record(t, &record);
	}
	if (error == QEMU_OK && atomic_load(&r->state) != CAPTURE_ENDED)
		error = add_under_way(t, r, counted, &under_way, &cut);
	if (error == QEMU_OK && t->options->ordered)
		error = order_finish(&taken->order, &source, r, (uint32_t)number, cut ? &under_way : NULL);
	return error;
}

/* What the processes were: children, those that run on, those that became other programs. */
static void count_processes(struct qemu_take *t)
{
	for (size_t i = 0; i < t->region_count; i++) {
		const struct capture_region *r = t->regions[i].memory;
		if (!has_begun(r))
			continue;
		const bool first = r->process == i; /* of its process */
		const bool ended = atomic_load(&r->state) == CAPTURE_ENDED;
		t->run->threads++;
		t->run->children += first && i != 0;
		if (!ended && atomic_load(&r->replaced) != 0)
			t->run->replaced++;
		else if (!ended && first && i != 0 && kill((pid_t)r->pid, 0) == 0)
			t->run->running++;
	}
}

/* One file of all threads, when all libraries are known. */
static int write_records(struct qemu_take *t)
{
	const struct profile *p = t->profile;
	struct records_header header = {.xlen = image_xlen(t->places.image),
	    .hist = CAPTURE_HIST,
	    .insn_bits = 32,
	    .repeat_bits = 16,
	    .cycle_bits = t->estimate.core != NULL ? 32 : 0,
	    .source = RECORDS_QEMU};
	struct records_writer *writer;
	uint64_t time = 0;
	records_identify(&header, t->places.image);
	memcpy(header.rules, p->rules, sizeof header.rules);
	snprintf(header.name, sizeof header.name, "%.255s", p->header.name);
	for (size_t i = 0; i < p->place_count; i++) {
		const struct profile_place *place = &p->places[i];
		if (place->path[0] == '\0') {
			header.base = place->base;
			continue;
		}
		struct records_object *o = &header.objects[header.object_count++];
		o->base = place->base;
		snprintf(o->path, sizeof o->path, "%s", place->path);
	}
	if (records_writer_open(&writer, &header, 0, t->options->emit, t->options->context) != RECORDS_OK)
		return QEMU_ENOMEM;
	int error = QEMU_OK;
	for (size_t i = 0; i < t->region_count && error == QEMU_OK; i++)
		error = order_append(&t->regions[i].order, writer, &time);
	const struct records_end end = {.cycles = t->estimate.core != NULL ? t->cycles : t->run->executed,
	    .instructions = t->run->executed,
	    .first_cycle = time > 0, /* the first is 1 */
	    .last_cycle = time,
	    .traced_instructions = t->run->executed,
	    .ending = (unsigned)p->end.ending};
	if (error == QEMU_OK && records_writer_finish(writer, &end) != RECORDS_OK)
		error = QEMU_EFILE;
	records_writer_close(writer);
	return error;
}

int take_all(struct qemu_take *t)
{
	int error = map_regions(t);
	for (size_t i = 0; i < t->region_count && error == QEMU_OK; i++) {
		if (has_begun(t->regions[i].memory))
			error = take_region(t, i);
	}
	if (error != QEMU_OK)
		return fail(t, error);
	count_processes(t);
	struct profile *p = t->profile;
	p->end.instructions = p->end.run_instructions = t->run->executed;
	p->end.cycles = p->end.run_cycles = t->cycles;
	p->end.ending = t->run->told != 0     ? PROFILE_END_INTERRUPTED
			: t->run->signal != 0 ? PROFILE_END_OTHER
					      : PROFILE_END_EXIT;
	return t->options->ordered ? fail(t, write_records(t)) : QEMU_OK;
}

void take_close(struct qemu_take *t)
{
	for (size_t i = 0; i < t->region_count; i++) {
		order_close(&t->regions[i].order);
		if (t->regions[i].memory != NULL)
			munmap(t->regions[i].memory, CAPTURE_REGION_SIZE);
	}
	free(t->regions);
	estimate_close(&t->estimate);
	places_close(&t->places);
}
