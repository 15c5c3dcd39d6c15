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
 * With --table the hub has a hot-trace table: what left it has, path by path, the counts and cycles of what came. With
 * --console FILE the program counts the ring, of 2^N bytes (--ring-bits), itself: what it prints goes to the file, and
 * FILE.0 and FILE.1 get what each unit made.
 * Usage: lockstep [--table] [--seed N] [--inject SIGNAL] [--ring FILE] [--records FILE] [--console FILE --ring-bits N]
 * PROGRAM.elf;
 * lockstep --list-signals
 */
#include "tb/duo/bench.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

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
		duo_differ(b, h, #signal, seen->signal, (uint64_t)(value));
	SIGNALS(COMPARE)
}

static void step_hart(struct bench *b, unsigned h, bool wait)
{
	struct hart *hart = &b->hart[h];
	const struct duo_hart *seen = &b->seen.hart[h];
	const bool ready = b->owner == h && !wait && !b->seen.sink_valid;
	const struct model_in in = {.bus_wait = !ready, .uart_rx = true, .irq_ext = h == 0 && b->seen.irq_sink};
	if (seen->bus_ready != ready)
		duo_differ(b, h, "bus_ready", seen->bus_ready, ready);
	if (hart->asked)
		model_answer(hart->model, b->seen.bus_rdata);
	model_cycle(hart->model, &in, &hart->out);
	compare_hart(b, h);
	if (hart->out.trace.rec_valid)
		duo_count(&hart->came, &hart->out.trace.rec);
	const struct model_out *o = &hart->out;
	if (o->console_valid && b->console != NULL)
		fputc(o->console_byte, b->console);
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
	if (b->console == NULL && follow_retire(&hart->follow, trace) != FOLLOW_OK)
		duo_differ(b, h, "instructions that wait for a record", hart->follow.waiting, 0);
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
		duo_differ(b, 0, "sink_valid", 1, 0);
	if (takes && b->seen.sink_wdata != words[b->word])
		duo_differ(b, head->source, "sink_wdata", b->seen.sink_wdata, words[b->word]);
	if (takes && b->seen.sink_addr != b->ring + (b->written & b->ring_mask))
		duo_differ(b, head->source, "sink_addr", b->seen.sink_addr, b->ring + (b->written & b->ring_mask));
	if (b->seen.rec_taken != (takes && b->word + 1 == WORDS))
		duo_differ(b, head->source, "rec_taken", b->seen.rec_taken, takes && b->word + 1 == WORDS);
	if (!takes)
		return;
	both_write(b, b->seen.sink_addr, b->seen.sink_wdata, 0xF);
	b->written += 4;
	b->word = b->seen.rec_taken ? 0 : b->word + 1;
	b->records += b->seen.rec_taken;
}

/* ---- a hub with a hot-trace table: what left it is held against what came at the end */

static void step_table(struct bench *b, bool wait)
{
	struct arbiter_in in = {.ready = b->seen.rec_taken};
	struct arbiter_out out;
	for (unsigned h = 0; h < DUO_HARTS; h++) {
		in.valid |= (unsigned)b->hart[h].out.trace.rec_valid << h;
		in.rec[h] = b->hart[h].out.trace.rec;
	}
	arbiter_cycle(&b->arbiter, &in, &out);
	if (b->seen.rec_taken && !out.valid)
		duo_differ(b, 0, "rec_taken", 1, 0);
	b->records += b->seen.rec_taken;
	if (!b->seen.sink_valid || wait)
		return;
	if (b->seen.sink_addr != b->ring + (b->written & b->ring_mask))
		duo_differ(b, 0, "sink_addr", b->seen.sink_addr, b->ring + (b->written & b->ring_mask));
	both_write(b, b->seen.sink_addr, b->seen.sink_wdata, 0xF);
	b->written += 4;
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
		return duo_trouble(path, b->program.error);
	if (image_open(&b->image, path, detail, sizeof detail) != IMAGE_OK)
		return duo_trouble(path, detail);
	if (!program_symbol(&b->program, "ring", &b->ring))
		return duo_trouble(path, "has no symbol ring");
	model_config_default(&config);
	config.ram_size = RAM_BYTES;
	config.sim = true;
	for (unsigned h = 0; h < DUO_HARTS; h++) {
		config.hart = h;
		const int error = model_open(&b->hart[h].model, &config);
		if (error != MODEL_OK || model_write(b->hart[h].model, RAM_BASE, b->program.ram, RAM_BYTES) != MODEL_OK)
			return duo_trouble("golden model", model_strerror(error));
		if (follow_open(&b->hart[h].follow, b->image) != FOLLOW_OK)
			return duo_trouble(path, "out of memory");
	}
	struct arbiter_config arbiter;
	arbiter_config_default(&arbiter);
	arbiter.depth = DEPTH;
	arbiter.time_bits = TIME_BITS;
	arbiter.lost_bits = LOST_BITS;
	arbiter_reset(&b->arbiter, &arbiter);
	b->rtl = duo_rtl_open();
	if (b->rtl == NULL)
		return duo_trouble(path, "out of memory");
	for (uint32_t i = 0; i < RAM_BYTES / 4; i++) {
		uint32_t word;
		memcpy(&word, b->program.ram + 4 * (size_t)i, sizeof word);
		duo_rtl_write(b->rtl, i, word);
	}
	for (unsigned i = 0; i < 4; i++)
		duo_rtl_cycle(b->rtl, true, false, &b->seen);
	return 0;
}

static int duo_usage(void)
{
	fputs("usage: lockstep [--table] [--seed N] [--inject SIGNAL] [--ring FILE] [--records FILE] "
	      "[--console FILE --ring-bits N] PROGRAM.elf\n",
	    stderr);
	return 4;
}

int main(int argc, char **argv)
{
	static struct bench bench = {.same = true, .random = 1, .ring_mask = UINT32_MAX};
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
		else if (strcmp(argv[i], "--ring-bits") == 0)
			bench.ring_mask = (1u << strtoul(argv[++i], NULL, 0)) - 1;
		else if (strcmp(argv[i], "--console") == 0)
			bench.console_path = argv[++i];
		else
			return duo_usage();
	}
	if (i + 1 != argc)
		return duo_usage();
	if (bench.console_path != NULL && (bench.console = fopen(bench.console_path, "wb")) == NULL)
		return duo_trouble(bench.console_path, "cannot be written");
	int status = prepare_duo(&bench, argv[i]);
	if (status == 0)
		status = run_duo(&bench);
	if (status == 0)
		status = finish_duo(&bench, ring, records);
	joined_free(&bench.joined);
	for (unsigned h = 0; h < DUO_HARTS; h++) {
		follow_close(&bench.hart[h].follow);
		profile_fini(&bench.hart[h].came);
		model_close(bench.hart[h].model);
	}
	if (bench.rtl != NULL)
		duo_rtl_close(bench.rtl);
	image_close(bench.image);
	program_close(&bench.program);
	return status;
}
