/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#ifndef RIVULET_CC_CACHE_H
#define RIVULET_CC_CACHE_H
/*
 * Files that were made from others, kept by content:
 *
 *   DIR/KEY          a file; KEY is the hash of all that it was made from
 *   DIR/KEY.sum      size and hash of the file: without it, or if it does not agree, the file is made anew
 *
 * A file appears by being renamed to its place, so any number of processes may make the same one at a time: the last
 * one stays, and all are equal. The hash has 128 bits and is made to tell files apart, not to withstand somebody who
 * forges them: who can write to DIR can change what is linked.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define CACHE_PATH 4096

struct cache {
	char directory[CACHE_PATH - 256];
};
struct cache_key {
	uint64_t words[2];
	uint64_t length;
};
#define CACHE_KEY                                                                                                      \
	{                                                                                                              \
		{UINT64_C(0x243F6A8885A308D3), UINT64_C(0x13198A2E03707344)}, 0                                        \
	}

/* DIR: given; else RIVULET_CACHE, $XDG_CACHE_HOME/rivulet or ~/.cache/rivulet. It is made. False: detail says why. */
bool cache_open(struct cache *cache, const char *directory, char *detail, size_t size);
void cache_add(struct cache_key *key, const void *bytes, size_t size);
void cache_add_text(struct cache_key *key, const char *text); /* with its end */
/* A file's bytes and size. False: it cannot be read. */
bool cache_add_file(struct cache_key *key, const char *path);
/* path: where the file is, or is to be. True: it is there, and whole. */
bool cache_find(const struct cache *cache, const struct cache_key *key, const char *suffix, char path[CACHE_PATH]);
/* Where it is made: a name of this process's own beside its place. */
void cache_making(const char *path, char making[CACHE_PATH]);
/* Puts what was made in its place. False: detail says why; nothing is left. */
bool cache_keep(const char *making, const char *path, char *detail, size_t size);
/* A short text at the path where cache_find() did not find it; without it the next link looks again. */
void cache_keep_text(const char *path, const char *text);
/* A text that can be executed, whole or not at all. False: it cannot be written. */
bool cache_write_script(const char *path, const char *text);
/* Removes the files that were not used for longest until at most `limit` bytes are left; what was used within an hour
 * stays in any case. */
void cache_trim(const struct cache *cache, uint64_t limit);
#endif
