/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/*
 * Records in order: the engine counts traces in a table; for those who want each record, it notes them here as well, a
 * key each, and gives them away before anything else happens that makes a record.
 */
#include "model/fast/private.h"

#include <stdlib.h>

int order_init(struct fast *f)
{
	f->log = malloc(LOG_MAX * sizeof *f->log);
	f->odd = malloc(ODD_MAX * sizeof *f->odd);
	f->order_records = malloc(ORDER_KEYS_MAX * sizeof *f->order_records);
	f->key_exits = malloc(KEY_EXITS_MAX * sizeof *f->key_exits);
	f->lasts = malloc(EXITS_MAX * sizeof *f->lasts);
	f->key_count = ORDER_ONCE_MAX;
	f->record_delay = f->model->config.trace.with_repeat ? 3 : 2;
	return f->log && f->odd && f->order_records && f->key_exits && f->lasts ? MODEL_OK : MODEL_ENOMEM;
}

void order_fini(struct fast *f)
{
	free(f->log);
	free(f->odd);
	free(f->order_records);
	free(f->key_exits);
	free(f->lasts);
}

void order_forget_exits(struct fast *f)
{
	for (size_t i = 0; i < f->key_exit_count; i++) {
		const uint32_t at = f->key_exits[i];
		if (f->exits[at].key == KEY_LAST)
			f->exits[at].key = KEY_VARIES;
		else if (f->exits[at].key < KEY_UNKNOWN)
			f->exits[at].key = KEY_UNKNOWN;
		f->lasts[at] = (struct exit_last){0};
	}
	f->key_exit_count = 0;
	f->round++;
}

/* Forgets all keys. */
static void forget_keys(struct fast *f)
{
	order_flush(f);
	order_forget_exits(f);
	f->key_count = ORDER_ONCE_MAX;
	f->other_keys = true;
	f->passed = f->strangers ? ORDER_PASSED_MAX / 4 * 3 : 0;
	f->strangers = !f->strangers && !f->counted && f->met < ORDER_MET_LEAST;
	f->met = 0;
	for (uint64_t i = 0; f->counted && i <= f->path_mask; i++)
		f->paths[i].form = 0;
	if (!f->counted)
		paths_clear(f);
}

/* After many records of no path, the program may do something else now. */
static void forget_old_keys(struct fast *f)
{
	if (f->passed >= (f->strangers ? ORDER_STRANGERS_MAX : ORDER_PASSED_MAX))
		forget_keys(f);
}

/* The record of what has ended, as the unit counts it. It is made where it stays if no key is known for it: what is
 * written is not read again at once. */
static const struct record *make_record(
    struct fast *f, const struct exit *e, uint64_t hist, uint64_t insns, uint64_t cycles)
{
	const struct trace_config *c = &f->model->trace.config;
	const uint64_t most = (1u << c->insn_bits) - 1;
	struct record *record = &f->order_records[f->once_count];
	record->start = f->start;
	record->hist = hist;
	record->count = 1;
	record->timed = c->with_cycles;
	record->cycles = cycles < f->cycles_max ? cycles : f->cycles_max;
	record->insns = 0;
	if (c->with_insns)
		record->insns = (uint32_t)(insns < most ? insns : most);
	record->reason = c->with_reason ? e->reason : (uint8_t)TRACE_NONE;
	record->context = 0;
	return record;
}

/* A record of this key is noted, which took so many cycles and ended at n. */
static void note_key(struct fast *f, uint16_t key, uint64_t cycles, uint64_t n)
{
	const uint64_t counted = cycles < f->cycles_max ? cycles : f->cycles_max, time = n + f->record_delay;
	if (f->log_count == 0)
		f->log_begin = time - counted;
	if (f->apart || counted != cycles || f->order_records[key].cycles != counted)
		f->odd[f->odd_count++] =
		    (struct record_odd){.time = time, .at = (uint32_t)f->log_count, .cycles = (uint32_t)counted};
	f->log[f->log_count++] = key;
	f->apart = false;
	if (f->odd_count == ODD_MAX || f->log_count == LOG_MAX || f->once_count == ORDER_ONCE_MAX) {
		order_flush(f);
		f->log_begin = time;
	}
}

/* A key for the record that was made, alone. */
static uint16_t once_key(struct fast *f)
{
	return (uint16_t)f->once_count++;
}

/* The same, of a path that there is no room for. */
static uint16_t passing_key(struct fast *f)
{
	f->passed++;
	return once_key(f);
}

static uint16_t new_key(struct fast *f, const struct record *record)
{
	f->order_records[f->key_count] = *record;
	return (uint16_t)f->key_count++;
}

/* The key of all records of this exit, which knows it from the second one on: most code that is translated again and
 * again is left before. */
static uint16_t exit_key(struct fast *f, struct exit *e, const struct record *record)
{
	if (e->key == KEY_UNKNOWN) {
		e->key = KEY_SEEN;
		return once_key(f);
	}
	if (f->key_exit_count == KEY_EXITS_MAX || f->key_count == ORDER_KEYS_MAX)
		return passing_key(f);
	f->key_exits[f->key_exit_count++] = (uint32_t)(e - f->exits);
	e->key = new_key(f, record);
	return e->key;
}

/* The key of a record whose path is not known. It is this exit's own from the second one on that comes behind an equal
 * one. */
static uint16_t last_key(struct fast *f, struct exit *e, const struct record *record, uint64_t insns, bool usual)
{
	struct exit_last *last = &f->lasts[e - f->exits];
	const uint8_t tries = e->round == f->round ? e->tries : 0;
	if (tries == LAST_TRIES_MAX || !usual)
		return passing_key(f);
	if (last->hist != record->hist || last->start != record->start || last->cycles != record->cycles ||
	    last->insns != insns) {
		if (e->key == KEY_LAST)
			e->key = KEY_VARIES;
		e->tries = (uint8_t)(tries + 1);
		e->round = f->round;
		*last = (struct exit_last){.hist = record->hist,
		    .start = (uint32_t)record->start,
		    .cycles = (uint32_t)record->cycles,
		    .insns = (uint32_t)insns};
		return passing_key(f);
	}
	if (f->key_exit_count == KEY_EXITS_MAX || f->key_count == ORDER_KEYS_MAX)
		return passing_key(f);
	f->key_exits[f->key_exit_count++] = (uint32_t)(e - f->exits);
	e->key = KEY_LAST;
	last->key = new_key(f, record);
	return last->key;
}

/* The key of the path for records like this one, which it is given if it has none. */
static uint16_t path_key(struct fast *f, struct path *path, const struct record *record, uint64_t form)
{
	/* what came first may have been the odd one; but cycles that always change are told apart */
	if (path->form == form && (path->usual == record->cycles || path->variants >= VARIANTS_MAX))
		return path->key;
	if (f->counted && f->key_count == ORDER_KEYS_MAX)
		forget_keys(f);
	if (f->key_count == ORDER_KEYS_MAX)
		return passing_key(f);
	path->variants = path->form == form ? (uint8_t)(path->variants + 1) : 1;
	path->form = form;
	path->usual = (uint32_t)record->cycles;
	path->key = new_key(f, record);
	return path->key;
}

void order_add(struct fast *f, struct path *path, const struct exit *e, uint64_t insns, uint64_t cycles, uint64_t n)
{
	if (!path->hist) {
		f->path_failed = true;
		return;
	}
	const struct record *record = make_record(f, e, path->hist, insns, cycles);
	note_key(f, path_key(f, path, record, path_form(insns, e->reason)), cycles, n);
}

void order_by_exit(struct fast *f, struct exit *e, uint64_t hist, uint64_t insns, uint64_t cycles, uint64_t n)
{
	forget_old_keys(f);
	if (cycles > f->cycles_max)
		e->key = KEY_VARIES;
	const struct record *record = make_record(f, e, hist, insns, cycles);
	note_key(f, e->key >= KEY_VARIES ? passing_key(f) : exit_key(f, e, record), cycles, n);
}

void order_by_path(struct fast *f, struct exit *e, uint64_t hist, uint64_t insns, uint64_t cycles, uint64_t n)
{
	const uint32_t tag = (uint32_t)cycles & f->tag_mask;
	struct path *path = NULL;
	forget_old_keys(f);
	if (!f->strangers)
		path = f->path_count < ORDER_PATHS_MAX ? paths_find(f, f->start, hist, tag, (uint32_t)insns, e->reason)
						       : paths_seek(f, f->start, hist, tag);
	if (path != NULL && path->hist != 0) {
		order_add(f, path, e, insns, cycles, n);
		return;
	}
	const struct record *record = make_record(f, e, hist, insns, cycles);
	const bool usual = record->cycles == cycles && insns <= UINT32_MAX && !f->apart;
	note_key(f, last_key(f, e, record, insns, usual), cycles, n);
}

bool order_is_last(const struct fast *f, const struct exit *e, uint64_t hist, uint64_t insns, uint64_t cycles)
{
	const struct exit_last *last = &f->lasts[e - f->exits];
	return last->hist == hist && last->start == f->start && last->cycles == cycles && last->insns == insns &&
	       !f->apart;
}

void order_flush(struct fast *f)
{
	const struct fast_batch batch = {.chain = {.keys = f->order_records,
					     .key_count = f->key_count,
					     .once = ORDER_ONCE_MAX,
					     .uses = f->log,
					     .count = f->log_count,
					     .odd = f->odd,
					     .odd_count = f->odd_count,
					     .begin = f->log_begin},
	    .others = f->other_keys,
	    .ctrl = f->log_ctrl};
	f->log_begin = f->trace_n + f->record_delay;
	if (batch.chain.count == 0)
		return;
	f->log_count = f->odd_count = f->once_count = 0;
	f->other_keys = false;
	f->options.order(f->options.order_context, &batch);
}
