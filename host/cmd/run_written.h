/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#ifndef RIVULET_CMD_RUN_WRITTEN_H
#define RIVULET_CMD_RUN_WRITTEN_H
#include "host/image/image.h"
#include "model/model.h"

/* rivulet run, at its end: warns on standard error of code that the program has changed in memory, since walks read the
 * code from the file. Returns how many bytes differ from the file. */
uint64_t run_written(const char *program, const struct model *model, const struct image *image);
#endif
