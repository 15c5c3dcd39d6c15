/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#ifndef RIVULET_PROFILE_MEMORY_H
#define RIVULET_PROFILE_MEMORY_H
/*
 * The counters of inserted code as a debugger dumps them from the memory of a target that writes nothing itself:
 *
 *   profile_memory_script ──► gdb -x ──► the dump ──► profile_from_memory() ──► a profile, as the runtime would write
 *   it
 *
 * The dump, little endian, words (W) of XLEN bits:
 *
 *   8 bytes "RVMEMOR4"; XLEN (8 bytes); rivulet_probe_root (5 W); the word of sw/probe/switch.h (8 bytes)
 *   each node of its list: struct rivulet_probe_node (2 W + 16 bytes), then its counters
 *   each bucket that is in use: struct rivulet_probe_bucket (2 W + 16 bytes), then 16 bytes of its table,
 *   its index (8 bytes), and the count in its slot (8 bytes)
 *   8 bytes "RVENDING"
 */
#include "host/profile/profile.h"

bool profile_is_memory(const void *bytes, size_t size);
enum profile_memory_error {
	PROFILE_MEMORY_OK = 0,
	PROFILE_MEMORY_ENOMEM = -1,
	PROFILE_MEMORY_ECUT = -2,     /* it ends too early, or is none */
	PROFILE_MEMORY_EEARLY = -3,   /* dumped before the program's constructors ran */
	PROFILE_MEMORY_ECOUNTER = -4, /* a node that is none: other versions, or memory that was overwritten */
	PROFILE_MEMORY_EVERSION = -5  /* by the commands of another version */
};
const char *profile_memory_strerror(int error);
/* profile: initialised and empty. */
int profile_from_memory(struct profile *profile, const void *bytes, size_t size);
/* Commands for gdb, which make the dump "rivulet.prof". */
extern const char profile_memory_script[];
#endif
