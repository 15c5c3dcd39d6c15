/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#define _GNU_SOURCE /* MAP_NORESERVE */
#include "host/qemu/take.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include "common/rivulet_regs.h"
#include "host/base/array.h"
#include "host/qemu/written.h"

/* Maps the regions that are new; those that are being made are left for later. */
static int map_regions(struct qemu_take *t)
{
	const uint32_t count = atomic_load_explicit(&t->capture->regions, memory_order_acquire);
	const size_t all = count < CAPTURE_REGIONS_MAX ? count : CAPTURE_REGIONS_MAX;
	if (!array_room(&t->regions, all, &t->region_room))
		return QEMU_ENOMEM;
	for (; t->region_count < all; t->region_count++)
		t->regions[t->region_count] = (struct taken_region){0};
	for (size_t i = 0; i < all; i++) {
		if (t->regions[i].memory != NULL)
			continue;
		void *at = mmap(NULL, CAPTURE_REGION_SIZE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, t->file,
		    (off_t)(CAPTURE_REGIONS_AT + i * CAPTURE_REGION_SIZE));
		if (at == MAP_FAILED)
			return QEMU_ENOMEM;
		t->regions[i].memory = at;
	}
	return QEMU_OK;
}

static bool has_begun(const struct capture_region *region)
{
	return atomic_load_explicit(&region->state, memory_order_acquire) != CAPTURE_NEW;
}

static int fail(struct qemu_take *t, int error)
{
	if (error == QEMU_EBROKEN)
		snprintf(
		    t->detail, t->size, "what was counted contradicts itself: something in the program wrote over it");
	else if (error == QEMU_ENOMEM)
		snprintf(t->detail, t->size, "out of memory");
	return error;
}

/* ---------------------------------------------------------------- programs */

static struct capture_program *program_entry(const struct qemu_take *t, uint32_t number)
{
	return (struct capture_program *)((char *)t->capture + CAPTURE_PROGRAMS_AT) + number;
}

static int open_program(struct qemu_take *t, uint32_t number, struct qemu_program *program)
{
	struct taken_program *taken = &t->programs[number];
	struct profile *profile = &program->profile;
	taken->program = program;
	taken->places = (struct code_places){.image = program->image, .profile = profile, .run = &program->run};
	profile->header.source = PROFILE_QEMU;
	profile->header.xlen = image_xlen(program->image);
	profile->header.hist = t->options->edges ? CAPTURE_EDGES_HIST : CAPTURE_HIST;
	profile->header.ctrl = RV_CTRL_ENABLE_MASK | RV_CTRL_HANDLERS_MASK | RV_CTRL_MODES_MASK;
	if (t->options->core != NULL)
		snprintf(profile->rules, sizeof profile->rules, "%s", t->options->rules);
	return places_open(&taken->places, t->capture, program_entry(t, number)->path) &&
		       estimate_open(&taken->estimate, program->image, t->options->core, (unsigned)profile->header.hist)
		   ? QEMU_OK
		   : QEMU_ENOMEM;
}

int take_open(struct qemu_take *t, struct qemu_program *program)
{
	t->programs = calloc(CAPTURE_PROGRAMS_MAX, sizeof *t->programs);
	return t->programs == NULL ? QEMU_ENOMEM : open_program(t, 0, program);
}

/* The program of this number, or the one of an earlier number that has the same file. */
static uint32_t first_number(const struct qemu_take *t, uint32_t number)
{
	for (uint32_t i = 0; i < number; i++) {
		if (strcmp(program_entry(t, i)->path, program_entry(t, number)->path) == 0)
			return i;
	}
	return number;
}

int take_program(struct qemu_take *t, const struct capture_region *region, struct taken_program **program)
{
	const uint32_t number = region->program < CAPTURE_PROGRAMS_MAX ? first_number(t, region->program) : 0;
	struct taken_program *taken = &t->programs[number];
	struct qemu_program *p;
	*program = taken;
	if (taken->program != NULL)
		return QEMU_OK;
	if ((p = calloc(1, sizeof *p)) == NULL)
		return QEMU_ENOMEM;
	snprintf(p->path, sizeof p->path, "%s", program_entry(t, number)->path);
	profile_init(&p->profile);
	p->profile.by_length = p->profile.has_header = p->profile.has_end = true;
	taken->program = p;
	taken->own = true;
	if (image_open(&p->image, p->path, NULL, 0) != IMAGE_OK)
		return QEMU_OK;
	const int error = open_program(t, number, p);
	if (error == QEMU_OK)
		t->options->begin(t->options->context, p);
	return error;
}

struct qemu_program *take_others(struct qemu_take *t)
{
	struct qemu_program *first = NULL, **last = &first;
	for (uint32_t i = 1; t->programs != NULL && i < CAPTURE_PROGRAMS_MAX; i++) {
		if (t->programs[i].program == NULL || !t->programs[i].own)
			continue;
		t->programs[i].own = false;
		*last = t->programs[i].program;
		last = &(*last)->next;
	}
	return first;
}

/* ---------------------------------------------------------------- order */

static bool takes_orders(const struct qemu_take *t)
{
	return t->options->ordered && t->records_lost[0] == '\0';
}

/* Records cost the run's counts nothing: the program runs on without, and the user is told at the end. */
static int lose_records(struct qemu_take *t, int error)
{
	if (error == QEMU_EBROKEN)
		snprintf(t->records_lost, sizeof t->records_lost, "the order of traces contradicts itself");
	else if (error == QEMU_ERECORDS)
		snprintf(t->records_lost, sizeof t->records_lost, "%.60s: %s", t->options->folder, strerror(errno));
	else
		return error;
	atomic_store(&t->capture->reader_gone, 1);
	return QEMU_OK;
}

int take_orders(struct qemu_take *t, bool *more)
{
	int error = map_regions(t);
	*more = false;
	for (size_t i = 0; i < t->region_count && error == QEMU_OK && takes_orders(t); i++) {
		struct taken_region *r = &t->regions[i];
		if (!has_begun(r->memory) || atomic_load(&r->memory->pushed) == atomic_load(&r->memory->taken))
			continue;
		*more = true;
		struct taken_program *p;
		error = take_program(t, r->memory, &p);
		const struct order_source source = {&p->places, &p->estimate, t->options->folder};
		if (p->program != NULL && p->program->image == NULL)
			atomic_store(&r->memory->taken, atomic_load(&r->memory->pushed)); /* nobody can read it */
		else if (error == QEMU_OK)
			error = lose_records(t, order_drain(&r->order, &source, r->memory, (uint32_t)i));
	}
	return fail(t, error);
}

/* ---------------------------------------------------------------- the end */

/* Of a system: in which mode and range it ran. space: the address as the plugin has it. */
static bool add_range(struct qemu_take *t, const struct taken_program *p, uint64_t space, enum place_kind kind,
    const struct record *record)
{
	const uint32_t object = CAPTURE_SYSTEM_OBJECT(space >> CAPTURE_SPACE);
	struct qemu_range range = {.cpu = t->cpu,
	    .mode = (uint32_t)(space >> (CAPTURE_SPACE + 14)),
	    .from = record->start,
	    .to = record->start,
	    .insns = record->count * record->insns};
	if (object == 0)
		range.from = range.to = 0;
	else if (kind != PLACE_MADE) {
		size_t count;
		const struct elf_segment *s = image_segments(p->program->image, &count);
		for (size_t i = 0; i < count; i++) {
			if (record->start - s[i].address < s[i].size) {
				range.from = s[i].address;
				range.to = s[i].address + s[i].size - 1;
			}
		}
		range.path = p->places.objects[object].path;
	}
	return range.insns == 0 || ranges_add(t->ranges, &range);
}

static int add_record(struct qemu_take *t, struct taken_program *p, struct record *record)
{
	const uint64_t insns = record->count * record->insns, space = record->start;
	const enum place_kind kind = places_find(&p->places, &record->start);
	if (t->ranges != NULL && !add_range(t, p, space, kind, record))
		return QEMU_ENOMEM;
	switch (kind) {
	case PLACE_CODE:
		break;
	case PLACE_MADE:
		p->program->run.made += insns;
		return QEMU_OK;
	default:
		p->program->run.outside += insns;
		return QEMU_OK;
	}
	if (p->estimate.core != NULL) {
		uint64_t cycles;
		if (!estimate_cycles(&p->estimate, record, &cycles))
			return QEMU_ENOMEM;
		record->cycles = cycles * record->count;
		record->timed = record->count;
		p->cycles += record->cycles;
	}
	const int error = profile_add(&p->program->profile, record);
	if (error == PROFILE_OK)
		return QEMU_OK;
	if (error != PROFILE_ENOMEM)
		snprintf(t->detail, t->size, "what the plugin counted: %s", profile_strerror(error));
	return error == PROFILE_ENOMEM ? QEMU_ENOMEM : QEMU_EFILE;
}

/* What a region holds, taken once: the program may run on. */
struct region_counts {
	uint64_t *times; /* by key */
	uint32_t keys;
	uint64_t insns;           /* of all these */
	struct capture_state now; /* what it was at; last: 0, it is at its end */
};

/* Each way by which a block was reached ends some traces. */
static void add_edge(struct region_counts *c, const uint32_t *keys, uint32_t jump_key, uint64_t count)
{
	if (jump_key - 1 < c->keys)
		c->times[jump_key - 1] += count;
	for (int k = 0; k <= CAPTURE_SILENT_DEPTHS; k++) {
		if (keys[k] - 1 < c->keys)
			c->times[keys[k] - 1] += count;
	}
}

static void count_edges(const struct capture_region *r, struct region_counts *c)
{
	const struct capture_edges *edges = (const struct capture_edges *)((const char *)r + CAPTURE_EDGES_AT);
	const struct capture_more *more = (const struct capture_more *)((const char *)r + CAPTURE_MORE_AT);
	const uint32_t blocks = atomic_load_explicit(&r->blocks, memory_order_acquire);
	for (uint32_t i = 1; i <= blocks && i < CAPTURE_BLOCKS_MAX; i++) {
		for (int way = 0; way < CAPTURE_EDGES; way++)
			add_edge(c, edges[i].key[way], edges[i].jump_key, edges[i].count[way]);
	}
	for (uint32_t i = 0; i < r->more_room && i < CAPTURE_MORE_MAX; i++)
		add_edge(c, more[i].key, edges[more[i].block & (CAPTURE_BLOCKS_MAX - 1)].jump_key, more[i].count);
}

/* The blocks that ran since the last call, and the one that made it: how many of their instructions ran is not known.
 * One of these may have been counted when it began. */
static void leave_silent(const struct capture_region *r, struct region_counts *c)
{
	const uint64_t *word = (const uint64_t *)((const char *)r + CAPTURE_SILENT_AT);
	const uint32_t *insns = (const uint32_t *)((const char *)r + CAPTURE_INSNS_AT);
	const struct capture_edges *edges = (const struct capture_edges *)((const char *)r + CAPTURE_EDGES_AT);
	const uint32_t caller = CAPTURE_EDGES_NUMBER(word[1]);
	if (word[1] != 0) {
		c->now.last += insns[caller];
		if (edges[caller].jump_key - 1 < c->keys)
			c->times[edges[caller].jump_key - 1]--;
	}
	for (unsigned depth = 1; depth <= CAPTURE_SILENT_DEPTHS; depth++)
		c->now.last += insns[CAPTURE_SILENT_NUMBER(word[0], depth)];
}

static bool count_times(const struct capture_region *r, struct region_counts *c)
{
	const char *region = (const char *)r;
	const struct capture_node *nodes = (const struct capture_node *)(region + CAPTURE_NODES_AT);
	const struct capture_key *keys = (const struct capture_key *)(region + CAPTURE_KEYS_AT);
	const uint32_t node_count = atomic_load_explicit(&r->node_count, memory_order_acquire);
	const uint64_t node = (r->node - r->nodes) / sizeof *nodes;
	if (node_count > CAPTURE_NODES_MAX || node >= CAPTURE_NODES_MAX)
		return false;
	c->now = node == 0 ? r->now : ((const struct capture_state *)(region + CAPTURE_STATES_AT))[node];
	for (uint32_t i = 0; i < c->keys; i++)
		c->times[i] = keys[i].count;
	for (uint32_t i = 0; i < node_count; i++) {
		for (int way = 0; way < 2; way++) {
			if (nodes[i].key[way] - 1 < c->keys)
				c->times[nodes[i].key[way] - 1] += nodes[i].count[way];
		}
	}
	if (atomic_load(&r->blocks) != 0) {
		count_edges(r, c);
		leave_silent(r, c);
	}
	for (uint32_t i = 0; i < c->keys; i++)
		c->insns += c->times[i] * keys[i].insns;
	return true;
}

static int take_counts(const struct capture_region *r, struct region_counts *c)
{
	*c = (struct region_counts){.keys = atomic_load_explicit(&r->keys, memory_order_acquire)};
	if (c->keys > CAPTURE_KEYS_MAX)
		return QEMU_EBROKEN;
	c->times = calloc((size_t)c->keys + 1, sizeof *c->times);
	if (c->times == NULL)
		return QEMU_ENOMEM;
	if (count_times(r, c))
		return QEMU_OK;
	free(c->times);
	return QEMU_EBROKEN;
}

/* A thread that did not come to its end: what it was at. How much of the last block ran is known only behind exec(). */
static int add_under_way(struct qemu_take *t, struct taken_program *p, const struct capture_region *r,
    const struct capture_state *now, struct record *record, bool *there)
{
	const bool replaced = atomic_load(&r->replaced) != 0;
	*record = (struct record){
	    .start = now->start, .hist = now->hist, .count = 1, .insns = now->insns, .reason = TRACE_OFF};
	if (replaced)
		record->insns += now->last;
	else
		p->program->run.unknown += now->last;
	*there = false;
	if (record->insns == 0)
		return QEMU_OK;
	const struct profile *profile = &p->program->profile;
	const size_t before = profile->used;
	const uint64_t total = profile->total;
	const int error = add_record(t, p, record);
	*there = profile->used != before || profile->total != total;
	return error;
}

/* Of a program that can be read. */
static int add_region_counts(
    struct qemu_take *t, struct taken_region *taken, struct taken_program *p, const struct region_counts *c)
{
	struct capture_region *r = taken->memory;
	const struct capture_key *keys = (const struct capture_key *)((const char *)r + CAPTURE_KEYS_AT);
	const uint32_t number = (uint32_t)(taken - t->regions);
	const struct order_source source = {&p->places, &p->estimate, t->options->folder};
	struct record under_way;
	bool cut = false;
	int error = QEMU_OK;
	p->program->run.unknown += r->unknown;
	for (uint32_t i = 0; i < c->keys && error == QEMU_OK; i++) {
		struct record record = {.start = keys[i].start,
		    .hist = keys[i].hist,
		    .count = c->times[i],
		    .insns = keys[i].insns,
		    .reason = (uint8_t)keys[i].reason};
		if (record.count > 0)
			error = add_record(t, p, &record);
	}
	if (error == QEMU_OK && atomic_load(&r->state) != CAPTURE_ENDED)
		error = add_under_way(t, p, r, &c->now, &under_way, &cut);
	if (error == QEMU_OK && takes_orders(t))
		error = lose_records(t, order_finish(&taken->order, &source, r, number, cut ? &under_way : NULL));
	return error;
}

static int take_region(struct qemu_take *t, struct taken_region *taken)
{
	const struct capture_region *r = taken->memory;
	struct taken_program *p;
	struct region_counts c;
	int error = take_program(t, r, &p);
	t->cpu = r->cpu;
	if (error != QEMU_OK || (error = take_counts(r, &c)) != QEMU_OK)
		return error;
	const bool ended = atomic_load(&r->state) == CAPTURE_ENDED;
	const uint64_t executed = c.insns + r->unknown + (ended ? 0 : c.now.insns + c.now.last);
	struct qemu_run *run = &p->program->run;
	run->executed += executed;
	run->threads++;
	if (p->program->image != NULL)
		error = add_region_counts(t, taken, p, &c);
	else
		run->outside += executed;
	free(c.times);
	return error;
}

/* Whether a process that did not come to its end was ended from outside: with all others, or as the one that the
 * command waits for. */
static bool was_cut(const struct qemu_take *t, const struct capture_region *r)
{
	const struct qemu_run *whole = &t->programs[0].program->run;
	return whole->told != 0 || (whole->signal != 0 && r->pid == t->regions[0].memory->pid);
}

/* What the processes were: children, those that run on, those that became other programs. */
static void count_processes(struct qemu_take *t)
{
	for (size_t i = 0; i < t->region_count; i++) {
		const struct capture_region *r = t->regions[i].memory;
		struct taken_program *p;
		if (!has_begun(r) || take_program(t, r, &p) != QEMU_OK)
			continue;
		struct qemu_run *run = &p->program->run;
		const bool first = r->process == i; /* of its process */
		const bool ended = atomic_load(&r->state) == CAPTURE_ENDED;
		run->children += first && i != 0 && r->continues == 0;
		if (!ended && atomic_load(&r->replaced) == CAPTURE_REPLACED)
			run->replaced++;
		else if (!ended && atomic_load(&r->replaced) == CAPTURE_FOLLOWED)
			run->followed++;
		else if (!ended && first) {
			run->cut = run->cut || was_cut(t, r);
			run->running += i != 0 && kill((pid_t)r->pid, 0) == 0;
		}
	}
}

static unsigned ending_of(const struct qemu_run *run)
{
	if (run->told != 0)
		return PROFILE_END_INTERRUPTED;
	return run->signal != 0 ? PROFILE_END_OTHER : PROFILE_END_EXIT;
}

static int finish_program(struct qemu_take *t, const struct taken_program *program)
{
	struct qemu_run *run = &program->program->run;
	struct profile *p = &program->program->profile;
	p->end.instructions = p->end.run_instructions = run->executed;
	p->end.cycles = p->end.run_cycles = program->cycles;
	const struct qemu_run *whole = run->cut ? &t->programs[0].program->run : run;
	p->end.ending = ending_of(whole);
	snprintf(run->records_lost, sizeof run->records_lost, "%s", t->records_lost);
	if (!takes_orders(t) || program->program->context == NULL)
		return QEMU_OK;
	const int error = written_finish(t, program);
	if (error == QEMU_ERECORDS)
		snprintf(run->records_lost, sizeof run->records_lost, "%s", strerror(errno));
	return error == QEMU_ERECORDS ? QEMU_OK : fail(t, error);
}

int take_all(struct qemu_take *t)
{
	int error = map_regions(t);
	for (size_t i = 0; i < t->region_count && error == QEMU_OK; i++) {
		if (has_begun(t->regions[i].memory))
			error = take_region(t, &t->regions[i]);
	}
	if (error != QEMU_OK)
		return fail(t, error);
	t->programs[0].program->run.unclear = atomic_load(&t->capture->unclear);
	t->programs[0].program->run.uncounted = atomic_load(&t->capture->uncounted);
	if (t->ranges == NULL)
		count_processes(t);
	else
		ranges_sum(t->ranges);
	for (uint32_t i = 0; i < CAPTURE_PROGRAMS_MAX && error == QEMU_OK; i++) {
		if (t->programs[i].program != NULL && t->programs[i].program->image != NULL)
			error = finish_program(t, &t->programs[i]);
	}
	return error;
}

void take_close(struct qemu_take *t)
{
	for (size_t i = 0; i < t->region_count; i++) {
		order_close(&t->regions[i].order);
		if (t->regions[i].memory != NULL)
			munmap(t->regions[i].memory, CAPTURE_REGION_SIZE);
	}
	free(t->regions);
	written_close(&t->written);
	struct qemu_program *others = take_others(t);
	for (uint32_t i = 0; t->programs != NULL && i < CAPTURE_PROGRAMS_MAX; i++) {
		if (t->programs[i].program == NULL)
			continue;
		estimate_close(&t->programs[i].estimate);
		places_close(&t->programs[i].places);
	}
	free(t->programs);
	qemu_programs_free(others);
}
