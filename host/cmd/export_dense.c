/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#include "host/cmd/export_dense.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "common/rivulet_regs.h"
#include "host/cmd/cmd.h"
#include "host/cmd/dense_records.h"
#include "host/cmd/progress.h"

/* What a reader of records goes by, and a stream does not say. */
#define CTRL_TOLD (RV_CTRL_NO_BACKWARD_MASK | RV_CTRL_NO_INDIRECT_MASK | RV_CTRL_HANDLERS_MASK)
#define CTRL_REFUSED (RV_CTRL_TABLE_MASK | RV_CTRL_LIFO_MASK | RV_CTRL_SAMPLE_MASK)
enum { REPEAT_BITS = 16, INSN_BITS = 16, HIST_LEAST = 8, PROGRESS_EACH = 65536 };

struct dense_sender {
	struct dense coder;
	FILE *file;
	uint64_t bytes, traces, missing;
};

void export_dense_defaults(struct dense_config *config)
{
	dense_config_default(config);
	config->repeat_bits = REPEAT_BITS;
	config->insn_bits = INSN_BITS;
}

static bool dense_power(uint64_t value, uint64_t least, uint64_t most)
{
	return value >= least && value <= most && (value & (value - 1)) == 0;
}

static bool dense_word(struct dense_config *config, const char *word)
{
	const char *equals = strchr(word, '=');
	uint64_t value;
	if (equals == NULL || !parse_number(equals + 1, UINT16_MAX, &value))
		return false;
	const size_t length = (size_t)(equals - word);
	const struct {
		const char *name;
		unsigned *member;
		bool good;
	} rows[] = {{"entries", &config->entries, dense_power(value, 32, DENSE_ENTRIES_MAX)},
	    {"places", &config->places, dense_power(value, 32, DENSE_PLACES_MAX)},
	    {"check-bits", &config->check_bits, value >= 3 && value <= 12},
	    {"start-bits", &config->start_bits, value >= 3 && value <= 31}};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		if (strlen(rows[i].name) != length || strncmp(rows[i].name, word, length) != 0)
			continue;
		*rows[i].member = (unsigned)value;
		return rows[i].good;
	}
	return false;
}

const char *export_dense_words(struct dense_config *config, char *list)
{
	char *rest = NULL;
	for (char *word = strtok_r(list, ",", &rest); word != NULL; word = strtok_r(NULL, ",", &rest)) {
		if (!dense_word(config, word))
			return word;
	}
	return config->start_bits < config->check_bits ? "start-bits below check-bits" : NULL;
}

/* ---------------------------------------------------------------- the coder */

static void run_dense_cycle(struct dense_sender *s, struct dense_in *in, struct dense_out *out)
{
	in->byte_ready = true;
	dense_cycle(&s->coder, in, out);
	if (out->byte_valid && putc(out->byte, s->file) != EOF)
		s->bytes++;
}

/* Until the queue is empty and no loss waits to be told: so nothing is lost that the records do not miss. */
static void drain_dense(struct dense_sender *s)
{
	struct dense_in in = {0};
	struct dense_out out;
	while (s->coder.queue.wr != s->coder.queue.rd || s->coder.losing)
		run_dense_cycle(s, &in, &out);
}

static void send_dense(struct dense_sender *s, const struct record *record)
{
	struct dense_in in = {.rec_valid = true,
	    .start = record->start,
	    .hist = record->hist,
	    .repeat = (uint32_t)record->count,
	    .insns = (uint16_t)record->insns,
	    .reason = record->reason};
	struct dense_out out;
	run_dense_cycle(s, &in, &out);
	drain_dense(s);
	s->traces += record->count;
}

/* As if the queue had been full for so long. */
static void lose_dense(struct dense_sender *s, uint64_t count)
{
	s->coder.lost += (uint32_t)count;
	s->coder.losing = true;
	s->missing += count;
	drain_dense(s);
}

static void end_dense(struct dense_sender *s)
{
	struct dense_in in = {.flush = true};
	struct dense_out out = {.busy = true};
	while (out.busy)
		run_dense_cycle(s, &in, &out);
}

/* ---------------------------------------------------------------- the records */

/* NULL, or why a stream cannot have this record. */
static const char *refuse_dense(const struct record *record, const struct record_place *place, uint32_t ctrl)
{
	if ((place->ctrl & CTRL_REFUSED) != 0)
		return "CTRL.TABLE, LIFO or SAMPLE was set: a dense stream has every trace in its order";
	if ((place->ctrl & CTRL_TOLD) != (ctrl & CTRL_TOLD))
		return "CTRL changes here how traces end, which a dense stream does not say";
	if (place->context != 0)
		return "is of a process, and a dense stream has one program";
	if (record->reason == TRACE_NONE)
		return "has no reason, which a dense stream needs (WITH_REASON)";
	if (record_reason_cut(record->reason) && record->insns > UINT16_MAX)
		return "has more instructions than a dense stream says";
	return record->count > UINT16_MAX ? "stands for too many traces" : NULL;
}

static int send_dense_records(struct dense_sender *s, struct records *records, const char *name)
{
	struct record record;
	struct record_place place;
	struct records_extent extent;
	struct progress progress;
	uint64_t next = 0;
	int got;
	const char *refused = NULL;
	const uint32_t ctrl = records_header(records)->ctrl;
	records_extent(records, &extent);
	progress_begin(&progress, name);
	while ((got = records_next(records, &record, &place)) == 1) {
		refused = refuse_dense(&record, &place, ctrl);
		if (refused != NULL)
			break;
		if (place.number > next)
			lose_dense(s, place.number - next);
		next = place.number + 1;
		send_dense(s, &record);
		if (place.number % PROGRESS_EACH == 0 &&
		    progress_show(&progress, records_position(records), extent.bytes) != 0)
			break;
	}
	progress_end(&progress);
	if (refused != NULL)
		complain("%s: record %s %s", name, with_commas(place.number), refused);
	else if (got < 0)
		complain("%s: %s", name, records_strerror(got));
	const struct records_end *end = records_end(records);
	if (refused == NULL && got == 0 && end != NULL && end->records > next)
		lose_dense(s, end->records - next);
	return refused == NULL && got >= 0 ? STATUS_OK : STATUS_FAILED;
}

static int tell_dense_bytes(const struct dense_sender *s, const char *name, uint32_t ctrl)
{
	if (ferror(s->file) != 0 || fflush(s->file) != 0) {
		complain("the bytes cannot be written: %s", strerror(errno));
		return STATUS_FAILED;
	}
	if (s->traces == 0) {
		complain("%s: has no records: nothing is written", name);
		return STATUS_FAILED;
	}
	complain("%s: %s traces in %s bytes, %.3f bits a trace", name, with_commas(s->traces), with_commas(s->bytes),
	    8.0 * (double)s->bytes / (double)s->traces);
	if (((ctrl ^ DENSE_RECORDS_CTRL) & (CTRL_TOLD | RV_CTRL_REPEAT_MASK)) != 0)
		complain("%s: the stream does not say CTRL: import it with --control=0x%08" PRIX32, name, ctrl);
	if (s->missing > 0)
		complain(
		    "%s: %s records are missing: the stream tells so many traces lost", name, with_commas(s->missing));
	return STATUS_OK;
}

int export_dense(const struct dense_config *config, struct records *records, const char *name, FILE *out)
{
	const struct records_header *header = records_header(records);
	if (header == NULL || header->hist < HIST_LEAST) {
		complain("%s: %s", name,
		    header == NULL ? "without its header the width of its traces is not known"
				   : "has no histories: edges alone were counted");
		return STATUS_FAILED;
	}
	struct dense_sender *s = calloc(1, sizeof *s);
	struct dense_config wide = *config;
	wide.xlen = header->xlen;
	wide.hist = header->hist;
	if (s == NULL) {
		complain("out of memory");
		return STATUS_FAILED;
	}
	dense_reset(&s->coder, &wide);
	s->file = out;
	errno = 0;
	int status = send_dense_records(s, records, name);
	end_dense(s);
	if (status == STATUS_OK)
		status = tell_dense_bytes(s, name, header->ctrl);
	free(s);
	return status;
}
