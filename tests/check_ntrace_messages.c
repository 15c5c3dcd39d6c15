/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* N-Trace messages, to bytes and back: bit by bit as the standard's figures and a HiFive Premier P550 have them. */
#include <check.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "host/ntrace/message.h"
#include "tests/standard_walks.h"
#include "tests/suite.h"

static const struct golden {
	const char *bytes, *fields;
	unsigned source_bits;
	bool extend;
	unsigned address_bits;
} goldens[] = {
    {"70 D0 1D 1D F8 FF", "28 btype 0 icnt 125 addr e hist ffe", 0, false, 0},
    {"24 0D 00 0B", "9 sync 3 icnt 0 addr 100", 0, false, 0},
    {"0C 0F", "3 icnt 3", 0, false, 0},
    {"84 00 07", "33 ev 0 cdf 0 icnt 1", 0, false, 0},
    {"84 40 11 0F", "33 ev 0 cdf 1 icnt 4 hist 3", 0, false, 0},
    {"84 40 25 17", "33 ev 0 cdf 1 icnt 9 hist 5", 0, false, 0},
    {"24 15 00 08 00 00 00 07", "9 sync 5 icnt 0 addr 80000100", 0, false, 0},
    {"10 41 08 1B", "4 btype 0 icnt 4 addr 304", 0, false, 0},
    {"70 F1 00 19 1B", "28 btype 0 icnt 15 addr 300 hist 6", 0, false, 0},
    {"6C 40 0B", "27 rcode 0 icnt 9", 0, false, 0},
    {"24 50 09 24 0B", "9 sync 4 icnt 9 addr 112", 0, false, 0},
    {"74 08 25 24 09 0B", "29 sync 2 btype 0 icnt 9 addr 112 hist 2", 0, false, 0},
    {"6C 87", "27 rcode 1 hist 2", 0, false, 0},
    {"2C C9 00 13", "11 sync 2 icnt 3 addr 200", 0, false, 0},
    {"10 19 00 1B", "4 btype 2 icnt 1 addr 300", 0, false, 0},
    {"70 3D 00 19 0B", "28 btype 3 icnt 3 addr 300 hist 2", 0, false, 0},
    {"78 0F", "30 repeat 3", 0, false, 0},
    {"6C C4 FC FC FC FC FF", "27 rcode 1 hist ffffffff", 0, false, 0},
    {"6C C8 FC FC FC FC FD 0B", "27 rcode 2 hist ffffffff repeat 2", 0, false, 0},
    {"6C 48 05 0F", "27 rcode 2 hist 5 repeat 3", 0, false, 0},
    {"20 03", "8 etype 0 ecode 0", 0, false, 0},
    {"20 00 07", "8 etype 0 ecode 4", 0, false, 0},
    {"08 33", "2 process c", 0, false, 0},
    {"08 C8 3B", "2 process 3b2", 0, false, 0},
    {"24 54 01 00 0B", "9 src 1 sync 5 icnt 0 addr 100", 2, false, 0},
    {"30 A4 40 05 00 0B", "12 src 9 sync 2 btype 0 icnt 5 addr 100", 4, false, 0},
    {"0C A7", "3 src 9 icnt 2", 4, false, 0},
    {"24 15 00 09 D0 20 07", "9 sync 5 icnt 0 addr 100 time 1234", 0, false, 0},
    {"84 00 05 17", "33 ev 0 cdf 0 icnt 1 time 5", 0, false, 0},
    {"24 15 FC FC FC FC FC 7F", "9 sync 5 icnt 0 addr ffffffffe", 0, true, 0},
    {"24 15 FC FC FC FC 7C F3", "9 sync 5 icnt 0 addr fffffffe3ffffffe", 0, true, 0},
    {"24 15 FC FC FC FC FC FC 03", "9 sync 5 icnt 0 addr 1ffffffffe", 0, true, 0},
    {"24 15 FC FC FC FC FC FC FC FC FC FC 17", "9 sync 5 icnt 0 addr bffffffffffffffe", 0, true, 0},
    {"24 15 E8 8C 04 00 00 FF", "9 sync 5 icnt 0 addr ffffffff800031f4", 0, true, 0},
    {"24 15 E8 8C 04 00 00 FC FC FC FC FC 1F", "9 sync 5 icnt 0 addr ffffffff800031f4", 0, false, 0},
    /* HiFive Premier P550. The first is of a board, as the README of the public driver riscv-trace-umd shows it */
    {"74 24 41 2C A0 04 00 00 05 0D 3C 74 A0 A0 CC FC 13",
	"29 src 1 sync 2 btype 0 icnt 4 addr 80003416 hist 3 time 4ff3a2874f", 2, false, 48},
    {"24 54 01 00 08 00 00 00 FC FC 7D 94 4C F4 C0 C8 18 2B",
	"9 src 1 sync 5 icnt 0 addr ffffffff80000100 time a1b2c3d4e5", 2, false, 48},
    {"6C 94 A1 8C CF", "27 src 1 rcode 9 rdata 28 time ce3", 2, false, 48},
    {"6C 84 05 EC 07", "27 src 1 rcode 8 rdata 1 time 7b", 2, false, 48},
    {"10 C4 51 80 08 00 00 00 00 F8 7D 00 00 0F", "4 src 1 btype 0 icnt 83 addr ffffffc000000140 time 3000", 2, false,
	48},
    {"84 44 15 05 EC 0F", "33 src 1 ev 4 cdf 1 icnt 1 hist 1 time fb", 2, false, 48},
};

static void describe(const struct ntrace_message *m, unsigned source_bits, char *text)
{
	char *at = text + sprintf(text, "%u", m->tcode);
	if (source_bits != 0)
		at += sprintf(at, " src %u", m->source);
	if ((m->has & NTRACE_HAS_SYNC) != 0)
		at += sprintf(at, " sync %u", m->sync);
	if ((m->has & NTRACE_HAS_BTYPE) != 0)
		at += sprintf(at, " btype %u", m->btype);
	if (m->tcode == NTRACE_FULL)
		at += sprintf(at, " rcode %u", m->rcode);
	if (m->tcode == NTRACE_FULL && m->rcode > 2)
		at += sprintf(at, " rdata %" PRIx64, m->ecode);
	if (m->tcode == NTRACE_STOP)
		at += sprintf(at, " ev %u cdf %u", m->evcode, m->cdf);
	if (m->tcode == NTRACE_ERROR)
		at += sprintf(at, " etype %u ecode %" PRIx64, m->etype, m->ecode);
	if (m->tcode == NTRACE_OWNERSHIP)
		at += sprintf(at, " process %" PRIx64, m->process);
	if ((m->has & NTRACE_HAS_ICNT) != 0)
		at += sprintf(at, " icnt %" PRIu64, m->icnt);
	if ((m->has & (NTRACE_HAS_FADDR | NTRACE_HAS_UADDR)) != 0)
		at += sprintf(at, " addr %" PRIx64, m->address);
	if ((m->has & NTRACE_HAS_HIST) != 0)
		at += sprintf(at, " hist %" PRIx64, m->hist);
	if (m->repeat != 0)
		at += sprintf(at, " repeat %" PRIu64, m->repeat);
	if ((m->has & NTRACE_HAS_TIME) != 0)
		sprintf(at, " time %" PRIx64, m->time);
}

START_TEST(messages)
{
	const struct golden *g = &goldens[_i];
	const struct ntrace_layout layout = {
	    .source_bits = g->source_bits, .xlen = 64, .extend = g->extend, .address_bits = g->address_bits};
	struct ntrace_reader reader;
	struct ntrace_message message;
	uint8_t bytes[64], again[NTRACE_MESSAGE_MAX];
	size_t size = from_text(g->bytes, bytes);
	char text[256];
	ntrace_reader_init(&reader, &layout, false);
	for (size_t i = 0; i + 1 < size; i++)
		ck_assert_int_eq(ntrace_read(&reader, bytes[i], &message), NTRACE_MORE);
	ck_assert_int_eq(ntrace_read(&reader, bytes[size - 1], &message), NTRACE_MESSAGE);
	describe(&message, g->source_bits, text);
	ck_assert_str_eq(text, g->fields);
	ck_assert_uint_eq(ntrace_write(&layout, &message, again), size);
	ck_assert_mem_eq(again, bytes, size);
}
END_TEST

START_TEST(illegal)
{
	static const char *const streams[] = {"0E", "0C 02", "03", "70 D1 1D 1D F8 07 0D", "84 40 03", "24 03"};
	const struct ntrace_layout layout = {.xlen = 64};
	for (size_t k = 0; k < sizeof streams / sizeof *streams; k++) {
		struct ntrace_reader reader;
		struct ntrace_message message;
		uint8_t bytes[64];
		size_t size = from_text(streams[k], bytes), damaged = 0;
		ntrace_reader_init(&reader, &layout, false);
		for (size_t i = 0; i < size; i++)
			damaged += ntrace_read(&reader, bytes[i], &message) == NTRACE_DAMAGED;
		if (k != 3) /* is one of more fields: the last is its time */
			ck_assert_msg(damaged == 1, "%s", streams[k]);
	}
}
END_TEST

int main(void)
{
	const struct suite_case cases[] = {
	    {"messages", messages, (int)(sizeof goldens / sizeof *goldens)}, {"illegal", illegal, 0}};
	return SUITE_RUN("ntrace_messages", cases, NULL, NULL);
}
