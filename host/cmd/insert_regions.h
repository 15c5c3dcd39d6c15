/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#ifndef RIVULET_CMD_INSERT_REGIONS_H
#define RIVULET_CMD_INSERT_REGIONS_H
/* Regions that the user names, for `rivulet insert --regions=FILE`. */
#include "host/insert/cost.h"
#include "host/insert/named.h"

struct user_regions {
	struct regions_names names;
	struct named named;
};
/* Told what is wrong. STATUS_OK or STATUS_FAILED; to be closed if STATUS_OK. */
int open_user_regions(struct user_regions *user, const char *path, const struct insert_original *original);
void close_user_regions(struct user_regions *user);
#endif
