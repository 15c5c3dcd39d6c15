/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/*
 * How many records a second are read, walked and added up, on one core. For each application all ways must come to the
 * same sums, and these must be what the run counted.
 *
 *   walk_bench speed RUNS NAME PROGRAM.elf FILE.rvr ...   a row for each application, then all together
 *   walk_bench make FILE.rvr MEGABYTES FROM.rvr           a large record file that compresses badly: the records of
 *                                                         FROM again and again, with cycles at random
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include "host/profile/profile.h"
#include "host/records/records.h"
#include "host/walk/cache.h"

#define RUNS_MAX 101
#define SECONDS_MIN 0.4 /* a measurement repeats the file until it has taken so long */

enum way {
	PROFILE, /* records -> counts of (start, history): what report, export and merge read */
	SUMMED,  /* records -> counts of blocks; each distinct record of a block of the file is looked up once */
	CACHED,  /* records -> counts of blocks, record by record, in order: a walked record is looked up */
	WALKED,  /* the same, each record walked through the program */
	WAYS
};

struct counter { /* of a block, in walk_block.user */
	uint64_t count, taken;
};

struct sums {
	uint64_t records, traces, insns, branches, taken, bad;
};

struct job {
	const char *name;
	struct image *image;
	struct records *records;
	uint64_t expected; /* instructions that the run retired with tracing on */
	double rates[WAYS][RUNS_MAX];
	struct sums sums;
};

static void fail(const char *what, const char *why)
{
	fprintf(stderr, "walk_bench: %s: %s\n", what, why);
	exit(1);
}

static double cpu_seconds(void)
{
	struct timespec now;
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* ---------------------------------------------------------------- adding up */

struct pass {
	struct sums sums;
	uint64_t times;
	struct counter *pool; /* counters of blocks */
	size_t used, room;
	struct walk *walk;
};

static void count_visit(struct pass *pass, const struct walk_visit *v, uint64_t times)
{
	struct counter *counter = v->block->user;
	if (counter == NULL) {
		if (pass->used == pass->room)
			fail("blocks", "too many");
		counter = v->block->user = &pass->pool[pass->used++];
	}
	counter->count += times;
	counter->taken += v->outcome == 1 ? times : 0;
	pass->sums.insns += v->count * times;
	pass->sums.branches += v->outcome >= 0 ? times : 0;
}

static int on_visit(void *context, const struct walk_visit *v)
{
	struct pass *pass = context;
	count_visit(pass, v, pass->times);
	return 0;
}

static void add_walked(struct pass *pass, const struct walked *walked, uint64_t times)
{
	for (uint32_t i = 0; i < walked->count; i++)
		count_visit(pass, &walked->visits[i], times);
	pass->sums.bad += walked->error < 0 ? times : 0;
}

static void settle(void *context, struct walked *walked)
{
	add_walked(context, walked, walked->user);
}

static void summed(struct pass *pass, struct walk_cache *cache, const struct records_block *b, uint64_t *sums)
{
	memset(sums, 0, b->key_count * sizeof *sums);
	for (uint32_t i = 0; i < b->count; i++)
		sums[b->key[i]] += b->repeat[i];
	for (uint32_t k = 0; k < b->key_count; k++) {
		struct walked *walked = walk_cached(cache, &b->keys[k]);
		if (walked == NULL)
			fail("walk", "out of memory");
		walked->user += sums[k];
		pass->sums.traces += sums[k];
	}
}

static void cached(struct pass *pass, struct walk_cache *cache, const struct records_block *b)
{
	for (uint32_t i = 0; i < b->count; i++) {
		const struct walked *walked = walk_cached(cache, &b->keys[b->key[i]]);
		if (walked == NULL)
			fail("walk", "out of memory");
		add_walked(pass, walked, b->repeat[i]);
		pass->sums.traces += b->repeat[i];
	}
}

static void walked(struct pass *pass, const struct records_block *b)
{
	for (uint32_t i = 0; i < b->count; i++) {
		pass->times = b->repeat[i];
		pass->sums.bad +=
		    walk_record(pass->walk, &b->keys[b->key[i]], on_visit, pass, NULL) < 0 ? pass->times : 0;
		pass->sums.traces += b->repeat[i];
	}
}

/* Once through the file. */
static struct sums once(struct job *job, enum way way)
{
	static uint64_t sums[RECORDS_BLOCK_MAX];
	const struct records_header *header = records_header(job->records);
	struct walk_config config = {.hist = header->hist, .ctrl = header->ctrl, .insn_bits = header->insn_bits};
	struct records_block block;
	struct pass pass = {.room = 1 << 16};
	struct walk_cache *cache;
	int got;
	pass.pool = calloc(pass.room, sizeof *pass.pool);
	if (pass.pool == NULL || walk_open(&pass.walk, job->image, &config) != WALK_OK ||
	    walk_cache_open(&cache, pass.walk, WALK_CACHE_BYTES) != WALK_OK)
		fail(job->name, "out of memory");
	if (way == SUMMED)
		walk_cache_on_forget(cache, settle, &pass);
	records_rewind(job->records);
	while ((got = records_next_block(job->records, &block)) == 1) {
		pass.sums.records += block.count;
		if (way == SUMMED)
			summed(&pass, cache, &block, sums);
		else if (way == CACHED)
			cached(&pass, cache, &block);
		else
			walked(&pass, &block);
	}
	if (got < 0)
		fail(job->name, records_strerror(got));
	walk_cache_close(cache);
	for (size_t i = 0; i < pass.used; i++)
		pass.sums.taken += pass.pool[i].taken;
	walk_close(pass.walk);
	free(pass.pool);
	return pass.sums;
}

static struct sums once_profile(struct job *job)
{
	struct profile profile;
	struct sums sums = {0};
	if (profile_init(&profile) != PROFILE_OK || records_profile(job->records, &profile, NULL, NULL) != RECORDS_OK)
		fail(job->name, "cannot be added up");
	sums.traces = profile.total;
	for (size_t i = 0; i < profile.used; i++)
		sums.insns += profile.entries[i].insns * profile.entries[i].count;
	sums.records = job->sums.records;
	profile_fini(&profile);
	return sums;
}

static double measure(struct job *job, enum way way)
{
	uint64_t records = 0;
	double begun = cpu_seconds(), spent;
	do {
		struct sums sums = way == PROFILE ? once_profile(job) : once(job, way);
		records += sums.records;
		if (job->sums.records == 0)
			job->sums = sums;
		bool same = sums.traces == job->sums.traces && sums.insns == job->sums.insns && sums.bad == 0;
		if (way != PROFILE)
			same = same && sums.branches == job->sums.branches && sums.taken == job->sums.taken;
		if (!same)
			fail(job->name, "two ways come to different sums");
		spent = cpu_seconds() - begun;
	} while (spent < SECONDS_MIN);
	return (double)records / spent;
}

/* ---------------------------------------------------------------- results */

static int by_value(const void *a, const void *b)
{
	const double *x = a, *y = b;
	return *x < *y ? -1 : *x > *y;
}

static void print_row(const char *name, const struct sums *sums, double rates[WAYS][RUNS_MAX], int runs)
{
	printf("| %s | %" PRIu64 " | %.1f |", name, sums->records,
	    sums->traces > 0 ? (double)sums->insns / (double)sums->traces : 0);
	for (int way = 0; way < WAYS; way++) {
		double sorted[RUNS_MAX];
		memcpy(sorted, rates[way], (size_t)runs * sizeof *sorted);
		qsort(sorted, (size_t)runs, sizeof *sorted, by_value);
		printf(" %.1f (%.1f..%.1f) |", sorted[runs / 2] / 1e6, sorted[0] / 1e6, sorted[runs - 1] / 1e6);
	}
	putchar('\n');
}

static void open_job(struct job *job, const char *name, const char *program, const char *file)
{
	char detail[1024];
	job->name = name;
	if (image_open(&job->image, program, detail, sizeof detail) != IMAGE_OK ||
	    records_open(&job->records, file, detail, sizeof detail) != RECORDS_OK)
		fail(name, detail);
	if (records_header(job->records) == NULL || records_end(job->records) == NULL)
		fail(file, "is not whole");
	if (records_match(records_header(job->records), job->image, detail, sizeof detail) != RECORDS_SAME)
		fail(file, detail);
	job->expected = records_end(job->records)->traced_instructions;
}

static int speed(int runs, int count, char **arguments)
{
	static double all[WAYS][RUNS_MAX];
	struct job *jobs = calloc((size_t)count, sizeof *jobs);
	struct sums total = {0};
	if (jobs == NULL)
		fail("walk_bench", "out of memory");
	for (int i = 0; i < count; i++) {
		struct job *job = &jobs[i];
		open_job(job, arguments[3 * i], arguments[3 * i + 1], arguments[3 * i + 2]);
		for (int way = WAYS; way-- > 0;) { /* WALKED first: the others are held against it */
			for (int run = 0; run < runs; run++)
				job->rates[way][run] = measure(job, (enum way)way);
		}
		/* the last trace has no record if tracing goes on to the end of the run */
		if (job->sums.insns > job->expected || job->expected - job->sums.insns > 100)
			fail(job->name, "the walked instructions are not those of the run");
		print_row(job->name, &job->sums, job->rates, runs);
		total.records += job->sums.records;
		total.traces += job->sums.traces;
		total.insns += job->sums.insns;
	}
	/* all: every record of every application once, so the slow ones weigh more than the fast ones */
	for (int way = 0; way < WAYS; way++) {
		for (int run = 0; run < runs; run++) {
			double seconds = 0;
			for (int i = 0; i < count; i++)
				seconds += (double)jobs[i].sums.records / jobs[i].rates[way][run];
			all[way][run] = (double)total.records / seconds;
		}
	}
	print_row("all", &total, all, runs);
	for (int i = 0; i < count; i++) {
		records_close(jobs[i].records);
		image_close(jobs[i].image);
	}
	free(jobs);
	return 0;
}

/* ---------------------------------------------------------------- a large file */

struct output {
	FILE *file;
	uint64_t size;
};

static int emit(void *context, const void *bytes, size_t size)
{
	struct output *output = context;
	output->size += size;
	return fwrite(bytes, 1, size, output->file) == size ? 0 : 1;
}

static int make(const char *path, uint64_t megabytes, const char *from)
{
	struct output output = {.file = fopen(path, "wb")};
	struct records *records;
	struct records_writer *writer;
	char detail[1024];
	uint64_t x = 1, time = 0;
	if (output.file == NULL)
		fail(path, "cannot be written");
	if (records_open(&records, from, detail, sizeof detail) != RECORDS_OK || records_header(records) == NULL)
		fail(from, detail);
	if (records_writer_open(&writer, records_header(records), 1, emit, &output) != RECORDS_OK)
		fail(path, "out of memory");
	struct records_end end = {.ending = RECORDS_END_LIMIT};
	while (output.size < megabytes << 20) {
		struct record record;
		struct record_place place;
		int got = records_next(records, &record, &place);
		if (got == 0) {
			records_rewind(records);
			continue;
		}
		x ^= x << 13; /* xorshift: the same each time */
		x ^= x >> 7;
		x ^= x << 17;
		record.cycles = (uint32_t)(x >> 20 & 0xFFFFFF);
		place.time = time += record.cycles + (x & 0xFFFF);
		end.traced_instructions += record.insns * record.count;
		if (got < 0 || records_write(writer, &record, &place) != RECORDS_OK)
			fail(path, "cannot be written");
	}
	end.last_cycle = end.cycles = time;
	if (records_writer_finish(writer, &end) != RECORDS_OK || fclose(output.file) != 0)
		fail(path, "cannot be written");
	printf("%" PRIu64 " records, %" PRIu64 " bytes\n", records_written(writer), output.size);
	records_writer_close(writer);
	records_close(records);
	return 0;
}

int main(int argc, char **argv)
{
	if (argc == 5 && strcmp(argv[1], "make") == 0)
		return make(argv[2], strtoull(argv[3], NULL, 10), argv[4]);
	int runs = argc > 2 ? atoi(argv[2]) : 0;
	if (argc > 5 && argc % 3 == 0 && strcmp(argv[1], "speed") == 0 && runs > 0 && runs <= RUNS_MAX)
		return speed(runs, (argc - 3) / 3, argv + 3);
	fprintf(
	    stderr, "usage: walk_bench speed RUNS NAME PROGRAM.elf FILE.rvr ... | make FILE.rvr MEGABYTES FROM.rvr\n");
	return 2;
}
