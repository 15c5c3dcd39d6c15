// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Rivulet authors
static volatile long sum;

void step_three(long i)
{
	sum -= i;
}
