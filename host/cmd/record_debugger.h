/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#ifndef RIVULET_CMD_RECORD_DEBUGGER_H
#define RIVULET_CMD_RECORD_DEBUGGER_H
/* rivulet record --openocd: a profile out of the trace unit's table, by a debugger, while the program runs. */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct record_debugger {
	const char *program, *output;
	const char *openocd; /* [HOST:]PORT of its Tcl server */
	const char *tap;     /* NULL: OpenOCD's current target */
	const char *until; /* a symbol of the program: it ends when the word there is not 0; NULL: by time or Ctrl-C */
	uint64_t base;     /* of the unit's registers */
	double seconds;    /* below 0: no limit */
	bool quiet;
};
/* Writes the profile to file. STATUS_*; *empty: nothing was collected, so there is nothing to keep. */
int record_debugger(const struct record_debugger *what, FILE *file, bool *empty);
#endif
