/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#ifndef RIVULET_PROBE_CYCLE_H
#define RIVULET_PROBE_CYCLE_H
/* mcycle with 64 bits, in machine mode. CSRRS by numbers: assemblers want another -march for the
 * names. */
#include <stdint.h>

static inline uint64_t rivulet_probe_mcycle(void)
{
#if __riscv_xlen == 64
	uint64_t value;
	__asm__ volatile(".insn i 0x73, 2, %0, x0, -1280" : "=r"(value));
	return value;
#else
	uint32_t high, low, again;
	do
		__asm__ volatile(".insn i 0x73, 2, %0, x0, -1152\n\t.insn i 0x73, 2, %1, x0, -1280\n\t"
				 ".insn i 0x73, 2, %2, x0, -1152"
				 : "=r"(high), "=r"(low), "=r"(again));
	while (high != again);
	return (uint64_t)high << 32 | low;
#endif
}
#endif
