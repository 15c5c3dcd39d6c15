/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/*
 * Bits an instruction of the dense coder's golden model on the records of a file, as fast as it takes them. What comes
 * back from the receiver is compared with them. Usage: measure FILE.rvr ENTRIES PLACES CHECK_BITS START_BITS
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include "host/records/dense.h"
#include "host/records/records.h"
#include "model/dense.h"

#define WAITING 8192 /* traces: more than the coder's queue and a frame hold */

struct measure {
	struct dense dense;
	struct dense_reader *reader;
	struct record waiting[WAITING];
	uint64_t came, gone, bytes, insns;
	bool wrong;
};

static int take_back(void *context, const struct record *record)
{
	struct measure *m = context;
	const struct record *sent = &m->waiting[m->gone++ % WAITING];
	m->wrong |= record->start != sent->start || record->hist != sent->hist || record->reason != sent->reason;
	return 0;
}

static int take_gap(void *context, uint64_t count)
{
	struct measure *m = context;
	(void)count;
	m->wrong = true;
	return 0;
}

static bool step(struct measure *m, const struct dense_in *in)
{
	struct dense_out out;
	dense_cycle(&m->dense, in, &out);
	if (out.byte_valid) {
		m->bytes++;
		dense_reader_feed(m->reader, &out.byte, 1);
	}
	return out.busy;
}

static bool has_room(const struct measure *m)
{
	const struct dense *d = &m->dense;
	return ((d->queue.wr - d->queue.rd) & (2 * d->config.queue - 1)) < d->config.queue / 2;
}

static void send_record(struct measure *m, const struct record *record)
{
	struct dense_in in = {.byte_ready = true};
	while (!has_room(m))
		step(m, &in);
	in.rec_valid = true;
	in.start = record->start;
	in.hist = record->hist;
	in.reason = record->reason;
	in.insns = (uint16_t)record->insns;
	in.repeat = (uint32_t)record->count;
	step(m, &in);
	for (uint64_t i = 0; i < record->count; i++)
		m->waiting[m->came++ % WAITING] = *record;
	m->insns += record->count * record->insns;
}

static bool take_sizes(struct dense_config *config, char **words)
{
	dense_config_default(config);
	config->entries = (unsigned)strtoul(words[0], NULL, 0);
	config->places = (unsigned)strtoul(words[1], NULL, 0);
	config->check_bits = (unsigned)strtoul(words[2], NULL, 0);
	config->start_bits = (unsigned)strtoul(words[3], NULL, 0);
	return config->entries >= 32 && config->entries <= DENSE_ENTRIES_MAX && config->places >= 32 &&
	       config->places <= DENSE_PLACES_MAX && config->check_bits >= 3 && config->check_bits <= 12 &&
	       config->start_bits >= config->check_bits && config->start_bits <= 31;
}

int main(int argc, char **argv)
{
	static struct measure m;
	struct dense_config config;
	struct records *records;
	struct record record;
	struct record_place place;
	char detail[512];
	const struct dense_reader_sink sink = {take_back, take_gap, NULL, &m};
	if (argc != 6 || !take_sizes(&config, argv + 2)) {
		fprintf(stderr, "usage: measure FILE.rvr ENTRIES PLACES CHECK_BITS START_BITS\n");
		return 2;
	}
	if (records_open(&records, argv[1], detail, sizeof detail) != RECORDS_OK ||
	    dense_reader_open(&m.reader, &sink) != DENSE_READER_OK) {
		fprintf(stderr, "measure: %s: cannot be read\n", argv[1]);
		return 1;
	}
	dense_reset(&m.dense, &config);
	while (records_next(records, &record, &place) == 1)
		send_record(&m, &record);
	while (step(&m, &(struct dense_in){.byte_ready = true, .flush = true}))
		;
	const bool same = !m.wrong && m.came == m.gone && dense_reader_finish(m.reader) == DENSE_READER_OK;
	if (same)
		printf("%.6f\n", 8.0 * (double)m.bytes / (double)m.insns);
	else
		fprintf(stderr, "measure: %s: not the same records\n", argv[1]);
	dense_reader_close(m.reader);
	records_close(records);
	return same ? 0 : 1;
}
