/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#ifndef RIVULET_MODEL_RUN_CONFIG_H
#define RIVULET_MODEL_RUN_CONFIG_H
/* Reading of "NAME=VALUE" for the words of the run configuration (sw/trace/run_config.h), for every loader. */
#include <stddef.h>
#include <stdint.h>

/* Numbers as C writes them; for way and input also names. Returns the index of the word (never 0, that is the magic),
 * or -1 with the sentence for the user in detail. */
int run_config_parse(const char *assignment, uint32_t *value, char *detail, size_t size);
#endif
