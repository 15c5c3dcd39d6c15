/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#ifndef RIVULET_CFG_PRINT_H
#define RIVULET_CFG_PRINT_H
/* Forms in which `rivulet cfg` shows graphs. */
#include <stdio.h>
#include "host/account/account.h"
#include "host/cfg/cfg.h"

/* A function by name or address in it; CFG_NONE: there is none. */
uint32_t cfg_choose(const struct cfg *cfg, const char *name);

void cfg_text(const struct cfg *cfg, FILE *out);
void cfg_text_function(const struct cfg *cfg, uint32_t function, bool insns, FILE *out);
int cfg_text_calls(const struct cfg *cfg, FILE *out);
/* heat: of a profile, or NULL: counts and shares of blocks, edges, functions and calls, the hotter the redder. */
void cfg_dot_function(const struct cfg *cfg, uint32_t function, bool insns, const struct account *heat, FILE *out);
int cfg_dot_calls(const struct cfg *cfg, const struct account *heat, FILE *out);
/* function CFG_NONE: all of them; calls: the call graph instead of blocks. */
int cfg_json(const struct cfg *cfg, uint32_t function, bool calls, FILE *out);
/* The instruction at pc as text. Returns its length, 0: none. */
unsigned cfg_insn(const struct cfg *cfg, uint64_t pc, char *text, size_t size);
#endif
