/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#ifndef RIVULET_CMD_OPTIMISE_LINKED_H
#define RIVULET_CMD_OPTIMISE_LINKED_H
/* rivulet optimise of a program for Linux: its code in a better order (host/layout). */
#include "host/cmd/profiled.h"

struct layout_request {
	const char *output;     /* NULL: nothing is written */
	bool functions, blocks; /* what may get another order */
};
/* profiled has been opened. */
int optimise_linked(struct profiled *profiled, const struct layout_request *request);
#endif
