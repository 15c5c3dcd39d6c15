/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#ifndef RIVULET_CMD_COUNTERS_H
#define RIVULET_CMD_COUNTERS_H
/* Profiles of inserted counters, as the other commands read them. */
#include "host/account/account.h"
#include "host/cmd/cmd.h"
#include "host/insert/counted.h"

static inline bool is_counters(const struct profile *profile)
{
	return profile->has_header && profile->header.source == PROFILE_COUNTERS;
}
/* Of a profile whose counters were switched off for a while: how often, and for how long; told on standard error. */
void part_text(const struct profile *profile, char *text, size_t size);
void complain_part(const char *file, const struct profile *profile);
/* What the counters mean in this program, shown as its twin (NULL: as it is). Told what is wrong; NULL: it cannot be
 * used. *status: STATUS_NO if a part has no place in it. */
struct counted *open_counters(
    const struct profile *profile, const char *file, const struct image *image, const struct image *twin, int *status);
/* The loaded counters become stretches of executed code (host/insert/counted.h); *counted: what they were, or NULL.
 * STATUS_OK, _NO or _FAILED; told. */
int convert_counters(struct loaded *loaded, const char *file, const struct image *image, const struct image *twin,
    struct counted **counted);
/* In an edited program no function begins with an instruction of its own: how often each was called, by its entry. */
void count_entries(struct account *account, const struct counted *counted);
#endif
