/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#ifndef RIVULET_USER_SYS_H
#define RIVULET_USER_SYS_H
/* System calls, for processes. Results and errors: sw/kernel/abi.h. */
#include <stddef.h>
#include <stdint.h>
#include "sw/kernel/abi.h"

static inline int32_t sys_call(uint32_t number, uint32_t first, uint32_t second)
{
	register uint32_t a0 __asm__("a0") = first;
	register uint32_t a1 __asm__("a1") = second;
	register uint32_t a7 __asm__("a7") = number;
	__asm__ volatile("ecall" : "+r"(a0), "+r"(a1) : "r"(a7) : "memory");
	return (int32_t)a0;
}

static inline int sys_write(const void *bytes, size_t size)
{
	return sys_call(SYS_WRITE, (uint32_t)(uintptr_t)bytes, size);
}
static inline uint64_t sys_time(void)
{
	register uint32_t a0 __asm__("a0");
	register uint32_t a1 __asm__("a1");
	register uint32_t a7 __asm__("a7") = SYS_TIME;
	__asm__ volatile("ecall" : "=r"(a0), "=r"(a1) : "r"(a7) : "memory");
	return (uint64_t)a1 << 32 | a0;
}
static inline void sys_sleep(uint32_t cycles)
{
	sys_call(SYS_SLEEP, cycles, 0);
}
static inline void sys_yield(void)
{
	sys_call(SYS_YIELD, 0, 0);
}
static inline int sys_profile(int on)
{
	return sys_call(SYS_PROFILE, (uint32_t)on, 0);
}
static inline _Noreturn void sys_exit(int code)
{
	for (;;)
		sys_call(SYS_EXIT, (uint32_t)code, 0);
}

/* How often this process was started before (docs/kernel.md, rounds). */
extern uint32_t user_round;
/* Text to the console, each line at once. */
void user_print(const char *text);
void user_print_hex(uint32_t value); /* 0x and 8 digits */
#endif
