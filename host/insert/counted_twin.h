/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#ifndef RIVULET_COUNTED_TWIN_H
#define RIVULET_COUNTED_TWIN_H
/*
 * What the program counted, as blocks of its twin:
 *
 *   profile, edited program ──► counts, unfinished paths ──► the same blocks and edges at the twin's addresses
 *
 * The profile is read with the program that ran, since stacks and calls that had not ended have its addresses. The map
 * of the twin has the same functions, blocks and edges.
 */
#include "host/insert/counted.h"

/* Moves all to the twin, which becomes the image. What is counted of objects that the twin does not have is added to
 * counted->strange. COUNTED_OK, COUNTED_ENOMEM, COUNTED_EFORMAT, COUNTED_EOTHER: it is no twin of the program; then
 * only counted_close() may follow. */
int counted_move(struct counted *counted, const struct image *twin);
#endif
