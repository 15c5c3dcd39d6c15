/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#ifndef RIVULET_PROBE_LINUX_H
#define RIVULET_PROBE_LINUX_H
/* What linux.c and library.c need of each other. */
#include <stddef.h>

/* Writes the profile, unless another thread or process is to. */
void rivulet_probe_finish(void);
/* Handlers of signals and their stack are no longer this copy's, which is about to be unloaded. */
void rivulet_probe_give_up(void);
/* Memory that is 0; NULL: there is none. */
void *rivulet_probe_map(size_t size);
#endif
