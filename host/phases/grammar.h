/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#ifndef RIVULET_PHASES_GRAMMAR_H
#define RIVULET_PHASES_GRAMMAR_H
/*
 * The order of a run's phases as nested repetitions, the shortest that there are: what BHS calls strata and repeated
 * strata, on the phases of the run instead of its paths.
 *
 *   segments   A B C B C A B C B C D
 *   grammar    [A (B C)^2]^2 D                 5 phases and 2 counts: 7 symbols
 *
 * items      ( of depth 0, A, ( of depth 1, B, C, )^2, )^2, D
 *
 * An optimal description by dynamic programming: a part of the sequence is one phase, two parts one after the other, or
 * a shorter part several times. Time is cubic and memory quadratic in the number of segments: 0.2 s and 6 MB for
 * PHASE_GRAMMAR_LONGEST.
 */
#include "host/phases/segments.h"

#define PHASE_GRAMMAR_LONGEST 1000u /* segments; longer runs of phases have no grammar */

enum phase_grammar_kind { GRAMMAR_PHASE, GRAMMAR_OPEN, GRAMMAR_CLOSE };
struct phase_grammar_item {
	enum phase_grammar_kind kind;
	uint32_t value; /* GRAMMAR_PHASE: which; GRAMMAR_CLOSE: how often, 2 or more; GRAMMAR_OPEN: 0 */
};
struct phase_grammar { /* count == 0: the run has no segments, or too many */
	struct phase_grammar_item *item;
	size_t count;
	uint32_t symbols; /* phases and counts: its length as people read it */
	unsigned depth;   /* of the first item: 0, or of a part how many repetitions are around it */
};
/* PHASES_OK or PHASES_ENOMEM. Neighbouring segments of one phase count as one. */
int phase_grammar_make(struct phase_grammar *grammar, const struct segments *segments);
void phase_grammar_free(struct phase_grammar *grammar);
/* "[A (B C)^2]^2 D": brackets and parentheses by turns. Writes at most room - 1 characters and a 0, as snprintf() does,
 * and returns the length that it needs. */
size_t phase_grammar_text(const struct phase_grammar *grammar, char *text, size_t room);
#endif
