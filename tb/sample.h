/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#ifndef RIVULET_TB_SAMPLE_H
#define RIVULET_TB_SAMPLE_H
/* Samples of the two sides, and how they are compared. */
#include <stddef.h>
#include <stdint.h>
#include "model/model.h"
#include "tb/shim.h"

/* One clock cycle of the model, seen as the RTL is seen: registers before the clock edge, outputs during the cycle.
 * slot: the FIFO slot to show. */
void sample_model(
    struct model *model, const struct model_in *in, unsigned slot, struct sample *s, struct model_out *out);

/* Sets values without a meaning to 0. requested: the bus had a request in the cycle before; written: the FIFO slot that
 * is shown was written since reset (the memory behind it has no reset). */
void sample_mask(struct sample *s, bool requested, bool written);

size_t sample_count(void);
const char *sample_name(size_t index);
uint64_t sample_value(const struct sample *s, size_t index);
void sample_flip(struct sample *s, size_t index); /* inverts the lowest bit: the fault that --inject makes */
int sample_find(const char *name);                /* index, or -1 */
/* Index of the first signal from `from` on that differs, or -1. */
int sample_compare(const struct sample *a, const struct sample *b, size_t from);
#endif
