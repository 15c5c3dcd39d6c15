/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#ifndef RIVULET_WALK_CACHE_H
#define RIVULET_WALK_CACHE_H
/*
 * Walked records, kept: a program takes the same few traces again and again, so a record stream is walked by looking up
 * what (start, history, reason, instructions) gave the last time.
 *
 *   record ──► table ──► visits of blocks, in order      (else walk_record(), once)
 *
 * The memory is bounded: when the kept walks pass it, all of them are forgotten and the cache begins anew.
 */
#include "host/walk/walk.h"

struct walked {
	int error;      /* of walk_record() */
	uint64_t at;    /* address that it is about */
	uint32_t insns; /* in the visits */
	uint32_t count;
	const struct walk_visit *visits;
	uint64_t user; /* for the caller, 0 at first */
};

struct walk_cache;
#define WALK_CACHE_BYTES (64u << 20) /* the usual bound */
/* bytes: bound of what is kept; at least one walk is kept whatever its size. walk must outlive the cache. */
int walk_cache_open(struct walk_cache **cache, struct walk *walk, size_t bytes);
void walk_cache_close(struct walk_cache *cache);
/* The walk of a record; NULL: out of memory. Valid until the next call that makes the
 * cache forget all: walk_cache_on_forget(). */
struct walked *walk_cached(struct walk_cache *cache, const struct record *record);
/* Called with each walk before it is forgotten, and for all when the cache is closed: for sums kept in `user`. */
void walk_cache_on_forget(
    struct walk_cache *cache, void (*function)(void *context, struct walked *walked), void *context);
#endif
