/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#ifndef RIVULET_SW_TRACE_DENSE_H
#define RIVULET_SW_TRACE_DENSE_H
/*
 * The ring of the dense coder's last bytes (rivulet_trace_dense_recorder, docs/trace-unit.md section 15), beside a
 * flight recorder: trace_dense_clear(), then trace_recorder_arm(); when that is frozen, trace_dense_save().
 */
#include <stddef.h>
#include <stdint.h>

#define TRACE_DENSE_BYTES 1024u
#define TRACE_DENSE_RING 0x10030000u /* on the SoC: a byte a word, then, behind 4 TRACE_DENSE_BYTES, the state */

void trace_dense_clear(void);
/* Waits for the last bytes and copies all, the oldest first: what `rivulet import --form dense` reads. Returns how
 * many. */
size_t trace_dense_save(uint8_t bytes[TRACE_DENSE_BYTES]);
#endif
