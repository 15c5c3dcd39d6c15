/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#include "tb/dense/units.h"

#define CONFIG(name, ...) extern const struct dense_rtl_class dense_rtl_##name;
#include "tb/dense/configs.def"
#undef CONFIG
/* clang-format off */
/* As dense_config_default; what a line says comes later and counts. */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Woverride-init"
#define DEFAULTS .xlen = 32, .hist = 32, .entries = 256, .places = 1024, .repeat_bits = 8, .insn_bits = 16, \
	.queue = 256, .buffer = 512, .check_bits = 10, .start_bits = 16
const struct dense_unit dense_units[] = {
#define CONFIG(id, ...) {#id, {DEFAULTS, __VA_ARGS__}, &dense_rtl_##id},
#include "tb/dense/configs.def"
};
#pragma GCC diagnostic pop
/* clang-format on */
const size_t dense_units_count = sizeof dense_units / sizeof *dense_units;
