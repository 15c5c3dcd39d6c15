/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/*
 * Writes a random RV32IMC program for the lockstep bench as assembler text: `gen SEED [no-c] >program.S`. (With
 * `functions` it is functions to be called: functions.c; with `gotos` C: gotos.c.) The same seed
 * gives the same text; with no-c it is one for a core without 16-bit instructions, with no-pair one that leaves the
 * current pair and LFSR of the trace unit alone.
 *
 * The program always ends, whatever interrupts and resets do to it:
 *   - its own transfers go forwards, but for counted loops (counters: s11, and s9 of the sweeps, written by nothing
 *     else) and calls;
 *   - every trap handler steps over what trapped; a jump to nowhere comes back by ra, set right before it;
 *   - a fetch that the memory protection refuses inside of the program opens it again by region 3, which is never
 *     locked; what is locked lies in the buffer;
 *   - the timer is always enabled and always armed, so WFI ends; after INTERRUPT_LIMIT interrupts every one that is not
 *     the timer's is switched off again by the handler, and so is tracing (a handler that is traced at
 *     interrupt-every-trace would never get on).
 * Reserved: sp, s0 point into a buffer, s9, s10, s11 counters, t6 stack of the handlers, s1 pointer to anywhere (set
 * where it is used). Everything may run in M or in U: what is not allowed traps and is stepped over; ECALL changes the
 * mode.
 *
 * No line of an instruction depends on a line before it for being assembled, only labels do: the shrinker
 * (tests/random/shrink) takes lines away.
 */
#include "tests/random/random.h"
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct generator gen = {.with_c = true};

uint32_t rnd(void) /* splitmix64 */
{
	uint64_t z = gen.state += 0x9E3779B97F4A7C15u;

	z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9u;
	z = (z ^ z >> 27) * 0x94D049BB133111EBu;
	return (uint32_t)((z ^ z >> 31) >> 32);
}

unsigned below(unsigned n)
{
	return rnd() % n;
}

bool chance(unsigned percent)
{
	return below(100) < percent;
}

void emit(const char *format, ...)
{
	va_list list;

	va_start(list, format);
	putchar('\t');
	vprintf(format, list);
	putchar('\n');
	va_end(list);
}

void rvc(bool on)
{
	emit(on && gen.with_c ? ".option rvc" : ".option norvc");
}

unsigned any(void)
{
	return below(32);
}

unsigned dest(void)
{
	for (;;) {
		unsigned r = below(31); /* not t6 */

		if (r != 2 && r != 8 && r != 25 && r != 26 && r != 27 && !(r == 1 && gen.in_function))
			return r;
	}
}

unsigned short_source(void)
{
	return 8 + below(8);
}

unsigned short_dest(void)
{
	return 9 + below(7);
}

uint32_t value(void)
{
	static const uint32_t corners[] = {0, 1, 2, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF, 0xFFFFFFFE, 31, 32, 0x55555555};

	return chance(50) ? PICK(corners) : rnd() >> below(32);
}

int main(int argc, char **argv)
{
	char *end;
	unsigned long seed = argc > 1 ? strtoul(argv[1], &end, 0) : 0;
	bool only_functions = false, only_gotos = false, rv64 = false;
	bool wrong = argc < 2 || !*argv[1] || *end || seed > UINT32_MAX;

	gen.with_c = gen.with_pair = true;
	for (int i = 2; i < argc; i++) {
		bool no_c = !strcmp(argv[i], "no-c"), no_pair = !strcmp(argv[i], "no-pair");
		bool called = !strcmp(argv[i], "functions"), wide = !strcmp(argv[i], "rv64");
		gen.with_c &= !no_c;
		gen.with_pair &= !no_pair;
		only_functions |= called;
		bool computed = !strcmp(argv[i], "gotos");
		rv64 |= wide;
		only_gotos |= computed;
		wrong |= !no_c && !no_pair && !called && !wide && !computed;
	}
	if (wrong) {
		fputs("usage: gen SEED [no-c] [no-pair] | gen SEED functions [no-c] [rv64] | gen SEED gotos\n"
		      "Writes a random RV32IMC program for the lockstep bench to standard output, functions, or C with "
		      "computed gotos.\n",
		    stderr);
		return 2;
	}
	gen.state = seed;
	if (only_functions || only_gotos) {
		if (only_gotos)
			gotos();
		else
			functions(rv64);
		return ferror(stdout) || fflush(stdout) ? 1 : 0;
	}
	prolog((uint32_t)seed);
	handlers();
	gen.in_function = true;
	for (unsigned i = 0; i < FUNCTIONS; i++) {
		printf("F%u:\n", i);
		items(2 + below(8));
		emit("ret");
	}
	gen.in_function = false;
	puts("body:");
	for (unsigned i = 0; i < BLOCKS; i++) {
		bool loop = chance(60);

		if (loop)
			emit("li s11, %u", 1 + below(chance(80) ? 8 : 40));
		printf("B%u:\n", i);
		items(3 + below(15));
		if (loop) {
			emit("addi s11, s11, -1");
			emit("beqz s11, E%u", i);
			emit("j B%u", i);
			printf("E%u:\n", i);
		}
	}
	emit("addi s10, s10, -1");
	emit("beqz s10, done");
	emit("j body");
	puts("done:");
	emit("la t0, tohost");
	emit("li t1, 1");
	emit("sw t1, 0(t0)");
	/* refused? then from M, with the rights of M */
	emit("ecall");
	emit("li t0, 0x20000");
	emit("csrc mstatus, t0");
	emit("j done");
	fputs("/* shrink: keep */\n\t.section .tohost, \"aw\"\n\t.balign 64\n\t.globl tohost\ntohost:\t.dword "
	      "0\n\t.data\n\t.balign 16\n",
	    stdout);
	fputs("trap_count: .word 0\ninterrupt_count: .word 0\n\t.balign 256\nbuffer:\nlocked:\n", stdout);
	for (int i = 0; i < 1088; i++)
		printf("\t.word 0x%" PRIx32 "\n", rnd());
	fputs("\t.space 4096\nstack_top:\n", stdout);
	return ferror(stdout) || fflush(stdout) ? 1 : 0;
}
