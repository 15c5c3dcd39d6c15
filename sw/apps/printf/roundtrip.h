/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#ifndef ROUNDTRIP_H
#define ROUNDTRIP_H
/* Each of these prints values to a string with snprintf() and reads them back. They return the number of checks that
 * failed. */
#include "sw/run/app.h"

/* Strings that the C standard fixes to the last character. */
int check_known(void);

/* count integers of all widths, in bases 8, 10 and 16, through strtol() and its kin. */
int check_integers(unsigned count, struct app_random *random);

/* count doubles and floats of all magnitudes through "%.17g" and "%.9g", which keep every bit. */
int check_shortest_enough(unsigned count, struct app_random *random);

/* count decimal fractions, held against digits made with integers only. */
int check_decimals(unsigned count, struct app_random *random);

/* count lines of a measurement log, written and read field by field. */
int check_log(unsigned count, struct app_random *random);
#endif
