/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#include "host/cmd/view_live.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include "host/cmd/load_records.h"
#include "host/export/gather_feed.h"

struct view_live {
	const struct view_source *source;
	/* the file at the last look */
	struct stat seen;
	struct timespec changed; /* when it was seen to be another one */
	bool looked, due;
	/* the last picture */
	char *text;
	size_t size;
	int status;
	bool growing;
	bool behind; /* not all that the file had was gathered for it */
	bool caught; /* it was the one that follows the end of a run */
	/* what is gathered of a file that grows; image NULL: nothing yet */
	ino_t inode;
	uint32_t sum; /* of the last block of it */
	struct image *image;
	struct cfg *cfg;
	struct gather *gather;
	struct gather_last last;
	struct spots spots;
	size_t places;                   /* instructions that ran when spots was made */
	int64_t gather_time, other_time; /* that the last picture took to gather; for all else */
};

struct view_live *view_live_open(const struct view_source *source)
{
	struct view_live *live = calloc(1, sizeof *live);
	if (live != NULL)
		live->source = source;
	return live;
}

static void forget_gathered(struct view_live *live)
{
	gather_close(live->gather);
	cfg_close(live->cfg);
	spots_free(&live->spots);
	image_close(live->image);
	live->gather = NULL;
	live->cfg = NULL;
	live->spots = (struct spots){0};
	live->image = NULL;
	live->last = (struct gather_last)GATHER_FIRST;
	live->places = 0;
	live->behind = live->caught = false;
}

void view_live_close(struct view_live *live)
{
	if (live == NULL)
		return;
	forget_gathered(live);
	free(live->text);
	free(live);
}

int64_t view_clock(clockid_t clock)
{
	struct timespec now = {0};
	clock_gettime(clock, &now);
	return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

static bool same_file(const struct stat *a, const struct stat *b)
{
	return a->st_ino == b->st_ino && a->st_size == b->st_size && a->st_mtim.tv_sec == b->st_mtim.tv_sec &&
	       a->st_mtim.tv_nsec == b->st_mtim.tv_nsec;
}

bool view_live_look(struct view_live *live)
{
	struct stat now = {0};
	struct timespec time = {0};
	clock_gettime(CLOCK_MONOTONIC, &time);
	const bool there = stat(live->source->file, &now) == 0;
	if (!live->looked || (there && !same_file(&live->seen, &now))) {
		live->seen = now;
		live->changed = time;
		live->due = live->looked = true;
	} else if (live->growing && time.tv_sec - live->changed.tv_sec >= VIEW_STILL)
		live->due = true;
	return live->due;
}

enum picture {
	PICTURE_NONE,     /* there is nothing in the file: to read the program for it is much work */
	PICTURE_GROWING,  /* a run is writing it: it has no end, and changed a moment ago */
	PICTURE_CATCHING, /* it has ended, and what came last is not gathered yet: that is shown first */
	PICTURE_WHOLE
};

static enum picture picture_of_records(const struct view_live *live, struct records *records)
{
	struct records_extent extent;
	struct timespec time = {0};
	clock_gettime(CLOCK_MONOTONIC, &time);
	records_extent(records, &extent);
	if (records_end(records) == NULL && time.tv_sec - live->changed.tv_sec < VIEW_STILL)
		return PICTURE_GROWING;
	const bool missing = live->image != NULL && live->last.number != extent.last_number;
	return missing && !live->caught ? PICTURE_CATCHING : PICTURE_WHOLE;
}

static enum picture picture_now(const struct view_live *live)
{
	const char *file = live->source->file;
	struct stat there;
	struct records *records;
	char detail[1024];
	if (stat(file, &there) == 0 && S_ISREG(there.st_mode) && there.st_size == 0)
		return PICTURE_NONE;
	if (!is_record_file(file) || records_open(&records, file, detail, sizeof detail) != RECORDS_OK)
		return PICTURE_WHOLE;
	const enum picture picture = picture_of_records(live, records);
	records_close(records);
	return picture;
}

/* ---- a file that grows ---- */

static int begin_gathering(struct view_live *live, const struct records *records)
{
	const struct view_source *source = live->source;
	char detail[1024];
	struct walk_config config;
	forget_gathered(live);
	live->inode = live->seen.st_ino;
	if (image_open(&live->image, source->program, detail, sizeof detail) != IMAGE_OK) {
		complain("%s", detail);
		return STATUS_FAILED;
	}
	if (place_image(live->image, source->file) != STATUS_OK)
		return STATUS_FAILED;
	if (records_match(records_header(records), live->image, detail, sizeof detail) == RECORDS_OTHER &&
	    !source->force) {
		complain("%s: is not of %s: %s", source->file, source->program, detail);
		return STATUS_FAILED;
	}
	image_debug(live->image, detail, sizeof detail);
	gather_records_config(records_header(records), &config);
	if (gather_open(&live->gather, live->image, &config) != GATHER_OK ||
	    cfg_open(&live->cfg, live->image) != CFG_OK) {
		complain("out of memory");
		return STATUS_FAILED;
	}
	gather_without_cells(live->gather);
	return STATUS_OK;
}

static bool make_live_spots(struct view_live *live, const struct gather_result *result)
{
	if (live->places == result->code_count)
		return true;
	spots_free(&live->spots);
	live->places = 0;
	if (spots_make(&live->spots, live->image, result) != SPOTS_OK)
		return false;
	live->places = result->code_count;
	return true;
}

/* A picture takes so many more records, or those of so many nanoseconds of processor where their paths are new: what is
 * left of PICTURE_TIME by all else that the last picture took. So there is one each second however fast the run is. The
 * rest comes with the next ones. */
#define GATHER_RECORDS (UINT64_C(1) << 19)
#define GATHER_TIME INT64_C(25000000)
#define GATHER_TIME_LEAST INT64_C(4000000)
#define PICTURE_TIME INT64_C(45000000)

struct gather_moment {
	const struct gather_last *last;
	uint64_t end;         /* the record after which it is enough, */
	int64_t until;        /* or time of the processor */
	uint64_t done, bytes; /* of the file */
	bool stopped;
};

static int stop_gathering(void *context, uint64_t done, uint64_t bytes)
{
	struct gather_moment *moment = context;
	moment->done = done;
	moment->bytes = bytes;
	moment->stopped = done < bytes && (moment->last->number >= moment->end ||
					      view_clock(CLOCK_PROCESS_CPUTIME_ID) >= moment->until);
	return moment->stopped ? 1 : 0;
}

static int64_t time_to_gather(const struct view_live *live)
{
	const int64_t left = PICTURE_TIME - live->other_time;
	if (left > GATHER_TIME)
		return GATHER_TIME;
	return left < GATHER_TIME_LEAST ? GATHER_TIME_LEAST : left;
}

static int gather_for_a_moment(struct view_live *live, struct records *records, struct gather_moment *moment)
{
	const int64_t begin = view_clock(CLOCK_PROCESS_CPUTIME_ID);
	*moment = (struct gather_moment){
	    .last = &live->last, .end = live->last.number + GATHER_RECORDS, .until = begin + time_to_gather(live)};
	records_seek_block(records, live->last.number + 1);
	const int error = gather_records_more(live->gather, records, &live->last, stop_gathering, moment);
	live->sum = records_block_sum(records, live->last.number);
	live->behind = moment->stopped;
	live->gather_time = view_clock(CLOCK_PROCESS_CPUTIME_ID) - begin;
	return moment->stopped ? GATHER_OK : error;
}

static int write_growing_view(struct view_live *live, const struct records *records, const struct gather_result *result,
    const struct gather_moment *moment, FILE *out)
{
	static const char *const all_notes[] = {
	    "The file is not whole: the run goes on. Single calls, paths, phases and regions come when it has ended.",
	    "The run has ended. Single calls, paths, phases and regions come soon."};
	char behind[128], estimate[256];
	snprintf(behind, sizeof behind,
	    "The run is faster than this picture, which has the first %.0f%% of its records.",
	    moment->bytes > 0 ? 100 * (double)moment->done / (double)moment->bytes : 100);
	const struct view_source *source = live->source;
	const struct records_header *header = records_header(records);
	const char *notes[4] = {all_notes[live->growing ? 0 : 1]};
	size_t count = 1;
	if (live->behind)
		notes[count++] = behind;
	if (header != NULL && header->rules[0] != '\0') {
		snprintf(estimate, sizeof estimate, VIEW_ESTIMATE, header->rules);
		notes[count++] = estimate;
	}
	struct export_input export = {.image = live->image,
	    .result = result,
	    .spots = &live->spots,
	    .program = view_base_name(source->program),
	    .name = header != NULL ? header->name : "",
	    .build = header != NULL ? header->build : 0,
	    .sampled = !result->ordered,
	    .timed = result->cycles > 0};
	const struct view_input input = {.image = live->image,
	    .cfg = live->cfg,
	    .export = &export,
	    .kernel = source->kernel,
	    .label = view_base_name(source->label != NULL ? source->label : source->file),
	    .columns = source->columns,
	    .notes = notes};
	const int error = view_write(&input, out);
	if (error == VIEW_OK)
		return STATUS_OK;
	complain("%s: %s", source->file, view_strerror(error));
	return STATUS_FAILED;
}

/* Whether what is gathered is no part of this file: it is another one, or a run began to write it anew. */
static bool is_other_file(const struct view_live *live, struct records *records)
{
	if (live->image == NULL || live->inode != live->seen.st_ino || live->last.number == UINT64_MAX)
		return true;
	return records_block_sum(records, live->last.number) != live->sum;
}

static int gather_more(struct view_live *live, struct records *records, FILE *out)
{
	const struct gather_result *result = NULL;
	int status = STATUS_OK;
	if (is_other_file(live, records))
		status = begin_gathering(live, records);
	if (status != STATUS_OK) {
		forget_gathered(live);
		return status;
	}
	struct gather_moment moment;
	int error = gather_for_a_moment(live, records, &moment);
	if (error == GATHER_OK)
		error = gather_finish(live->gather, 1, &result);
	if (error != GATHER_OK) {
		complain("%s: %s", live->source->file, gather_feed_strerror(error));
		forget_gathered(live); /* a part of a block may be in it */
		return STATUS_FAILED;
	}
	if (result->code_count == 0)
		return STATUS_FAILED;
	if (!make_live_spots(live, result)) {
		complain("out of memory");
		return STATUS_FAILED;
	}
	return write_growing_view(live, records, result, &moment, out);
}

static int write_growing(struct view_live *live, FILE *out)
{
	struct records *records;
	char detail[1024];
	if (records_open(&records, live->source->file, detail, sizeof detail) != RECORDS_OK) {
		complain("%s", detail);
		return STATUS_FAILED;
	}
	const int status = gather_more(live, records, out);
	records_close(records);
	return status;
}

/* The picture into live->text. */
static void make_picture(struct view_live *live)
{
	free(live->text);
	live->text = NULL;
	live->due = false;
	const int64_t begin = view_clock(CLOCK_PROCESS_CPUTIME_ID);
	const size_t places = live->places;
	FILE *out = open_memstream(&live->text, &live->size);
	if (out == NULL) {
		live->status = STATUS_FAILED;
		return;
	}
	const enum picture picture = picture_now(live);
	live->growing = picture == PICTURE_GROWING;
	if (picture == PICTURE_NONE)
		live->status = STATUS_FAILED;
	else if (picture == PICTURE_WHOLE)
		live->status = view_source_write(live->source, out);
	else
		live->status = write_growing(live, out);
	if (fclose(out) != 0)
		live->status = STATUS_FAILED;
	live->caught = picture == PICTURE_CATCHING;
	live->other_time =
	    live->places == places ? view_clock(CLOCK_PROCESS_CPUTIME_ID) - begin - live->gather_time : 0;
	live->due = live->caught || (live->growing && live->behind); /* the whole one, or more of it, follows */
	if (picture == PICTURE_WHOLE || (live->due && live->status == STATUS_FAILED))
		forget_gathered(live);
}

int view_live_write(struct view_live *live, FILE *out)
{
	if (live->due)
		make_picture(live);
	if (live->status != STATUS_FAILED)
		fwrite(live->text, 1, live->size, out);
	return live->status;
}
