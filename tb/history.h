/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#ifndef RIVULET_TB_HISTORY_H
#define RIVULET_TB_HISTORY_H
/* The last retirements of a run, for the report of a difference. */
#include <stdint.h>
#include <stdio.h>
#include "tb/program.h"
#include "tb/shim.h"

#define HISTORY_LENGTH 32

struct retirement {
	uint64_t cycle;
	uint32_t pc, insn, next_pc, rd, rd_wdata, mem_addr, mem_mask, mem_data, mode;
	uint8_t trap, intr, store;
};

/* count: retirements so far; the latest is at [(count - 1) % HISTORY_LENGTH]. */
struct history {
	struct retirement ring[HISTORY_LENGTH];
	uint64_t count;
};

void history_add(struct history *history, uint64_t cycle, const struct sample *s); /* s->rvfi_valid is set */
const struct retirement *history_last(const struct history *history);              /* NULL: none yet */
void history_print(const struct history *history, const struct program *program, FILE *file);
/* "80000012 <main+0x4>: c.beqz a5,0x80000016" */
void history_where(const struct program *program, uint32_t pc, uint32_t insn, char *text, size_t size);
#endif
