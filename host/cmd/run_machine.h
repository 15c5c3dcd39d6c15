/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#ifndef RIVULET_CMD_RUN_MACHINE_H
#define RIVULET_CMD_RUN_MACHINE_H
/* The machine for a program that was not written for it. */
#include "host/image/image.h"
#include "model/model.h"

/* Whether the program knows nothing of the trace unit: it has no run configuration, and no instruction for the unit's
 * registers. */
bool run_foreign(const struct image *image);
/* For such a program: RAM where its segments are, large enough for them, for the stack that its symbols name, and as
 * much again; the entry of the file is where it starts. Others keep what config has. */
void run_machine(const struct image *image, struct model_config *config);
/* The application's name: its symbol app_name (sw/run/app.h), else the file's name. */
void run_name(const char *program, const struct image *image, char name[256]);
#endif
