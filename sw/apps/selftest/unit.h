/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#ifndef SELFTEST_UNIT_H
#define SELFTEST_UNIT_H
/* What the groups of tests share. Each group returns the number of checks that failed, after a line for each. */
#include "sw/run/app.h"
#include "sw/hal/hal.h"
#include "sw/trace/trace.h"

/* Compares and reports like app_check(); counts how many were made. */
int expect(const char *what, uint32_t got, uint32_t expected);
int expect_range(const char *what, uint32_t got, uint32_t low, uint32_t high);
extern uint32_t expectations;

/* A register by its index, 0 to 63. */
uint32_t unit_read(unsigned index);
void unit_write(unsigned index, uint32_t value);

/* Unit off, buffer, counters and filters as after reset. */
void unit_reset(void);
/* Off by software; everything handed over. */
void unit_off(void);

/* Program parts with known traces (paths.S). Each switches the unit on by setting `enable` in CTRL and off by clearing
 * it. */
extern const uint32_t path_loop_on[], path_loop_body[], path_loop_off[];
void path_loop(uint32_t rounds, uint32_t enable); /* one BACKWARD trace to a round, the last round falls through */
extern const uint32_t path_forms_on[], path_forms_back[], path_forms_full[], path_forms_rest[], path_forms_after[];
void path_forms(uint32_t enable);
extern const uint32_t path_trap_on[], path_trap_call[], path_trap_after[], path_trap_else[];
void path_trap(uint32_t enable);
extern const uint32_t path_user_in[], path_user_body[], path_user_out[];
void path_user(uint32_t rounds, uint32_t enable);

/* The trap hook that the tests install: ECALL goes on behind it, to user mode if it came from machine mode with a7 = 1;
 * to machine mode from user mode; with a7 = 2 it goes on at path_trap_else, with a7 = 3 it is executed again, with a7 =
 * 0. An illegal instruction is skipped and counted. */
int test_hook(struct hal_frame *frame);
extern volatile uint32_t hook_illegal, hook_calls;

int test_registers(const struct trace_features *features);
int test_records(const struct trace_features *features);
int test_buffer(const struct trace_features *features);
int test_sampling(const struct trace_features *features);
int test_privilege(const struct trace_features *features);
int test_ways(const struct trace_features *features);
#endif
