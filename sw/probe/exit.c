/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* Bare metal: the profile when a program ends. Link with -Wl,--wrap=_exit. */
#include "sw/probe/cycle.h"
#include "sw/probe/probe.h"

uint64_t rivulet_probe_cycles(void)
{
	return rivulet_probe_clock();
}

void rivulet_probe_begin(struct rivulet_probe_node *node)
{
	rivulet_probe_clear(node);
}

_Noreturn void __real__exit(int code);
_Noreturn void __wrap__exit(int code);
_Noreturn void __wrap__exit(int code)
{
	rivulet_probe_write();
	__real__exit(code);
}
