/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#ifndef RIVULET_TESTS_POSTMORTEM_FAULT_H
#define RIVULET_TESTS_POSTMORTEM_FAULT_H
/* What the programs of `make demo-postmortem` share: a handler that prints what the flight recorder kept. */
#include "sw/hal/hal.h"
#include "sw/run/app.h"
#include "sw/trace/recorder.h"

/* Sets the handler and arms the recorder: it freezes at these traps (bit n: exception n, bit 16 + n: interrupt n).
 * Not 0: there is none. */
int fault_arm(uint32_t traps);
#endif
