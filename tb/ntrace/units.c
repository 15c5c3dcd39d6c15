/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#include <string.h>
#include "tb/ntrace/lockstep.h"

#ifndef NTRACE_CONFIGS
#define NTRACE_CONFIGS "tb/ntrace/configs.def"
#endif
#define CONFIG(name, ...) extern const struct ntrace_rtl_class ntrace_rtl_##name;
#include NTRACE_CONFIGS
#undef CONFIG
/* clang-format off */
/* As ntrace_config_default; what a line says comes later and counts. */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Woverride-init"
#define DEFAULTS .xlen = 32, .queue_depth = 64, .hist = 31, .sink_words = 1024
const struct ntrace_unit ntrace_units[] = {
#define CONFIG(id, ...) {#id, {DEFAULTS, __VA_ARGS__}, &ntrace_rtl_##id},
#include NTRACE_CONFIGS
};
#pragma GCC diagnostic pop
/* clang-format on */
const size_t ntrace_units_count = sizeof ntrace_units / sizeof *ntrace_units;

const struct ntrace_unit *ntrace_unit_named(const char *name)
{
	for (size_t u = 0; u < ntrace_units_count; u++)
		if (strcmp(ntrace_units[u].name, name) == 0)
			return &ntrace_units[u];
	return NULL;
}
