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
	f->key_count = ORDER_ONCE_MAX;
	f->record_delay = f->model->config.trace.with_repeat ? 3 : 2;
	return f->log && f->odd && f->order_records && f->key_exits ? MODEL_OK : MODEL_ENOMEM;
}

void order_fini(struct fast *f)
{
	free(f->log);
	free(f->odd);
	free(f->order_records);
	free(f->key_exits);
}

void order_forget_exits(struct fast *f)
{
	for (size_t i = 0; i < f->key_exit_count; i++)
		f->exits[f->key_exits[i]].key = KEY_UNKNOWN;
	f->key_exit_count = 0;
}

/* Forgets all keys. */
static void forget_keys(struct fast *f)
{
	order_flush(f);
	order_forget_exits(f);
	f->key_count = ORDER_ONCE_MAX;
	f->other_keys = true;
	f->passed = 0;
	for (uint64_t i = 0; f->counted && i <= f->path_mask; i++)
		f->paths[i].form = 0;
	if (!f->counted)
		paths_clear(f);
}

struct path *order_path(struct fast *f, const struct path *wanted, const struct exit *e)
{
	const bool known = e->key == KEY_UNKNOWN && f->plain; /* by the exit */
	if (f->passed >= ORDER_PASSED_MAX)
		forget_keys(f);
	if (!known && f->path_count < ORDER_PATHS_MAX)
		return paths_find(f, wanted->start, wanted->hist, wanted->tag, wanted->insns, wanted->reason);
	struct path *path = known ? NULL : paths_seek(f, wanted->start, wanted->hist, wanted->tag);
	if (path && path->hist)
		return path;
	f->passing = *wanted;
	return &f->passing;
}

/* A key for this record alone. */
static uint16_t once_key(struct fast *f, const struct record *record)
{
	f->passed++;
	f->order_records[f->once_count] = *record;
	return (uint16_t)f->once_count++;
}

/* The key of all records of this exit, which knows it from now on. */
static uint16_t exit_key(struct fast *f, struct exit *e, const struct record *record)
{
	if (f->key_exit_count == KEY_EXITS_MAX || f->key_count == ORDER_KEYS_MAX)
		return once_key(f, record);
	f->key_exits[f->key_exit_count++] = (uint32_t)(e - f->exits);
	e->key = (uint16_t)f->key_count++;
	f->order_records[e->key] = *record;
	return e->key;
}

/* The key of the path for records like this one, which it is given if it has none. */
static uint16_t path_key(struct fast *f, struct path *path, const struct record *record, uint64_t form)
{
	/* what came first may have been the odd one; but cycles that always change are told apart */
	if (path->form == form && (path->usual == record->cycles || path->variants >= VARIANTS_MAX))
		return path->key;
	if (f->counted && f->key_count == ORDER_KEYS_MAX)
		forget_keys(f);
	if (path == &f->passing || f->key_count == ORDER_KEYS_MAX)
		return once_key(f, record);
	path->variants = path->form == form ? (uint8_t)(path->variants + 1) : 1;
	path->form = form;
	path->key = (uint16_t)f->key_count++;
	path->usual = (uint32_t)record->cycles;
	f->order_records[path->key] = *record;
	return path->key;
}

void order_add(struct fast *f, struct path *path, struct exit *e, uint64_t insns, uint64_t cycles, uint64_t n)
{
	const struct trace_config *c = &f->model->trace.config;
	const uint64_t most = (1u << c->insn_bits) - 1;
	const uint64_t counted = cycles < f->cycles_max ? cycles : f->cycles_max, time = n + f->record_delay;
	const struct record record = {.start = path->start,
	    .hist = path->hist,
	    .count = 1,
	    .timed = c->with_cycles,
	    .cycles = counted,
	    .insns = !c->with_insns ? 0 : (uint32_t)(insns < most ? insns : most),
	    .reason = c->with_reason ? e->reason : (uint8_t)TRACE_NONE};
	if (!path->hist) {
		f->path_failed = true;
		return;
	}
	if (e->key == KEY_UNKNOWN && f->plain && counted != cycles)
		e->key = KEY_VARIES;
	const uint16_t key = e->key == KEY_UNKNOWN && f->plain
				 ? exit_key(f, e, &record)
				 : path_key(f, path, &record, path_form(insns, e->reason));
	if (f->log_count == 0)
		f->log_begin = time - counted;
	if (f->apart || f->order_records[key].cycles != counted || counted != cycles)
		f->odd[f->odd_count++] =
		    (struct record_odd){.time = time, .at = (uint32_t)f->log_count, .cycles = (uint32_t)counted};
	f->log[f->log_count++] = key;
	f->apart = false;
	if (f->odd_count == ODD_MAX || f->log_count == LOG_MAX || f->once_count == ORDER_ONCE_MAX) {
		order_flush(f);
		f->log_begin = time;
	}
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
