/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/*
 * Holds the cycles (or instructions) that a program added up by path against the golden model, which runs the same
 * program again, one instruction at a time:
 *
 *   a read of the counter's CSR begins, interrupts, continues or ends a path: they take turns, outside and inside
 *   cycles inside, by the model's own clock, are those of the call that runs, found by the depth of calls
 *   the store into a counter behind the last read says which path it was
 *
 * Usage: insert-judge-metric EDITED.elf PROFILE CSR [NAME=VALUE...]
 */
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "host/image/image.h"
#include "host/insert/map.h"
#include "host/profile/stream.h"
#include "isa/isa.h"
#include "model/run.h"

#define RAM_BASE 0x80000000u
#define RAM_SIZE (4u << 20)

struct call {
	uint64_t level, gained;
};
struct judge {
	uint32_t csr, start, stop;
	uint64_t level, retired, since, all;
	bool on, inside, ended; /* ended: outside, and the next store into a counter is that of a path */
	bool *edited;           /* by halfword of code: from the first edited function to the last */
	struct call calls[4096];
	size_t depth;
	uint64_t *sums;    /* by word of RAM: of the path whose counter it is */
	uint8_t *counters; /* by word: it is one */
	uint64_t strange;
};

static void *must(void *memory)
{
	if (memory == NULL) {
		fprintf(stderr, "insert-judge-metric: out of memory\n");
		exit(2);
	}
	return memory;
}

static void read_csr(struct judge *j, const struct model_out *out)
{
	uint64_t now = (j->csr & 0xFF) == 0 ? out->cycle : j->retired;
	struct call *top = j->depth > 0 ? &j->calls[j->depth - 1] : NULL;
	if (j->inside) {
		top->gained += now - j->since;
		j->all += now - j->since;
		j->inside = false;
		j->ended = true;
		return;
	}
	j->inside = true;
	j->ended = false;
	j->since = now;
	while (j->depth > 0 && j->calls[j->depth - 1].level > j->level)
		j->depth--; /* left by a call that never returned */
	top = j->depth > 0 ? &j->calls[j->depth - 1] : NULL;
	if (top != NULL && top->level == j->level)
		return;
	if (j->depth == 4096)
		j->strange++;
	else
		j->calls[j->depth++] = (struct call){j->level, 0};
}

static void retire(void *context, const struct model_out *out)
{
	struct judge *j = context;
	if (!out->valid || out->trap)
		return;
	j->retired++;
	if (out->pc == j->start)
		j->on = true;
	else if (out->pc == j->stop)
		j->on = false;
	struct isa_insn insn;
	isa_decode(out->insn, ISA_CORE, &insn);
	if ((insn.class_bits & ISA_CALL) != 0)
		j->level++;
	else if ((insn.class_bits & ISA_RETURN) != 0)
		j->level--;
	if (!j->on)
		return;
	if ((out->insn & 0x7F) == 0x73 && (out->insn >> 12 & 7) == 2 && out->insn >> 20 == j->csr &&
	    j->edited[(out->pc - RAM_BASE) / 2])
		read_csr(j, out);
	else if (out->mem_wmask != 0 && j->ended && out->mem_addr - RAM_BASE < RAM_SIZE &&
		 j->counters[(out->mem_addr - RAM_BASE) / 4] != 0 && j->depth > 0) {
		j->sums[(out->mem_addr - RAM_BASE) / 4] += j->calls[j->depth - 1].gained;
		j->depth--;
		j->ended = false;
	}
}

/* Where the counters of an object are: its node has the id, then their address. */
static uint32_t counters_of(const uint8_t *ram, const struct map_object *o)
{
	for (size_t i = 0; i + 20 <= RAM_SIZE; i += 4) {
		uint32_t address, count;
		if (memcmp(ram + i, &o->id, 8) != 0)
			continue;
		memcpy(&address, ram + i + 8, 4);
		memcpy(&count, ram + i + 12, 4);
		if (count == o->counters)
			return address;
	}
	return 0;
}

static const struct map_function *function_of(const struct map *m, const struct map_object *o, uint64_t number)
{
	for (uint32_t i = o->functions; i < o->functions + o->function_count; i++) {
		const struct map_function *f = &m->functions[i];
		if (f->address != 0 && number >= f->first && number - f->first < f->counters)
			return f;
	}
	return NULL;
}

static bool read_profile(struct profile *profile, const char *path)
{
	static struct profile_reader reader;
	uint8_t bytes[4096];
	size_t got;
	FILE *file = fopen(path, "rb");
	profile_init(profile);
	profile_reader_init(&reader, profile);
	while (file != NULL && (got = fread(bytes, 1, sizeof bytes, file)) > 0)
		profile_feed(&reader, bytes, got);
	profile_finish(&reader);
	if (file != NULL)
		fclose(file);
	return file != NULL && reader.damage_count == 0;
}

int main(int argc, char **argv)
{
	static struct judge j;
	struct image *image;
	struct map *m;
	struct model *model;
	struct model_config config;
	struct run_result result;
	struct profile profile;
	char detail[1024] = "usage: insert-judge-metric EDITED.elf PROFILE CSR [NAME=VALUE...]";
	size_t size;
	uint64_t start, stop;
	model_config_default(&config);
	config.ram_size = RAM_SIZE;
	if (argc < 4 || image_open(&image, argv[1], detail, sizeof detail) != IMAGE_OK ||
	    model_open(&model, &config) != MODEL_OK ||
	    model_load_elf(model, argv[1], detail, sizeof detail) != MODEL_OK ||
	    model_set(model, "way=off", detail, sizeof detail) != MODEL_OK || !read_profile(&profile, argv[2]) ||
	    image_symbol(image, "__wrap_trace_start", &start) != IMAGE_OK ||
	    image_symbol(image, "__wrap_trace_stop", &stop) != IMAGE_OK) {
		fprintf(stderr, "insert-judge-metric: %s\n", detail);
		return 2;
	}
	const uint8_t *bytes = image_section(image, ".debug_rivulet", &size);
	if (bytes == NULL || map_open(&m, bytes, size) != MAP_OK) {
		fprintf(stderr, "insert-judge-metric: no map\n");
		return 2;
	}
	for (int i = 4; i < argc; i++)
		model_set(model, argv[i], detail, sizeof detail);
	j.csr = (uint32_t)strtoul(argv[3], NULL, 0);
	j.start = (uint32_t)start;
	j.stop = (uint32_t)stop;
	j.edited = must(calloc(RAM_SIZE / 2, sizeof *j.edited));
	j.sums = must(calloc(RAM_SIZE / 4, sizeof *j.sums));
	j.counters = must(calloc(RAM_SIZE / 4, 1));
	uint8_t *ram = must(malloc(RAM_SIZE));
	/* hal_cycles() reads the counter too, and stands apart */
	uint64_t low = UINT64_MAX, high = 0;
	for (uint32_t i = 0; i < m->function_count; i++) {
		if (m->functions[i].address == 0 || (m->functions[i].flags & MAP_METRIC) == 0)
			continue;
		low = m->functions[i].address < low ? m->functions[i].address : low;
		high = m->functions[i].address > high ? m->functions[i].address : high;
	}
	for (uint64_t pc = low; pc < high + 65536 && pc - RAM_BASE < RAM_SIZE; pc += 2)
		j.edited[(pc - RAM_BASE) / 2] = true;
	if (image_symbol(image, "hal_cycles", &start) == IMAGE_OK) {
		for (uint64_t pc = start; pc < start + 64; pc += 2)
			j.edited[(pc - RAM_BASE) / 2] = false;
	}
	model_read(model, RAM_BASE, ram, RAM_SIZE);
	for (size_t i = 0; i < m->object_count; i++) {
		uint32_t base = counters_of(ram, &m->objects[i]);
		for (uint32_t k = 0; base != 0 && k < m->objects[i].counters; k++) {
			const struct map_function *f = function_of(m, &m->objects[i], k);
			if (f != NULL && map_number(m, (uint32_t)(f - m->functions)) == MAP_OK &&
			    (f->flags & MAP_METRIC) != 0 && k - f->first < f->numbering.paths)
				j.counters[(base - RAM_BASE) / 4 + 2 * k] = 1;
		}
	}
	const struct run_hooks hooks = {.context = &j, .retire = retire};
	model_run(model, &hooks, 0, 0, &result);
	uint64_t wrong = 0, paths = 0, sum = 0;
	for (size_t s = 0; s < profile.used; s++) {
		const struct record *entry = &profile.entries[s];
		const struct map_object *o = map_object(m, entry->start);
		const struct map_function *f = o == NULL ? NULL : function_of(m, o, entry->hist - 1);
		if (f == NULL || (f->flags & MAP_METRIC) == 0)
			continue;
		uint64_t number = entry->hist - 1 - f->first, before = f->numbering.paths + f->numbering.self;
		if (number < before)
			continue;
		uint64_t *expected = &j.sums[(counters_of(ram, o) - RAM_BASE) / 4 + 2 * (f->first + number - before)];
		paths++;
		sum += entry->count;
		if (*expected != entry->count && wrong++ < 8)
			fprintf(stderr,
			    "insert-judge-metric: %s, path %" PRIu64 ": %" PRIu64 " by the model, %" PRIu64
			    " by the program\n",
			    f->name, number - before, *expected, entry->count);
		*expected = 0;
	}
	for (size_t i = 0; i < RAM_SIZE / 4; i++)
		wrong += j.sums[i] != 0;
	printf("%s: %" PRIu64 " paths, %" PRIu64 " of CSR 0x%" PRIX32 ", %" PRIu64
	       " by the model; differences: %" PRIu64 "\n",
	    argv[1], paths, sum, j.csr, j.all, wrong);
	return wrong == 0 && j.strange == 0 && paths > 0 && sum > 0 && result.end == RUN_END_EXIT ? 0 : 1;
}
