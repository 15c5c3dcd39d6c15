/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#ifndef RIVULET_DEBUGGER_COLLECT_H
#define RIVULET_DEBUGGER_COLLECT_H
/*
 * The trace unit's hot-trace table (docs/trace-unit.md section 8) collected from outside: a debugger sets the unit up,
 * takes out of its buffer what the table throws out, and empties the table at the end. The program is not stopped and
 * runs nothing for it.
 *
 *   collect_begin()          unit off? -> emptied -> CTRL: all modes, handlers, table, on
 *   collect_take() ...       records in the buffer -> profile; LOST counts what found no room there meanwhile
 *   collect_end()            off -> DRAIN -> the rest -> profile; CTRL and TABLE_POLICY as they were found
 */
#include <stdbool.h>
#include <stdint.h>
#include "host/profile/profile.h"

enum collect_error {
	COLLECT_OK = 0,
	COLLECT_EPORT = -1,    /* the port's own error is in collect.error */
	COLLECT_EABSENT = -2,  /* no trace unit answers there */
	COLLECT_ETABLE = -3,   /* it has no hot-trace table */
	COLLECT_ELOST = -4,    /* it does not count what it loses (WITH_LOST) */
	COLLECT_EBUSY = -5,    /* tracing is on, or its sink or recorder has the buffer: the program uses it */
	COLLECT_EPROFILE = -6, /* enum profile_error is in collect.error */
	COLLECT_ESTUCK = -7    /* DRAIN does not come to its end */
};
const char *collect_strerror(int error);

/* Registers by index (common/rivulet_regs.h). Both return 0, or an error of theirs. */
struct collect_port {
	void *context;
	int (*read)(void *context, unsigned index, unsigned count, uint32_t *words);
	int (*write)(void *context, unsigned index, uint32_t word);
};
struct collect {
	const struct collect_port *port;
	unsigned xlen, hist, entries; /* entries of the table */
	bool with_cycles;
	bool with_policy;     /* TABLE_POLICY is there; it is 0 while it collects: exact */
	uint32_t found, ctrl; /* CTRL before, and while it collects */
	uint32_t policy;      /* TABLE_POLICY before */
	uint64_t records;     /* that were taken */
	uint64_t refused;     /* traces of records that no unit makes: left out */
	uint32_t lost;        /* behind collect_end(): traces that found no room; UINT32_MAX: so many or more */
	int error;
};
int collect_begin(struct collect *collect, const struct collect_port *port);
/* Takes what is in the buffer, at most so many records: it may fill faster than it is read. Returns how many were
 * taken, or an error. */
int collect_take(struct collect *collect, struct profile *profile, unsigned most);
/* Tracing off in any case, also behind an error of collect_take(). */
int collect_end(struct collect *collect, struct profile *profile);
#endif
