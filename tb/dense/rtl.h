/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#ifndef RIVULET_TB_DENSE_RTL_H
#define RIVULET_TB_DENSE_RTL_H
/* One Verilated dense coder behind a C interface. rtl.cpp is compiled once for each line of configs.def. */
#include "model/dense.h"

struct dense_rtl; /* an instance */

struct dense_rtl_class {
	/* NULL: no memory. Registers and memories hold pseudo-random values until the first reset. */
	struct dense_rtl *(*open)(uint32_t seed);
	void (*close)(struct dense_rtl *rtl);
	void (*cycle)(struct dense_rtl *rtl, bool rst, const struct dense_in *in, struct dense_out *out);
};
#endif
