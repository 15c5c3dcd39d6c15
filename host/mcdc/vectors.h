/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#ifndef RIVULET_MCDC_VECTORS_H
#define RIVULET_MCDC_VECTORS_H
/*
 * What decisions were evaluated to, from the outcomes of their branches in the order of time, and which conditions that
 * shows to matter.
 *
 *   outcome, outcome, ... ──► evaluation under way ──► vector: T, F, - (not evaluated) of each condition, outcome
 *                                                          └──► pairs of vectors: MC/DC
 *
 * Unique cause: two evaluations with different outcomes, in which of all conditions that both evaluated exactly this
 * one differs. That is what clang counts as covered. Masking: this condition differs, the outcomes differ, and in
 * neither evaluation would the outcome stay if this condition alone were different. Unique cause implies masking.
 */
#include "host/mcdc/match.h"

struct mcdc_vector {
	uint32_t values, evaluated; /* bits by condition */
	bool outcome;
	uint64_t count; /* evaluations */
};

struct mcdc_told { /* of one decision */
	struct mcdc_vector *vectors;
	size_t count, room;
	uint64_t evaluations;
	uint64_t astray;          /* outcomes that follow no evaluation under way */
	uint32_t unique, masking; /* bits: conditions that are covered; set by mcdc_vectors_judge() */
};

struct mcdc_vectors {
	const struct mcdc_mapping *mapping;
	struct mcdc_told *told; /* by decision */
	struct mcdc_open *open; /* evaluations under way, the latest last */
	size_t open_count, open_room;
};

/* MCDC_OK, MCDC_ENOMEM. To be freed in any case. */
int mcdc_vectors_init(struct mcdc_vectors *vectors, const struct mcdc_mapping *mapping);
void mcdc_vectors_free(struct mcdc_vectors *vectors);
/* A branch ran. context: a number for the chain of calls in which it did. */
int mcdc_vectors_branch(struct mcdc_vectors *vectors, const struct mcdc_branch *branch, uint64_t context, bool taken);
/* A run ends, or part of it is missing: nothing is under way. */
void mcdc_vectors_cut(struct mcdc_vectors *vectors);
void mcdc_vectors_judge(struct mcdc_vectors *vectors);
/* "TF-" of a vector; at least MCDC_CONDITIONS + 1 bytes. */
void mcdc_vector_text(const struct mcdc_vector *vector, unsigned count, char *text);
#endif
