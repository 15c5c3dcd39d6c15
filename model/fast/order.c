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

/* Forgets all keys; where nobody wants the counts of paths, these too. What becomes of this one; NULL: memory ran
 * out. */
static struct path *begin_keys(struct fast *f, struct path *path)
{
	const struct path first = *path;
	order_flush(f);
	order_forget_exits(f);
	f->key_count = 0;
	f->other_keys = true;
	if (f->counted) {
		for (uint64_t i = 0; i <= f->path_mask; i++)
			f->paths[i].form = 0;
		return path;
	}
	paths_clear(f);
	return paths_find(f, first.start, first.hist, first.tag, first.insns, first.reason);
}

/* Gives the path a key for records like this one; NULL: memory ran out. */
static struct path *give_key(struct fast *f, struct path *path, const struct record *record, uint64_t form)
{
	if (f->key_count == (f->counted ? ORDER_KEYS_MAX : ORDER_PATHS_MAX))
		path = begin_keys(f, path);
	if (!path)
		return NULL;
	const uint16_t key = (uint16_t)f->key_count++;
	f->order_records[key] = *record;
	path->variants = path->form == form ? (uint8_t)(path->variants + 1) : 1;
	path->form = form;
	path->key = key;
	path->usual = (uint32_t)record->cycles;
	return path;
}

/* From now on the exit knows its key, if all its records are of it. */
static void teach_exit(struct fast *f, struct exit *e, const struct path *path, uint64_t cycles)
{
	if (e->key != KEY_UNKNOWN || !f->plain)
		return;
	e->key = KEY_VARIES;
	if (path->usual == cycles && f->key_exit_count < KEY_EXITS_MAX) {
		f->key_exits[f->key_exit_count++] = (uint32_t)(e - f->exits);
		e->key = path->key;
	}
}

void order_add(struct fast *f, struct path *path, struct exit *e, uint64_t insns, uint64_t cycles, uint64_t n)
{
	const struct trace_config *c = &f->model->trace.config;
	const uint64_t form = path_form(insns, e->reason), most = (1u << c->insn_bits) - 1;
	const uint64_t counted = cycles < f->cycles_max ? cycles : f->cycles_max, time = n + f->record_delay;
	const struct record record = {.start = path->start,
	    .hist = path->hist,
	    .count = 1,
	    .timed = c->with_cycles,
	    .cycles = counted,
	    .insns = !c->with_insns ? 0 : (uint32_t)(insns < most ? insns : most),
	    .reason = c->with_reason ? e->reason : (uint8_t)TRACE_NONE};
	/* what came first may have been the odd one; but cycles that always change are told apart */
	if (path->hist && (path->form != form || (path->usual != counted && path->variants < VARIANTS_MAX)))
		path = give_key(f, path, &record, form);
	if (!path || !path->hist) {
		f->path_failed = true;
		return;
	}
	teach_exit(f, e, path, cycles);
	if (f->log_count == 0)
		f->log_begin = time - counted;
	if (f->apart || path->usual != counted || counted != cycles)
		f->odd[f->odd_count++] =
		    (struct record_odd){.time = time, .at = (uint32_t)f->log_count, .cycles = (uint32_t)counted};
	f->log[f->log_count++] = path->key;
	f->apart = false;
	if (f->odd_count == ODD_MAX || f->log_count == LOG_MAX) {
		order_flush(f);
		f->log_begin = time;
	}
}

void order_flush(struct fast *f)
{
	const struct fast_batch batch = {.chain = {.keys = f->order_records,
					     .key_count = f->key_count,
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
	f->log_count = f->odd_count = 0;
	f->other_keys = false;
	f->options.order(f->options.order_context, &batch);
}
