/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#ifndef RIVULET_TB_PROGRAM_H
#define RIVULET_TB_PROGRAM_H
/* A program for the bench: the image of RAM after loading, and the symbols that the bench knows. */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct program_symbol {
	uint32_t address, size;
	bool function;
	char *name;
};

/* Between program_open() and program_close(): symbols are sorted by address. */
struct program {
	uint32_t base, size; /* of RAM */
	uint8_t *ram;        /* size bytes */
	struct program_symbol *symbols;
	size_t count;
	bool has_tohost, has_signature;
	uint32_t entry;
	uint32_t tohost, signature_begin, signature_end;
	char error[512]; /* the sentence for the user after a call that failed */
};

/* Loads a 32-bit little-endian RISC-V executable. Returns 0, or -1 with program->error. program_close() is to be called
 * either way. */
int program_open(struct program *program, const char *path, uint32_t base, uint32_t size);
void program_close(struct program *program);

/* Changes a word of the run configuration (common/run_config.h); setting is "name=value". Returns 0 or -1 with
 * program->error. */
int program_set(struct program *program, const char *setting);

/* Finds a symbol's address. */
bool program_symbol(const struct program *program, const char *name, uint32_t *address);
/* "main+0x12", or "?" where no symbol is known. */
void program_where(const struct program *program, uint32_t address, char *text, size_t size);
#endif
