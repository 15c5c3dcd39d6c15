/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#ifndef RIVULET_PROFILE_CHANGE_H
#define RIVULET_PROFILE_CHANGE_H
/* Phase changes that firmware has seen: frames 4 with the number 3 (docs/profile-format.md). */
#include "common/frame.h"
#include "common/record.h"

/* content: of a frame, without CRC. False: it is another one, or damaged. */
bool change_read(struct record_change *change, const uint8_t *content, size_t size);
void change_put(const struct record_change *change, struct frame *frame); /* a whole frame but for frame_end() */
/* "cycle 412,003: 0x80000130:0x35 (1,204) passes 0x80000210:0x5 (77)" */
int change_describe(const struct record_change *change, char *text, size_t size);
#endif
