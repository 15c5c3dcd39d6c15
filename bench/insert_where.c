/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/*
 * Where the cycles of counters go, by the golden model. Cycles of an edited program: of its own instructions,
 * and of those that were put in, by kind. Usage: insert-where [-v] INPUT TWIN.elf EDITED.elf
 *
 * An instruction costs the cycles between its retirement and that of the one before. The original ones of the edited
 * program cost more than in the twin: alignment, waiting for the port, a load just before. -v: each sequence put in.
 *
 * One line: cycles of the twin's counted functions, then in per cent of them: own instructions more, addresses (LUI,
 * AUIPC, ADDI behind them), loads, additions to what was loaded, stores, other arithmetic (the path register), stack
 * (registers saved), jumps and branches.
 */
#include <fcntl.h>
#include <gelf.h>
#include <inttypes.h>
#include <libelf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "host/image/image.h"
#include "host/insert/map.h"
#include "isa/isa.h"
#include "model/model.h"
#include "model/run.h"

enum { UNKNOWN, OWN, PUT };
enum { OWN_INSNS, ADDRESSES, LOADS, SUMS, STORES, VARIABLES, STACK, JUMPS, KINDS };
#define BASE 0x80000000u
#define SPAN 0x400000u

struct where {
	uint8_t *what, *starts; /* by halfword; starts: of a function that has a symbol */
	uint32_t *words;
	uint64_t *cycles, *counts;
	uint64_t last;
	uint32_t loaded;
};

static struct map *read_map(const char *path, uint8_t *starts)
{
	struct map *map = NULL;
	size_t names;
	elf_version(EV_CURRENT);
	int fd = open(path, O_RDONLY);
	Elf *elf = elf_begin(fd, ELF_C_READ, NULL);
	if (elf == NULL || elf_getshdrstrndx(elf, &names) != 0)
		return NULL;
	for (Elf_Scn *scn = NULL; (scn = elf_nextscn(elf, scn)) != NULL;) {
		GElf_Shdr header;
		gelf_getshdr(scn, &header);
		Elf_Data *data = elf_rawdata(scn, NULL);
		const char *name = elf_strptr(elf, names, header.sh_name);
		GElf_Sym symbol;
		for (int i = 0; header.sh_type == SHT_SYMTAB && gelf_getsym(elf_getdata(scn, NULL), i, &symbol); i++) {
			if (GELF_ST_TYPE(symbol.st_info) == STT_FUNC && symbol.st_value >= BASE &&
			    symbol.st_value < BASE + SPAN)
				starts[(symbol.st_value - BASE) / 2] = 1;
		}
		if (data != NULL && name != NULL && strcmp(name, ".debug_rivulet") == 0)
			map_open(&map, data->d_buf, data->d_size);
	}
	elf_end(elf);
	close(fd);
	return map;
}

static void retire(void *context, const struct model_out *out)
{
	struct where *w = context;
	uint32_t at = (out->pc - BASE) / 2;
	if (out->pc >= BASE && out->pc < BASE + SPAN) {
		w->cycles[at] += out->cycle - w->last;
		w->counts[at]++;
		w->words[at] = out->insn;
	}
	w->last = out->cycle;
}

static void mark(struct where *w, const struct map *m)
{
	for (size_t i = 0; i < m->function_count; i++) {
		const struct map_function *f = &m->functions[i];
		uint64_t low = UINT64_MAX, high = 0;
		for (uint32_t b = f->blocks; b < f->blocks + f->block_count && f->address != 0; b++) {
			for (uint32_t r = m->blocks[b].runs; r < m->blocks[b].runs + m->blocks[b].run_count; r++) {
				low = m->runs[r].start < low ? m->runs[r].start : low;
				high = m->runs[r].end > high ? m->runs[r].end : high;
				for (uint64_t a = m->runs[r].start; a < m->runs[r].end; a += 2)
					w->what[(a - BASE) / 2] = OWN;
			}
		}
		for (uint64_t a = low; a < high; a += 2) {
			if (w->what[(a - BASE) / 2] == UNKNOWN)
				w->what[(a - BASE) / 2] = PUT;
		}
	}
	/* stubs behind a function, up to the next symbol */
	for (uint32_t a = 1; a < SPAN / 2; a++) {
		if (w->what[a] == UNKNOWN && w->what[a - 1] != UNKNOWN && w->starts[a] == 0)
			w->what[a] = PUT;
	}
}

static int measure(struct where *w, const char *input, const char *path)
{
	char detail[1024], assignment[64];
	snprintf(assignment, sizeof assignment, "input=%s", input);
	struct model_config config;
	struct model *model;
	struct run_hooks hooks = {.context = w, .retire = retire};
	struct run_result result;
	model_config_default(&config);
	config.ram_size = SPAN;
	if (model_open(&model, &config) != MODEL_OK)
		return 2;
	if (model_load_elf(model, path, detail, sizeof detail) != MODEL_OK ||
	    model_set(model, assignment, detail, sizeof detail) != MODEL_OK ||
	    model_set(model, "way=off", detail, sizeof detail) != MODEL_OK) {
		fprintf(stderr, "insert-where: %s\n", detail);
		return 2;
	}
	model_start(model);
	model_run(model, &hooks, 0, 0, &result);
	model_close(model);
	struct map *m = read_map(path, w->starts);
	if (m == NULL)
		return 2;
	mark(w, m);
	map_close(m);
	return 0;
}

static unsigned kind_of(const struct isa_insn *insn, uint32_t *loaded, uint32_t *upper)
{
	if (insn->rs1 == 2 || (insn->op == ISA_ADDI && insn->rd == 2))
		return STACK;
	if ((insn->class_bits & (ISA_JUMP | ISA_BRANCH | ISA_INDIRECT | ISA_CALL)) != 0)
		return JUMPS;
	if (insn->op == ISA_LUI || insn->op == ISA_AUIPC) {
		*upper |= 1u << insn->rd;
		*loaded &= ~(1u << insn->rd);
		return ADDRESSES;
	}
	if ((insn->class_bits & ISA_LOAD) != 0) {
		*loaded |= 1u << insn->rd;
		return LOADS;
	}
	if ((insn->class_bits & ISA_STORE) != 0)
		return STORES;
	if (insn->rd == insn->rs1 && (*loaded >> insn->rd & 1) != 0)
		return SUMS;
	if (insn->op == ISA_ADDI && (*upper >> insn->rs1 & 1) != 0)
		return ADDRESSES;
	return VARIABLES;
}

int main(int argc, char **argv)
{
	bool verbose = argc > 1 && strcmp(argv[1], "-v") == 0;
	struct where w[2] = {0};
	uint64_t kinds[KINDS] = {0}, own = 0;
	if (argc != 4 + verbose) {
		fprintf(stderr, "usage: insert-where [-v] ref|train TWIN.elf EDITED.elf\n");
		return 2;
	}
	for (int i = 0; i < 2; i++) {
		w[i].what = calloc(SPAN / 2 + 64, 1);
		w[i].starts = calloc(SPAN / 2 + 64, 1);
		w[i].words = calloc(SPAN / 2 + 64, sizeof *w[i].words);
		w[i].cycles = calloc(SPAN / 2 + 64, sizeof *w[i].cycles);
		w[i].counts = calloc(SPAN / 2 + 64, sizeof *w[i].counts);
		if (measure(&w[i], argv[1 + verbose], argv[2 + verbose + i]) != 0)
			return 2;
	}
	for (uint32_t a = 0; a < SPAN / 2; a++)
		own += w[0].what[a] == OWN ? w[0].cycles[a] : 0;
	uint32_t loaded = 0, upper = 0;
	uint64_t sequence_cycles = 0, sequence_count = 0;
	char sequence[4096] = "";
	size_t used = 0;
	for (uint32_t a = 0; a < SPAN / 2; a++) {
		struct isa_insn insn;
		if (w[1].what[a] == OWN)
			kinds[OWN_INSNS] += w[1].cycles[a];
		if (w[1].counts[a] == 0 || w[1].what[a] != PUT) {
			if (verbose && used > 0 && w[1].what[a] != PUT) {
				printf("%.3f%% %" PRIu64 " %s at %x\n", 100.0 * (double)sequence_cycles / (double)own,
				    sequence_count, sequence, BASE + 2 * a);
				used = 0;
				sequence_cycles = sequence_count = 0;
			}
			if (w[1].what[a] == OWN)
				loaded = upper = 0;
			continue;
		}
		isa_decode(w[1].words[a], ISA_CORE, &insn);
		unsigned kind = kind_of(&insn, &loaded, &upper);
		kinds[kind] += w[1].cycles[a];
		sequence_cycles += w[1].cycles[a];
		sequence_count = w[1].counts[a] > sequence_count ? w[1].counts[a] : sequence_count;
		static const char names[] = "oALSWVKJ";
		if (verbose && used < sizeof sequence - 32)
			used += (size_t)snprintf(sequence + used, 32, "%c%d:%.1f ", names[kind], insn.length,
			    (double)w[1].cycles[a] / (double)w[1].counts[a]);
	}
	kinds[OWN_INSNS] -= own;
	printf("%" PRIu64, own);
	for (int i = 0; i < KINDS; i++)
		printf(" %.2f", 100.0 * (double)(int64_t)kinds[i] / (double)own);
	printf("\n");
	return 0;
}
