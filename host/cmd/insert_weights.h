/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#ifndef RIVULET_CMD_INSERT_WEIGHTS_H
#define RIVULET_CMD_INSERT_WEIGHTS_H
/* Weights of edges from an earlier profile, for `rivulet insert --weights`. */
#include "host/insert/weights.h"

/* profile: of any kind that `report` reads, sampled ones included; of the program, whose objects went through `rivulet
 * insert`. Told what is wrong. STATUS_OK or STATUS_FAILED. */
int load_weights(const char *program, const char *profile, struct weights **weights);
#endif
