/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#include "host/cmd/dense_records.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "common/dense.h"
#include "common/rivulet_regs.h"
#include "host/cmd/cmd.h"
#include "host/records/dense.h"
#include "host/walk/cache.h"

/* Of a record file; a stream has no such members of its own. */
enum { DENSE_INSN_BITS = 16, DENSE_REPEAT_BITS = 8, DENSE_TOLD_MAX = 8, DENSE_ASK_FRAMES = 8 };

struct dense_records {
	const struct dense_records_setup *setup;
	struct dense_reader *reader;
	struct records_writer *writer; /* NULL: no record came yet */
	struct records_header header;
	struct walk *walk;
	struct walk_cache *cache;
	uint64_t missing;    /* before the next record */
	uint64_t unresolved; /* frames since the last record that are not read: each had a trace at least */
	uint64_t instructions, unfit, told;
	uint64_t asked_at; /* frames that could not be read when a start was asked for */
	int error;         /* enum records_error */
	bool wrong;        /* a problem that is told and ends it */
};

bool dense_records_begin(const uint8_t *bytes, size_t size)
{
	return size >= 2 && bytes[0] == DENSE_FLAG_BYTE &&
	       (bytes[1] & ~(unsigned)DENSE_HEAD_LOST) == (DENSE_HEAD_START | DENSE_HEAD_VERSION);
}

static int emit_dense(void *context, const void *bytes, size_t size)
{
	return fwrite(bytes, 1, size, context) == size ? 0 : 1;
}

/* At the first record: only then are the widths of the unit known. */
static int begin_dense_file(struct dense_records *d)
{
	const struct dense_records_setup *s = d->setup;
	const unsigned xlen = dense_reader_xlen(d->reader);
	d->header = *s->header;
	d->header.xlen = xlen;
	d->header.hist = dense_reader_hist(d->reader);
	d->header.insn_bits = DENSE_INSN_BITS;
	d->header.repeat_bits = DENSE_REPEAT_BITS;
	d->header.source = RECORDS_IMPORT;
	records_identify_run(&d->header, s->image);
	if (xlen != image_xlen(s->image)) {
		complain("%s: is of a core of RV%u, and %s is a program of RV%u", s->source, xlen, s->program,
		    image_xlen(s->image));
		d->wrong = true;
		return RECORDS_ESTOPPED;
	}
	const struct walk_config config = {.hist = d->header.hist, .ctrl = s->ctrl, .insn_bits = DENSE_INSN_BITS};
	if (walk_open(&d->walk, s->image, &config) != WALK_OK ||
	    walk_cache_open(&d->cache, d->walk, WALK_CACHE_BYTES) != WALK_OK)
		return RECORDS_ENOMEM;
	int error = records_writer_open(&d->writer, &d->header, 0, emit_dense, s->file);
	if (error == RECORDS_OK && (s->ctrl & RV_CTRL_REPEAT_MASK) != 0)
		records_writer_merge(d->writer);
	return error;
}

/* A trace that was not cut off has the instructions of its way through the program. */
static int count_dense_insns(struct dense_records *d, struct record *record)
{
	const struct walked *walked = walk_cached(d->cache, record);
	const uint32_t most = (1u << DENSE_INSN_BITS) - 1;
	if (walked == NULL)
		return RECORDS_ENOMEM;
	d->unfit += walked->error < 0;
	if (walked->error == WALK_OK && !record_reason_cut(record->reason))
		record->insns = walked->insns < most ? walked->insns : most;
	d->instructions += walked->error < 0 ? record->insns : walked->insns;
	return RECORDS_OK;
}

static int skip_dense_missing(struct dense_records *d)
{
	const uint64_t count = d->missing;
	d->missing = 0;
	return count > 0 ? records_writer_skip(d->writer, count) : RECORDS_OK;
}

static int write_dense_record(struct dense_records *d, const struct record *record)
{
	struct record counted = *record;
	int error = d->writer == NULL ? begin_dense_file(d) : RECORDS_OK;
	d->unresolved = 0;
	if (error == RECORDS_OK)
		error = skip_dense_missing(d);
	if (error == RECORDS_OK)
		error = count_dense_insns(d, &counted);
	const struct record_place place = {.time = d->instructions, .ctrl = d->setup->ctrl};
	return error == RECORDS_OK ? records_write(d->writer, &counted, &place) : error;
}

static int take_dense_record(void *context, const struct record *record)
{
	struct dense_records *d = context;
	d->error = write_dense_record(d, record);
	return d->error == RECORDS_OK ? 0 : 1;
}

/* Behind a reset nobody knows how many are missing: one at least for each frame, else one. */
static int miss_dense_records(void *context, uint64_t count)
{
	struct dense_records *d = context;
	const uint64_t least = d->unresolved > 0 ? d->unresolved : 1;
	d->missing += count > 0 ? count : least;
	d->unresolved = 0;
	return 0;
}

/* A byte that is lost is sent again a few frames later. */
static void ask_for_start(struct dense_records *d)
{
	const struct dense_reader_counts *c = dense_reader_counts(d->reader);
	static const uint8_t byte = 0;
	d->asked_at = c->damaged + c->passed;
	if (d->setup->ask != NULL && write(*d->setup->ask, &byte, 1) != 1 && errno != EAGAIN &&
	    d->told++ < DENSE_TOLD_MAX)
		complain("%s: nobody can be asked for a start: %s", d->setup->source, strerror(errno));
}

static void tell_dense(void *context, const struct dense_note *note)
{
	struct dense_records *d = context;
	char text[300];
	if (note->kind == DENSE_NOTE_DAMAGED || note->kind == DENSE_NOTE_CUT)
		d->unresolved++;
	else if (note->kind == DENSE_NOTE_PASSED)
		d->unresolved += note->count;
	dense_note_describe(note, text, sizeof text);
	if (d->told++ < DENSE_TOLD_MAX)
		complain("%s: %s", d->setup->source, text);
	if (note->kind == DENSE_NOTE_DAMAGED)
		ask_for_start(d);
}

struct dense_records *dense_records_open(const struct dense_records_setup *setup)
{
	struct dense_records *d = calloc(1, sizeof *d);
	const struct dense_reader_sink sink = {take_dense_record, miss_dense_records, tell_dense, d};
	if (d != NULL && dense_reader_open(&d->reader, &sink) == DENSE_READER_OK) {
		d->setup = setup;
		ask_for_start(d);
		return d;
	}
	free(d);
	complain("out of memory");
	return NULL;
}

int dense_records_feed(void *records, const uint8_t *bytes, size_t size)
{
	struct dense_records *d = records;
	const struct dense_reader_counts *c = dense_reader_counts(d->reader);
	const int error = dense_reader_feed(d->reader, bytes, size);
	if (c->damaged + c->passed - d->asked_at >= DENSE_ASK_FRAMES)
		ask_for_start(d);
	return error == DENSE_READER_OK ? 0 : 1;
}

static int tell_dense_error(const struct dense_records *d)
{
	if (d->wrong)
		return STATUS_FAILED;
	if (d->error == RECORDS_EWRITE)
		complain("%s: %s: %s", d->setup->output, records_strerror(d->error), strerror(errno));
	else
		complain("%s: %s", d->setup->output, records_strerror(d->error));
	return STATUS_FAILED;
}

static int sum_up_dense(const struct dense_records *d)
{
	const struct dense_records_setup *s = d->setup;
	const struct dense_reader_counts *c = dense_reader_counts(d->reader);
	if (d->told > DENSE_TOLD_MAX)
		complain("%s: ... and %s more like these", s->source, with_commas(d->told - DENSE_TOLD_MAX));
	if (c->traces == 0) {
		complain("%s: has no frame of a dense coder that can be read", s->source);
		return STATUS_FAILED;
	}
	if (c->missing + c->lost + d->unresolved > 0)
		complain("%s: traces are missing in %s: %s by damage or before the stream began, %s lost in the "
			 "coder%s",
		    s->source, s->output, with_commas(c->missing), with_commas(c->lost),
		    d->unresolved > 0 ? "; how many at the end is not known" : "");
	if (d->unfit > 0)
		complain("%s: %s of %s traces do not fit %s", s->source, with_commas(d->unfit), with_commas(c->traces),
		    s->program);
	if (!s->quiet)
		printf("%s traces of %s instructions, %s records, from %s bytes\n", with_commas(c->traces),
		    with_commas(d->instructions), with_commas(records_written(d->writer)), with_commas(c->bytes));
	return d->told > 0 || d->unfit > 0 ? STATUS_NO : STATUS_OK;
}

int dense_records_finish(struct dense_records *d, bool interrupted, uint64_t *written)
{
	*written = d->writer == NULL ? 0 : records_written(d->writer);
	if (d->error == RECORDS_OK)
		dense_reader_finish(d->reader);
	if (d->error == RECORDS_OK && d->writer != NULL) {
		const struct records_end end = {.cycles = d->instructions,
		    .instructions = d->instructions,
		    .last_cycle = d->instructions,
		    .traced_instructions = d->instructions,
		    .ending = interrupted ? RECORDS_END_INTERRUPTED : RECORDS_END_EXIT};
		d->missing += d->unresolved;
		d->error = skip_dense_missing(d);
		if (d->error == RECORDS_OK)
			d->error = records_writer_finish(d->writer, &end);
		if (d->error == RECORDS_OK && fflush(d->setup->file) != 0)
			d->error = RECORDS_EWRITE;
	}
	return d->error == RECORDS_OK ? sum_up_dense(d) : tell_dense_error(d);
}

void dense_records_close(struct dense_records *d)
{
	if (d == NULL)
		return;
	records_writer_close(d->writer);
	walk_cache_close(d->cache);
	walk_close(d->walk);
	dense_reader_close(d->reader);
	free(d);
}
