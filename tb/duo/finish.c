/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* What the sink of two cores wrote, or what their program printed, against what each hart retired. */
#include "tb/duo/bench.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static const struct joined_config ring_config = {
    .sources = DUO_HARTS, .xlen = 32, .hist = 32, .with_cycles = true, .with_time = true};

void duo_differ(struct bench *b, unsigned hart, const char *signal, uint64_t rtl, uint64_t model)
{
	if (b->same)
		printf("check-duo: cycle %" PRIu64 ", hart %u: %s is %" PRIx64 " in the RTL, %" PRIx64
		       " in the model\n",
		    b->cycle, hart, signal, rtl, model);
	b->same = false;
}

int duo_trouble(const char *what, const char *why)
{
	fprintf(stderr, "lockstep: %s: %s\n", what, why);
	return 4;
}

void duo_count(struct profile *profile, const struct record *r)
{
	struct record record = *r;
	record.timed = r->count;
	profile_add(profile, &record);
}

/* ---- a hub with a hot-trace table: what left it is what came, path by path */

/* START, HIST, REC_INFO, CYCLES, COUNT, ORIGIN of each that left the table. */
static void read_counts(struct bench *b, struct profile counted[DUO_HARTS])
{
	for (uint32_t at = 0; at + 4 * WORDS <= b->written; at += 4 * WORDS) {
		uint32_t w[WORDS];
		for (unsigned i = 0; i < WORDS; i++)
			w[i] = duo_rtl_read(b->rtl, (b->ring - RAM_BASE + at) / 4 + i);
		const struct record r = {.start = w[0],
		    .hist = w[1],
		    .reason = (uint8_t)((w[2] & RV_REC_INFO_REASON_MASK) >> RV_REC_INFO_REASON_LSB),
		    .insns = (w[2] & RV_REC_INFO_INSNS_MASK) >> RV_REC_INFO_INSNS_LSB,
		    .cycles = w[3],
		    .count = w[4]};
		if (w[5] < DUO_HARTS)
			duo_count(&counted[w[5]], &r);
		else
			duo_differ(b, 0, "number of a unit", w[5], DUO_HARTS);
	}
}

static int hold_counts(struct bench *b)
{
	struct profile counted[DUO_HARTS] = {0};
	uint64_t traces = 0, paths = 0;
	read_counts(b, counted);
	for (unsigned h = 0; h < DUO_HARTS; h++) {
		const struct profile *came = &b->hart[h].came;
		for (size_t i = 0; i < came->used; i++) {
			const struct record *one = profile_match(&counted[h], &came->entries[i]);
			if (one == NULL || one->count != came->entries[i].count ||
			    one->cycles != came->entries[i].cycles)
				duo_differ(
				    b, h, "count of a path", one == NULL ? 0 : one->count, came->entries[i].count);
		}
		if (counted[h].total != came->total)
			duo_differ(b, h, "count of all paths", counted[h].total, came->total);
		traces += counted[h].total;
		paths += counted[h].used;
		profile_fini(&counted[h]);
	}
	if (!b->same)
		return 1;
	printf("check-duo: %" PRIu64 " cycles, %" PRIu64 " records counted in one table, %u left it, %" PRIu64
	       " traces of %" PRIu64 " paths, 0 differences\n",
	    b->cycle, b->records, (unsigned)(b->written / (4 * WORDS)), traces, paths);
	return traces > 1000 ? 0 : duo_trouble("program", "too little was traced");
}

/* ---- what the ring says */

static int read_ring(struct bench *b, const char *path)
{
	uint8_t *bytes = malloc(b->written + 4);
	if (bytes == NULL)
		return duo_trouble("ring", "out of memory");
	for (uint32_t at = 0; at < b->written; at += 4) {
		const uint32_t word = duo_rtl_read(b->rtl, (b->ring - RAM_BASE + at) / 4);
		memcpy(bytes + at, &word, 4);
	}
	FILE *file = path == NULL ? NULL : fopen(path, "wb");
	if (path != NULL && (file == NULL || fwrite(bytes, 1, b->written, file) != b->written || fclose(file) != 0))
		return duo_trouble(path, "cannot be written");
	const int error = joined_read(&b->joined, &ring_config, bytes, b->written);
	free(bytes);
	return error == JOINED_OK ? 0 : duo_trouble("ring", joined_strerror(error));
}

/* Every record of each hart, walked, gives what it retired. */
static int hold_records(struct bench *b)
{
	uint64_t last = 0;
	for (size_t i = 0; i < b->joined.count && b->same; i++) {
		const struct joined_record *r = &b->joined.all[i];
		struct hart *hart = &b->hart[r->source];
		if (r->time < last)
			duo_differ(b, r->source, "time of a record", r->time, last);
		last = r->time;
		if (follow_record(&hart->follow, model_trace(hart->model), &r->record) != FOLLOW_OK)
			duo_differ(b, r->source, "pc of a record", hart->follow.got, hart->follow.expected);
	}
	for (unsigned h = 0; h < DUO_HARTS; h++) {
		const struct hart *hart = &b->hart[h];
		if (hart->follow.waiting != 0 || hart->follow.instructions != hart->traced || b->joined.missed[h] != 0)
			duo_differ(b, h, "instructions in records", hart->follow.instructions, hart->traced);
	}
	return b->same ? 0 : 1;
}

static int emit_duo(void *context, const void *bytes, size_t size)
{
	return fwrite(bytes, 1, size, context) == size ? 0 : 1;
}

static int write_duo(struct bench *b, const char *path)
{
	const struct trace_config *unit = &model_trace(b->hart[0].model)->config;
	struct records_header header = {.xlen = 32,
	    .hist = 32,
	    .insn_bits = unit->insn_bits,
	    .cycle_bits = unit->cycle_bits,
	    .repeat_bits = unit->repeat_bits,
	    .source = RECORDS_RTL,
	    .harts = DUO_HARTS,
	    .name = "duo"};
	const struct records_end end = {.cycles = DUO_HARTS * b->cycle,
	    .instructions = b->hart[0].retired + b->hart[1].retired,
	    .last_cycle = b->cycle,
	    .traced_instructions = b->hart[0].traced + b->hart[1].traced,
	    .ending = RECORDS_END_EXIT};
	struct records_writer *writer;
	FILE *file = fopen(path, "wb");
	records_identify_run(&header, b->image);
	if (file == NULL || records_writer_open(&writer, &header, 0, emit_duo, file) != RECORDS_OK)
		return duo_trouble(path, "cannot be written");
	const int error = joined_write(&b->joined, &ring_config, writer, b->hart[0].ctrl, &end);
	records_writer_close(writer);
	if (fclose(file) != 0 || error != JOINED_OK)
		return duo_trouble(path, joined_strerror(error));
	return 0;
}

/* What the unit of each hart made, as FILE.0 and FILE.1, for the profiles that the program itself printed to FILE. */
static int write_made(struct bench *b, const char *path)
{
	for (unsigned h = 0; h < DUO_HARTS; h++) {
		char name[4096];
		struct hart *hart = &b->hart[h];
		hart->came.header = (struct profile_header){.source = PROFILE_MODEL,
		    .xlen = 32,
		    .hist = 32,
		    .ctrl = hart->ctrl,
		    .way = RUN_STREAM,
		    .period = 1};
		hart->came.end.instructions = hart->traced;
		snprintf(name, sizeof name, "%s.%u", path, h);
		FILE *file = fopen(name, "wb");
		if (file == NULL || profile_write(&hart->came, emit_duo, file) != PROFILE_OK || fclose(file) != 0)
			return duo_trouble(name, "cannot be written");
		printf("check-duo: hart %u: %" PRIu64 " instructions, %" PRIu64 " traces\n", h, hart->traced,
		    hart->came.total);
	}
	return fclose(b->console) == 0 ? 0 : duo_trouble(path, "cannot be written");
}

int finish_duo(struct bench *b, const char *ring, const char *records)
{
	if (b->console != NULL)
		return write_made(b, b->console_path);
	if (b->table)
		return hold_counts(b);
	int status = read_ring(b, ring);
	if (status == 0)
		status = hold_records(b);
	if (status == 0 && records != NULL)
		status = write_duo(b, records);
	if (status != 0)
		return status;
	printf("check-duo: %" PRIu64 " cycles, %" PRIu64 " records in one ring, 0 differences\n", b->cycle, b->records);
	for (unsigned h = 0; h < DUO_HARTS; h++) {
		const struct hart *hart = &b->hart[h];
		printf("check-duo: hart %u: %" PRIu64 " instructions, %" PRIu64 " traced, %" PRIu64
		       " of them walked back, %" PRIu64 " traps, waits for the bus in %.1f%% of cycles\n",
		    h, hart->retired, hart->traced, hart->follow.instructions, hart->traps,
		    100.0 * (double)hart->waited / (double)b->cycle);
		if (hart->traced < 1000)
			return duo_trouble("program", "too little was traced");
	}
	return 0;
}
