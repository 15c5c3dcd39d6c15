/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#ifndef RIVULET_EXPORT_ENCODE_H
#define RIVULET_EXPORT_ENCODE_H
/*
 * Records in order, as the bytes that an encoder of a trace standard would have sent: so other people's decoders can be
 * tried with our runs.
 *
 *   records ──► walk ──► instructions, each with the one behind it ──► standard_encoder
 *
 * Tracing stops and starts again where records do not join: a gap, a handler that was not traced, a system call (it
 * does not retire).
 */
#include "host/records/records.h"
#include "host/standard/encoder.h"

#define ENCODE_STATE 4 /* numbers that are the state of an encoder */

struct encode_counts {
	uint64_t instructions; /* encoded */
	uint64_t calls;        /* ECALL, EBREAK: of the records, not encoded */
	uint64_t unfit;        /* traces that do not fit the image: left out */
	uint64_t cut;          /* traces of which a part is not known: left out from there */
	uint64_t breaks;       /* tracing stopped and started again */
};

/* RECORDS_OK, or an error of records.h. */
int encode_records(const struct image *image, struct records *records, struct standard_encoder *encoder,
    struct encode_counts *counts, records_progress *progress, void *context);

/*
 * The same for an encoder that adds up what happened, and does not care in which order: each distinct step of the
 * records (host/base/steps.h) is encoded once, and counts as often as it came.
 */
struct encode_sums {
	struct standard_encoder base; /* with spend: a record with other cycles is another step */
	uint64_t times;               /* what the encoder is shown happened so often; 0: it must count nothing */
	uint64_t state[ENCODE_STATE]; /* the encoder's: all that it keeps between two instructions, but for sums */
	/* NULL, or for an encoder that does care about the order. begin: what is encoded next, times 0, is the step of
	 * this number; behind step 0 the steps before are forgotten. show: these steps happened one after the other. */
	void (*begin)(struct encode_sums *encoder, uint32_t step);
	void (*show)(struct encode_sums *encoder, const uint32_t *steps, size_t count);
	bool full; /* set by the encoder: it wants the steps to be forgotten */
};
int encode_records_sums(
    const struct image *image, struct records *records, struct encode_sums *encoder, struct encode_counts *counts);
#endif
