/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#include "host/qemu/order.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "common/rivulet_regs.h"
#include "host/base/array.h"

#define ORDER_RUNS 4096
#define REPEAT_BITS 16

static const struct capture_key *keys_of(const struct capture_region *region)
{
	return (const struct capture_key *)((const char *)region + CAPTURE_KEYS_AT);
}

static int emit_bytes(void *context, const void *bytes, size_t size)
{
	return fwrite(bytes, 1, size, context) == size ? 0 : 1;
}

/* A file without a name in the folder, so that nothing is left of it, whatever happens. */
static FILE *open_unnamed(const char *folder)
{
	char path[4200];
	snprintf(path, sizeof path, "%s/rivulet-order.XXXXXX", folder);
	const int fd = mkstemp(path);
	if (fd < 0)
		return NULL;
	unlink(path);
	FILE *file = fdopen(fd, "w+b");
	if (file == NULL)
		close(fd);
	return file;
}

static int begin_order(struct order *o, const struct order_source *source)
{
	const struct records_header header = {.xlen = image_xlen(source->places->image),
	    .hist = CAPTURE_HIST,
	    .insn_bits = 32,
	    .repeat_bits = REPEAT_BITS,
	    .cycle_bits = source->estimate->core != NULL ? 32 : 0,
	    .clocked = source->estimate->core == NULL,
	    .source = RECORDS_QEMU};
	o->file = open_unnamed(source->folder);
	if (o->file == NULL)
		return QEMU_ERECORDS;
	o->runs = malloc(ORDER_RUNS * sizeof *o->runs);
	if (o->runs == NULL || records_writer_open(&o->writer, &header, 1, emit_bytes, o->file) != RECORDS_OK)
		return QEMU_ENOMEM;
	records_writer_merge(o->writer);
	return QEMU_OK;
}

static int write_runs(struct order *o, uint32_t context)
{
	struct record_place place = {.time = o->time,
	    .context = context,
	    .ctrl = RV_CTRL_ENABLE_MASK | RV_CTRL_HANDLERS_MASK | RV_CTRL_MODES_MASK};
	const int error = records_write_many(
	    o->writer, &(struct records_many){o->keys, o->key_count, o->runs, o->run_count}, &place, NULL);
	o->run_count = 0;
	o->time = place.time;
	if (error == RECORDS_OK)
		return QEMU_OK;
	return error == RECORDS_ENOMEM ? QEMU_ENOMEM : QEMU_ERECORDS;
}

/* The number of a new key of the writer; ORDER_NEW: out of memory. */
static uint32_t new_key(struct order *o, const struct record *record)
{
	if (!array_room(&o->keys, o->key_count + 1, &o->key_room))
		return ORDER_NEW;
	o->keys[o->key_count] = *record;
	return (uint32_t)o->key_count++;
}

/* Looks at the region's key for the first time. */
static bool know_key(
    struct order *o, const struct order_source *source, const struct capture_key *k, struct order_key *known)
{
	struct record record = {
	    .start = k->start, .hist = k->hist, .count = 1, .insns = k->insns, .reason = (uint8_t)k->reason};
	known->use = ORDER_OUTSIDE;
	if (places_find(source->places, &record.start) != PLACE_CODE)
		return true;
	uint64_t cycles;
	if (!estimate_cycles(source->estimate, &record, &cycles))
		return false;
	record.cycles = cycles < UINT32_MAX ? cycles : UINT32_MAX;
	return (known->use = new_key(o, &record)) != ORDER_NEW;
}

/* What came last went on in code that is in no record: its last time, it left what is known. */
static int leave_last(struct order *o, uint32_t context)
{
	struct order_key *known = &o->known[o->last];
	struct record_run *last = &o->runs[o->run_count - 1];
	o->pending = false;
	if (record_partial(&o->keys[known->use]))
		return QEMU_OK;
	if (known->left == ORDER_NEW) {
		struct record record = o->keys[known->use];
		record.reason = TRACE_GAP; /* its last instruction may go anywhere */
		known->left = new_key(o, &record);
		if (known->left == ORDER_NEW)
			return QEMU_ENOMEM;
	}
	if (--last->count == 0)
		o->run_count--;
	else if (o->run_count == ORDER_RUNS) {
		const int error = write_runs(o, context);
		if (error != QEMU_OK)
			return error;
	}
	o->runs[o->run_count++] = (struct record_run){known->left, 1};
	return QEMU_OK;
}

/* Of all keys that the region has now. */
static int extend_known_keys(struct order *o)
{
	if (!array_room(&o->known, o->there, &o->known_room))
		return QEMU_ENOMEM;
	for (; o->known_count < o->there; o->known_count++)
		o->known[o->known_count] = (struct order_key){.use = ORDER_NEW, .left = ORDER_NEW};
	return QEMU_OK;
}

/* An entry whose key is new, or outside, or for which there is no room. */
static int take_rare(struct order *o, const struct order_source *source, const struct capture_region *region,
    uint32_t key, uint32_t times, uint32_t context)
{
	struct order_key *known = &o->known[key];
	if (known->use == ORDER_NEW && !know_key(o, source, &keys_of(region)[key], known))
		return QEMU_ENOMEM;
	if (known->use == ORDER_OUTSIDE) {
		o->outside += times;
		return o->pending ? leave_last(o, context) : QEMU_OK;
	}
	return o->run_count == ORDER_RUNS ? write_runs(o, context) : QEMU_OK;
}

/* `times` traces of the region's key, one after the other. */
static inline int take_entry(struct order *o, const struct order_source *source, const struct capture_region *region,
    uint64_t entry, uint32_t context)
{
	const uint32_t key = (uint32_t)entry, times = (uint32_t)(entry >> 32);
	if (key >= o->there || times == 0)
		return QEMU_EBROKEN;
	const struct order_key *known = &o->known[key];
	if (known->use >= ORDER_OUTSIDE || o->run_count == ORDER_RUNS) {
		const int error = take_rare(o, source, region, key, times, context);
		if (error != QEMU_OK || known->use == ORDER_OUTSIDE)
			return error;
	}
	o->runs[o->run_count++] = (struct record_run){known->use, times};
	o->last = key;
	o->pending = true;
	return QEMU_OK;
}

int order_drain(struct order *o, const struct order_source *source, struct capture_region *region, uint32_t context)
{
	const _Atomic uint64_t *ring = (const _Atomic uint64_t *)((const char *)region + CAPTURE_RING_AT);
	int error = o->file == NULL ? begin_order(o, source) : QEMU_OK;
	const uint64_t pushed = atomic_load_explicit(&region->pushed, memory_order_acquire);
	uint64_t at = atomic_load_explicit(&region->taken, memory_order_relaxed);
	o->there = atomic_load_explicit(&region->keys, memory_order_acquire);
	if (error == QEMU_OK)
		error = extend_known_keys(o);
	if (pushed - at > CAPTURE_RING)
		return QEMU_EBROKEN;
	while (at != pushed && error == QEMU_OK) {
		const uint64_t entry = atomic_load_explicit(&ring[at++ & (CAPTURE_RING - 1)], memory_order_relaxed);
		error = take_entry(o, source, region, entry, context);
		if ((at & 0xFFFF) == 0)
			atomic_store_explicit(&region->taken, at, memory_order_release);
	}
	atomic_store_explicit(&region->taken, at, memory_order_release);
	return error;
}

int order_finish(struct order *o, const struct order_source *source, struct capture_region *region, uint32_t context,
    const struct record *under_way)
{
	int error = order_drain(o, source, region, context);
	const uint32_t last = region->last, times = region->times;
	o->there = atomic_load_explicit(&region->keys, memory_order_acquire);
	if (error == QEMU_OK)
		error = extend_known_keys(o);
	if (error == QEMU_OK && times > 0)
		error = take_entry(o, source, region, last | (uint64_t)times << 32, context);
	if (error == QEMU_OK)
		error = write_runs(o, context);
	if (error == QEMU_OK && under_way != NULL) {
		const struct record_run run = {new_key(o, under_way), 1};
		if (run.key == ORDER_NEW)
			return QEMU_ENOMEM;
		o->runs[o->run_count++] = run;
		error = write_runs(o, context);
	}
	const struct records_end end = {.cycles = o->time, .instructions = o->time, .last_cycle = o->time};
	if (error == QEMU_OK && (records_writer_finish(o->writer, &end) != RECORDS_OK || fflush(o->file) != 0))
		error = QEMU_ERECORDS;
	return error;
}

/* The last run may still be told apart from the others (leave_last()): it waits. */
static int write_settled_runs(struct order *o, uint32_t context)
{
	if (!o->pending)
		return write_runs(o, context);
	const struct record_run last = o->runs[--o->run_count];
	const int error = write_runs(o, context);
	o->runs[o->run_count++] = last;
	return error;
}

int order_settle(struct order *o, uint32_t context)
{
	if (o->file == NULL)
		return QEMU_OK;
	int error = write_settled_runs(o, context);
	if (error == QEMU_OK && ftell(o->file) == o->flushed && records_writer_flush(o->writer) != RECORDS_OK)
		error = QEMU_ERECORDS;
	if (error == QEMU_OK && fflush(o->file) != 0)
		error = QEMU_ERECORDS;
	o->flushed = ftell(o->file);
	return error;
}

int order_append(struct order *o, struct records_writer *writer, size_t *done, uint64_t *time)
{
	char path[64], detail[256];
	struct records *records;
	if (o->file == NULL || records_written(o->writer) == 0)
		return QEMU_OK;
	snprintf(path, sizeof path, "/proc/self/fd/%d", fileno(o->file));
	const int opened = records_open(&records, path, detail, sizeof detail);
	if (opened == RECORDS_EFORMAT && *done == 0 && o->flushed == 0)
		return QEMU_OK; /* no block is full yet */
	if (opened != RECORDS_OK)
		return QEMU_ERECORDS;
	const int error = records_writer_append(writer, records, done, *time);
	*time += o->time;
	records_close(records);
	if (error == RECORDS_OK)
		return QEMU_OK;
	return error == RECORDS_ENOMEM ? QEMU_ENOMEM : QEMU_ERECORDS;
}

void order_close(struct order *o)
{
	records_writer_close(o->writer);
	if (o->file != NULL)
		fclose(o->file);
	free(o->known);
	free(o->keys);
	free(o->runs);
	*o = (struct order){0};
}
