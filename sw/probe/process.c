/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/*
 * Of dynamic programs and shared libraries: what all copies of the runtime in a process share. The dynamic linker takes
 * one definition of a "unique" symbol for the whole process, that of the program if it has one, whatever the order and
 * the scope in which libraries are loaded. It must be in the dynamic symbol table, whatever else is hidden.
 */
#include "sw/probe/hash.h"
#include "sw/probe/probe.h"

struct rivulet_probe_process rivulet_probe_process __attribute__((visibility("default")));
__asm__(".type rivulet_probe_process, @gnu_unique_object");

extern const uint32_t rivulet_probe_salt[2] __attribute__((weak)); /* salt.S; a program has none */
static struct rivulet_probe_part own;

void rivulet_probe_join(void)
{
	for (const struct rivulet_probe_part *p = rivulet_probe_process.parts; p != NULL; p = p->next) {
		if (p == &own)
			return;
	}
	own.root = &rivulet_probe_root;
	own.used = rivulet_probe_used;
	own.read = rivulet_probe_read;
	for (unsigned i = 0; i < 2 && rivulet_probe_salt != NULL; i++)
		own.salt[i] = rivulet_probe_salt[i];
	own.next = rivulet_probe_process.parts;
	rivulet_probe_process.parts = &own;
}
