/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#ifndef RIVULET_CMD_CHOOSE_H
#define RIVULET_CMD_CHOOSE_H
/* The options that choose code, for report, annotate and diff: --function, --file, --line, --address, --min-share. An
 * argp child; its input is a struct account_filter. */
#include <argp.h>
#include "host/account/rows.h"

extern const struct argp choose_argp;
#endif
