/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/*
 * Where the cycles of programs go, by the golden model: what an optimiser of layout and order could save at most. One
 * line each: name, instructions, cycles, and in per cent of the cycles: taken transfers and unaligned targets; load-use
 * slots; multiplications and divisions; the bus port, which fetch and data share. Usage: optimise-where INPUT
 * PROGRAM.elf ...
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "isa/isa.h"
#include "model/model.h"
#include "model/run.h"
#include "sw/optimise/optimise.h"

struct where {
	uint64_t last, insns, cycles, transfers, uses, md, port;
	struct isa_insn insn; /* the one before */
	uint32_t pc, next;
	bool any;
};

static void retire(void *context, const struct model_out *out)
{
	struct where *w = context;
	struct isa_insn insn;
	struct isa_registers registers;
	isa_decode(out->insn, ISA_CORE, &insn);
	if (w->any && !out->intr) {
		uint64_t cycles = out->cycle - w->last, more = cycles - 1;
		w->insns++;
		w->cycles += cycles;
		if (w->next != w->pc + w->insn.length && more > 0) {
			uint64_t lost = more > 1 && insn.length == 4 && (out->pc & 2) != 0 ? 2 : 1;
			w->transfers += lost;
			more -= lost;
		}
		isa_registers(&insn, &registers);
		if (more > 0 && w->insn.class_bits & ISA_LOAD && w->insn.rd != 0 &&
		    registers.x_read >> w->insn.rd & 1) {
			w->uses++;
			more--;
		}
		if (optimise_product(insn.op))
			w->md += more;
		else if (insn.op != ISA_CSRRW && insn.op != ISA_CSRRS && insn.op != ISA_CSRRC &&
			 insn.op != ISA_CSRRWI && insn.op != ISA_CSRRSI && insn.op != ISA_CSRRCI)
			w->port += more;
	}
	w->last = out->cycle;
	w->insn = insn;
	w->pc = out->pc;
	w->next = out->next_pc;
	w->any = true;
}

int main(int argc, char **argv)
{
	char detail[1024], input[64];
	for (int i = 2; i < argc; i++) {
		struct model_config config;
		struct model *model;
		struct where w = {0};
		struct run_hooks hooks = {.context = &w, .retire = retire};
		struct run_result result;
		model_config_default(&config);
		snprintf(input, sizeof input, "input=%s", argv[1]);
		if (model_open(&model, &config) != MODEL_OK)
			return 2;
		if (model_load_elf(model, argv[i], detail, sizeof detail) != MODEL_OK ||
		    model_set(model, input, detail, sizeof detail) != MODEL_OK ||
		    model_set(model, "way=off", detail, sizeof detail) != MODEL_OK) {
			fprintf(stderr, "optimise-where: %s\n", detail);
			return 2;
		}
		model_start(model);
		model_run(model, &hooks, 0, 0, &result);
		model_close(model);
		const char *slash = strrchr(argv[i], '/');
		double one = (double)w.cycles / 100;
		printf("%s %llu %llu %.2f %.2f %.2f %.2f\n", slash != NULL ? slash + 1 : argv[i],
		    (unsigned long long)w.insns, (unsigned long long)w.cycles, (double)w.transfers / one,
		    (double)w.uses / one, (double)w.md / one, (double)w.port / one);
	}
	return 0;
}
