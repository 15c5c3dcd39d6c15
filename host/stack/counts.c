/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#include "host/stack/stack.h"

void stack_counts_add(struct stack_counts *sum, const struct stack_counts *more, uint64_t times)
{
	sum->calls += times * more->calls;
	sum->returns += times * more->returns;
	sum->unmatched += times * more->unmatched;
	sum->astray += times * more->astray;
	sum->resumed += times * more->resumed;
	sum->folded += times * more->folded;
	sum->forgotten += times * more->forgotten;
}
