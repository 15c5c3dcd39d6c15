/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#ifndef RIVULET_CMD_RUN_WRITTEN_H
#define RIVULET_CMD_RUN_WRITTEN_H
#include "host/image/image.h"
#include "model/model.h"

/* rivulet run, at its end: says on standard error which of its code the program has written itself, so that what is
 * walked there by the file is not what was executed. Returns how many bytes differ from the file. */
uint64_t run_written(const char *program, const struct model *model, const struct image *image);
#endif
