/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#include "host/cmd/import_joined.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "host/base/array.h"
#include "host/cmd/cmd.h"
#include "host/records/joined.h"

enum { CHUNK = 65536, CYCLE_BITS = 32, INSN_BITS = 16, REPEAT_BITS = 8 };

/* All of the ring; NULL: told. */
static uint8_t *read_joined_ring(const struct import_joined *job, size_t *size)
{
	uint8_t *bytes = NULL;
	size_t room = 0, got = job->head_size;
	*size = 0;
	do {
		*size += got;
		if (!array_room(&bytes, *size + CHUNK, &room)) {
			complain("out of memory");
			free(bytes);
			return NULL;
		}
		if (*size == job->head_size && got == job->head_size)
			memcpy(bytes, job->head, job->head_size);
	} while ((got = fread(bytes + *size, 1, CHUNK, job->log)) > 0);
	if (ferror(job->log) == 0)
		return bytes;
	complain("%s: read error: %s", job->source, strerror(errno));
	free(bytes);
	return NULL;
}

static int emit_joined(void *context, const void *bytes, size_t size)
{
	return fwrite(bytes, 1, size, context) == size ? 0 : 1;
}

/* As many harts as there are records of, two at least. */
static unsigned count_harts(const struct joined *joined)
{
	unsigned harts = 2;
	for (size_t i = 0; i < joined->count; i++)
		harts = joined->all[i].source >= harts ? joined->all[i].source + 1 : harts;
	return harts;
}

static int write_joined_file(const struct import_joined *job, struct joined_config *config, const struct joined *joined)
{
	struct records_header header = *job->header;
	struct records_end end = {.ending = RECORDS_END_EXIT};
	struct records_writer *writer;
	config->sources = count_harts(joined);
	header.xlen = config->xlen;
	header.hist = config->hist;
	header.cycle_bits = CYCLE_BITS;
	header.insn_bits = INSN_BITS;
	header.repeat_bits = REPEAT_BITS;
	header.source = RECORDS_BOARD;
	header.harts = config->sources;
	records_identify_run(&header, job->image);
	end.first_cycle = end.last_cycle = joined->all[joined->count - 1].time;
	for (size_t i = 0; i < joined->count; i++) {
		/* its first cycle; it left in its last one, or later */
		const uint64_t before = joined->all[i].record.cycles > 0 ? joined->all[i].record.cycles - 1 : 0;
		const uint64_t begin = joined->all[i].time > before ? joined->all[i].time - before : 0;
		end.first_cycle = begin < end.first_cycle ? begin : end.first_cycle;
	}
	for (unsigned h = 0; h < config->sources; h++)
		end.traced_instructions += joined->insns[h];
	/* of what was not traced the ring says nothing */
	end.cycles = config->sources * (end.last_cycle - end.first_cycle + 1);
	end.instructions = end.traced_instructions;
	int error = records_writer_open(&writer, &header, 0, emit_joined, job->file);
	if (error == RECORDS_OK)
		error = joined_write(joined, config, writer, job->ctrl, &end);
	records_writer_close(writer);
	if (error == JOINED_OK)
		return STATUS_OK;
	complain("%s: %s", job->output, joined_strerror(error == JOINED_ENOMEM ? error : JOINED_EWRITE));
	return STATUS_FAILED;
}

/* What is wrong with the ring is told; what stands before it is used. */
static int tell_joined(
    const struct import_joined *job, const struct joined_config *config, const struct joined *joined, int error)
{
	int status = error == JOINED_OK ? STATUS_OK : STATUS_NO;
	if (error != JOINED_OK)
		complain("%s: byte %zu: %s (--hist %u)", job->source, joined->count * joined_size(config),
		    joined_strerror(error), config->hist);
	for (unsigned h = 0; h < config->sources; h++) {
		printf("hart %u: %s traces, %s instructions, %s cycles\n", h, with_commas(joined->traces[h]),
		    with_commas(joined->insns[h]), with_commas(joined->cycles[h]));
		if (joined->missed[h] == 0)
			continue;
		complain("%s: hart %u: %s traces%s were lost: the ring or the queue before it was full", job->source, h,
		    with_commas(joined->missed[h]), joined->missed_more[h] ? " or more" : "");
		status = STATUS_NO;
	}
	return status;
}

int import_joined_ring(const struct import_joined *job, uint64_t *written)
{
	struct joined_config config = {.sources = JOINED_SOURCES_MAX,
	    .xlen = image_xlen(job->image),
	    .hist = job->hist,
	    .with_cycles = true,
	    .with_time = true};
	struct joined joined = {0};
	size_t size;
	uint8_t *bytes = read_joined_ring(job, &size);
	if (bytes == NULL)
		return STATUS_FAILED;
	const int error = joined_read(&joined, &config, bytes, size);
	int status = STATUS_FAILED;
	free(bytes);
	if (size == 0)
		complain("%s: is empty: the sink has written nothing", job->source);
	else if (joined.count == 0)
		complain("%s: has no record: %s (--hist %u)", job->source, joined_strerror(error), job->hist);
	else
		status = write_joined_file(job, &config, &joined);
	if (status == STATUS_OK)
		status = tell_joined(job, &config, &joined, error);
	*written = joined.count;
	joined_free(&joined);
	return status;
}
