/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#ifndef RIVULET_EXPORT_EDGES_PRIVATE_H
#define RIVULET_EXPORT_EDGES_PRIVATE_H
#include "host/export/edges.h"

/* edges.c: sorts, and adds up what has the same site and target. */
void edges_merge(struct edges *edges);
/* edges_estimate.c: of a profile. EXPORT_OK or EXPORT_ENOMEM. */
int edges_estimate(struct edges *edges, const struct export_input *input);
#endif
