/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* What each packet of the remote protocol does. */
#include "host/gdb/gdb.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "host/base/bytes.h"

#define REGISTERS 33u
#define SIGNAL_INT 2
#define SIGNAL_TRAP 5
#define MEMORY_MAX ((GDB_PACKET - 16) / 2)

static const struct {
	const char *name;
	enum model_csr csr;
} csr_registers[] = {{"mstatus", MODEL_MSTATUS}, {"mie", MODEL_MIE}, {"mtvec", MODEL_MTVEC}, {"mepc", MODEL_MEPC},
    {"mcause", MODEL_MCAUSE}, {"mtval", MODEL_MTVAL}, {"mscratch", MODEL_MSCRATCH}, {"mcycle", MODEL_MCYCLE},
    {"mcycleh", MODEL_MCYCLEH}, {"minstret", MODEL_MINSTRET}, {"minstreth", MODEL_MINSTRETH}};
#define CSRS (sizeof csr_registers / sizeof *csr_registers)

static size_t say_answer(char *answer, const char *text)
{
	size_t size = strlen(text);
	memcpy(answer, text, size + 1);
	return size;
}

static int hex_digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

/* A hexadecimal number; moves *at behind it. False if there is none. */
static bool hex_number(const char **at, uint32_t *value)
{
	const char *first = *at;
	*value = 0;
	for (; hex_digit(**at) >= 0; ++*at)
		*value = *value << 4 | (uint32_t)hex_digit(**at);
	return *at != first;
}

static bool hex_bytes(const char **at, uint8_t *out, size_t count)
{
	for (size_t i = 0; i < count; i++, *at += 2) {
		if (hex_digit((*at)[0]) < 0 || hex_digit((*at)[1]) < 0)
			return false;
		out[i] = (uint8_t)(hex_digit((*at)[0]) << 4 | hex_digit((*at)[1]));
	}
	return true;
}

static char *put_hex_bytes(char *out, const uint8_t *in, size_t count)
{
	for (size_t i = 0; i < count; i++, out += 2)
		sprintf(out, "%02x", in[i]);
	return out;
}

static char *put_hex_word(char *out, uint32_t value)
{
	uint8_t b[4] = {(uint8_t)value, (uint8_t)(value >> 8), (uint8_t)(value >> 16), (uint8_t)(value >> 24)};
	return put_hex_bytes(out, b, 4);
}

static bool get_word(const char **at, uint32_t *value)
{
	uint8_t b[4];
	if (!hex_bytes(at, b, 4))
		return false;
	*value = bytes_get32(b);
	return true;
}

/* ---------------------------------------------------------------- registers and memory */

static uint32_t get_register(const struct gdb *gdb, uint32_t index)
{
	uint32_t csrs[MODEL_CSR_COUNT];
	if (index < 32)
		return model_reg(gdb->model, index);
	if (index == 32)
		return fast_pc(gdb->fast);
	model_csrs(gdb->model, csrs);
	return csrs[csr_registers[index - REGISTERS].csr];
}

static void set_register(struct gdb *gdb, uint32_t index, uint32_t value)
{
	if (index < 32)
		model_set_reg(gdb->model, index, value);
	else if (index == 32 && value != fast_pc(gdb->fast))
		fast_set_pc(gdb->fast, value);
}

static size_t answer_registers(const struct gdb *gdb, char *answer)
{
	char *out = answer;
	for (uint32_t i = 0; i < REGISTERS + CSRS; i++)
		out = put_hex_word(out, get_register(gdb, i));
	return (size_t)(out - answer);
}

static size_t write_registers(struct gdb *gdb, const char *at, char *answer)
{
	uint32_t value;
	for (uint32_t i = 0; i < REGISTERS && get_word(&at, &value); i++)
		set_register(gdb, i, value);
	return say_answer(answer, "OK");
}

static size_t one_register(struct gdb *gdb, const char *at, bool write, char *answer)
{
	uint32_t index, value;
	if (!hex_number(&at, &index) || index >= REGISTERS + CSRS)
		return say_answer(answer, "E01");
	if (!write)
		return (size_t)(put_hex_word(answer, get_register(gdb, index)) - answer);
	if (*at++ != '=' || !get_word(&at, &value) || index >= REGISTERS)
		return say_answer(answer, "E02");
	set_register(gdb, index, value);
	return say_answer(answer, "OK");
}

static size_t read_memory(const struct gdb *gdb, const char *at, char *answer)
{
	uint32_t address, count;
	uint8_t buffer[MEMORY_MAX];
	if (!hex_number(&at, &address) || *at++ != ',' || !hex_number(&at, &count))
		return say_answer(answer, "E01");
	if (count > MEMORY_MAX)
		count = MEMORY_MAX;
	if (model_read(gdb->model, address, buffer, count))
		return say_answer(answer, "E14");
	return (size_t)(put_hex_bytes(answer, buffer, count) - answer);
}

/* M: hexadecimal, X: binary with escapes. */
static size_t write_memory(struct gdb *gdb, const char *packet, size_t size, char *answer)
{
	const char *at = packet + 1, *end = packet + size;
	uint32_t address, count, got = 0;
	uint8_t buffer[GDB_PACKET];
	if (!hex_number(&at, &address) || *at++ != ',' || !hex_number(&at, &count) || *at++ != ':' ||
	    count > MEMORY_MAX)
		return say_answer(answer, "E01");
	if (*packet == 'M') {
		if (!hex_bytes(&at, buffer, count))
			return say_answer(answer, "E02");
	} else {
		for (; at < end && got < count; at++)
			buffer[got++] = (uint8_t)(*at == '}' && at + 1 < end ? *++at ^ 0x20 : *at);
		if (got != count)
			return say_answer(answer, "E02");
	}
	if (count && model_write(gdb->model, address, buffer, count))
		return say_answer(answer, "E14");
	if (count)
		fast_memory_changed(gdb->fast);
	return say_answer(answer, "OK");
}

static size_t change_breakpoint(struct gdb *gdb, const char *at, bool set, char *answer)
{
	uint32_t address, kind;
	char type = *at++;
	if (*at++ != ',' || !hex_number(&at, &address) || *at++ != ',' || !hex_number(&at, &kind))
		return say_answer(answer, "E01");
	const struct fast_watch watch = {.address = address,
	    .size = kind,
	    .reads = type == '3' || type == '4',
	    .writes = type == '2' || type == '4'};
	int error;
	if (type == '0' || type == '1')
		error = fast_break(gdb->fast, address, set);
	else if (type <= '4' && kind > 0)
		error = fast_watch(gdb->fast, &watch, set);
	else
		return 0;
	return say_answer(answer, error ? "E0c" : "OK");
}

/* ---------------------------------------------------------------- running */

static void add_up_run(struct gdb *gdb)
{
	gdb->total.cycles += gdb->last.cycles;
	gdb->total.instructions += gdb->last.instructions;
	gdb->total.end = gdb->last.end;
	gdb->total.code = gdb->last.code;
}

static size_t answer_stopped(struct gdb *gdb, char *answer)
{
	switch (gdb->last.end) {
	case RUN_END_EXIT:
		gdb->ended = true;
		gdb->end = GDB_EXITED;
		return (size_t)sprintf(answer, "W%02x", (unsigned)gdb->last.code & 0xFF);
	case RUN_END_WATCH:
		return (size_t)sprintf(answer, "T%02xwatch:%x;", SIGNAL_TRAP, (unsigned)fast_watch_address(gdb->fast));
	case RUN_END_STOPPED:
		return (size_t)sprintf(answer, "S%02x", SIGNAL_INT);
	default:
		return (size_t)sprintf(answer, "S%02x", SIGNAL_TRAP);
	}
}

static size_t run_and_answer(struct gdb *gdb, bool step, char *answer)
{
	gdb->interrupted = false;
	fast_step(gdb->fast, &gdb->hooks, &gdb->last);
	add_up_run(gdb);
	if (!step && gdb->last.end == RUN_END_BREAK) {
		fast_run(gdb->fast, &gdb->hooks, 0, 0, &gdb->last);
		add_up_run(gdb);
	}
	/* registers are looked at between instructions */
	while (gdb->last.end == RUN_END_STOPPED && !fast_between(gdb->fast)) {
		struct run_result before = gdb->last;
		fast_step(gdb->fast, &gdb->hooks, &gdb->last);
		add_up_run(gdb);
		if (gdb->last.end == RUN_END_BREAK)
			gdb->last.end = before.end;
	}
	if (gdb->stop) {
		gdb->ended = true;
		gdb->end = GDB_STOPPED;
	}
	return answer_stopped(gdb, answer);
}

static size_t resume_at(struct gdb *gdb, const char *at, bool step, char *answer)
{
	uint32_t pc;
	if (hex_number(&at, &pc))
		fast_set_pc(gdb->fast, pc);
	return run_and_answer(gdb, step, answer);
}

/* ---------------------------------------------------------------- queries */

static void write_target(char *text, size_t size)
{
	static const char *const names[] = {"zero", "ra", "sp", "gp", "tp", "t0", "t1", "t2", "fp", "s1", "a0", "a1",
	    "a2", "a3", "a4", "a5", "a6", "a7", "s2", "s3", "s4", "s5", "s6", "s7", "s8", "s9", "s10", "s11", "t3",
	    "t4", "t5", "t6", "pc"};
	int at = snprintf(text, size,
	    "<?xml version=\"1.0\"?><!DOCTYPE target SYSTEM \"gdb-target.dtd\"><target version=\"1.0\">"
	    "<architecture>riscv:rv32</architecture><feature name=\"org.gnu.gdb.riscv.cpu\">");
	for (unsigned i = 0; i < REGISTERS; i++) {
		const char *type = i == 2 ? " type=\"data_ptr\"" : "";
		if (i == 32)
			type = " type=\"code_ptr\"";
		at += snprintf(text + at, size - (size_t)at, "<reg name=\"%s\" bitsize=\"32\" regnum=\"%u\"%s/>",
		    names[i], i, type);
	}
	at += snprintf(text + at, size - (size_t)at, "</feature><feature name=\"org.gnu.gdb.riscv.csr\">");
	for (unsigned i = 0; i < CSRS; i++)
		at += snprintf(text + at, size - (size_t)at, "<reg name=\"%s\" bitsize=\"32\" regnum=\"%u\"/>",
		    csr_registers[i].name, REGISTERS + i);
	snprintf(text + at, size - (size_t)at, "</feature></target>");
}

static size_t read_target(const char *at, char *answer)
{
	char text[8192];
	uint32_t from, count;
	write_target(text, sizeof text);
	size_t size = strlen(text);
	if (!hex_number(&at, &from) || *at++ != ',' || !hex_number(&at, &count))
		return say_answer(answer, "E01");
	if (from >= size)
		return say_answer(answer, "l");
	size_t part = size - from < count ? size - from : count;
	if (part > GDB_PACKET - 16)
		part = GDB_PACKET - 16;
	answer[0] = from + part == size ? 'l' : 'm';
	memcpy(answer + 1, text + from, part);
	return part + 1;
}

static bool packet_begins(const char *packet, const char *with)
{
	return strncmp(packet, with, strlen(with)) == 0;
}

static size_t answer_query(struct gdb *gdb, const char *packet, char *answer)
{
	static const char features[] = "qXfer:features:read:target.xml:";
	if (packet_begins(packet, "qSupported"))
		return (size_t)sprintf(answer,
		    "PacketSize=%x;qXfer:features:read+;QStartNoAckMode+;vContSupported+;hwbreak+", GDB_PACKET - 1);
	if (packet_begins(packet, features))
		return read_target(packet + strlen(features), answer);
	if (packet_begins(packet, "QStartNoAckMode")) {
		gdb->no_ack = true;
		return say_answer(answer, "OK");
	}
	if (packet_begins(packet, "qAttached"))
		return say_answer(answer, "0");
	if (packet_begins(packet, "qC"))
		return say_answer(answer, "QC1");
	if (packet_begins(packet, "qfThreadInfo"))
		return say_answer(answer, "m1");
	if (packet_begins(packet, "qsThreadInfo"))
		return say_answer(answer, "l");
	return 0;
}

size_t gdb_packet(struct gdb *gdb, const char *packet, size_t size, char *answer)
{
	answer[0] = '\0';
	switch (packet[0]) {
	case '?':
		return (size_t)sprintf(answer, "S%02x", SIGNAL_TRAP);
	case 'g':
		return answer_registers(gdb, answer);
	case 'G':
		return write_registers(gdb, packet + 1, answer);
	case 'p':
	case 'P':
		return one_register(gdb, packet + 1, packet[0] == 'P', answer);
	case 'm':
		return read_memory(gdb, packet + 1, answer);
	case 'M':
	case 'X':
		return write_memory(gdb, packet, size, answer);
	case 'Z':
	case 'z':
		return change_breakpoint(gdb, packet + 1, packet[0] == 'Z', answer);
	case 'c':
	case 's':
		return resume_at(gdb, packet + 1, packet[0] == 's', answer);
	case 'v':
		if (packet_begins(packet, "vCont?"))
			return say_answer(answer, "vCont;c;C;s;S");
		if (packet_begins(packet, "vCont;"))
			return run_and_answer(gdb, packet[6] == 's' || packet[6] == 'S', answer);
		return 0;
	case 'H':
	case 'T':
		return say_answer(answer, "OK");
	case 'D':
		gdb->ended = true;
		gdb->end = GDB_DETACHED;
		return say_answer(answer, "OK");
	case 'k':
		gdb->ended = true;
		gdb->end = GDB_KILLED;
		return 0;
	case 'q':
	case 'Q':
		return answer_query(gdb, packet, answer);
	default:
		return 0;
	}
}
