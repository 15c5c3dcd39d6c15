/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* The word that chooses between the two versions of each function, and how long it was what. */
#include "sw/probe/switch.h"
#include "sw/probe/probe.h"

__attribute__((weak)) volatile uint32_t rivulet_probe_switch = RIVULET_PROBE_SWITCH_WHOLE;

static uint64_t began, since, on; /* clock: where all began, where it was switched on last; sum of times before */
static uint32_t offs;
static int is_on, began_off; /* as these functions have set it */

static uint64_t clock_now(void)
{
	if (rivulet_probe_switch_clock != NULL)
		return rivulet_probe_switch_clock();
	return rivulet_probe_cycles != NULL ? rivulet_probe_cycles() : 0;
}

void rivulet_probe_switch_begin(void)
{
	began = since = clock_now();
	on = 0;
	is_on = rivulet_probe_switch != 0;
	began_off = !is_on;
	offs = 0;
}

/* The word first: what a handler of an interrupt finds in between is a time that is a little off, no wrong word. */
void rivulet_probe_switch_off(void)
{
	if (rivulet_probe_switch == 0)
		return;
	rivulet_probe_switch = 0;
	is_on = 0;
	on += clock_now() - since;
	offs++;
}

void rivulet_probe_switch_on(void)
{
	if (rivulet_probe_switch != 0)
		return;
	since = clock_now();
	is_on = 1;
	rivulet_probe_switch = 1;
}

/* A debugger may have written the word: then there are no times. */
void rivulet_probe_switch_read(struct rivulet_probe_switched *s)
{
	const uint32_t word = rivulet_probe_switch;
	const uint64_t now = clock_now();
	const int never = offs == 0; /* it may have been off from the beginning */
	const int by_others = (word != 0) != is_on || (word != RIVULET_PROBE_SWITCH_WHOLE && never && !began_off);
	s->offs = by_others || (never && began_off) ? 1 : offs;
	s->all = by_others ? 0 : now - began;
	s->on = by_others ? 0 : on + (word != 0 ? now - since : 0);
	if (s->on > s->all)
		s->on = s->all;
}
