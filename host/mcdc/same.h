/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#ifndef RIVULET_MCDC_SAME_H
#define RIVULET_MCDC_SAME_H
/* Copies of code: a compiler often ends each way out of a decision with a copy of what comes behind it. */
#include "host/image/image.h"

/* Whether the code at two addresses does the same: the same address, or the same instructions up to one, or to the same
 * return. */
bool code_is_same(const struct image *image, uint64_t a, uint64_t b);
/* Whether the code from an address on may read one of these registers (bits) before it writes it; true if that would be
 * a long way to find out. */
bool code_reads(const struct image *image, uint64_t address, uint32_t registers);
#endif
