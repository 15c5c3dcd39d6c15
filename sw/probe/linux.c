/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/*
 * Frames into a file, when a Linux program ends: by _exit, which exit() and a return from main() end in, by abort(), or
 * by a signal that nobody handles. Link with -Wl,--wrap=_exit,--wrap=_Exit,--wrap=abort,--wrap=fork. System calls are
 * made here, so that nothing of the edited C library runs meanwhile.
 *
 * fork: the child counts from 0 on, and writes a file of its own: the name with its number behind it, unless %p in the
 * name is the number already. A child of vfork() writes none. In a dynamic program the C library's own exit is not
 * seen; there a destructor writes, and a handler for the SIGABRT of its own abort().
 *
 * RIVULET_LIBRARY: for shared libraries. RIVULET_NO_LIBC: for what is linked without a C library, where nobody calls
 * fork() or abort().
 */
#include "sw/probe/linux.h"
#include "sw/probe/probe.h"

#define AT_FDCWD (-100)
#define O_WRONLY_CREAT_TRUNC 01101
enum {
	CALL_OPENAT = 56,
	CALL_CLOSE = 57,
	CALL_WRITE = 64,
	CALL_EXIT_GROUP = 94,
	CALL_KILL = 129,
	CALL_SIGALTSTACK = 132,
	CALL_SIGACTION = 134,
	CALL_SIGPROCMASK = 135,
	CALL_GETPID = 172,
	CALL_GETTID = 178,
	CALL_MMAP = 222,
	CALL_TGKILL = 131
};

static long call6(long number, long a, long b, long c, long d, long e, long f)
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

static long call(long number, long a, long b, long c, long d)
{
	return call6(number, a, b, c, d, 0, 0);
}

void *rivulet_probe_map(size_t size)
{
	long at = call6(CALL_MMAP, 0, (long)size, 3, 0x22, -1, 0); /* read and write; private, of no file */
	return at < 0 && at > -4096 ? NULL : (void *)at;
}

extern char **environ __attribute__((weak));
__attribute__((weak, visibility("default"))) struct rivulet_probe_process rivulet_probe_process;
#define process rivulet_probe_process
uint32_t rivulet_probe_ready = RIVULET_PROBE_READY; /* the kernel gives memory that is 0 */
static int file = -1;
static volatile int unwinding; /* 1: under way; 2: it failed */

static size_t number(char *text, size_t used)
{
	char digits[12];
	size_t n = 0;
	unsigned long pid = (unsigned long)process.owner;
	do
		digits[n++] = (char)('0' + pid % 10);
	while ((pid /= 10) > 0);
	while (n > 0)
		text[used++] = digits[--n];
	return used;
}

static const char *file_name(char *text, size_t size)
{
	static const char key[] = "RIVULET_PROFILE=";
	const char *name = "rivulet.prof";
	size_t used = 0;
	for (char **e = &environ != NULL ? environ : NULL; e != NULL && *e != NULL; e++) {
		size_t i = 0;
		while (key[i] != '\0' && (*e)[i] == key[i])
			i++;
		if (key[i] == '\0')
			name = *e + i;
	}
	int numbered = 0;
	for (; *name != '\0' && used + 24 < size; name++) {
		if (name[0] == '%' && name[1] == 'p') {
			used = number(text, used);
			numbered = 1;
			name++;
		} else
			text[used++] = *name;
	}
	if (process.forked && !numbered) {
		text[used++] = '.';
		used = number(text, used);
	}
	text[used] = '\0';
	return text;
}

/* Once, to standard error: the program goes on as if nothing had happened. */
static void tell(const char *name)
{
	static const char begin[] = "rivulet: ", end[] = ": the profile cannot be written\n";
	static int told;
	size_t length = 0;
	if (told)
		return;
	told = 1;
	while (name[length] != '\0')
		length++;
	call(CALL_WRITE, 2, (long)begin, sizeof begin - 1, 0);
	call(CALL_WRITE, 2, (long)name, (long)length, 0);
	call(CALL_WRITE, 2, (long)end, sizeof end - 1, 0);
}

void rivulet_probe_put(const void *bytes, size_t size)
{
	char name[512];
	const char *at = bytes;
	while (file >= 0 && size > 0) {
		long done = call(CALL_WRITE, file, (long)at, (long)size, 0);
		if (done == -4) /* EINTR */
			continue;
		if (done <= 0) {
			tell(file_name(name, sizeof name));
			return;
		}
		at += done;
		size -= (size_t)done;
	}
}

/* Before the first bytes. A child of vfork opens none: it has its parent's memory. */
void rivulet_probe_open(void)
{
	char name[512];
	if (file >= 0 || call(CALL_GETPID, 0, 0, 0, 0) != process.owner)
		return;
	file = (int)call(CALL_OPENAT, AT_FDCWD, (long)file_name(name, sizeof name), O_WRONLY_CREAT_TRUNC, 0666);
	if (file < 0)
		tell(name);
}

void rivulet_probe_finish(void)
{
	if (call(CALL_GETPID, 0, 0, 0, 0) != process.owner || __atomic_test_and_set(&process.writing, __ATOMIC_ACQUIRE))
		return; /* a child of vfork; or another thread writes already */
	if (rivulet_probe_unwind != NULL && unwinding != 2) {
		unwinding = 1;
		rivulet_probe_unwind();
		unwinding = 0;
	}
	rivulet_probe_open();
	rivulet_probe_write();
	if (file >= 0)
		call(CALL_CLOSE, file, 0, 0, 0);
	file = -1;
	__atomic_clear(&process.writing, __ATOMIC_RELEASE);
}

/* ---- signals that end a program, if it does not handle them ---- */
struct action { /* of the kernel */
	void (*handler)(int);
	unsigned long flags, mask[64 / (8 * sizeof(long))];
};
struct stack {
	void *base;
	int flags;
	size_t size;
};
#define ON_STACK 0x08000000ul
#define RESET 0x80000000ul
#define SIGNAL_ABORT 6 /* of dynamic programs; abort() is wrapped in static ones */
static const unsigned char signals[] = {
    1, 2, 3, 4, 5, SIGNAL_ABORT, 7, 8, 10, 11, 12, 13, 14, 15, 16, 24, 25, 26, 27, 29, 30, 31};
static _Alignas(
    16) unsigned char signal_stack[32768]; /* signals are handled here, for the program's stack may be full */

/* RESET: a second one ends the program, and so does this one when it is sent again. */
static void on_signal(int number)
{
	unsigned long none[64 / (8 * sizeof(long))] = {0};
	long pid = call(CALL_GETPID, 0, 0, 0, 0);
	const struct action again = {.handler = on_signal, .flags = ON_STACK | RESET};
	if (unwinding == 1) { /* the unwinder failed on a broken stack: the profile is written without the calls */
		unwinding = 2;
		__atomic_clear(&process.writing, __ATOMIC_RELEASE);
	} else { /* a fault of the unwinder is to come here as well */
		call(CALL_SIGACTION, 11, (long)&again, 0, 8);
		call(CALL_SIGACTION, 7, (long)&again, 0, 8);
		call(CALL_SIGPROCMASK, 2, (long)none, 0, 8);
	}
	rivulet_probe_finish();
	if (unwinding == 0) {
		const struct action standard = {0};
		call(CALL_SIGACTION, 11, (long)&standard, 0, 8);
		call(CALL_SIGACTION, 7, (long)&standard, 0, 8);
	}
	call(CALL_SIGPROCMASK, 2, (long)none, 0, 8);
	call(CALL_TGKILL, pid, call(CALL_GETTID, 0, 0, 0, 0), number, 0);
}

extern const char _DYNAMIC[] __attribute__((weak));

static void watch(void)
{
	const struct stack stack = {signal_stack, 0, sizeof signal_stack};
	struct stack before;
	if (call(CALL_SIGALTSTACK, 0, (long)&before, 0, 0) == 0 && (before.flags & 2) != 0)
		call(CALL_SIGALTSTACK, (long)&stack, 0, 0, 0);
	for (size_t i = 0; i < sizeof signals; i++) {
		const struct action ours = {.handler = on_signal, .flags = ON_STACK | RESET};
		struct action theirs;
		if (signals[i] == SIGNAL_ABORT && _DYNAMIC == 0)
			continue;
		if (call(CALL_SIGACTION, signals[i], 0, (long)&theirs, 8) == 0 && theirs.handler == 0)
			call(CALL_SIGACTION, signals[i], (long)&ours, 0, 8);
	}
	process.watching = 1;
}

void rivulet_probe_give_up(void)
{
	const struct action standard = {0};
	const struct stack none = {NULL, 2, 0};
	struct action theirs;
	struct stack before;
	for (size_t i = 0; i < sizeof signals; i++) {
		if (call(CALL_SIGACTION, signals[i], 0, (long)&theirs, 8) != 0 || theirs.handler != on_signal)
			continue;
		call(CALL_SIGACTION, signals[i], (long)&standard, 0, 8);
		process.watching = 0;
	}
	if (call(CALL_SIGALTSTACK, 0, (long)&before, 0, 0) == 0 && before.base == signal_stack)
		call(CALL_SIGALTSTACK, (long)&none, 0, 0, 0);
}

__attribute__((constructor(101))) static void begin(void)
{
	if (process.owner == 0)
		process.owner = call(CALL_GETPID, 0, 0, 0, 0);
	if (!process.watching)
		watch();
#ifndef RIVULET_LIBRARY
	process.program = 1;
#endif
}

#ifndef RIVULET_LIBRARY
/* The last destructor; in a static program _exit comes still later. */
__attribute__((destructor(101))) static void end(void)
{
	process.ended = 1;
	if (_DYNAMIC != 0)
		rivulet_probe_finish();
}
#endif

#ifndef RIVULET_NO_LIBC
int __real_fork(void);
int __wrap_fork(void);
int __wrap_fork(void)
{
	int child = __real_fork();
	if (child == 0) {
		if (file >= 0) /* the file of a trace: the parent goes on writing it */
			call(CALL_CLOSE, file, 0, 0, 0);
		file = -1;
		rivulet_probe_reset();
		process.owner = call(CALL_GETPID, 0, 0, 0, 0);
		process.forked = 1;
	}
	return child;
}

_Noreturn void __real_abort(void);
_Noreturn void __wrap_abort(void);
_Noreturn void __wrap_abort(void)
{
	rivulet_probe_finish();
	__real_abort();
}
#endif

_Noreturn void __wrap__exit(int code);
_Noreturn void __wrap__exit(int code)
{
	rivulet_probe_finish();
	for (;;)
		call(CALL_EXIT_GROUP, code, 0, 0, 0);
}

_Noreturn void __wrap__Exit(int code);
_Noreturn void __wrap__Exit(int code)
{
	__wrap__exit(code);
}
