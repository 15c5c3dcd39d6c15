/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#ifndef RIVULET_PENDING_H
#define RIVULET_PENDING_H
/*
 * What --paths keeps in registers and in words of the stack while a call of a function goes on, and how a path that was
 * begun would be counted: the words of the map (map.h) of a function without metric.
 *
 *   where r is; how many codes, each of them: where (PENDING_*), what (step, count: place.h), value;
 *   how many blocks have r elsewhere, for each: block, register
 *   how many loops, for each: its block, its number among the self loops, where its variable is,
 *                             what x is (PENDING_X), the constant
 *
 * Where: 0 none; 1 | register << 8; 2 | displacement << 8 from the stack pointer at the function's entry.
 */
#include "host/insert/insert.h"
#include "host/insert/place.h"

#define PENDING_LEAVE 0x40000000u /* where: edge; this + block: the dummy edge to EXIT; the other: from ENTRY */
#define PENDING_ENTER 0x80000000u
enum pending_place { PENDING_NOWHERE, PENDING_REGISTER, PENDING_SLOT };
/* Of a loop: register | shift << 8 | flags; 0: the variable holds the turns. */
#define PENDING_DOWN 0x10000u
#define PENDING_NARROW 0x20000u

/* Puts the words. r: a variable; negative: there is none. vars: by block, the variable with r; NULL: it is `r`
 * everywhere. */
int pending_put(struct insert_result *result, const struct insert_work *work, const struct placement *p, int r,
    const uint8_t *vars, const struct insert_selves *loops);

/* Where a variable is (enum pending_place). */
uint32_t pending_place_of(const struct inserter *in, int variable);
/* Codes as words; where: of the first. */
int pending_put_codes(struct insert_result *result, uint32_t where, const struct place_code *codes, size_t count);

/* ---- for readers ---- */
struct pending {
	uint32_t place;
	struct place_code *edge, *leave, *enter; /* by edge, vertex */
	uint8_t *elsewhere;                      /* by block: register with r; 0: it is where it is */
	struct pending_loop {
		uint32_t block, self, place, x;
		int32_t step;
	} * loops;
	size_t loop_count;
};
/* MAP_OK, MAP_ENOMEM, MAP_EFORMAT. */
int pending_read(struct pending *pending, const struct map *map, const struct map_function *f);
void pending_free(struct pending *pending);
/* Where r is in vertex v (enum pending_place). */
uint32_t pending_where(const struct pending *pending, uint32_t v);
/* The number of a path that came to vertex v with r (a number, not an address; NULL: it is not known), by the codes of
 * any way on. */
enum pending_end { PENDING_COUNTED, PENDING_NUMBER, PENDING_UNKNOWN }; /* COUNTED: it has been, before v */
enum pending_end pending_number(
    const struct pending *pending, const struct numbering *n, uint32_t v, const int64_t *r, int64_t *number);
/* What r is behind a path that begins in vertex v; its edges are base + those of the graph. False: no code says it. */
bool pending_sum(
    const struct pending *pending, uint32_t v, const uint32_t *edges, uint32_t length, uint32_t base, int64_t *r);
#endif
