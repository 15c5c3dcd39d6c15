/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/*
 * Random functions that keep to the calling convention, for editors of object files: `gen SEED functions [rv64]`. A
 * main program calls random_table[i](a, b) for each i below random_count, after setting random_fuel.
 *
 *   - Control flow is a random graph of blocks: branches forwards and backwards, into the middle of loops, self loops,
 *     tables of jumps, tail calls, returns in many places, blocks in another section, data between functions, functions
 *     that fall into the next one, functions with two entries.
 *   - Every way back and every call takes a unit of random_fuel; without fuel a function goes to its exit.
 *   - No address reaches a value that is kept: results are the same wherever code and data lie.
 *   - What a call may change is set anew behind it.
 */
#include "tests/random/random.h"
#include <stdio.h>

enum { COUNT = 9, NODES = 12 };

static struct {
	unsigned number, nodes;
	unsigned work[12], works;  /* registers with values */
	unsigned pointer, scratch; /* for addresses, for anything within a block */
	unsigned saved[8], saves;
	unsigned frame;
	bool relax;
	bool to_next;           /* branches to the next instruction: for even seeds there are none */
	bool leaf, rv64, falls; /* falls: into the next function */
	bool second[COUNT];     /* has a second entry, random_fN_b */
	bool cold;              /* the present block is in another section */
} f;

static const char *a_function(unsigned number)
{
	static char name[32];

	snprintf(name, sizeof name, f.second[number] && chance(50) ? "random_f%u_b" : "random_f%u", number);
	return name;
}

static unsigned a_work(void)
{
	return f.work[below(f.works)];
}

static void unit_of_fuel(const char *exit_label)
{
	emit("la x%u, random_fuel", f.pointer);
	emit("lw x%u, 0(x%u)", f.scratch, f.pointer);
	emit("addi x%u, x%u, -1", f.scratch, f.scratch);
	emit("sw x%u, 0(x%u)", f.scratch, f.pointer);
	if (f.cold) { /* branches do not reach other sections */
		unsigned label = gen.labels++;
		emit("bgez x%u, .L%u", f.scratch, label);
		emit("j %s", exit_label);
		printf(".L%u:\n", label);
	} else
		emit("bltz x%u, %s", f.scratch, exit_label);
}

/* Without relaxation gas 2.40 fills with 0, which is no instruction. With it, it leaves room for the padding of the
 * present length of instructions only, though the code before may be another's. */
static void align(void)
{
	unsigned to = 4u << below(4);
	if (f.relax) {
		emit(".option push");
		rvc(true);
		emit(".balign %u", to);
		emit(".option pop");
	} else
		emit(gen.with_c ? ".balignw %u, 1" : ".balignl %u, 0x13", to);
}

static void operation(void)
{
	static const char *const ops[] = {
	    "add", "sub", "xor", "or", "and", "sll", "srl", "sra", "slt", "sltu", "mul", "mulhu", "divu", "rem"};
	static const char *const immediates[] = {"addi", "xori", "ori", "andi", "slti", "sltiu"};
	unsigned rd = a_work();

	switch (below(10)) {
	case 0:
	case 1:
	case 2:
		emit("%s x%u, x%u, x%u", PICK(ops), rd, a_work(), a_work());
		break;
	case 3:
	case 4:
		emit("%s x%u, x%u, %d", PICK(immediates), rd, a_work(), (int)below(4096) - 2048);
		break;
	case 5:
		emit("%s x%u, x%u, %u", chance(50) ? "slli" : "srli", rd, a_work(), 1 + below(31));
		break;
	case 6:
		emit("li x%u, %d", rd, (int32_t)value());
		break;
	case 7:
		if (f.frame == 0)
			emit("mv x%u, x%u", rd, a_work());
		else if (chance(50))
			emit("sw x%u, %u(sp)", rd, 4 * below(4));
		else
			emit("lw x%u, %u(sp)", rd, 4 * below(4));
		break;
	case 8: /* one AUIPC or LUI for two uses */
		if (chance(50)) {
			unsigned label = gen.labels++;
			printf(".L%u:\n", label);
			emit("auipc x%u, %%pcrel_hi(random_data+%u)", f.pointer, 4 * below(8));
			emit("lw x%u, %%pcrel_lo(.L%u)(x%u)", rd, label, f.pointer);
			if (chance(50))
				operation();
			emit("la x%u, random_data", f.pointer);
		} else {
			emit("lla x%u, random_data", f.pointer);
			emit("lw x%u, %u(x%u)", rd, 4 * below(64), f.pointer);
		}
		emit("sw x%u, %u(x%u)", a_work(), 4 * below(64), f.pointer);
		break;
	default: { /* a short way past something; gas may invert it over a jump */
		unsigned label = gen.labels++;
		emit("%s x%u, .L%u", chance(50) ? "beqz" : "bnez", a_work(), label);
		emit("addi x%u, x%u, %d", rd, rd, (int)below(64) - 32);
		printf(".L%u:\n", label);
	}
	}
}

static void operations(unsigned n)
{
	while (n--)
		operation();
}

/* A loop of one block, sometimes around a diamond. */
static void counted_loop(void)
{
	unsigned label = gen.labels++;

	emit("li x%u, %u", f.scratch, 1 + below(12));
	if (chance(30))
		align();
	printf(".L%u:\n", label);
	for (unsigned n = below(4); n; n--)
		emit("add x%u, x%u, x%u", a_work(), a_work(), chance(50) ? f.scratch : a_work());
	if (chance(40)) {
		unsigned past = gen.labels++;
		emit("andi x%u, x%u, %u", f.pointer, a_work(), 1 + below(7));
		emit("%s x%u, .L%u", chance(50) ? "beqz" : "bnez", f.pointer, past);
		emit("xori x%u, x%u, %u", a_work(), a_work(), below(2048));
		printf(".L%u:\n", past);
	}
	emit("addi x%u, x%u, -1", f.scratch, f.scratch);
	emit(chance(50) ? "bnez x%u, .L%u" : "bgtz x%u, .L%u", f.scratch, label);
}

static void save_and_restore(bool save)
{
	unsigned at = f.frame;

	if (f.frame == 0)
		return;
	if (save) {
		emit("addi sp, sp, -%u", f.frame);
		emit(".cfi_def_cfa_offset %u", f.frame);
	}
	unsigned word = f.rv64 ? 8 : 4;
	for (unsigned i = 0; i <= f.saves; i++) {
		unsigned reg = i == 0 ? 1 : f.saved[i - 1];
		at -= word;
		emit("%s x%u, %u(sp)", save ? f.rv64 ? "sd" : "sw" : f.rv64 ? "ld" : "lw", reg, at);
		if (save)
			emit(".cfi_offset %u, -%u", reg, f.frame - at);
		else
			emit(".cfi_restore %u", reg);
	}
	if (!save) {
		emit("addi sp, sp, %u", f.frame);
		emit(".cfi_def_cfa_offset 0");
	}
}

static void result(void)
{
	emit("xor a0, x%u, x%u", a_work(), a_work());
	if (chance(50))
		emit("add a0, a0, x%u", a_work());
}

static void leave(bool tail)
{
	char label[32];

	snprintf(label, sizeof label, ".Lexit%u", f.number);
	if (tail)
		unit_of_fuel(label);
	emit(".cfi_remember_state");
	result();
	if (tail)
		emit("mv a1, a0");
	save_and_restore(false);
	if (!tail)
		emit(chance(90) ? "ret" : "jr ra");
	else if (chance(60))
		emit("tail %s", a_function(below(COUNT)));
	else {
		emit("la t1, %s", a_function(below(COUNT)));
		emit("jr t1");
	}
	emit(".cfi_restore_state");
}

static void set_anew(void)
{
	for (unsigned i = 0; i < f.works; i++) {
		unsigned r = f.work[i];
		if (r == 10 || r == 8 || r == 9 || (r >= 18 && r <= 27))
			continue;
		emit(chance(50) ? "addi x%u, a0, %d" : "xori x%u, a0, %d", r, (int)below(256));
	}
}

static void call(void)
{
	unsigned to = below(COUNT);
	char label[32];

	snprintf(label, sizeof label, ".Lexit%u", f.number);
	unit_of_fuel(label);
	emit("mv a0, x%u", a_work());
	emit("li a1, %d", (int)below(100));
	switch (below(4)) {
	case 0:
	case 1:
		emit("call %s", a_function(to));
		break;
	case 2:
		emit("jal ra, %s", a_function(to));
		break;
	default: /* by f.scratch: f.pointer may be a0 or a1, and the callee would compute with its own address */
		emit("la x%u, random_table", f.scratch);
		emit(f.rv64 ? "ld x%u, %u(x%u)" : "lw x%u, %u(x%u)", f.scratch, to * (f.rv64 ? 8 : 4), f.scratch);
		emit("jalr x%u", f.scratch);
	}
	set_anew();
}

static void table(unsigned node)
{
	unsigned label = gen.labels++, targets = chance(50) ? 4 : 2;
	bool relative = chance(50);

	emit("andi x%u, x%u, %u", f.scratch, a_work(), targets - 1);
	emit("la x%u, .LT%u", f.pointer, label);
	emit("slli x%u, x%u, %u", f.scratch, f.scratch, relative || !f.rv64 ? 2 : 3);
	emit("add x%u, x%u, x%u", f.scratch, f.scratch, f.pointer);
	emit("%s x%u, 0(x%u)", relative || !f.rv64 ? "lw" : "ld", f.scratch, f.scratch);
	if (relative)
		emit("add x%u, x%u, x%u", f.scratch, f.scratch, f.pointer);
	emit("jr x%u", f.scratch);
	emit(".pushsection .rodata.random, \"a\"");
	emit(".balign %u", relative || !f.rv64 ? 4 : 8);
	printf(".LT%u:\n", label);
	for (unsigned i = 0; i < targets; i++) {
		unsigned to = node + 1 + below(f.nodes - node);
		if (relative)
			emit(".word .LB%u_%u - .LT%u", f.number, to, label);
		else
			emit("%s .LB%u_%u", f.rv64 ? ".dword" : ".word", f.number, to);
	}
	emit(".popsection");
}

/* The last one, number f.nodes, is the exit. */
static void node(unsigned n)
{
	static const char *const branches[] = {"beq", "bne", "blt", "bge", "bltu", "bgeu"};
	unsigned forward = n + 1 + below(f.nodes - n), back = below(n + 1);
	char label[32];

	if (chance(12))
		align();
	printf(".LB%u_%u:\n", f.number, n);
	snprintf(label, sizeof label, ".Lexit%u", f.number);
	operations(below(6));
	if (!f.leaf && chance(35))
		call();
	if (chance(20))
		counted_loop();
	switch (below(12)) {
	case 0:
	case 1:
		break;
	case 2:
	case 3:
	case 4:
		if (f.cold)
			emit("j .LB%u_%u", f.number, forward);
		else
			emit("%s x%u, x%u, .LB%u_%u", PICK(branches), a_work(), a_work(), f.number, forward);
		break;
	case 5:
	case 6:
		unit_of_fuel(label);
		if (f.cold)
			emit("j .LB%u_%u", f.number, back);
		else
			emit("%s x%u, x%u, .LB%u_%u", PICK(branches), a_work(), a_work(), f.number, back);
		break;
	case 7:
		emit("j .LB%u_%u", f.number, forward);
		break;
	case 8:
		table(n);
		break;
	case 9:
		if (!f.cold)
			leave(chance(30));
		break;
	case 10: /* gas writes the inverse over a jump itself when it is far; here it is by hand */
		emit("%s x%u, 1f", chance(50) ? "beqz" : "bnez", a_work());
		emit("j .LB%u_%u", f.number, forward);
		printf("1:\n");
		break;
	default:
		operations(3);
	}
	/* a block that cannot fall out of its section */
	if (f.cold)
		emit("j .LB%u_%u", f.number, n + 1);
}

static void function(unsigned number)
{
	static const unsigned temporaries[] = {5, 6, 7, 10, 11, 12, 13, 14, 15, 16, 17, 28, 29, 30, 31};
	static const unsigned kept[] = {8, 9, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27};
	bool used[32] = {false};
	bool cold_parts = chance(30);

	f.number = number;
	f.nodes = 2 + below(NODES);
	f.leaf = f.second[number] || chance(25);
	f.saves = f.second[number] || (f.leaf && chance(70)) ? 0 : below(8);
	f.works = 0;
	for (unsigned i = 0; i < f.saves; i++) {
		unsigned r = PICK(kept);
		while (used[r])
			r = PICK(kept);
		used[r] = true;
		f.saved[i] = f.work[f.works++] = r;
	}
	for (unsigned n = 2 + below(3); f.works < 12 && n; n--) {
		unsigned r = PICK(temporaries);
		if (!used[r])
			f.work[f.works++] = r;
		used[r] = true;
	}
	do
		f.pointer = PICK(temporaries);
	while (used[f.pointer] || f.pointer == 5);
	used[f.pointer] = true;
	do
		f.scratch = PICK(temporaries);
	while (used[f.scratch] || f.scratch == 10 || f.scratch == 11 || f.scratch == 5); /* jr t0 is a return */
	f.frame = f.leaf && f.saves == 0 ? 0 : 16 * (1 + (16 + (f.saves + 1) * (f.rv64 ? 8 : 4)) / 16 + below(3));
	f.relax = chance(50);
	emit(".option %s", f.relax ? "relax" : "norelax");
	rvc(chance(70));
	bool follows = f.falls;
	f.falls = f.frame == 0 && number + 1 < COUNT && chance(40);
	if (!follows && !f.falls && chance(30))
		emit(".section .text.random_f%u, \"ax\"", number);
	else
		emit(".text");
	if (chance(30))
		align();
	emit(chance(80) ? ".globl random_f%u" : ".local random_f%u", number);
	emit(".type random_f%u, @function", number);
	printf("random_f%u:\n", number);
	emit(".cfi_startproc");
	save_and_restore(true);
	/* a0 and a1 hold the arguments */
	for (unsigned i = 0; i < f.works; i++)
		if (f.work[i] != 10 && f.work[i] != 11)
			emit("addi x%u, %s, %u", f.work[i], used[11] && f.work[i] != 11 ? "a0" : "a1", below(512));
	if (f.second[number]) {
		emit("j .LB%u_0", number);
		emit(".globl random_f%u_b", number);
		if (chance(50))
			emit(".type random_f%u_b, @function", number);
		printf("random_f%u_b:\n", number);
		for (unsigned i = 0; i < f.works; i++)
			if (f.work[i] != 10)
				emit("xori x%u, a0, %u", f.work[i], below(512));
	}
	if (f.frame)
		for (unsigned i = 0; i < 4; i++)
			emit("sw x%u, %u(sp)", a_work(), 4 * i);
	for (unsigned n = 0; n < f.nodes; n++) {
		f.cold = cold_parts && n > 0 && chance(25);
		if (f.cold) {
			emit("j .LB%u_%u", number, n);
			emit(".pushsection .text.unlikely.random_f%u, \"ax\"", number);
			if (chance(50)) {
				emit(".type random_f%u.cold.%u, @function", number, n);
				printf("random_f%u.cold.%u:\n", number, n);
			}
		}
		node(n);
		if (f.cold)
			emit(".popsection");
		rvc(chance(70));
	}
	f.cold = false;
	printf(".LB%u_%u:\n.Lexit%u:\n", number, f.nodes, number);
	result();
	save_and_restore(false);
	if (f.falls)
		emit("mv a1, a0");
	else
		emit("ret");
	emit(".cfi_endproc");
	emit(".size random_f%u, . - random_f%u", number, number);
	if (!f.falls && chance(20)) /* data in the code: two addresses' difference, a constant */
		emit(chance(50) ? ".word random_f%u - .LB%u_0" : ".word 0x12345678", number, number);
}

void functions(bool rv64)
{
	f.rv64 = rv64;
	f.falls = false;
	printf("/* Random functions. */\n");
	for (unsigned i = 0; i < COUNT; i++)
		f.second[i] = chance(15);
	for (unsigned i = 0; i < COUNT; i++)
		function(i);
	emit(".data");
	emit(".balign 8");
	emit(".globl random_table, random_count, random_fuel, random_data");
	printf("random_table:\n");
	for (unsigned i = 0; i < COUNT; i++)
		emit("%s random_f%u", rv64 ? ".dword" : ".word", i);
	printf("random_count: .word %d\nrandom_fuel: .word 0\nrandom_data:\n", COUNT);
	for (unsigned i = 0; i < 64; i++)
		emit(".word 0x%x", rnd());
	emit(".section .note.GNU-stack, \"\", @progbits");
}
