/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/*
 * Measures the phases file and the bounded-sort table for bench/phases.md. All times are processor time of this
 * process.
 *   phases_bench file PROGRAM.elf RECORDS.rvr   one row: sizes and speeds of the run as phases file, records, zstd -19
 *   phases_bench grow PROGRAM.elf RECORDS.rvr N the same run, looped until it has N instructions: size and memory
 *   phases_bench table KEYS                     the table sorted, unsorted, and open addressing, over KEYS paths
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <zstd.h>
#include "host/base/hash.h"
#include "host/phases/feed.h"
#include "host/records/records.h"

static double now(void)
{
	struct timespec t;
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

struct run { /* the blocks of a run, by the numbers of its writer */
	uint32_t *blocks;
	size_t count, room;
	struct phases_block *known;
	uint32_t known_count;
	uint64_t instructions, cycles;
};

struct out {
	uint8_t *bytes;
	size_t used, room;
};

static int emit(void *context, const void *bytes, size_t size)
{
	struct out *o = context;
	if (o->used + size > o->room) {
		o->room = 2 * o->room + size;
		o->bytes = realloc(o->bytes, o->room);
	}
	memcpy(o->bytes + o->used, bytes, size);
	o->used += size;
	return 0;
}

static int count_bytes(void *context, const void *bytes, size_t size)
{
	(void)bytes;
	((struct out *)context)->used += size;
	return 0;
}

static void die(const char *what)
{
	fprintf(stderr, "phases_bench: %s\n", what);
	exit(2);
}

/* Reads the records into memory as blocks: by the feed, whose file is read again. */
static void load(struct run *run, const char *program, const char *path)
{
	struct image *image;
	struct records *records;
	struct record record;
	struct record_place place;
	struct phases_writer *w;
	struct phases_file *file;
	struct phases_step step;
	struct phases_feed feed;
	struct out out = {0};
	char detail[512];
	const struct phases_header header = {.cycles = true};
	if (image_open(&image, program, detail, sizeof detail) != IMAGE_OK ||
	    records_open(&records, path, detail, sizeof detail) != RECORDS_OK)
		die(detail);
	if (phases_writer_open(&w, &header, NULL, 1, emit, &out) != PHASES_OK)
		die("no writer");
	phases_feed_open(&feed, w, image);
	struct walk_config config = {
	    .hist = records_header(records)->hist, .insn_bits = records_header(records)->insn_bits};
	while (records_next(records, &record, &place) == 1) {
		config.ctrl = place.ctrl;
		if (phases_feed_record(&feed, &record, &place, &config, 0) != PHASES_OK || feed.failed > 0)
			die("the records cannot be followed");
		run->cycles = place.time;
	}
	if (phases_writer_finish(w, PHASES_END_EXIT) != PHASES_OK ||
	    phases_open_memory(&file, out.bytes, out.used, detail, sizeof detail) != PHASES_OK)
		die("no phases file");
	while (phases_next(file, &step) == 1)
		for (uint32_t t = 0; t < step.trips; t++)
			for (uint32_t b = 0; b < step.what.count; b++) {
				if (run->count == run->room) {
					run->room = 2 * run->room + 65536;
					run->blocks = realloc(run->blocks, run->room * sizeof *run->blocks);
				}
				run->blocks[run->count++] = step.what.blocks[b];
				run->instructions += phases_block(file, step.what.blocks[b])->instructions;
			}
	run->known_count = phases_block_count(file);
	run->known = malloc((run->known_count + 1) * sizeof *run->known);
	for (uint32_t b = 0; b < run->known_count; b++)
		run->known[b] = *phases_block(file, b);
	phases_close(file);
	phases_feed_close(&feed);
	phases_writer_close(w);
	records_close(records);
	image_close(image);
	free(out.bytes);
}

/* Writes the run `turns` times into one file. Returns processor seconds. */
static double write_file(const struct run *run, uint64_t turns, phases_emit *take, struct out *out, size_t *memory)
{
	struct phases_writer *w;
	uint32_t number;
	const struct phases_header header = {.cycles = true};
	if (phases_writer_open(&w, &header, NULL, 0, take, out) != PHASES_OK)
		die("no writer");
	for (uint32_t b = 0; b < run->known_count; b++)
		if (phases_writer_block(w, &run->known[b], &number) != PHASES_OK || number != b)
			die("a block has another number");
	const double start = now();
	for (uint64_t t = 0; t < turns; t++)
		if (phases_writer_feed(w, run->blocks, run->count) != PHASES_OK ||
		    phases_writer_time(w, (t + 1) * run->cycles) != PHASES_OK)
			die("the run cannot be written");
	if (phases_writer_finish(w, PHASES_END_EXIT) != PHASES_OK)
		die("the run cannot be written");
	const double took = now() - start;
	*memory = phases_writer_memory(w);
	phases_writer_close(w);
	return took;
}

static double slowest_key(const struct out *out)
{
	struct phases_file *file;
	struct phases_place total;
	struct phases_step step;
	char detail[200];
	double worst = 0;
	if (phases_open_memory(&file, out->bytes, out->used, detail, sizeof detail) != PHASES_OK)
		die(detail);
	phases_total(file, &total);
	phases_seek(file, PHASES_REPEATED, 0);
	phases_next(file, &step); /* the definitions of the epoch are read once */
	srand(1);
	for (unsigned i = 0; i < 3000; i++) {
		const unsigned key = i % PHASES_KEYS;
		const uint64_t number = (uint64_t)((double)rand() / ((double)RAND_MAX + 1) * (double)total.at[key]);
		const double start = now();
		if (phases_seek(file, key, number) != PHASES_OK || phases_next(file, &step) != 1)
			die("a key is not found");
		const double took = now() - start;
		worst = took > worst ? took : worst;
	}
	phases_close(file);
	return worst;
}

static void row_of_file(const char *program, const char *records)
{
	struct run run = {0};
	struct out out = {0};
	struct stat status;
	size_t memory;
	load(&run, program, records);
	double best = 1e9;
	for (unsigned i = 0; i < 3; i++) {
		out.used = 0;
		const double took = write_file(&run, 1, emit, &out, &memory);
		best = took < best ? took : best;
	}
	ZSTD_CCtx *zstd = ZSTD_createCCtx();
	ZSTD_CCtx_setParameter(zstd, ZSTD_c_compressionLevel, 19);
	ZSTD_CCtx_setParameter(zstd, ZSTD_c_windowLog, 27);
	ZSTD_CCtx_setParameter(zstd, ZSTD_c_enableLongDistanceMatching, 1);
	const size_t raw = run.count * sizeof *run.blocks, room = ZSTD_compressBound(raw);
	void *packed = malloc(room);
	const double start = now();
	const size_t zstd_size = ZSTD_compress2(zstd, packed, room, run.blocks, raw);
	const double zstd_took = now() - start;
	stat(records, &status);
	const char *slash = strrchr(program, '/');
	const char *name = slash != NULL ? slash + 1 : program;
	printf("| %.*s | %.1f | %.1f | %lld | %zu | %zu | %.3f | %.3f | %.1f | %.1f | %.2f | %.1f |\n",
	    (int)strcspn(name, "."), name, (double)run.instructions / 1e6, (double)run.count / 1e6,
	    (long long)status.st_size, zstd_size, out.used, 8 * (double)status.st_size / (double)run.instructions,
	    8 * (double)out.used / (double)run.instructions, (double)run.count / best / 1e6, zstd_took / best,
	    1e3 * slowest_key(&out), (double)memory / 1e6);
	fflush(stdout);
}

static void row_of_growth(const char *program, const char *records, double instructions)
{
	struct run run = {0};
	struct out out = {0};
	size_t memory;
	load(&run, program, records);
	const uint64_t turns = (uint64_t)(instructions / (double)run.instructions) + 1;
	const double took = write_file(&run, turns, count_bytes, &out, &memory);
	printf("| %.1e | %zu | %.1f | %.1f |\n", (double)(turns * run.instructions), out.used, (double)memory / 1e6,
	    (double)(turns * run.count) / took / 1e6);
	fflush(stdout);
}

/* ---------------------------------------------------------------- the table */

#define KEY 6u /* symbols of a path */

struct keys {
	uint32_t *symbols;
	uint32_t count;
};

static bool same_key(const void *context, uint32_t index)
{
	const struct keys *k = context;
	return memcmp(k->symbols + (size_t)index * KEY, k->symbols + (size_t)k->count * KEY, KEY * sizeof(uint32_t)) ==
	       0;
}

/* Path number i of the order of accesses: nine of ten are among a thousand, which change each tenth of the run. */
static uint32_t pick(uint64_t n, uint64_t accesses, uint32_t keys)
{
	const uint64_t phase = n * 10 / accesses;
	uint64_t x = (n + 1) * 0x9E3779B97F4A7C15u;
	x ^= x >> 31;
	x *= 0xD6E8FEB86659FD93u;
	x ^= x >> 32;
	return (uint32_t)(x % 10 != 0 ? (phase * 7919 + x / 10 % 1000 * 613) % keys : x / 10 % keys);
}

static double use_sorted(
    const uint32_t *symbols, uint32_t keys, uint64_t accesses, unsigned bits, bool grow, uint64_t period)
{
	struct sorted *table;
	struct sorted_config config;
	uint32_t number;
	sorted_config_default(&config);
	config.bits = bits;
	config.grow = grow;
	config.clock = SORTED_ACCESSES;
	config.period = period;
	config.symbols_max = UINT32_MAX;
	if (sorted_open(&table, &config) != SORTED_OK)
		die("no table");
	for (uint32_t i = 0; i < keys; i++) /* all paths exist first: the order of their first sight is no order */
		sorted_enter(
		    table, symbols + (size_t)i * KEY, KEY, sorted_hash(symbols + (size_t)i * KEY, KEY), 1, &number);
	const double start = now();
	for (uint64_t n = 0; n < accesses; n++) {
		const uint32_t *key = symbols + (size_t)pick(n, accesses, keys) * KEY;
		sorted_enter(table, key, KEY, sorted_hash(key, KEY), 1, &number);
	}
	const double took = now() - start;
	sorted_close(table);
	return took / (double)accesses * 1e9;
}

static double use_open(uint32_t *symbols, uint32_t keys, uint64_t accesses)
{
	struct hash hash = {0};
	struct keys k = {symbols, keys};
	uint64_t found = 0;
	for (uint32_t i = 0; i < keys; i++)
		if (!hash_add(&hash, (uint32_t)sorted_hash(symbols + (size_t)i * KEY, KEY), i))
			die("out of memory");
	const double start = now();
	for (uint64_t n = 0; n < accesses; n++) {
		memcpy(symbols + (size_t)keys * KEY, symbols + (size_t)pick(n, accesses, keys) * KEY,
		    KEY * sizeof *symbols);
		found += hash_find(&hash, (uint32_t)sorted_hash(symbols + (size_t)keys * KEY, KEY), same_key, &k) !=
			 HASH_NONE;
	}
	const double took = now() - start;
	if (found != accesses)
		die("a path is not found");
	hash_free(&hash);
	return took / (double)accesses * 1e9;
}

static void rows_of_table(uint32_t keys)
{
	uint32_t *symbols = malloc((size_t)(keys + 1) * KEY * sizeof *symbols);
	const uint64_t accesses = 4 * (uint64_t)keys;
	for (uint32_t i = 0; i < keys; i++)
		for (uint32_t s = 0; s < KEY; s++)
			symbols[(size_t)i * KEY + s] = (i >> 4 * s) % 16 + 16 * s;
	static const struct {
		const char *name;
		unsigned bits;
		bool grow;
		uint64_t period;
	} forms[] = {{"65,536 buckets, unsorted", 16, false, 0}, {"65,536 buckets, sorted", 16, false, 100000},
	    {"growing buckets, unsorted", 4, true, 0}, {"growing buckets, sorted", 4, true, 100000}};
	for (size_t f = 0; f < sizeof forms / sizeof *forms; f++) {
		const double ns = use_sorted(symbols, keys, accesses, forms[f].bits, forms[f].grow, forms[f].period);
		printf("| %s | %.0f |\n", forms[f].name, ns);
		fflush(stdout);
	}
	printf("| open addressing, at most half full | %.0f |\n", use_open(symbols, keys, accesses));
	free(symbols);
}

int main(int argc, char **argv)
{
	if (argc == 4 && strcmp(argv[1], "file") == 0)
		row_of_file(argv[2], argv[3]);
	else if (argc == 5 && strcmp(argv[1], "grow") == 0)
		row_of_growth(argv[2], argv[3], atof(argv[4]));
	else if (argc == 3 && strcmp(argv[1], "table") == 0)
		rows_of_table((uint32_t)atof(argv[2]));
	else
		die("usage: phases_bench file PROGRAM RECORDS | grow PROGRAM RECORDS N | table KEYS");
	return 0;
}
