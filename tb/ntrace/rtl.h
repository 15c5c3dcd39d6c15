/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#ifndef RIVULET_TB_NTRACE_RTL_H
#define RIVULET_TB_NTRACE_RTL_H
/* One Verilated N-Trace encoder behind a C interface. rtl.cpp is compiled once for each line of configs.def. */
#include "model/ntrace.h"

struct ntrace_rtl; /* an instance */

struct ntrace_rtl_class {
	/* NULL: no memory. Registers and memory hold pseudo-random values until the first reset. */
	struct ntrace_rtl *(*open)(uint32_t seed);
	void (*close)(struct ntrace_rtl *rtl);
	void (*cycle)(struct ntrace_rtl *rtl, const struct ntrace_in *in, struct ntrace_out *out);
};
#endif
