/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/*
 * The arbiter of the records of several trace units against its model, cycle by cycle, with random records, receivers
 * of any pace, and resets. Beside the model the traces are added up: of each unit, what came is what left and what was
 * told to be lost; and no record leaves before an older one.
 * Usage: lockstep [--seed N] [--cycles N] [--inject SIGNAL] [CONFIGURATION...]; lockstep --list-signals
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "tb/arbiter/rtl.h"

#define CONFIG(name, ...) extern const struct arbiter_rtl_class arbiter_rtl_##name;
#include "tb/arbiter/configs.def"
#undef CONFIG

struct arbiter_unit { /* a line of configs.def */
	const char *name;
	struct arbiter_config config;
	const struct arbiter_rtl_class *rtl;
};
/* clang-format off */
/* As arbiter_config_default; what a line says comes later and counts. */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Woverride-init"
#define DEFAULTS .sources = 2, .depth = 16, .xlen = 32, .hist = 32, .repeat_bits = 8, \
	.cycle_bits = 16, .insn_bits = 16, .lost_bits = 16
static const struct arbiter_unit units[] = {
#define CONFIG(id, ...) {#id, {DEFAULTS, __VA_ARGS__}, &arbiter_rtl_##id},
#include "tb/arbiter/configs.def"
};
#pragma GCC diagnostic pop
#define SIGNALS(X) X(valid) X(busy) X(head.source) X(head.time) X(head.missed) X(head.rec.start) X(head.rec.hist) \
	X(head.rec.reason) X(head.rec.count) X(head.rec.cycles) X(head.rec.insns) X(lost[0])
/* clang-format on */
enum { UNIT_COUNT = sizeof units / sizeof *units, LONGEST_PHASE = 3000, RESET_ONE_IN = 10000 };

struct bench {
	const struct arbiter_unit *unit;
	struct arbiter model;
	struct arbiter_rtl *rtl;
	uint64_t random, cycle;
	unsigned left, dense, pace; /* of the phase: records and takings, one in so many cycles */
	/* of each unit, since the reset */
	uint64_t came[ARBITER_SOURCES_MAX], went[ARBITER_SOURCES_MAX];
	bool told_least[ARBITER_SOURCES_MAX]; /* a number that stands for more was told */
	uint64_t last_time;
	uint64_t records, lost, ties, sums; /* seen */
	const char *inject;
	uint64_t inject_from;
	bool same;
};

static uint32_t draw(struct bench *b, uint32_t limit)
{
	b->random = b->random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (uint32_t)((b->random >> 32) * limit >> 32);
}

static uint64_t draw_bits(struct bench *b, unsigned bits)
{
	const uint64_t high = draw(b, UINT32_MAX), value = high << 32 | draw(b, UINT32_MAX);
	return bits >= 64 ? value : value & ((UINT64_C(1) << bits) - 1);
}

static void draw_inputs(struct bench *b, struct arbiter_in *in)
{
	const struct arbiter_config *c = &b->unit->config;
	if (b->left-- == 0) {
		b->left = 1 + draw(b, LONGEST_PHASE);
		b->dense = 1 + draw(b, 1 + draw(b, 30));
		b->pace = 1 + draw(b, 1 + draw(b, 12));
	}
	*in = (struct arbiter_in){.ready = draw(b, b->pace) == 0};
	for (unsigned s = 0; s < c->sources; s++) {
		if (draw(b, b->dense) != 0)
			continue;
		in->valid |= 1u << s;
		in->rec[s] = (struct record){.start = draw_bits(b, c->xlen) & ~UINT64_C(1),
		    .hist = draw_bits(b, c->hist) | 1,
		    .reason = (uint8_t)draw(b, 16),
		    .count = 1 + draw_bits(b, draw(b, c->repeat_bits)), /* a counter of the unit: no more than it has */
		    .cycles = draw_bits(b, c->cycle_bits),
		    .insns = (uint32_t)draw_bits(b, c->insn_bits)};
		if (in->rec[s].count >> (c->repeat_bits - 1) > 1)
			in->rec[s].count = 1;
	}
	b->ties += (in->valid & (in->valid - 1)) != 0;
}

static void differ(struct bench *b, const char *signal, uint64_t rtl, uint64_t model)
{
	if (b->same)
		printf("check-arbiter: %s: cycle %" PRIu64 ": %s is %" PRIx64 " in the RTL, %" PRIx64 " in the model\n",
		    b->unit->name, b->cycle, signal, rtl, model);
	b->same = false;
}

static void hold_outputs(struct bench *b, struct arbiter_out *rtl, const struct arbiter_out *model)
{
#define INJECT(signal)                                                                                                 \
	if (b->inject != NULL && b->cycle >= b->inject_from && strcmp(b->inject, #signal) == 0)                        \
		rtl->signal ^= 1;
	SIGNALS(INJECT)
#define COMPARE(signal)                                                                                                \
	if (rtl->signal != model->signal)                                                                              \
		differ(b, #signal, rtl->signal, model->signal);
	SIGNALS(COMPARE)
	for (unsigned s = 1; s < b->unit->config.sources; s++) {
		if (rtl->lost[s] != model->lost[s])
			differ(b, "lost", rtl->lost[s], model->lost[s]);
	}
}

static bool most_lost(const struct arbiter_config *config, uint32_t missed)
{
	return missed == (uint32_t)((UINT64_C(1) << config->lost_bits) - 1);
}

/* The sums, of what the RTL says. */
static void add_up(struct bench *b, const struct arbiter_in *in, const struct arbiter_out *out)
{
	const struct arbiter_config *c = &b->unit->config;
	for (unsigned s = 0; s < c->sources; s++)
		b->came[s] += in->valid >> s & 1 ? in->rec[s].count : 0;
	if (!out->valid || (!in->ready && c->sources > 1))
		return;
	b->records++;
	b->lost += out->head.missed;
	b->told_least[out->head.source % ARBITER_SOURCES_MAX] |= most_lost(c, out->head.missed);
	b->went[out->head.source % ARBITER_SOURCES_MAX] += out->head.rec.count + out->head.missed;
	if (c->time_bits > 32 && out->head.time < b->last_time)
		differ(b, "an older record's time", out->head.time, b->last_time);
	b->last_time = out->head.time;
}

static void bench_cycle(struct bench *b, bool rst, const struct arbiter_in *in, struct arbiter_out *out)
{
	struct arbiter_out model;
	b->unit->rtl->cycle(b->rtl, &b->unit->config, rst, in, out);
	arbiter_cycle(&b->model, in, &model);
	if (!rst) {
		hold_outputs(b, out, &model);
		add_up(b, in, out);
	}
	b->cycle++;
}

/* Everything leaves, so that the sums can be held against each other; then a reset. */
static void drain_and_reset(struct bench *b)
{
	const struct arbiter_config *c = &b->unit->config;
	struct arbiter_out out = {.busy = true};
	for (unsigned i = 0; b->same && out.busy && i < ARBITER_SOURCES_MAX * ARBITER_DEPTH_MAX + 4; i++)
		bench_cycle(b, false, &(struct arbiter_in){.ready = true}, &out);
	for (unsigned s = 0; s < c->sources; s++) {
		if (!b->told_least[s] && !most_lost(c, out.lost[s])) {
			b->sums++;
			if (b->went[s] + out.lost[s] != b->came[s])
				differ(b, "the traces that left and were lost, and came", b->went[s] + out.lost[s],
				    b->came[s]);
		}
		b->came[s] = b->went[s] = 0;
		b->told_least[s] = false;
	}
	for (unsigned i = 0; i < 3; i++)
		bench_cycle(b, true, &(struct arbiter_in){.valid = draw(b, 1u << c->sources)}, &out);
	arbiter_reset(&b->model, c);
	b->last_time = 0;
}

static int bench_unit(const struct arbiter_unit *unit, uint64_t seed, uint64_t cycles, const char *inject)
{
	static struct bench bench;
	bench = (struct bench){
	    .unit = unit, .random = seed * 2 + 1, .same = true, .inject = inject, .inject_from = cycles / 2};
	bench.rtl = unit->rtl->open((uint32_t)seed);
	if (bench.rtl == NULL)
		return fputs("lockstep: no memory\n", stderr), 4;
	arbiter_reset(&bench.model, &unit->config);
	struct arbiter_in in = {0};
	struct arbiter_out out;
	for (unsigned i = 0; i < 3; i++)
		unit->rtl->cycle(bench.rtl, &unit->config, true, &in, &out);
	while (bench.same && bench.cycle < cycles) {
		draw_inputs(&bench, &in);
		bench_cycle(&bench, false, &in, &out);
		if (draw(&bench, RESET_ONE_IN) == 0)
			drain_and_reset(&bench);
	}
	drain_and_reset(&bench);
	unit->rtl->close(bench.rtl);
	if (!bench.same)
		return 1;
	printf("check-arbiter: %-5s %" PRIu64 " cycles, %" PRIu64 " records, %" PRIu64 " cycles with several, %" PRIu64
	       " traces told to be lost, %" PRIu64 " sums, 0 differences\n",
	    unit->name, bench.cycle, bench.records, bench.ties, bench.lost, bench.sums);
	const bool several = unit->config.sources > 1;
	return bench.records == 0 || (bench.sums == 0 && unit->config.lost_bits > 1) || (bench.ties != 0) != several ||
		       (bench.lost != 0) != several
		   ? 2
		   : 0;
}

int main(int argc, char **argv)
{
	uint64_t seed = 1, cycles = 1000000;
	const char *inject = NULL;
	int first = 1, status = 0;
	for (; first < argc && argv[first][0] == '-'; first++) {
		if (strcmp(argv[first], "--list-signals") == 0) {
#define LIST(signal) puts(#signal);
			SIGNALS(LIST)
			return 0;
		}
		if (first + 1 == argc)
			return fputs("usage: lockstep [--seed N] [--cycles N] [--inject SIGNAL] [CONFIGURATION...]\n",
				   stderr),
			       4;
		if (strcmp(argv[first], "--seed") == 0)
			seed = strtoull(argv[++first], NULL, 0);
		else if (strcmp(argv[first], "--cycles") == 0)
			cycles = strtoull(argv[++first], NULL, 0);
		else
			inject = argv[++first];
	}
	for (size_t i = 0; i < UNIT_COUNT && status == 0; i++) {
		bool wanted = first == argc;
		for (int k = first; k < argc; k++)
			wanted |= strcmp(argv[k], units[i].name) == 0;
		if (wanted)
			status = bench_unit(&units[i], seed, cycles, inject);
	}
	return status;
}
