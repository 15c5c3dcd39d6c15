/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/*
 * The model of the N-Trace encoder (model/ntrace, which the RTL equals cycle by cycle): random programs with traps and
 * interrupts become bytes in random settings, and the decoder gives the same instructions back; losses, filters, times
 * and owners; the register accesses of Linux's driver in its order.
 */
#include <check.h>
#include <elf.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "host/ntrace/decoder.h"
#include "model/ntrace.h"
#include "tests/standard_walks.h"
#include "tests/suite.h"

/* ---- an encoder and what goes in and out ---- */

struct bench {
	struct ntrace model;
	struct run *truth; /* what retired, and the bytes */
	unsigned slow;     /* of 256: cycles in which no byte is taken */
	unsigned drops;
	uint32_t words[256]; /* with_smem: what was written, by its address modulo 1024 */
	uint64_t cycles;
	uint64_t base; /* of the program's addresses */
};

static uint32_t bench_cycle(struct bench *b, const struct trace_retire *retire, struct ntrace_bus bus)
{
	struct ntrace_out out;
	struct ntrace_in in = {
	    .retire = *retire, .bus = bus, .byte_ready = draw(256) >= b->slow, .mem_ready = draw(4) != 0};
	in.retire.pc += b->base;
	in.retire.next_pc += b->base;
	ntrace_cycle(&b->model, &in, &out);
	const bool sink = b->model.config.sink_words > 0 || b->model.config.with_smem;
	if (out.byte_valid && (sink || in.byte_ready) && b->truth != NULL)
		keep_bytes(b->truth, &out.byte, 1);
	if (out.mem_valid && in.mem_ready)
		b->words[out.mem_addr / 4 % 256] = out.mem_wdata;
	b->drops += b->model.did.drop;
	b->cycles++;
	return out.rdata;
}

static void bench_write(struct bench *b, unsigned address, uint32_t value)
{
	bench_cycle(b, &(struct trace_retire){0},
	    (struct ntrace_bus){.write = true, .index = (uint16_t)(address / 4), .wdata = value});
}

static uint32_t bench_read(struct bench *b, unsigned address)
{
	const struct trace_retire none = {0};
	bench_cycle(b, &none, (struct ntrace_bus){.read = true, .index = (uint16_t)(address / 4)});
	return bench_cycle(b, &none, (struct ntrace_bus){0});
}

static void bench_idle(struct bench *b, unsigned cycles)
{
	for (unsigned i = 0; i < cycles; i++)
		bench_cycle(b, &(struct trace_retire){0}, (struct ntrace_bus){0});
}

#define FEATURES_ALL (1u << 3 | 3u << 6 | 1u << 8 | 1u << 10)
#define CONTROL_HTM (1u | 6u << 4)
#define CONTROL_BTM (1u | 3u << 4)

static void bench_start(struct bench *b, uint32_t control, uint32_t features)
{
	bench_write(b, NTRACE_TE_CONTROL, 1);
	bench_write(b, NTRACE_TE_FEATURES, features);
	bench_write(b, NTRACE_TS_CONTROL, 1u << 15 | 3);
	bench_write(b, NTRACE_TE_CONTROL, control);
	bench_write(b, NTRACE_TE_CONTROL, control | 6);
}

static void bench_stop(struct bench *b)
{
	bench_write(b, NTRACE_TE_CONTROL, bench_read(b, NTRACE_TE_CONTROL) & ~4u);
	bench_write(b, NTRACE_TE_CONTROL, bench_read(b, NTRACE_TE_CONTROL) & ~2u);
	for (unsigned i = 0; (bench_read(b, NTRACE_TE_CONTROL) & 0xA) != 8; i++)
		ck_assert_uint_lt(i, 100000);
	ck_assert(!b->model.pack.busy && b->model.queue.wr == b->model.queue.rd);
}

/* ---- a hart that runs random code by chance ---- */

struct hart {
	struct machine machine;
	uint64_t pc;
	bool trapped;            /* the next instruction is the first of a handler */
	bool interrupted, begun; /* begun: something has retired */
	uint8_t mode;
	unsigned pace; /* of 8: cycles in which something retires */
};

/* One instruction, or one that traps. Whether it is traced is for the caller to say. */
static struct trace_retire hart_step(struct hart *h, struct run *truth, bool traced)
{
	const struct standard_insn *insn = standard_code_at(h->machine.code, h->pc);
	struct trace_retire r = {
	    .valid = true, .intr = h->trapped || h->interrupted, .mode = h->mode, .insn = insn->word, .pc = h->pc};
	if (!can_run(&h->machine, insn)) {
		r.trap = true;
		r.next_pc = somewhere(&h->machine);
		if (insn->length == 0)
			r.insn = 0x73;
		h->machine.before.constant = false;
		if (traced)
			keep_step(truth, STANDARD_EXCEPTION, h->pc);
	} else {
		r.next_pc = next_of(&h->machine, insn);
		if (traced)
			keep_step(truth, STANDARD_RETIRED, h->pc);
	}
	h->pc = r.next_pc;
	h->interrupted = false;
	h->begun = true;
	h->trapped = r.trap;
	if (insn->class == STANDARD_TRAP_RETURN && !r.trap)
		h->mode = draw(2) == 0 ? 0 : 3;
	if (r.trap)
		h->mode = 3;
	return r;
}

static void hart_interrupt(struct hart *h, struct run *truth, bool traced)
{
	if (h->trapped || !h->begun)
		return;
	if (traced)
		keep_step(truth, STANDARD_INTERRUPT, h->pc);
	h->pc = somewhere(&h->machine);
	h->machine.before.constant = false;
	h->interrupted = true;
	h->mode = 3;
}

struct program {
	struct image *image; /* at 0 */
	struct image *wide;  /* the same for RV64, at another address; NULL: there is none */
	struct hart hart;
	uint16_t starts[CODE_HALVES];
};

#define CODE_SIZE (2 * CODE_HALVES + 4)

/* The code as a program of RV64. */
static struct image *wide_image(const uint8_t *code, uint64_t base)
{
	static uint8_t file[sizeof(Elf64_Ehdr) + sizeof(Elf64_Phdr) + CODE_SIZE];
	const size_t offset = sizeof(Elf64_Ehdr) + sizeof(Elf64_Phdr);
	const Elf64_Ehdr header = {.e_ident = {ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64, ELFDATA2LSB, EV_CURRENT},
	    .e_type = ET_EXEC,
	    .e_machine = EM_RISCV,
	    .e_version = EV_CURRENT,
	    .e_entry = base,
	    .e_phoff = sizeof(Elf64_Ehdr),
	    .e_flags = 1, /* RVC */
	    .e_ehsize = sizeof(Elf64_Ehdr),
	    .e_phentsize = sizeof(Elf64_Phdr),
	    .e_phnum = 1,
	    .e_shentsize = sizeof(Elf64_Shdr)};
	const Elf64_Phdr segment = {.p_type = PT_LOAD,
	    .p_flags = PF_R | PF_X,
	    .p_offset = offset,
	    .p_vaddr = base,
	    .p_paddr = base,
	    .p_filesz = CODE_SIZE,
	    .p_memsz = CODE_SIZE,
	    .p_align = 2};
	struct image *image;
	char detail[256] = "";
	memcpy(file, &header, sizeof header);
	memcpy(file + sizeof header, &segment, sizeof segment);
	memcpy(file + offset, code, CODE_SIZE);
	ck_assert_msg(
	    image_open_memory(&image, "wide", file, sizeof file, detail, sizeof detail) == IMAGE_OK, "%s", detail);
	return image;
}

static uint8_t code[CODE_SIZE];
static struct program *random_program(unsigned number)
{
	struct program *p = calloc(1, sizeof *p);
	seed = number * UINT64_C(0x9E3779B97F4A7C15) + 1;
	const size_t count = make_code(code, p->starts);
	ck_assert_int_eq(image_from_code(&p->image, 0, code, sizeof code), IMAGE_OK);
	p->hart = (struct hart){.machine = {standard_code_open(p->image), p->starts, count, {0}, {0}, 0, draw(9), {0}},
	    .mode = 3,
	    .pace = 1 + draw(8)};
	p->hart.pc = somewhere(&p->hart.machine);
	return p;
}

static void free_program(struct program *p)
{
	standard_code_close(p->hart.machine.code);
	image_close(p->image);
	image_close(p->wide);
	free(p);
}

static struct ntrace_config random_config(void)
{
	const bool owner = draw(2) != 0;
	return (struct ntrace_config){.xlen = 32,
	    .queue_depth = 512,
	    .hist = 8 + draw(24),
	    .returns = draw(2) == 0 ? 0 : 2u << draw(5),
	    .filters = 1,
	    .time_bits = draw(2) == 0 ? 0 : 8 + draw(33),
	    .context_bits = 0,
	    .src_bits = draw(2) == 0 ? 0 : draw(13),
	    .with_btm = true,
	    .with_repeat = draw(2) != 0,
	    .with_extend = draw(2) != 0,
	    .with_owner = owner};
}

static struct standard_counts decode_run(
    const struct program *p, const struct bench *b, bool history, const struct run *truth, struct run *run)
{
	const struct ntrace_config *c = &b->model.config;
	const struct ntrace_options options = {
	    .layout = {.source_bits = c->src_bits, .xlen = 32, .extend = c->with_extend && b->model.regs.extend},
	    .source = b->model.regs.src & ((1u << c->src_bits) - 1),
	    .history = history,
	    .implicit_return = c->returns > 0 && b->model.regs.returns && b->model.regs.compare};
	struct standard_decoder *d =
	    ntrace_open(p->wide != NULL ? p->wide : p->image, &options, keep_step, keep_told, run);
	run->count = run->told = 0;
	ck_assert_int_eq(standard_feed(d, truth->stream, truth->size), 0);
	ck_assert_int_eq(standard_finish(d), 0);
	struct standard_counts counts = standard_decoder_counts(d);
	standard_close(d);
	for (size_t i = 0; i < run->count; i++)
		run->steps[i].pc -= run->steps[i].pc == STANDARD_NOWHERE ? 0 : b->base;
	return counts;
}

static uint32_t random_features(void)
{
	return (draw(4) == 0 ? 0 : FEATURES_ALL) | draw(4096) << 16;
}

static uint32_t random_control(bool history)
{
	return (history ? CONTROL_HTM : CONTROL_BTM) | draw(2) << 9 | draw(4) << 16 | draw(5) << 20;
}

/* Runs so many cycles. */
static void run_hart(struct bench *b, struct hart *h, size_t cycles, bool (*traced)(const struct hart *h))
{
	for (size_t i = 0; i < cycles; i++) {
		struct trace_retire r = {0};
		if (draw(8) < h->pace) {
			if (draw(300) == 0)
				hart_interrupt(h, b->truth, traced == NULL);
			r = hart_step(h, b->truth, traced == NULL || traced(h));
		}
		bench_cycle(b, &r, (struct ntrace_bus){0});
	}
}

static struct bench *new_bench(const struct ntrace_config *config, struct run *truth)
{
	struct bench *b = calloc(1, sizeof *b);
	truth->size = truth->count = 0;
	b->truth = truth;
	ntrace_reset(&b->model, config);
	return b;
}

/* A third of the runs are of RV64, at the bottom, at the top and in the middle of the address space. */
static void widen(struct program *p, struct bench *b, struct ntrace_config *config)
{
	static const uint64_t bases[] = {0, UINT64_C(0xFFFFFFFF80000000), UINT64_C(0x3FFFF00000),
	    UINT64_C(0x7FFFFFFFFFFFF000), UINT64_C(0x8000000000000000), UINT64_C(0x80000000)};
	config->xlen = 64;
	b->base = bases[draw(6)];
	p->wide = wide_image(code, b->base);
	ntrace_reset(&b->model, config);
}

/* All settings: the same instructions, exceptions, interrupts, begin and end. */
START_TEST(random_settings)
{
	struct run *truth = calloc(1, sizeof *truth), *run = calloc(1, sizeof *run);
	for (unsigned number = 0; number < 300; number++) {
		struct program *p = random_program(number);
		struct ntrace_config config = random_config();
		const bool history = draw(3) != 0;
		struct bench *b = new_bench(&config, truth);
		p->hart.pace = 1 + draw(2);
		if (number % 3 == 0)
			widen(p, b, &config);
		bench_start(b, random_control(history), random_features());
		keep_step(truth, STANDARD_BROKEN, STANDARD_NOWHERE);
		run_hart(b, &p->hart, 4000, NULL);
		keep_step(truth, STANDARD_BROKEN, p->hart.pc);
		bench_stop(b);
		ck_assert_msg(b->drops == 0, "%u: %u events lost", number, b->drops);
		decode_run(p, b, history, truth, run);
		ck_assert_msg(run->told == 0, "%u: told at byte %" PRIu64, number, run->first_told);
		ck_assert_msg(run->count == truth->count, "%u: %zu steps, not %zu", number, run->count, truth->count);
		for (size_t i = 0; i < run->count; i++)
			ck_assert_msg(
			    run->steps[i].pc == truth->steps[i].pc && run->steps[i].event == truth->steps[i].event,
			    "%u: step %zu", number, i);
		free(b);
		free_program(p);
	}
	free(truth);
	free(run);
}
END_TEST

/* A sink that is too slow, a queue that is too short: what is there is of the run, and the loss is said. */
START_TEST(losses)
{
	struct run *truth = calloc(1, sizeof *truth), *run = calloc(1, sizeof *run);
	unsigned lost = 0, there = 0;
	for (unsigned number = 0; number < 100; number++) {
		struct program *p = random_program(number);
		struct ntrace_config config = random_config();
		const bool history = draw(3) != 0;
		config.queue_depth = 8u << draw(3);
		struct bench *b = new_bench(&config, truth);
		b->slow = 100 + draw(140);
		bench_start(b, random_control(history), random_features());
		run_hart(b, &p->hart, 4000, NULL);
		const bool trouble = (bench_read(b, NTRACE_TE_CONTROL) >> 12 & 1) != 0;
		bench_stop(b);
		struct standard_counts counts = decode_run(p, b, history, truth, run);
		ck_assert_msg(run->told == 0, "%u: told at byte %" PRIu64, number, run->first_told);
		ck_assert_msg(is_part(run, truth), "%u: not of the run", number);
		ck_assert_msg((b->drops > 0) == (counts.overflows > 0), "%u: %u drops, %" PRIu64 " told", number,
		    b->drops, counts.overflows);
		ck_assert(trouble == (b->drops > 0));
		lost += b->drops > 0;
		there += run->count > 100;
		free(b);
		free_program(p);
	}
	ck_assert_uint_gt(lost, 50);
	ck_assert_uint_gt(there, 50);
	free(truth);
	free(run);
}
END_TEST

/* ---- filters ---- */

static uint64_t range_from, range_to;
static unsigned range_modes;
static bool is_in_scope(const struct hart *h)
{
	return h->pc >= range_from && h->pc < range_to && (range_modes >> h->mode & 1) != 0;
}

START_TEST(filters)
{
	struct run *truth = calloc(1, sizeof *truth), *run = calloc(1, sizeof *run);
	size_t seen = 0;
	for (unsigned number = 0; number < 100; number++) {
		struct program *p = random_program(number);
		struct ntrace_config config = random_config();
		struct bench *b = new_bench(&config, truth);
		p->hart.pace = 1;
		range_from = draw(600);
		range_to = range_from + draw(1200);
		range_modes = draw(3) == 0 ? 8 : draw(2) == 0 ? 1 : 9;
		bench_write(b, NTRACE_TE_CONTROL, 1);
		bench_write(b, NTRACE_TE_FILTER0, 1 | 1u << 1 | 1u << 4);
		bench_write(b, NTRACE_TE_FILTER0 + 4, range_modes);
		bench_write(b, NTRACE_TE_COMP0 + 0x10, (uint32_t)range_from);
		bench_write(b, NTRACE_TE_COMP0 + 0x18, (uint32_t)range_to);
		bench_write(b, NTRACE_TE_FILTERS, 1);
		bench_start(b, random_control(true), random_features());
		run_hart(b, &p->hart, 4000, is_in_scope);
		bench_stop(b);
		ck_assert_uint_eq(b->drops, 0);
		decode_run(p, b, true, truth, run);
		ck_assert_msg(run->told == 0, "%u: told at byte %" PRIu64, number, run->first_told);
		size_t at = 0;
		for (size_t i = 0; i < run->count; i++) {
			if (run->steps[i].event != STANDARD_RETIRED)
				continue;
			while (at < truth->count && truth->steps[at].event != STANDARD_RETIRED)
				at++;
			ck_assert_msg(
			    at < truth->count && truth->steps[at].pc == run->steps[i].pc, "%u: step %zu", number, i);
			at++;
			seen++;
		}
		while (at < truth->count && truth->steps[at].event != STANDARD_RETIRED)
			at++;
		ck_assert_msg(at == truth->count, "%u: %zu of %zu", number, at, truth->count);
		free(b);
		free_program(p);
	}
	ck_assert_uint_gt(seen, 1000);
	free(truth);
	free(run);
}
END_TEST

/* ---- times, owners, debug mode ---- */

static size_t read_messages(
    const struct bench *b, const struct run *truth, struct ntrace_message *messages, size_t room)
{
	const struct ntrace_layout layout = {.source_bits = b->model.config.src_bits, .xlen = 32};
	struct ntrace_reader reader;
	size_t count = 0;
	ntrace_reader_init(&reader, &layout, false);
	for (size_t i = 0; i < truth->size; i++) {
		const enum ntrace_read got = ntrace_read(&reader, truth->stream[i], &messages[count]);
		ck_assert(got == NTRACE_MORE || got == NTRACE_MESSAGE);
		count += got == NTRACE_MESSAGE;
		ck_assert_uint_lt(count, room);
	}
	return count;
}

START_TEST(times_and_owners)
{
	static struct ntrace_message messages[20000];
	struct run *truth = calloc(1, sizeof *truth);
	const struct ntrace_config config = {
	    .xlen = 32, .queue_depth = 512, .hist = 31, .time_bits = 40, .with_owner = true, .with_btm = true};
	struct program *p = random_program(7);
	struct bench *b = new_bench(&config, truth);
	p->hart.pace = 1;
	bench_start(b, CONTROL_HTM | 1u << 9 | 3u << 16 | 4u << 20, 0);
	const uint64_t begin = b->cycles;
	run_hart(b, &p->hart, 20000, NULL);
	bench_stop(b);
	ck_assert_uint_eq(b->drops, 0);
	const size_t count = read_messages(b, truth, messages, 20000);
	uint64_t now = 0, syncs = 0, owners = 0, changes = 0;
	for (size_t i = 0; i < count; i++) {
		const struct ntrace_message *m = &messages[i];
		const bool sync = (m->has & NTRACE_HAS_FADDR) != 0;
		const bool timed = m->tcode != NTRACE_FULL && m->tcode != NTRACE_REPEAT && m->tcode != NTRACE_OWNERSHIP;
		ck_assert_msg(((m->has & NTRACE_HAS_TIME) != 0) == timed, "message %zu, TCODE %u", i, m->tcode);
		if (sync)
			ck_assert_uint_ge(m->time, now);
		now = sync ? m->time : now + m->time * timed;
		syncs += sync;
		owners += m->tcode == NTRACE_OWNERSHIP;
		if (sync) {
			ck_assert_uint_lt(i + 1, count);
			ck_assert_uint_eq(messages[i + 1].tcode, NTRACE_OWNERSHIP);
		}
		if (m->tcode == NTRACE_OWNERSHIP) {
			ck_assert((m->process & 3) == 0 && (m->process >> 2 & 7) <= 3 && (m->process >> 2 & 7) != 2);
			changes += i > 0 && (messages[i - 1].has & NTRACE_HAS_FADDR) == 0;
		}
	}
	ck_assert_uint_gt(syncs, 10);
	ck_assert_uint_gt(changes, 20);
	ck_assert_uint_ge(owners, syncs);
	ck_assert_uint_le(now, b->cycles - begin + 16);
	ck_assert_uint_gt(now, 19000);
	free(b);
	free_program(p);
	free(truth);
}
END_TEST

/* ---- the register accesses of Linux's driver, in its order ---- */

/* Reads until the bit is the value, ten times at most, as the driver does. */
static void poll_bit(struct bench *b, unsigned address, unsigned bit, unsigned value)
{
	for (unsigned i = 0; i < 10; i++) {
		if ((bench_read(b, address) >> bit & 1) == value)
			return;
		bench_idle(b, 50);
	}
	ck_abort_msg("register %#x: bit %u does not become %u", address, bit, value);
}

static void driver_reset(struct bench *b, unsigned base, unsigned type)
{
	bench_write(b, base, 0);
	poll_bit(b, base, 0, 0);
	bench_write(b, base, 1);
	poll_bit(b, base, 0, 1);
	const uint32_t impl = bench_read(b, base + 4);
	ck_assert_uint_eq(impl & 0xFF, 0x01); /* version 1.0 */
	ck_assert_uint_eq(impl >> 8 & 0xF, type);
}

static void driver_set_bit(struct bench *b, unsigned base, unsigned bit)
{
	bench_write(b, base, bench_read(b, base) | 1u << bit);
	poll_bit(b, base, bit, 1);
}

static void driver_clear_bit(struct bench *b, unsigned base, unsigned bit)
{
	bench_write(b, base, bench_read(b, base) & ~(1u << bit));
	poll_bit(b, base, bit, 0);
}

#define BUFFER 0x80001000u
#define BUFFER_SIZE 1024u

static void driver_set_up_sink(struct bench *b)
{
	bench_write(b, NTRACE_RAM_CONTROL, bench_read(b, NTRACE_RAM_CONTROL) | 1u << 4); /* SMEM */
	ck_assert_uint_eq(bench_read(b, NTRACE_RAM_CONTROL) >> 4 & 1, 1);
	bench_write(b, NTRACE_RAM_START, 0);
	bench_write(b, NTRACE_RAM_START + 4, 0);
	ck_assert_uint_eq(bench_read(b, NTRACE_RAM_START), 0);
	bench_write(b, NTRACE_RAM_LIMIT, UINT32_MAX);
	bench_write(b, NTRACE_RAM_LIMIT + 4, UINT32_MAX);
	ck_assert_uint_eq(bench_read(b, NTRACE_RAM_LIMIT), 0xFFFFFFFC);
	ck_assert_uint_eq(bench_read(b, NTRACE_RAM_LIMIT + 4), 0); /* addresses of 32 bits */
	bench_write(b, NTRACE_RAM_START, BUFFER);
	bench_write(b, NTRACE_RAM_WP, BUFFER);
	bench_write(b, NTRACE_RAM_LIMIT, BUFFER + BUFFER_SIZE - 4);
	ck_assert_uint_eq(bench_read(b, NTRACE_RAM_LIMIT), BUFFER + BUFFER_SIZE - 4);
	driver_set_bit(b, NTRACE_RAM_CONTROL, 1);
}

START_TEST(driver_of_linux)
{
	struct run *truth = calloc(1, sizeof *truth), *run = calloc(1, sizeof *run);
	const struct ntrace_config config = {
	    .xlen = 32, .queue_depth = 512, .hist = 31, .with_smem = true, .with_btm = true};
	struct program *p = random_program(3);
	struct bench *b = new_bench(&config, truth);
	p->hart.pace = 1;
	driver_reset(b, NTRACE_TE_CONTROL, 1);
	driver_reset(b, NTRACE_RAM_CONTROL, 9);
	driver_set_up_sink(b);
	bench_write(b, NTRACE_TE_CONTROL, bench_read(b, NTRACE_TE_CONTROL) | 6u << 4);
	ck_assert_uint_eq(bench_read(b, NTRACE_TE_CONTROL) >> 4 & 7, 6);
	driver_set_bit(b, NTRACE_TE_CONTROL, 1);
	driver_set_bit(b, NTRACE_TE_CONTROL, 2);
	keep_step(truth, STANDARD_BROKEN, STANDARD_NOWHERE);
	run_hart(b, &p->hart, 800, NULL);
	keep_step(truth, STANDARD_BROKEN, p->hart.pc);
	driver_clear_bit(b, NTRACE_TE_CONTROL, 2);
	driver_clear_bit(b, NTRACE_TE_CONTROL, 1);
	poll_bit(b, NTRACE_TE_CONTROL, 3, 1);
	driver_clear_bit(b, NTRACE_RAM_CONTROL, 1);
	poll_bit(b, NTRACE_RAM_CONTROL, 3, 1);
	/* what it copies: from Start to the write pointer, in the memory of the system */
	const uint32_t wp = bench_read(b, NTRACE_RAM_WP);
	ck_assert_uint_eq(wp & 1, 0);
	ck_assert_uint_eq(wp - BUFFER, (truth->size + 3) / 4 * 4);
	for (size_t i = 0; i < truth->size; i++)
		ck_assert_uint_eq(b->words[i / 4 + BUFFER / 4 % 256] >> (8 * (i % 4)) & 0xFF, truth->stream[i]);
	decode_run(p, b, true, truth, run);
	ck_assert_uint_eq(run->told, 0);
	ck_assert_uint_eq(run->count, truth->count);
	free(b);
	free_program(p);
	free(truth);
	free(run);
}
END_TEST

/* Any value in any register: what is read back is legal (WARL), and nothing hangs. */
START_TEST(legal_values)
{
	const struct ntrace_config config = {.xlen = 32, .queue_depth = 8, .hist = 31, .returns = 8, .sink_words = 16};
	struct bench *b = calloc(1, sizeof *b);
	ntrace_reset(&b->model, &config);
	ck_assert_uint_eq(bench_read(b, NTRACE_TE_CONTROL), 0x01000008); /* empty, N-Trace */
	bench_write(b, NTRACE_TE_CONTROL, 0x77);
	ck_assert_uint_eq(bench_read(b, NTRACE_TE_CONTROL), 0x01000009); /* it was at reset: Active alone */
	for (unsigned mode = 0; mode < 8; mode++) {
		bench_write(b, NTRACE_TE_CONTROL, 1 | mode << 4);
		ck_assert_uint_eq(bench_read(b, NTRACE_TE_CONTROL) >> 4 & 7, mode == 0 ? 0 : 6);
	}
	for (unsigned mode = 0; mode < 4; mode++) {
		bench_write(b, NTRACE_TE_FEATURES, UINT32_MAX & ~(3u << 6) & ~(mode << 6 ^ 3u << 6));
		ck_assert_uint_eq(bench_read(b, NTRACE_TE_FEATURES) & ~(3u << 6), 1u << 3);
	}
	bench_write(b, NTRACE_TE_CONTROL, 0x63);
	bench_write(b, NTRACE_TE_CONTROL, 0x00F30003); /* while Enable is 1, the rest stays */
	ck_assert_uint_eq(bench_read(b, NTRACE_TE_CONTROL) & ~8u, 0x01000063);
	bench_write(b, NTRACE_RAM_CONTROL, UINT32_MAX);
	bench_write(b, NTRACE_RAM_CONTROL, UINT32_MAX);
	ck_assert_uint_eq(bench_read(b, NTRACE_RAM_CONTROL), 0x10B);
	bench_write(b, NTRACE_RAM_LIMIT, UINT32_MAX);
	ck_assert_uint_eq(bench_read(b, NTRACE_RAM_LIMIT), 60);
	bench_write(b, NTRACE_RAM_START, UINT32_MAX);
	ck_assert_uint_eq(bench_read(b, NTRACE_RAM_START), 0);
	free(b);
}
END_TEST

int main(void)
{
	const struct suite_case cases[] = {{"random settings", random_settings, 0}, {"losses", losses, 0},
	    {"filters", filters, 0}, {"times and owners", times_and_owners, 0}, {"driver of Linux", driver_of_linux, 0},
	    {"legal values", legal_values, 0}};
	return SUITE_RUN("ntrace_encoder", cases, NULL, NULL);
}
