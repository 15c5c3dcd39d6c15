/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#ifndef RIVULET_PROBE_LEFT_H
#define RIVULET_PROBE_LEFT_H
/* Calls that were left without a return: by longjmp() (left.c) and by exceptions (thrown.c). */
#include "sw/probe/probe.h"

enum rivulet_probe_left_kind { RIVULET_PROBE_LEFT_BY_JUMP = 1, RIVULET_PROBE_THROWN }; /* as enum profile_stack_kind */
/* The registers of a stack that longjmp() left that have what it puts back into s0 to s11. */
#define RIVULET_PROBE_PUT_BACK                                                                                         \
	{                                                                                                              \
		5, 6, 7, 10, 11, 12, 13, 14, 15, 16, 17, 28                                                            \
	}
#ifdef __riscv_e
#define RIVULET_PROBE_KEPT_REGISTERS 4
#else
#define RIVULET_PROBE_KEPT_REGISTERS 14 /* ra, sp, s0 to s11 */
#endif

/* Keeps what lies between the stack pointer x[2] and that of the function where it goes on, back_sp, at back_pc (0: not
 * known). If there is no room, or another thread takes too long, it is counted as lost. */
void rivulet_probe_leave(
    enum rivulet_probe_left_kind kind, const uintptr_t *x, uintptr_t pc, uintptr_t back_pc, uintptr_t back_sp);
void rivulet_probe_lose(void);
#endif
