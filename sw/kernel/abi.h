/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#ifndef RIVULET_KERNEL_ABI_H
#define RIVULET_KERNEL_ABI_H
/*
 * What kernel and processes agree on (docs/kernel.md). For C and assembler.
 *
 * A system call is ECALL with its number in a7 and arguments in a0, a1; the result is in a0 (time: a0 low, a1 high
 * half). All other registers keep their values. A number that does not exist gives SYS_EBAD.
 */
#define SYS_EXIT 0 /* a0: code; does not return */
#define SYS_WRITE                                                                                                      \
	1          /* a0: bytes, a1: how many; SYS_EBAD if one of them is not the process's own, then none is written */
#define SYS_TIME 2 /* mtime */
#define SYS_SLEEP 3   /* a0: cycles, at least */
#define SYS_YIELD 4   /* lets the others run */
#define SYS_PROFILE 5 /* a0: 1 on, 0 off; SYS_EDENIED if this process may not be profiled. Off sends the profile. */
#define SYS_COUNT 6

#define SYS_EBAD (-1)
#define SYS_EDENIED (-2)

/* The head of a program, at the start of its memory. */
#define IMAGE_MAGIC 0x4D495652 /* "RVIM" */
/* magic, entry, end of constants, end of code, end of memory, initial stack pointer, name, start of the room for a code
 * cache (up to the end of code) */
#define IMAGE_WORDS 8
#endif
