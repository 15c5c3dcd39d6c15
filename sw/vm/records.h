/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#ifndef RIVULET_VM_RECORDS_H
#define RIVULET_VM_RECORDS_H
/*
 * The traces of a machine as a record file (docs/record-format.md), in order, from wherever the interpreter runs:
 * freestanding C99, no allocation, blocks without compression.
 *
 *	static struct rivulet_vm_records file;
 *	rivulet_vm_records_begin(&file, "my machine", write_bytes, stdout);
 *	struct rivulet_vm vm = {.record = rivulet_vm_records_put, .taker = &file};
 *	...
 *	rivulet_vm_records_end(&file);
 *
 * Compile with the same RIVULET_VM_BLOCK, RIVULET_VM_BLOCKS and RIVULET_VM_HIST everywhere.
 */
#include "sw/vm/rivulet_vm.h"

#ifndef RIVULET_VM_BLOCK
#define RIVULET_VM_BLOCK 16384 /* records in a block, a power of two, at most 32768; 44 bytes of memory each */
#endif
#ifndef RIVULET_VM_BLOCKS
#define RIVULET_VM_BLOCKS 65536 /* after so many the file goes on without an index; 32 bytes of memory each */
#endif

/* Takes bytes to be written; returns 0, or anything else: nothing more is written. */
typedef int rivulet_vm_write(void *context, const void *bytes, size_t size);

struct rivulet_vm_key {
	uint64_t start, hist;
	uint32_t insns;
	uint8_t reason, context;
};

struct rivulet_vm_records {
	rivulet_vm_write *write;
	void *context;
	bool failed;
	uint32_t text_crc, text_size;
	char text[256];
	uint64_t offset, records, bytecodes, first; /* first: bytecodes before the block's second record */
	struct rivulet_vm_key keys[RIVULET_VM_BLOCK];
	uint32_t steps[RIVULET_VM_BLOCK];                            /* bytecodes of each record */
	uint16_t key[RIVULET_VM_BLOCK], heads[2 * RIVULET_VM_BLOCK]; /* heads: index of a key, plus 1 */
	uint32_t count, key_count, blocks;
	struct {
		uint64_t offset, first, time;
		uint32_t size, count;
	} index[RIVULET_VM_BLOCKS];
};

/* name: of the program that the machine runs, at most 100 characters. */
void rivulet_vm_records_begin(
    struct rivulet_vm_records *file, const char *name, rivulet_vm_write *write, void *context);
/* For struct rivulet_vm: taker is a struct rivulet_vm_records. */
void rivulet_vm_records_put(void *taker, const struct record *record);
/* Writes out what has come so far: it can be read even if the program ends otherwise. */
void rivulet_vm_records_flush(struct rivulet_vm_records *file);
/* False: something could not be written. */
bool rivulet_vm_records_end(struct rivulet_vm_records *file);
#endif
