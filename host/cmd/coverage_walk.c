/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* A run of a coverage report once more, in the order of time. */
#include "host/cmd/coverage.h"
#include "host/cmd/load_records.h"
#include "host/cmd/progress.h"
#include "host/export/gather_feed.h"

static int walk_records(
    struct coverage_walk *walk, struct records *records, const struct image *image, const char *file)
{
	struct walk_config config;
	struct progress progress;
	gather_records_config(records_header(records), &config);
	int error = gather_open(&walk->gather, image, &config);
	if (error == GATHER_OK && walk->watcher != NULL)
		gather_watch(walk->gather, GATHER_VISITS, walk->watcher, walk->context);
	progress_begin(&progress, file);
	if (error == GATHER_OK)
		error = gather_records(walk->gather, records, progress_show, &progress);
	progress_end(&progress);
	if (error == GATHER_OK)
		error = gather_finish(walk->gather, 1, &walk->result);
	if (error != GATHER_OK)
		complain("%s: %s", file, gather_feed_strerror(error));
	else if (!walk->result->ordered && walk->result->traces > 1)
		complain("%s: its records do not follow each other: %s is in the order of time", file, walk->why);
	return error == GATHER_OK ? STATUS_OK : STATUS_FAILED;
}

int coverage_walk_run(struct coverage_walk *walk, const struct coverage_run *run)
{
	const char *file = run->profiled.file;
	struct records *records;
	char detail[1024];
	if (!is_record_file(file)) {
		complain("%s: is no record file: %s is in the order of time alone (rivulet run --records, profile "
			 "--records, import, record)",
		    file, walk->why);
		return STATUS_FAILED;
	}
	if (records_open(&records, file, detail, sizeof detail) != RECORDS_OK) {
		complain("%s", detail);
		return STATUS_FAILED;
	}
	int status = walk_records(walk, records, run->profiled.image, file);
	records_close(records);
	return status;
}

void coverage_walk_end(struct coverage_walk *walk)
{
	gather_close(walk->gather);
	walk->gather = NULL;
	walk->result = NULL;
}
