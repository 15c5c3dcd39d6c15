/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* The instructions of the program. */
#include "tests/random/random.h"
#include <stdio.h>
#include "isa/isa.h"

static int imm12(void)
{
	return chance(30) ? (int)below(8) - 4 : (int)below(4096) - 2048;
}

static void arithmetic(void)
{
	static const char *const ops[] = {"add", "sub", "xor", "or", "and", "sll", "srl", "sra", "slt", "sltu", "mul",
	    "mulh", "mulhsu", "mulhu", "div", "divu", "rem", "remu"};
	static const char *const immediates[] = {"addi", "xori", "ori", "andi", "slti", "sltiu"};
	static const char *const shifts[] = {"slli", "srli", "srai"};

	switch (below(8)) {
	case 0:
	case 1:
		emit("%s x%u, x%u, x%u", ops[below(10)], dest(), any(), any());
		break;
	case 2:
		emit("%s x%u, x%u, x%u", PICK(ops), dest(), any(), any());
		break;
	case 3:
	case 4:
		emit("%s x%u, x%u, %d", PICK(immediates), dest(), any(), imm12());
		break;
	case 5:
		emit("%s x%u, x%u, %u", PICK(shifts), dest(), any(), below(32));
		break;
	case 6:
		emit(chance(50) ? "lui x%u, %u" : "auipc x%u, %u", dest(), below(1u << 20));
		break;
	default:
		emit("li x%u, 0x%" PRIx32, dest(), value());
	}
}

static void compressed(void)
{
	static const char *const pairs[] = {"c.sub", "c.xor", "c.or", "c.and"};
	unsigned rd = short_dest(), full;

	if (!gen.with_c) {
		arithmetic();
		return;
	}

	while ((full = dest()) == 0)
		;
	rvc(true);
	switch (below(11)) {
	case 0:
		emit("%s x%u, x%u", PICK(pairs), rd, short_source());
		break;
	case 1:
		emit("c.addi x%u, %d", full, (int)below(31) + 1);
		break;
	case 2:
		emit("c.li x%u, %d", full, (int)below(64) - 32);
		break;
	case 3:
		emit("c.andi x%u, %d", rd, (int)below(64) - 32);
		break;
	case 4:
		emit(chance(50) ? "c.srli x%u, %u" : "c.srai x%u, %u", rd, 1 + below(31));
		break;
	case 5:
		emit("c.slli x%u, %u", full, 1 + below(31));
		break;
	case 6:
		emit(chance(50) ? "c.mv x%u, x%u" : "c.add x%u, x%u", full, 1 + below(31));
		break;
	case 7:
		emit("c.lwsp x%u, %u(sp)", full, 4 * below(64));
		break;
	case 8: /* sp is a base: there and back */
		emit("c.addi16sp sp, %d", 16 * (1 + (int)below(31)));
		emit("addi sp, s0, 0");
		break;
	case 9:
		emit("c.addi4spn x%u, sp, %u", rd, 4 * (1 + below(255)));
		break;
	default:
		emit("c.lui x%u, %u", full, 1 + below(31));
	}
}

static void memory(void)
{
	static const char *const loads[] = {"lb", "lbu", "lh", "lhu", "lw", "lw"};
	static const char *const stores[] = {"sb", "sh", "sw", "sw"};
	static const unsigned load_sizes[] = {1, 1, 2, 2, 4, 4}, store_sizes[] = {1, 2, 4, 4};
	const char *base = chance(50) ? "sp" : "s0";
	int offset = (int)below(4096) - 2048;
	unsigned i;

	switch (below(6)) {
	case 0:
	case 1:
		i = below(6);
		if (chance(95))
			offset &= -(int)load_sizes[i];
		emit("%s x%u, %d(%s)", loads[i], dest(), offset, base);
		break;
	case 2:
	case 3:
		i = below(4);
		if (chance(95))
			offset &= -(int)store_sizes[i];
		emit("%s x%u, %d(%s)", stores[i], any(), offset, base);
		break;
	case 4: /* any alignment, both lengths */
		emit("addi s1, %s, %d", base, (int)below(1024) - 512);
		if (!gen.with_c || chance(40))
			emit("%s x%u, %d(s1)", chance(50) ? PICK(loads) : PICK(stores), dest(), (int)below(9) - 4);
		else
			emit(chance(50) ? "c.lw x%u, %u(s1)" : "c.sw x%u, %u(s1)", short_dest(), 4 * below(32));
		break;
	default:
		if (!gen.with_c)
			emit(chance(50) ? "lw x%u, %u(s0)" : "sw x%u, %u(sp)", dest(), 4 * below(32));
		else if (chance(50))
			emit("c.lw x%u, %u(s0)", short_dest(), 4 * below(32));
		else
			emit("c.swsp x%u, %u(sp)", any(), 4 * below(64));
	}
}

/* Devices, holes, the end of RAM. Nothing that ends the run, and no write to the timer's registers. */
static void wild(void)
{
	static const char *const loads[] = {"lb", "lbu", "lh", "lhu", "lw"};
	static const char *const stores[] = {"sb", "sh", "sw"};
	static const uint32_t readable[] = {0x02000000, 0x02004000, 0x0200BFF8, 0x10000000, 0x10000004, 0x10000008,
	    0x10010000, 0x02010000, 0x40000000, 0x7FFFFFFC, 0xFFFFFFFC, 0, 0x1000000C, 0x80000000};
	static const uint32_t writable[] = {0x02000000, 0x02000004, 0x10000000, 0x10000004, 0x10000008, 0x1000000C,
	    0x10010008, 0x02010000, 0x40000000, 0x7FFFFFFC, 0xFFFFFFFC, 0};

	if (chance(60)) {
		emit("li s1, 0x%" PRIx32, PICK(readable));
		emit("%s x%u, %u(s1)", PICK(loads), dest(), chance(80) ? 0 : below(4));
	} else {
		emit("li s1, 0x%" PRIx32, PICK(writable));
		emit("%s x%u, %u(s1)", PICK(stores), any(), chance(80) ? 0 : below(4));
	}
}

static void illegal(void)
{
	static const uint32_t opcodes[] = {
	    0x0B, 0x2B, 0x5B, 0x7B, 0x07, 0x27, 0x2F, 0x43, 0x47, 0x4B, 0x4F, 0x53, 0x57, 0x6B, 0x77, 0x3B, 0x1B};
	static const uint32_t words[] = {0x00003003, 0x00006003, 0x00007003, 0x00003023, 0x00002063, 0x00003063,
	    0x00001067, 0x0000200F, 0x02001013, 0x40001013, 0x42005013, 0x04000033, 0x40001033, 0x80000033, 0x10200073,
	    0x12000073, 0x00004073, 0x00200073, 0x30208073, 0x00100173};
	static const uint16_t halves[] = {0x0000, 0x2000, 0x6000, 0x8000, 0xA000, 0xE000, 0x2002, 0x6002, 0xA002,
	    0xE002, 0x9C01, 0x9C21, 0x9C41, 0x9C61, 0x6101, 0x4002, 0x8002, 0x1502, 0x9101, 0x9501};

	struct isa_insn insn;
	uint32_t bits;

	switch (below(gen.with_c ? 6 : 3)) {
	case 0:
		emit(".word 0x%" PRIx32, (rnd() & ~0x7Fu) | PICK(opcodes));
		break;
	case 1:
		emit(".word 0x%" PRIx32, PICK(words));
		break;
	case 2: /* any encoding that the instruction table does not know */
		do
			bits = gen.with_c ? rnd() | 3 : rnd();
		while (isa_decode(bits, gen.with_c ? ISA_CORE : ISA_EXT_I | ISA_EXT_M, &insn), insn.op != ISA_ILLEGAL);
		emit(".word 0x%" PRIx32, bits);
		break;
	case 3:
		do
			bits = rnd() & 0xFFFF;
		while (isa_decode(bits, ISA_CORE, &insn), insn.op != ISA_ILLEGAL || insn.length != 2);
		emit(".half 0x%x", (unsigned)bits);
		break;
	case 4:
		emit(".half 0x%x", (unsigned)PICK(halves));
		break;
	default: /* loads and stores of F and D, any operands */
		emit(".half 0x%x",
		    (unsigned)(((chance(50) ? 0x2000 : 0x6000) | (chance(50) ? 0x8000 : 0) | (rnd() & 0x1FFC)) |
			       (chance(50) ? 2 : 0)));
	}
}

static uint32_t harmless_word(void) /* for code that is written at run time */
{
	switch (gen.with_c ? below(4) : 1 + 2 * below(2)) {
	case 0:
		return 0x00010001; /* two c.nop */
	case 1:
		return 0x00000263; /* beq x0, x0, .+4 */
	case 2:
		return 0x05050001 + (below(16) << 18); /* c.nop; c.addi a0, something */
	default:
		return (rnd() & 0xFFF00000) | any() << 15 | dest() << 7 | 0x13;
	}
}

static void item(void);

static void rewrite(void)
{
	unsigned label = gen.labels++;

	if (chance(30))
		item();
	emit("la t0, L%u", label);
	emit("li t1, 0x%" PRIx32, harmless_word());
	emit(chance(80) ? "sw t1, 0(t0)" : "sh t1, %u(t0)", 2u);
	if (chance(60))
		emit("fence.i");
	for (unsigned n = below(4); n; n--)
		compressed();
	emit(".balign 4");
	printf("L%u:\n", label);
	rvc(false);
	emit("addi x%u, x%u, %d", dest(), any(),
	    imm12()); /* sh of the upper half changes rs1 and imm: still an addi, to the same rd */
	rvc(true);
}

static const char *short_branch(void)
{
	if (gen.with_c)
		return chance(50) ? "c.beqz x%u, L%u" : "c.bnez x%u, L%u";
	return chance(50) ? "beqz x%u, L%u" : "bnez x%u, L%u";
}

static void branch(void)
{
	static const char *const ops[] = {"beq", "bne", "blt", "bge", "bltu", "bgeu"};
	unsigned label = gen.labels++;

	switch (below(6)) {
	case 0: /* to the next instruction, both lengths */
		if (chance(50))
			emit("%s x%u, x%u, L%u", PICK(ops), any(), any(), label);
		else
			emit(short_branch(), short_source(), label);
		break;
	case 1:
		emit(short_branch(), short_source(), label);
		for (unsigned n = below(3); n; n--)
			compressed();
		break;
	case 2:
		emit("j L%u", label);
		for (unsigned n = below(3); n; n--)
			arithmetic();
		break;
	case 3: { /* backwards, over a place that is jumped past: taken once or not at all */
		unsigned back = gen.labels++, past = gen.labels++;

		emit("j L%u", past);
		printf("L%u:\n", back);
		arithmetic();
		emit("j L%u", label);
		printf("L%u:\n", past);
		emit("%s x%u, x%u, L%u", PICK(ops), any(), any(), back);
		break;
	}
	default:
		emit("%s x%u, x%u, L%u", PICK(ops), any(), any(), label);
		for (unsigned n = below(4); n; n--)
			arithmetic();
	}
	printf("L%u:\n", label);
}

static void indirect(void)
{
	unsigned label = gen.labels++;

	if (gen.with_c && !gen.in_function && chance(20)) {
		rvc(true);
		emit("c.jal L%u", label);
	} else {
		emit("la t0, L%u", label);
		if (chance(30))
			emit("ori t0, t0, 1"); /* bit 0 of the target is cleared; with 2-byte targets bit 1 is real */
		emit(chance(40) ? "jr t0" : chance(50) || gen.in_function ? "jalr t1, t0" : "jalr ra, t0");
	}
	for (unsigned n = below(3); n; n--)
		compressed();
	printf("L%u:\n", label);
}

static void call(void)
{
	if (chance(50)) {
		emit("jal F%u", below(FUNCTIONS));
	} else {
		emit("la t0, F%u", below(FUNCTIONS));
		emit("jalr ra, t0");
	}
}

static void nowhere(void)
{
	static const uint32_t places[] = {0x40000000, 0x40000002, 0x02000000, 0x10000000, 0x7FFFFFFE, 0xFFFFFFFC, 0};
	unsigned label = gen.labels++;

	emit("la ra, L%u", label);
	emit("li t0, 0x%" PRIx32, PICK(places));
	emit("jr t0");
	printf("L%u:\n", label);
}

/* MRET to the next instruction in M or U. In U all of it traps and nothing happens. Mostly without interrupts, which
 * change mepc; with them it is written last, so that at worst the MRET returns to itself in U, traps and is stepped
 * over.
 */
static void trap_return(void)
{
	unsigned label = gen.labels++;

	if (chance(80))
		emit("csrci mstatus, 8");
	emit("li t0, 0x1800");
	emit(chance(50) ? "csrs mstatus, t0" : "csrc mstatus, t0");
	emit("li t0, 0x80");
	emit(chance(80) ? "csrs mstatus, t0" : "csrc mstatus, t0");
	emit("la t0, L%u", label);
	emit("csrw mepc, t0");
	emit("mret");
	printf("L%u:\n", label);
}

/* The timer's interrupt in every cycle of a stretch of transfers: the loop arms it a cycle earlier each time. */
static void sweep(void)
{
	unsigned loop = gen.labels++;

	if (gen.in_sweep || gen.in_function) /* s9 would count twice */
		return;
	gen.in_sweep = true;
	emit("li s9, %u", 12 + below(30));
	printf("L%u:\n", loop);
	if (chance(80))
		emit("csrsi mstatus, 8");
	emit("li t0, 0x0200BFF8");
	emit("lw t1, 0(t0)");
	emit("li t0, 0x02004000");
	emit("add t1, t1, s9");
	emit("sw t1, 0(t0)");
	for (unsigned n = 1 + below(4); n; n--) {
		rvc(chance(50));
		switch (below(8)) {
		case 0:
			indirect();
			break;
		case 1:
			trap_return();
			break;
		case 2:
			item();
			break;
		case 3:
			emit(chance(50) ? "div x%u, x%u, x%u" : "mul x%u, x%u, x%u", dest(), any(), any());
			break;
		default:
			rvc(true);
			branch();
		}
	}
	rvc(true);
	emit("addi s9, s9, -1");
	emit("bnez s9, L%u", loop);
	gen.in_sweep = false;
}

/* Targets with bit 1 set, which a core without C refuses. */
static void misaligned(void)
{
	static const unsigned funct3[] = {0, 1, 4, 5, 6, 7};

	switch (below(3)) {
	case 0: /* a branch by 6 */
		emit(".word 0x%x", 0x363u | PICK(funct3) << 12 | any() << 15 | any() << 20);
		break;
	case 1:
		emit(".word 0x%x", 0x0060006Fu | dest() << 7);
		break;
	default:
		emit("la t0, B%u", below(BLOCKS));
		emit("jalr x%u, %u(t0)", dest(), 2 + below(2));
	}
}

static void item(void)
{
	unsigned kind = below(204);

	rvc(chance(70));
	if (kind < 50) {
		arithmetic();
	} else if (kind < 75) {
		rvc(true);
		compressed();
	} else if (kind < 105) {
		rvc(true);
		memory();
	} else if (kind < 140) {
		rvc(true);
		branch();
	} else if (kind < 147) {
		indirect();
	} else if (kind < 153) {
		csr();
	} else if (kind < 157) {
		protection();
	} else if (kind < 168) {
		trace_register();
	} else if (kind < 172) {
		wild();
	} else if (kind < 176) {
		illegal();
	} else if (kind < 180) {
		rvc(true);
		rewrite();
	} else if (kind < 183) {
		emit("ecall");
	} else if (kind < 185) {
		emit("ebreak");
	} else if (kind < 188) {
		timer();
	} else if (kind < 190) {
		timer();
		emit("wfi");
	} else if (kind < 192) {
		emit(chance(50) ? "fence" : "fence.i");
	} else if (kind < 194) {
		trap_return();
	} else if (kind < 195) { /* software interrupt */
		emit("li s1, 0x02000000");
		emit("li t0, 1");
		emit("sw t0, 0(s1)");
	} else if (kind < 198) {
		sweep();
	} else if (kind < 199 && !gen.with_c) {
		misaligned();
	} else if (!gen.in_function) {
		if (chance(70))
			call();
		else
			nowhere();
	}
}

void items(unsigned n)
{
	while (n--)
		item();
	rvc(true);
}
