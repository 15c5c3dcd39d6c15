/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* Which library this is: RIVULET_SALT_LOW and _HIGH, of all that is linked into it. In the ids of its counters, and in its
 * map (host/insert/map.h), where readers find it. RIVULET_TWIN: in the map only. */
#ifndef RIVULET_TWIN
	.section .rodata
	.balign 4
	.globl rivulet_probe_salt
	.hidden rivulet_probe_salt
	.type rivulet_probe_salt, @object
	.size rivulet_probe_salt, 8
rivulet_probe_salt:
	.4byte RIVULET_SALT_LOW, RIVULET_SALT_HIGH
#endif
	.section .debug_rivulet, "", @progbits
	.4byte 0x534D5652, 8, RIVULET_SALT_LOW, RIVULET_SALT_HIGH
	.section .note.GNU-stack, "", @progbits
