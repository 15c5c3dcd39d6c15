/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/*
 * Two cores on one bus (rtl/soc/rivulet_duo.v) in lockstep with two golden models, cycle by cycle, and what their trace
 * units wrote into the one ring against what each hart retired.
 *
 *   RTL: who has the bus ──► model of each hart: its bus waits in the other cycles
 *   a hart's or the sink's write ──► memory of both models
 *   records of both models ──► model of the arbiter ──► words of the sink, one by one
 *   ring in RAM, at the end ──► records of each hart ──► walked: the instructions that it retired, none left out
 *
 * With --table the hub has a hot-trace table: what left it has, path by path, the counts and cycles of what came.
 * Usage: lockstep [--table] [--seed N] [--inject SIGNAL] [--ring FILE] [--records FILE] PROGRAM.elf;
 * lockstep --list-signals
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "common/rivulet_regs.h"
#include "host/image/image.h"
#include "host/records/joined.h"
#include "host/walk/follow.h"
#include "model/arbiter.h"
#include "model/model.h"
#include "tb/duo/rtl.h"
#include "tb/program.h"

enum {
	RAM_BASE = 0x80000000,
	RAM_BYTES = 4194304,
	DEPTH = 16,
	TIME_BITS = 32,
	LOST_BITS = 24,
	WORDS = 6, /* of a record in the ring */
	INJECT_FROM = 3000
};
#define MOST_CYCLES UINT64_C(20000000)
/* What is compared of each hart, with the model's */
#define SIGNALS(X)                                                                                                     \
	X(retire_valid, o->valid, true)                                                                                \
	X(retire_pc, o->pc, o->valid)                                                                                  \
	X(retire_insn, o->insn, o->valid)                                                                              \
	X(retire_next_pc, o->next_pc, o->valid)                                                                        \
	X(retire_trap, o->trap, o->valid)                                                                              \
	X(retire_intr, o->intr, o->valid)                                                                              \
	X(retire_mode, o->mode, o->valid)                                                                              \
	X(bus_valid, o->bus_valid, true)                                                                               \
	X(bus_fetch, o->bus_fetch, o->bus_valid)                                                                       \
	X(bus_addr, o->bus_addr, o->bus_valid)                                                                         \
	X(bus_wstrb, o->bus_wstrb, o->bus_valid)                                                                       \
	X(bus_wdata, o->bus_wdata, o->bus_valid && o->bus_wstrb != 0)                                                  \
	X(irq_timer, o->irq_timer, true)                                                                               \
	X(irq_trace, o->irq_trace, true)                                                                               \
	X(rec_valid, o->trace.rec_valid, true)                                                                         \
	X(rec.start, o->trace.rec.start, o->trace.rec_valid)                                                           \
	X(rec.hist, o->trace.rec.hist, o->trace.rec_valid)                                                             \
	X(rec.reason, o->trace.rec.reason, o->trace.rec_valid)                                                         \
	X(rec.count, o->trace.rec.count, o->trace.rec_valid)                                                           \
	X(rec.cycles, o->trace.rec.cycles, o->trace.rec_valid)                                                         \
	X(rec.insns, o->trace.rec.insns, o->trace.rec_valid)

struct hart {
	struct model *model;
	struct model_out out;
	struct follow follow;
	bool asked; /* the hub, in the cycle before */
	uint64_t retired, traced, traps, waited;
	uint32_t ctrl; /* when it last traced */
};

struct counted { /* a path of a hart: what its unit handed over, and what the table of the hub made of it */
	unsigned hart;
	uint64_t start, hist;
	uint32_t reason, insns;
	uint64_t came, came_cycles, counted, counted_cycles;
};
enum { PATHS_MAX = 4096 };

struct bench {
	struct program program;
	struct duo_rtl *rtl;
	struct duo_out seen;
	struct hart hart[DUO_HARTS];
	struct arbiter arbiter;
	struct image *image;
	struct joined joined;
	unsigned owner, word; /* who has the bus; words of the record at the sink */
	uint32_t ring, written;
	uint64_t cycle, random, records;
	bool table; /* the hub has one */
	struct counted paths[PATHS_MAX];
	size_t path_count;
	const char *inject;
	bool same;
};

static const struct joined_config ring_config = {
    .sources = DUO_HARTS, .xlen = 32, .hist = 32, .with_cycles = true, .with_time = true};

static void differ(struct bench *b, unsigned hart, const char *signal, uint64_t rtl, uint64_t model)
{
	if (b->same)
		printf("check-duo: cycle %" PRIu64 ", hart %u: %s is %" PRIx64 " in the RTL, %" PRIx64
		       " in the model\n",
		    b->cycle, hart, signal, rtl, model);
	b->same = false;
}

static int trouble(const char *what, const char *why)
{
	fprintf(stderr, "lockstep: %s: %s\n", what, why);
	return 4;
}

/* ---- memory, which both models have */

static void both_write(struct bench *b, uint32_t address, uint32_t word, unsigned strobes)
{
	for (unsigned h = 0; h < DUO_HARTS; h++) {
		for (unsigned i = 0; i < 4; i++) {
			const uint8_t byte = (uint8_t)(word >> (8 * i));
			if (strobes >> i & 1)
				model_write(b->hart[h].model, address + i, &byte, 1);
		}
	}
}

/* ---- one hart in one cycle */

static void compare_hart(struct bench *b, unsigned h)
{
	const struct model_out *o = &b->hart[h].out;
	struct duo_hart *seen = &b->seen.hart[h];
#define INJECT(signal, value, when)                                                                                    \
	if (h == 1 && b->inject != NULL && b->cycle >= INJECT_FROM && strcmp(b->inject, #signal) == 0)                 \
		seen->signal ^= 1;
	SIGNALS(INJECT)
#define COMPARE(signal, value, when)                                                                                   \
	if ((when) && (uint64_t)seen->signal != (uint64_t)(value))                                                     \
		differ(b, h, #signal, seen->signal, (uint64_t)(value));
	SIGNALS(COMPARE)
}

static void step_hart(struct bench *b, unsigned h, bool wait)
{
	struct hart *hart = &b->hart[h];
	const struct duo_hart *seen = &b->seen.hart[h];
	const bool ready = b->owner == h && !wait && !b->seen.sink_valid;
	const struct model_in in = {.bus_wait = !ready, .uart_rx = true, .irq_ext = h == 0 && b->seen.irq_sink};
	if (seen->bus_ready != ready)
		differ(b, h, "bus_ready", seen->bus_ready, ready);
	if (hart->asked)
		model_answer(hart->model, b->seen.bus_rdata);
	model_cycle(hart->model, &in, &hart->out);
	compare_hart(b, h);
	const struct model_out *o = &hart->out;
	const bool accepted = o->bus_valid && ready;
	hart->asked = accepted && !o->bus_fetch && o->bus_addr - DUO_HUB < DUO_HUB_BYTES;
	hart->waited += o->bus_valid && !ready;
	if (accepted && o->bus_wstrb != 0 && o->bus_addr - RAM_BASE < RAM_BYTES)
		both_write(b, o->bus_addr, o->bus_wdata, o->bus_wstrb);
	if (!o->valid)
		return;
	const struct trace *trace = model_trace(hart->model);
	hart->retired++;
	hart->traps += o->trap || o->intr;
	if ((trace->ctrl & RV_CTRL_ENABLE_MASK) != 0)
		hart->ctrl = trace->ctrl;
	hart->traced += follow_taken(trace);
	if (follow_retire(&hart->follow, trace) != FOLLOW_OK)
		differ(b, h, "instructions that wait for a record", hart->follow.waiting, 0);
}

/* ---- the hub: what the sink writes is what the arbiter's model has at its head */

static void step_hub(struct bench *b, bool wait)
{
	struct arbiter_in in = {.ready = b->seen.rec_taken};
	struct arbiter_out out;
	for (unsigned h = 0; h < DUO_HARTS; h++) {
		in.valid |= (unsigned)b->hart[h].out.trace.rec_valid << h;
		in.rec[h] = b->hart[h].out.trace.rec;
	}
	arbiter_cycle(&b->arbiter, &in, &out);
	const struct arbiter_entry *head = &out.head;
	const uint32_t info = (uint32_t)(head->rec.reason << RV_REC_INFO_REASON_LSB) |
			      (uint32_t)(head->rec.count << RV_REC_INFO_REPEAT_LSB) |
			      head->rec.insns << RV_REC_INFO_INSNS_LSB;
	const uint32_t words[WORDS] = {(uint32_t)head->rec.start, (uint32_t)head->rec.hist, info,
	    (uint32_t)head->rec.cycles, head->missed << 8 | head->source, (uint32_t)head->time};
	const bool takes = b->seen.sink_valid && !wait;
	if (b->seen.sink_valid && !out.valid)
		differ(b, 0, "sink_valid", 1, 0);
	if (takes && b->seen.sink_wdata != words[b->word])
		differ(b, head->source, "sink_wdata", b->seen.sink_wdata, words[b->word]);
	if (takes && b->seen.sink_addr != b->ring + b->written)
		differ(b, head->source, "sink_addr", b->seen.sink_addr, b->ring + b->written);
	if (b->seen.rec_taken != (takes && b->word + 1 == WORDS))
		differ(b, head->source, "rec_taken", b->seen.rec_taken, takes && b->word + 1 == WORDS);
	if (!takes)
		return;
	both_write(b, b->seen.sink_addr, b->seen.sink_wdata, 0xF);
	b->written += 4;
	b->word = b->seen.rec_taken ? 0 : b->word + 1;
	b->records += b->seen.rec_taken;
}

/* ---- a hub with a hot-trace table: what leaves it is what came, path by path */

static struct counted *path_of(struct bench *b, unsigned hart, const struct record *r)
{
	struct counted *at = b->paths;
	for (; at < b->paths + b->path_count; at++) {
		if (at->hart == hart && at->start == r->start && at->hist == r->hist && at->reason == r->reason &&
		    at->insns == r->insns)
			return at;
	}
	if (b->path_count == PATHS_MAX) {
		differ(b, hart, "paths", PATHS_MAX, PATHS_MAX);
		return b->paths;
	}
	b->path_count++;
	*at =
	    (struct counted){.hart = hart, .start = r->start, .hist = r->hist, .reason = r->reason, .insns = r->insns};
	return at;
}

static void step_table(struct bench *b, bool wait)
{
	struct arbiter_in in = {.ready = b->seen.rec_taken};
	struct arbiter_out out;
	for (unsigned h = 0; h < DUO_HARTS; h++) {
		const struct record *r = &b->hart[h].out.trace.rec;
		in.valid |= (unsigned)b->hart[h].out.trace.rec_valid << h;
		in.rec[h] = *r;
		if (!b->hart[h].out.trace.rec_valid)
			continue;
		struct counted *path = path_of(b, h, r);
		path->came += r->count;
		path->came_cycles += r->cycles;
	}
	arbiter_cycle(&b->arbiter, &in, &out);
	if (b->seen.rec_taken && !out.valid)
		differ(b, 0, "rec_taken", 1, 0);
	b->records += b->seen.rec_taken;
	if (!b->seen.sink_valid || wait)
		return;
	if (b->seen.sink_addr != b->ring + b->written)
		differ(b, 0, "sink_addr", b->seen.sink_addr, b->ring + b->written);
	both_write(b, b->seen.sink_addr, b->seen.sink_wdata, 0xF);
	b->written += 4;
}

/* START, HIST, REC_INFO, CYCLES, COUNT, ORIGIN of each that left the table. */
static int hold_counts(struct bench *b)
{
	uint64_t traces = 0;
	for (uint32_t at = 0; at + 4 * WORDS <= b->written; at += 4 * WORDS) {
		uint32_t w[WORDS];
		for (unsigned i = 0; i < WORDS; i++)
			w[i] = duo_rtl_read(b->rtl, (b->ring - RAM_BASE + at) / 4 + i);
		const struct record r = {.start = w[0],
		    .hist = w[1],
		    .reason = (uint8_t)((w[2] & RV_REC_INFO_REASON_MASK) >> RV_REC_INFO_REASON_LSB),
		    .insns = (w[2] & RV_REC_INFO_INSNS_MASK) >> RV_REC_INFO_INSNS_LSB};
		struct counted *path = path_of(b, w[5], &r);
		path->counted_cycles += w[3];
		path->counted += w[4];
	}
	for (size_t i = 0; i < b->path_count; i++) {
		const struct counted *path = &b->paths[i];
		if (path->came != path->counted || path->came_cycles != path->counted_cycles)
			differ(b, path->hart, "count of a path", path->counted, path->came);
		traces += path->counted;
	}
	if (!b->same)
		return 1;
	printf("check-duo: %" PRIu64 " cycles, %" PRIu64 " records counted in one table, %u left it, %" PRIu64
	       " traces of %zu paths, 0 differences\n",
	    b->cycle, b->records, (unsigned)(b->written / (4 * WORDS)), traces, b->path_count);
	return traces > 1000 ? 0 : trouble("program", "too little was traced");
}

/* ---- a run */

static int run_duo(struct bench *b)
{
	for (b->cycle = 0; b->same && b->cycle < MOST_CYCLES; b->cycle++) {
		b->random = b->random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
		const bool wait = b->random >> 61 == 0; /* one cycle in eight */
		duo_rtl_cycle(b->rtl, false, wait, &b->seen);
		for (unsigned h = 0; h < DUO_HARTS; h++)
			step_hart(b, h, wait);
		if (b->table)
			step_table(b, wait);
		else
			step_hub(b, wait);
		if (!wait && !b->seen.sink_valid && b->seen.hart[1 - b->owner].bus_valid)
			b->owner = 1 - b->owner;
		if (b->seen.exit_valid && b->seen.exit_code != 0)
			printf("check-duo: the program ends with code %" PRIu32 "\n", b->seen.exit_code);
		if (b->seen.exit_valid)
			return b->seen.exit_code == 0 ? 0 : 1;
	}
	if (b->same)
		printf("check-duo: the program does not end\n");
	return 1;
}

static int prepare_duo(struct bench *b, const char *path)
{
	char detail[300];
	struct model_config config;
	if (program_open(&b->program, path, RAM_BASE, RAM_BYTES) != 0)
		return trouble(path, b->program.error);
	if (image_open(&b->image, path, detail, sizeof detail) != IMAGE_OK)
		return trouble(path, detail);
	if (!program_symbol(&b->program, "ring", &b->ring))
		return trouble(path, "has no symbol ring");
	model_config_default(&config);
	config.ram_size = RAM_BYTES;
	config.sim = true;
	for (unsigned h = 0; h < DUO_HARTS; h++) {
		config.hart = h;
		const int error = model_open(&b->hart[h].model, &config);
		if (error != MODEL_OK || model_write(b->hart[h].model, RAM_BASE, b->program.ram, RAM_BYTES) != MODEL_OK)
			return trouble("golden model", model_strerror(error));
		if (follow_open(&b->hart[h].follow, b->image) != FOLLOW_OK)
			return trouble(path, "out of memory");
	}
	struct arbiter_config arbiter;
	arbiter_config_default(&arbiter);
	arbiter.depth = DEPTH;
	arbiter.time_bits = TIME_BITS;
	arbiter.lost_bits = LOST_BITS;
	arbiter_reset(&b->arbiter, &arbiter);
	b->rtl = duo_rtl_open();
	if (b->rtl == NULL)
		return trouble(path, "out of memory");
	for (uint32_t i = 0; i < RAM_BYTES / 4; i++) {
		uint32_t word;
		memcpy(&word, b->program.ram + 4 * (size_t)i, sizeof word);
		duo_rtl_write(b->rtl, i, word);
	}
	for (unsigned i = 0; i < 4; i++)
		duo_rtl_cycle(b->rtl, true, false, &b->seen);
	return 0;
}

/* ---- what the ring says */

static int read_ring(struct bench *b, const char *path)
{
	uint8_t *bytes = malloc(b->written + 4);
	if (bytes == NULL)
		return trouble("ring", "out of memory");
	for (uint32_t at = 0; at < b->written; at += 4) {
		const uint32_t word = duo_rtl_read(b->rtl, (b->ring - RAM_BASE + at) / 4);
		memcpy(bytes + at, &word, 4);
	}
	FILE *file = path == NULL ? NULL : fopen(path, "wb");
	if (path != NULL && (file == NULL || fwrite(bytes, 1, b->written, file) != b->written || fclose(file) != 0))
		return trouble(path, "cannot be written");
	const int error = joined_read(&b->joined, &ring_config, bytes, b->written);
	free(bytes);
	return error == JOINED_OK ? 0 : trouble("ring", joined_strerror(error));
}

/* Every record of each hart, walked, gives what it retired. */
static int hold_records(struct bench *b)
{
	uint64_t last = 0;
	for (size_t i = 0; i < b->joined.count && b->same; i++) {
		const struct joined_record *r = &b->joined.all[i];
		struct hart *hart = &b->hart[r->source];
		if (r->time < last)
			differ(b, r->source, "time of a record", r->time, last);
		last = r->time;
		if (follow_record(&hart->follow, model_trace(hart->model), &r->record) != FOLLOW_OK)
			differ(b, r->source, "pc of a record", hart->follow.got, hart->follow.expected);
	}
	for (unsigned h = 0; h < DUO_HARTS; h++) {
		const struct hart *hart = &b->hart[h];
		if (hart->follow.waiting != 0 || hart->follow.instructions != hart->traced || b->joined.missed[h] != 0)
			differ(b, h, "instructions in records", hart->follow.instructions, hart->traced);
	}
	return b->same ? 0 : 1;
}

static int emit_duo(void *context, const void *bytes, size_t size)
{
	return fwrite(bytes, 1, size, context) == size ? 0 : 1;
}

static int write_duo(struct bench *b, const char *path)
{
	const struct trace_config *unit = &model_trace(b->hart[0].model)->config;
	struct records_header header = {.xlen = 32,
	    .hist = 32,
	    .insn_bits = unit->insn_bits,
	    .cycle_bits = unit->cycle_bits,
	    .repeat_bits = unit->repeat_bits,
	    .source = RECORDS_RTL,
	    .harts = DUO_HARTS,
	    .name = "duo"};
	const struct records_end end = {.cycles = DUO_HARTS * b->cycle,
	    .instructions = b->hart[0].retired + b->hart[1].retired,
	    .last_cycle = b->cycle,
	    .traced_instructions = b->hart[0].traced + b->hart[1].traced,
	    .ending = RECORDS_END_EXIT};
	struct records_writer *writer;
	FILE *file = fopen(path, "wb");
	records_identify(&header, b->image);
	if (file == NULL || records_writer_open(&writer, &header, 0, emit_duo, file) != RECORDS_OK)
		return trouble(path, "cannot be written");
	const int error = joined_write(&b->joined, &ring_config, writer, b->hart[0].ctrl, &end);
	records_writer_close(writer);
	if (fclose(file) != 0 || error != JOINED_OK)
		return trouble(path, joined_strerror(error));
	return 0;
}

static int finish_duo(struct bench *b, const char *ring, const char *records)
{
	if (b->table)
		return hold_counts(b);
	int status = read_ring(b, ring);
	if (status == 0)
		status = hold_records(b);
	if (status == 0 && records != NULL)
		status = write_duo(b, records);
	if (status != 0)
		return status;
	printf("check-duo: %" PRIu64 " cycles, %" PRIu64 " records in one ring, 0 differences\n", b->cycle, b->records);
	for (unsigned h = 0; h < DUO_HARTS; h++) {
		const struct hart *hart = &b->hart[h];
		printf("check-duo: hart %u: %" PRIu64 " instructions, %" PRIu64 " traced, %" PRIu64
		       " of them walked back, %" PRIu64 " traps, waits for the bus in %.1f%% of cycles\n",
		    h, hart->retired, hart->traced, hart->follow.instructions, hart->traps,
		    100.0 * (double)hart->waited / (double)b->cycle);
		if (hart->traced < 1000)
			return trouble("program", "too little was traced");
	}
	return 0;
}

static int duo_usage(void)
{
	fputs("usage: lockstep [--table] [--seed N] [--inject SIGNAL] [--ring FILE] [--records FILE] PROGRAM.elf\n",
	    stderr);
	return 4;
}

int main(int argc, char **argv)
{
	static struct bench bench = {.same = true, .random = 1};
	const char *ring = NULL, *records = NULL;
	int i = 1;
	for (; i < argc && argv[i][0] == '-'; i++) {
		if (strcmp(argv[i], "--list-signals") == 0) {
#define LIST(signal, value, when) puts(#signal);
			SIGNALS(LIST)
			return 0;
		}
		if (strcmp(argv[i], "--table") == 0) {
			bench.table = true;
			continue;
		}
		if (i + 2 >= argc)
			return duo_usage();
		if (strcmp(argv[i], "--seed") == 0)
			bench.random = strtoull(argv[++i], NULL, 0) * 2 + 1;
		else if (strcmp(argv[i], "--inject") == 0)
			bench.inject = argv[++i];
		else if (strcmp(argv[i], "--ring") == 0)
			ring = argv[++i];
		else if (strcmp(argv[i], "--records") == 0)
			records = argv[++i];
		else
			return duo_usage();
	}
	if (i + 1 != argc)
		return duo_usage();
	int status = prepare_duo(&bench, argv[i]);
	if (status == 0)
		status = run_duo(&bench);
	if (status == 0)
		status = finish_duo(&bench, ring, records);
	joined_free(&bench.joined);
	for (unsigned h = 0; h < DUO_HARTS; h++) {
		follow_close(&bench.hart[h].follow);
		model_close(bench.hart[h].model);
	}
	if (bench.rtl != NULL)
		duo_rtl_close(bench.rtl);
	image_close(bench.image);
	program_close(&bench.program);
	return status;
}
