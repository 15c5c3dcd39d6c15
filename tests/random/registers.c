/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* What writes CSRs, devices and the trace unit. */
#include "tests/random/random.h"
#include <stdio.h>

void timer(void)
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

void csr(void)
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
		if (chance(30)) /* without a write: also in U */
			emit(chance(50) ? "csrrc x%u, %s, x0" : "csrrsi x%u, %s, 0", dest(),
			    chance(50) ? "cycle" : "instreth");
		else if (chance(20))
			emit("csrrci x%u, %s, 0", dest(), chance(50) ? "cycleh" : "instret");
		else
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
void protection(void)
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
		emit("bne t0, t1, L%u", gen.labels);
		emit("csrs pmpcfg0, t2");
		printf("L%u:\n", gen.labels++);
	}
}

/* CTRL without ENABLE and LIFO; of the ranges the first; bit 7, which nobody has. */
#define CTRL_CHANGED                                                                                                   \
	(uint32_t)(RV_CTRL_NO_BACKWARD_MASK | RV_CTRL_NO_INDIRECT_MASK | RV_CTRL_HANDLERS_MASK | RV_CTRL_REPEAT_MASK | \
		   RV_CTRL_SAMPLE_MASK | 0x80 | RV_CTRL_IE_MASK | RV_CTRL_MODES_MASK | 1 << RV_CTRL_RANGE_EN_LSB)

void trace_register(void)
{
	unsigned what = below(16);

	if (!gen.with_pair && (what == 8 || what == 11 || what == 13 || what == 14))
		what = 3;
	switch (what) {
	case 0:
	case 1:
	case 2: /* CTRL by set and clear, LIFO left alone; enabling is likelier than not */
		emit("li t0, 0x%" PRIx32,
		    (rnd() & rnd() & CTRL_CHANGED) | (chance(70) ? (uint32_t)RV_CTRL_ENABLE_MASK : 0));
		emit(chance(70) ? "csrrs x%u, " CSR(CTRL) ", t0" : "csrrc x%u, " CSR(CTRL) ", t0", dest());
		break;
	case 3: /* keep it going: enabled, all modes, no range */
		emit("li t0, 0x%X", RV_CTRL_MODES_MASK | RV_CTRL_ENABLE_MASK);
		emit("csrs " CSR(CTRL) ", t0");
		emit("li t0, 0x%X", 1 << RV_CTRL_RANGE_EN_LSB);
		emit("csrc " CSR(CTRL) ", t0");
		break;
	case 4:
		emit("csrwi " CSR(WATERMARK) ", %u", below(20));
		break;
	case 5:
		emit("csrwi " CSR(PERIOD) ", %u", below(8));
		break;
	case 6:
		emit("csrwi " CSR(COUNTER) ", %u", below(8));
		break;
	case 7:
		emit("csrwi " CSR(DITHER) ", %u", (1u << below(6)) - 1);
		break;
	case 8:
		emit("csrrw x%u, " CSR(LFSR) ", x%u", dest(), any());
		break;
	case 9:
		emit("la t0, B%u", below(BLOCKS));
		emit("csrw " CSR(RANGE0_LO) ", t0");
		emit("la t0, B%u", below(BLOCKS));
		emit("csrw " CSR(RANGE0_HI) ", t0");
		break;
	case 10:
		emit("csrw " CSR(POP) ", x0");
		break;
	case 11:
		emit("csrr x%u, 0x%x", dest(), RV_CSR_ID + below(64));
		break;
	case 12:
		emit(chance(50) ? "csrwi " CSR(STATUS) ", 31" : "csrw " CSR(LOST) ", x%u", any());
		break;
	case 13:
		emit("csrrw x%u, 0x%x, x%u", dest(), RV_CSR_CUR_START + below(9), any());
		break; /* the current pair, RESUME, DEPTH */
	case 14:
		emit("li t0, 0x%" PRIx32, 1u << below(32) | (rnd() >> below(32)));
		emit("csrw " CSR(CUR_HIST) ", t0"); /* now and then full */
		break;
	default: /* change LIFO: only with an empty buffer */
		emit("csrci " CSR(CTRL) ", 1");
		for (int i = 0; i < 6; i++)
			emit("nop");
		for (int i = 0; i < 18; i++)
			emit("csrw " CSR(POP) ", x0");
		emit("li t0, 0x%X", RV_CTRL_LIFO_MASK);
		emit(chance(50) ? "csrs " CSR(CTRL) ", t0" : "csrc " CSR(CTRL) ", t0");
		emit("csrsi " CSR(CTRL) ", 1");
	}
}
