/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#ifndef RIVULET_TB_DENSE_JUDGE_H
#define RIVULET_TB_DENSE_JUDGE_H
/* What the receiver makes of the bytes is what went into the coder, trace by trace, but for the traces that it says are
 * lost. */
#include <stdbool.h>
#include "host/records/dense.h"
#include "model/dense.h"

struct dense_judge;
struct dense_judge *dense_judge_open(void); /* NULL: no memory */
void dense_judge_close(struct dense_judge *judge);
/* Both are reset. */
bool dense_judge_reset(struct dense_judge *judge);
void dense_judge_in(struct dense_judge *judge, const struct dense_in *in);
void dense_judge_out(struct dense_judge *judge, uint8_t byte);
/* NULL: all is well so far. */
const char *dense_judge_wrong(const struct dense_judge *judge);
/* Everything that went in came out, or is known to be lost. */
bool dense_judge_complete(const struct dense_judge *judge);
const struct dense_reader_counts *dense_judge_counts(const struct dense_judge *judge);
#endif
