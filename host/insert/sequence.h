/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#ifndef RIVULET_INSERT_SEQUENCE_H
#define RIVULET_INSERT_SEQUENCE_H
/*
 * What lies between an LR and its SC, over blocks (RISC-V unprivileged specification, "Eventual success of
 * store-conditional instructions"). An implementation guarantees success only if nothing there loads, stores, calls or
 * reads a CSR, and the loop that tries again has 16 instructions at most. A store there may end the reservation each
 * time: the loop never ends.
 *
 *      lr.w   t0, (a0)  ─┐
 *      bge    t0, a1, 2f │ edges that lead on to the SC: no memory there; one that leaves has no SC ahead
 *      mv     t1, a1     │
 *   2: sc.w   t2, t1, (a0)
 *      bnez   t2, ...    the reservation is gone: code that tries again may count in memory
 */
#include "host/insert/inserter_private.h"

struct sequence;
/* Of the function. *out: NULL if it has no LR. OBJECT_ENOMEM. */
int sequence_open(struct sequence **out, const struct inserter *in);
void sequence_close(struct sequence *sequence);
/* Whether an edge of a block lies between LR and SC. NULL: no. */
bool sequence_has_edge(const struct sequence *sequence, const struct inserter *in, uint32_t block, uint32_t edge);
/* Whether code may stand there: it touches registers alone. */
bool sequence_allows(const struct inserter *in, const struct request *request);
/* Code of edges that would access memory there goes behind the SC, where that is the same. Before anything is put. */
int sequence_move_behind(const struct sequence *sequence, struct inserter *in);
/* Why code cannot be put as it is asked for; NULL: it can. */
const char *sequence_refuses(const struct sequence *sequence, const struct inserter *in);
#endif
