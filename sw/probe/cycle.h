/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#ifndef RIVULET_PROBE_CYCLE_H
#define RIVULET_PROBE_CYCLE_H
/*
 * A clock of the core's with 64 bits. RIVULET_PROBE_CLOCK is the number of its CSR: 0xB00 (mcycle) for programs that
 * never leave machine mode, 0xC00 (cycle) or 0xC01 (time) where the core has these and mcounteren lets the program read
 * them. Without it there is none, and every report says so: a mode that may not read a CSR traps, and cannot try.
 * `rivulet cc` defines it by what the code of the link does. CSRRS by numbers: assemblers want another -march for the
 * names.
 */
#include <stdint.h>

#ifndef RIVULET_PROBE_CLOCK
#define RIVULET_PROBE_CLOCK 0
#endif

static inline uint64_t rivulet_probe_clock(void)
{
#if RIVULET_PROBE_CLOCK <= 0
	return 0;
#elif __riscv_xlen == 64
	uint64_t value;
	__asm__ volatile(".insn i 0x73, 2, %0, x0, %1" : "=r"(value) : "i"(RIVULET_PROBE_CLOCK - 0x1000));
	return value;
#else
	uint32_t high, low, again;
	do
		__asm__ volatile(".insn i 0x73, 2, %0, x0, %4\n\t.insn i 0x73, 2, %1, x0, %3\n\t"
				 ".insn i 0x73, 2, %2, x0, %4"
				 : "=r"(high), "=r"(low), "=r"(again)
				 : "i"(RIVULET_PROBE_CLOCK - 0x1000), "i"(RIVULET_PROBE_CLOCK - 0x1000 + 0x80));
	while (high != again);
	return (uint64_t)high << 32 | low;
#endif
}
#endif
