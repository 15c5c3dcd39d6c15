/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#ifndef RIVULET_CC_PROCESS_H
#define RIVULET_CC_PROCESS_H
/* Programs that a link runs: the compiler, the real linker, `rivulet insert'. */
#include <stdbool.h>
#include <stddef.h>

/* Runs a command (words, the last one NULL) and waits; its standard output in text, as much as size takes, if that is
 * not NULL; its errors into the file `errors` (NULL: as they come), with its output if that is not asked for. linker:
 * it is what the driver runs, and what the driver tells it holds. Returns its status, 128 and more: a signal. */
int cc_process_run(bool linker, char *const *command, char *text, size_t size, const char *errors);
#endif
