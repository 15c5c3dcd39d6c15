/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#ifndef RIVULET_PROBE_LINUX_H
#define RIVULET_PROBE_LINUX_H
/* What linux.c, library.c and merge.c need of each other. */
#include <stddef.h>

#define AT_FDCWD (-100)
#define O_WRONLY_CREAT_TRUNC 01101
enum {
	CALL_GETCWD = 17,
	CALL_FLOCK = 32,
	CALL_UNLINKAT = 35,
	CALL_OPENAT = 56,
	CALL_CLOSE = 57,
	CALL_READ = 63,
	CALL_WRITE = 64,
	CALL_EXIT_GROUP = 94,
	CALL_TIMER_CREATE = 107,
	CALL_TIMER_SETTIME = 110,
	CALL_CLOCK_GETTIME = 113,
	CALL_KILL = 129,
	CALL_SIGALTSTACK = 132,
	CALL_SIGACTION = 134,
	CALL_SIGPROCMASK = 135,
	CALL_GETPID = 172,
	CALL_GETTID = 178,
	CALL_MUNMAP = 215,
	CALL_MMAP = 222,
	CALL_TGKILL = 131,
	CALL_RENAMEAT2 = 276,
	CALL_STATX = 291,
	CALL_CLOCK_GETTIME64 = 403,
	CALL_TIMER_SETTIME64 = 409
};

static inline long call6(long number, long a, long b, long c, long d, long e, long f)
{
	register long a7 __asm__("a7") = number;
	register long a0 __asm__("a0") = a;
	register long a1 __asm__("a1") = b;
	register long a2 __asm__("a2") = c;
	register long a3 __asm__("a3") = d;
	register long a4 __asm__("a4") = e;
	register long a5 __asm__("a5") = f;
	__asm__ volatile("ecall" : "+r"(a0) : "r"(a7), "r"(a1), "r"(a2), "r"(a3), "r"(a4), "r"(a5) : "memory");
	return a0;
}

static inline long call(long number, long a, long b, long c, long d)
{
	return call6(number, a, b, c, d, 0, 0);
}

/* Writes the profile, unless another thread or process is to. */
void rivulet_probe_finish(void);
/* Handlers of signals and their stack are no longer this copy's, which is about to be unloaded. */
void rivulet_probe_give_up(void);
/* What stands behind KEY= in the environment; NULL. */
const char *rivulet_probe_setting(const char *key);
/* Memory that is 0; NULL: there is none. */
void *rivulet_probe_map(size_t size);
/* A run's profile, the file `own`, is added to the file `name`; then there is no `own`. One process at a time: the file
 * NAME.lock says which. 0; else it cannot be, and both files stay. Weak, of merge.c. */
int rivulet_probe_merge(const char *name, const char *own) __attribute__((weak));
#endif
