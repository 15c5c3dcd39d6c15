/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/*
 * judge MACHINE RECORDS LOG: walks each record, in order, and compares its bytecodes with the log: the address of each
 * one that ended, 4 bytes. Says how many there were; fails at the first difference.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include "host/image/image.h"
#include "host/records/records.h"
#include "host/walk/walk.h"

struct judge {
	FILE *log;
	uint64_t compared, differ;
	struct walk *walk;
};

static int compare_block(void *context, const struct walk_visit *visit)
{
	struct judge *j = context;
	uint64_t pcs[WALK_BLOCK_HALVES];
	walk_block_pcs(visit->block, visit->count, pcs);
	for (uint32_t i = 0; i < visit->count; i++, j->compared++) {
		uint32_t logged = 0;
		if (fread(&logged, sizeof logged, 1, j->log) == 1 && logged == pcs[i])
			continue;
		if (j->differ++ == 0)
			fprintf(stderr, "judge: bytecode %" PRIu64 ": 0x%" PRIx32 " in the log, 0x%" PRIx64 " walked\n",
			    j->compared, logged, pcs[i]);
	}
	return 0;
}

int main(int argc, char **argv)
{
	struct judge j = {0};
	struct image *image;
	struct records *records;
	struct record record;
	struct record_place place;
	char detail[1024];
	uint64_t count = 0, at = 0;
	int got;
	if (argc != 4 || (j.log = fopen(argv[3], "rb")) == NULL)
		return fprintf(stderr, "usage: judge MACHINE RECORDS LOG\n"), 2;
	if (image_open(&image, argv[1], detail, sizeof detail) != IMAGE_OK ||
	    records_open(&records, argv[2], detail, sizeof detail) != RECORDS_OK)
		return fprintf(stderr, "judge: %s\n", detail), 2;
	const struct records_header *header = records_header(records);
	const struct walk_config config = {
	    .hist = header->hist, .insn_bits = header->insn_bits, .isa_set = image_isa(image)};
	if (walk_open(&j.walk, image, &config) != WALK_OK)
		return 2;
	while ((got = records_next(records, &record, &place)) == 1) {
		const int error = walk_record(j.walk, &record, compare_block, &j, &at);
		count++;
		if (error == WALK_OK)
			continue;
		if (j.differ++ == 0)
			fprintf(stderr, "judge: record %" PRIu64 ", at 0x%" PRIx64 ": %s\n", count, at,
			    walk_strerror(error));
	}
	size_t kept;
	uint64_t damage;
	(void)records_damage(records, &kept, &damage);
	const bool more = fgetc(j.log) != EOF;
	if (got != 0 || more || damage != 0 || records_end(records) == NULL)
		return fprintf(stderr, "judge: the log has more, or the file is damaged\n"), 1;
	printf("%" PRIu64 " records, %" PRIu64 " bytecodes, %" PRIu64 " differ\n", count, j.compared, j.differ);
	walk_close(j.walk);
	records_close(records);
	image_close(image);
	return j.differ == 0 && j.compared > 0 ? 0 : 1;
}
