/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#ifndef RIVULET_COUNTED_STOPS_H
#define RIVULET_COUNTED_STOPS_H
/* Calls that had not ended when the program did. */
#include "host/insert/counted.h"

#define RIVULET_PROBE_STACK_ID UINT64_C(0x2C79737461636B02) /* sw/probe/probe.h */
#define RIVULET_PROBE_LIBRARY_ID UINT64_C(0x2C79726172626902)
/* COUNTED_OK or COUNTED_ENOMEM. */
int counted_stop(struct counted *counted, uint64_t address, uint64_t count);
#endif
