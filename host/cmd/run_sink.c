/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#include "host/cmd/run_sink.h"

#include <string.h>
#include "common/rivulet_regs.h"

enum { SELECT_BASE, SELECT_BASE_HI, SELECT_WRITE, SELECT_READ };
#define SINK_BITS_MAX 28u

static unsigned log2_of(uint64_t size)
{
	unsigned bits = 0;
	while (UINT64_C(1) << bits < size)
		bits++;
	return bits;
}

void run_sink_unit(struct trace_config *unit)
{
	unit->with_sink = true;
	unit->sink_bits = SINK_BITS_MAX;
}

void run_sink_build(const struct run_sink *sink, struct model_config *config)
{
	run_sink_unit(&config->trace);
	config->sink_ring = (uint32_t)sink->size;
}

static void put_data(struct model *model, uint32_t control, unsigned select, uint32_t value)
{
	model_trace_write(model, RV_REG_SINK, control | select << RV_SINK_SELECT_LSB);
	model_trace_write(model, RV_REG_SINK, RV_SINK_PRESENT_MASK | value >> 1);
}

static uint32_t control_of(const struct run_sink *sink)
{
	return RV_SINK_ENABLE_MASK | log2_of(sink->size) << RV_SINK_SIZE_LSB;
}

void run_sink_arm(const struct run_sink *sink, struct model *model, bool whole)
{
	put_data(model, 0, SELECT_BASE, 0);
	put_data(model, 0, SELECT_WRITE, 0);
	put_data(model, 0, SELECT_READ, 0);
	model_trace_write(model, RV_REG_SINK, control_of(sink) | SELECT_READ << RV_SINK_SELECT_LSB);
	if (!whole) { /* its driver would wait for the table to be empty, and a ring that is full is emptied here */
		model_trace_hold(model, UINT64_C(1) << RV_REG_TABLE | UINT64_C(1) << RV_REG_SINK);
		return;
	}
	model_trace_write(
	    model, RV_REG_CTRL, RV_CTRL_ENABLE_MASK | RV_CTRL_MODES_MASK | RV_CTRL_TABLE_MASK | RV_CTRL_HANDLERS_MASK);
	model_trace_hold(model, MODEL_TRACE_ALL);
}

/* The next word of the ring. */
static uint32_t next_word(struct run_sink *sink, const struct model *model)
{
	uint32_t word = 0;
	memcpy(&word, model_sink_ring(model) + (sink->read & ((uint32_t)sink->size - 1)), sizeof word);
	sink->read = (sink->read + (uint32_t)sizeof word) & ((UINT32_C(1) << SINK_BITS_MAX) - 1);
	return word;
}

/* One record: the words of REC_START to REC_CONTEXT that a unit with 32-bit addresses and a table has. */
static struct record next_record(struct run_sink *sink, const struct model *model)
{
	const struct trace_config *unit = &model_trace(model)->config;
	struct record record = {.start = next_word(sink, model), .hist = next_word(sink, model)};
	if (unit->hist > 32)
		record.hist |= (uint64_t)next_word(sink, model) << 32;
	const uint32_t info = next_word(sink, model);
	record.reason = (uint8_t)((info & RV_REC_INFO_REASON_MASK) >> RV_REC_INFO_REASON_LSB);
	record.insns = (info & RV_REC_INFO_INSNS_MASK) >> RV_REC_INFO_INSNS_LSB;
	record.cycles = unit->with_cycles ? next_word(sink, model) : 0;
	record.count = next_word(sink, model);
	record.timed = unit->with_cycles ? record.count : 0;
	if (unit->table_context_bits != 0)
		record.context = (uint8_t)next_word(sink, model);
	return record;
}

static int take_ring(struct run_sink *sink, struct model *model, struct profile *profile, uint64_t *records)
{
	int error = PROFILE_OK;
	while (error == PROFILE_OK && sink->read != model_trace(model)->sink.write) {
		struct record record = next_record(sink, model);
		record.context = 0; /* one program */
		error = profile_add(profile, &record);
		*records += 1;
	}
	put_data(model, control_of(sink), SELECT_READ, sink->read);
	return error;
}

int run_sink_finish(struct run_sink *sink, struct model *model, struct profile *profile)
{
	model_trace_finish(model, NULL, NULL);
	model_trace_write(model, RV_REG_TABLE, RV_TABLE_DRAIN_MASK);
	int error = take_ring(sink, model, profile, &sink->records);
	bool empty = false;
	while (error == PROFILE_OK && !empty) {
		empty = model_trace_empty(model);
		error = take_ring(sink, model, profile, &sink->emptied);
	}
	const struct trace *unit = model_trace(model);
	const uint32_t policy = trace_reg_read(unit, RV_REG_TABLE_POLICY);
	const bool holds = (policy & RV_TABLE_POLICY_HOLD_MASK) != 0;
	sink->lost = unit->lost + (holds ? trace_reg_read(unit, RV_REG_TABLE_MISSED) : 0u);
	sink->rate = holds ? 0 : (policy & RV_TABLE_POLICY_RATE_MASK) >> RV_TABLE_POLICY_RATE_LSB;
	return error;
}
