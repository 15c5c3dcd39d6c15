/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#include "host/records/harts.h"

#include <string.h>

_Static_assert(RECORDS_HARTS_MAX == PROFILE_HARTS_MAX, "one array holds the harts of either");

int records_harts(struct records *records, struct profile_hart harts[RECORDS_HARTS_MAX])
{
	struct record record;
	struct record_place place;
	int got;
	memset(harts, 0, RECORDS_HARTS_MAX * sizeof *harts);
	records_rewind(records);
	while ((got = records_next(records, &record, &place)) > 0) {
		if (place.context >= RECORDS_HARTS_MAX) /* a hart that there is not: in nobody's sums */
			continue;
		struct profile_hart *hart = &harts[place.context];
		hart->traces += record.count;
		hart->insns += record.count * record.insns;
		hart->cycles += record.cycles;
	}
	records_rewind(records);
	return got;
}

int records_hart_write(struct records *records, unsigned hart, struct records_writer *writer, uint64_t *count)
{
	struct record record;
	struct record_place place;
	struct records_end end = {.ending = RECORDS_END_OTHER};
	const struct records_header *header = records_header(records);
	const uint32_t harts = header != NULL && header->harts > 0 ? header->harts : 1;
	uint64_t next = 0, insns = 0;
	int error = RECORDS_OK, got = 0;
	*count = 0;
	records_rewind(records);
	while (error == RECORDS_OK && (got = records_next(records, &record, &place)) > 0) {
		const uint64_t missing = place.number - next;
		next = place.number + 1;
		if (place.context != hart)
			continue;
		if (missing > 0)
			error = records_writer_skip(writer, missing);
		place.context = 0;
		insns += record.count * record.insns;
		if (++*count == 1)
			end.first_cycle = place.time >= record.cycles ? place.time - record.cycles + 1 : 0;
		end.last_cycle = place.time;
		if (error == RECORDS_OK)
			error = records_write(writer, &record, &place);
	}
	if (error != RECORDS_OK || got < 0)
		return error != RECORDS_OK ? error : got;
	end.cycles = *count > 0 ? harts * (end.last_cycle - end.first_cycle + 1) : 0;
	if (records_end(records) != NULL)
		end = *records_end(records);
	end.cycles /= harts;
	end.instructions = end.traced_instructions = insns;
	return records_writer_finish(writer, &end);
}
