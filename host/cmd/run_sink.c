/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#include "host/cmd/run_sink.h"

#include "common/rivulet_regs.h"

enum { SELECT_BASE, SELECT_BASE_HI, SELECT_WRITE, SELECT_READ };
#define PLACE (UINT32_C(64) << 20) /* a ring of any size is aligned there */
#define SINK_BITS_MAX 28u

static unsigned log2_of(uint64_t size)
{
	unsigned bits = 0;
	while (UINT64_C(1) << bits < size)
		bits++;
	return bits;
}

static bool overlaps(uint32_t base, uint32_t other, uint32_t size)
{
	return size != 0 && (uint64_t)base < (uint64_t)other + size && (uint64_t)other < (uint64_t)base + PLACE;
}

/* Neither memory nor, as far as a chip's are known, a device. */
static bool is_empty_place(const struct model_config *config, uint32_t base)
{
	if (overlaps(base, config->ram_base, config->ram_size))
		return false;
	for (unsigned i = 0; i < MODEL_MEMORIES; i++) {
		if (overlaps(base, config->memories[i].base, config->memories[i].size))
			return false;
	}
	for (const struct model_device *d = config->devices; d != NULL && d->name != NULL; d++) {
		if (overlaps(base, d->base, d->size))
			return false;
	}
	return true;
}

void run_sink_unit(struct trace_config *unit)
{
	unit->with_sink = true;
	unit->sink_bits = SINK_BITS_MAX;
}

int run_sink_build(struct run_sink *sink, const char *program, struct model_config *config)
{
	unsigned slot = 0;
	uint32_t base = UINT32_MAX - PLACE + 1;
	while (slot < MODEL_MEMORIES && config->memories[slot].size != 0)
		slot++;
	while (base > 2 * PLACE && !is_empty_place(config, base))
		base -= PLACE;
	if (slot == MODEL_MEMORIES || base <= 2 * PLACE) {
		complain("%s: --sink: there is no place for another memory beside those of the program", program);
		return STATUS_FAILED;
	}
	sink->base = base;
	config->memories[slot] = (struct model_memory){.base = base, .size = (uint32_t)sink->size};
	run_sink_unit(&config->trace);
	return STATUS_OK;
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
	put_data(model, 0, SELECT_BASE, sink->base);
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
	model_read(model, sink->base + (sink->read & ((uint32_t)sink->size - 1)), &word, sizeof word);
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
	model_trace_off(model);
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
