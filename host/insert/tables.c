/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/*
 * Hash tables for the paths of functions that have too many of them for an array (EPP section 4).
 *
 *   .data.rel.ro.rivulet   a descriptor for each function: id of the object, number of the function, whether parts
 *                          of cut paths are joined, its heads
 *   .bss.rivulet.heads     for each HEADS pointers to chains of buckets, then SLOTS slots: two words each
 *   rivulet_probe_pool     a common symbol: the buckets of all objects of the program, which the linker makes one
 *
 * sw/probe/probe.h has the same layout for the runtime.
 */
#include <elf.h>
#include <stdlib.h>
#include <string.h>
#include "common/joined.h"
#include "host/base/array.h"
#include "host/insert/insert.h"

#define HEADS_32 128u /* RIVULET_PROBE_HEADS */
#define HEADS_64 1024u
#define SLOTS INSERTER_SLOTS /* RIVULET_PROBE_SLOTS */
#define BUCKETS 2048u        /* RIVULET_PROBE_BUCKETS */
#define BUCKET_SIZE_32 24u
#define BUCKET_SIZE_64 32u
#define JOINED 0x80000000u /* beside the index of a function */

static unsigned table_word_size(const struct insert_job *job)
{
	return job->object->xlen / 8;
}

static unsigned heads_size(const struct insert_job *job)
{
	return (job->object->xlen == 64 ? HEADS_64 : HEADS_32) * table_word_size(job);
}

/* Of a function: heads and slots. */
static unsigned memory_size(const struct insert_job *job)
{
	return heads_size(job) + SLOTS * 2 * table_word_size(job);
}

static unsigned descriptor_size(const struct insert_job *job)
{
	return 16 + 2 * table_word_size(job);
}

int64_t insert_key(const struct insert_job *job, int64_t number)
{
	return job->object->xlen == 64 ? number + JOINED_BASE_64 : number + JOINED_BASE_32;
}

int64_t insert_odd_key(unsigned xlen)
{
	return xlen == 64 ? JOINED_BASE_64 + 1 : JOINED_BASE_32 * 4 + 1;
}

int insert_table(struct insert_job *job, size_t function, bool joined, struct insert_table *table)
{
	struct insert_tables *t = &job->tables;
	struct object *o = job->object;
	uint32_t pool, hook;
	int error = inserter_symbol(o, "rivulet_probe_slot", &hook);
	if (!array_room(&t->functions, t->count + 1, &t->room))
		return OBJECT_ENOMEM;
	if (t->section == 0 && error == OBJECT_OK) {
		error = object_add_section(o,
		    &(struct object_new_section){
			".data.rel.ro.rivulet", SHT_PROGBITS, SHF_ALLOC | SHF_WRITE, 8, NULL, 0},
		    &t->section);
		if (error == OBJECT_OK)
			error = object_add_section(o,
			    &(struct object_new_section){
				".bss.rivulet.heads", SHT_NOBITS, SHF_ALLOC | SHF_WRITE, 8, NULL, 0},
			    &t->heads);
		if (error == OBJECT_OK)
			error = object_add_symbol(o,
			    &(struct object_new_symbol){
				"rivulet.tables", 0, 0, t->section, ELF64_ST_INFO(STB_LOCAL, STT_OBJECT)},
			    &t->symbol);
		if (error == OBJECT_OK)
			error = object_add_symbol(o,
			    &(struct object_new_symbol){
				"rivulet.heads", 0, 0, t->heads, ELF64_ST_INFO(STB_LOCAL, STT_OBJECT)},
			    &t->heads_symbol);
		if (error == OBJECT_OK)
			error = object_add_symbol(o,
			    &(struct object_new_symbol){"rivulet_probe_pool", 8,
				BUCKETS * (o->xlen == 64 ? BUCKET_SIZE_64 : BUCKET_SIZE_32), SHN_COMMON,
				ELF64_ST_INFO(STB_GLOBAL, STT_OBJECT)},
			    &pool);
	}
	if (error != OBJECT_OK)
		return error;
	*table = (struct insert_table){.symbol = t->symbol,
	    .offset = (int64_t)(t->count * descriptor_size(job)),
	    .slots_symbol = t->heads_symbol,
	    .slots = (int64_t)(t->count * memory_size(job) + heads_size(job)),
	    .hook = hook,
	    .slot_bytes = 2 * table_word_size(job)};
	t->functions[t->count++] =
	    insert_function_number(job, &job->graph->functions[function]) | (joined ? JOINED : 0);
	return OBJECT_OK;
}

struct inserter_code insert_table_count(const struct insert_table *table, struct inserter_argument number, int64_t more)
{
	struct inserter_code code = {.op = INSERTER_BUCKET,
	    .var = INSERTER_NO_VARIABLE,
	    .symbol = table->hook,
	    .value = more,
	    .argument_count = 2};
	int64_t slots = table->slots;
	if (number.kind == INSERTER_CONSTANT) /* its slot is known */
		slots += (int64_t)((uint64_t)number.value % SLOTS * table->slot_bytes);
	code.arguments[0] = number;
	code.arguments[1] = (struct inserter_argument){INSERTER_ADDRESS, table->symbol, table->offset};
	code.arguments[2] = (struct inserter_argument){INSERTER_ADDRESS, table->slots_symbol, slots};
	return code;
}

struct inserter_code insert_table_count_either(
    const struct insert_job *job, const struct insert_table *table, uint8_t r, int64_t more)
{
	struct inserter_code code =
	    insert_table_count(table, (struct inserter_argument){INSERTER_VARIABLE, 0, r}, more);
	/* on RV32 the key is the odd number without its lowest bits */
	const int64_t less = job->object->xlen == 64 ? JOINED_BASE_64 - JOINED_BASE_64 / 8 : 0;
	code.by = 1;
	code.arguments[3] = (struct inserter_argument){INSERTER_CONSTANT, 0, less};
	return code;
}

int insert_tables_finish(struct insert_job *job)
{
	struct insert_tables *t = &job->tables;
	struct object *o = job->object;
	unsigned size = descriptor_size(job), pointer = o->xlen == 64 ? R_RISCV_64 : R_RISCV_32;
	int error = OBJECT_OK;
	if (t->count == 0)
		return OBJECT_OK;
	error = object_resize(o, t->section, t->count * size);
	uint8_t *bytes = o->sections[t->section].data;
	for (size_t i = 0; i < t->count && error == OBJECT_OK; i++) {
		uint32_t number = (t->functions[i] & ~JOINED) + 1, joined = (t->functions[i] & JOINED) != 0;
		memcpy(bytes + i * size, &job->id, 8);
		memcpy(bytes + i * size + 8, &number, 4);
		memcpy(bytes + i * size + 12, &joined, 4);
		const int64_t heads = (int64_t)(i * memory_size(job));
		error = object_add_reloc(
		    o, t->section, &(struct object_reloc){i * size + 16, heads, t->heads_symbol, pointer});
		if (error == OBJECT_OK)
			error = object_add_reloc(o, t->section,
			    &(struct object_reloc){i * size + 16 + table_word_size(job), heads + heads_size(job),
				t->heads_symbol, pointer});
	}
	o->sections[t->heads].size = t->count * memory_size(job);
	o->symbols[t->heads_symbol].size = t->count * memory_size(job);
	o->symbols[t->symbol].size = t->count * size;
	return error;
}
