/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#ifndef RIVULET_CMD_CALLS_CHAINS_H
#define RIVULET_CMD_CALLS_CHAINS_H
/*
 * Call chains to a chosen depth: contexts whose last functions are the same are one row. A context below one with the same
 * chain (recursion) counts once in inclusive sums.
 */
#include "host/base/json.h"
#include "host/cmd/cmd.h"

struct chain_context {     /* [0]: nobody */
	uint32_t parent;   /* its index is smaller */
	uint32_t function; /* any number; of names */
	uint64_t calls, self, inclusive, least, most;
};
struct chain {
	uint32_t context; /* the first one of it */
	bool more;        /* it goes on above its depth, in one context at least */
	uint64_t calls, self, inclusive, least, most;
};
/* By inclusive cycles. *count chains, to be freed; NULL: out of memory. */
struct chain *chains_make(const struct chain_context *contexts, size_t contexts_count, uint64_t depth, size_t *count);

struct chain_view {
	const struct chain_context *contexts;
	const char *(*name)(const void *context, uint32_t function);
	const void *context;
	uint64_t depth, top, all; /* all: cycles, for shares */
};
/* "main > parse > next", "... > parse > next". */
void chains_text(const struct chain_view *view, const struct chain *chain, char *text, size_t size);
/* Rows of the table, or the JSON array "by_chain". STATUS_OK or STATUS_FAILED (told). */
int chains_print(const struct chain_view *view, size_t context_count, struct json *json);
void calls_row(uint64_t all, size_t rank, uint64_t calls, uint64_t self, uint64_t inclusive, uint64_t least,
    uint64_t most, const char *text);

/* Of a record file in order (calls_records.c). */
int calls_of_records(const char *program, const char *file, const char *core, uint64_t depth, uint64_t top, bool json);
#endif
