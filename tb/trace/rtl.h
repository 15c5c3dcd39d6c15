/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#ifndef RIVULET_TB_TRACE_RTL_H
#define RIVULET_TB_TRACE_RTL_H
/* One Verilated trace unit behind a C interface. rtl.cpp is compiled once for each line of configs.def. */
#include <stdbool.h>
#include <stdint.h>
#include "model/trace.h"

/* The inputs of one cycle. The unit answers bus.index in the next cycle, also where bus.write is set. */
struct trace_stimulus {
	bool rst, power_on;
	struct trace_retire retire, second; /* second: slot 1 of a unit that has two */
	struct trace_bus bus;
};

struct trace_rtl_out { /* values during the cycle */
	uint32_t rdata;
	struct trace_out out;
};

struct trace_rtl; /* an instance */

struct trace_rtl_class {
	/* NULL: no memory. Registers and memory hold pseudo-random values until the first reset. */
	struct trace_rtl *(*open)(uint32_t seed);
	void (*close)(struct trace_rtl *rtl);
	void (*cycle)(struct trace_rtl *rtl, const struct trace_stimulus *in, struct trace_rtl_out *out);
};
#endif
