/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/*
 * Records in order: the engine counts traces in a table; for those who want each record, it notes them here as well, a
 * key and two numbers, and gives them away before anything else happens that makes a record.
 */
#include "model/fast/private.h"

#include <stdlib.h>

int order_init(struct fast *f)
{
	f->log = malloc((LOG_MAX + 1) * sizeof *f->log);
	f->record_delay = f->model->config.trace.with_repeat ? 3 : 2;
	if (!f->log)
		return MODEL_ENOMEM;
	f->log[0] = (struct record_use){.key = UINT32_MAX};
	return MODEL_OK;
}

void order_fini(struct fast *f)
{
	free(f->log);
	free(f->order_keys);
	free(f->order_records);
}

static bool grow(struct fast *f)
{
	size_t room = f->key_room ? 2 * f->key_room : SIZED(1024u, 4u);
	struct order_key *keys = realloc(f->order_keys, room * sizeof *keys);
	if (keys)
		f->order_keys = keys;
	struct record *records = realloc(f->order_records, room * sizeof *records);
	if (records)
		f->order_records = records;
	if (keys && records)
		f->key_room = room;
	return keys && records;
}

/* Index + 1 of the key, made if it is not there; 0: memory ran out. */
static uint32_t find_key(struct fast *f, struct path *path, uint32_t insns, uint8_t reason)
{
	const struct trace_config *c = &f->model->trace.config;
	uint32_t *link = &path->key;
	while (*link) {
		const struct record *key = &f->order_records[*link - 1];
		if (key->insns == insns && key->reason == reason)
			return *link;
		link = &f->order_keys[*link - 1].next;
	}
	size_t at = f->key_count;
	if (at == f->key_room) {
		bool first = link == &path->key;
		size_t last = first ? 0 : (size_t)((struct order_key *)(void *)link - f->order_keys);
		if (!grow(f)) {
			f->path_failed = true;
			return 0;
		}
		if (!first)
			link = &f->order_keys[last].next;
	}
	f->order_keys[at] = (struct order_key){0};
	f->order_records[at] = (struct record){.start = path->start,
	    .hist = path->hist,
	    .count = 1,
	    .timed = c->with_cycles,
	    .insns = insns,
	    .reason = reason};
	f->key_count++;
	return *link = (uint32_t)at + 1;
}

/* Forgets all paths and keys, and begins with this one anew. NULL: memory ran out. */
static struct path *begin_keys(struct fast *f, const struct path *path)
{
	const struct path first = *path;
	order_flush(f);
	paths_clear(f);
	f->key_count = 0;
	f->other_keys = true;
	return paths_find(f, first.start, first.hist, first.insns, first.reason);
}

void order_add(struct fast *f, struct path *path, uint32_t insns, uint8_t reason, uint64_t cycles, uint64_t n)
{
	const struct trace_config *c = &f->model->trace.config;
	uint32_t most = (1u << c->insn_bits) - 1, key = path->key;
	insns = !c->with_insns ? 0 : insns < most ? insns : most;
	reason = c->with_reason ? reason : (uint8_t)TRACE_NONE;
	if (__builtin_expect(
		key == 0 || f->order_records[key - 1].insns != insns || f->order_records[key - 1].reason != reason,
		0)) {
		if (path->hist && !f->counted && f->key_count == ORDER_KEYS_MAX)
			path = begin_keys(f, path);
		key = path && path->hist ? find_key(f, path, insns, reason) : 0;
		if (key == 0)
			return;
	}
	f->log[++f->log_count] = (struct record_use){
	    .key = key - 1, .cycles = c->with_cycles ? (uint32_t)cycles : 0, .time = n + f->record_delay, .count = 1};
	if (f->log_count == LOG_MAX)
		order_flush(f);
}

void order_flush(struct fast *f)
{
	if (f->log_count == 0)
		return;
	const struct fast_batch batch = {.keys = f->order_records,
	    .key_count = f->key_count,
	    .records = f->log + 1,
	    .count = f->log_count,
	    .others = f->other_keys,
	    .ctrl = f->log_ctrl};
	f->log_count = 0;
	f->other_keys = false;
	f->options.order(f->options.order_context, &batch);
}
