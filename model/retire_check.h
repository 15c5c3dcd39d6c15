/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#ifndef RIVULET_RETIRE_CHECK_H
#define RIVULET_RETIRE_CHECK_H
/*
 * What the retire port of a core promises the trace unit, as rules over its retirements in order: the same rules as
 * rtl/trace/rivulet_retire_check.v, by the same numbers. docs/integration.md has the symptom and the cure of each.
 *
 *	struct retire_check check;
 *	retire_check_init(&check, &config);		XLEN, RET_MATCH, RET_MASK, WITH_ZCMP of the unit
 *	unsigned broken = retire_check(&check, &r);	for each retirement: bit i is rule i
 *	if (broken >> RETIRE_NEXT & 1) puts(retire_rule_text(RETIRE_NEXT));
 */
#include "model/trace.h"

enum retire_rule {
	RETIRE_FOLLOWS, /* pc is the next_pc of the instruction before, unless intr is set */
	RETIRE_NEXT,    /* next_pc is one that the instruction can have */
	RETIRE_INTR,    /* the instruction behind one that trapped has intr */
	RETIRE_HANDLER, /* ... and it is at that one's next_pc */
	RETIRE_ECALL,   /* ECALL, EBREAK and C.EBREAK trap */
	RETIRE_EVEN,    /* pc and next_pc are even */
	RETIRE_MODE,    /* the mode rises with intr alone and falls behind a trap return alone; it is 0, 1 or 3 */
	RETIRE_RETURN,  /* no more than 15 handlers begin without a trap return */
	RETIRE_RULES
};

struct retire_check {
	struct trace_config config;
	struct trace_retire before; /* before.valid: there was one */
	bool returned;              /* it was a trap return */
	unsigned depth;             /* handlers begun and not ended */
	uint64_t retired, broken[RETIRE_RULES];
};
void retire_check_init(struct retire_check *check, const struct trace_config *config);
/* Looks at one retirement (valid is not looked at). Returns the rules that it breaks, a bit each. */
unsigned retire_check(struct retire_check *check, const struct trace_retire *retire);
const char *retire_rule_text(enum retire_rule rule); /* what is promised */
const char *retire_rule_cure(enum retire_rule rule); /* where to look in the core */
#endif
