/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#ifndef RIVULET_ELF_FILE_H
#define RIVULET_ELF_FILE_H
/*
 * A linked RISC-V program as a file: read whole, its headers and segments checked, so that whoever uses them can take
 * them as they are. The golden model loads by it, host/image shows by it: one fault has one sentence.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum elf_file_error {
	ELF_FILE_OK = 0,
	ELF_FILE_EOPEN = -1,      /* cannot be opened or read, or is not a regular file */
	ELF_FILE_EELF = -2,       /* not an ELF file, or its headers contradict each other */
	ELF_FILE_ETRUNCATED = -3, /* a part named by a header lies behind the end of the file */
	ELF_FILE_EARCH = -4,      /* another class, byte order or machine */
	ELF_FILE_ETYPE = -5,      /* not linked */
	ELF_FILE_ENOMEM = -6
};

struct elf_segment {                /* one PT_LOAD that is not empty; size >= file_size, the rest is zero at run time */
	uint64_t address, physical; /* p_vaddr, p_paddr */
	uint64_t size;              /* bytes in memory: none of them lies behind the last address */
	uint64_t offset, file_size; /* bytes in the file */
	bool execute, write;
	const uint8_t *bytes; /* file_size bytes, of the file's */
};

struct elf_file {
	char *path;
	uint8_t *bytes; /* the whole file */
	size_t length;
	bool wide, moveable; /* ELF64; ET_DYN */
	bool hosted;         /* of an operating system: has PT_GNU_STACK or PT_INTERP */
	uint64_t entry;
	struct elf_segment *segments; /* sorted by address, disjoint */
	size_t segment_count;
};

/* On an error (enum elf_file_error) nothing is left to be closed, and detail (may be NULL) takes the sentence for the
 * user: file, offset, what was found, what was expected, what to do. */
int elf_file_open(struct elf_file *file, const char *path, char *detail, size_t size);
/* The same from bytes in memory, which must come from malloc() and are file's from then on, on an error too. */
int elf_file_take(struct elf_file *file, const char *name, uint8_t *bytes, size_t length, char *detail, size_t size);
void elf_file_close(struct elf_file *file);

struct elf_part { /* of the file's bytes; they may lie at any address, aligned or not */
	const uint8_t *bytes;
	size_t size;
};
/* The bytes that a header of the file names; false if they do not lie in it. */
bool elf_file_part(const struct elf_file *file, uint64_t offset, uint64_t size, struct elf_part *part);
#endif
