/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#ifndef RIVULET_TB_ARBITER_RTL_H
#define RIVULET_TB_ARBITER_RTL_H
/* A Verilated arbiter behind a C interface, and those of configs.def. */
#include "model/arbiter.h"

struct arbiter_rtl;
struct arbiter_rtl_class {
	/* NULL: no memory. Registers and memories hold pseudo-random values until the first reset. */
	struct arbiter_rtl *(*open)(uint32_t seed);
	void (*close)(struct arbiter_rtl *rtl);
	/* One cycle. fresh of out->head is not set. */
	void (*cycle)(struct arbiter_rtl *rtl, const struct arbiter_config *config, bool rst,
	    const struct arbiter_in *in, struct arbiter_out *out);
};
#endif
