/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#ifndef RIVULET_CMD_TWIN_H
#define RIVULET_CMD_TWIN_H
/*
 * The unedited twin beside an edited program: PROGRAM.twin, which `rivulet cc` links with it. Counters and events are
 * read with it, so that all that is shown is the program as it was written.
 */
#include "host/image/image.h"

#define TWIN_SUFFIX ".twin"

/* The twin beside a program, if the file `input` holds what inserted code counted or wrote down (NULL: it does). NULL:
 * there is none, or a file of that name is no twin of the program, which is told. */
struct image *open_twin(const struct image *program, const char *input);
/* The program is closed and becomes its twin, if it has one. */
void prefer_twin(struct image **image, const char *input);
#endif
