/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/*
 * Bare metal: the counters of all objects begin at one moment, before the first constructor of the program. Each object
 * registers by a constructor of its own, which sets its counters to 0; one that ran behind a constructor of the program
 * would throw away what that one had counted. So they are called from here, all of them: by an entry that linker
 * scripts sort before all others, or else by the first object that registers.
 */
#include "sw/probe/probe.h"

typedef void early_function(void);
extern early_function *__init_array_start[] __attribute__((weak)), *__init_array_end[] __attribute__((weak));

/* The editor puts three entries for each object (host/insert/insert.c), so that no code has to be read, which a core
 * may not let a program do: an idle function, the one that registers, 4 bytes behind it, and the idle one again. */
void rivulet_probe_early(void)
{
	for (early_function **entry = __init_array_start; entry + 2 < __init_array_end; entry++) {
		if (entry[0] == entry[2] && (uintptr_t)entry[1] - (uintptr_t)entry[0] == 4)
			entry[1]();
	}
}

static early_function *early __attribute__((used, section(".init_array.00000"))) = rivulet_probe_early;
