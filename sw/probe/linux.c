/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/*
 * Frames into a file, when a Linux program ends: by _exit, which exit() and a return from main() end in, or by abort().
 * Link with -Wl,--wrap=_exit -Wl,--wrap=_Exit -Wl,--wrap=abort. System calls are made here, so that nothing of the
 * edited C library runs meanwhile. A child of fork() that ends writes a file of its own if the name has %p in it.
 */
#include "sw/probe/probe.h"

#define AT_FDCWD (-100)
#define O_WRONLY_CREAT_TRUNC 01101
enum { CALL_OPENAT = 56, CALL_CLOSE = 57, CALL_WRITE = 64, CALL_EXIT_GROUP = 94, CALL_GETPID = 172 };

static long call(long number, long a, long b, long c, long d)
{
	register long a7 __asm__("a7") = number;
	register long a0 __asm__("a0") = a;
	register long a1 __asm__("a1") = b;
	register long a2 __asm__("a2") = c;
	register long a3 __asm__("a3") = d;
	__asm__ volatile("ecall" : "+r"(a0) : "r"(a7), "r"(a1), "r"(a2), "r"(a3) : "memory");
	return a0;
}

extern char **environ;
static int file = -1, writing;

static const char *file_name(char *text, size_t size)
{
	static const char key[] = "RIVULET_PROFILE=";
	const char *name = "rivulet.prof";
	size_t used = 0;
	for (char **e = environ; e != NULL && *e != NULL; e++) {
		size_t i = 0;
		while (key[i] != '\0' && (*e)[i] == key[i])
			i++;
		if (key[i] == '\0')
			name = *e + i;
	}
	for (; *name != '\0' && used + 12 < size; name++) {
		if (name[0] == '%' && name[1] == 'p') {
			char digits[12];
			size_t n = 0;
			unsigned long pid = (unsigned long)call(CALL_GETPID, 0, 0, 0, 0);
			do
				digits[n++] = (char)('0' + pid % 10);
			while ((pid /= 10) > 0);
			while (n > 0)
				text[used++] = digits[--n];
			name++;
		} else
			text[used++] = *name;
	}
	text[used] = '\0';
	return text;
}

void rivulet_probe_put(const void *bytes, size_t size)
{
	const char *at = bytes;
	while (file >= 0 && size > 0) {
		long done = call(CALL_WRITE, file, (long)at, (long)size, 0);
		if (done == -4) /* EINTR */
			continue;
		if (done <= 0)
			return;
		at += done;
		size -= (size_t)done;
	}
}

static void finish(void)
{
	char name[512];
	if (writing++ != 0)
		return;
	file = (int)call(CALL_OPENAT, AT_FDCWD, (long)file_name(name, sizeof name), O_WRONLY_CREAT_TRUNC, 0666);
	rivulet_probe_write();
	call(CALL_CLOSE, file, 0, 0, 0);
}

_Noreturn void __wrap__exit(int code);
_Noreturn void __wrap__exit(int code)
{
	finish();
	for (;;)
		call(CALL_EXIT_GROUP, code, 0, 0, 0);
}

_Noreturn void __wrap__Exit(int code);
_Noreturn void __wrap__Exit(int code)
{
	__wrap__exit(code);
}

_Noreturn void __real_abort(void);
_Noreturn void __wrap_abort(void);
_Noreturn void __wrap_abort(void)
{
	finish();
	__real_abort();
}
