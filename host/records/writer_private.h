/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#ifndef RIVULET_RECORDS_WRITER_PRIVATE_H
#define RIVULET_RECORDS_WRITER_PRIVATE_H
/* Shared by writer.c (the file) and writer_records.c (records in its blocks) only. */
#define ZSTD_STATIC_LINKING_ONLY /* ZSTD_c_literalCompressionMode */
#include <zstd.h>
#include "host/base/hash.h"
#include "host/records/private.h"

struct known {           /* a caller's key: list 0: not looked at yet */
	uint32_t list;   /* in which it was found last */
	uint32_t base;   /* as the list has it */
	uint32_t insns;  /* of one time */
	uint32_t cycles; /* of one time */
	uint32_t own;    /* what one time takes: its cycles, and its instructions where these are a clock */
	uint16_t index;  /* in that list */
	uint16_t more;   /* of a chain's, so many may be one with an equal one before them */
	uint16_t most;   /* of a run's, so many fit in one record */
	bool merges;     /* a trace that may be one with the next that is equal */
};

/* Records that come again and again in this order (writer_cycle.c); a record of the columns each. */
struct writer_cycle {
	size_t size;     /* so many; 0: none */
	uint64_t origin; /* number, in all chains, of a record that was the first of a cycle */
	uint32_t list;   /* for which they are known: */
	uint32_t extra;  /* all bits of: */
	uint16_t *uses, *keys;
	uint32_t *extras; /* what they have in the columns */
	uint64_t *times;  /* what those before one take, and all together */
};

struct records_writer {
	struct records_header header;
	records_emit *emit;
	void *context;
	int level, error;
	bool begun, merging;
	unsigned poor;         /* so many blocks hardly became smaller, up to the last one */
	bool very_poor, cheap; /* the last one at all; cheap: they need no search for what comes again */
	uint32_t file, ctrl;
	uint64_t offset, next, traces;     /* next: number of the next record */
	uint64_t repeat_most, cycles_most; /* of a record that was merged */
	uint64_t even_most;                /* a key of so many may come as often as a record repeats */
	bool timed;                        /* a record had cycles */
	uint64_t skipped;                  /* before the block that is being filled */
	struct columns columns;
	struct hash table;   /* of its keys: those of the block, and those that it carries */
	unsigned depth;      /* so many blocks before this one have keys that it carries */
	struct known *known; /* by key of records_write_many() */
	size_t known_count, known_room;
	size_t once_known; /* a chain's keys for it alone, below this: they are forgotten behind it */
	bool uneven;       /* a key is known whose cycles are not those of the list, or may be too many for a record */
#define WINDOW_LEAST 64u
	size_t window;     /* within so many records of a chain, a period is looked for */
	size_t unsearched; /* so many are put before that */
	uint64_t chained;  /* records of the chains before */
	struct writer_cycle cycle;
	uint32_t list, known_context; /* list: counts lists of keys, from 1 on; known_context: that `known` is for */
	uint8_t *plain, *stored;
	size_t plain_room, stored_room;
	struct slot *index;
	size_t index_count, index_room;
	ZSTD_CCtx *zstd;
	char text[HEADER_TEXT_MAX];
	size_t text_size;
	struct record_change changes[RECORDS_CHANGES_MAX];
	size_t change_count;
};

/* writer.c: writes the block that is being filled, if it has records. */
int writer_flush_block(struct records_writer *w);
/* The same; the next block carries no keys. */
int writer_renew_keys(struct records_writer *w);
/* The same record so often, one close behind the other. */
struct record_use {
	uint32_t cycles, own; /* as in struct known */
	uint64_t time;        /* when the last of them ended */
	uint32_t count;
};
/* writer_records.c: puts records of a block's key into the last one, as many as there is room for; returns how many. */
uint32_t writer_merge_record(struct records_writer *w, uint32_t index, const struct record_use *use);
/* writer_keys.c. Index of the key in the list, to which it is put if it is not there; HASH_NONE: out of memory, or the
 * block that had no room for it cannot be written. */
uint32_t writer_find_key(struct records_writer *w, const struct record *key, uint32_t context);
/* Looks up the keys of a chain's next records, those between two of them, as many as surely go into this block: all at
 * once, so that what they need comes from memory at the same time. Whether that of the first is known. */
bool writer_learn_keys(struct records_writer *w, const struct record_chain *chain, size_t from, size_t end);
/* What is known of a key of a chain, as the list has it at `index`. */
void writer_know_key(struct records_writer *w, uint16_t use, const struct record *key, uint32_t index);
/* What the columns of less and extra cycles have from `begin` on, `count` values that lie close to each other, was put
 * there already; these are all their bits. */
void writer_leave_stretch(struct columns *c, uint32_t begin, uint32_t count, uint32_t less_ored, uint32_t extra_ored);
/* What is known of the caller's keys, as many as there are now. False: out of memory. */
bool writer_know(struct records_writer *w, size_t count, uint32_t context);
/* Whether such traces become one with equal ones before them. */
bool writer_merges(const struct records_writer *w, uint8_t reason);
/* writer_cycle.c. uses: of a chain; number: of the first of them in all chains. */
enum { CYCLE_MOST = 1 << 15, CYCLE_WORTH = 64 };
int writer_cycle_init(struct writer_cycle *cycle);
void writer_cycle_fini(struct writer_cycle *cycle);
/* So many come again and again from now on. False: they cannot be followed. */
bool writer_cycle_learn(struct records_writer *w, const uint16_t *uses, size_t size, uint64_t number);
/* Whether they go on as the cycle does, for so many that it is worth it. */
bool writer_cycle_fits(struct records_writer *w, const uint16_t *uses, size_t count, uint64_t number);
/* Puts records as long as they do and the block has room; returns how many. The last one of the block has been closed,
 * the first is no more of it. */
size_t writer_cycle_follow(
    struct records_writer *w, const uint16_t *uses, size_t most, uint64_t number, uint64_t *time);
/* Keeps the first error: nothing is written behind it. Returns it. */
int writer_settle(struct records_writer *w, int error);
#endif
