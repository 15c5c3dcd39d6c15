/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/*
 * The ring of the dense coder against its model, cycle by cycle, with random records, reads, writes and resets; and at
 * each freeze against the receiver: what the ring holds, read as software reads it, are the last traces that came, and
 * at least as many bytes of them as START_BYTES leaves. Usage: lockstep [--seed N] [--cycles N] [--inject]
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "host/records/dense.h"
#include "tb/dense/stimulus.h"
#include "tb/dense_ring/rtl.h"

/* module.mk gives the RTL the same */
enum { BYTES = 512, START_BYTES = 200, QUEUE = 32 };
static const struct dense_ring_config ring_config = {.bytes = BYTES,
    .start_bytes = START_BYTES,
    .coder = {.xlen = 32,
	.hist = 32,
	.entries = 64,
	.places = 512,
	.repeat_bits = 3,
	.insn_bits = 9,
	.queue = QUEUE,
	.check_bits = 4}};
enum {
	STATE = 4 * BYTES,
	FREEZE_ONE_IN = 3000,
	WARM_ONE_IN = 4,
	POWER_ONE_IN = 40,
	EMPTY_ONE_IN = 30000,
	LOG = 1u << 22
};
enum { BUSY = 1u << 31, FULL = 1u << 30 };

struct bench {
	struct dense_ring model;
	struct ring_rtl *rtl;
	struct dense_stimulus stimulus;
	uint64_t cycle, inject_from;
	unsigned written;     /* places that have held a byte */
	bool unknown;         /* what is read now is none of them */
	struct dense_in *log; /* records since the reset of power; each stands for its traces */
	uint32_t came;
	uint64_t freezes, warm, fulls, traces, lost; /* seen */
	bool same;
};

static uint32_t bench_cycle(struct bench *b, const struct dense_ring_in *in)
{
	uint32_t rtl = ring_rtl_cycle(b->rtl, in);
	const uint32_t model = dense_ring_cycle(&b->model, in);
	if (b->cycle >= b->inject_from)
		rtl ^= 1;
	if (rtl != model && !b->unknown && b->same) {
		printf("check-dense-ring: cycle %" PRIu64 ": rdata is %08x in the RTL, %08x in the model\n", b->cycle,
		    rtl, model);
		b->same = false;
	}
	if (in->record.rec_valid && b->came < LOG)
		b->log[b->came++] = in->record;
	const unsigned held = b->model.full ? BYTES : b->model.next;
	b->unknown = b->model.read_byte && in->addr / 4 % BYTES >= b->written;
	b->written = held > b->written ? held : b->written;
	b->cycle++;
	return rtl;
}

static void bench_reset(struct bench *b, bool power_on)
{
	for (unsigned i = 0; i < 3; i++)
		bench_cycle(b, &(struct dense_ring_in){.rst = true, .power_on = power_on, .record.flush = true});
	if (power_on)
		b->came = 0;
}

static uint32_t bench_read(struct bench *b, uint32_t addr)
{
	bench_cycle(b, &(struct dense_ring_in){.sel = true, .addr = addr, .record.flush = true});
	return bench_cycle(b, &(struct dense_ring_in){.record.flush = true});
}

/* ---------------------------------------------------------------- what is in the ring, judged by the log */

struct ring_judge {
	const struct bench *bench;
	uint32_t at, done; /* the record that the next trace is of, and its traces before */
	uint64_t traces, lost;
	bool wrong;
};

static void step_on(struct ring_judge *j, uint64_t count)
{
	while (count > 0 && j->at < j->bench->came) {
		const uint64_t left = j->bench->log[j->at].repeat - j->done, now = count < left ? count : left;
		j->done += (uint32_t)now;
		count -= now;
		if (j->done == j->bench->log[j->at].repeat) {
			j->at++;
			j->done = 0;
		}
	}
	j->wrong |= count > 0;
}

static int ring_took(void *context, const struct record *record)
{
	struct ring_judge *j = context;
	const struct dense_in *in = &j->bench->log[j->at];
	j->wrong |= j->at >= j->bench->came || record->start != in->start || record->hist != in->hist ||
		    record->reason != in->reason || record->count != 1 ||
		    (record_reason_cut(record->reason) && record->insns != in->insns);
	j->traces++;
	step_on(j, 1);
	return j->wrong;
}

static int ring_missed(void *context, uint64_t count)
{
	struct ring_judge *j = context;
	step_on(j, count);
	return j->wrong;
}

static void ring_told(void *context, const struct dense_note *note)
{
	struct ring_judge *j = context;
	if (note->kind == DENSE_NOTE_LOST)
		j->lost += note->count;
	/* Only what stands before the first start may be cut, and nothing behind it. */
	j->wrong |= note->kind == DENSE_NOTE_MISSING || note->kind == DENSE_NOTE_RESTART ||
		    note->kind == DENSE_NOTE_SHAPE || (note->kind == DENSE_NOTE_CUT && j->traces != 0);
}

static const char *judge_ring(struct bench *b, const uint8_t *bytes, size_t count, bool full)
{
	struct ring_judge j = {.bench = b};
	struct dense_reader *reader;
	if (dense_reader_open(&reader, &(struct dense_reader_sink){ring_took, ring_missed, ring_told, &j}) !=
	    DENSE_READER_OK)
		return "no memory";
	if (dense_reader_feed(reader, bytes, count) == DENSE_READER_OK)
		dense_reader_finish(reader);
	const uint64_t starts = dense_reader_counts(reader)->starts;
	dense_reader_close(reader);
	b->traces += j.traces;
	b->lost += j.lost;
	if (j.wrong)
		return "a trace comes out of the ring that did not come, or not there";
	if (full && starts == 0)
		return "a full ring has no start";
	if (starts != 0 && j.at != b->came)
		return "the last trace of the ring is not the last that came";
	return NULL;
}

/* Tracing goes off, in one of four with a reset; the ring is read as sw/trace/dense.c reads it, twice. */
static void bench_freeze(struct bench *b)
{
	uint8_t bytes[2][BYTES];
	if (dense_stimulus_draw(&b->stimulus, WARM_ONE_IN) == 0) {
		bench_reset(b, false);
		b->warm++;
	}
	uint32_t state = bench_read(b, STATE);
	for (unsigned i = 0; i < 100000 && (state & BUSY) != 0; i++)
		state = bench_read(b, STATE);
	const bool full = (state & FULL) != 0;
	const uint32_t next = state & 0xFFFF, count = full ? BYTES : next;
	for (unsigned pass = 0; pass < 2; pass++) {
		for (uint32_t i = 0; i < count; i++)
			bytes[pass][i] = (uint8_t)bench_read(b, 4 * ((full ? next + i : i) % BYTES));
		if (pass == 0)
			bench_reset(b, false);
	}
	const char *wrong = (state & BUSY) != 0                 ? "the last bytes do not come"
			    : memcmp(bytes[0], bytes[1], count) ? "what is frozen does not stay"
								: judge_ring(b, bytes[0], count, full);
	if (wrong != NULL && b->same) {
		printf("check-dense-ring: cycle %" PRIu64 ": %s\n", b->cycle, wrong);
		b->same = false;
	}
	b->freezes++;
	b->fulls += full;
}

static void bench_run(struct bench *b, uint64_t cycles)
{
	while (b->same && b->cycle < cycles) {
		struct dense_ring_in in = {0};
		dense_stimulus_cycle(&b->stimulus, &in.record);
		in.sel = dense_stimulus_draw(&b->stimulus, 3) == 0;
		in.addr = 4 * dense_stimulus_draw(&b->stimulus, 2 * BYTES);
		in.write = dense_stimulus_draw(&b->stimulus, EMPTY_ONE_IN) == 0;
		in.power_on = dense_stimulus_draw(&b->stimulus, 2) == 0; /* without a reset it means nothing */
		bench_cycle(b, &in);
		if (dense_stimulus_draw(&b->stimulus, FREEZE_ONE_IN) == 0) {
			bench_freeze(b);
			if (dense_stimulus_draw(&b->stimulus, POWER_ONE_IN) == 0 || b->came > LOG / 2)
				bench_reset(b, true);
		}
	}
}

int main(int argc, char **argv)
{
	static struct bench bench = {.same = true};
	uint64_t seed = 1, cycles = 1000000;
	bool inject = false;
	for (int i = 1; i < argc; i++) {
		if (strcmp(argv[i], "--inject") == 0)
			inject = true;
		else if (i + 1 < argc && strcmp(argv[i], "--seed") == 0)
			seed = strtoull(argv[++i], NULL, 0);
		else if (i + 1 < argc && strcmp(argv[i], "--cycles") == 0)
			cycles = strtoull(argv[++i], NULL, 0);
		else
			return fputs("usage: lockstep [--seed N] [--cycles N] [--inject]\n", stderr), 4;
	}
	bench.inject_from = inject ? cycles / 2 : UINT64_MAX;
	bench.log = malloc(LOG * sizeof *bench.log);
	bench.rtl = ring_rtl_open((uint32_t)seed);
	if (bench.log == NULL || bench.rtl == NULL)
		return fputs("lockstep: no memory\n", stderr), 4;
	dense_ring_reset(&bench.model, &ring_config);
	dense_stimulus_init(&bench.stimulus, &bench.model.config.coder, seed);
	for (unsigned i = 0; i < 3; i++)
		ring_rtl_cycle(bench.rtl, &(struct dense_ring_in){.rst = true, .power_on = true});
	bench_run(&bench, cycles);
	ring_rtl_close(bench.rtl);
	free(bench.log);
	printf("check-dense-ring: %" PRIu64 " cycles, %" PRIu64 " freezes, %" PRIu64 " of them by a reset, %" PRIu64
	       " with a full ring, %" PRIu64 " traces read back, %" PRIu64 " told to be lost\n",
	    bench.cycle, bench.freezes, bench.warm, bench.fulls, bench.traces, bench.lost);
	if (!bench.same)
		return 1;
	return bench.warm == 0 || bench.fulls == 0 || bench.traces == 0 || bench.lost == 0 ? 2 : 0;
}
