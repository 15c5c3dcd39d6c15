/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* Retirement logs: their forms, what they contradict, and a program with Zcmp and Zcmt from an engine of this test. */
#include <check.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "host/export/gather_feed.h"
#include "host/import/import.h"
#include "host/walk/walk.h"
#include "tests/suite.h"

#define BASE 0x80000000u
#define RECORDS 4096
#define STEPS 4096

/* ---- an import into memory ---- */

struct kept {
	struct record records[RECORDS];
	size_t count;
	char problems[4096]; /* "line kind: text\n" of each */
	size_t stop;         /* the record that is refused; 0: none */
};

static int keep(void *context, const struct record *record, uint64_t time)
{
	struct kept *kept = context;
	(void)time;
	ck_assert(record_valid(record));
	ck_assert_uint_lt(kept->count, RECORDS);
	kept->records[kept->count++] = *record;
	return kept->count == kept->stop;
}

static void tell(void *context, uint64_t line, enum import_problem problem, const char *text)
{
	struct kept *kept = context;
	size_t used = strlen(kept->problems);
	snprintf(kept->problems + used, sizeof kept->problems - used, "%" PRIu64 " %d: %s\n", line, (int)problem, text);
}

/* Feeds the log in pieces of so many bytes. Returns the first error. */
static int import_all(const struct image *image, enum import_form form, const void *log, size_t size, size_t piece,
    struct kept *kept, struct import_counts *counts)
{
	const struct import_config config = {
	    .form = form, .hist = 32, .modes = 0xB, .sink = keep, .teller = tell, .context = kept};
	struct import *import;
	int error = import_open(&import, image, &config);
	for (size_t at = 0; at < size && error == IMPORT_OK; at += piece)
		error = import_feed(import, (const char *)log + at, piece < size - at ? piece : size - at);
	if (error == IMPORT_OK)
		error = import_finish(import);
	if (counts != NULL)
		*counts = *import_counts(import);
	import_close(import);
	return error;
}

/* loop: 0 addi a0,a0,-1; 4 bnez a0,0; 8 c.nop; 10 jal ra,0; 14 c.jr ra */
static const uint8_t code[] = {
    0x13, 0x05, 0xf5, 0xff, 0xe3, 0x1e, 0x05, 0xfe, 0x01, 0x00, 0xef, 0xf0, 0x7f, 0xff, 0x82, 0x80};

static struct image *tiny(void)
{
	struct image *image;
	ck_assert_int_eq(image_from_code(&image, BASE, code, sizeof code), IMAGE_OK);
	return image;
}

static struct kept *imported(enum import_form form, const char *log, struct import_counts *counts)
{
	struct kept *kept = calloc(1, sizeof *kept);
	struct image *image = tiny();
	ck_assert_int_eq(import_all(image, form, log, strlen(log), SIZE_MAX / 2, kept, counts), IMPORT_OK);
	image_close(image);
	return kept;
}

/* The instructions that the records are walked to, as addresses below BASE. */
static void expect_walk(const struct kept *kept, const char *wanted)
{
	struct image *image = tiny();
	const struct walk_config config = {.hist = 32, .insn_bits = 16};
	struct walk *walk;
	char got[1024] = "";
	ck_assert_int_eq(walk_open(&walk, image, &config), WALK_OK);
	for (size_t i = 0; i < kept->count; i++) {
		uint64_t pcs[64];
		size_t count = 0;
		ck_assert_int_eq(walk_pcs(walk, &kept->records[i], pcs, 64, &count, NULL), WALK_OK);
		for (uint64_t n = 0; n < kept->records[i].count; n++) {
			for (size_t k = 0; k < count; k++)
				snprintf(got + strlen(got), sizeof got - strlen(got), "%" PRIu64 " ", pcs[k] - BASE);
		}
		strcat(got, "| ");
	}
	ck_assert_str_eq(got, wanted);
	walk_close(walk);
	image_close(image);
}

/* ---- forms ---- */

static const struct {
	const char *name, *log, *walk;
} forms[] = {{"six columns",
		 "80000000 fff50513 80000004 3 0 0\n80000004 fe051ee3 80000000 M 0 0\n80000000 fff50513 80000004\n"
		 "80000004 fe051ee3 80000008\n80000008 1 8000000a\n",
		 "0 4 | 0 4 8 | "},
    {"pc alone", "0x80000000\n0x80000004\n0x80000000\n0x80000004\n0x80000008\n", "0 4 | 0 4 8 | "},
    {"comments, empty lines, commas, no end of line",
	"# a log\n\n 80000000,-,80000004\r\n80000004,-,80000000\n80000000,,\n# and\n80000004", "0 4 | 0 | "},
    {"names in another order",
	"mode next_pc other pc insn\n3 80000004 zz 80000000 fff50513\n3 80000008 zz 80000004 -\n", "0 4 | "},
    {"RVFI's names",
	"rvfi_valid rvfi_order rvfi_insn rvfi_trap rvfi_intr rvfi_mode rvfi_pc_rdata rvfi_pc_wdata\n"
	"1 0 fff50513 0 0 3 80000000 80000004\n0 0 00000000 0 0 0 00000000 00000000\n"
	"1 1 fe051ee3 0 0 3 80000004 80000000\n1 2 fff50513 0 0 3 80000000 80000004\n",
	"0 4 | 0 | "},
    {"of qemu",
	"IN: other parts of its log\n"
	"Trace 0: 0x7fe254000100 [0000000000000000/0000000080000000/00207600/00000201] _start\n"
	"Trace 0: 0x7fe254000200 [0000000000000000/0000000080000004/00207600/00000201] _start\n"
	"Trace 0: 0x7fe254000300 [0000000000000000/0000000080000008/00207600/00000201] _start\n"
	"Stopped execution of TB chain before 0x7fe254000300 [0000000080000008] _start\n"
	"Trace 1: 0x7fe254000100 [0000000000000000/0000000080000000/00207600/00000201] another thread\n"
	"Trace 0: 0x7fe254000300 [0000000000000000/0000000080000008/00207600/00000201] _start\n",
	"0 4 8 | "},
    {"of qemu, behind what the program printed",
	"hello, world\nadd a face\nTrace of nothing\n"
	"Trace 0: 0x7fe254000100 [00000000/80000000/00207600/ff000000] _start\n"
	"Trace 0: 0x7fe254000200 [00000000/80000004/00207600/ff000000] _start\n",
	"0 | "},
    {"of qemu's plugin execlog",
	"0, 0x80000000, 0xfff50513, \"addi a0,a0,-1\"\n1, 0x80000000, 0xfff50513, \"addi a0,a0,-1\"\n"
	"0, 0x80000004, 0xfe051ee3, \"bnez a0,-4\"\n0, 0x80000000, 0xfff50513, \"addi a0,a0,-1\", load, 0x80\n",
	"0 4 | 0 | "},
    {"of spike -l, behind its boot ROM",
	"warning: tohost and fromhost symbols not in ELF\ncore   0: 0x0000000000001000 (0x00000297) auipc   t0, 0x0\n"
	"core   0: >>>>  _start\ncore   0: 0x0000000080000000 (0xfff50513) addi    a0, a0, -1\n"
	"core   0: 0x0000000080000004 (0xfe051ee3) bnez    a0, pc - 4\n"
	"core   1: 0x0000000080000004 (0xfe051ee3) bnez    a0, pc - 4\n"
	"core   0: 0x0000000080000000 (0xfff50513) addi    a0, a0, -1\n",
	"0 4 | 0 | "},
    {"of spike --log-commits, an older one",
	"3 0x80000000 (0xfff50513) x10 0x00000001\n3 0x80000004 (0xfe051ee3)\n3 0x80000000 (0xfff50513) x10 "
	"0x00000000\n",
	"0 4 | 0 | "},
    {"of spike, both",
	"core   0: 0x0000000080000000 (0xfff50513) addi    a0, a0, -1\ncore   0: 3 0x0000000080000000 (0xfff50513) x10 "
	"0x1\n"
	"core   0: 0x0000000080000004 (0xfe051ee3) bnez    a0, pc - 4\ncore   0: 3 0x0000000080000004 (0xfe051ee3)\n"
	"core   0: 0x0000000080000000 (0xfff50513) addi    a0, a0, -1\ncore   0: 3 0x0000000080000000 (0xfff50513) x10 "
	"0x0\n",
	"0 4 | 0 | "},
    {"RVVI-TEXT",
	"' 287' MODE 3 RET 80000000 fff50513 'addi x10,x10,-1' \\\nX 10 00000001\n"
	"' 288' MODE 3 RET 80000004 fe051ee3 'bne x10,x0,80000000'\n' 289' MODE 3 RET 80000000 fff50513 'it''s' \\\n"
	"X 10 00000000\n",
	"0 4 | 0 | "},
    {"a CSV trace: empty cells, quotes, the instruction is its binary",
	"pc,instr,gpr,csr,binary,mode,instr_str,operand,pad\n80000000,addi,a0:00000001,,fff50513,3,\"addi a0, a0, "
	"-1\",\"a0,a0\",\n"
	"80000004,bne,,,fe051ee3,3,\"bne a0, zero, -4\",,\n80000000,addi,,,,,,,\n",
	"0 4 | 0 | "},
    {"a tracer's table",
	"Time          Cycle      PC       Instr    Decoded instruction Register and memory contents\n"
	"          130         61 80000000 fff50513 addi    x10,x10,-1  x10=0x00000001\n"
	"          132         62 80000004 fe051ee3 bne     x10,x0,80000000\n          134 63 80000000 fff50513 addi\n",
	"0 4 | 0 | "}};

/* A trap is shown, and the interrupted trace goes on behind the handler: nothing breaks off. jal plays MRET's part no
 * better than it can: here the records' walk is not compared, only what the log contradicts. */
static const struct {
	const char *log;
	uint64_t instructions;
} traps[] = {
    /* an exception: the instruction at epc was not executed */
    {"core   0: 0x80000000 (0xfff50513) addi\ncore   0: 0x80000004 (0xfe051ee3) bnez\n"
     "core   0: exception trap_breakpoint, epc 0x80000004\ncore   0:           tval 0x0\n"
     "core   0: 0x80000008 (0x0001) c.nop\ncore   0: 0x8000000a (0xff7ff0ef) jal\n",
	3},
    /* an interrupt behind a branch that was taken */
    {"core   0: 0x80000000 (0xfff50513) addi\ncore   0: 0x80000004 (0xfe051ee3) bnez\n"
     "core   0: exception interrupt #7, epc 0x80000000\ncore   0: 0x80000008 (0x0001) c.nop\n",
	3},
    /* as often as its line says */
    {"core   0: 0x80000008 (0x0001) c.nop\ncore   0: 0x8000000a (0xff7ff0ef) jal\n"
     "core   0: 0x80000000 (0xfff50513) addi\n",
	3},
    {"' 1' MODE 3 RET 80000000 fff50513 'x'\n' 2' TRAP 80000004 fe051ee3 'y'\n' 3' RET 80000008 0001 'z'\n", 2}};

START_TEST(traps_shown)
{
	struct import_counts counts;
	struct kept *kept = imported(IMPORT_AUTO, traps[_i].log, &counts);
	ck_assert_str_eq(kept->problems, "");
	ck_assert_uint_eq(counts.breaks, 0);
	ck_assert_uint_eq(counts.instructions, traps[_i].instructions);
	free(kept);
}
END_TEST

/* Lines before the log: told where the log is text, and no reason to take it for another form. */
START_TEST(stray_lines)
{
	struct import_counts counts;
	struct kept *kept = imported(IMPORT_AUTO, "Loading ...\nmode of nothing\n80000000\n80000004\n", &counts);
	ck_assert_str_eq(kept->problems, "1 0: cannot be read: \"Loading ...\"; the log begins behind it\n");
	ck_assert_uint_eq(counts.instructions, 1);
	free(kept);
}
END_TEST

START_TEST(form)
{
	struct import_counts counts;
	struct kept *kept = imported(IMPORT_AUTO, forms[_i].log, &counts);
	ck_assert_str_eq(kept->problems, "");
	expect_walk(kept, forms[_i].walk);
	free(kept);
}
END_TEST

static size_t binary(uint8_t *log, const uint64_t steps[][2], size_t count, unsigned flags)
{
	memcpy(log, IMPORT_MAGIC, 8);
	for (size_t i = 0; i < count; i++) {
		uint8_t *b = log + 8 + IMPORT_STEP * i;
		memset(b, 0, IMPORT_STEP);
		for (unsigned k = 0; k < 8; k++) {
			b[k] = (uint8_t)(steps[i][0] >> 8 * k);
			b[8 + k] = (uint8_t)(steps[i][1] >> 8 * k);
		}
		b[20] = 3;
		b[21] = (uint8_t)flags;
	}
	return 8 + IMPORT_STEP * count;
}

/* In pieces of every size. */
START_TEST(binary_form)
{
	static const uint64_t steps[][2] = {{BASE, BASE + 4}, {BASE + 4, BASE}, {BASE, BASE + 4}, {BASE + 4, BASE + 8}};
	uint8_t log[8 + IMPORT_STEP * 4];
	size_t size = binary(log, steps, 4, 8);
	for (size_t piece = 1; piece <= size; piece++) {
		struct kept *kept = calloc(1, sizeof *kept);
		struct image *image = tiny();
		struct import_counts counts;
		ck_assert_int_eq(import_all(image, IMPORT_AUTO, log, size, piece, kept, &counts), IMPORT_OK);
		ck_assert_str_eq(kept->problems, "");
		ck_assert_uint_eq(counts.instructions, 4);
		expect_walk(kept, "0 4 | 0 4 | ");
		image_close(image);
		free(kept);
	}
}
END_TEST

START_TEST(binary_damage)
{
	static const uint64_t steps[][2] = {{BASE, BASE + 4}, {BASE + 5, BASE}, {BASE + 4, BASE + 8}};
	uint8_t log[8 + IMPORT_STEP * 3];
	size_t size = binary(log, steps, 3, 8);
	struct kept *kept = calloc(1, sizeof *kept);
	struct image *image = tiny();
	ck_assert_int_eq(import_all(image, IMPORT_AUTO, log, size - 3, size, kept, NULL), IMPORT_OK);
	ck_assert_str_eq(kept->problems, "2 0: is no step: an odd pc, or unknown flags\n3 0: is cut off\n");
	log[3] ^= 1;
	ck_assert_int_eq(import_all(image, IMPORT_AUTO, log, size, size, kept, NULL), IMPORT_EFORM);
	image_close(image);
	free(kept);
}
END_TEST

/* ---- what a log can be wrong in ---- */

static const struct {
	const char *log, *problems, *walk;
	uint64_t breaks;
} wrong[] = {{"80000000 fff50513 80000004\n80000004 fe051ee2 80000000\n",
		 "2 1: 0x80000004: the log says 0x1ee2, the program has 0xfe051ee3 (bne a0,zero,0x80000000) there\n"
		 "2 3: 0x80000004: illegal cannot go on at 0x80000000\n",
		 NULL, 0},
    {"80000000 - 80000004\n80000008 - 8000000a\n",
	"2 2: is at 0x80000008, but the line before goes on at 0x80000004: instructions are missing\n", "0 | 8 | ", 1},
    {"80000000 - 80000008\n", "1 3: 0x80000000: addi cannot go on at 0x80000008\n", "0 | ", 0},
    {"80000000 - 80000004\n8000000g - 80000000\n80000004 - 80000000\n", "2 0: cannot be read: \"8000000g\"\n", "0 4 | ",
	0},
    {"80000001 - 80000004\n80000000\n",
	"1 0: cannot be read: \"80000001\", an odd address (rule 5 of the retire port is broken)\n", "0 | ", 0},
    {"80000000 - 80000004 7\n80000000\n", "1 0: cannot be read: \"7\"\n", "0 | ", 0},
    {"pc mode\n- 3\n80000000 3\n", "2 0: has no pc\n", "0 | ", 0}};

START_TEST(contradiction)
{
	struct import_counts counts;
	struct kept *kept = imported(IMPORT_AUTO, wrong[_i].log, &counts);
	ck_assert_str_eq(kept->problems, wrong[_i].problems);
	ck_assert_uint_eq(counts.breaks, wrong[_i].breaks);
	if (wrong[_i].walk != NULL)
		expect_walk(kept, wrong[_i].walk);
	free(kept);
}
END_TEST

START_TEST(no_log)
{
	struct kept *kept = calloc(1, sizeof *kept);
	struct image *image = tiny();
	char *line = malloc(10000);
	memset(line, 'a', 10000);
	ck_assert_int_eq(import_all(image, IMPORT_AUTO, "insn mode\n", 10, 10, kept, NULL), IMPORT_ECOLUMNS);
	ck_assert_int_eq(import_all(image, IMPORT_TEXT, "8000\0 1", 7, 7, kept, NULL), IMPORT_EFORM);
	ck_assert_int_eq(import_all(image, IMPORT_TEXT, line, 10000, 10000, kept, NULL), IMPORT_EFORM);
	ck_assert_int_eq(import_all(image, IMPORT_BINARY, "", 0, 1, kept, NULL), IMPORT_EFORM);
	ck_assert_int_eq(import_all(image, IMPORT_AUTO, "", 0, 1, kept, NULL), IMPORT_OK);
	ck_assert_int_eq(import_all(image, IMPORT_AUTO, "int main\n{\n}\n", 13, 13, kept, NULL), IMPORT_EFORM);
	ck_assert_uint_eq(kept->count, 0);
	kept->stop = 1;
	ck_assert_int_eq(
	    import_all(image, IMPORT_AUTO, forms[0].log, strlen(forms[0].log), 100, kept, NULL), IMPORT_ESTOPPED);
	free(line);
	image_close(image);
	free(kept);
}
END_TEST

/* A trap: the handler is left out, and the interrupted trace goes on. A jump of the log out of the image is named by
 * none, but counted. */
START_TEST(outside)
{
	struct import_counts counts;
	struct kept *kept = imported(IMPORT_AUTO, "80000000\n80000004\n40000000\n40000004\n80000008\n", &counts);
	ck_assert_uint_eq(counts.outside, 2);
	ck_assert_uint_eq(counts.instructions, 2);
	ck_assert_uint_ge(counts.breaks, 1);
	free(kept);
}
END_TEST

/* Where a log goes on elsewhere: whether something came back there, and what is known of what ran before it. */
#define QEMU(pc) "Trace 0: 0x7f00 [00000000/8000000" pc "/0/0] _start\n"
#define QEMU_OUTSIDE "Trace 0: 0x7f00 [00000000/40000000/0/0] \n"
#define QEMU_STOPPED(pc) "Stopped execution of TB chain before 0x7f00 [8000000" pc "] _start\n"
static const struct {
	const char *log, *walk, *problems;
	uint64_t gaps, unfollowed;
} leaps[] = {{"80000000\n80000008\n8000000a\n", "0 | 8 10 | ", "", 1, 0},
    /* a branch that went on elsewhere: not even it is in a record */
    {"80000000\n80000004\n8000000a\n80000000\n", "0 | 10 | 0 | ", "", 1, 1},
    /* what the line says is not where the log goes on, nor could it: one place */
    {"80000000 - 8000000e\n80000008\n8000000a\n", "0 | 8 10 | ",
	"2 2: is at 0x80000008, but the line before goes on at 0x8000000e: instructions are missing\n"
	"1 3: 0x80000000: addi cannot go on at 0x8000000e\n",
	1, 0},
    /* a signal, which returns from outside of the image */
    {"80000000\n8000000e\n40000000\n80000004\n80000008\n", "0 | 14 | 4 8 | ", "", 0, 0},
    {"80000000\n8000000e\n40000000\n80000000\n", "0 | 14 | 0 | ", "", 0, 0},
    {"80000000\n8000000e\n40000000\n80000008\n", "0 | 14 | 8 | ", "", 1, 0},
    /* a step that was not executed, since a handler came before it */
    {QEMU("0") QEMU("4") QEMU_STOPPED("4") QEMU("e") QEMU_OUTSIDE QEMU("4") QEMU("8") QEMU("a"), "0 | 14 | 4 8 10 | ",
	"", 0, 0},
    {QEMU("0") QEMU("4") QEMU_STOPPED("4") QEMU("4") QEMU("8"), "0 4 8 | ", "", 0, 0},
    {QEMU("0") QEMU("4") QEMU_STOPPED("4") QEMU("a") QEMU("0"), "0 | 10 | 0 | ", "", 1, 0},
    /* two handlers in a row, the second before what the first came back to */
    {QEMU("0") QEMU("e") QEMU_OUTSIDE QEMU("4") QEMU_STOPPED("4") QEMU("e") QEMU_OUTSIDE QEMU("4"), "0 | 14 | 14 | ",
	"", 0, 1},
    /* cut in the midst of an address */
    {QEMU("0") "Trace 0: 0x7f00 [00000000/8000", "0 | ", "2 0: has no pc as qemu writes it\n", 0, 0}};

START_TEST(leap)
{
	struct import_counts counts;
	struct kept *kept = imported(IMPORT_AUTO, leaps[_i].log, &counts);
	ck_assert_str_eq(kept->problems, leaps[_i].problems);
	ck_assert_uint_eq(counts.gaps, leaps[_i].gaps);
	ck_assert_uint_eq(counts.unfollowed, leaps[_i].unfollowed);
	expect_walk(kept, leaps[_i].walk);
	free(kept);
}
END_TEST

/* ---- Zcmp and Zcmt: an engine of a few instructions, by their specification ---- */

struct engine {
	const struct image *image;
	uint32_t pc, x[32], jvt, stack[1024];
	uint64_t pcs[STEPS], next[STEPS];
	uint32_t insns[STEPS];
	size_t count;
};

static uint32_t *word_of(struct engine *e, uint32_t address)
{
	uint32_t at = address - (0x80010000u - (uint32_t)sizeof e->stack);
	ck_assert_uint_lt(at, sizeof e->stack);
	return &e->stack[at / 4];
}

static uint32_t of_image(const struct engine *e, uint32_t address, unsigned bytes)
{
	size_t count;
	const struct elf_segment *s = image_segments(e->image, &count);
	for (size_t i = 0; i < count; i++) {
		uint32_t value = 0;
		if (address < s[i].address || address - s[i].address + bytes > s[i].file_size)
			continue;
		memcpy(&value, s[i].bytes + (address - s[i].address), bytes);
		return value;
	}
	ck_abort_msg("0x%08x is not there", address);
	return 0;
}

/* rlist 4: ra; 5: ra, s0; 6: ra, s0, s1. The highest register at the highest address. */
static void zcmp(struct engine *e, uint32_t insn)
{
	static const unsigned saved[] = {1, 8, 9};
	unsigned count = (insn >> 4 & 15) - 3;
	uint32_t adjust = 16 + 16 * (insn >> 2 & 3);
	ck_assert_uint_le(count, 3);
	if ((insn & 0xFF03) == 0xB802) {
		for (unsigned i = 0; i < count; i++)
			*word_of(e, e->x[2] - 4 * (count - i)) = e->x[saved[i]];
		e->x[2] -= adjust;
		return;
	}
	ck_assert((insn & 0xFF03) == 0xBE02 || (insn & 0xFF03) == 0xBC02);
	for (unsigned i = 0; i < count; i++)
		e->x[saved[i]] = *word_of(e, e->x[2] + adjust - 4 * (count - i));
	e->x[2] += adjust;
	if ((insn & 0xFF03) == 0xBC02)
		e->x[10] = 0;
	e->pc = e->x[1];
}

static void step32(struct engine *e, uint32_t insn, uint32_t pc)
{
	unsigned rd = insn >> 7 & 31;
	uint32_t a = e->x[insn >> 15 & 31], b = e->x[insn >> 20 & 31], result = e->x[rd];
	int32_t imm = (int32_t)insn >> 20;
	switch (insn & 0x7F) {
	case 0x13:
		ck_assert_uint_eq(insn >> 12 & 7, 0);
		result = a + (uint32_t)imm;
		break;
	case 0x17:
		result = pc + (insn & 0xFFFFF000);
		break;
	case 0x37:
		result = insn & 0xFFFFF000;
		break;
	case 0x33:
		result = (insn >> 25) == 0 ? a + b : (insn >> 12 & 7) == 0 ? a * b : a % b;
		break;
	case 0x63: {
		uint32_t offset = (uint32_t)((int32_t)insn >> 31) << 12 | (insn >> 7 & 1) << 11 |
				  (insn >> 25 & 63) << 5 | (insn >> 8 & 15) << 1;
		if ((a == b) == ((insn >> 12 & 1) == 0))
			e->pc = pc + offset;
		return;
	}
	case 0x6F:
		result = e->pc;
		e->pc = pc + ((uint32_t)((int32_t)insn >> 31) << 20 | (insn & 0xFF000) | (insn >> 20 & 1) << 11 |
				 (insn >> 21 & 1023) << 1);
		break;
	case 0x73:
		ck_assert_uint_eq(insn >> 20, 0x17);
		e->jvt = a;
		return;
	default:
		ck_abort_msg("instruction 0x%08x at 0x%08x", insn, pc);
	}
	if (rd != 0)
		e->x[rd] = result;
}

static void execute(struct engine *e, uint32_t end)
{
	while (e->pc != end) {
		uint32_t pc = e->pc, insn = of_image(e, pc, 2);
		ck_assert_uint_lt(e->count, STEPS);
		if ((insn & 3) == 3) {
			insn = of_image(e, pc, 4);
			e->pc += 4;
			step32(e, insn, pc);
		} else {
			e->pc += 2;
			if ((insn & 0xFC03) == 0xA002 && insn < 0xA402) {
				uint32_t index = insn >> 2 & 255;
				if (index >= 32)
					e->x[1] = e->pc;
				e->pc = of_image(e, e->jvt + 4 * index, 4);
			} else if (insn != 1)
				zcmp(e, insn);
		}
		e->pcs[e->count] = pc;
		e->insns[e->count] = insn;
		e->next[e->count++] = e->pc;
	}
}

static struct engine *ran(struct image **image)
{
	struct engine *e = calloc(1, sizeof *e);
	char detail[512];
	uint64_t end;
	ck_assert_msg(image_open(image, ZCMP, detail, sizeof detail) == IMAGE_OK, "%s", detail);
	ck_assert_int_eq(image_symbol(*image, "_end_of_run", &end), IMAGE_OK);
	e->image = *image;
	e->pc = (uint32_t)image_entry(*image);
	execute(e, (uint32_t)end);
	/* the program says itself whether the engine did right */
	ck_assert_uint_eq(e->x[10], 3628800 + 3 * 3);
	ck_assert_uint_eq(e->x[2], 0x80010000);
	return e;
}

START_TEST(zcmp_program)
{
	struct image *image;
	struct engine *e = ran(&image);
	struct kept *kept = calloc(1, sizeof *kept);
	char *log = malloc(64 * e->count);
	size_t size = 0, at = 0;
	for (size_t i = 0; i < e->count; i++) {
		if (_i == 0)
			size += (size_t)sprintf(
			    log + size, "%" PRIx64 " %x %" PRIx64 "\n", e->pcs[i], e->insns[i], e->next[i]);
		else
			size += (size_t)sprintf(log + size, "%" PRIx64 "\n", e->pcs[i]);
	}
	struct import_counts counts;
	ck_assert_int_eq(import_all(image, IMPORT_TEXT, log, size, 1000, kept, &counts), IMPORT_OK);
	ck_assert_str_eq(kept->problems, "");
	e->count -= (size_t)_i; /* with pcs alone nobody knows where the last one went */
	ck_assert_uint_eq(counts.instructions, e->count);
	ck_assert_uint_eq(counts.breaks, 0);

	const struct walk_config config = {.hist = 32, .insn_bits = 16};
	struct gather *gather;
	const struct gather_result *result;
	struct walk *walk;
	uint64_t pcs[256], factorial, times = 0;
	ck_assert_int_eq(walk_open(&walk, image, &config), WALK_OK);
	ck_assert_int_eq(gather_open(&gather, image, &config), GATHER_OK);
	for (size_t i = 0; i < kept->count; i++) {
		size_t count = 0;
		int error = walk_pcs(walk, &kept->records[i], pcs, 256, &count, NULL);
		ck_assert_int_eq(error, WALK_OK);
		for (uint64_t n = 0; n < kept->records[i].count; n++) {
			for (size_t k = 0; k < count; k++)
				ck_assert_uint_eq(pcs[k], e->pcs[at++]);
		}
		ck_assert_int_eq(
		    gather_record(gather, &kept->records[i], i == 0 ? STACK_UNRELATED : STACK_FOLLOWS), GATHER_OK);
	}
	ck_assert_uint_eq(at, e->count);

	/* calls by cm.jalt and jal, returns by cm.popret: ten calls of factorial by itself, one from far_call, and
	 * back */
	ck_assert_int_eq(gather_finish(gather, 1, &result), GATHER_OK);
	ck_assert_uint_eq(result->count, e->count);
	ck_assert_uint_eq(result->unfit + result->cut + result->breaks + result->stack.unmatched, 0);
	ck_assert_int_eq(image_symbol(image, "factorial", &factorial), IMAGE_OK);
	for (size_t i = 1; i < result->node_count; i++)
		times += result->nodes[i].entry == factorial ? result->nodes[i].entered : 0;
	ck_assert_uint_eq(times, 11);
	ck_assert_uint_eq(result->stack.calls, 1 + 9 + 1 + 11);
	ck_assert_uint_eq(result->stack.returns, result->stack.calls - 1); /* main's leads to the end */
	gather_close(gather);
	walk_close(walk);
	free(log);
	free(kept);
	free(e);
	image_close(image);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("import");
	TCase *tc = tcase_create("import");
	tcase_add_loop_test(tc, form, 0, (int)(sizeof forms / sizeof *forms));
	tcase_add_loop_test(tc, traps_shown, 0, (int)(sizeof traps / sizeof *traps));
	tcase_add_test(tc, stray_lines);
	tcase_add_test(tc, binary_form);
	tcase_add_test(tc, binary_damage);
	tcase_add_loop_test(tc, contradiction, 0, (int)(sizeof wrong / sizeof *wrong));
	tcase_add_test(tc, no_log);
	tcase_add_test(tc, outside);
	tcase_add_loop_test(tc, leap, 0, (int)(sizeof leaps / sizeof *leaps));
	tcase_add_loop_test(tc, zcmp_program, 0, 2);
	suite_add_tcase(suite, tc);
	return suite_finish(suite);
}
