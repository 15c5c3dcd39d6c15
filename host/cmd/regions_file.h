/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#ifndef RIVULET_CMD_REGIONS_FILE_H
#define RIVULET_CMD_REGIONS_FILE_H
/* The file of --regions=FILE. */
#include "host/regions/names.h"

/* What is wrong is told. STATUS_OK or STATUS_FAILED; names are to be freed if STATUS_OK. */
int read_regions_file(struct regions_names *names, const char *path, const struct cfg *cfg);
#endif
