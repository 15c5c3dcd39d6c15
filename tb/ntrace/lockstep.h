/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#ifndef RIVULET_TB_NTRACE_LOCKSTEP_H
#define RIVULET_TB_NTRACE_LOCKSTEP_H
/* The N-Trace encoder of an RTL build and its model, one cycle at a time; what is compared. */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "tb/ntrace/rtl.h"

enum ntrace_status { NTRACE_PASSED = 0, NTRACE_DIFFERENT = 1, NTRACE_NOT_REACHED = 2, NTRACE_TROUBLE = 4 };

struct ntrace_unit { /* a line of configs.def */
	const char *name;
	struct ntrace_config config;
	const struct ntrace_rtl_class *rtl;
};
extern const struct ntrace_unit ntrace_units[];
extern const size_t ntrace_units_count;
const struct ntrace_unit *ntrace_unit_named(const char *name); /* NULL: there is none */

struct ntrace_pair {
	const struct ntrace_unit *unit;
	struct ntrace *model;
	struct ntrace_rtl *rtl;
	uint64_t cycle;
	unsigned
	    inject; /* a signal whose lowest bit is another in the RTL from cycle inject_from on, or NTRACE_SIGNALS */
	uint64_t inject_from;
};

/* What is compared: mem_addr and mem_wdata while mem_valid, byte while byte_valid, reg_rdata unless it is of memory
 * that was never written, all others always. */
enum ntrace_signal {
	NTRACE_RDATA,
	NTRACE_STALL,
	NTRACE_BYTE_VALID,
	NTRACE_BYTE,
	NTRACE_MEM_VALID,
	NTRACE_MEM_ADDR,
	NTRACE_MEM_WDATA,
	NTRACE_SIGNALS
};
extern const char *const ntrace_signal_names[NTRACE_SIGNALS];

/* False: no memory. Both are reset. */
bool ntrace_pair_open(struct ntrace_pair *pair, const struct ntrace_unit *unit, uint64_t seed);
void ntrace_pair_close(struct ntrace_pair *pair);
/* One cycle of both; false: they differ, and the first signal is printed. *out is the model's. */
bool ntrace_pair_cycle(struct ntrace_pair *pair, const struct ntrace_in *in, struct ntrace_out *out);
#endif
