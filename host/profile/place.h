/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#ifndef RIVULET_PROFILE_PLACE_H
#define RIVULET_PROFILE_PLACE_H
/* Inside host/profile: where program and libraries were, and how cycles came to be, as frames (docs/profile-format.md,
 * 8). */
#include "common/frame.h"
#include "host/profile/profile.h"

/* content: of a whole frame. False: it is damaged, and nothing is taken; *error: PROFILE_ENOMEM. */
bool profile_place_read(struct profile *profile, const uint8_t *content, size_t size, int *error);
/* begin and end a frame of this type each; nothing is written where there is nothing to say. */
int profile_place_write(const struct profile *profile, struct frame *frame, void (*begin)(void *context),
    int (*end)(void *context), void *context);
/* PROFILE_OK; PROFILE_EBUILD: the same library at two places, or two builds of it, or cycles of two kinds. */
int profile_merge_places(struct profile *profile, const struct profile *from);
#endif
