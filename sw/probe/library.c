/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/*
 * Of shared libraries: what a library counted is kept when it is unloaded. That may be by dlclose(), or because the
 * process ends: then the profile is written again, with what destructors counted. In a program without counters of its
 * own it is written each time.
 */
#include "sw/probe/hash.h"
#include "sw/probe/linux.h"
#include "sw/probe/probe.h"

/* Edited objects have a pool (host/insert/tables.c), which is no other part's: the strictest visibility counts. */
extern struct rivulet_probe_bucket rivulet_probe_pool[] __attribute__((visibility("hidden")));
__attribute__((used)) static struct rivulet_probe_bucket *const pool = rivulet_probe_pool;

/* Nothing of these is for libraries; the program may have them. */
unsigned rivulet_probe_threads(void)
{
	return 0;
}

intptr_t rivulet_probe_distance(unsigned thread)
{
	(void)thread;
	return 0;
}

void rivulet_probe_clear_threads(void) {}

void rivulet_probe_unwind(void) {}

unsigned rivulet_probe_active(const uintptr_t **addresses)
{
	(void)addresses;
	return 0;
}

uint64_t rivulet_probe_cycles(void)
{
	return 0;
}

static struct rivulet_probe_kept *find(const struct rivulet_probe_node *n, const uint32_t salt[2])
{
	const uint64_t id = (n->id[0] | (uint64_t)n->id[1] << 32) ^ (salt[0] | (uint64_t)salt[1] << 32);
	for (struct rivulet_probe_kept *k = rivulet_probe_process.kept; k != NULL; k = k->next) {
		if (k->id == id && k->count == n->count)
			return k;
	}
	struct rivulet_probe_kept *k = rivulet_probe_map(sizeof *k + n->count * sizeof *k->counters);
	if (k == NULL)
		return NULL;
	k->id = id;
	k->salt[0] = salt[0];
	k->salt[1] = salt[1];
	k->count = n->count;
	k->mode = n->mode;
	k->next = rivulet_probe_process.kept;
	rivulet_probe_process.kept = k;
	return k;
}

/* Buckets of hash tables are not kept: a library that has some is never unloaded (-z nodelete). */
static void leave(void)
{
	struct rivulet_probe_part **at = &rivulet_probe_process.parts;
	while (*at != NULL && (*at)->root != &rivulet_probe_root)
		at = &(*at)->next;
	struct rivulet_probe_part *own = *at;
	if (own == NULL)
		return;
	for (const struct rivulet_probe_node *n = rivulet_probe_root.nodes; n != NULL; n = n->next) {
		struct rivulet_probe_kept *k = find(n, own->salt);
		for (uint32_t i = 0; k != NULL && i < n->count; i++)
			k->counters[i] += rivulet_probe_read(n, i);
	}
	rivulet_probe_root.nodes = NULL;
	uint32_t first, buckets = 0;
	for (unsigned level = 0; level < RIVULET_PROBE_LEVELS; level++)
		buckets += rivulet_probe_used(level, &first);
	if (buckets == 0)
		*at = own->next;
}

__attribute__((destructor(101))) static void end(void)
{
	leave();
	if (!rivulet_probe_process.program || rivulet_probe_process.ended)
		rivulet_probe_finish();
	if (!rivulet_probe_process.program)
		rivulet_probe_give_up();
}
