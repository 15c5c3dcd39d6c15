/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#ifndef RIVULET_TABLE_NUMBERS_H
#define RIVULET_TABLE_NUMBERS_H
/* Numbers and names as people read them. */
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#define NUMBERS_TEXT 64 /* bytes of such a buffer */

/* The buffers of the functions below, round and round: the 64th later call reuses what one returned. */
char *numbers_text(void);

/* 1234567 -> "1,234,567", "1.23M". */
const char *with_commas(uint64_t value);
const char *with_unit(double value);
/* Parts of a file name that tell it apart from others: below the current directory, or its last parts, at most max
 * characters. */
const char *short_file(const char *file, size_t max);

/* Of 0: 0. */
static inline double share_of(uint64_t part, uint64_t all)
{
	return all == 0 ? 0 : (double)part / (double)all;
}
static inline double percent_of(uint64_t part, uint64_t all)
{
	return all == 0 ? 0 : 100.0 * (double)part / (double)all;
}
static inline double mean_of(uint64_t sum, uint64_t count)
{
	return share_of(sum, count);
}

/* Styles on a terminal (without NO_COLOR), "" elsewhere. */
struct style {
	const char *bold, *dim, *hot, *off;
};
const struct style *style_for(FILE *out);
#endif
