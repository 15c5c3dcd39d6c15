/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/*
 * A process that tries to get out. Each round is one attempt: all but the last few must end it by a fault; if one comes
 * back it prints BREACH. The last ones are system calls with arguments that the kernel must refuse; they print "held".
 * tests/kernel/check counts.
 */
#include "sw/run/app.h"
#include "sw/kernel/user/sys.h"

extern const uint32_t gates[], gates_end[];
extern uint8_t __text_start[], __code_end[], __memory_end[];

enum operation { READ_WORD, READ_BYTE, WRITE_WORD, WRITE_BYTE, JUMP, OPERATIONS };

/* Kernel, tables, other processes, devices, nowhere. */
static const uint32_t places[] = {0x80000000, 0x80000004, 0x80000400, 0x80001000, 0x80002000, 0x80004000, 0x80008000,
    0x80010000, 0x80020000, 0x8003FFF0, 0x8003FFFC, 0x80060000, 0x80060010, 0x80070000, 0x8007FFFC, 0x80080000,
    0x8009FFFC, 0x800A0000, 0x800FFFFC, 0x02000000, 0x02004000, 0x02004004, 0x0200BFF8, 0x0200BFFC, 0x10000000,
    0x10000004, 0x10000008, 0x10010000, 0x10010004, 0x00000000, 0x40000000, 0x7FFFFFFC, 0xFFFFFFFC};
#define PLACES (sizeof places / sizeof places[0])

static void breach(uint32_t value)
{
	user_print("BREACH: attempt ");
	user_print_hex(user_round);
	user_print(", ");
	user_print_hex(value);
	user_print("\n");
	sys_exit(1);
}

__attribute__((noinline)) static void touch(uint32_t address, enum operation operation)
{
	switch (operation) {
	case READ_WORD:
		breach(*(volatile uint32_t *)address);
		break;
	case READ_BYTE:
		breach(*(volatile uint8_t *)(address + 3));
		break;
	case WRITE_WORD:
		*(volatile uint32_t *)address = 0x00008067; /* ret */
		breach(address);
		break;
	case WRITE_BYTE:
		*(volatile uint8_t *)(address + 1) = 0;
		breach(address);
		break;
	default:
		((void (*)(void))address)();
		breach(address);
	}
}

/* Not without an end for the compiler. */
static volatile uint32_t limit = 0x10000000;

static int endless(volatile uint32_t depth)
{
	volatile uint32_t frame[64];
	frame[depth % 64] = depth;
	if (depth > limit)
		return 0;
	return endless(depth + 1) + (int)frame[depth % 64];
}

static void own(unsigned attempt)
{
	static uint32_t code[] = {0x00008067};
	switch (attempt) {
	case 0:
		touch((uint32_t)__text_start, WRITE_WORD);
		break;
	case 1:
		touch((uint32_t)__code_end - 4, WRITE_BYTE);
		break;
	case 2:
		touch((uint32_t)code, JUMP);
		break;
	case 3:
		touch((uint32_t)__memory_end - 4, JUMP);
		break;
	case 4:
		touch((uint32_t)__text_start - 4, READ_BYTE);
		break;
	case 5:
		touch((uint32_t)__memory_end, WRITE_WORD);
		break;
	default:
		breach((uint32_t)endless(0)); /* the stack runs into the code */
	}
}
#define OWN 7

/* System calls that must not do what they are asked for. */
static bool refused(unsigned attempt)
{
	uint32_t end = (uint32_t)__memory_end, base = (uint32_t)__text_start;
	switch (attempt) {
	case 0:
		return sys_write((const void *)0x80000000, 16) == SYS_EBAD;
	case 1:
		return sys_write((const void *)(base - 1), 2) == SYS_EBAD;
	case 2:
		return sys_write((const void *)(end - 1), 2) == SYS_EBAD;
	case 3:
		return sys_write((const void *)base, 0xFFFFFFFFu) == SYS_EBAD;
	case 4:
		return sys_write((const void *)(base + 4), 0xFFFFFFFCu) == SYS_EBAD;
	case 5:
		return sys_write((const void *)end, 1) == SYS_EBAD;
	case 6:
		return sys_write((const void *)0x10000000, 4) == SYS_EBAD;
	case 7:
		return sys_call(SYS_COUNT, 0, 0) == SYS_EBAD;
	case 8:
		return sys_call(0xFFFFFFFFu, 0, 0) == SYS_EBAD;
	default:
		return sys_profile(1) == SYS_EDENIED && sys_profile(0) == 0;
	}
}
#define REFUSED 10

int app_main(int input)
{
	uint32_t attempt = user_round, gate_count = (uint32_t)(gates_end - gates) / 2;
	(void)input;
	if (attempt < gate_count) {
		((void (*)(void))(uintptr_t)&gates[2 * attempt])();
		breach(attempt);
	}
	attempt -= gate_count;
	if (attempt < PLACES * OPERATIONS)
		touch(places[attempt / OPERATIONS], (enum operation)(attempt % OPERATIONS));
	attempt -= PLACES * OPERATIONS;
	if (attempt < OWN)
		own(attempt);
	attempt -= OWN;
	if (attempt < REFUSED) {
		if (!refused(attempt))
			breach(attempt);
		user_print("attack: held\n");
		return 0;
	}
	user_print("attack: no attempt left\n");
	return 0;
}
