/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/*
 * E-Trace: payloads bit by bit, transports byte by byte, and random programs that an encoder of this tree writes with
 * every option, layout and transport and the decoder gives back, whole, cut and damaged.
 */
#include "host/etrace/encoder.h"
#include "tests/standard_walks.h"
#include "tests/suite.h"

/* ---- payloads ---- */

enum { PLAIN = 0, PREDICT = 1, CACHE = 2, DEPTH = 4 };

/* RV32, iaddress_lsb 1, privilege 2, ecause 5, one bit of encoder_mode. */
static const struct golden {
	const char *bytes, *fields;
	int options;
} goldens[] = {
    {"1F", "support on status 0", PLAIN},
    {"4F", "support off status 1", PLAIN},
    {"CF 00", "support off status 3", PLAIN},
    {"9F 00", "support on status 2", PLAIN},
    {"73 00 00 00 E0", "start not-taken 1 privilege 3 address 80000000", PLAIN},
    {"63 40", "start not-taken 0 privilege 3 address 100", PLAIN},
    {"F7 33 08 00 00 F0", "trap not-taken 1 privilege 3 cause 7 interrupt 1 handler 1 address 80000040", PLAIN},
    {"77 41 44 00 00 10", "trap not-taken 1 privilege 3 cause 2 interrupt 0 handler 0 address 80000222", PLAIN},
    {"12", "address 8", PLAIN},
    {"F2", "address fffffff8", PLAIN},
    {"02", "address 0", PLAIN},
    {"12 00 00 00 FC", "address 8 updiscon", PLAIN},
    {"12 00 00 00 FE", "address 8 notify", PLAIN},
    {"8D 26", "branches 3 map 5 address 12", PLAIN},
    {"05 02", "branches 1 map 0 address 4", PLAIN},
    {"01", "branches 31 map 0", PLAIN},
    {"81", "branches 31 map 7fffffff", PLAIN},
    {"FD 00 00 00 80 00", "branches 31 map 1 address 4", PLAIN},
    {"00", "right 31 wrong 1", PREDICT | CACHE},
    {"68 08", "right 300 wrong 1", PREDICT | CACHE},
    {"1C", "index 3 branches 0", PREDICT | CACHE | DEPTH},
    {"1C 22", "index 3 branches 2 map 1", PREDICT | CACHE | DEPTH},
};

static struct etrace_layout golden_layout(int options)
{
	struct etrace_layout l = etrace_defaults(32);
	l.cause = 5;
	l.predictor = (options & PREDICT) != 0 ? 7 : 0;
	l.cache = (options & CACHE) != 0 ? 5 : 0;
	l.selector = options != 0;
	l.stack = (options & DEPTH) != 0 ? 3 : 0;
	return l;
}

static char *describe_target(char *at, const struct etrace_packet *p)
{
	if (p->has_address)
		at += sprintf(at, " address %x", (unsigned)p->address);
	if (p->notify)
		at += sprintf(at, " notify");
	if (p->updiscon)
		at += sprintf(at, " updiscon");
	return at;
}

static void describe(const struct etrace_packet *p, char *text)
{
	char *at = text;
	switch (p->kind) {
	case ETRACE_PREDICTED:
		at += sprintf(at, "right %" PRIu64 " wrong %d", p->right, p->wrong);
		describe_target(at, p);
		return;
	case ETRACE_CACHED:
		at += sprintf(at, "index %u branches %u", p->index, p->branches);
		if (p->branches > 0)
			sprintf(at, " map %x", p->map);
		return;
	case ETRACE_BRANCHES:
		at += sprintf(at, "branches %u map %x", p->branches, p->map);
		describe_target(at, p);
		return;
	case ETRACE_ADDRESS:
		at = describe_target(at, p);
		memmove(text, text + 1, strlen(text));
		return;
	case ETRACE_START:
		sprintf(
		    at, "start not-taken %d privilege %u address %x", p->not_taken, p->privilege, (unsigned)p->address);
		return;
	case ETRACE_TRAP:
		sprintf(at, "trap not-taken %d privilege %u cause %u interrupt %d handler %d address %x", p->not_taken,
		    p->privilege, p->cause, p->interrupt, p->handler, (unsigned)p->address);
		return;
	case ETRACE_CONTEXT:
		sprintf(at, "context privilege %u", p->privilege);
		return;
	case ETRACE_SUPPORT:
		sprintf(at, "support %s status %u", p->enabled ? "on" : "off", p->status);
		return;
	}
}

START_TEST(payloads)
{
	const struct golden *g = &goldens[_i];
	const struct etrace_layout layout = golden_layout(g->options);
	struct etrace_packet packet;
	uint8_t bytes[ETRACE_PAYLOAD_MAX], again[ETRACE_PAYLOAD_MAX];
	char text[256];
	size_t size = from_text(g->bytes, bytes);
	const char *wrong = etrace_parse(&layout, bytes, size, &packet);
	ck_assert_msg(wrong == NULL, "%s: %s", g->bytes, wrong);
	describe(&packet, text);
	ck_assert_str_eq(text, g->fields);
	ck_assert_uint_eq(etrace_write(&layout, &packet, again), size);
	ck_assert_mem_eq(again, bytes, size);
}
END_TEST

START_TEST(illegal)
{
	static const struct {
		const char *bytes;
		int options;
	} cases[] = {{"00", PLAIN}, {"04", PREDICT | CACHE | DEPTH}, {"12 00 00 00 00 00", PLAIN},
	    {"73 00 00 00 E0 FF FF", PLAIN}, {"00 00 00 00 08", PREDICT | CACHE}};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct etrace_layout layout = golden_layout(cases[i].options);
		struct etrace_packet packet;
		uint8_t bytes[ETRACE_PAYLOAD_MAX];
		size_t size = from_text(cases[i].bytes, bytes);
		if (i == 1)
			layout.selector = 2, bytes[0] = 0x0C; /* subformat 3 */
		ck_assert_msg(etrace_parse(&layout, bytes, size, &packet) != NULL, "%s", cases[i].bytes);
	}
}
END_TEST

/* Example of the encapsulation's text: length 6, source 1 of 6 bits, type 2 of 2 bits, five bytes. */
START_TEST(encapsulation)
{
	struct etrace_layout layout = etrace_defaults(32);
	const struct etrace_head head = {.source = 1};
	struct etrace_reader reader;
	uint8_t bytes[64], again[ETRACE_FRAME_MAX];
	static const uint8_t payload[] = {0x32, 0x04, 0x00, 0x00, 0x02};
	size_t size = from_text("06 81 32 04 00 00 02", bytes);
	layout.source_bits = 6;
	layout.type_bits = 2;
	etrace_reader_init(&reader, &layout, false);
	for (size_t i = 0; i + 1 < size; i++)
		ck_assert_int_eq(etrace_read(&reader, bytes[i]), ETRACE_MORE);
	ck_assert_int_eq(etrace_read(&reader, bytes[size - 1]), ETRACE_PAYLOAD);
	ck_assert_uint_eq(reader.source, 1);
	ck_assert_uint_eq(reader.payload_size, sizeof payload);
	ck_assert_mem_eq(reader.bytes + reader.payload_at, payload, sizeof payload);
	ck_assert_uint_eq(etrace_frame(&layout, &head, payload, sizeof payload, again), size);
	ck_assert_mem_eq(again, bytes, size);
	ck_assert_int_eq(etrace_read(&reader, 0), ETRACE_SKIPPED);
}
END_TEST

/* ESP32-C6 (technical reference, tables 2.6-3 to 2.6-8) and -P4, packets of header, index and payload. */
START_TEST(espressif)
{
	static const struct {
		enum etrace_form form;
		const char *bytes, *fields;
	} cases[] = {{ETRACE_FIRST, "33 02 00 40 08", "start not-taken 1 privilege 1 address 42000010"},
	    {ETRACE_FIRST, "22 00 00 84 00", "address 42000010"},
	    {ETRACE_FIRST, "22 00 00 84 FC", "address 42000010 updiscon"},
	    {ETRACE_FIRST, "85 08 00 00 21 00", "branches 1 map 1 address 42000010"},
	    {ETRACE_FIRST, "0F", "support off status 0"}, {ETRACE_ALIGNED, "02 10 00 00 42", "address 42000010"},
	    {ETRACE_ALIGNED, "0E FC", "address fffffffc"},
	    {ETRACE_ALIGNED, "85 01 F0", "branches 1 map 1 address fffffff0 updiscon"},
	    {ETRACE_ALIGNED, "85 00 F0", "branches 1 map 1 address fffffff0 notify"},
	    {ETRACE_ALIGNED, "8D 02 12 34", "branches 3 map 5 address 3412"}};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct etrace_layout layout = {.form = cases[i].form,
		    .transport = ETRACE_INDEXED,
		    .address = 32,
		    .shift = 1,
		    .privilege = 1,
		    .cause = cases[i].form == ETRACE_FIRST ? 5 : 6,
		    .mode = cases[i].form == ETRACE_ALIGNED};
		struct etrace_packet packet;
		uint8_t bytes[ETRACE_PAYLOAD_MAX], again[ETRACE_PAYLOAD_MAX];
		size_t size = from_text(cases[i].bytes, bytes);
		char text[256];
		const char *wrong = etrace_parse(&layout, bytes, size, &packet);
		ck_assert_msg(wrong == NULL, "%s: %s", cases[i].bytes, wrong);
		describe(&packet, text);
		ck_assert_str_eq(text, cases[i].fields);
		ck_assert_uint_eq(etrace_write(&layout, &packet, again), size);
		ck_assert_mem_eq(again, bytes, size);
	}
}
END_TEST

/* ---- runs ---- */

static struct standard_counts decode(const struct image *image, const struct etrace_options *options,
    const uint8_t *bytes, size_t size, size_t piece, struct run *run)
{
	struct standard_decoder *d = etrace_open(image, options, keep_step, keep_told, run);
	begin_run(run, d);
	for (size_t at = 0; at < size; at += piece)
		ck_assert_int_eq(standard_feed(d, bytes + at, piece < size - at ? piece : size - at), 0);
	ck_assert_int_eq(standard_finish(d), 0);
	struct standard_counts counts = standard_decoder_counts(d);
	standard_close(d);
	return counts;
}

/* With implicit returns, two arrivals at one place without an outcome between them look alike: the standard's limit. */
struct arrivals {
	bool seen[CODE_HALVES];
};
static bool arrives_again(struct arrivals *a, const struct etrace_options *options, const struct standard_insn *insn)
{
	bool again = a->seen[insn->pc / 2] && options->implicit_return;
	a->seen[insn->pc / 2] = true;
	if (again || insn->class == STANDARD_BRANCH)
		memset(a, 0, sizeof *a);
	return again;
}

/* Encodes a run of so many steps; *truth has what the decoder is to give back. */
static void encode_run(struct machine *m, const struct etrace_options *options, size_t steps, struct run *truth)
{
	struct etrace_encoder e;
	struct arrivals arrivals = {0};
	uint64_t pc = somewhere(m);
	unsigned modes = options->layout.privilege == 1 ? 1 : 3, mode = modes, traps = draw(2) == 0 ? 1000 : 40;
	truth->size = truth->count = truth->times = 0;
	truth->time = truth->context = 0;
	etrace_encoder_init(&e, options, keep_bytes, truth);
	etrace_start(&e);
	keep_step(truth, STANDARD_BROKEN, STANDARD_NOWHERE);
	for (size_t i = 0; i < steps; i++) {
		const struct standard_insn *insn = standard_code_at(m->code, pc);
		if (arrives_again(&arrivals, options, insn)) {
			etrace_stop(&e);
			keep_step(truth, STANDARD_BROKEN, pc);
			etrace_start(&e);
			m->before.constant = false;
		}
		bool exception = !can_run(m, insn) || circles(m, insn);
		if (exception || draw(traps) == 0) {
			keep_step(truth, exception ? STANDARD_EXCEPTION : STANDARD_INTERRUPT, pc);
			etrace_trap(&e, pc, !exception, exception ? 2 : 7, mode);
			mode = modes;
			m->before.constant = false;
			pc = somewhere(m);
			continue;
		}
		uint64_t next = next_of(m, insn);
		truth->mode = options->layout.privilege == 1 && mode == 1 ? 3 : mode;
		keep_step(truth, STANDARD_RETIRED, pc);
		truth->time += 1 + i % 9;
		e.now = truth->time;
		etrace_retire(&e, insn, next, mode);
		if (insn->class == STANDARD_TRAP_RETURN)
			mode = draw(2) == 0 ? 0 : modes;
		pc = next;
	}
	etrace_stop(&e);
	keep_step(truth, STANDARD_BROKEN, pc);
}

static struct etrace_options random_options(void)
{
	struct etrace_options o = {.layout = etrace_defaults(32)};
	struct etrace_layout *l = &o.layout;
	l->form = draw(4) == 0 ? (draw(2) == 0 ? ETRACE_FIRST : ETRACE_ALIGNED) : ETRACE_RATIFIED;
	o.full_address = draw(3) == 0 || l->form != ETRACE_RATIFIED;
	o.sync_packets = draw(2) == 0 ? 0 : 4 + draw(60);
	if (l->form != ETRACE_RATIFIED) {
		l->transport = ETRACE_INDEXED;
		l->privilege = 1;
		l->cause = l->form == ETRACE_FIRST ? 5 : 6;
		l->mode = l->form == ETRACE_ALIGNED;
		return o;
	}
	l->source_bits = draw(2) == 0 ? 0 : draw(13);
	l->type_bits = draw(3);
	l->transport = draw(8) == 0 ? ETRACE_RECORDS : ETRACE_ENCAPSULATED;
	o.implicit_return = draw(2) == 0;
	o.sequential_jump = draw(2) == 0;
	o.predictor = draw(2) == 0;
	o.cache = draw(2) == 0;
	l->stack = o.implicit_return && draw(3) != 0 ? 1 + draw(5) : 0;
	l->counter = o.implicit_return && l->stack == 0 ? 1 + draw(5) : 0;
	l->predictor = o.predictor ? 1 + draw(7) : 0;
	l->cache = o.cache ? 1 + draw(7) : 0;
	l->selector = o.predictor && o.cache ? 1 : draw(2);
	return o;
}

struct setting {
	struct image *image;
	struct machine machine;
	struct etrace_options options;
	uint16_t starts[CODE_HALVES];
};

static struct setting *random_setting(unsigned number, size_t steps, struct run *truth)
{
	static uint8_t code[2 * CODE_HALVES + 4];
	struct setting *s = calloc(1, sizeof *s);
	seed = number * UINT64_C(0x9E3779B97F4A7C15) + 1;
	size_t count = make_code(code, s->starts);
	ck_assert_int_eq(image_from_code(&s->image, 0, code, sizeof code), IMAGE_OK);
	s->machine = (struct machine){standard_code_open(s->image), s->starts, count, {0}, {0}, 0, draw(9), {0}};
	s->options = random_options();
	encode_run(&s->machine, &s->options, steps, truth);
	return s;
}

static void free_setting(struct setting *s)
{
	standard_code_close(s->machine.code);
	image_close(s->image);
	free(s);
}

/* Events between two instructions that retired: joined, as of a trap that a packet could not name. */
static size_t skip_events(const struct run *run, size_t at, bool *broken, size_t *traps)
{
	*broken = false;
	for (*traps = 0; at < run->count && run->steps[at].event != STANDARD_RETIRED; at++) {
		*broken = *broken || run->steps[at].event == STANDARD_BROKEN;
		*traps += run->steps[at].event != STANDARD_BROKEN;
	}
	return at;
}

static bool same_traps(const struct run *run, size_t at, const struct run *truth, size_t there)
{
	for (; run->steps[at].event != STANDARD_RETIRED; at++, there++) {
		if (run->steps[at].event != truth->steps[there].event || run->steps[at].pc != truth->steps[there].pc)
			return false;
	}
	return true;
}

/* Every instruction in order; traps where they were, or broken off. chained: a trap in a trap is one. */
static void expect_same(
    unsigned number, bool chained, const struct run *run, const struct run *truth, size_t *broken_traps)
{
	size_t at = 0, there = 0, traps, true_traps;
	bool broken, true_broken;
	for (;;) {
		size_t begin = at, true_begin = there;
		at = skip_events(run, at, &broken, &traps);
		there = skip_events(truth, there, &true_broken, &true_traps);
		if (at == run->count || there == truth->count)
			break;
		ck_assert_msg(run->steps[at].pc == truth->steps[there].pc, "%u: step %zu: %" PRIx64 ", not %" PRIx64,
		    number, at, run->steps[at].pc, truth->steps[there].pc);
		ck_assert_msg(run->steps[at].mode == truth->steps[there].mode, "%u: step %zu: mode %u, not %u", number,
		    at, run->steps[at].mode, truth->steps[there].mode);
		/* a time is told at some instructions, and is then that of the one before */
		ck_assert_msg(run->steps[at].time <= truth->steps[there].time, "%u: step %zu: time", number, at);
		if (!broken && !true_broken && !(chained && true_traps > 1))
			ck_assert_msg(traps == true_traps && same_traps(run, begin, truth, true_begin),
			    "%u: traps before step %zu", number, at);
		*broken_traps += broken && !true_broken;
		at++;
		there++;
	}
	ck_assert_msg(
	    at == run->count && there == truth->count, "%u: %zu steps, not %zu", number, run->count, truth->count);
}

START_TEST(random_runs)
{
	struct run *truth = calloc(1, sizeof *truth), *run = calloc(1, sizeof *run);
	size_t broken = 0, traps = 0;
	for (unsigned number = 0; number < 600; number++) {
		struct setting *s = random_setting(number, 2000, truth);
		decode(s->image, &s->options, truth->stream, truth->size, 1 + number % 97, run);
		ck_assert_msg(run->told == 0, "%u: told at byte %" PRIu64, number, run->first_told);
		expect_same(number, s->options.layout.form == ETRACE_FIRST, run, truth, &broken);
		for (size_t i = 0; i < truth->count; i++)
			traps +=
			    truth->steps[i].event == STANDARD_EXCEPTION || truth->steps[i].event == STANDARD_INTERRUPT;
		free_setting(s);
	}
	printf("random runs: %zu traps, %zu broken off where no packet names them\n", traps, broken);
	ck_assert_uint_lt(broken, traps / 3);
	free(truth);
	free(run);
}
END_TEST

/* Traps are left out: not each has a packet. */
static void leave_out_traps(struct run *run)
{
	size_t kept = 0;
	for (size_t i = 0; i < run->count; i++) {
		if (run->steps[i].event == STANDARD_RETIRED || run->steps[i].event == STANDARD_BROKEN)
			run->steps[kept++] = run->steps[i];
	}
	run->count = kept;
}

static bool is_of(struct run *run, struct run *truth)
{
	leave_out_traps(run);
	leave_out_traps(truth);
	return is_part(run, truth);
}

/* Cut off at any byte: nothing is made up, and what is there is of the run. */
START_TEST(cut_streams)
{
	struct run *truth = calloc(1, sizeof *truth), *run = calloc(1, sizeof *run);
	for (unsigned number = 0; number < 300; number++) {
		struct setting *s = random_setting(number, 1000, truth);
		size_t size = draw((uint32_t)truth->size);
		decode(s->image, &s->options, truth->stream, size, 64, run);
		ck_assert_msg(is_of(run, truth), "%u", number);
		free_setting(s);
	}
	free(truth);
	free(run);
}
END_TEST

/* A lost packet of an indexed transport is told, always. */
START_TEST(lost_packets)
{
	struct run *truth = calloc(1, sizeof *truth), *run = calloc(1, sizeof *run);
	unsigned done = 0;
	for (unsigned number = 0; number < 400; number++) {
		struct setting *s = random_setting(number, 1000, truth);
		if (s->options.layout.transport == ETRACE_INDEXED) {
			size_t at = 0;
			for (size_t hops = 2 + draw(20); hops > 0 && at + truth->stream[at] < truth->size; hops--)
				at += truth->stream[at];
			size_t behind = at + truth->stream[at];
			memmove(truth->stream + at, truth->stream + behind, truth->size - behind);
			decode(s->image, &s->options, truth->stream, truth->size - (behind - at), 64, run);
			ck_assert_msg(run->told > 0 || behind == truth->size, "%u", number);
			ck_assert_msg(is_of(run, truth), "%u", number);
			done++;
		}
		free_setting(s);
	}
	ck_assert_uint_gt(done, 50);
	free(truth);
	free(run);
}
END_TEST

/* A ring that was read from its middle: it begins behind a run of zeros, or not at all, which is told. */
START_TEST(wrapped_streams)
{
	struct run *truth = calloc(1, sizeof *truth), *run = calloc(1, sizeof *run);
	unsigned begun = 0;
	for (unsigned number = 0; number < 100; number++) {
		struct setting *s = random_setting(number, 1000, truth);
		const struct etrace_layout *l = &s->options.layout;
		size_t cut = 1 + draw((uint32_t)truth->size - 1), at = 0;
		s->options.wrapped = l->transport != ETRACE_RECORDS;
		decode(s->image, &s->options, truth->stream + cut, truth->size - cut, 64, run);
		ck_assert_msg(is_of(run, truth), "%u transport %d", number, (int)l->transport);
		ck_assert_msg(run->told > 0 || run->count > 0 || !s->options.wrapped, "%u", number);
		if (l->transport == ETRACE_INDEXED) {
			for (size_t hops = 30; hops > 0 && at + truth->stream[at] < truth->size; hops--)
				at += truth->stream[at];
			memmove(truth->stream + at + 14, truth->stream + at, truth->size - at);
			memset(truth->stream + at, 0, 14);
			decode(s->image, &s->options, truth->stream + 1, truth->size + 13, 64, run);
			ck_assert_msg(is_of(run, truth), "%u", number);
			begun += run->count > 0;
		}
		free_setting(s);
	}
	ck_assert_uint_gt(begun, 5);
	free(truth);
	free(run);
}
END_TEST

/* One wrong bit: told, or what leaves is of the run all the same; else counted, as in check_ntrace. */
START_TEST(damaged_streams)
{
	struct run *truth = calloc(1, sizeof *truth), *run = calloc(1, sizeof *run);
	unsigned wrong = 0, told = 0, done = 0;
	for (unsigned number = 0; number < 300; number++) {
		struct setting *s = random_setting(number, 2000, truth);
		size_t at = draw((uint32_t)truth->size);
		truth->stream[at] ^= (uint8_t)(1u << draw(8));
		decode(s->image, &s->options, truth->stream, truth->size, 4096, run);
		done++;
		told += run->told > 0;
		wrong += run->told == 0 && !is_of(run, truth);
		free_setting(s);
	}
	printf("damaged streams: %u, told %u, wrong and not told %u\n", done, told, wrong);
	ck_assert_uint_gt(told, 140);
	ck_assert_uint_le(wrong, 11);
	free(truth);
	free(run);
}
END_TEST

/* Calls a ROM that the image does not have, and comes back: broken off, begun anew, and how often. */
START_TEST(excursion)
{
	/* 100: jalr ra,a0; 104: add; 108: jalr ra,a0; 10c: ebreak */
	static const uint32_t words[] = {0x000500E7, 0x00B50533, 0x000500E7, 0x00100073};
	const struct etrace_options options = {.layout = etrace_defaults(32)};
	struct etrace_packet packets[] = {{.kind = ETRACE_START, .not_taken = true, .privilege = 3, .address = 0x100},
	    {.kind = ETRACE_ADDRESS, .address = 0x40000000, .has_address = true},
	    {.kind = ETRACE_BRANCHES, .branches = 3, .map = 5, .address = 0x104, .has_address = true},
	    {.kind = ETRACE_ADDRESS, .address = 0x40000000, .has_address = true}};
	struct run *run = calloc(1, sizeof *run);
	struct image *image;
	uint8_t stream[256];
	size_t size = 0;
	uint64_t last = 0;
	ck_assert_int_eq(image_from_code(&image, 0x100, (const uint8_t *)words, sizeof words), IMAGE_OK);
	for (size_t i = 0; i < sizeof packets / sizeof *packets; i++) {
		uint8_t payload[ETRACE_PAYLOAD_MAX];
		uint64_t address = packets[i].address;
		if (i > 0)
			packets[i].address = address - last;
		last = address;
		size_t length = etrace_write(&options.layout, &packets[i], payload);
		size += etrace_frame(&options.layout, &(struct etrace_head){0}, payload, length, stream + size);
	}
	struct standard_counts counts = decode(image, &options, stream, size, 1, run);
	expect_run(run, "! 100 ! 104 108 ! ");
	ck_assert_uint_eq(counts.excursions, 2);
	ck_assert_uint_eq(run->told, 0);
	image_close(image);
	free(run);
}
END_TEST

/* User mode of two address spaces and their kernel: 100 in context 5, 104 in 6, 108 in mode S of 6, 100 in 5 again. */
START_TEST(contexts)
{
	static const uint32_t words[] = {
	    0x00B50533, 0x00B50533, 0x00B50533, 0x00100073}; /* 100: add, add, add, ebreak */
	struct etrace_options options = {.layout = etrace_defaults(32)};
	const struct etrace_packet packets[] = {
	    {.kind = ETRACE_START, .not_taken = true, .address = 0x100, .context = 5, .time = 10},
	    {.kind = ETRACE_START, .not_taken = true, .address = 0x104, .context = 6, .time = 20},
	    {.kind = ETRACE_SUPPORT, .status = 1},
	    {.kind = ETRACE_START, .not_taken = true, .privilege = 1, .address = 0x108, .context = 6, .time = 30},
	    {.kind = ETRACE_SUPPORT, .status = 1},
	    {.kind = ETRACE_START, .not_taken = true, .address = 0x100, .context = 5, .time = 40},
	    {.kind = ETRACE_SUPPORT, .status = 1}};
	static const char *const wanted[] = {
	    "! 100 104 ! ! 108 ! ! 100 ! ", "! 100 ! ! ! 108 ! ! 100 ! ", "! ! 104 ! ! 108 ! ! ! ! "};
	struct run *run = calloc(1, sizeof *run);
	struct image *image;
	uint8_t stream[256];
	size_t size = 0;
	options.layout.context = 8;
	options.layout.time = 16;
	ck_assert_int_eq(image_from_code(&image, 0x100, (const uint8_t *)words, sizeof words), IMAGE_OK);
	for (size_t i = 0; i < sizeof packets / sizeof *packets; i++) {
		uint8_t payload[ETRACE_PAYLOAD_MAX];
		size_t length = etrace_write(&options.layout, &packets[i], payload);
		size += etrace_frame(&options.layout, &(struct etrace_head){0}, payload, length, stream + size);
	}
	for (unsigned i = 0; i < 3; i++) {
		run->chosen = i > 0;
		run->wanted = 4 + i;
		decode(image, &options, stream, size, 1, run);
		ck_assert_uint_eq(run->told, 0);
		expect_run(run, wanted[i]);
		ck_assert_uint_eq(run->times, 4);
		ck_assert_uint_eq(run->time, 40);
		for (size_t k = 0; k < run->count; k++)
			ck_assert(run->steps[k].event != STANDARD_RETIRED ||
				  run->steps[k].mode == (run->steps[k].pc == 0x108));
	}
	image_close(image);
	free(run);
}
END_TEST

int main(void)
{
	const struct suite_case cases[] = {{"payloads", payloads, (int)(sizeof goldens / sizeof *goldens)},
	    {"illegal", illegal, 0}, {"encapsulation", encapsulation, 0}, {"espressif", espressif, 0},
	    {"random runs", random_runs, 0}, {"cut", cut_streams, 0}, {"lost packets", lost_packets, 0},
	    {"wrapped", wrapped_streams, 0}, {"damaged", damaged_streams, 0}, {"excursion", excursion, 0},
	    {"contexts", contexts, 0}};
	return SUITE_RUN("etrace", cases, NULL, NULL);
}
