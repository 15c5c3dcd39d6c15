/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#ifndef RIVULET_TESTS_DEBUG_RTL_H
#define RIVULET_TESTS_DEBUG_RTL_H
/* debug_soc of a Verilator build, behind an interface of C. */
#include <stdbool.h>
#include <stdint.h>

struct debug_pins { /* bool each: 0 or 1 */
	uint8_t tck, tms, tdi;
};
struct debug_retired {
	bool valid; /* an instruction completed in this cycle */
	uint32_t pc;
};
/* program: hexadecimal words for $readmemh. NULL: no memory. Reset is over when it returns. */
struct debug_rtl *debug_rtl_open(const char *program);
void debug_rtl_close(struct debug_rtl *rtl);
/* One cycle of the bus's clock. Returns TDO. */
bool debug_rtl_cycle(struct debug_rtl *rtl, const struct debug_pins *pins, struct debug_retired *retired);
#endif
