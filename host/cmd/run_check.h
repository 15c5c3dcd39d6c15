/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#ifndef RIVULET_CMD_RUN_CHECK_H
#define RIVULET_CMD_RUN_CHECK_H
/* What `run --check-walk` says: each record walked back and compared with what retired (host/walk/follow.h). */
#include "host/image/image.h"
#include "host/walk/follow.h"

/* The first difference, enum follow_error, on standard error, with what agreed before it. */
void run_check_difference(const struct follow *follow, int error, const struct image *image);
/* Prints how much was compared, if there was no difference. STATUS_NO if there was nothing to compare. */
int run_check_finish(const struct follow *follow);
#endif
