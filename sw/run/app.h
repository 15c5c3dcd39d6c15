/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#ifndef RIVULET_APP_H
#define RIVULET_APP_H
/*
 * What an application sees. It defines app_main(); sw/run/main.c starts the trace unit, calls it once, stops the unit
 * and sends the profile. Everything that app_main() does is traced and timed, so it prints nothing unless a check
 * fails. Freestanding apart from picolibc: malloc() takes what RAM is left behind the static data (SW_RAM, 128 KiB in
 * all by default).
 *
 * sw/apps/<name>/ holds the .c files of one application; `make firmware` links them with sw/hal, sw/trace and common to
 * build/sw/<name>.elf.
 */
#include <stdbool.h>
#include <stdint.h>

enum { APP_TRAIN, APP_REF };

/* The work. input: APP_TRAIN, about 1 million instructions, or APP_REF, 30 million or more. Returns 0 if its own checks
 * passed. */
int app_main(int input);

/* Compares one result with what it must be. Returns 0 if they are equal; else prints one line "NAME: what: got ...,
 * expected ..." and returns 1. Sum the results of several checks and return the sum from app_main(). */
int app_check(const char *what, uint32_t got, uint32_t expected);

/* The name of the directory under sw/apps. */
extern const char app_name[];

/* A small pseudo-random generator (xorshift, 32 bits of state) for inputs; the same numbers on every machine. */
struct app_random {
	uint32_t state; /* never 0 */
};

static inline void app_random_init(struct app_random *random, uint32_t seed)
{
	random->state = seed != 0 ? seed : 0x9E3779B9u;
}

static inline uint32_t app_random(struct app_random *random)
{
	uint32_t x = random->state;
	x ^= x << 13;
	x ^= x >> 17;
	x ^= x << 5;
	return random->state = x;
}

/* 0 to below - 1, below > 0. Takes the high bits, which are the better ones; no division. */
static inline uint32_t app_random_below(struct app_random *random, uint32_t below)
{
	return (uint32_t)(((uint64_t)app_random(random) * below) >> 32);
}

/* One step of a running check sum over results (FNV-1a, a word at a time). Start with APP_HASH_START. */
#define APP_HASH_START 0x811C9DC5u
static inline uint32_t app_hash(uint32_t hash, uint32_t value)
{
	return (hash ^ value) * 0x01000193u;
}
#endif
