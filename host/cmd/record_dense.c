/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#include "host/cmd/record_dense.h"

#include <errno.h>
#include <string.h>
#include "host/cmd/cmd.h"
#include "host/cmd/dense_records.h"

/* Takes all that comes, to the end of input, a timeout or an interrupt; these are no faults of a stream without end. */
static int take_dense_stream(
    const struct dense_records_setup *setup, const struct capture_options *capture, struct capture_split *split)
{
	struct dense_records *records = dense_records_open(setup);
	struct capture_options options = *capture;
	uint64_t bytes, written;
	if (records == NULL)
		return STATUS_FAILED;
	options.profiles = 0;
	options.take = dense_records_feed;
	options.take_context = records;
	int stop = capture_run(&options, split, &bytes);
	if (stop < 0 && stop != CAPTURE_EWRITE)
		complain("%s: %s: %s", setup->source, capture_strerror(stop), strerror(errno));
	int status = dense_records_finish(records, stop == CAPTURE_INTERRUPTED, &written);
	dense_records_close(records);
	/* what came before the source failed is kept */
	return stop < 0 ? worse_status(status, STATUS_NO) : status;
}

int record_dense(
    const struct record_dense *record, const struct capture_options *capture, struct capture_split *split, FILE *file)
{
	struct image *image = NULL;
	struct records_header header = {0};
	char detail[1024];
	if (image_open(&image, record->program, detail, sizeof detail) != IMAGE_OK) {
		complain("%s", detail);
		image_close(image);
		return STATUS_FAILED;
	}
	header.base = image_load_address(image);
	snprintf(header.name, sizeof header.name, "%s", short_file(record->program, 64));
	const struct dense_records_setup setup = {.program = record->program,
	    .source = record->source,
	    .output = record->output,
	    .image = image,
	    .header = &header,
	    .ctrl = record->ctrl,
	    .file = file,
	    .ask = record->ask,
	    .quiet = record->quiet};
	int status = take_dense_stream(&setup, capture, split);
	image_close(image);
	return status;
}
