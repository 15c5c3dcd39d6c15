/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* rivulet coverage: shares in per cent, and whether they are as large as --min asks. */
#include "host/cmd/coverage.h"

const char *const coverage_names[LEAST_KINDS] = {
    "functions", "branches", "lines", "calls", "instructions", "mcdc", "masking", "decided"};

double coverage_percent(const struct coverage_sum *sum, unsigned kind)
{
	return sum->all[kind] == 0 ? 100 : 100.0 * (double)sum->hit[kind] / (double)sum->all[kind];
}

double coverage_reached(const struct covered *c, unsigned kind)
{
	if (kind < COVERAGE_KINDS)
		return coverage_percent(&c->total, kind);
	return c->mcdc.all[kind] == 0 ? 100 : 100.0 * (double)c->mcdc.hit[kind] / (double)c->mcdc.all[kind];
}

bool coverage_misses(const struct covered *c, unsigned kind)
{
	return c->least[kind] >= 0 && coverage_reached(c, kind) < c->least[kind];
}
