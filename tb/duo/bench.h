/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#ifndef RIVULET_TB_DUO_BENCH_H
#define RIVULET_TB_DUO_BENCH_H
/* The bench of two cores: lockstep.c runs it, finish.c holds what was written against what each hart retired. */
#include <stdio.h>
#include "common/rivulet_regs.h"
#include "host/image/image.h"
#include "host/profile/stream.h"
#include "host/records/joined.h"
#include "host/walk/follow.h"
#include "model/arbiter.h"
#include "model/model.h"
#include "tb/duo/rtl.h"
#include "tb/program.h"

enum {
	RAM_BASE = 0x80000000,
	RAM_BYTES = 4194304,
	DEPTH = 16,
	TIME_BITS = 32,
	LOST_BITS = 24,
	WORDS = 6, /* of a record in the ring */
	INJECT_FROM = 3000
};
struct hart {
	struct model *model;
	struct model_out out;
	struct follow follow;
	bool asked; /* the hub, in the cycle before */
	uint64_t retired, traced, traps, waited;
	struct profile came; /* the records of its unit */
	uint32_t ctrl;       /* when it last traced */
};

struct bench {
	struct program program;
	struct duo_rtl *rtl;
	struct duo_out seen;
	struct hart hart[DUO_HARTS];
	struct arbiter arbiter;
	struct image *image;
	struct joined joined;
	unsigned owner, word; /* who has the bus; words of the record at the sink */
	uint32_t ring, written;
	uint64_t cycle, random, records;
	bool table;    /* the hub has one */
	FILE *console; /* what the program prints goes there */
	const char *console_path;
	uint32_t ring_mask; /* of its bytes */
	const char *inject;
	bool same;
};

/* A difference, of which the first is told. */
void duo_differ(struct bench *b, unsigned hart, const char *signal, uint64_t rtl, uint64_t model);
/* Returns the status of a bench that could not be run. */
int duo_trouble(const char *what, const char *why);
/* Counts a record of a unit. */
void duo_count(struct profile *profile, const struct record *r);
/* At the end of a run; a status. Files that are not wanted: NULL. */
int finish_duo(struct bench *b, const char *ring, const char *records);
#endif
