/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#ifndef RIVULET_CMD_CALLS_CHAINS_H
#define RIVULET_CMD_CALLS_CHAINS_H
/*
 * Call chains to a chosen depth: contexts whose last functions are the same are one row. A context below one with the
 * same chain (recursion) counts once in inclusive sums.
 */
#include "host/cmd/cmd.h"
#include "host/table/table.h"

/* What a function, a call or a chain took: columns that all tables of `rivulet calls' begin with. */
struct calls_sums {
	uint64_t calls, self, inclusive;
	uint64_t least, most; /* of self, of one call; least is anything if there are no calls */
};
enum {
	CALLS_RANK,
	CALLS_SELF_SHARE,
	CALLS_SHARE,
	CALLS_CALLS,
	CALLS_SELF,
	CALLS_INCLUSIVE,
	CALLS_LEAST,
	CALLS_MOST,
	CALLS_COLUMNS
};
#define CALLS_COLUMN_LIST                                                                                              \
	[CALLS_RANK] = {.title = "#", .form = TABLE_PLAIN, .width = 4},                                                \
	[CALLS_SELF_SHARE] = {.title = "self", .form = TABLE_SHARE, .width = 7, .decimals = 2},                        \
	[CALLS_SHARE] = {.title = "incl.", .form = TABLE_SHARE, .width = 7, .decimals = 2},                            \
	[CALLS_CALLS] = {.title = "calls", .key = "calls", .form = TABLE_ROUND, .width = 8},                           \
	[CALLS_SELF] = {.title = "self", .key = "self", .unit = "cycles", .form = TABLE_ROUND, .width = 8},            \
	[CALLS_INCLUSIVE] = {.title = "incl.", .key = "inclusive", .unit = "cycles", .form = TABLE_ROUND, .width = 8}, \
	[CALLS_LEAST] = {.title = "least", .key = "least_self", .unit = "cycles", .form = TABLE_ROUND, .width = 8},    \
	[CALLS_MOST] = {.title = "most", .key = "most_self", .unit = "cycles", .form = TABLE_ROUND, .width = 8}
/* Fills the first CALLS_COLUMNS cells. all: cycles of the run, for shares. */
void calls_cells(struct table_cell *cells, size_t rank, uint64_t all, const struct calls_sums *sums);

struct chain_context {     /* [0]: nobody */
	uint32_t parent;   /* its index is smaller */
	uint32_t function; /* any number; of names */
	bool uncounted;    /* it has no counters: of its sums only inclusive is known, by what it called */
	struct calls_sums sums;
};
struct chain {
	uint32_t context; /* the first one of it */
	bool more;        /* it goes on above its depth, in one context at least */
	struct calls_sums sums;
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
/* The table of chains, in JSON the array "by_chain" of all. STATUS_OK or STATUS_FAILED (told). */
int chains_print(const struct chain_view *view, size_t context_count, enum table_format format, struct json *json);

struct calls_request { /* of a record file in order (calls_records.c) */
	const char *program, *file;
	const char *core; /* NULL: this project's */
	uint64_t depth, top;
	enum table_format format;
};
int calls_of_records(const struct calls_request *request);
#endif
