/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* The remote protocol, packet by packet, and semihosting calls one by one. gdb itself: tests/gdb. */
#include <check.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "host/gdb/gdb.h"
#include "host/semihost/semihost.h"
#include "tests/suite.h"

#define BASE 0x80000000u

static struct model *model;
static struct gdb gdb;
static char answer[GDB_PACKET];

static void put_code(uint32_t at, const uint32_t *words, size_t count)
{
	ck_assert_int_eq(model_write(model, at, words, 4 * count), 0);
}

static void setup(void)
{
	struct model_config config;
	const struct fast_options options = {0};
	/* 0: addi a0,a0,1; 4: sw a0,256(s0); 8: bne a0,a1,0; c: jal x0,0 */
	static const uint32_t program[] = {0x00150513, 0x10a42023, 0xfeb51ce3, 0x0000006f};
	model_config_default(&config);
	ck_assert_int_eq(model_open(&model, &config), MODEL_OK);
	put_code(BASE, program, 4);
	gdb = (struct gdb){.model = model, .connection = -1};
	ck_assert_int_eq(fast_open(&gdb.fast, model, &options), MODEL_OK);
}

static void teardown(void)
{
	fast_close(gdb.fast);
	model_close(model);
}

static const char *ask(const char *packet)
{
	size_t size = gdb_packet(&gdb, packet, strlen(packet), answer);
	ck_assert_uint_lt(size, GDB_PACKET);
	answer[size] = '\0';
	return answer;
}

START_TEST(test_registers)
{
	ck_assert_str_eq(ask("p20"), "00000080");
	ck_assert_str_eq(ask("Pa=78563412"), "OK");
	ck_assert_uint_eq(model_reg(model, 10), 0x12345678);
	ck_assert_str_eq(ask("pa"), "78563412");
	ck_assert_str_eq(ask("P0=01000000"), "OK"); /* x0 stays 0 */
	ck_assert_str_eq(ask("p0"), "00000000");
	ck_assert_str_eq(ask("p99"), "E01");
	ck_assert_str_eq(ask("Pa=7856"), "E02");
	ck_assert_str_eq(ask("P22=00000000"), "E02"); /* a CSR */
	ck_assert_uint_eq(strlen(ask("g")), 8 * (33 + 11));
	ck_assert_int_eq(strncmp(answer + 80, "78563412", 8), 0);
	ck_assert_str_eq(ask("G000000000200000003000000"), "OK"); /* as many as come */
	ck_assert_str_eq(ask("p1"), "02000000");
	ck_assert_str_eq(ask("p2"), "03000000");
	ck_assert_str_eq(ask("pa"), "78563412");
}
END_TEST

/* Malformed packets, and requests for things that do not exist: the stub answers and goes on. */
START_TEST(test_wrong_packets)
{
	static const struct {
		const char *packet, *answer;
	} cases[] = {{"m", "E01"}, {"m80000000,", "E01"}, {"M80000100", "E01"}, {"M80000100,1", "E01"},
	    {"M80000100,99999:00", "E01"}, {"X80000100,3:ab", "E02"}, {"X0,1:a", "E14"}, {"M0,1:00", "E14"},
	    {"M80000100,0:", "OK"}, {"Z0", "E01"}, {"Z0,80000000", "E01"}, {"Z0,x,4", "E01"}, {"z2,80000000,", "E01"},
	    {"qXfer:features:read:target.xml:x", "E01"}, {"qXfer:features:read:target.xml:99999,10", "l"}};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
		ck_assert_msg(strcmp(ask(cases[i].packet), cases[i].answer) == 0, "%s: %s", cases[i].packet, answer);
	ck_assert_uint_gt(strlen(ask("m80000000,fffff")), 1000); /* as much as an answer holds */
	ck_assert_uint_lt(strlen(answer), GDB_PACKET);
	ck_assert_uint_gt(strlen(ask("qXfer:features:read:target.xml:0,fffff")), 1000);
	ck_assert_int_eq(answer[0], 'l');
	ask("s80000004"); /* from another address */
	ck_assert_uint_eq(model_reg(model, 10), 0);
	ck_assert_str_ne(ask("p20"), "00000080");
}
END_TEST

START_TEST(test_memory)
{
	ck_assert_str_eq(ask("m80000000,4"), "13051500");
	ck_assert_str_eq(ask("M80000100,3:0a0b0c"), "OK");
	ck_assert_str_eq(ask("m800000ff,5"), "000a0b0c00");
	ck_assert_str_eq(ask("m0,4"), "E14");
	ck_assert_str_eq(ask("m8001ffff,2"), "E14");
	ck_assert_str_eq(ask("M80000100,3:0a0b"), "E02");
	ck_assert_str_eq(ask("m80000100"), "E01");
	static const char binary[] = "X80000100,3:\x01}\x03}\x5d"; /* } and # come escaped */
	size_t size = gdb_packet(&gdb, binary, sizeof binary - 1, answer);
	answer[size] = '\0';
	ck_assert_str_eq(answer, "OK");
	ck_assert_str_eq(ask("m80000100,3"), "01237d");
}
END_TEST

START_TEST(test_step)
{
	ask("Pb=03000000");
	ask("P8=00000080");
	ck_assert_str_eq(ask("s"), "S05");
	ck_assert_str_eq(ask("p20"), "04000080");
	ck_assert_str_eq(ask("pa"), "01000000");
	ck_assert_str_eq(ask("vCont;s:1"), "S05");
	ck_assert_str_eq(ask("m80000100,4"), "01000000");
	ck_assert_str_eq(ask("s"), "S05");
	ck_assert_str_eq(ask("p20"), "00000080");         /* the branch was taken */
	ck_assert_uint_eq(gdb.total.instructions + 1, 3); /* the last one is still in W */
}
END_TEST

START_TEST(test_breakpoints)
{
	ask("Pb=e8030000");
	ask("P8=00000080");
	ck_assert_str_eq(ask("Z0,8000000c,4"), "OK");
	ck_assert_str_eq(ask("c"), "S05");
	ck_assert_str_eq(ask("p20"), "0c000080");
	ck_assert_str_eq(ask("pa"), "e8030000");
	ck_assert_str_eq(ask("P20=00000080"), "OK");
	ck_assert_str_eq(ask("Pa=00000000"), "OK");
	ck_assert_str_eq(ask("z0,8000000c,4"), "OK");
	ck_assert_str_eq(ask("Z1,80000008,4"), "OK");
	for (unsigned i = 1; i < 5; i++) {
		ck_assert_str_eq(ask("c"), "S05");
		ck_assert_str_eq(ask("p20"), "08000080");
		ck_assert_uint_eq(model_reg(model, 10), i);
	}
	ck_assert_str_eq(ask("Z9,80000008,4"), "");
}
END_TEST

START_TEST(test_watchpoints)
{
	ask("Pb=e8030000");
	ask("P8=00000080");
	ck_assert_str_eq(ask("Z3,80000100,4"), "OK"); /* reads: there are none */
	ck_assert_str_eq(ask("Z0,8000000c,4"), "OK");
	ck_assert_str_eq(ask("c"), "S05");
	ck_assert_str_eq(ask("p20"), "0c000080");
	ck_assert_str_eq(ask("z3,80000100,4"), "OK");
	ck_assert_str_eq(ask("Z2,80000102,1"), "OK");
	ck_assert_str_eq(ask("P20=00000080"), "OK");
	ck_assert_str_eq(ask("Pa=00000000"), "OK");
	ck_assert_str_eq(ask("c"), "T05watch:80000100;");
	ck_assert_str_eq(ask("p20"), "08000080");
	ck_assert_str_eq(ask("m80000100,4"), "01000000");
}
END_TEST

START_TEST(test_queries)
{
	ck_assert_ptr_nonnull(strstr(ask("qSupported:swbreak+"), "qXfer:features:read+"));
	ck_assert_int_eq(ask("qXfer:features:read:target.xml:0,40")[0], 'm');
	ck_assert_int_eq(ask("qXfer:features:read:target.xml:40,2000")[0], 'l');
	ck_assert_ptr_nonnull(strstr(answer, "</target>"));
	ck_assert_str_eq(ask("qXfer:features:read:target.xml:9999,10"), "l");
	ck_assert_str_eq(ask("qUnknown"), "");
	ck_assert_str_eq(ask("!"), "");
	ck_assert_str_eq(ask("?"), "S05");
	ck_assert_str_eq(ask("D"), "OK");
	ck_assert(gdb.ended && gdb.end == GDB_DETACHED);
}
END_TEST

/* ---------------------------------------------------------------- semihosting */

#define DIRECTORY SCRATCH "/semihost"
#define NAME (BASE + 0x400)
#define BLOCK (BASE + 0x800)
#define BUFFER (BASE + 0x1000)

static struct semihost host;
static bool exited;
static uint32_t code;
static char console[64];
static size_t console_size;

static void on_console(void *context, uint8_t byte)
{
	(void)context;
	console[console_size++] = (char)byte;
	console[console_size] = '\0';
}

static uint32_t call(uint32_t operation, uint32_t a, uint32_t b, uint32_t c, uint32_t d)
{
	const uint32_t block[4] = {a, b, c, d};
	put_code(BLOCK, block, 4);
	return semihost_call(&host, model, operation, BLOCK, &exited, &code);
}

static uint32_t open_name(const char *name, uint32_t mode)
{
	ck_assert_int_eq(model_write(model, NAME, name, strlen(name) + 1), 0);
	return call(0x01, NAME, mode, (uint32_t)strlen(name), 0);
}

static void setup_host(void)
{
	setup();
	mkdir(DIRECTORY, 0777);
	mkdir(DIRECTORY "/inner", 0777);
	unlink(DIRECTORY "/a");
	unlink(DIRECTORY "/link");
	unlink(DIRECTORY "/inner/b");
	ck_assert_int_eq(symlink("/etc/passwd", DIRECTORY "/link"), 0);
	ck_assert_int_eq(semihost_open(&host, DIRECTORY, "program"), 0);
	host.console = on_console;
	console_size = 0;
	exited = false;
}

static void teardown_host(void)
{
	semihost_close(&host);
	teardown();
}

START_TEST(test_files)
{
	char text[8] = "";
	uint32_t f = open_name("inner/../a", 4); /* no way back, even inside */
	ck_assert_uint_eq(f, UINT32_MAX);
	f = open_name("./inner//b", 4);
	ck_assert_uint_ne(f, UINT32_MAX);
	ck_assert_int_eq(model_write(model, BUFFER, "rivulet", 7), 0);
	ck_assert_uint_eq(call(0x05, f, BUFFER, 7, 0), 0);
	ck_assert_uint_eq(call(0x0C, f, 0, 0, 0), 7);
	ck_assert_uint_eq(call(0x09, f, 0, 0, 0), 0);
	ck_assert_uint_eq(call(0x02, f, 0, 0, 0), 0);
	ck_assert_uint_eq(call(0x02, f, 0, 0, 0), UINT32_MAX); /* closed already */
	f = open_name("inner/b", 0);
	ck_assert_uint_eq(call(0x0A, f, 3, 0, 0), 0);
	ck_assert_uint_eq(call(0x06, f, BUFFER + 16, 100, 0), 96);
	ck_assert_int_eq(model_read(model, BUFFER + 16, text, 4), 0);
	ck_assert_str_eq(text, "ulet");
	ck_assert_uint_eq(call(0x06, f, 0x100, 4, 0), 4); /* no memory there */
	ck_assert_uint_eq(call(0x13, 0, 0, 0, 0), EFAULT);
	ck_assert_uint_eq(call(0x05, f, BUFFER, 4, 0), 4); /* open for reading */
	ck_assert_int_eq(model_write(model, NAME, "inner/b", 8), 0);
	ck_assert_int_eq(model_write(model, NAME + 16, "a", 2), 0);
	ck_assert_uint_eq(call(0x0F, NAME, 7, NAME + 16, 1), 0);
	ck_assert_int_eq(access(DIRECTORY "/a", F_OK), 0);
	ck_assert_uint_eq(call(0x0E, NAME + 16, 1, 0, 0), 0);
	ck_assert_int_ne(access(DIRECTORY "/a", F_OK), 0);
	ck_assert_uint_eq(open_name("no/such", 0), UINT32_MAX);
}
END_TEST

START_TEST(test_nothing_outside)
{
	static const char *const names[] = {"/etc/passwd", "../secret", "inner/../../secret", "link", "inner/../link",
	    "..", ".", "inner", "", "/", "inner/"};
	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		for (uint32_t mode = 0; mode < 12; mode++)
			ck_assert_msg(open_name(names[i], mode) == UINT32_MAX, "'%s' was opened", names[i]);
	ck_assert_uint_eq(open_name("a", 12), UINT32_MAX); /* no such mode */
	ck_assert_uint_gt(host.refused, 0);
	ck_assert_uint_eq(call(0x12, NAME, 4, 0, 0), UINT32_MAX); /* SYSTEM */
	ck_assert_uint_eq(call(0x77, 0, 0, 0, 0), UINT32_MAX);
	semihost_close(&host);
	ck_assert_int_eq(semihost_open(&host, NULL, ""), 0);
	ck_assert_uint_eq(open_name("a", 0), UINT32_MAX);
	ck_assert_int_lt(semihost_open(&host, SCRATCH "/not/there", ""), 0);
}
END_TEST

START_TEST(test_console_and_exit)
{
	ck_assert_int_eq(model_write(model, NAME, "hello", 6), 0);
	semihost_call(&host, model, 0x04, NAME, &exited, &code);
	semihost_call(&host, model, 0x03, NAME, &exited, &code);
	uint32_t tt = open_name(":tt", 4);
	ck_assert_int_eq(model_write(model, BUFFER, "!", 1), 0);
	ck_assert_uint_eq(call(0x05, tt, BUFFER, 1, 0), 0);
	ck_assert_uint_eq(call(0x09, tt, 0, 0, 0), 1);
	ck_assert_str_eq(console, "helloh!");
	ck_assert(!exited);
	call(0x20, 0x20026, 7, 0, 0);
	ck_assert(exited && code == 7);
	semihost_call(&host, model, 0x18, 0x20026, &exited, &code);
	ck_assert_uint_eq(code, 0);
	semihost_call(&host, model, 0x18, 0x20023, &exited, &code);
	ck_assert_uint_eq(code, 1);
}
END_TEST

START_TEST(test_host_asked)
{
	char text[16] = "";
	uint32_t words[4];
	uint64_t ticks = 1;
	model_write(model, BLOCK + 16, &ticks, 8);
	ck_assert_uint_eq(call(0x08, UINT32_MAX, 0, 0, 0), 1); /* ISERROR */
	ck_assert_uint_eq(call(0x08, 3, 0, 0, 0), 0);
	ck_assert_uint_eq(call(0x10, 0, 0, 0, 0), 0);          /* CLOCK: nothing has run yet */
	ck_assert_uint_ge(call(0x11, 0, 0, 0, 0), 1700000000); /* TIME */
	ck_assert_uint_eq(call(0x30, 9, 9, 0, 0), 0);          /* ELAPSED: to the block itself */
	ck_assert_int_eq(model_read(model, BLOCK, &ticks, 8), 0);
	ck_assert_uint_eq(ticks, 0);
	ck_assert_uint_eq(semihost_call(&host, model, 0x30, 0x100, &exited, &code), UINT32_MAX); /* no memory there */
	ck_assert_uint_eq(call(0x31, 0, 0, 0, 0), SEMIHOST_HZ);                                  /* TICKFREQ */
	ck_assert_uint_eq(call(0x15, BUFFER, sizeof text, 0, 0), 0);                             /* GET_CMDLINE */
	ck_assert_int_eq(model_read(model, BUFFER, text, 8), 0);
	ck_assert_str_eq(text, "program");
	ck_assert_int_eq(model_read(model, BLOCK + 4, words, 4), 0);
	ck_assert_uint_eq(words[0], 7);
	ck_assert_uint_eq(call(0x15, BUFFER, 7, 0, 0), UINT32_MAX); /* no room for its end */
	ck_assert_uint_eq(call(0x15, 0x100, 100, 0, 0), UINT32_MAX);
	memset(words, 1, sizeof words);
	model_write(model, BUFFER, words, sizeof words);
	ck_assert_uint_eq(call(0x16, BUFFER, 0, 0, 0), 0); /* HEAPINFO: the program knows best */
	ck_assert_int_eq(model_read(model, BUFFER, words, sizeof words), 0);
	ck_assert_uint_eq(words[0] | words[1] | words[2] | words[3], 0);
	ck_assert_uint_eq(call(0x16, 0x100, 0, 0, 0), UINT32_MAX);
	/* READC takes a byte of standard input, and tells its end */
	int ends[2], before = dup(STDIN_FILENO);
	ck_assert(before >= 0 && pipe(ends) == 0 && write(ends[1], "x", 1) == 1);
	close(ends[1]);
	ck_assert_int_ge(dup2(ends[0], STDIN_FILENO), 0);
	ck_assert_uint_eq(call(0x07, 0, 0, 0, 0), 'x');
	ck_assert_uint_eq(call(0x07, 0, 0, 0, 0), UINT32_MAX);
	dup2(before, STDIN_FILENO);
	close(before);
	close(ends[0]);
}
END_TEST

/* Names and numbers that are none, files that are not there, and more files than there is room for. */
START_TEST(test_host_refuses)
{
	uint32_t f = 0;
	unsigned opened = 0;
	ck_assert_uint_eq(call(0x01, 0x100, 4, 3, 0), UINT32_MAX);       /* the name is not in memory */
	ck_assert_uint_eq(call(0x01, NAME, 4, 1u << 20, 0), UINT32_MAX); /* longer than names are */
	ck_assert_uint_eq(call(0x0E, 0x100, 3, 0, 0), UINT32_MAX);
	ck_assert_uint_eq(call(0x0F, 0x100, 3, NAME, 1), UINT32_MAX);
	ck_assert_int_eq(model_write(model, NAME, "not", 4), 0);
	ck_assert_uint_ne(call(0x0E, NAME, 3, 0, 0), 0); /* REMOVE, RENAME what is not there */
	ck_assert_uint_ne(call(0x0F, NAME, 3, NAME, 3), 0);
	ck_assert_int_eq(model_write(model, NAME, "../a", 5), 0);
	ck_assert_uint_ne(call(0x0E, NAME, 4, 0, 0), 0);
	ck_assert_uint_ne(call(0x0F, NAME, 4, NAME, 4), 0);
	ck_assert_uint_eq(call(0x0C, 99, 0, 0, 0), UINT32_MAX); /* FLEN, SEEK of no file */
	ck_assert_uint_eq(call(0x0A, 99, 0, 0, 0), UINT32_MAX);
	f = open_name("a", 4);
	ck_assert_uint_eq(call(0x05, f, 0x100, 5, 0), 5); /* what is written is not in memory */
	while (opened < 1000 && open_name("a", 0) != UINT32_MAX)
		opened++;
	ck_assert_uint_lt(opened, 1000);
	ck_assert_uint_eq(call(0x13, 0, 0, 0, 0), EMFILE);
}
END_TEST

/* The whole way: a program that writes a character and exits by EBREAK between the marks. */
START_TEST(test_program)
{
	static const uint32_t program[] = {0x00300513, /* li a0,3 (WRITEC) */
	    0x00000597, 0x02058593,                    /* auipc a1; addi a1,a1,32: 0x80000024 */
	    0x01f01013, 0x00100073, 0x40705013,        /* the call */
	    0x01800513,                                /* li a0,0x18 (EXIT) */
	    0x000205b7, 0x02658593,                    /* li a1,0x20026 */
	    0x01f01013, 0x00100073, 0x40705013, 0x0000006f};
	const struct fast_options options = {.semihost = semihost_call, .semihost_context = &host};
	const struct run_hooks hooks = {.console = on_console};
	struct run_result result;
	uint32_t letter;
	put_code(BASE, program, 13);
	letter = program[9] & 0xFF; /* what stands at 0x80000024 */
	fast_close(gdb.fast);
	ck_assert_int_eq(fast_open(&gdb.fast, model, &options), MODEL_OK);
	fast_run(gdb.fast, &hooks, 10000, 0, &result);
	ck_assert_int_eq(result.end, RUN_END_EXIT);
	ck_assert_uint_eq(result.code, 0);
	ck_assert_uint_eq(console_size, 1);
	ck_assert_uint_eq((uint8_t)console[0], letter);
}
END_TEST

static Suite *suite(void)
{
	Suite *s = suite_create("gdb");
	TCase *t = tcase_create("packets");
	tcase_add_checked_fixture(t, setup, teardown);
	tcase_add_test(t, test_registers);
	tcase_add_test(t, test_wrong_packets);
	tcase_add_test(t, test_memory);
	tcase_add_test(t, test_step);
	tcase_add_test(t, test_breakpoints);
	tcase_add_test(t, test_watchpoints);
	tcase_add_test(t, test_queries);
	suite_add_tcase(s, t);
	t = tcase_create("semihosting");
	tcase_add_checked_fixture(t, setup_host, teardown_host);
	tcase_add_test(t, test_files);
	tcase_add_test(t, test_nothing_outside);
	tcase_add_test(t, test_console_and_exit);
	tcase_add_test(t, test_host_asked);
	tcase_add_test(t, test_host_refuses);
	tcase_add_test(t, test_program);
	suite_add_tcase(s, t);
	return s;
}

int main(void)
{
	return suite_finish(suite());
}
