/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#ifndef RIVULET_CC_LINKER_H
#define RIVULET_CC_LINKER_H
/*
 * What a linker's command line links: the object files and archives among its words, `-lNAME` found as GNU ld and lld
 * find it (-L, -Bstatic, --sysroot; -l:FILE), @FILE replaced by its words, linker scripts that only name files (GROUP,
 * INPUT) by these.
 */
#include <stdbool.h>
#include <stddef.h>

enum linker_kind {
	LINKER_WORD,   /* passed on as it is */
	LINKER_OBJECT, /* a relocatable object; path is the file */
	LINKER_ARCHIVE
};
struct linker_word {
	char *text, *path; /* path: NULL for a LINKER_WORD */
	unsigned char kind;
};
struct linker {
	struct linker_word *words;
	size_t count, room;
	bool relocatable, shared; /* -r; -shared */
	bool dynamic;             /* a dynamic program: -dynamic-linker, or -pie */
	bool libc;                /* a C library is among the inputs */
};
/* words: without the program's name. False: out of memory, or an @FILE that cannot be read. */
bool linker_open(struct linker *linker, char *const *words, size_t count);
void linker_close(struct linker *linker);
/* What a file is, by its first bytes. */
enum linker_kind linker_kind_of(const char *path);
#endif
