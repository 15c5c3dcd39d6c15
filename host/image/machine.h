/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#ifndef RIVULET_MACHINE_H
#define RIVULET_MACHINE_H
/*
 * A machine file (docs/machines.md): the code of a machine that an interpreter makes, a bytecode a line. Read into an
 * image, so that what walks the instructions of a program walks bytecodes the same way.
 */
#include "host/image/private.h"

struct machine;
/* Whether the file begins as a machine file. */
bool machine_is_file(const char *path);
/* As image_open(). */
int machine_open(struct image **image, const char *path, char *detail, size_t size);
void machine_close(struct machine *machine);
/* The bytecode at address, as the instruction that goes on in the same way. False: none begins there. */
bool machine_insn(const struct machine *machine, uint64_t address, struct isa_insn *insn);
/* How the file writes it, NULL: it does not. */
const char *machine_text(const struct machine *machine, uint64_t address);
#endif
