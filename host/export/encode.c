/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#include "host/export/encode.h"

#include "common/rivulet_regs.h"
#include "host/export/gather_feed.h"
#include "host/walk/walk.h"

#define PROGRESS_RECORDS 65536u

struct encode {
	struct standard_code *code;
	struct standard_encoder *encoder;
	struct encode_counts *counts;
	struct walk *walk;
	struct standard_insn waiting; /* its next instruction is not known yet; length 0: none */
	int outcome;                  /* of it, a branch; -1: none */
	bool on;
	unsigned reason; /* of the last record; TRACE_NONE: nothing joins it */
	uint32_t ctrl;
};

/* Where the waiting instruction goes on, as far as it says so itself. */
static uint64_t successor(const struct encode *e)
{
	const struct standard_insn *w = &e->waiting;
	bool direct = w->class == STANDARD_JUMP || w->class == STANDARD_CALL;
	return direct || (w->class == STANDARD_BRANCH && e->outcome == 1) ? w->target : w->pc + w->length;
}

static void send_waiting(struct encode *e, uint64_t next)
{
	if (e->waiting.length != 0)
		standard_retire(e->encoder, &e->waiting, next);
	e->waiting.length = 0;
}

static void stop_encoder(struct encode *e)
{
	send_waiting(e, successor(e));
	if (e->on)
		standard_stop(e->encoder);
	e->on = false;
}

static void put_insn(struct encode *e, uint64_t pc, int outcome)
{
	const struct standard_insn *insn = standard_code_at(e->code, pc);
	if (insn->class == STANDARD_TRAPS || insn->length == 0) {
		send_waiting(e, pc);
		stop_encoder(e);
		e->counts->calls++;
		return;
	}
	bool told = e->waiting.length != 0 && !standard_uninferable(&e->waiting);
	if (told && successor(e) != pc)
		stop_encoder(e);
	send_waiting(e, pc);
	if (!e->on) {
		standard_start(e->encoder, pc);
		e->counts->breaks++;
	}
	e->on = true;
	e->waiting = *insn;
	e->outcome = outcome;
	e->counts->instructions++;
}

static int take_visit(void *context, const struct walk_visit *visit)
{
	struct encode *e = context;
	uint64_t pcs[WALK_BLOCK_HALVES];
	walk_block_pcs(visit->block, visit->count, pcs);
	for (uint32_t i = 0; i < visit->count; i++)
		put_insn(e, pcs[i], i + 1 == visit->count ? visit->outcome : -1);
	return 0;
}

/* What lies between the last record and the one that begins at pc. */
static void join(struct encode *e, uint64_t pc)
{
	enum record_behind behind = record_reason_behind(e->reason);
	bool handlers = (e->ctrl & RV_CTRL_HANDLERS_MASK) != 0;
	if (e->reason == TRACE_NONE || behind == RECORD_ELSEWHERE || (behind == RECORD_HANDLER && !handlers)) {
		stop_encoder(e);
		return;
	}
	if (behind != RECORD_HANDLER || !e->on)
		return;
	if (e->waiting.length == 0 || standard_uninferable(&e->waiting)) {
		stop_encoder(e); /* at which instruction the trap was is not known */
		return;
	}
	uint64_t epc = successor(e);
	send_waiting(e, epc);
	standard_trap(e->encoder, epc, pc);
}

static int take_record(struct encode *e, const struct record *record)
{
	for (uint64_t i = 0; i < record->count; i++) {
		uint64_t before = e->counts->instructions;
		join(e, record->start);
		int error = walk_record(e->walk, record, take_visit, e, NULL);
		e->reason = record->reason;
		if (error == WALK_OK)
			continue;
		if (error == WALK_ENOMEM)
			return RECORDS_ENOMEM;
		e->counts->unfit += error != WALK_UNKNOWN_END && e->counts->instructions == before;
		e->counts->cut += error == WALK_UNKNOWN_END || e->counts->instructions != before;
		e->reason = TRACE_NONE;
	}
	return RECORDS_OK;
}

static int take_all(
    struct encode *e, const struct image *image, struct records *records, records_progress *progress, void *context)
{
	struct walk_config config;
	struct record record;
	struct record_place place, last = {.number = UINT64_MAX};
	struct records_extent extent;
	int got = RECORDS_OK, error = RECORDS_OK;
	records_extent(records, &extent);
	gather_records_config(records_header(records), &config);
	while (error == RECORDS_OK && (got = records_next(records, &record, &place)) == 1) {
		if (e->walk == NULL || config.ctrl != place.ctrl) {
			walk_close(e->walk);
			e->walk = NULL;
			config.ctrl = place.ctrl;
			error = walk_open(&e->walk, image, &config) == WALK_OK ? RECORDS_OK : RECORDS_ENOMEM;
		}
		if (place.number != last.number + 1 || place.context != last.context ||
		    (place.ctrl & RV_CTRL_SAMPLE_MASK) != 0)
			e->reason = TRACE_NONE;
		e->ctrl = place.ctrl;
		last = place;
		if (error == RECORDS_OK)
			error = take_record(e, &record);
		if (place.number % PROGRESS_RECORDS == 0 && progress != NULL &&
		    progress(context, records_position(records), extent.bytes) != 0)
			break;
	}
	stop_encoder(e);
	return error != RECORDS_OK ? error : got < 0 ? got : RECORDS_OK;
}

int encode_records(const struct image *image, struct records *records, struct standard_encoder *encoder,
    struct encode_counts *counts, records_progress *progress, void *context)
{
	struct encode e = {.encoder = encoder, .counts = counts, .outcome = -1};
	*counts = (struct encode_counts){0};
	e.code = standard_code_open(image);
	if (e.code == NULL)
		return RECORDS_ENOMEM;
	int error = take_all(&e, image, records, progress, context);
	walk_close(e.walk);
	standard_code_close(e.code);
	return error;
}
