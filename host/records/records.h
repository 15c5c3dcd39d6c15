/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#ifndef RIVULET_RECORDS_H
#define RIVULET_RECORDS_H
/*
 * The record stream file, .rvr (docs/record-format.md): every record that left the trace unit's record port, in order,
 * with the cycle in which it left.
 *
 *   header │ block │ block │ ... │ end block with index │ trailer
 *            └ up to RECORDS_BLOCK_MAX records, compressed, with checksum, number and cycle of the first record
 *
 * A file that was cut off, damaged or put together in another order is read as far as it is good: blocks are found by
 * their sync mark and read in the order of their record numbers. What is missing is known by number, place and cycle.
 * Damage is no error; it is counted and described (records_damage()).
 *
 * Memory: the reader holds one block, the keys that it carries from those before it, and 48 bytes for each block of the
 * file.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "common/record.h"
#include "common/sizes.h"

struct image;
struct profile;

enum records_error {
	RECORDS_OK = 0,
	RECORDS_ENOMEM = -1,
	RECORDS_EOPEN = -2,    /* cannot be opened or read */
	RECORDS_EFORMAT = -3,  /* no record file: neither header nor block in it */
	RECORDS_EVERSION = -4, /* of a later format */
	RECORDS_EWRITE = -5,   /* the emitter failed */
	RECORDS_EVALUE = -6,   /* a record that no trace unit makes, or that the file has no room for */
	RECORDS_EFULL = -7,    /* written: more than RECORDS_BLOCKS_MAX blocks */
	RECORDS_EPROFILE = -8, /* a count passed 64 bits */
	RECORDS_ESTOPPED = -9, /* the caller's function asked to stop */
	RECORDS_ECODING = -10  /* appended: coded as a file of the version that was begun cannot be */
};
const char *records_strerror(int error);

#define RECORDS_BLOCK_MAX SIZED(65536, 4096)    /* records in a block */
#define RECORDS_BLOCKS_MAX SIZED(1048576u, 64u) /* blocks in a file; the reader leaves later ones out and reports it */
#define RECORDS_NAME_MAX 256
#define RECORDS_OBJECTS_MAX 64
#define RECORDS_PATH_MAX 256
#define RECORDS_BUILD_ID_MAX 64
#define RECORDS_HARTS_MAX 8 /* PROFILE_HARTS_MAX too */

enum records_source {
	RECORDS_MODEL,
	RECORDS_FAST_MODEL,
	RECORDS_RTL,
	RECORDS_BOARD,
	RECORDS_IMPORT,  /* a retirement log, through the golden model of the unit */
	RECORDS_QEMU,    /* the plugin of host/qemu; both: times are instructions, or an estimate (rules), or shared */
	RECORDS_MACHINE, /* a machine that an interpreter makes (docs/machines.md): times are bytecodes */
	RECORDS_SOURCES
};
const char *records_source_name(unsigned source);

/* ---------------------------------------------------------------- contents */

struct records_header {
	unsigned xlen, hist;                         /* of the trace unit, docs/trace-unit.md section 1 */
	unsigned insn_bits, cycle_bits, repeat_bits; /* widths; 0: the unit does not have that member */
	uint32_t ctrl;                               /* CTRL at the first record; written by the writer */
	unsigned source;                             /* enum records_source */
	bool has_build;
	uint32_t build;    /* as in docs/profile-format.md */
	uint32_t code_crc; /* CRC-32 of all executable segments, in order of address; 0: not known */
	char build_id[2 * RECORDS_BUILD_ID_MAX + 1]; /* hexadecimal, of the ELF note; "": none */
	char name[RECORDS_NAME_MAX];                 /* of the application */
	char options[1024];                          /* how the program was run: "way=5 input=ref" */
	char rules
	    [104]; /* cycles are an estimate by the rules of this core (host/cycles/core.h); "": they were measured */
	unsigned harts; /* contexts are harts, so many, which ran at the same time by one clock,
			 * each behind the other; 0: they are not */
	bool shared;    /* cycles are of times that stood between records, and were shared out between two of them */
	/* Version 3: the time of a record is behind that of the one before by its instructions too, unless the file
	 * says otherwise: of runs without cycles, whose times are instructions. It changes what is stored, not what is
	 * read. */
	bool clocked;
	/* Version 4: blocks may carry keys of those before. It changes what is stored, not what is read. */
	bool carried;
	/* Version 5: cycles of a record may be told from those of its key as often as it repeats. So does this. */
	bool multiplied;
	/* Version 2: where a position-independent program was loaded (its first page; 0: where it was linked for), and
	 * the libraries beside it. */
	uint64_t base;
	unsigned object_count;
	struct records_object {
		uint64_t base;
		uint32_t code_crc; /* image_code_build(); 0: not known */
		char path[RECORDS_PATH_MAX];
	} objects[RECORDS_OBJECTS_MAX];
};

/* Whether times are instructions, because nothing counted cycles. */
static inline bool records_untimed(const struct records_header *header)
{
	return header != NULL && header->source >= RECORDS_IMPORT && header->source < RECORDS_SOURCES &&
	       header->cycle_bits == 0;
}

enum records_ending {     /* how the run ended that was written; numbers as in enum profile_ending */
	RECORDS_END_EXIT, /* the program ended */
	RECORDS_END_LIMIT,
	RECORDS_END_INTERRUPTED,
	RECORDS_END_OTHER,
	RECORDS_ENDINGS
};
const char *records_ending_name(unsigned ending);

/* What the end block says. */
struct records_end {
	uint64_t records;                 /* one more than the number of the last */
	uint64_t traces;                  /* sum of repeat */
	uint64_t cycles, instructions;    /* of the whole run, traced or not */
	uint64_t first_cycle, last_cycle; /* first and last cycle with tracing on */
	uint64_t traced_instructions;     /* retired with tracing on */
	uint64_t lost;                    /* records lost before they could be written */
	unsigned ending;                  /* enum records_ending */
	uint32_t exit_code;
};

/* ---------------------------------------------------------------- writing */

struct records_writer;
/* Takes bytes to be written; returns 0, or anything else to fail with RECORDS_EWRITE. */
typedef int records_emit(void *context, const void *bytes, size_t size);

/* level: of zstd, 1 to 19; 0: the usual (3). Nothing is emitted before the first block. */
int records_writer_open(
    struct records_writer **writer, const struct records_header *header, int level, records_emit *emit, void *context);
/* Records are numbered as they come, place->number is not read. The file has 16 bits for record->count and 32 for its
 * cycles; whether cycles were counted is in the header. RECORDS_EVALUE: the record is not valid (common/record.h),
 * stands for no trace, or does not fit; it is not taken. */
int records_write(struct records_writer *writer, const struct record *record, const struct record_place *place);
struct records_many {
	const struct record
	    *keys;        /* the caller's, by which uses name them; they never change, and more come with time: */
	size_t key_count; /* what is found out about one is kept. One writer has one such list */
	const struct record_run *runs;
	size_t count;
};
/* The same for many records in place (its number is not read). Each begins when the one before it ended, the first at
 * place->time, which is then when the last one ended. What one takes: its cycles, and its instructions, where these
 * are a clock. Stops at the first that is refused. *taken (may be NULL): how many runs were not. */
int records_write_many(
    struct records_writer *writer, const struct records_many *many, struct record_place *place, size_t *taken);
/* The same for records by keys; those that are refused are left out (records_writer_skip()), counted in *refused. */
int records_write_chain(struct records_writer *writer, const struct record_chain *chain,
    const struct record_place *place, uint64_t *refused);
/* The caller's keys are others from now on. */
void records_writer_forget(struct records_writer *writer);
/* From now on equal records in a row become one, by the rule of a unit with REPEAT (docs/trace-unit.md section 7); its
 * time is that of the last. For records of a unit that has such a member (header.repeat_bits), but did not merge. */
void records_writer_merge(struct records_writer *writer);
/* count records are known to be missing here. */
int records_writer_skip(struct records_writer *writer, uint64_t count);
/* Writes out what has come so far, so that it can be read even if nothing follows. Costs compression if done often. */
int records_writer_flush(struct records_writer *writer);
/* Puts the blocks of another file, from number *done on, behind what is there, as they are, but for their numbers and
 * times, which count on from `time`; counts them in *done. Phase changes and the end of the other file are left out.
 * Costs its bytes, not its records.
 * RECORDS_EOPEN: it cannot be read; RECORDS_EFORMAT: it is damaged; RECORDS_ECODING: its blocks carry keys, or have
 * multiplied cycles, and the header does not say that of this file's, which is written already. */
struct records;
int records_writer_append(struct records_writer *writer, struct records *from, size_t *done, uint64_t time);
/* What firmware has seen, in the order of time; before the end. At most RECORDS_CHANGES_MAX are written, the first
 * ones. */
#define RECORDS_CHANGES_MAX 64
int records_writer_changes(struct records_writer *writer, const struct record_change *changes, size_t count);
/* Last block, index, trailer. end->records and end->traces are computed. */
int records_writer_finish(struct records_writer *writer, const struct records_end *end);
uint64_t records_written(const struct records_writer *writer); /* records taken so far */
void records_writer_close(struct records_writer *writer);

/* ---------------------------------------------------------------- reading */

struct records;
/* On an error *records is NULL and detail takes the sentence for the user. path "-": standard input, which is copied to
 * a temporary file unless it is a regular file. */
int records_open(struct records **records, const char *path, char *detail, size_t size);
/* The same from bytes in memory, which must stay. */
int records_open_memory(struct records **records, const void *bytes, size_t length, char *detail, size_t size);
void records_close(struct records *records);
/* Phase changes that firmware has seen while it ran; valid as long as the reader. */
const struct record_change *records_changes(const struct records *records, size_t *count);
/* Whether the first bytes of a file are those of a record file. 8 bytes are enough. */
bool records_is(const void *bytes, size_t size);

/* NULL: the header is lost (and no copy of it is left in the end block). */
const struct records_header *records_header(const struct records *records);
/* NULL: the file was not finished, or its end is damaged. */
const struct records_end *records_end(const struct records *records);

struct records_extent {           /* what the blocks' heads say, before any of them is read */
	uint64_t bytes;           /* of the file */
	uint64_t blocks, records; /* that there are */
	uint64_t missing;         /* record numbers that no block holds, before the last one that is known */
	uint64_t first_number, last_number;
	uint64_t first_cycle; /* of the first record */
	bool indexed;         /* found by the index, else by scanning */
};
void records_extent(const struct records *records, struct records_extent *extent);

/* The next record. Returns 1; 0: no more; or an error (EOPEN: read error, ENOMEM). */
int records_next(struct records *records, struct record *record, struct record_place *place);
/* Goes back to the first record. */
void records_rewind(struct records *records);
/* Goes on with the record of this number, or the first behind it. */
int records_seek(struct records *records, uint64_t number);
/* Goes on with the first block that begins with this number or a later one: for records_next_block(). */
void records_seek_block(struct records *records, uint64_t number);
/* The checksum of the head of the block with this record, in which are those of block and header; 0: there is
 * no such block. Another one than before: the file was written anew. */
uint32_t records_block_sum(struct records *records, uint64_t number);
/* Goes on with the first record that left in this cycle or later. */
int records_seek_cycle(struct records *records, uint64_t cycle);
/* Bytes of the file that lie before the reader's place, of extent.bytes: for progress. */
uint64_t records_position(const struct records *records);

/* A block as it is stored: records by column, and what they have in common as keys. To add records up
 * this is much faster than records_next(). */
struct records_block {
	uint64_t first; /* number of the first record */
	uint32_t count, ctrl;
	uint32_t key_count;
	const struct record *keys; /* start, history, reason, insns; together with the context they are distinct */
	const uint32_t *context;   /* of each key */
	/* count of each */
	const uint16_t *key;
	const uint16_t *repeat;
	const uint32_t *cycles;
	const uint64_t *time; /* NULL until records_times() is asked for it */
};
/* The next whole block; records of the present one that records_next() has not given are left out. Valid until the next
 * call. Returns as records_next(). */
int records_next_block(struct records *records, struct records_block *block);
/* When each record of the present block left the unit. */
void records_times(struct records *records, struct records_block *block);

/* ---------------------------------------------------------------- damage */

enum records_damage_kind {
	RECORDS_DAMAGED,  /* a block that does not check; its records are missing */
	RECORDS_GARBAGE,  /* bytes that are no block */
	RECORDS_CUT,      /* the file ends inside a block */
	RECORDS_MISSING,  /* count records are missing before record number `record` */
	RECORDS_SKIPPED,  /* the same, but the writer says so itself */
	RECORDS_ORDER,    /* a block stands at another place than its number says; it is used */
	RECORDS_REPEATED, /* a block that holds records which another holds too; it is left out */
	RECORDS_FOREIGN,  /* a block of another file; it is left out */
	RECORDS_NO_HEADER,
	RECORDS_NO_END,  /* not finished: the program that wrote it was stopped, or the file is cut off */
	RECORDS_INDEX,   /* the index is there, but does not fit: blocks were found by scanning */
	RECORDS_KEYS,    /* a block whose keys stand in a damaged block before it; its records are missing */
	RECORDS_TOO_MANY /* more than RECORDS_BLOCKS_MAX blocks */
};
struct records_damage {
	enum records_damage_kind kind;
	uint64_t offset, size; /* bytes of the file */
	uint64_t record;       /* number of the first record behind it */
	uint64_t count;        /* records missing */
	uint64_t cycle;        /* of the last record before it, as far as is known */
};
#define RECORDS_DAMAGE_MAX SIZED(1000, 20) /* that many are kept, the others counted */
/* What was found so far: whole only when everything has been read once (records_check()). */
const struct records_damage *records_damage(const struct records *records, size_t *kept, uint64_t *count);
/* Records known to be missing: sum of the gaps in the numbers, up to the end if the end block says where it is. */
uint64_t records_missing(const struct records *records);
/* One sentence without file name. Returns as snprintf. */
int records_damage_describe(const struct records_damage *damage, char *text, size_t size);
/* Called between blocks: done and total bytes. Anything but 0 stops (RECORDS_ESTOPPED). May be NULL. */
typedef int records_progress(void *context, uint64_t done, uint64_t total);
/* Reads everything once, and goes back to the first record. */
int records_check(struct records *records, records_progress *progress, void *context);

/* ---------------------------------------------------------------- what others want of it */

/* Adds all records up to an exact profile, with header and end frame. profile is initialised and empty. Every trace is
 * counted, those of different CTRL settings too. */
int records_profile(struct records *records, struct profile *profile, records_progress *progress, void *context);

/* The header and the end frame of such a profile alone, when all records have been read. */
void records_describe(const struct records *records, struct profile *profile);

/* CRC-32 of all code of a program or library; never 0, which stands for "not known". */
uint32_t records_code_crc(const struct image *image);
/* Fills in build, code_crc, build_id of the program. records_identify_run(): of a file to be written, whose build is
 * that of the profile of the same run, also where the program has no symbols for one. */
void records_identify(struct records_header *header, const struct image *image);
void records_identify_run(struct records_header *header, const struct image *image);
enum records_match {
	RECORDS_SAME,    /* same build id, or without one the same build or code */
	RECORDS_UNKNOWN, /* one of them says nothing that can be compared */
	RECORDS_OTHER
};
/* Puts a position-independent image, and the libraries that the records name, where they were when the records were
 * made. Nothing to do for others. RECORDS_OK, or RECORDS_EOPEN with a sentence in detail. */
int records_place(const struct records_header *header, struct image *image, char *detail, size_t size);
/* Whether the records are of this program; detail (may be NULL) says what was compared. header may be NULL, as
 * records_header() gives it. */
enum records_match records_match(
    const struct records_header *header, const struct image *image, char *detail, size_t size);
#endif
