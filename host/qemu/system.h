/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#ifndef RIVULET_QEMU_SYSTEM_H
#define RIVULET_QEMU_SYSTEM_H
/*
 * Whole systems: any machine that qemu-system-riscv32 or -riscv64 has. The command line of qemu is the user's; the
 * plugin is added to it, and the log that the plugin reads.
 *
 *   qemu-system-riscv64 -M virt -nographic -kernel app.elf
 *                       └── -plugin US,memory=FILE,code=FILE,log=FILE  -d in_asm,int -D FILE
 */
#include "host/qemu/take.h"

#define SYSTEM_PROGRAMS 16
struct qemu_system {
	char **words; /* of the emulator's command line, its name first; NULL ends them */
	struct system_program {
		const char *path;
		uint64_t address;    /* where its first page was loaded, of one that can be moved */
		bool moved;          /* address is given */
		bool optional;       /* left out if it cannot be used: the emulator's own firmware */
	} programs[SYSTEM_PROGRAMS]; /* the first one is that of the profile */
	size_t count;
};

/* Adds the programs that the emulator's command line names: -kernel, -bios, -device loader. Then its own firmware, if
 * it has one for that. */
void system_find_programs(struct qemu_system *system);
/* "FILE" or "FILE@ADDRESS". False: there are too many, or the address is none. The text is cut there. */
bool system_add_program(struct qemu_system *system, char *text);

struct system_files { /* what the plugin is given; -1: none */
	int code;     /* in memory */
	int log;      /* a pipe, unless the user has a log of their own */
	int log_end;  /* where qemu writes into it */
};
/* Tells the plugin and `take` which code is of which program. QEMU_EFILE: one cannot be used, the detail says why. */
int system_open(struct system_files *files, const struct qemu_system *system, struct qemu_take *take);
void system_close(struct system_files *files);
#endif
