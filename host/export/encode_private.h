/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#ifndef RIVULET_EXPORT_ENCODE_PRIVATE_H
#define RIVULET_EXPORT_ENCODE_PRIVATE_H
/* encode.c takes one record after the other; encode_sums.c takes each distinct step of them once, with its count. */
#include "host/cycles/trace.h"
#include "host/export/encode.h"
#include "host/walk/walk.h"

struct encode {
	const struct image *image;
	struct standard_code *code;
	struct standard_encoder *encoder;
	struct encode_counts *counts;
	struct walk *walk;
	struct standard_insn waiting; /* its next instruction is not known yet; length 0: none */
	int outcome;                  /* of it, a branch; -1: none */
	uint64_t cycles;              /* of it */
	bool on;
	unsigned reason; /* of the last record; TRACE_NONE: nothing joins it */
	uint32_t ctrl;
	/* the record at hand */
	struct walk_visit *visits;
	size_t visit_count, visit_room;
	/* cycles of its instructions, for an encoder that asks for them */
	struct core core;
	struct trace_costs costs;
	struct core_state core_state;
	bool core_known;
	struct split_part *parts;
	size_t part_room;
};

int encode_open(
    struct encode *e, const struct image *image, struct standard_encoder *encoder, struct encode_counts *counts);
void encode_close(struct encode *e); /* behind an encode_open() that failed, too */
/* The records that follow were collected with this CTRL register. RECORDS_OK or RECORDS_ENOMEM. */
int encode_ctrl(struct encode *e, const struct records_header *header, uint32_t ctrl);
/* The next record. RECORDS_OK or RECORDS_ENOMEM. */
int encode_record(struct encode *e, const struct record *record);
/* Nothing follows. */
void encode_stop(struct encode *e);
#endif
