/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#ifndef RIVULET_TB_DENSE_UNITS_H
#define RIVULET_TB_DENSE_UNITS_H
/* The dense coders of configs.def. */
#include <stddef.h>
#include "tb/dense/rtl.h"

struct dense_unit { /* a line of configs.def */
	const char *name;
	struct dense_config config;
	const struct dense_rtl_class *rtl;
};
extern const struct dense_unit dense_units[];
extern const size_t dense_units_count;
#endif
