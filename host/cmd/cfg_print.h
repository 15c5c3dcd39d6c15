/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#ifndef RIVULET_CFG_PRINT_H
#define RIVULET_CFG_PRINT_H
/* Forms in which `rivulet cfg` shows graphs. */
#include <stdio.h>
#include "host/account/account.h"
#include "host/cfg/cfg.h"
#include "host/table/table.h"

/* A function by name or address in it; CFG_NONE: there is none. */
uint32_t cfg_choose(const struct cfg *cfg, const char *name);

/* cfg_tables.c. Each ends as an open row does, so that JSON may say more of it: table_row_end(). */
struct table cfg_function_table(enum table_format format, bool names, FILE *out, struct json *json); /* names: alone */
void cfg_function_row(const struct table *table, const struct cfg *cfg, uint32_t function);
struct table cfg_block_table(enum table_format format, FILE *out, struct json *json);
int cfg_block_row(const struct table *table, const struct cfg *cfg, uint32_t function, uint32_t block);
/* Whole tables. */
void cfg_put_functions(const struct cfg *cfg, enum table_format format, FILE *out);
int cfg_put_blocks(const struct cfg *cfg, uint32_t function, enum table_format format, FILE *out);
int cfg_put_calls(const struct cfg *cfg, enum table_format format, FILE *out, struct json *json);
/* "no-return irreducible": what is special about a function; valid until the next call. */
const char *cfg_remarks(const struct cfg_function *function);

void cfg_text(const struct cfg *cfg, FILE *out);
/* What cfg_text() says of stripped programs and of incomplete graphs, as messages: beside a table alone. */
void cfg_complain_doubts(const struct cfg *cfg, const char *program);
int cfg_text_function(const struct cfg *cfg, uint32_t function, bool insns, FILE *out);
/* heat: of a profile, or NULL: counts and shares of blocks, edges, functions and calls, the hotter the redder. */
void cfg_dot_function(const struct cfg *cfg, uint32_t function, bool insns, const struct account *heat, FILE *out);
int cfg_dot_calls(const struct cfg *cfg, const struct account *heat, FILE *out);
/* function CFG_NONE: all of them; calls: the call graph instead of blocks. */
int cfg_json(const struct cfg *cfg, uint32_t function, bool calls, FILE *out);
/* The instruction at pc as text. Returns its length, 0: none. */
unsigned cfg_insn(const struct cfg *cfg, uint64_t pc, char *text, size_t size);
#endif
