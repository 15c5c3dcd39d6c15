/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#ifndef RIVULET_OPTIMISE_ELF_H
#define RIVULET_OPTIMISE_ELF_H
/*
 * A program with its optimised traces as a new ELF file: the code cache is a segment of its own, the patches are in the
 * program's. Two sections say what is there:
 *
 *   .text.rivulet       the code cache
 *   .rivulet_optimise   words: magic, version 1, patches, instructions; a patch: address, word before; an instruction:
 *                       address in the cache, address of the program's instruction that it stands for, ascending
 *
 * With the words before the patches the program's own bytes are restored exactly.
 */
#include <stdio.h>
#include "common/elf_file.h"
#include "sw/optimise/optimise.h"

#define OPTIMISE_MAP_MAGIC 0x4D4F5652u /* "RVOM" */

enum optimise_elf_error {
	OPTIMISE_ELF_OK = 0,
	OPTIMISE_ELF_ENOMEM = -1,
	OPTIMISE_ELF_EWRITE = -2, /* errno says why */
	OPTIMISE_ELF_EFORM = -3   /* a file without section headers, or a patch outside of its segments */
};
const char *optimise_elf_strerror(int error);
int optimise_elf_write(const struct elf_file *file, const struct optimise *optimise, FILE *out);
#endif
