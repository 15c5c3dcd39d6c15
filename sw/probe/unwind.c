/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/*
 * The calls that were active when a static Linux program ended (EPP, "early termination"): their addresses go into the
 * profile, so that counts of edges can be completed. The stack is unwound by libgcc, whose code is edited too, so
 * the counters are put back to what they were. Link with -Wl,--wrap=exit; compile this and every function that may be
 * active with -funwind-tables.
 */
#include "sw/probe/probe.h"

#define DEPTH 1024
static uintptr_t calls[DEPTH];
static unsigned depth;

struct _Unwind_Context;
int _Unwind_Backtrace(int (*visit)(struct _Unwind_Context *, void *), void *argument);
uintptr_t _Unwind_GetIPInfo(struct _Unwind_Context *context, int *before);

static int visit(struct _Unwind_Context *context, void *unused)
{
	int before = 0;
	uintptr_t at = _Unwind_GetIPInfo(context, &before);
	(void)unused;
	if (at == 0 || depth == DEPTH)
		return 5; /* the end */
	calls[depth++] = before ? at : at - 1;
	return 0;
}

static long map(size_t size)
{
	register long a7 __asm__("a7") = 222;
	register long a0 __asm__("a0") = 0;
	register long a1 __asm__("a1") = (long)size;
	register long a2 __asm__("a2") = 3;
	register long a3 __asm__("a3") = 0x22;
	register long a4 __asm__("a4") = -1;
	register long a5 __asm__("a5") = 0;
	__asm__ volatile("ecall" : "+r"(a0) : "r"(a7), "r"(a1), "r"(a2), "r"(a3), "r"(a4), "r"(a5) : "memory");
	return a0;
}

static void copy(volatile uint8_t *to, const volatile uint8_t *from, size_t size)
{
	for (size_t i = 0; i < size; i++)
		to[i] = from[i];
}

extern char **environ;

/* RIVULET_STACK=no in the environment: the stack is left alone. */
static int unwanted(void)
{
	static const char word[] = "RIVULET_STACK=no";
	for (char **e = environ; e != NULL && *e != NULL; e++) {
		size_t i = 0;
		while (word[i] != '\0' && (*e)[i] == word[i])
			i++;
		if (word[i] == '\0')
			return 1;
	}
	return 0;
}

static int done; /* at exit(): later the tables of a static program are not registered any more */

void rivulet_probe_unwind(void)
{
	size_t size = 0, at = 0;
	if (done || unwanted())
		return;
	for (const struct rivulet_probe_node *n = rivulet_probe_root.nodes; n != NULL; n = n->next)
		size += (size_t)n->count * n->width;
	long kept = map(size + 1);
	depth = 0;
	if (kept < 0 && kept > -4096)
		return;
	for (const struct rivulet_probe_node *n = rivulet_probe_root.nodes; n != NULL; n = n->next) {
		copy((uint8_t *)kept + at, n->counters, (size_t)n->count * n->width);
		at += (size_t)n->count * n->width;
	}
	_Unwind_Backtrace(visit, NULL);
	at = 0;
	for (const struct rivulet_probe_node *n = rivulet_probe_root.nodes; n != NULL; n = n->next) {
		copy(n->counters, (uint8_t *)kept + at, (size_t)n->count * n->width);
		at += (size_t)n->count * n->width;
	}
}

_Noreturn void __real_exit(int code);
_Noreturn void __wrap_exit(int code);
_Noreturn void __wrap_exit(int code)
{
	rivulet_probe_unwind();
	done = 1;
	__real_exit(code);
}

unsigned rivulet_probe_active(const uintptr_t **addresses)
{
	*addresses = calls;
	return depth;
}
