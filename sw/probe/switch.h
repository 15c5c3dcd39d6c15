/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#ifndef RIVULET_PROBE_SWITCH_H
#define RIVULET_PROBE_SWITCH_H
/*
 * Counting that can be switched off and on while a program runs (`rivulet cc --switch`). Each function has two
 * versions, and reads this word at its entry: 0: the one without counters. A call goes on in the version in which it
 * began, so the profile has the calls that began while the word was not 0, and these as a whole.
 *
 * From a debugger: `set var *(unsigned *)&rivulet_probe_switch = 0`, and `= 1`; or call the functions, which measure
 * the time too.
 * At first the word is RIVULET_PROBE_SWITCH_WHOLE. Only while it is this value has nothing been left out: who writes
 * another one, whoever it is, makes the profile one of a part, and it says so.
 *
 * A program that is to begin without counting calls rivulet_probe_switch_off() first, or defines
 * `volatile uint32_t rivulet_probe_switch = 0;` itself. On Linux RIVULET_SWITCH in the environment says it
 * (switch_linux.c).
 */
#include <stdint.h>

#define RIVULET_PROBE_SWITCH_WHOLE 0x52565357u
extern volatile uint32_t rivulet_probe_switch;

/* From anywhere, handlers of interrupts and signals too. What is so already stays as it is. */
void rivulet_probe_switch_off(void);
void rivulet_probe_switch_on(void);

struct rivulet_probe_switched {
	uint64_t offs; /* how often it was switched off, or began so; 0: never */
	uint64_t on,
	    all; /* time while it was on, and in all; of a clock that only their ratio is asked of; 0, 0: none */
};
/* Weak, of switch.c. What has been so far; a new beginning of both clocks. */
void rivulet_probe_switch_read(struct rivulet_probe_switched *switched) __attribute__((weak));
void rivulet_probe_switch_begin(void) __attribute__((weak));
/* Weak, of switch_linux.c: does what RIVULET_SWITCH says; again in a child of fork(), whose timers are gone. */
void rivulet_probe_switch_start(int child) __attribute__((weak));
/* Weak: a clock; without it that of the runtime (rivulet_probe_cycles()). */
uint64_t rivulet_probe_switch_clock(void) __attribute__((weak));
#endif
