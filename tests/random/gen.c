/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/*
 * Writes a random RV32IMC program for the lockstep bench as assembler text: `gen SEED >program.S`. The same seed gives
 * the same text.
 *
 * The program always ends, whatever interrupts do to it:
 *   - its own transfers go forwards, but for counted loops (counter: s11, written by nothing else) and calls;
 *   - every trap handler steps over what trapped; a jump to nowhere comes back by ra, set right before it;
 *   - a fetch that the memory protection refuses inside of the program opens it again by region 3, which is never
 * locked; what is locked lies in the buffer;
 *   - the timer is always enabled and always armed, so WFI ends; after INTERRUPT_LIMIT interrupts every one that is not
 * the timer's is switched off again by the handler, and so is tracing (a handler that is traced at
 * interrupt-every-trace would never get on). Reserved: sp, s0 point into a buffer, s10, s11 counters, t6 stack of the
 * handlers, s1 pointer to anywhere (set where it is used). Everything may run in M or in U: what is not allowed traps
 * and is stepped over; ECALL changes the mode.
 */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

enum { BLOCKS = 30, FUNCTIONS = 6, ROUNDS = 6, INTERRUPT_LIMIT = 4000 };
enum { T0 = 5, T1 = 6, T2 = 7, S1 = 9 };

static uint64_t state;
static unsigned labels;
static int in_function; /* ra holds the way back: nothing may write it */

static uint32_t rnd(void) /* splitmix64 */
{
	uint64_t z = state += 0x9E3779B97F4A7C15u;

	z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9u;
	z = (z ^ z >> 27) * 0x94D049BB133111EBu;
	return (uint32_t)((z ^ z >> 31) >> 32);
}

static unsigned below(unsigned n)
{
	return rnd() % n;
}
static int chance(unsigned percent)
{
	return below(100) < percent;
}

__attribute__((format(printf, 1, 2))) static void emit(const char *format, ...)
{
	va_list list;

	va_start(list, format);
	putchar('\t');
	vprintf(format, list);
	putchar('\n');
	va_end(list);
}

#define PICK(array) ((array)[below(sizeof(array) / sizeof((array)[0]))])

static unsigned any(void)
{
	return below(32);
} /* a source */

static unsigned dest(void)
{
	for (;;) {
		unsigned r = below(31); /* not t6 */

		if (r != 2 && r != 8 && r != 26 && r != 27 && !(r == 1 && in_function))
			return r;
	}
}

static unsigned short_source(void)
{
	return 8 + below(8);
} /* one that 16-bit instructions reach */
static unsigned short_dest(void)
{
	return 9 + below(7);
}

static uint32_t value(void)
{
	static const uint32_t corners[] = {0, 1, 2, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF, 0xFFFFFFFE, 31, 32, 0x55555555};

	return chance(50) ? PICK(corners) : rnd() >> below(32);
}

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

	while ((full = dest()) == 0)
		;
	emit(".option rvc");
	switch (below(9)) {
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

	switch (below(5)) {
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
	default:
		if (chance(50))
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

static void timer(void)
{
	emit("li t0, 0x0200BFF8");
	emit("li t1, 0x02004000");
	if (chance(10)) {
		emit("li t2, %u", below(1000000));
		emit("sw t2, 0(t0)");
	}
	emit("lw t2, 0(t0)");
	emit("addi t2, t2, %u", 1 + below(chance(50) ? 60 : 2000));
	emit("sw t2, 0(t1)");
}

static void csr(void)
{
	static const char *const ops[] = {"csrrw", "csrrs", "csrrc"};
	static const char *const immediates[] = {"csrrwi", "csrrsi", "csrrci"};
	static const char *const free_ones[] = {"mscratch", "mepc", "mcause", "mtval", "mcounteren", "mcycle",
	    "mcycleh", "minstret", "minstreth", "mip", "misa", "mhpmcounter3", "mcountinhibit", "0x30A", "mstatush"};
	static const char *const read_ones[] = {"mstatus", "mie", "mtvec", "mip", "cycle", "cycleh", "instret",
	    "instreth", "mhartid", "mimpid", "mvendorid", "time", "0x5C0", "0x3B0", "mepc", "mcause", "mtval",
	    "mscratch"};

	switch (below(7)) {
	case 0:
	case 1:
		emit("%s x%u, %s, x%u", PICK(ops), dest(), PICK(free_ones), any());
		break;
	case 2:
		emit("%s x%u, %s, %u", PICK(immediates), dest(), PICK(free_ones), below(32));
		break;
	case 3:
		emit("csrr x%u, %s", dest(), PICK(read_ones));
		break;
	case 4: /* MIE MPIE MPP MPRV TW */
		emit("li t0, 0x%" PRIx32, rnd() & 0x221888);
		emit(chance(60) ? "csrrs x%u, mstatus, t0" : "csrrc x%u, mstatus, t0", dest());
		break;
	case 5: /* the timer stays enabled: WFI relies on it */
		emit("li t0, 0x%" PRIx32, (rnd() & 0x10808) | 0x80);
		emit("csrw mie, t0");
		break;
	default:
		if (chance(50)) {
			emit("la t0, vectors + 1");
			emit("csrw mtvec, t0");
		} else {
			emit("la t0, trap");
			emit("csrw mtvec, t0");
		}
	}
}

/* Regions 0 to 2 anywhere, 3 too but never locked; locks only where no handler needs what they refuse. */
static void protection(void)
{
	static const uint32_t places[] = {0x02000000, 0x10000000, 0x10010000, 0x40000000, 0x80000000};
	unsigned region = below(4);

	switch (below(8)) {
	case 0: /* code */
	case 1:
		emit("la t0, B%u", below(BLOCKS));
		emit("srli t0, t0, 2");
		if (chance(50))
			emit("ori t0, t0, %u", (1u << below(11)) - 1);
		emit("csrw pmpaddr%u, t0", region);
		break;
	case 2: /* the buffer */
	case 3:
		emit("la t0, buffer + %u", 4 * below(1024));
		emit("srli t0, t0, 2");
		if (chance(70))
			emit("ori t0, t0, %u", (1u << below(10)) - 1);
		emit("csrw pmpaddr%u, t0", region);
		break;
	case 4:
		emit("li t0, 0x%" PRIx32, chance(30) ? rnd() : PICK(places) >> 2 | ((1u << below(26)) - 1));
		emit("csrrw x%u, pmpaddr%u, t0", dest(), region);
		break;
	case 5: /* any rights and sizes, nothing locked */
	case 6:
		emit("li t0, 0x%" PRIx32, rnd() & 0x7F7F7F7F);
		emit(chance(70)   ? "csrrw x%u, pmpcfg0, t0"
		     : chance(50) ? "csrrs x%u, pmpcfg0, t0"
				  : "csrrc x%u, pmpcfg0, t0",
		    dest());
		break;
	default:
		if (chance(60)) {
			emit("csrr x%u, 0x%x", dest(), chance(50) ? 0x3A0 + below(4) : 0x3B0 + below(16));
			break;
		}
		/* NAPOT of 8 to 256 bytes in the buffer; should the address not be taken, TOR and NA4 become NAPOT all
		 * the same */
		region = below(3);
		emit("la t0, locked + %u", 256 * below(15));
		emit("srli t0, t0, 2");
		emit("ori t0, t0, %u", (1u << below(6)) - 1);
		emit("csrw pmpaddr%u, t0", region);
		emit("csrr t1, pmpaddr%u", region);
		emit("li t2, 0x%" PRIx32, (0x98u | below(8)) << 8 * region);
		emit("bne t0, t1, L%u", labels);
		emit("csrs pmpcfg0, t2");
		printf("L%u:\n", labels++);
	}
}

static void trace_register(void)
{
	switch (below(16)) {
	case 0:
	case 1:
	case 2: /* CTRL by set and clear, LIFO left alone; enabling is likelier than not */
		emit("li t0, 0x%" PRIx32, (rnd() & rnd() & 0x1F1FBE & ~0x40u) | (chance(70) ? 1u : 0));
		emit(chance(70) ? "csrrs x%u, 0x7C2, t0" : "csrrc x%u, 0x7C2, t0", dest());
		break;
	case 3: /* keep it going: enabled, all modes, no range */
		emit("li t0, 0xF0001");
		emit("csrs 0x7C2, t0");
		emit("li t0, 0x100000");
		emit("csrc 0x7C2, t0");
		break;
	case 4:
		emit("csrwi 0x7D8, %u", below(20));
		break; /* WATERMARK */
	case 5:
		emit("csrwi 0x7DA, %u", below(8));
		break; /* PERIOD */
	case 6:
		emit("csrwi 0x7DB, %u", below(8));
		break; /* COUNTER */
	case 7:
		emit("csrwi 0x7DC, %u", (1u << below(6)) - 1);
		break; /* DITHER */
	case 8:
		emit("csrrw x%u, 0x7DD, x%u", dest(), any());
		break; /* LFSR */
	case 9:
		emit("la t0, B%u", below(BLOCKS));
		emit("csrw 0x7E0, t0");
		emit("la t0, B%u", below(BLOCKS));
		emit("csrw 0x7E2, t0");
		break;
	case 10:
		emit("csrw 0x7D6, x0");
		break; /* POP */
	case 11:
		emit("csrr x%u, 0x%x", dest(), 0x7C0 + below(64));
		break;
	case 12:
		emit(chance(50) ? "csrwi 0x7C3, 31" : "csrw 0x7D9, x%u", any()); /* STATUS, LOST */
		break;
	case 13:
		emit("csrrw x%u, 0x%x, x%u", dest(), 0x7C4 + below(9), any());
		break; /* the current pair, RESUME, DEPTH */
	case 14:
		emit("li t0, 0x%" PRIx32, 1u << below(32) | (rnd() >> below(32)));
		emit("csrw 0x7C6, t0"); /* CUR_HIST; now and then full */
		break;
	default: /* change LIFO: only with an empty buffer */
		emit("csrci 0x7C2, 1");
		for (int i = 0; i < 6; i++)
			emit("nop");
		for (int i = 0; i < 18; i++)
			emit("csrw 0x7D6, x0");
		emit("li t0, 0x40");
		emit(chance(50) ? "csrs 0x7C2, t0" : "csrc 0x7C2, t0");
		emit("csrsi 0x7C2, 1");
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

	switch (below(4)) {
	case 0:
		emit(".word 0x%" PRIx32, (rnd() & ~0x7Fu) | PICK(opcodes));
		break;
	case 1:
		emit(".word 0x%" PRIx32, PICK(words));
		break;
	case 2:
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
	switch (below(4)) {
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
	unsigned label = labels++;

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
	printf("L%u:\t.option norvc\n", label);
	emit("addi x%u, x%u, %d", dest(), any(),
	    imm12()); /* sh of the upper half changes rs1 and imm: still an addi, to the same rd */
	printf("\t.option rvc\n");
}

static void branch(void)
{
	static const char *const ops[] = {"beq", "bne", "blt", "bge", "bltu", "bgeu"};
	unsigned label = labels++;

	switch (below(6)) {
	case 0: /* to the next instruction, both lengths */
		if (chance(50))
			emit("%s x%u, x%u, L%u", PICK(ops), any(), any(), label);
		else
			emit(chance(50) ? "c.beqz x%u, L%u" : "c.bnez x%u, L%u", short_source(), label);
		break;
	case 1:
		emit(chance(50) ? "c.beqz x%u, L%u" : "c.bnez x%u, L%u", short_source(), label);
		for (unsigned n = below(3); n; n--)
			compressed();
		break;
	case 2:
		emit("j L%u", label);
		for (unsigned n = below(3); n; n--)
			arithmetic();
		break;
	case 3: { /* backwards, over a place that is jumped past: taken once or not at all */
		unsigned back = labels++, past = labels++;

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
	unsigned label = labels++;

	emit("la t0, L%u", label);
	if (chance(30))
		emit("ori t0, t0, 1"); /* bit 0 of the target is cleared; with 2-byte targets bit 1 is real */
	emit(chance(50) ? "jr t0" : "jalr t1, t0");
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
	unsigned label = labels++;

	emit("la ra, L%u", label);
	emit("li t0, 0x%" PRIx32, PICK(places));
	emit("jr t0");
	printf("L%u:\n", label);
}

/* MRET to the next instruction in M or U; without interrupts, which would change mepc. In U all of it traps and nothing
 * happens. */
static void trap_return(void)
{
	unsigned label = labels++;

	emit("csrci mstatus, 8");
	emit("la t0, L%u", label);
	emit("csrw mepc, t0");
	emit("li t0, 0x1800");
	emit(chance(50) ? "csrs mstatus, t0" : "csrc mstatus, t0");
	emit("li t0, 0x80");
	emit(chance(80) ? "csrs mstatus, t0" : "csrc mstatus, t0");
	emit("mret");
	printf("L%u:\n", label);
}

static void item(void)
{
	unsigned kind = below(200);

	printf("\t.option %s\n", chance(70) ? "rvc" : "norvc");
	if (kind < 50) {
		arithmetic();
	} else if (kind < 75) {
		printf("\t.option rvc\n");
		compressed();
	} else if (kind < 105) {
		printf("\t.option rvc\n");
		memory();
	} else if (kind < 140) {
		printf("\t.option rvc\n");
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
		printf("\t.option rvc\n");
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
	} else if (!in_function) {
		if (chance(70))
			call();
		else
			nowhere();
	}
}

static void items(unsigned n)
{
	while (n--)
		item();
	printf("\t.option rvc\n");
}

static void prolog(uint32_t seed)
{
	printf("/* Random program, seed %" PRIu32 ". */\n", seed);
	fputs("\t.option norelax\n"
	      "\t.section .text.init, \"ax\"\n"
	      "\t.globl _start\n"
	      "_start:\tla t6, stack_top\n"
	      "\tla sp, buffer + 2048\n"
	      "\tla s0, buffer + 2048\n"
	      "\tla t0, trap\n"
	      "\tcsrw mtvec, t0\n"
	      "\tli t0, 0x02004000\n"
	      "\tli t1, 500\n"
	      "\tsw t1, 0(t0)\n"
	      "\tsw x0, 4(t0)\n"
	      "\tli t0, 0x10888\n"
	      "\tcsrw mie, t0\n"
	      "\tcsrsi mstatus, 8\n"
	      "\tcsrwi mcounteren, 5\n"
	      "\tli t0, -1\n"
	      "\tcsrw pmpaddr3, t0\n"
	      "\tli t0, 0x1F000000\n"
	      "\tcsrw pmpcfg0, t0\n",
	    stdout);
	for (unsigned r = 1; r < 31; r++)
		if (r != 2 && r != 8 && r != 26 && r != 27)
			emit("li x%u, 0x%" PRIx32, r, value());
	emit("li s10, %d", ROUNDS);
	emit("csrsi 0x7C2, 1");
	emit("j body");
}

/* One handler for all causes. Frame: t0 t1 t2 a0, mepc, mstatus. */
static void handlers(void)
{
	fputs("\t.option norvc\n"
	      "\t.balign 128\n"
	      "vectors:\n"
	      "\t.rept 32\n"
	      "\tj trap\n"
	      "\t.endr\n"
	      "\t.option rvc\n"
	      "\t.balign 4\n"
	      "trap:\taddi t6, t6, -32\n"
	      "\tsw t0, 0(t6)\n"
	      "\tsw t1, 4(t6)\n"
	      "\tsw t2, 8(t6)\n"
	      "\tsw a0, 12(t6)\n"
	      "\tcsrr t0, mepc\n"
	      "\tsw t0, 16(t6)\n"
	      "\tcsrr t0, mstatus\n"
	      "\tsw t0, 20(t6)\n"
	      "\tcsrr t1, mcause\n"
	      "\tla t2, trap_count\n"
	      "\tlw a0, 0(t2)\n"
	      "\taddi a0, a0, 1\n"
	      "\tsw a0, 0(t2)\n"
	      "\tbltz t1, interrupt\n"
	      "\tlw t0, 16(t6)\n"
	      "\tli t2, 1\n"
	      "\tbeq t1, t2, nowhere\n"
	      "\tli t2, 8\n"
	      "\tbeq t1, t2, from_user\n"
	      "\tli t2, 11\n"
	      "\tbeq t1, t2, from_machine\n"
	      "step:\tlhu t2, 0(t0)\n"
	      "\tandi t2, t2, 3\n"
	      "\taddi t2, t2, -3\n"
	      "\tsnez t2, t2\n"
	      "\tslli t2, t2, 1\n"
	      "\tsub t0, t0, t2\n"
	      "\taddi t0, t0, 4\n"
	      "\tsw t0, 16(t6)\n"
	      /* now and then an exception inside the handler; in bursts deeper than the trace unit counts */
	      "\tandi t0, a0, 0x3FF\n"
	      "\taddi t0, t0, -0x100\n"
	      "\tsltiu t0, t0, 20\n"
	      "\tandi t2, a0, 31\n"
	      "\taddi t2, t2, -5\n"
	      "\tsltiu t2, t2, 1\n"
	      "\tor t0, t0, t2\n"
	      "\tbeqz t0, 1f\n"
	      "\tebreak\n"
	      "\tli t2, 0x20000\n" /* MPP is U after it: with MPRV the frame could be out of reach */
	      "\tcsrc mstatus, t2\n"
	      "1:\tj leave\n"
	      "nowhere:\n"
	      "\tla t1, _start\n"
	      "\tbltu t0, t1, 1f\n"
	      "\tla t1, tohost\n"
	      "\tbgeu t0, t1, 1f\n"
	      "\tli t1, -1\n" /* memory protection: again, with all rights */
	      "\tcsrw pmpaddr3, t1\n"
	      "\tli t1, 0x1F000000\n"
	      "\tcsrw pmpcfg0, t1\n"
	      "\tj leave\n"
	      "1:"
	      "\tsw ra, 16(t6)\n"
	      "\tj leave\n"
	      "from_user:\n"
	      "\tli t1, 0x1800\n"
	      "\tlw t2, 20(t6)\n"
	      "\tor t2, t2, t1\n"
	      "\tsw t2, 20(t6)\n"
	      "\tj step\n"
	      "from_machine:\n"
	      "\tandi t1, a0, 1\n"
	      "\tbeqz t1, step\n"
	      "\tli t1, 0x21800\n"
	      "\tnot t1, t1\n"
	      "\tlw t2, 20(t6)\n"
	      "\tand t2, t2, t1\n"
	      "\tsw t2, 20(t6)\n"
	      "\tj step\n"
	      "interrupt:\n"
	      "\tslli t1, t1, 1\n"
	      "\tsrli t1, t1, 1\n"
	      "\tli t2, 3\n"
	      "\tbeq t1, t2, soft\n"
	      "\tli t2, 7\n"
	      "\tbeq t1, t2, tick\n"
	      "\tli t2, 11\n"
	      "\tbeq t1, t2, external\n"
	      "\tcsrr t0, 0x7D0\n"
	      "\tcsrr t0, 0x7D2\n"
	      "\tcsrw 0x7D6, x0\n"
	      "\tcsrw 0x7D6, x0\n"
	      "\tcsrw 0x7D6, x0\n"
	      "\tcsrwi 0x7C3, 8\n"
	      "\tcsrw 0x7D9, x0\n"
	      "\tj served\n"
	      "soft:\tli t1, 0x02000000\n"
	      "\tsw x0, 0(t1)\n"
	      "\tj served\n"
	      "tick:\tli t1, 0x0200BFF8\n"
	      "\tlw t2, 0(t1)\n"
	      "\tandi t1, a0, 0x1FF\n"
	      "\tadd t2, t2, t1\n"
	      "\taddi t2, t2, 300\n"
	      "\tli t1, 0x02004000\n"
	      "\tsw t2, 0(t1)\n"
	      "\tsw x0, 4(t1)\n"
	      "\tj served\n"
	      "external:\n"
	      "\tli t1, 0x10000000\n"
	      "\tlw t1, 0(t1)\n"
	      "served:\n"
	      "\tla t1, interrupt_count\n"
	      "\tlw t2, 0(t1)\n"
	      "\taddi t2, t2, 1\n"
	      "\tsw t2, 0(t1)\n"
	      "\tli t1, ",
	    stdout);
	printf("%d\n", INTERRUPT_LIMIT);
	fputs("\tblt t2, t1, 1f\n"
	      "\tli t1, 0x80\n"
	      "\tcsrw mie, t1\n"
	      "\tli t1, 0x1F3F\n"
	      "\tcsrc 0x7C2, t1\n"
	      "1:\tandi t2, t2, 7\n"
	      "\taddi t2, t2, -3\n"
	      "\tbnez t2, leave\n"
	      "\tcsrsi mstatus, 8\n" /* nested interrupts */
	      "\tnop\n"
	      "\tmul t2, t1, t1\n"
	      "\tcsrci mstatus, 8\n"
	      "\tli t2, 0x20000\n"
	      "\tcsrc mstatus, t2\n"
	      "leave:\tlw t0, 20(t6)\n"
	      "\tcsrw mstatus, t0\n"
	      "\tlw t0, 16(t6)\n"
	      "\tcsrw mepc, t0\n"
	      "\tlw t0, 0(t6)\n"
	      "\tlw t1, 4(t6)\n"
	      "\tlw t2, 8(t6)\n"
	      "\tlw a0, 12(t6)\n"
	      "\taddi t6, t6, 32\n"
	      "\tmret\n",
	    stdout);
}

int main(int argc, char **argv)
{
	char *end;
	unsigned long seed = argc == 2 ? strtoul(argv[1], &end, 0) : 0;

	if (argc != 2 || !*argv[1] || *end || seed > UINT32_MAX) {
		fputs("usage: gen SEED\nWrites a random RV32IMC program for the lockstep bench to standard output.\n",
		    stderr);
		return 2;
	}
	state = seed;
	prolog((uint32_t)seed);
	handlers();
	in_function = 1;
	for (unsigned i = 0; i < FUNCTIONS; i++) {
		printf("F%u:\n", i);
		items(2 + below(8));
		emit("ret");
	}
	in_function = 0;
	puts("body:");
	for (unsigned i = 0; i < BLOCKS; i++) {
		int loop = chance(60);

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
	fputs("\t.section .tohost, \"aw\"\n\t.balign 64\n\t.globl tohost\ntohost:\t.dword 0\n\t.data\n\t.balign 16\n",
	    stdout);
	fputs("trap_count: .word 0\ninterrupt_count: .word 0\n\t.balign 256\nbuffer:\nlocked:\n", stdout);
	for (int i = 0; i < 1088; i++)
		printf("\t.word 0x%" PRIx32 "\n", rnd());
	fputs("\t.space 4096\nstack_top:\n", stdout);
	return ferror(stdout) || fflush(stdout) ? 1 : 0;
}
