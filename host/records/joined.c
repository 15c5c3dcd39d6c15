/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#include "host/records/joined.h"

#include <stdlib.h>
#include "common/rivulet_regs.h"
#include "host/base/bytes.h"

enum { ORIGIN_SOURCE = 0xFF, ORIGIN_MISSED_LSB = 8 };

const char *joined_strerror(int error)
{
	switch (error) {
	case JOINED_OK:
		return "no error";
	case JOINED_ENOMEM:
		return "out of memory";
	case JOINED_ECUT:
		return "the ring ends within a record";
	case JOINED_EVALUE:
		return "a record that no unit makes, or of a unit that there is not: was it read from its first word?";
	case JOINED_EWRITE:
		return "the record file cannot be written";
	case JOINED_ETABLE:
		return "no record has a time: is it the ring of a hub with a hot-trace table?";
	default:
		return "unknown error";
	}
}

size_t joined_size(const struct joined_config *config)
{
	return 4 * (4u + (config->xlen > 32) + (config->hist > 32) + config->with_cycles + config->with_time);
}

static uint32_t take_word(const uint8_t **at)
{
	const uint32_t word = bytes_get32(*at);
	*at += 4;
	return word;
}

static uint64_t take_words(const uint8_t **at, bool two)
{
	const uint64_t low = take_word(at);
	return two ? low | (uint64_t)take_word(at) << 32 : low;
}

static bool parse_joined(struct joined_record *r, const struct joined_config *config, const uint8_t *at)
{
	r->record.start = take_words(&at, config->xlen > 32);
	r->record.hist = take_words(&at, config->hist > 32);
	const uint32_t info = take_word(&at);
	r->record.reason = (uint8_t)((info & RV_REC_INFO_REASON_MASK) >> RV_REC_INFO_REASON_LSB);
	r->record.count = (info & RV_REC_INFO_REPEAT_MASK) >> RV_REC_INFO_REPEAT_LSB;
	r->record.insns = (info & RV_REC_INFO_INSNS_MASK) >> RV_REC_INFO_INSNS_LSB;
	r->record.cycles = config->with_cycles ? take_word(&at) : 0;
	r->record.timed = config->with_cycles ? r->record.count : 0;
	const uint32_t origin = take_word(&at);
	r->source = origin & ORIGIN_SOURCE;
	r->missed = origin >> ORIGIN_MISSED_LSB;
	r->time = config->with_time ? take_word(&at) : 0;
	return r->source < config->sources && r->record.count > 0 && record_valid(&r->record);
}

int joined_read(struct joined *joined, const struct joined_config *config, const uint8_t *bytes, size_t size)
{
	const size_t one = joined_size(config);
	uint64_t time = 0, most = 0; /* of the words */
	int error = size % one == 0 ? JOINED_OK : JOINED_ECUT;
	*joined = (struct joined){.all = calloc(size / one + 1, sizeof *joined->all)};
	if (joined->all == NULL)
		return JOINED_ENOMEM;
	for (size_t at = 0; at + one <= size; at += one) {
		struct joined_record *r = &joined->all[joined->count];
		if (!parse_joined(r, config, bytes + at)) {
			error = JOINED_EVALUE;
			break;
		}
		/* the low 32 bits of a time that does not go back */
		most = r->time > most ? r->time : most;
		time += (uint32_t)(r->time - time);
		r->time = config->with_time ? time : 0;
		joined->missed[r->source] += r->missed;
		joined->missed_more[r->source] |= r->missed == JOINED_MISSED_MOST;
		joined->traces[r->source] += r->record.count;
		joined->insns[r->source] += r->record.count * r->record.insns;
		joined->cycles[r->source] += r->record.cycles;
		joined->count++;
	}
	/* no unit makes a record so soon behind the reset */
	if (config->with_time && joined->count > 0 && most < JOINED_SOURCES_MAX) {
		joined->count = 0;
		return JOINED_ETABLE;
	}
	return error;
}

void joined_free(struct joined *joined)
{
	free(joined->all);
	*joined = (struct joined){0};
}

int joined_write(const struct joined *joined, const struct joined_config *config, struct records_writer *writer,
    uint32_t ctrl, const struct records_end *end)
{
	int error = RECORDS_OK;
	for (unsigned source = 0; source < config->sources; source++) {
		for (size_t i = 0; i < joined->count && error == RECORDS_OK; i++) {
			const struct joined_record *r = &joined->all[i];
			const struct record_place place = {.time = r->time, .context = source, .ctrl = ctrl};
			if (r->source != source)
				continue;
			if (r->missed > 0)
				error = records_writer_skip(writer, r->missed);
			if (error == RECORDS_OK)
				error = records_write(writer, &r->record, &place);
		}
	}
	if (error == RECORDS_OK)
		error = records_writer_finish(writer, end);
	if (error == RECORDS_OK)
		return JOINED_OK;
	return error == RECORDS_ENOMEM ? JOINED_ENOMEM : JOINED_EWRITE;
}
