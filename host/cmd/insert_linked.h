/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#ifndef RIVULET_INSERT_LINKED_H
#define RIVULET_INSERT_LINKED_H
/* rivulet insert of a linked program or shared library. */
#include "host/cmd/insert_options.h"

/* Whether the input is one. */
bool is_linked_input(const char *path);
/* From a->input to a->output: STATUS_. */
int insert_into_linked(struct insert_arguments *a);
#endif
