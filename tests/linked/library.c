/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* A shared library: what it exports, what it keeps to itself, a table that is relocated. */
#include <stdlib.h>

static __thread int local = 7;
static int begun;
__attribute__((constructor)) static void begin(void)
{
	begun = getenv("NOT_THERE") == NULL;
}
int library_helper(int k)
{
	switch (k % 8) {
	case 0:
		return 3;
	case 1:
		return 5;
	case 2:
		return 8;
	case 3:
		return 13;
	case 4:
		return local++;
	case 5:
		return 22;
	}
	return k;
}
static int hidden(int k)
{
	return k * begun;
}
int library_work(int n)
{
	int s = 0;
	for (int i = 0; i < n; i++)
		s += library_helper(i) + hidden(i);
	return s;
}
int (*library_table[])(int) = {library_helper, hidden, library_work, abs};
