/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#include "host/debugger/collect.h"

#include <limits.h>
#include "common/rivulet_regs.h"

#define MAGIC 0x5254u
#define TURNS_MAX 100000u /* of waiting for a drain that brings no record */

const char *collect_strerror(int error)
{
	switch (error) {
	case COLLECT_OK:
		return "no error";
	case COLLECT_EPORT:
		return "the registers cannot be reached";
	case COLLECT_EABSENT:
		return "no trace unit answers there: register ID is not 0x5254...";
	case COLLECT_ETABLE:
		return "this trace unit has no hot-trace table (TABLE_ENTRIES)";
	case COLLECT_ELOST:
		return "this trace unit does not count what it loses (WITH_LOST)";
	case COLLECT_EBUSY:
		return "the program uses the trace unit itself: tracing, its sink or its flight recorder is on";
	case COLLECT_EPROFILE:
		return "the record cannot be added to the profile";
	default:
		return "the trace unit does not come to the end of its table";
	}
}

static int read_words(struct collect *c, unsigned index, unsigned count, uint32_t *words)
{
	c->error = c->port->read(c->port->context, index, count, words);
	return c->error == 0 ? COLLECT_OK : COLLECT_EPORT;
}

static int write_word(struct collect *c, unsigned index, uint32_t word)
{
	c->error = c->port->write(c->port->context, index, word);
	return c->error == 0 ? COLLECT_OK : COLLECT_EPORT;
}

/* The record at the head of the buffer, if there is one; then it is dropped there. Returns 1, 0, or an error. */
static int take_head(struct collect *c, struct record *record)
{
	enum { FIRST = RV_REG_REC_START, WORDS = RV_REG_REC_CYCLES - RV_REG_REC_START + 1 };
	uint32_t status, words[WORDS], count;
	int error = read_words(c, RV_REG_STATUS, 1, &status);
	if (error != COLLECT_OK || (status & RV_STATUS_NONEMPTY_MASK) == 0)
		return error;
	if ((error = read_words(c, FIRST, WORDS, words)) != COLLECT_OK ||
	    (error = read_words(c, RV_REG_REC_COUNT, 1, &count)) != COLLECT_OK ||
	    (error = write_word(c, RV_REG_POP, 1)) != COLLECT_OK)
		return error;
	const uint32_t info = words[RV_REG_REC_INFO - FIRST];
	*record = (struct record){.start = words[0],
	    .hist = words[RV_REG_REC_HIST - FIRST],
	    .count = count,
	    .timed = c->with_cycles ? count : 0,
	    .cycles = c->with_cycles ? words[RV_REG_REC_CYCLES - FIRST] : 0,
	    .insns = (info & RV_REC_INFO_INSNS_MASK) >> RV_REC_INFO_INSNS_LSB,
	    .reason = (uint8_t)((info & RV_REC_INFO_REASON_MASK) >> RV_REC_INFO_REASON_LSB)};
	if (c->xlen > 32)
		record->start |= (uint64_t)words[RV_REG_REC_START_HI - FIRST] << 32;
	if (c->hist > 32)
		record->hist |= (uint64_t)words[RV_REG_REC_HIST_HI - FIRST] << 32;
	return 1;
}

int collect_take(struct collect *c, struct profile *profile, unsigned most)
{
	int taken = 0;
	while ((unsigned)taken < most) {
		struct record record;
		const int error = take_head(c, &record);
		if (error <= 0)
			return error < 0 ? error : taken;
		c->error = profile == NULL ? PROFILE_OK : profile_add(profile, &record);
		taken++;
		if (c->error == PROFILE_EENTRY) { /* no unit makes it: a bit was wrong on the way */
			c->refused += record.count;
			continue;
		}
		if (c->error != PROFILE_OK)
			return COLLECT_EPROFILE;
		c->records += profile != NULL;
	}
	return taken;
}

/* Walks the table to its end; profile: NULL: what it held is of an earlier run. */
static int drain_table(struct collect *c, struct profile *profile)
{
	uint32_t table = RV_TABLE_DRAIN_MASK;
	int error = write_word(c, RV_REG_TABLE, RV_TABLE_DRAIN_MASK);
	for (unsigned turns = 0; error >= 0 && (table & RV_TABLE_DRAIN_MASK) != 0; turns++) {
		if (turns == TURNS_MAX)
			return COLLECT_ESTUCK;
		/* The state first: what leaves with the last entry is in the buffer when DRAIN is seen to be 0. */
		error = read_words(c, RV_REG_TABLE, 1, &table);
		if (error == COLLECT_OK)
			error = collect_take(c, profile, INT_MAX);
		if (error > 0)
			turns = 0;
	}
	/* An entry is in the buffer two cycles after it left, and readable a cycle later. */
	return error < 0 ? error : collect_take(c, profile, INT_MAX);
}

static int probe_unit(struct collect *c)
{
	uint32_t words[4], table_caps, sink = 0;
	int error = read_words(c, RV_REG_ID, 4, words);
	if (error != COLLECT_OK)
		return error;
	const uint32_t id = words[0], caps = words[1];
	c->found = words[2];
	if (id >> RV_ID_MAGIC_LSB != MAGIC)
		return COLLECT_EABSENT;
	c->hist = (id & RV_ID_HIST_MASK) >> RV_ID_HIST_LSB;
	c->xlen = (caps & RV_CAPS_XLEN64_MASK) != 0 ? 64 : 32;
	c->with_cycles = (caps & RV_CAPS_CYCLES_MASK) != 0;
	if ((error = read_words(c, RV_REG_TABLE_CAPS, 1, &table_caps)) != COLLECT_OK ||
	    (error = read_words(c, RV_REG_SINK, 1, &sink)) != COLLECT_OK)
		return error;
	c->entries = (table_caps & RV_TABLE_CAPS_ENTRIES_MASK) >> RV_TABLE_CAPS_ENTRIES_LSB;
	if (c->entries == 0)
		return COLLECT_ETABLE;
	if ((caps & RV_CAPS_LOST_MASK) == 0)
		return COLLECT_ELOST;
	const bool ring = (c->found & RV_CTRL_RING_MASK) != 0;
	if ((c->found & RV_CTRL_ENABLE_MASK) != 0 || (sink & RV_SINK_ENABLE_MASK) != 0 || ring)
		return COLLECT_EBUSY;
	c->with_policy = (table_caps & RV_TABLE_CAPS_RATE_MASK) != 0;
	if (!c->with_policy)
		return COLLECT_OK;
	return read_words(c, RV_REG_TABLE_POLICY, 1, &c->policy);
}

/* CTRL and TABLE_POLICY as they were found, as far as they can be written: error, if there was one, is the first. */
static int leave_unit(struct collect *c, int error)
{
	const int first = c->error;
	int last = write_word(c, RV_REG_CTRL, c->found);
	if (c->with_policy) {
		const int policy = write_word(c, RV_REG_TABLE_POLICY, c->policy);
		last = last < 0 ? last : policy;
	}
	if (error < 0)
		c->error = first;
	return error < 0 ? error : last;
}

int collect_begin(struct collect *c, const struct collect_port *port)
{
	*c = (struct collect){.port = port};
	c->ctrl = RV_CTRL_ENABLE_MASK | RV_CTRL_MODES_MASK | RV_CTRL_TABLE_MASK | RV_CTRL_HANDLERS_MASK;
	int error = probe_unit(c);
	if (error < 0)
		return error;
	if (c->with_policy)
		error = write_word(c, RV_REG_TABLE_POLICY, 0);
	if (error == COLLECT_OK)
		error = write_word(c, RV_REG_CTRL, c->ctrl ^ RV_CTRL_ENABLE_MASK);
	if (error == COLLECT_OK)
		error = drain_table(c, NULL);
	if (error >= 0)
		error = write_word(c, RV_REG_LOST, 0);
	if (error >= 0)
		error = write_word(c, RV_REG_CTRL, c->ctrl);
	return error < 0 ? leave_unit(c, error) : COLLECT_OK;
}

int collect_end(struct collect *c, struct profile *profile)
{
	int error = write_word(c, RV_REG_CTRL, c->ctrl ^ RV_CTRL_ENABLE_MASK);
	if (error == COLLECT_OK)
		error = drain_table(c, profile);
	if (error >= 0)
		error = read_words(c, RV_REG_LOST, 1, &c->lost);
	return leave_unit(c, error);
}
