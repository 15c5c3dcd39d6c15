/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#ifndef RIVULET_TB_BOOT_H
#define RIVULET_TB_BOOT_H
/*
 * What a host does for a program that was not written for this SoC: the core begins at the entry of its file, traced
 * from outside. The core resets to the first word of RAM, so a few words of RAM are lent for the time until the entry:
 *
 *   reset ──► first words: jump ──► last words: CTRL of the trace unit, jump ──► entry
 *             given back when it has been made      given back when the entry retires
 *
 * The program finds RAM as its file says. x5 and the cycle counter are not what they were after reset.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { BOOT_FIRST = 2, BOOT_LAST = 8 }; /* words that are lent */

struct boot {
	bool wanted;
	uint32_t base, size, entry, ctrl;
	uint32_t first[BOOT_FIRST], last[BOOT_LAST]; /* what was there */
	bool lent_first, lent_last;
	uint32_t (*read)(void *context, uint32_t word);              /* of RAM, by index */
	void (*write)(void *context, uint32_t word, uint32_t value); /* in RTL and model */
	void *context;
};

/* Before the first cycle, and again with every reset. */
void boot_begin(struct boot *boot);
/* An instruction at pc has retired. */
void boot_retire(struct boot *boot, uint32_t pc);
#endif
