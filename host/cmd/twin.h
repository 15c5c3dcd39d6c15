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

/* If the file `input` holds what inserted code counted, or wrote down, and the program has a twin beside it: *image is
 * closed and becomes the twin. Else nothing. A file of that name that is no twin of the program is told. */
void prefer_twin(struct image **image, const char *input);
#endif
