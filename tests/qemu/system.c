// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Rivulet authors
/* A bare-metal program for qemu's board `virt', RV32 and RV64, with as many harts as there are: each has a timer that
 * interrupts it, works in machine mode, then in user mode, which makes calls and loads from nowhere. When all are done
 * hart 0 says which instructions trapped how often, and switches the board off. */
#include <stddef.h>
#include <stdint.h>

#define HARTS 8
#define STEPS 100000
#define CALLS 500
#define FAULTS 200
#define PERIOD 4000 /* of the timer, 10 MHz */

static volatile uint8_t *const uart = (volatile uint8_t *)0x10000000;
static volatile uint32_t *const test_device = (volatile uint32_t *)0x100000;
static volatile uint64_t *const timer_now = (volatile uint64_t *)0x200bff8;

struct hart {
	uintptr_t ticks, call_at, calls, fault_at, faults, last_at, sum;
	uintptr_t done; /* what is above is whole */
};
static struct hart harts[HARTS];
char stacks[HARTS][4096] __attribute__((aligned(16)));
extern char user_code[], trap_entry[];
volatile uintptr_t harts_begun;

__asm__(".section .text.unlikely,\"ax\"\n"
	".globl _start\n"
	"_start:\n"
	".option push\n"
	".option norelax\n"
	"	la gp, __global_pointer$\n" /* the linker may address all data by it */
	".option pop\n"
	"	csrr a0, mhartid\n"
	"	la sp, stacks\n"
	"	addi t0, a0, 1\n"
	"	slli t0, t0, 12\n"
	"	add sp, sp, t0\n"
	"	call begin_hart\n"
	"1:	j 1b\n"
	".text\n"
	".globl user_code\n"
	"user_code:\n" /* a0: the hart's data */
	"	li s0, 500\n"
	"2:	mv a0, s0\n"
	"	call work\n"
	"	ecall\n"
	"	addi s0, s0, -1\n"
	"	bnez s0, 2b\n"
	"	li s0, 200\n"
	"3:	addi s1, s0, 1\n"
	"	addi s1, s1, 2\n"
	"	lw s2, (zero)\n" /* in the middle of a block */
	"	addi s1, s1, 3\n"
	"	addi s0, s0, -1\n"
	"	bnez s0, 3b\n"
	"	li a7, 1\n"
	"	ecall\n"
	"4:	j 4b\n"
	".align 2\n"
	".globl trap_entry\n"
	"trap_entry:\n"
	"	csrrw sp, mscratch, sp\n"
	"	addi sp, sp, -128\n");
#if __riscv_xlen == 64
#define SAVE "sd"
#define LOAD "ld"
#define WORD "8"
#else
#define SAVE "sw"
#define LOAD "lw"
#define WORD "4"
#endif
__asm__("	" SAVE " ra, 0*" WORD "(sp)\n	" SAVE " t0, 1*" WORD "(sp)\n	" SAVE " t1, 2*" WORD "(sp)\n"
	"	" SAVE " t2, 3*" WORD "(sp)\n	" SAVE " a0, 4*" WORD "(sp)\n	" SAVE " a1, 5*" WORD "(sp)\n"
	"	" SAVE " a2, 6*" WORD "(sp)\n	" SAVE " a3, 7*" WORD "(sp)\n	" SAVE " a4, 8*" WORD "(sp)\n"
	"	" SAVE " a5, 9*" WORD "(sp)\n	" SAVE " a6, 10*" WORD "(sp)\n	" SAVE " a7, 11*" WORD "(sp)\n"
	"	" SAVE " t3, 12*" WORD "(sp)\n	" SAVE " t4, 13*" WORD "(sp)\n	" SAVE " t5, 14*" WORD "(sp)\n"
	"	" SAVE " t6, 15*" WORD "(sp)\n"
	"	mv a0, a7\n"
	"	call take_trap\n"
	"	" LOAD " ra, 0*" WORD "(sp)\n	" LOAD " t0, 1*" WORD "(sp)\n	" LOAD " t1, 2*" WORD "(sp)\n"
	"	" LOAD " t2, 3*" WORD "(sp)\n	" LOAD " a0, 4*" WORD "(sp)\n	" LOAD " a1, 5*" WORD "(sp)\n"
	"	" LOAD " a2, 6*" WORD "(sp)\n	" LOAD " a3, 7*" WORD "(sp)\n	" LOAD " a4, 8*" WORD "(sp)\n"
	"	" LOAD " a5, 9*" WORD "(sp)\n	" LOAD " a6, 10*" WORD "(sp)\n	" LOAD " a7, 11*" WORD "(sp)\n"
	"	" LOAD " t3, 12*" WORD "(sp)\n	" LOAD " t4, 13*" WORD "(sp)\n	" LOAD " t5, 14*" WORD "(sp)\n"
	"	" LOAD " t6, 15*" WORD "(sp)\n"
	"	addi sp, sp, 128\n"
	"	csrrw sp, mscratch, sp\n"
	"	mret\n");

#define READ_CSR(NAME)                                                                                                 \
	({                                                                                                             \
		uintptr_t value_;                                                                                      \
		__asm__ volatile("csrr %0, " NAME : "=r"(value_));                                                     \
		value_;                                                                                                \
	})
#define WRITE_CSR(NAME, VALUE) __asm__ volatile("csrw " NAME ", %0" ::"r"((uintptr_t)(VALUE)) : "memory")

static void set_timer(uintptr_t hart)
{
	volatile uint32_t *compare = (volatile uint32_t *)(0x2004000 + 8 * hart);
	const uint64_t at = *timer_now + PERIOD;
	compare[1] = 0xffffffff;
	compare[0] = (uint32_t)at;
	compare[1] = (uint32_t)(at >> 32);
}

/* Of user code, and of machine mode. */
__attribute__((noinline)) uintptr_t work(uintptr_t seed)
{
	uintptr_t x = seed * 2654435761u + 1;
	for (int i = 0; i < 40; i++)
		x = (x & 4) != 0 ? x * 5 + (x >> 7) : (x ^ (x << 3)) + 11;
	return x;
}

static void put_text(const char *text)
{
	while (*text != 0)
		*uart = (uint8_t)*text++;
}

static void put_hex(uintptr_t number)
{
	char text[20], *at = text + sizeof text;
	*--at = 0;
	do
		*--at = "0123456789abcdef"[number & 15];
	while ((number >>= 4) != 0);
	put_text(at);
}

static void put_pair(const char *name, uintptr_t address, uintptr_t count)
{
	put_text(name);
	put_hex(address);
	put_text(" ");
	put_hex(count);
	put_text("\n");
}

static void end_all(void)
{
	for (uintptr_t i = 0; i < harts_begun; i++)
		while (__atomic_load_n(&harts[i].done, __ATOMIC_ACQUIRE) == 0)
			;
	for (uintptr_t i = 0; i < harts_begun; i++) {
		put_pair("ticks ", i, harts[i].ticks);
		put_pair("trapped ", harts[i].call_at, harts[i].calls - 1);
		put_pair("trapped ", harts[i].fault_at, harts[i].faults);
		put_pair("trapped ", harts[i].last_at, 1);
	}
	*test_device = 0x5555;
	for (;;)
		;
}

void take_trap(uintptr_t call)
{
	const uintptr_t hart = READ_CSR("mhartid"), cause = READ_CSR("mcause"), at = READ_CSR("mepc");
	struct hart *h = &harts[hart];
	if ((intptr_t)cause < 0) {
		h->ticks++;
		set_timer(hart);
		return;
	}
	if (cause == 8) {
		h->calls++;
		if (call == 1) {
			h->last_at = at;
			__atomic_store_n(&h->done, 1, __ATOMIC_RELEASE);
			if (hart == 0)
				end_all();
			WRITE_CSR("mie", 0);
			for (;;)
				__asm__ volatile("wfi");
		}
		h->call_at = at;
	} else {
		h->faults++;
		h->fault_at = at;
	}
	WRITE_CSR("mepc", at + ((*(volatile uint16_t *)at & 3) == 3 ? 4 : 2));
}

__attribute__((noreturn)) void begin_hart(uintptr_t hart)
{
	__atomic_fetch_add(&harts_begun, 1, __ATOMIC_SEQ_CST);
	while (harts_begun < PROCESSORS)
		;
	WRITE_CSR("mtvec", trap_entry);
	WRITE_CSR("mscratch", stacks[hart] + 2048);
	WRITE_CSR("pmpaddr0", -1);
	WRITE_CSR("pmpcfg0", 0x1f);
	set_timer(hart);
	WRITE_CSR("mie", 0x80);
	__asm__ volatile("csrs mstatus, %0" ::"r"((uintptr_t)8));
	for (uintptr_t i = 0; i < STEPS; i++)
		harts[hart].sum += work(i + hart);
	__asm__ volatile("csrc mstatus, %0" ::"r"((uintptr_t)0x1808));
	__asm__ volatile("csrs mstatus, %0" ::"r"((uintptr_t)0x80));
	WRITE_CSR("mepc", user_code);
	__asm__ volatile("li a7, 0\n	mret");
	__builtin_unreachable();
}
