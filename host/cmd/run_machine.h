/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#ifndef RIVULET_CMD_RUN_MACHINE_H
#define RIVULET_CMD_RUN_MACHINE_H
/* The machine for a program that was not written for it. */
#include "host/image/image.h"
#include "host/cmd/run_chips.h"
#include "model/model.h"

/* Whether the model cannot run it, being of another width; told, with what to do instead. */
bool run_refused(const struct image *image, const char *program);
/* Whether the program knows nothing of the trace unit: it has no run configuration, and no instruction for the unit's
 * registers. */
bool run_foreign(const struct image *image);
/* For such a program: the memories of the chip that it is linked for (host/cmd/run_chips.h); of no known chip memories
 * where its segments are, large enough for them, for the stack that its symbols name, and as much again. The entry of
 * the file is where it starts. Others keep what config has. map: what --map says instead; NULL: nothing. *chip: NULL if
 * there is none. STATUS_OK, or STATUS_FAILED: map is no map, which is told. */
int run_machine(const struct image *image, const char *map, struct model_config *config, const struct chip **chip);
/* The application's name: its symbol app_name (sw/run/app.h), else the file's name. */
void run_name(const char *program, const struct image *image, char name[256]);
#endif
