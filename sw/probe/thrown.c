/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/*
 * What exceptions leave: registers and stack from the throw to the function where it lands, as left.c keeps what
 * longjmp() leaves. For programs with a personality routine of their own:
 *
 *   _Unwind_RaiseException() ... ──► thrown_hook.S: the registers there ──► the unwinder searches, nothing is lost yet
 *   personality: "land here"     ──► the stack is still as it was: it is kept as far as the landing function's frame
 *
 * A clean-up that goes on by _Unwind_Resume() is another throw, from there. What is left by an exception that a library
 * throws (dynamic programs) has no beginning, and is counted as lost. Linked with -Wl,--wrap for each name.
 */
#include "sw/probe/left.h"

#define LAND_HERE 7                              /* _URC_INSTALL_CONTEXT */
#define CLEANUP_PHASE 2u                         /* _UA_CLEANUP_PHASE */
#if defined __linux__ && !defined RIVULET_LINKED /* a linked program has no room for it */
#define OF_THREAD __thread
#else
#define OF_THREAD
#endif

/* Of the editor's own making: it has no counter, since it is called from here (host/insert/graph.c). */
uintptr_t _Unwind_GetCFA(void *context) __attribute__((weak));
void rivulet_probe_thrown(const uintptr_t *saved, uintptr_t pc);

struct throw
{
	uintptr_t x[32], pc; /* pc 0: none is under way */
};
static OF_THREAD struct throw under_way;

/* By thrown_hook.S. saved: ra, sp, s0 to s11. */
void rivulet_probe_thrown(const uintptr_t *saved, uintptr_t pc)
{
	static const uint8_t registers[] = {1, 2, 8, 9, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27};
	for (unsigned i = 0; i < RIVULET_PROBE_KEPT_REGISTERS; i++)
		under_way.x[registers[i]] = saved[i];
	under_way.pc = pc;
}

static void land(void *context)
{
	uintptr_t here = (uintptr_t)__builtin_frame_address(0);
	uintptr_t sp = _Unwind_GetCFA != NULL ? _Unwind_GetCFA(context) : 0;
	struct throw from;
	for (unsigned i = 0; i < 32; i++)
		from.x[i] = ((const volatile struct throw *)&under_way)->x[i];
	from.pc = under_way.pc;
	under_way.pc = 0;
	/* another one's, of a handler of a signal: then it is not between here and there */
	if (from.pc == 0 || from.x[2] < here || from.x[2] > sp)
		rivulet_probe_lose();
	else
		rivulet_probe_leave(RIVULET_PROBE_THROWN, from.x, from.pc, 0, sp);
}

#define PERSONALITY(name)                                                                                              \
	int __real_##name(int version, unsigned actions, uint64_t class, void *exception, void *context)               \
	    __attribute__((weak));                                                                                     \
	int __wrap_##name(int version, unsigned actions, uint64_t class, void *exception, void *context);              \
	int __wrap_##name(int version, unsigned actions, uint64_t class, void *exception, void *context)               \
	{                                                                                                              \
		int end = __real_##name(version, actions, class, exception, context);                                  \
		if (end == LAND_HERE && (actions & CLEANUP_PHASE) != 0)                                                \
			land(context);                                                                                 \
		return end;                                                                                            \
	}
PERSONALITY(__gxx_personality_v0)
PERSONALITY(__gcc_personality_v0)
PERSONALITY(rust_eh_personality)
PERSONALITY(__gnat_personality_v0)
PERSONALITY(__gdc_personality_v0)
