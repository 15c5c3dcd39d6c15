/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#include "host/cmd/export_encoder.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "host/cmd/cmd.h"
#include "host/cmd/progress.h"
#include "host/etrace/encoder.h"
#include "host/export/encode.h"
#include "host/import/frames.h"
#include "host/ntrace/encoder.h"

struct written {
	FILE *file;
	uint64_t bytes;
	unsigned id; /* they stand in CoreSight's frames, as those of this source; 0: they do not */
	struct frames_writer frame;
};

static void put_encoded_bytes(void *context, const uint8_t *bytes, size_t size)
{
	struct written *written = context;
	if (written->id == 0)
		written->bytes += fwrite(bytes, 1, size, written->file);
	for (size_t i = 0; i < size && written->id != 0; i++) {
		if (frames_write(&written->frame, written->id, bytes[i]))
			written->bytes += fwrite(written->frame.bytes, 1, FRAMES_BYTES, written->file);
	}
}

/* The encoder of the setting, as wide as the image; NULL: out of memory. */
static struct standard_encoder *open_encoder(
    const struct encoder_setting *setting, const struct image *image, struct written *written)
{
	bool packets = setting->form == IMPORT_ETRACE;
	void *memory = calloc(1, packets ? sizeof(struct etrace_encoder) : sizeof(struct ntrace_encoder));
	if (memory == NULL)
		return NULL;
	if (packets) {
		struct etrace_options options = setting->etrace;
		etrace_complete(&options, image);
		etrace_encoder_init(memory, &options, put_encoded_bytes, written);
	} else {
		struct ntrace_options options = setting->ntrace;
		options.layout.xlen = image_xlen(image);
		ntrace_encoder_init(memory, &options, put_encoded_bytes, written);
	}
	return memory;
}

static int tell_counts(const struct encode_counts *c, const struct written *written, const char *name)
{
	const struct {
		uint64_t count;
		const char *text;
	} rows[] = {{c->calls, "system calls and semihosting calls are not in it: they do not retire"},
	    {c->unfit, "traces do not fit the program: left out"},
	    {c->cut, "traces are known in part: left out from there"}};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		if (rows[i].count > 0)
			complain("%s: %s %s", name, with_commas(rows[i].count), rows[i].text);
	}
	if (c->instructions == 0) {
		complain("%s: has no trace of the program: nothing is written", name);
		return STATUS_FAILED;
	}
	complain("%s: %s instructions in %s bytes, %.3f bits an instruction; tracing begins %s times", name,
	    with_commas(c->instructions), with_commas(written->bytes),
	    8.0 * (double)written->bytes / (double)c->instructions, with_commas(c->breaks));
	return c->unfit + c->cut > 0 ? STATUS_NO : STATUS_OK;
}

int export_encoder(const struct encoder_setting *setting, const struct image *image, struct records *records,
    const char *name, FILE *out)
{
	const unsigned id = setting->trace_id == 0 ? 1 : setting->trace_id;
	struct written written = {.file = out, .id = setting->framed ? id : 0};
	struct encode_counts counts;
	struct progress progress;
	struct standard_encoder *encoder = open_encoder(setting, image, &written);
	if (encoder == NULL) {
		complain("out of memory");
		return STATUS_FAILED;
	}
	errno = 0;
	progress_begin(&progress, name);
	int error = encode_records(image, records, encoder, &counts, progress_show, &progress);
	if (frames_end(&written.frame))
		written.bytes += fwrite(written.frame.bytes, 1, FRAMES_BYTES, out);
	progress_end(&progress);
	free(encoder);
	if (error != RECORDS_OK)
		complain("%s: %s", name, records_strerror(error));
	else if (ferror(out) != 0)
		complain("the bytes cannot be written: %s", strerror(errno));
	else
		return tell_counts(&counts, &written, name);
	return STATUS_FAILED;
}
