/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#ifndef RIVULET_IMPORT_JOINED_H
#define RIVULET_IMPORT_JOINED_H
/* The ring of a sink that several harts share (host/records/joined.h), read out of memory, into a record file. */
#include <stdio.h>
#include "host/image/image.h"
#include "host/records/records.h"

struct import_joined {
	const char *source, *output; /* names, for messages */
	const struct image *image;
	const struct records_header *header; /* of the program: name, base, objects */
	unsigned hist;                       /* of the units */
	uint32_t ctrl;                       /* of the units, which the ring does not say */
	const uint8_t *head;                 /* what was read already */
	size_t head_size;
	FILE *log, *file;
};
/* STATUS_*; *written: records. */
int import_joined_ring(const struct import_joined *job, uint64_t *written);
#endif
