/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/*
 * How many of the last instructions a flight recorder has in 1 KiB, frozen at any time: as a ring of records, and as
 * a ring of the bytes of the dense coder's golden model, in which the oldest start that is whole is where a reader
 * begins. Usage: kept FILE.rvr ENTRIES PLACES CHECK_BITS BYTES
 * BYTES: the coder is asked for a start behind so many; 0: records
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include "host/records/records.h"
#include "model/dense.h"
#include "model/trace/dense_private.h"

enum { RING = 1024, RECORD_BYTES = 16, KEPT = RING / RECORD_BYTES - 1, END_BYTES = 8, FREEZE_EVERY = 101 };
enum { STARTS_MAX = 4096 };

struct kept {
	struct dense dense;
	unsigned begin_bytes;
	uint64_t bytes, begun_at; /* bytes that left, and how many when a start was asked for */
	uint64_t insns;           /* of all traces that came */
	uint64_t start_byte[STARTS_MAX], start_insns[STARTS_MAX], starts;
	uint64_t ring[KEPT], count; /* instructions of the last records */
	uint64_t freezes, sum, least, since;
};

/* Bytes that the coder has made up to now. */
static uint64_t made_bytes(const struct kept *k)
{
	return k->bytes + dense_held(&k->dense.buffer, k->dense.config.buffer) + k->dense.pack.stage;
}

static bool step(struct kept *k, struct dense_in *in)
{
	struct dense_out out;
	const bool opens = k->dense.state == DENSE_OPEN && dense_pack_ready(&k->dense);
	in->begin = k->begin_bytes > 0 && !k->dense.restart && k->bytes - k->begun_at >= k->begin_bytes;
	if (in->begin)
		k->begun_at = k->bytes;
	if (opens) {
		k->start_byte[k->starts % STARTS_MAX] = made_bytes(k);
		k->start_insns[k->starts++ % STARTS_MAX] = k->insns;
	}
	in->byte_ready = true;
	dense_cycle(&k->dense, in, &out);
	k->bytes += out.byte_valid;
	return out.busy;
}

static uint64_t kept_dense(const struct kept *k)
{
	const uint64_t end = made_bytes(k) + END_BYTES, oldest = end > RING ? end - RING : 0;
	for (uint64_t i = k->starts > STARTS_MAX ? k->starts - STARTS_MAX : 0; i < k->starts; i++)
		if (k->start_byte[i % STARTS_MAX] >= oldest)
			return k->insns - k->start_insns[i % STARTS_MAX];
	return 0;
}

static uint64_t kept_records(const struct kept *k)
{
	uint64_t sum = 0;
	for (uint64_t i = 0; i < k->count && i < KEPT; i++)
		sum += k->ring[i];
	return sum;
}

static void freeze(struct kept *k)
{
	const uint64_t insns = k->begin_bytes > 0 ? kept_dense(k) : kept_records(k);
	k->sum += insns;
	k->least = k->freezes == 0 || insns < k->least ? insns : k->least;
	k->freezes++;
}

static void take_record(struct kept *k, const struct record *record)
{
	struct dense_in in = {.rec_valid = true,
	    .start = record->start,
	    .hist = record->hist,
	    .reason = record->reason,
	    .insns = (uint16_t)record->insns,
	    .repeat = (uint32_t)record->count};
	k->ring[k->count++ % KEPT] = record->count * record->insns;
	if (k->begin_bytes > 0) {
		step(k, &in);
		in.rec_valid = false;
		/* until it is coded: what waits in the queue is neither here nor there */
		while (k->dense.queue.wr != k->dense.queue.rd)
			step(k, &in);
	}
	k->insns += record->count * record->insns;
	if (++k->since % FREEZE_EVERY == 0 && k->since > 4 * FREEZE_EVERY)
		freeze(k);
}

int main(int argc, char **argv)
{
	static struct kept k;
	struct dense_config config;
	struct records *records;
	struct record record;
	struct record_place place;
	char detail[512];
	if (argc != 6 || records_open(&records, argv[1], detail, sizeof detail) != RECORDS_OK) {
		fprintf(stderr, "usage: kept FILE.rvr ENTRIES PLACES CHECK_BITS BYTES\n");
		return 2;
	}
	dense_config_default(&config);
	config.entries = (unsigned)strtoul(argv[2], NULL, 0);
	config.places = (unsigned)strtoul(argv[3], NULL, 0);
	config.check_bits = (unsigned)strtoul(argv[4], NULL, 0);
	config.start_bits = 31;
	k.begin_bytes = (unsigned)strtoul(argv[5], NULL, 0);
	dense_reset(&k.dense, &config);
	while (records_next(records, &record, &place) == 1)
		take_record(&k, &record);
	printf("%" PRIu64 " %" PRIu64 "\n", k.freezes > 0 ? k.sum / k.freezes : 0, k.least);
	records_close(records);
	return 0;
}
