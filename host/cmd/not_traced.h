/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#ifndef RIVULET_CMD_NOT_TRACED_H
#define RIVULET_CMD_NOT_TRACED_H
/* The row "not traced" of every reader: what of the run it does not show, and why (host/account/remainder.h). */
#include "host/account/remainder.h"
#include "host/base/json.h"
#include "host/cmd/profiled.h"

/* Of a profile or records whose account is made (account_profiled()). */
void remainder_profiled(struct remainder *remainder, const struct profiled *profiled);
/* Of inserted counters in a program: the code that they cannot know of. counted: what was read of them; may be NULL. */
void shown_by_counters(struct remainder_shown *shown, const struct image *image, const struct counted *counted);
/* Of what was gathered: of records, or of a profile (counted: of these counters, or NULL); damaged: the file is not
 * whole. */
struct gather_result;
struct records;
void remainder_gathered(struct remainder *remainder, const struct records *records, const struct gather_result *result);
void remainder_of_gather(struct remainder *remainder, const struct profile *head, const struct gather_result *result,
    const struct counted *counted, bool damaged);
/* "  not traced 5,123 instructions (49.5% of the run): ...", in lines that fit; nothing if the run is shown whole. */
void print_not_traced(const struct remainder *remainder, FILE *out);
/* The same as a message, where the output is a table alone or has no place for it. */
void complain_not_traced(const char *file, const struct remainder *remainder);
/* The member "not_traced" (docs/rivulet.md). */
void json_not_traced(struct json *json, const struct remainder *remainder);
/* Returns that went past the calls that led there (struct stack_counts): what may be wrong for it. */
void complain_astray(const char *file, uint64_t returns, const char *what);
#endif
