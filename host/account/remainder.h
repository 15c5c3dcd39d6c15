/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#ifndef RIVULET_REMAINDER_H
#define RIVULET_REMAINDER_H
/*
 * The law of conservation of every reader: instructions shown + a named remainder = instructions retired; cycles too.
 *
 *   retired, by the run's own counter  ──────────────────────────────────────────────────────►
 *   tracing off │ shown: in traces that were followed │ do not fit │ handlers, lost, cut, ... │
 *   remainder   └──────── shown ──────────────────────┘  remainder                            ┘
 *
 * What the run retired stands in the end frame of a profile, or in the end block of records. A reader says what it
 * shows (struct remainder_shown), and is told what is missing and why. It prints that as a row of its own ("not
 * traced"): otherwise shares of a part would look like shares of the run.
 *
 * The remainder of a sampled profile has the error of the sampling in it, and can be less than nothing: `over`.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "host/profile/profile.h"

/* What a reader shows, in units of what was counted: a sampled profile's numbers are multiplied here. */
struct remainder_shown {
	uint64_t insns, cycles; /* cycles: 0 if `timed` is false */
	bool timed;
	uint64_t unfit, unfit_insns, unfit_cycles; /* traces that do not fit the program */
	uint64_t cut, cut_cycles;                  /* traces of which a part is unknown */
	bool damaged;                              /* the file is not whole */
	bool lengthless; /* the file has traces without their lengths, and the program is not there */
	/* Inserted code counted: no counter of the run knows the program without it. */
	bool counters;
	uint64_t uncounted; /* functions of the program without counters */
	uint64_t elsewhere; /* counts of parts of the process that were not given */
	bool libraries;     /* it has shared libraries */
	bool contexts;      /* calls found no room in the runtime's tree of contexts */
};

enum remainder_cause {
	REMAINDER_OFF,      /* tracing was off: before the driver, behind its end */
	REMAINDER_OUTSIDE,  /* of a log: outside of the program, or in jumps of which it is not known where they went */
	REMAINDER_UNFIT,    /* in traces that do not fit the program */
	REMAINDER_CUT,      /* behind the known part of traces */
	REMAINDER_HANDLERS, /* in trap handlers, which the unit leaves out */
	REMAINDER_TRACELESS, /* all of the run: no trace came out of it */
	REMAINDER_LOST,      /* in records that were lost */
	REMAINDER_DROPPED,   /* thrown out: in traces that found no place in the program's table */
	REMAINDER_DAMAGED,   /* in what is damaged or missing in the file */
	REMAINDER_SAMPLED,   /* error of the sampling */
	REMAINDER_SWITCHED,  /* inserted counters: while they were switched off */
	REMAINDER_UNCOUNTED, /* inserted counters: in functions that have none */
	REMAINDER_ELSEWHERE, /* ... in other parts of the process */
	REMAINDER_LIBRARIES, /* ... in shared libraries */
	REMAINDER_CONTEXTS,  /* ... in calls that have no context */
	REMAINDER_NO_TIME,   /* cycles alone: where no time of the encoder stands around */
	REMAINDER_UNKNOWN,   /* nobody says why: behind the last record */
	REMAINDER_CAUSES
};

struct remainder_part {
	bool there;
	bool measured;          /* insns and cycles are known; else they are a part of `rest` */
	uint64_t insns, cycles; /* measured */
	uint64_t count;         /* records or traces that it is about; 0: not counted */
};

struct remainder {
	bool known;             /* the run's counters are; else only the causes are */
	bool counters;          /* of inserted code: nothing is known but causes */
	bool lengthless;        /* the same, of traces whose lengths the program alone tells */
	bool unseen;            /* the run's counters do not have what was lost */
	bool timer;             /* samples at equal times: the run is known, what they stand for is not */
	bool timed;             /* cycles are compared too */
	uint64_t insns, cycles; /* of the run */
	uint64_t shown_insns, shown_cycles;
	uint64_t left_insns, left_cycles; /* not shown */
	uint64_t over_insns, over_cycles; /* shown, but more than ran */
	uint64_t rest_insns, rest_cycles; /* of what is left: in the parts that are not measured */
	struct remainder_part parts[REMAINDER_CAUSES];
};

/* profile: header, end and total of what is shown; its entries are not looked at. */
void remainder_find(struct remainder *remainder, const struct profile *profile, const struct remainder_shown *shown);
/* Whether there is anything to say. */
bool remainder_any(const struct remainder *remainder);
/* Share of the run that is not shown, 0 to 1: of its cycles, else of its instructions. 0 if that is not known. */
double remainder_share(const struct remainder *remainder);
/* "5,123 instructions (49.5% of the run) and 7,000 cycles (44.7%): 1,000 with tracing off; ..." without a line end.
 * Returns as snprintf. */
int remainder_text(const struct remainder *remainder, char *text, size_t size);
/* The name of a cause in JSON: "off", "unfit", ... */
const char *remainder_name(enum remainder_cause cause);
#endif
