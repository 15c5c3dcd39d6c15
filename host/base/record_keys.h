/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#ifndef RIVULET_BASE_RECORD_KEYS_H
#define RIVULET_BASE_RECORD_KEYS_H
/*
 * The distinct records of a run, without their cycles: each gets a number, by which steps (host/base/steps.h) know it.
 *
 *   record, mode ──► number ──► keys->all[number]       mode: how the record was formed; what that means is the owner's
 *
 * record.count counts: a record that stands for three traces is another one than that for a single trace.
 */
#include "common/record.h"
#include "host/base/hash.h"

struct record_key {
	struct record record; /* cycles and timed are 0 */
	uint32_t mode;
	uint32_t insns; /* the owner's: instructions of it that are known, once it was walked; 0 at first */
	bool whole;     /* the owner's: all of them are */
};

struct record_keys { /* zeros: none */
	struct record_key *all;
	size_t count, room;
	struct hash table;
};

/* Whoever puts so many bits beside a number, in 32 bits, has room for any number. */
#define RECORD_KEY_BITS 3u

/* *number: that of the record; a new one is added. False: out of memory, or out of numbers. */
bool record_keys_number(struct record_keys *keys, const struct record *record, uint32_t mode, uint32_t *number);
void record_keys_free(struct record_keys *keys);
#endif
