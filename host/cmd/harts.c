/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#include "host/cmd/harts.h"

static uint64_t cycles_of_all(const struct loaded *loaded)
{
	uint64_t all = 0;
	for (unsigned h = 0; h < loaded->hart_count; h++)
		all += loaded->harts[h].cycles;
	return all;
}

void print_harts(const struct loaded *loaded, int width)
{
	const uint64_t all = cycles_of_all(loaded);
	for (unsigned h = 0; h < loaded->hart_count; h++) {
		const struct profile_hart *hart = &loaded->harts[h];
		printf("  hart %-*u %s traces", width - 5, h, with_commas(hart->traces));
		if (hart->insns > 0)
			printf(", %s instructions", with_commas(hart->insns));
		if (all > 0)
			printf(", %s cycles (%.2f%%)", with_commas(hart->cycles), percent_of(hart->cycles, all));
		putchar('\n');
	}
}

void json_harts(struct json *json, const struct loaded *loaded)
{
	if (loaded->hart_count == 0)
		return;
	json_array(json, "harts");
	for (unsigned h = 0; h < loaded->hart_count; h++) {
		json_line(json, NULL);
		json_number(json, "hart", h);
		json_number(json, "traces", loaded->harts[h].traces);
		json_number(json, "instructions", loaded->harts[h].insns);
		json_number(json, "cycles", loaded->harts[h].cycles);
		json_object_end(json);
	}
	json_array_end(json);
}
