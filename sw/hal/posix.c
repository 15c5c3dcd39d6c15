/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/*
 * What picolibc's fopen(), remove(), time() and abort() ask of a system. Files are the host's, by semihosting (RISC-V
 * Semihosting 0.2): `rivulet run --semihosting DIR`, or a debugger. Where nobody answers, opening fails with ENOSYS.
 * Nothing of this is linked into a program that does not use it.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>
#include "sw/hal/hal.h"

enum {
	SYS_OPEN = 0x01,
	SYS_CLOSE = 0x02,
	SYS_WRITE = 0x05,
	SYS_READ = 0x06,
	SYS_SEEK = 0x0A,
	SYS_FLEN = 0x0C,
	SYS_REMOVE = 0x0E,
	SYS_ERRNO = 0x13
};
#define SLLI_MARK 0x01F01013u /* slli x0, x0, 0x1f: what is before the EBREAK of a semihosting call */
#define SRAI_MARK 0x40705013u /* srai x0, x0, 7: behind it */
#define EBREAK 0x00100073u
#define FILES 16
#define TIMER_HZ 50000000u

static off_t position[FILES]; /* by handle: semihosting seeks from the start only */
static bool unanswered;
static int (*other_hook)(struct hal_frame *frame); /* the one that was there before */

__attribute__((noinline)) static int32_t call_host(uint32_t operation, const void *block)
{
	register uint32_t a0 __asm__("a0") = operation;
	register const void *a1 __asm__("a1") = block;
	__asm__ volatile(
	    ".option push\n.option norvc\n.balign 16\nslli x0, x0, 0x1f\nebreak\nsrai x0, x0, 7\n.option pop"
	    : "+r"(a0)
	    : "r"(a1)
	    : "memory");
	return (int32_t)a0;
}

/* The EBREAK of a call that no host takes is a trap: the call fails. */
static int take_trap(struct hal_frame *frame)
{
	const uint32_t *at = (const uint32_t *)frame->pc;
	if (csr_read(mcause) != 3 || (frame->pc & 3) != 0 || at[0] != EBREAK || at[-1] != SLLI_MARK ||
	    at[1] != SRAI_MARK)
		return other_hook != NULL ? other_hook(frame) : -1;
	unanswered = true;
	frame->x[10] = UINT32_MAX;
	frame->pc += 4;
	return 0;
}

static void expect_silence(void)
{
	if (hal_trap_hook == take_trap)
		return;
	other_hook = hal_trap_hook;
	hal_trap_hook = take_trap;
}

static int failed(void)
{
	if (unanswered)
		errno = ENOSYS;
	else
		errno = (int)call_host(SYS_ERRNO, NULL);
	return -1;
}

int open(const char *name, int flags, ...)
{
	static const uint8_t modes[2][2] = {{1, 3}, {5, 7}}; /* "rb", "r+b", "wb", "w+b" */
	bool both = (flags & O_ACCMODE) == O_RDWR, writes = (flags & O_ACCMODE) != O_RDONLY;
	uint32_t mode = (flags & O_APPEND) != 0
			    ? (both ? 11 : 9)
			    : modes[writes && (flags & O_TRUNC) != 0][both || (writes && (flags & O_TRUNC) == 0)];
	if (writes && !both && (flags & O_TRUNC) != 0)
		mode = 5;
	const uint32_t block[3] = {(uint32_t)name, mode, strlen(name)};
	expect_silence();
	int32_t handle = call_host(SYS_OPEN, block);
	if (handle < 0)
		return failed();
	if (handle < FILES)
		position[handle] = 0;
	return handle;
}

int close(int handle)
{
	const uint32_t block[1] = {(uint32_t)handle};
	return call_host(SYS_CLOSE, block) == 0 ? 0 : failed();
}

static ssize_t transfer(uint32_t operation, int handle, const void *bytes, size_t size)
{
	const uint32_t block[3] = {(uint32_t)handle, (uint32_t)bytes, size};
	int32_t left = call_host(operation, block);
	if (left < 0 || (size_t)left > size)
		return failed();
	if (handle >= 0 && handle < FILES)
		position[handle] += (off_t)(size - (size_t)left);
	return (ssize_t)(size - (size_t)left);
}

ssize_t read(int handle, void *bytes, size_t size)
{
	return transfer(SYS_READ, handle, bytes, size);
}

ssize_t write(int handle, const void *bytes, size_t size)
{
	return transfer(SYS_WRITE, handle, bytes, size);
}

off_t lseek(int handle, off_t offset, int from)
{
	const uint32_t length[1] = {(uint32_t)handle};
	if (handle < 0 || handle >= FILES) {
		errno = EBADF;
		return -1;
	}
	off_t base = from == SEEK_CUR ? position[handle] : from == SEEK_END ? (off_t)call_host(SYS_FLEN, length) : 0;
	const uint32_t block[2] = {(uint32_t)handle, (uint32_t)(base + offset)};
	if (base + offset < 0 || call_host(SYS_SEEK, block) != 0)
		return failed();
	return position[handle] = base + offset;
}

int unlink(const char *name)
{
	const uint32_t block[2] = {(uint32_t)name, strlen(name)};
	expect_silence();
	return call_host(SYS_REMOVE, block) == 0 ? 0 : failed();
}

/* Time since the machine started: it has no clock. */
int gettimeofday(struct timeval *restrict now, void *restrict zone)
{
	uint64_t ticks = hal_time();
	(void)zone;
	now->tv_sec = (time_t)(ticks / TIMER_HZ);
	now->tv_usec = (suseconds_t)(ticks % TIMER_HZ / (TIMER_HZ / 1000000));
	return 0;
}

pid_t getpid(void)
{
	return 1;
}

/* abort(), and assert() behind its message, raise a signal. The status is that of a shell. */
int kill(pid_t process, int number)
{
	(void)process;
	hal_print("\nended by signal ");
	hal_print_decimal((uint64_t)number);
	hal_print(number == SIGABRT ? " (abort)\n" : "\n");
	hal_exit(128 + number);
}
