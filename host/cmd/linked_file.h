/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#ifndef RIVULET_CMD_LINKED_FILE_H
#define RIVULET_CMD_LINKED_FILE_H
/* A linked program as bytes, and its edited form as a file: `rivulet insert' and `rivulet optimise'. */
#include "host/cmd/cmd.h"
#include "host/linked/linked.h"

struct file_bytes {
	uint8_t *bytes; /* to be freed */
	size_t size;
};
/* A regular file. False: errno says why. */
bool read_program(const char *path, struct file_bytes *file);
/* Writes the program with the permissions of the old one. inputs: files that it may not replace, the program first. */
int put_program(const char *path, const char *const *inputs, size_t input_count, const struct linked_result *program);
#endif
