/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#ifndef RIVULET_CMD_TABLE_OPTIONS_H
#define RIVULET_CMD_TABLE_OPTIONS_H
/* What every command that lists something takes: --json, --csv, --markdown. An argp of its own, whose input is an enum
 * table_format; a command has it as a child, as host/cmd/operands.h shows. */
#include <argp.h>
#include "host/table/table.h"

extern const struct argp table_argp;
#define TABLE_CHILD                                                                                                    \
	{                                                                                                              \
		&table_argp, 0, NULL, 0                                                                                \
	}
#endif
