/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#ifndef RIVULET_PROFILE_H
#define RIVULET_PROFILE_H
/*
 * A profile in memory: how often each trace was seen, and what docs/profile-format.md says about the run. Firmware,
 * golden model and the tools share it; stream.h reads it from bytes and writes it.
 * Traces of one key (common/record.h) are one record of it.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "common/record.h"
#include "common/run_config.h"
#include "host/base/hash.h"
#include "host/profile/stack.h"

enum profile_error {
	PROFILE_OK = 0,
	PROFILE_ENOMEM = -1,
	PROFILE_EENTRY = -2,   /* an entry that no trace unit makes: history 0, odd start, no reason */
	PROFILE_EWRITE = -3,   /* the emitter failed */
	PROFILE_EBUILD = -4,   /* merging profiles of different builds, programs, or collected in different ways */
	PROFILE_EOVERFLOW = -5 /* a count passed 64 bits */
};
const char *profile_strerror(int error);

/* PROFILE_QEMU: of the plugin of host/qemu. PROFILE_COUNTERS: of inserted code (sw/probe). Start is the id of an
 * object, history the number of a counter + 1; CTRL is enum insert_mode; the program's .debug_rivulet says what they
 * mean (host/insert/map.h). */
enum profile_source {
	PROFILE_FIRMWARE,
	PROFILE_MODEL,
	PROFILE_COUNTERS,
	PROFILE_QEMU,
	PROFILE_DEBUGGER, /* read out of the trace unit from outside (host/debugger) */
	PROFILE_SOURCES
};
/* "firmware", "golden model", "inserted code", "emulator (qemu)", "debugger" */
const char *profile_source_name(uint64_t source);

struct profile_header {
	uint64_t version, source, xlen, hist, ctrl;
	uint64_t way;     /* enum run_way */
	uint64_t period;  /* mean traces for one sample; 1: all; 0: not known (timer) */
	uint64_t dither;  /* mask of the random part */
	uint32_t build;   /* CRC-32 of [__text_start, __text_end) */
	uint64_t program; /* PROFILE_COUNTERS: of the objects with counters (profile_program()); 0: not known */
	unsigned hart;    /* of a chip with several harts: whose traces these are; of a sum the last one's */
	unsigned harts;   /* how many it has; 0: one */
	char name[256];   /* of the application */
};

#define PROFILE_HARTS_MAX 8
struct profile_hart {
	uint64_t traces, insns, cycles; /* of its traces; instructions and cycles 0: not known */
};

enum profile_ending {      /* of the run that was profiled */
	PROFILE_END_EXIT,  /* the program ended, or sent its profile itself */
	PROFILE_END_LIMIT, /* cut short: by a limit of cycles or instructions */
	PROFILE_END_INTERRUPTED,
	PROFILE_END_OTHER, /* stuck, killed */
	PROFILE_ENDINGS
};
/* "a limit was reached", ...; NULL: it was not cut short. */
const char *profile_cut_short(uint64_t ending);

struct profile_end {
	uint64_t entries, counts; /* what the entry frames hold */
	uint64_t dropped, lost;
	uint64_t cycles, instructions, handler_cycles, interrupts;
	uint64_t ending;                       /* enum profile_ending; of a sum the largest */
	uint64_t run_cycles, run_instructions; /* with what ran while tracing was off; 0: not known */
	/* PROFILE_COUNTERS: how often counting was switched off (sw/probe/switch.h); 0: never. How long it was on, and
	 * all time, of the runs that can be switched, by a clock of their own; 0: not known */
	uint64_t offs, on_time, all_time;
};

#define PROFILE_PATH_MAX 256
struct profile_place {               /* of a dynamic program, or of a library */
	uint64_t base;               /* of its first page */
	uint32_t code_crc;           /* image_code_build() of a library; 0: not known */
	char path[PROFILE_PATH_MAX]; /* "": the program */
};

/* Zeros are an empty profile too. */
struct profile {
	struct profile_header header;
	struct profile_end end;
	bool has_header, has_end;
	struct record *entries; /* distinct keys, in the order in which they came first */
	size_t used, room;
	struct hash table;             /* of entries */
	uint64_t total;                /* sum of all counts */
	struct record_change *changes; /* phase changes that firmware has seen, in the order of time; of one run */
	size_t change_count, change_room;
	struct profile_stack *stacks; /* PROFILE_COUNTERS: of calls that had not ended */
	size_t stack_count, stack_room;
	struct profile_place *places; /* PROFILE_QEMU: where entries are of; none: where the program is linked for */
	size_t place_count, place_room;
	struct profile_hart hart[PROFILE_HARTS_MAX]; /* header.harts of them: the parts of the sum */
	char rules
	    [32]; /* cycles are an estimate by the rules of this core (host/cycles/core.h); "": they were measured */
	bool imported;  /* of a log: what no record has ran all the same, with tracing on; not in the file */
	bool shared;    /* cycles are of times between records, shared out (host/records/records.h); not in the file */
	bool by_length; /* set before anything is added: traces that were cut off at different lengths are entries of
			   their own; profile_find() gives the first of them */
};

/* A program's number from its objects' ids, as the runtime has it: *program is 0 at first. */
void profile_program(uint64_t *program, uint64_t id);

int profile_init(struct profile *profile);

/* Way table with sample and hold: the most that one trace counts, which took a place in the unit's table by lot; the
 * others count 1. 1: there is no lot. */
static inline uint64_t profile_lot(const struct profile *profile)
{
	const struct profile_header *h = &profile->header;
	return profile->has_header && h->way == RUN_TABLE ? h->dither + 1 : 1;
}

/* Its counts are estimates. */
static inline bool profile_sampled(const struct profile *profile)
{
	return !profile->has_header || profile->header.period != 1 || profile_lot(profile) > 1;
}
/* Counting was switched off for a while: what the profile does not have may have run all the same. */
static inline bool profile_is_part(const struct profile *profile)
{
	return profile->has_end && profile->end.offs > 0;
}
/* How long counting was on, of all time, 0 to 1; negative: not known. */
static inline double profile_on_share(const struct profile *profile)
{
	const struct profile_end *e = &profile->end;
	return e->all_time > 0 ? (double)e->on_time / (double)e->all_time : -1;
}
void profile_fini(struct profile *profile);
/* Adds entry->count traces (0 is allowed: nothing happens). */
int profile_add(struct profile *profile, const struct record *entry);
/* NULL if the key is not there. */
const struct record *profile_find(const struct profile *profile, uint64_t start, uint64_t hist, bool partial);
/* The entry of the same key, and of the same length where the profile keeps those apart (by_length). */
const struct record *profile_match(const struct profile *profile, const struct record *entry);
/* Adds a place behind the others; false: out of memory. */
bool profile_place(struct profile *profile, uint64_t base, const char *path);
/* Adds what another end frame says. */
void profile_add_end(struct profile_end *sum, const struct profile_end *end);
/* Adds all of from; sums of the end frames too. Both must have the same build, program, H, CTRL, or be without header;
 * libraries that both have lie at the same place, and cycles are of the same kind. */
int profile_merge(struct profile *profile, const struct profile *from);
/* The sum over keys of the smaller of the two shares, 0 to 1; 0 if one is empty. Both are by_length, or neither. */
double profile_overlap(const struct profile *a, const struct profile *b);

enum profile_order { PROFILE_BY_COUNT, PROFILE_BY_CYCLES, PROFILE_BY_START };
/* *sorted is an array of profile->used pointers, to be freed; equal ones are ordered by key, so the order is always the
 * same. */
int profile_sort(const struct profile *profile, enum profile_order order, const struct record ***sorted);
/* Estimated cycles of all counts of an entry: those of the timed ones scaled up. */
double profile_cycles(const struct record *entry);
#endif
