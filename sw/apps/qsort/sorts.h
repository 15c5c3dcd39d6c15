/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#ifndef SORTS_H
#define SORTS_H
/*
 * Each of these makes an array of n elements with keys spread in the given way, sorts it with the library's qsort(),
 * and checks the order and that the same elements are still there. They return the number of checks that failed.
 */
#include "sw/run/app.h"
#include <stddef.h>

enum spread { RANDOM, SORTED, REVERSED, ORGAN_PIPE, SAWTOOTH, NEARLY_SORTED, FEW_VALUES, SKEWED, SPREADS };

/* n keys, 0 to 2^24 - 1. */
void spread_keys(uint32_t *keys, size_t n, enum spread spread, struct app_random *random);

int sort_integers(size_t n, enum spread spread, struct app_random *random);
int sort_pixels(size_t n, enum spread spread, struct app_random *random);
int sort_names(size_t n, enum spread spread, struct app_random *random);
int sort_records(size_t n, enum spread spread, struct app_random *random);
#endif
