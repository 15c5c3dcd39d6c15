/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/*
 * E-Trace: what an independent decoder says, riscv-etrace of FZI, written in Rust. Its tests tell which fields some
 * packets have, and which addresses retire in the scenarios of the standard's sections 7.5.1 and 7.6.2, at calls, and
 * at traps. The same here: bytes and addresses are facts, nothing of its code is in this file. Then what no encoder
 * sends.
 */
#include <check.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "host/etrace/decoder.h"
#include "tests/standard_walks.h"
#include "tests/suite.h"

/* ---- packets ---- */

static const struct etrace_layout wide_context = {
    .address = 32, .shift = 1, .privilege = 2, .cause = 5, .mode = 1, .context = 32};

START_TEST(packets)
{
	const struct {
		const char *bytes;
		unsigned address;
		struct etrace_packet wanted;
	} cases[] = {{"73 00 00 00 00 19 41 00 08", 32,
			 {.kind = ETRACE_START, .not_taken = true, .privilege = 3, .address = 536937572}},
	    {"01 80 00", 32, {.kind = ETRACE_BRANCHES, .branches = 31, .map = 256}},
	    {"FA FB", 64, {.kind = ETRACE_ADDRESS, .address = (uint64_t)-0x204}},
	    {"9F 00", 32, {.kind = ETRACE_SUPPORT, .enabled = true, .status = 2}},
	    {"DF 00", 32, {.kind = ETRACE_SUPPORT, .enabled = true, .status = 3}}};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		const struct etrace_packet *w = &cases[i].wanted;
		struct etrace_layout layout = wide_context;
		struct etrace_packet p;
		uint8_t bytes[ETRACE_PAYLOAD_MAX];
		const size_t size = from_text(cases[i].bytes, bytes);
		layout.address = cases[i].address;
		ck_assert_ptr_null(etrace_parse(&layout, bytes, size, &p));
		ck_assert_int_eq(p.kind, w->kind);
		ck_assert_uint_eq(p.address, w->address);
		ck_assert_uint_eq(p.branches, w->branches);
		ck_assert_uint_eq(p.map, w->map);
		ck_assert(p.not_taken == w->not_taken && p.enabled == w->enabled && !p.notify && !p.updiscon);
		ck_assert_uint_eq(p.privilege, w->privilege);
		ck_assert_uint_eq(p.status, w->status);
	}
}
END_TEST

/* Header, source of 8 or 4 bits, a byte of time, and the first payload above; null packets. */
START_TEST(encapsulations)
{
	const struct {
		const char *bytes;
		unsigned source_bits, source;
	} cases[] = {{"C9 31 8D 73 00 00 00 00 19 41 00 08", 8, 0x31}, {"CA D3 38 07 00 00 00 90 11 04 80 00", 4, 3}};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct etrace_layout layout = wide_context;
		struct etrace_reader reader;
		struct etrace_packet packet;
		uint8_t bytes[64];
		const size_t size = from_text(cases[i].bytes, bytes);
		layout.source_bits = cases[i].source_bits;
		layout.time_bytes = 1;
		etrace_reader_init(&reader, &layout, false);
		for (size_t k = 0; k + 1 < size; k++)
			ck_assert_int_eq(etrace_read(&reader, bytes[k]), ETRACE_MORE);
		ck_assert_int_eq(etrace_read(&reader, bytes[size - 1]), ETRACE_PAYLOAD);
		ck_assert_uint_eq(reader.source, cases[i].source);
		ck_assert(reader.timed);
		ck_assert_uint_eq(reader.time, 0x8D);
		ck_assert_ptr_null(
		    etrace_parse(&layout, reader.bytes + reader.payload_at, reader.payload_size, &packet));
		ck_assert_uint_eq(packet.address, 536937572);
		ck_assert_int_eq(etrace_read(&reader, 0x20), ETRACE_SKIPPED);
	}
}
END_TEST

/* ---- scenarios ---- */

/* 8000000c: a way to a loop from 8000001e to 80000036 (c.jr t0); 80000038: wfi, c.j back to it */
static const char loop[] = "97 02 00 00 13 00 00 00 97 05 00 00 13 00 00 00 01 00 13 00 00 00 01 00 13 00 00 00 "
			   "13 00 00 00 13 00 00 00 13 00 00 00 01 00 82 82 73 00 50 10 F5 BF";
/* 80000000: calls of 80000020 by c.jal, auipc and jalr, lui and jalr; 80000024: wfi */
static const char calls[] = "97 06 00 00 13 00 00 00 13 00 00 00 11 28 97 06 00 00 E7 80 26 01 B7 06 00 80 E7 80 06 02 "
			    "19 A0 01 00 82 80 73 00 50 10 F5 BF";
/* 80000000: plain; 8000001c: bltu to 80000014; 80000024: c.jr ra; 80000030: wfi */
static const char traps[] = "01 00 01 00 01 00 01 00 01 00 01 00 01 00 01 00 01 00 01 00 01 00 01 00 01 00 01 00 "
			    "E3 EC C5 FE 01 00 01 00 82 80 01 00 01 00 01 00 01 00 01 00 73 00 50 10 F5 BF";

#define BASE 0x80000000u
#define JUMP(by)                                                                                                       \
	{                                                                                                              \
		.kind = ETRACE_ADDRESS, .has_address = true, .address = (uint64_t)(by)                                 \
	}
#define LEFT(by)                                                                                                       \
	{                                                                                                              \
		.kind = ETRACE_ADDRESS, .has_address = true, .address = (uint64_t)(by), .updiscon = true               \
	}
#define TOLD(by)                                                                                                       \
	{                                                                                                              \
		.kind = ETRACE_ADDRESS, .has_address = true, .address = (uint64_t)(by), .notify = true                 \
	}
#define ENDS(why)                                                                                                      \
	{                                                                                                              \
		.kind = ETRACE_SUPPORT, .enabled = true, .status = (why)                                               \
	}
#define FROM(at)                                                                                                       \
	{                                                                                                              \
		.kind = ETRACE_START, .has_address = true, .address = BASE + (at), .not_taken = true                   \
	}
#define TAKEN(at)                                                                                                      \
	{                                                                                                              \
		.kind = ETRACE_START, .has_address = true, .address = BASE + (at)                                      \
	}
#define TRAP(at, told)                                                                                                 \
	{                                                                                                              \
		.kind = ETRACE_TRAP, .has_address = true, .address = BASE + (at), .not_taken = true,                   \
		.handler = (told), .cause = 2                                                                          \
	}
#define LOOP_TO "! 8000000c 80000010 80000014 80000018 8000001c 8000001e "
#define LOOP_ROUND "80000022 80000024 80000028 8000002c 80000030 80000034 80000036 8000001e "

static const struct scenario {
	const char *name, *code;
	unsigned base;
	bool sequential;
	struct etrace_packet packets[8]; /* up to one whose kind is 0 and has no address */
	const char *wanted;
} scenarios[] = {
    {"regular", loop, 12, false, {FROM(12), JUMP(18), JUMP(4)}, LOOP_TO LOOP_ROUND "80000022 "},
    {"ended, not reported", loop, 12, false, {FROM(12), JUMP(18), ENDS(3)}, LOOP_TO LOOP_ROUND "! "},
    {"updiscon, then a trap", loop, 12, false, {FROM(12), LEFT(18), TRAP(0x38, true)},
	LOOP_TO LOOP_ROUND "^ 80000038 "},
    {"updiscon, ended", loop, 12, false, {FROM(12), LEFT(18), ENDS(1)}, LOOP_TO LOOP_ROUND "! "},
    {"updiscon, ended 3", loop, 12, false, {FROM(12), LEFT(18), ENDS(3)}, LOOP_TO LOOP_ROUND "! "},
    {"exception", loop, 12, false, {FROM(12), JUMP(18), TRAP(0x38, true)}, LOOP_TO "^ 80000038 "},
    {"ended, reported", loop, 12, false, {FROM(12), JUMP(18), ENDS(1)}, LOOP_TO "! "},
    {"notify", loop, 12, false, {FROM(12), TOLD(18), JUMP(0)}, LOOP_TO LOOP_ROUND},
    {"notify, ended", loop, 12, false, {FROM(12), TOLD(18), ENDS(1)}, LOOP_TO "! "},
    {"notify, ended 3", loop, 12, false, {FROM(12), TOLD(18), ENDS(3)}, LOOP_TO "! "},
    {"calls", calls, 0, false, {FROM(0), JUMP(14), JUMP(18), JUMP(-10), JUMP(10), JUMP(-2), JUMP(6)},
	"! 80000000 80000004 80000008 8000000c 80000020 80000022 8000000e 80000012 80000020 80000022 80000016 "
	"8000001a 80000020 80000022 8000001e 80000024 "},
    {"sequential jumps", calls, 0, true, {FROM(0), JUMP(14), JUMP(8), JUMP(8), JUMP(6)},
	"! 80000000 80000004 80000008 8000000c 80000020 80000022 8000000e 80000012 80000020 80000022 80000016 "
	"8000001a 80000020 80000022 8000001e 80000024 "},
    {"trap", traps, 0, false, {FROM(0x16), TRAP(0x30, true), JUMP(4)}, "! 80000016 ^ 80000030 80000034 "},
    {"trap behind a branch", traps, 0, false, {TAKEN(0x1c), TRAP(0x30, true), JUMP(4)},
	"! 8000001c ^ 80000030 80000034 "},
    {"trap behind no branch", traps, 0, false, {FROM(0x1c), TRAP(0x30, true), JUMP(4)},
	"! 8000001c ^ 80000030 80000034 "},
    {"trap at a jump's target", traps, 0, false, {FROM(0x24), TRAP(0, false), FROM(0x30), JUMP(4)},
	"! 80000024 ^ 80000030 80000034 "},
    /* It takes the second trap to be at the address in the first packet, which the standard leaves undefined there. */
    {"two traps", traps, 0, false, {FROM(0x18), TRAP(0x30, false), TRAP(0x30, true), JUMP(4)},
	"! 80000018 ^ ! 80000030 80000034 "},
};

/* Where the first trap of a run was. */
static uint64_t trapped_at(const struct run *run)
{
	for (size_t i = 0; i < run->count; i++) {
		if (run->steps[i].event == STANDARD_EXCEPTION)
			return run->steps[i].pc;
	}
	return 0;
}

static void decode_scenario(const struct scenario *s, struct run *run)
{
	struct etrace_options options = {.layout = etrace_defaults(32), .sequential_jump = s->sequential};
	uint8_t code[128], stream[512];
	struct image *image;
	size_t size = 0;
	const size_t length = from_text(s->code, code);
	ck_assert_int_eq(image_from_code(&image, BASE + s->base, code, length), IMAGE_OK);
	for (const struct etrace_packet *p = s->packets; p->kind != 0; p++) {
		uint8_t payload[ETRACE_PAYLOAD_MAX];
		const size_t bytes = etrace_write(&options.layout, p, payload);
		size += etrace_frame(&options.layout, &(struct etrace_head){0}, payload, bytes, stream + size);
	}
	struct standard_decoder *d = etrace_open(image, &options, keep_step, keep_told, run);
	begin_run(run, d);
	ck_assert_int_eq(standard_feed(d, stream, size), 0);
	ck_assert_int_eq(standard_flow_confirm(&d->flow), 0);
	standard_close(d);
	image_close(image);
}

START_TEST(walks)
{
	const struct scenario *s = &scenarios[_i];
	struct run *run = calloc(1, sizeof *run);
	decode_scenario(s, run);
	ck_assert_msg(run->told == 0, "%s: byte %" PRIu64, s->name, run->first_told);
	expect_run(run, s->wanted);
	const struct {
		const char *name;
		uint64_t at;
	} places[] = {{"exception", BASE + 0x22}, {"updiscon, then a trap", BASE + 0x22}, {"trap", BASE + 0x18},
	    {"trap behind a branch", BASE + 0x14}, {"trap behind no branch", BASE + 0x20},
	    {"trap at a jump's target", BASE}, {"two traps", BASE + 0x1a}};
	for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
		if (strcmp(places[i].name, s->name) == 0)
			ck_assert_uint_eq(trapped_at(run), places[i].at);
	}
	free(run);
}
END_TEST

/* Packets that are whole, but that no encoder sends: the last one is told, and no other. */
START_TEST(contradictions)
{
	static const struct scenario cases[] = {
	    {"updiscon without a packet of format 3", loop, 12, false, {FROM(12), LEFT(18), JUMP(4)}, NULL},
	    {"an outcome of no branch", loop, 12, false, {FROM(12), JUMP(18), TAKEN(0x22)}, NULL},
	    {"notify at a jump's target", calls, 0, false, {FROM(0x20), TOLD(-18)}, NULL},
	    {"the end behind outcomes alone", traps, 0, false,
		{FROM(0x1a), {.kind = ETRACE_BRANCHES, .branches = 31, .map = 0x40000000}, ENDS(1)}, NULL},
	    {"a reserved privilege", loop, 12, false,
		{FROM(12), JUMP(18),
		    {.kind = ETRACE_START,
			.has_address = true,
			.address = BASE + 0x22,
			.not_taken = true,
			.privilege = 2}},
		NULL}};
	struct run *run = calloc(1, sizeof *run);
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct scenario right = cases[i];
		size_t count = 0;
		while (right.packets[count].kind != 0)
			count++;
		decode_scenario(&right, run);
		ck_assert_msg(run->told == 1, "%s: %zu", cases[i].name, run->told);
		right.packets[count - 1] = (struct etrace_packet){.kind = 0};
		decode_scenario(&right, run);
		ck_assert_msg(run->told == 0, "%s: %zu before it", cases[i].name, run->told);
	}
	free(run);
}
END_TEST

/* A packet of a source, of data trace, or a null packet, where 100 packets had none: perhaps it was ours. */
START_TEST(strangers)
{
	static const struct etrace_packet start = FROM(0), step = TOLD(2);
	const uint8_t stranger[3][4] = {{0x02, 0x05, 0x12, 0}, {0x02, 0x40, 0x12, 0}, {0x00}};
	struct etrace_options options = {.layout = etrace_defaults(32)};
	struct run *run = calloc(1, sizeof *run);
	static uint8_t code[512];
	struct image *image;
	for (size_t i = 0; i < sizeof code; i += 2)
		code[i] = 1;
	options.layout.source_bits = 6;
	options.layout.type_bits = 2;
	ck_assert_int_eq(image_from_code(&image, BASE, code, sizeof code), IMAGE_OK);
	for (unsigned kind = 0; kind < 4; kind++) {
		uint8_t payload[ETRACE_PAYLOAD_MAX], stream[2048];
		size_t size = 0;
		for (unsigned i = 0; i < 140; i++) {
			const size_t bytes = etrace_write(&options.layout, i == 0 ? &start : &step, payload);
			if (i == 100 && kind < 3) {
				memcpy(stream + size, stranger[kind], sizeof stranger[kind]);
				size += kind == 2 ? 1 : 3;
			}
			size += etrace_frame(&options.layout, &(struct etrace_head){0}, payload, bytes, stream + size);
		}
		struct standard_decoder *d = etrace_open(image, &options, keep_step, keep_told, run);
		begin_run(run, d);
		ck_assert_int_eq(standard_feed(d, stream, size), 0);
		ck_assert_int_eq(standard_finish(d), 0);
		standard_close(d);
		ck_assert_msg(run->told == (kind < 3), "%u: %zu", kind, run->told);
	}
	image_close(image);
	free(run);
}
END_TEST

int main(void)
{
	const struct suite_case cases[] = {{"packets", packets, 0}, {"encapsulations", encapsulations, 0},
	    {"walks", walks, (int)(sizeof scenarios / sizeof *scenarios)}, {"contradictions", contradictions, 0},
	    {"strangers", strangers, 0}};
	return SUITE_RUN("etrace_readers", cases, NULL, NULL);
}
