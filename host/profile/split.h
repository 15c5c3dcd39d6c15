/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#ifndef RIVULET_PROFILE_SPLIT_H
#define RIVULET_PROFILE_SPLIT_H
/* A stream with several profiles, one after the other (docs/profile-format.md, "Several profiles"): where each of them
 * lies. */
#include <stddef.h>
#include <stdint.h>

/* Bytes for profile_feed(): from the zero byte before the first frame of a profile to the one behind its last, with the
 * text and damage between its frames. */
struct profile_range {
	size_t begin, size;
};

/* Finds the next profile from *at on, and moves *at behind it. A profile begins with a header frame, or with any frame
 * where none is open (then its header was lost); it ends with its end frame, or before the next header, or with the
 * stream. Returns 1, or 0 if there is no frame any more. */
int profile_next(const uint8_t *bytes, size_t size, size_t *at, struct profile_range *range);
#endif
