/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#ifndef RIVULET_PHASES_FILE_H
#define RIVULET_PHASES_FILE_H
/*
 * The phases file (docs/phases-format.md): the whole run as the sequence of its repeated paths, lossless, written in
 * one pass in bounded memory, readable when it is cut off, and read at any place (BHS: the indexed sequential access
 * file).
 *
 *   header | chunk | chunk | ... | end
 *
 * A chunk holds PHASES_CHUNK_SYMBOLS repeated paths or a few more, the blocks and paths that were met first in it,
 * marks (gaps, phase changes), and the run's sums at its beginning: instructions, blocks, paths, repeated paths,
 * strata, cycles. The head of a chunk has a check of its own, so opening a file reads only the heads, and a chunk is
 * found by any of these keys. Strata begin again with each chunk, so a reader finds the same ones wherever it begins.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "common/sizes.h"
#include "host/phases/layers.h"

enum phases_file_error {
	PHASES_OK = 0,
	PHASES_ENOMEM = -1,
	PHASES_EWRITE = -2,   /* the emit function failed */
	PHASES_EVALUE = -3,   /* an argument that no run has */
	PHASES_EOPEN = -4,    /* the file cannot be read */
	PHASES_EFORMAT = -5,  /* it is no phases file */
	PHASES_EVERSION = -6, /* of a newer version */
	PHASES_EDAMAGED = -7, /* what was asked for lies in a damaged part */
	PHASES_EEND = -8,     /* behind the end of the run */
	PHASES_ECODEC = -9    /* zstd failed */
};
const char *phases_strerror(int error);

#define PHASES_CHUNK_SYMBOLS SIZED(65536u, 64u)
#define PHASES_GROUP SIZED(16u, 4u) /* chunks that use the first of them as zstd's prefix */
/* What a chunk may define: more begins a new chunk. */
#define PHASES_CHUNK_DEFINED SIZED(1u << 20, 1u << 10)
/* Memory of the tables of paths at which all of them are forgotten (a new epoch). */
#define PHASES_EPOCH_BYTES SIZED((size_t)96 << 20, (size_t)64 << 10)
#define PHASES_NAME_MAX 256

struct phases_block { /* a straight piece of code */
	uint64_t address;
	uint32_t bytes, instructions; /* instructions: 1 or more, at most bytes / 2 */
	uint32_t context;             /* process, or 0 */
};

enum phases_key { /* what a place in the run is named by */
	PHASES_INSTRUCTION,
	PHASES_BLOCK,
	PHASES_PATH,     /* each trip counts */
	PHASES_REPEATED, /* repeated paths */
	PHASES_STRATUM,  /* each trip counts */
	PHASES_CYCLE,
	PHASES_KEYS
};
const char *phases_key_name(unsigned key); /* "instruction", ... */

struct phases_place { /* number [key] of what comes next: so many came before */
	uint64_t at[PHASES_KEYS];
};

enum phases_mark_kind { PHASES_GAP, PHASES_CHANGE, PHASES_FIRMWARE, PHASES_MARK_KINDS };
struct phases_mark {
	uint64_t instruction; /* it lies before this one */
	uint64_t value; /* GAP: records missing (0: not known); CHANGE: how many times hotter the path became; FIRMWARE:
				 the cycle in which firmware noticed a change */
	uint32_t path;  /* CHANGE: the path that rose */
	uint8_t kind;   /* enum phases_mark_kind */
};

struct phases_header {
	char program[PHASES_NAME_MAX]; /* its file name, for people */
	uint8_t build_id[64], build_id_size;
	uint32_t code_crc;
	uint64_t started;     /* seconds since 1970 */
	bool cycles;          /* the file knows the time */
	uint32_t stratum_max; /* repeated paths in a stratum at most; 0: no limit. Filled in by the writer */
};

enum phases_ending { PHASES_END_EXIT, PHASES_END_CUT }; /* the run ended; it was cut short */
/* What the run's own counters say, so that a reader can hold the sums against them (host/account/remainder.h). */
enum phases_run_flag {
	PHASES_RUN_HANDLERS = 1,
	PHASES_RUN_DAMAGED = 2,
	PHASES_RUN_COUNTERS = 4,
	PHASES_RUN_IMPORTED = 8
};
struct phases_run {
	uint64_t instructions, cycles;  /* that the core retired; 0: not known */
	uint64_t traced, traced_cycles; /* of these while tracing was on */
	uint64_t lost, unfit;           /* records that were lost; traces that do not fit the program */
	uint64_t uncounted;             /* functions without counters, if inserted code counted */
	uint64_t flags;                 /* handlers were traced; the records were not whole; inserted code counted */
};
struct phases_end {
	struct phases_place total;
	uint64_t paths, gaps, missing, changes; /* distinct paths; marks of each kind; sum of the gaps */
	uint8_t ending;
	struct phases_run run;
};

/* ---------------------------------------------------------------- writing */

typedef int phases_emit(void *context, const void *bytes, size_t size); /* 0, or anything else to fail */
struct phases_writer;
/* layers_config may be NULL (default; at least two levels). level: of zstd, 1 to 19; 0: the usual. */
int phases_writer_open(struct phases_writer **writer, const struct phases_header *header,
    const struct layers_config *layers_config, int level, phases_emit *emit, void *context);
void phases_writer_close(struct phases_writer *writer);
/* Makes a block known; *number takes its number: 0, 1, ... The same block twice gives the same number. */
int phases_writer_block(struct phases_writer *writer, const struct phases_block *block, uint32_t *number);
/* The next blocks of the run. */
int phases_writer_feed(struct phases_writer *writer, const uint32_t *blocks, size_t count);
/* After what was fed so far the clock stands at this cycle. Never less than before. */
int phases_writer_time(struct phases_writer *writer, uint64_t cycle);
/* Something is missing here: count records, 0 if not known. */
int phases_writer_gap(struct phases_writer *writer, uint64_t count);
/* A phase change that was noticed here: path rose, so many times as hot as what it passed. phases_writer_layers() has
 * the tables that notice. */
int phases_writer_change(struct phases_writer *writer, uint32_t path, uint64_t value);
/* A phase change that firmware noticed in this cycle. */
int phases_writer_firmware(struct phases_writer *writer, uint64_t cycle);
/* Writes what has come so far, so that it can be read if nothing follows. Costs compression. */
int phases_writer_flush(struct phases_writer *writer);
/* What phases_writer_finish() writes of the run; before it. */
void phases_writer_run(struct phases_writer *writer, const struct phases_run *run);
/* Last chunk, end. */
int phases_writer_finish(struct phases_writer *writer, enum phases_ending ending);
struct layers *phases_writer_layers(struct phases_writer *writer); /* for visitors; not to be fed */
/* The place behind what was fed, as far as sequences are over. */
void phases_writer_place(const struct phases_writer *writer, struct phases_place *place);
uint64_t phases_writer_bytes(const struct phases_writer *writer); /* emitted */
size_t phases_writer_memory(const struct phases_writer *writer);  /* in use */

/* ---------------------------------------------------------------- reading */

struct phases_file;
/* On an error *file is NULL and detail takes the sentence for the user. */
int phases_open(struct phases_file **file, const char *path, char *detail, size_t size);
int phases_open_memory(struct phases_file **file, const void *bytes, size_t length, char *detail, size_t size);
void phases_close(struct phases_file *file);
uint64_t phases_size(const struct phases_file *file); /* bytes */
bool phases_is(const void *bytes, size_t size);       /* the first 8 bytes of a file are those of a phases file */
const struct phases_header *phases_header(const struct phases_file *file);
const struct phases_end *phases_end(const struct phases_file *file); /* NULL: not finished, or the end is damaged */
/* Sums of what is in the file: as phases_end, or up to the last chunk that can be read. */
void phases_total(const struct phases_file *file, struct phases_place *total);
struct phases_damage {
	uint64_t bytes;        /* of the file that are no good section */
	uint64_t chunks;       /* lost, as far as their numbers tell */
	uint64_t instructions; /* lost with them */
	bool no_end;
};
/* Reads the whole file once to find it. */
void phases_damage(struct phases_file *file, struct phases_damage *damage);
/* All marks in order; valid until the next call. */
int phases_marks(struct phases_file *file, const struct phases_mark **marks, size_t *count);

struct phases_path {
	const uint32_t *blocks; /* numbers */
	uint32_t count;
	uint64_t instructions;
};
struct phases_step {               /* a repeated path in the run */
	struct phases_place place; /* before it */
	uint32_t epoch, path;      /* path: number within the epoch */
	uint32_t trips;
	bool lost;               /* its definition, or a part of the file, is damaged: path and trips mean nothing */
	struct phases_path what; /* valid until the next call for this file */
};
/* Goes to the repeated path that holds number `number` of this key. Returns PHASES_OK or an error. */
int phases_seek(struct phases_file *file, enum phases_key key, uint64_t number);
/* The next repeated path. Returns 1; 0 at the end; or an error. */
int phases_next(struct phases_file *file, struct phases_step *step);
/* The cycle in which this instruction began: exact where the file has a time, between them in proportion. Not before or
 * behind the run: its ends. 0 if the file does not know the time. */
uint64_t phases_cycle_of(struct phases_file *file, uint64_t instruction);
const struct phases_block *phases_block(const struct phases_file *file, uint32_t number);
uint32_t phases_block_count(const struct phases_file *file);
#endif
