/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* How an object's counters become known to the runtime. */
#include <elf.h>
#include <string.h>
#include "host/insert/insert_private.h"

/*
 * A node { next, id, counters, count, width } and a constructor that hands it to the runtime. It stands in .init_array
 * between two entries that do nothing, and 4 bytes behind what they call: by this the runtime tells it from
 * constructors of the program (sw/probe/early.c).
 */
int insert_write_node(struct insert_job *job, uint64_t id, uint32_t counters, uint64_t number)
{
	struct object *o = job->object;
	unsigned word = o->xlen / 8;
	uint8_t node[40] = {0};
	uint32_t data = 0, text = 0, init = 0, node_symbol = 0, code_symbol = 0, high_symbol = 0, idle_symbol = 0;
	uint32_t count = (uint32_t)number, width = job->target.width | (uint32_t)job->options->mode << 16;
	size_t size = word + 8 + word;
	memcpy(node + word, &id, 8);
	memcpy(node + size, &count, 4);
	memcpy(node + size + 4, &width, 4);
	size += 8;
	/* ret; la a0, node; tail rivulet_probe_register */
	const uint32_t lui[] = {0x00008067, 0x00000537, 0x00050513, 0x00000317, 0x00030067},
		       pc[] = {0x00008067, 0x00000517, 0x00050513, 0x00000317, 0x00030067};
	bool wide = o->xlen == 64;
	int error = object_add_section(o,
	    &(struct object_new_section){".data.rivulet", SHT_PROGBITS, SHF_ALLOC | SHF_WRITE, 8, node, size}, &data);
	if (error == OBJECT_OK)
		error = object_add_section(o,
		    &(struct object_new_section){
			".text.rivulet", SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR, 4, wide ? pc : lui, sizeof pc},
		    &text);
	if (error == OBJECT_OK)
		error = object_add_section(o,
		    &(struct object_new_section){
			".init_array", SHT_INIT_ARRAY, SHF_ALLOC | SHF_WRITE, word, NULL, 3 * word},
		    &init);
	if (error == OBJECT_OK)
		o->sections[init].entry_size = word;
	if (error == OBJECT_OK)
		error = object_add_symbol(o,
		    &(struct object_new_symbol){NULL, 0, size, data, ELF64_ST_INFO(STB_LOCAL, STT_OBJECT)},
		    &node_symbol);
	if (error == OBJECT_OK)
		error = object_add_symbol(o,
		    &(struct object_new_symbol){
			"rivulet.register", 4, sizeof pc - 4, text, ELF64_ST_INFO(STB_LOCAL, STT_FUNC)},
		    &code_symbol);
	if (error == OBJECT_OK)
		error = object_add_symbol(o,
		    &(struct object_new_symbol){NULL, 4, 0, text, ELF64_ST_INFO(STB_LOCAL, STT_NOTYPE)}, &high_symbol);
	if (error == OBJECT_OK)
		error = object_add_symbol(o,
		    &(struct object_new_symbol){NULL, 0, 4, text, ELF64_ST_INFO(STB_LOCAL, STT_NOTYPE)}, &idle_symbol);
	uint32_t runtime = 0;
	if (error == OBJECT_OK)
		error = inserter_symbol(o, "rivulet_probe_register", &runtime);
	uint32_t pointer = wide ? R_RISCV_64 : R_RISCV_32;
	const struct object_reloc relocs[] = {{word + 8, 0, counters, pointer},
	    {4, 0, node_symbol, wide ? R_RISCV_PCREL_HI20 : R_RISCV_HI20},
	    {8, 0, wide ? high_symbol : node_symbol, wide ? R_RISCV_PCREL_LO12_I : R_RISCV_LO12_I},
	    {12, 0, runtime, R_RISCV_CALL_PLT}, {0, 0, idle_symbol, pointer}, {word, 0, code_symbol, pointer},
	    {2 * word, 0, idle_symbol, pointer}};
	const uint32_t where[] = {data, text, text, text, init, init, init};
	for (unsigned i = 0; i < sizeof where / sizeof *where && error == OBJECT_OK; i++)
		error = object_add_reloc(o, where[i], &relocs[i]);
	return error;
}
