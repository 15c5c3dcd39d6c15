/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#include "tb/history.h"
#include <inttypes.h>
#include "isa/isa.h"

void history_add(struct history *h, uint64_t cycle, const struct sample *s)
{
	struct retirement *r = &h->ring[h->count++ % HISTORY_LENGTH];

	r->cycle = cycle;
	r->pc = s->rvfi_pc_rdata;
	r->insn = s->rvfi_insn;
	r->next_pc = s->rvfi_pc_wdata;
	r->rd = s->rvfi_rd_addr;
	r->rd_wdata = s->rvfi_rd_wdata;
	r->mem_addr = s->rvfi_mem_addr;
	r->mem_mask = s->rvfi_mem_rmask | s->rvfi_mem_wmask;
	r->store = s->rvfi_mem_wmask != 0;
	r->mem_data = r->store ? s->rvfi_mem_wdata : s->rvfi_mem_rdata;
	r->mode = s->rvfi_mode;
	r->trap = s->rvfi_trap != 0;
	r->intr = s->rvfi_intr != 0;
}

const struct retirement *history_last(const struct history *h)
{
	return h->count ? &h->ring[(h->count - 1) % HISTORY_LENGTH] : NULL;
}

void history_where(const struct program *program, uint32_t pc, uint32_t insn, char *text, size_t size)
{
	char symbol[128], mnemonic[96];
	struct isa_insn decoded;

	isa_decode(insn, ISA_CORE, &decoded);
	isa_format(&decoded, pc, mnemonic, sizeof(mnemonic));
	program_where(program, pc, symbol, sizeof(symbol));
	snprintf(text, size, "%08" PRIx32 " <%s>: %s", pc, symbol, mnemonic);
}

void history_print(const struct history *h, const struct program *program, FILE *file)
{
	uint64_t first = h->count > HISTORY_LENGTH ? h->count - HISTORY_LENGTH : 0;

	fprintf(file, "the last %" PRIu64 " retirements of the RTL:\n     cycle mode\n", h->count - first);
	for (uint64_t i = first; i < h->count; i++) {
		const struct retirement *r = &h->ring[i % HISTORY_LENGTH];
		char text[256];

		history_where(program, r->pc, r->insn, text, sizeof(text));
		fprintf(file, "%10" PRIu64 " %c %c %-60s", r->cycle, "US?M"[r->mode & 3], r -> intr ? '>' : ' ', text);
		if (r->rd)
			fprintf(file, " %s=%08" PRIx32, isa_register_names[r->rd & 31], r->rd_wdata);
		if (r->mem_mask)
			fprintf(file, " %s [%08" PRIx32 "]=%" PRIx32, r->store ? "store" : "load", r->mem_addr,
			    r->mem_data);
		if (r->trap)
			fprintf(file, " trap -> %08" PRIx32, r->next_pc);
		fputc('\n', file);
	}
}
