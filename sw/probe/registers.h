/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#ifndef RIVULET_PROBE_REGISTERS_H
#define RIVULET_PROBE_REGISTERS_H
/* The registers as they are within the function that this stands in. */
#include <stdint.h>

#if __riscv_xlen == 64
#define STORE(n) "sd x" #n ", " #n "*8(%0)\n\t"
#else
#define STORE(n) "sw x" #n ", " #n "*4(%0)\n\t"
#endif

#ifdef __riscv_e
#define STORE_HIGH
#else
#define STORE_HIGH                                                                                                     \
	STORE(16)                                                                                                      \
	STORE(17)                                                                                                      \
	STORE(18)                                                                                                      \
	STORE(19)                                                                                                      \
	STORE(20)                                                                                                      \
	STORE(21) STORE(22) STORE(23) STORE(24) STORE(25) STORE(26) STORE(27) STORE(28) STORE(29) STORE(30) STORE(31)
#endif

/* x1 to x31 go to x[1] to x[31]. Gives the pc; *x is written. */
static inline __attribute__((always_inline)) uintptr_t rivulet_probe_registers(uintptr_t *x)
{
	uintptr_t pc;
	__asm__ volatile(STORE(1) STORE(2) STORE(3) STORE(4) STORE(5) STORE(6) STORE(7) STORE(8) STORE(9) STORE(10)
			     STORE(11) STORE(12) STORE(13) STORE(14) STORE(15) STORE_HIGH "auipc %1, 0"
			 : "+r"(x), "=&r"(pc)
			 :
			 : "memory");
	return pc;
}
#undef STORE
#undef STORE_HIGH
#endif
