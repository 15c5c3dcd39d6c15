/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#ifndef RIVULET_CMD_OBJECTS_H
#define RIVULET_CMD_OBJECTS_H
/* Where a program and its libraries were loaded. */
#include "host/cmd/cmd.h"
#include "host/records/records.h"

/* Reads a map (/proc/PID/maps, or lines of ADDRESS FILE): moves image to where the file of its name was, adds the
 * libraries that can be read, and notes them in header. What is wrong is told. STATUS_OK, STATUS_FAILED. */
int objects_place(struct image *image, const char *map, struct records_header *header);
/* The same of a file that is open; map is its name. */
int objects_place_lines(struct image *image, FILE *file, const char *map, struct records_header *header);
#endif
