/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#ifndef RIVULET_CMD_HARTS_H
#define RIVULET_CMD_HARTS_H
/* The share of each hart of a profile or record file of several harts. Nothing of one hart. */
#include "host/base/json.h"
#include "host/cmd/cmd.h"

/* A line for each, its first word filled up to width characters:
 *	  hart 1     4,120 traces, 38,648 instructions, 52,001 cycles (60.55%)
 * Instructions and cycles are left out where the profile does not have them. */
void print_harts(const struct loaded *loaded, int width);
/* Their array "harts". */
void json_harts(struct json *json, const struct loaded *loaded);
#endif
