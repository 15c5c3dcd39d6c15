/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* Works until its counting was switched on and off six times by the timer, and says how often it called work(). */
#include <stdint.h>
#include <stdio.h>

extern volatile uint32_t rivulet_probe_switch;

__attribute__((noinline)) static uint32_t work(uint32_t value)
{
	for (int i = 0; i < 50; i++)
		value = value * 1664525u + 1013904223u;
	return value;
}

int main(void)
{
	uint32_t value = 1, before = rivulet_probe_switch;
	unsigned long calls = 0;
	for (int changes = 0; changes < 12;) {
		value = work(value);
		calls++;
		changes += rivulet_probe_switch != before;
		before = rivulet_probe_switch;
	}
	printf("%lu\n", calls);
	return value == 0;
}
