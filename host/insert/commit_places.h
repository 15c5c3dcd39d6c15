/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#ifndef RIVULET_INSERT_COMMIT_PLACES_H
#define RIVULET_INSERT_COMMIT_PLACES_H
/* Places for code: what lies around them, how hot they are, and code put there. Of commit.c, which decides what goes
 * where. */
#include "host/insert/inserter_private.h"

struct edit_section *commit_section(const struct inserter *in, const struct graph_block *block);
/* Puts words and frees them. */
int commit_words(
    struct inserter *in, uint32_t section, uint32_t atom, enum edit_place place, struct words *o, uint32_t *piece);
/* Whether millicode (-msave-restore) keeps a variable's register on the stack, of which the unwind entry must say. */
bool commit_keeps_by_millicode(const struct inserter *in);
/* The frame's size and what is kept on the stack, for unwinding. */
int commit_frame(struct inserter *in, const struct graph_block *block, bool begins);
/* A jump to a block of the same section: where those inside enter it. */
void commit_jump(struct words *o, uint32_t block);
/* The first atom of the padding before one, as far as nobody comes to its middle. */
uint32_t commit_before_padding(const struct inserter *in, const struct edit_section *s, uint32_t at);
bool commit_falls_into(const struct inserter *in, const struct edit_section *s, uint32_t atom);
/* The nearest atom before which a stub may stand. OBJECT_EUNSUPPORTED: there is none. */
int commit_stub_place(const struct inserter *in, uint32_t section, uint32_t near, uint32_t *place);
uint64_t commit_edge_weight(const struct inserter *in, uint32_t edge);
/* How often a block is executed; of these, by who comes from outside. */
uint64_t commit_heat(const struct inserter *in, uint32_t block, bool outside);
/* Such an edge to a block, with code; GRAPH_NONE. */
uint32_t commit_label_edge(const struct inserter *in, uint32_t block);
/* The entries of a table (of its vertex) that name a block shall name a stub. */
int commit_entries(struct inserter *in, uint32_t vertex, uint32_t block, uint32_t piece);
#endif
