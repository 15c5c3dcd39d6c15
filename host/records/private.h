/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#ifndef RIVULET_RECORDS_PRIVATE_H
#define RIVULET_RECORDS_PRIVATE_H
/* Inside host/records: blocks as they stand in the file (docs/record-format.md). */
#include <string.h>
#include "common/frame.h"
#include "host/base/bytes.h"
#include "host/base/crc.h"
#include "host/records/records.h"

/* ---------------------------------------------------------------- head of a block */

#define HEAD_SIZE 64
#define SYNC_SIZE 8
extern const uint8_t records_sync[SYNC_SIZE];

enum head_type { HEAD_FILE = 1, HEAD_RECORDS = 2, HEAD_END = 3 };
enum head_coding { CODING_PLAIN, CODING_ZSTD };

struct head {
	uint8_t type, coding;
	uint16_t depth;         /* keys of so many blocks just before this one are its own too, at most DEPTH_MAX */
	uint32_t file;          /* CRC-32 of the file header's text: tells blocks of different files apart */
	uint32_t stored, plain; /* bytes behind the head, and when decompressed */
	uint32_t crc;           /* CRC-32 of the stored bytes */
	uint64_t first, cycle;  /* number and time of the first record */
	uint32_t count;
	uint32_t ctrl;
	uint64_t skipped; /* records that the writer knows to be missing just before the first */
};
/* Behind so many a block has all its keys itself again: what must be read to read one, and what one can spoil. */
#define DEPTH_MAX 15u
void head_put(const struct head *head, uint8_t bytes[HEAD_SIZE]);
/* False: no sync mark, a wrong checksum or a value that cannot be. */
bool head_get(struct head *head, const uint8_t bytes[HEAD_SIZE]);

/* Limits that a head must keep, so that damage never asks for absurd memory. */
#define PLAIN_MAX SIZED(16u << 20, 64u << 10)
#define INDEX_PLAIN_MAX ((RECORDS_BLOCKS_MAX + 16u) * INDEX_ENTRY + 8192)

/* ---------------------------------------------------------------- end block and trailer */

#define END_NUMBERS 12
#define INDEX_ENTRY 48
#define TRAILER_SIZE 24 /* sync mark of its own, offset of the end block, file, CRC-32 of these */
extern const uint8_t records_trailer_sync[SYNC_SIZE];

/* One block of records, in the reader's table and in the index. */
struct slot {
	uint64_t offset, first, cycle, skipped;
	uint32_t size; /* head and stored bytes */
	uint32_t count, ctrl;
	bool moved; /* stands at another place than its number says */
};

/* ---------------------------------------------------------------- text of the header */

#define HEADER_TEXT_MAX 32768
/* Returns the length of the text. */
size_t header_put(const struct records_header *header, char text[HEADER_TEXT_MAX]);
/* RECORDS_OK, RECORDS_EVERSION, RECORDS_EFORMAT. */
int header_get(struct records_header *header, const char *text, size_t size);

/* ---------------------------------------------------------------- phase changes */

/* In the end block, behind its payload: a frame that zstd skips, so that readers which do not know it leave it
 * alone. */
#define CHANGES_MAGIC 0x184D2A5Cu
#define CHANGES_NUMBERS 7
#define CHANGES_SIZE (8 + (size_t)RECORDS_CHANGES_MAX * CHANGES_NUMBERS * 8)
size_t changes_put(const struct record_change *changes, size_t count, uint8_t bytes[CHANGES_SIZE]);
/* bytes: as they are stored, with the payload before. How many there are, at most RECORDS_CHANGES_MAX. */
size_t changes_get(struct record_change changes[RECORDS_CHANGES_MAX], const uint8_t *bytes, size_t size);

/* ---------------------------------------------------------------- columns of a block */

/* A key of the list, as the writer has it: half a line of a cache, and all that is written of it. */
struct listed_key {
	uint64_t start, hist;
	uint32_t insns, base, context;
	uint8_t reason;
};

struct columns {
	uint32_t count, key_count;
	uint32_t carried;         /* of these keys: they stand in the blocks before */
	uint32_t sum;             /* CRC-32 of the lists that they stand in, one behind the other */
	struct record *keys;      /* only what records of one key share */
	uint32_t *context, *base; /* by key; base: cycles of its first record, multiplied: of one time */
	bool multiplied;          /* cycles are told from base as often as a record repeats */
	bool clocked;             /* a record's own time is its instructions too, not only its cycles */
	uint16_t *key, *repeat;
	uint32_t *cycles;
	uint64_t *time; /* by columns_times() */
	uint64_t last_time;
	const uint8_t *time_steps; /* what it is made from: in the bytes that columns_get() had */
	unsigned time_width;
	/* Of columns_put() alone: the keys; and what is written of repeat, cycles, time, for all but the last record.
	 * A column that has only zeros is not filled. */
	struct listed_key *listed;
	uint16_t *less;
	uint32_t *extra;
	uint64_t *step;
	uint64_t ored[3];            /* of all values of these three */
	uint64_t first_time, before; /* of the first record and of that before the last */
	struct columns_last {        /* the last record, which may still take more of the same */
		uint32_t key, base, insns, repeat, cycles;
		uint64_t time;
	} last;
};
/* room: records that it can hold. To be read, or to be written. */
int columns_init(struct columns *columns, uint32_t room);
int columns_init_written(struct columns *columns, uint32_t room);
void columns_fini(struct columns *columns);
/* Bytes that columns_put() needs at most. */
size_t columns_bound(const struct columns *columns);
/* Empties them. carry: the keys stay. */
void columns_clear(struct columns *columns, bool carry);
/* summed: the sum is kept too, for the next block carries the keys, or may. */
size_t columns_put(struct columns *columns, bool summed, uint8_t *bytes);
/* Everything is checked. False: not what columns_put() writes. count: of the head. list: NULL, or the keys of the
 * blocks before, which columns_carries() says to be those that it needs; its own are put there, and the columns have
 * those that it uses. */
bool columns_get(struct columns *columns, struct columns *list, uint32_t count, uint64_t first_time,
    const uint8_t *bytes, size_t size);
/* Whether these are the keys that a block needs which carries some. */
bool columns_carries(const struct columns *list, const uint8_t *bytes, size_t size);
/* Its keys alone, put to those of the list; carries: behind them, else instead of them. False: not what columns_put()
 * writes; then the list is as it was, or empty. */
bool columns_list(struct columns *list, bool carries, const uint8_t *bytes, size_t size);
/* The times of the records, which few readers ask for. The bytes must still be there. */
void columns_times(struct columns *columns);

/* In front of the columns. */
#define COLUMNS_HEAD 8
#define COLUMNS_CARRIED 8        /* behind it: how many keys are carried, their sum */
#define COLUMNS_CLOCKED 0x10u    /* beside the width of the times */
#define COLUMNS_MULTIPLIED 0x10u /* beside that of the cycles */
#define COLUMNS_STEPS 0x10u      /* beside that of the keys: each less the one before it, less 1 */

/* ---------------------------------------------------------------- columns that grow */

/* A column is filled from its first value on that is not 0. */
#define COLUMN_SET(column, ored, n, value)                                                                             \
	do {                                                                                                           \
		if (((value) | (ored)) != 0) {                                                                         \
			if ((ored) == 0)                                                                               \
				memset(column, 0, (n) * sizeof *(column));                                             \
			(column)[n] = (value);                                                                         \
			(ored) |= (value);                                                                             \
		}                                                                                                      \
	} while (0)

/* What stands of a record beside its key: repetitions less 1, cycles less those of the key, folded, and time less what
 * it would be if nothing lay between it and the one before, folded. */
struct columns_value {
	uint64_t step;
	uint32_t extra;
	uint16_t less;
};

/* What records of all columns but `key` are at n, where one of them is not 0, or was not before. */
static inline void columns_values(struct columns *c, uint32_t n, const struct columns_value *value)
{
	COLUMN_SET(c->less, c->ored[0], n, value->less);
	COLUMN_SET(c->extra, c->ored[1], n, value->extra);
	COLUMN_SET(c->step, c->ored[2], n, value->step);
}

static inline uint32_t columns_fold(uint32_t cycles, uint32_t base)
{
	const uint32_t more = cycles - base;
	return more << 1 ^ (0 - (more >> 31));
}

/* The cycles that a record of so many repetitions has by its key: what it has beside these is stored.
 *
 *	a loop of 4 cycles, 1, 3 and 2 times	cycles 4 12 8	stored: 0 8 4, multiplied: 0 0 0
 */
static inline uint32_t columns_usual(const struct columns *c, uint32_t base, uint32_t repeat)
{
	return c->multiplied ? base * repeat : base;
}

static inline struct columns_value columns_value_of(
    const struct columns *c, const struct columns_last *last, uint64_t before)
{
	const uint64_t own = last->cycles + (c->clocked ? (uint64_t)last->insns * last->repeat : 0);
	return (struct columns_value){.step = frame_zigzag((int64_t)(last->time - before - own)),
	    .extra = columns_fold(last->cycles, columns_usual(c, last->base, last->repeat)),
	    .less = (uint16_t)(last->repeat - 1)};
}

/* Puts the last record at n, behind one of time `before`. */
static inline void columns_close(struct columns *c, uint32_t n, const struct columns_last *last, uint64_t before)
{
	struct columns_value value = columns_value_of(c, last, before);
	if (n == 0) {
		value.step = 0;
		c->first_time = last->time; /* that of the block */
	}
	c->key[n] = (uint16_t)last->key;
	if ((value.less | value.extra | value.step | c->ored[0] | c->ored[1] | c->ored[2]) != 0)
		columns_values(c, n, &value);
}

/* ---------------------------------------------------------------- reader */

struct records {
	int fd; /* -1: in memory */
	bool own_fd;
	const uint8_t *bytes;
	uint64_t length;
	bool has_header, has_end, indexed, known_file;
	uint32_t file; /* of the heads, if known_file */
	struct records_header header;
	struct records_end end;
	struct record_change changes[RECORDS_CHANGES_MAX];
	size_t change_count;
	struct slot *slots; /* sorted by first, without overlap */
	size_t slot_count, slot_room;
	/* place */
	size_t slot;     /* the next to be read */
	uint64_t expect; /* number of the record that should come next */
	uint64_t last_time;
	uint32_t at;    /* next record of the block that is loaded; at == columns.count: none */
	uint64_t first; /* number of its first record */
	uint32_t ctrl;
	struct columns columns;
	struct columns list; /* the keys of the last blocks that belong together; none: those of `columns` are */
	uint8_t *stored, *plain;
	size_t stored_room, plain_room;
	void *zstd;
	/* damage */
	struct records_damage damage[RECORDS_DAMAGE_MAX];
	uint64_t damage_count;
	uint64_t missing;     /* in the part that has been read */
	uint64_t reported;    /* numbers below this have been accounted for in the damage list */
	uint64_t scan_damage; /* of the damage: found when the file was opened */
};
/* Whether the unit counted cycles. */
static inline bool records_timed(const struct records *records)
{
	return !records->has_header || records->header.cycle_bits > 0;
}
/* Reads size bytes at offset. False: they are not there, or a read error (then *error). */
bool source_read(struct records *records, uint64_t offset, void *bytes, size_t size, int *error);
/* Reads, checks and decompresses what stands behind head. RECORDS_OK, RECORDS_EFORMAT: damaged, or an error. */
int source_payload(struct records *records, const struct head *head, uint64_t offset, const uint8_t **payload);
/* Finds header, end and the table of blocks. */
int scan_file(struct records *records);
bool same_head(const struct records *records, const struct head *head, const struct slot *slot);
void damage_add(struct records *records, const struct records_damage *damage);
#endif
