/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* Kinds of triangles. */
/* run: 3 4 5 */
/* run: 1 1 1 2 2 3 9 1 1 3 4 6 0 1 2 5 7 5 7 5 5 */
#include <stdio.h>
#include <stdlib.h>

static const char *kind_of_triangle(int a, int b, int c)
{
	if (a <= 0 || b <= 0 || c <= 0)
		return "no lengths";
	if (a + b <= c || a + c <= b || b + c <= a)
		return "open";
	if (a == b && b == c)
		return "equal sides";
	if (a == b || b == c || a == c)
		return "two equal sides";
	return "any";
}

int main(int argc, char **argv)
{
	for (int i = 1; i + 2 < argc; i += 3)
		puts(kind_of_triangle(atoi(argv[i]), atoi(argv[i + 1]), atoi(argv[i + 2])));
	return 0;
}
