/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#include "host/export/encode_private.h"

#include <stdlib.h>
#include "common/rivulet_regs.h"
#include "host/base/array.h"
#include "host/export/gather_feed.h"

#define PROGRESS_RECORDS 65536u

/* Where the waiting instruction goes on, as far as it says so itself. */
static uint64_t encoded_successor(const struct encode *e)
{
	const struct standard_insn *w = &e->waiting;
	bool direct = w->class == STANDARD_JUMP || w->class == STANDARD_CALL;
	return direct || (w->class == STANDARD_BRANCH && e->outcome == 1) ? w->target : w->pc + w->length;
}

static void send_waiting(struct encode *e, uint64_t next)
{
	if (e->waiting.length != 0 && e->encoder->spend != NULL)
		e->encoder->spend(e->encoder, e->cycles);
	if (e->waiting.length != 0)
		standard_retire(e->encoder, &e->waiting, next);
	e->waiting.length = 0;
}

void encode_stop(struct encode *e)
{
	send_waiting(e, encoded_successor(e));
	if (e->on)
		standard_stop(e->encoder);
	e->on = false;
}

/* An ECALL or EBREAK that the host serves: the program goes on behind it. */
static bool is_served(const struct encode *e, const struct standard_insn *insn)
{
	return e->encoder->calls_retire && insn->length != 0 &&
	       (image_hosted(e->image) || image_semihosting(e->image, insn->pc));
}

static void put_insn(struct encode *e, uint64_t pc, int outcome, uint64_t cycles)
{
	const struct standard_insn *insn = standard_code_at(e->code, pc);
	if (insn->length == 0 || (insn->class == STANDARD_TRAPS && !is_served(e, insn))) {
		send_waiting(e, pc);
		encode_stop(e);
		e->counts->calls++;
		return;
	}
	bool told = e->waiting.length != 0 && !standard_uninferable(&e->waiting);
	if (told && encoded_successor(e) != pc)
		encode_stop(e);
	send_waiting(e, pc);
	if (!e->on) {
		standard_start(e->encoder, pc);
		e->counts->breaks++;
	}
	e->on = true;
	e->waiting = *insn;
	e->outcome = outcome;
	e->cycles = cycles;
	e->counts->instructions++;
}

static int take_visit(void *context, const struct walk_visit *visit)
{
	struct encode *e = context;
	if (!array_room(&e->visits, e->visit_count + 1, &e->visit_room))
		return WALK_ENOMEM;
	e->visits[e->visit_count++] = *visit;
	return 0;
}

/* Cycles of each instruction of the visits, by the rules of the core. False: out of memory. */
static bool split_record(struct encode *e, size_t insns, uint64_t cycles)
{
	struct trace_bounds bounds;
	if (!array_room(&e->parts, insns, &e->part_room) ||
	    !trace_costs_parts(&e->costs, &e->core_state, e->core_known,
		&(struct trace_visits){e->visits, e->visit_count}, e->parts, &bounds))
		return false;
	e->core_known = true;
	split_cycles(e->parts, sizeof *e->parts, insns, 1, cycles);
	return true;
}

/* All instructions of the record that are known. cycles: of them; 0: not known. */
static int put_visits(struct encode *e, uint64_t cycles)
{
	size_t insns = 0, at = 0;
	for (size_t i = 0; i < e->visit_count; i++)
		insns += e->visits[i].count;
	bool split = cycles != 0 && insns != 0;
	if (split && !split_record(e, insns, cycles))
		return RECORDS_ENOMEM;
	e->core_known = e->core_known && split;
	for (size_t i = 0; i < e->visit_count; i++) {
		const struct walk_visit *visit = &e->visits[i];
		uint64_t pcs[WALK_BLOCK_HALVES];
		walk_block_pcs(visit->block, visit->count, pcs);
		for (uint32_t k = 0; k < visit->count; k++, at++)
			put_insn(
			    e, pcs[k], k + 1 == visit->count ? visit->outcome : -1, split ? e->parts[at].cycles : 0);
	}
	return RECORDS_OK;
}

/* What lies between the last record and the one that begins at pc. */
static void join_encoded(struct encode *e, uint64_t pc)
{
	enum record_behind behind = record_reason_behind(e->reason);
	bool handlers = (e->ctrl & RV_CTRL_HANDLERS_MASK) != 0;
	if (e->reason == TRACE_NONE || behind == RECORD_ELSEWHERE || (behind == RECORD_HANDLER && !handlers)) {
		encode_stop(e);
		return;
	}
	if (behind != RECORD_HANDLER || !e->on)
		return;
	if (e->waiting.length == 0 || standard_uninferable(&e->waiting)) {
		encode_stop(e); /* at which instruction the trap was is not known */
		return;
	}
	uint64_t epc = encoded_successor(e);
	send_waiting(e, epc);
	standard_trap(e->encoder, epc, pc);
}

int encode_record(struct encode *e, const struct record *record)
{
	bool timed = e->encoder->spend != NULL && record->timed != 0;
	uint64_t cycles = timed ? record->cycles / record->timed : 0;
	e->visit_count = 0;
	int error = walk_record(e->walk, record, take_visit, e, NULL);
	if (error == WALK_ENOMEM || error == WALK_ESTOPPED)
		return RECORDS_ENOMEM;
	for (uint64_t i = 0; i < record->count; i++) {
		uint64_t before = e->counts->instructions;
		join_encoded(e, record->start);
		if (put_visits(e, error == WALK_OK ? cycles : 0) != RECORDS_OK)
			return RECORDS_ENOMEM;
		e->reason = record->reason;
		if (error == WALK_OK)
			continue;
		e->counts->unfit += error != WALK_UNKNOWN_END && e->counts->instructions == before;
		e->counts->cut += error == WALK_UNKNOWN_END || e->counts->instructions != before;
		e->reason = TRACE_NONE;
	}
	return RECORDS_OK;
}

int encode_ctrl(struct encode *e, const struct records_header *header, uint32_t ctrl)
{
	struct walk_config config;
	if (e->walk != NULL && e->ctrl == ctrl)
		return RECORDS_OK;
	gather_records_config(header, &config);
	trace_costs_free(&e->costs);
	walk_close(e->walk);
	e->walk = NULL;
	e->ctrl = config.ctrl = ctrl;
	return walk_open(&e->walk, e->image, &config) == WALK_OK ? RECORDS_OK : RECORDS_ENOMEM;
}

static int take_encoded(struct encode *e, struct records *records, records_progress *progress, void *context)
{
	struct record record;
	struct record_place place, last = {.number = UINT64_MAX};
	struct records_extent extent;
	int got = RECORDS_OK, error = RECORDS_OK;
	records_extent(records, &extent);
	while (error == RECORDS_OK && (got = records_next(records, &record, &place)) == 1) {
		error = encode_ctrl(e, records_header(records), place.ctrl);
		if (place.number != last.number + 1 || place.context != last.context ||
		    (place.ctrl & RV_CTRL_SAMPLE_MASK) != 0)
			e->reason = TRACE_NONE;
		last = place;
		if (error == RECORDS_OK)
			error = encode_record(e, &record);
		if (place.number % PROGRESS_RECORDS == 0 && progress != NULL &&
		    progress(context, records_position(records), extent.bytes) != 0)
			break;
	}
	encode_stop(e);
	if (error != RECORDS_OK)
		return error;
	return got < 0 ? got : RECORDS_OK;
}

int encode_open(
    struct encode *e, const struct image *image, struct standard_encoder *encoder, struct encode_counts *counts)
{
	*counts = (struct encode_counts){0};
	*e = (struct encode){.image = image, .encoder = encoder, .counts = counts, .outcome = -1};
	e->code = standard_code_open(image);
	core_default(&e->core);
	e->core_state = CORE_START;
	e->costs = (struct trace_costs){.image = image, .core = &e->core};
	return e->code == NULL ? RECORDS_ENOMEM : RECORDS_OK;
}

void encode_close(struct encode *e)
{
	trace_costs_free(&e->costs);
	walk_close(e->walk);
	free(e->visits);
	free(e->parts);
	standard_code_close(e->code);
}

int encode_records(const struct image *image, struct records *records, struct standard_encoder *encoder,
    struct encode_counts *counts, records_progress *progress, void *context)
{
	struct encode e;
	int error = encode_open(&e, image, encoder, counts);
	if (error == RECORDS_OK)
		error = take_encoded(&e, records, progress, context);
	encode_close(&e);
	return error;
}
