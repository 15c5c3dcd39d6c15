/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* Matrices of 2 by 2. */
/* run: 1 0 0 1 */
/* run: 1 2 3 4 0 0 0 0 1 0 0 1 */
#include <stdio.h>
#include <stdlib.h>

static int determinant(const int *m)
{
	return m[0] * m[3] - m[1] * m[2];
}

static void describe(const int *m)
{
	if (m[0] == 1 && m[1] == 0 && m[2] == 0 && m[3] == 1)
		puts("unit");
	if (m[1] == m[2] && (m[0] != m[3] || m[1] == 0))
		puts("even");
	if (determinant(m) != 0 && m[0] > 0)
		printf("can be turned round: %d\n", determinant(m));
}

int main(int argc, char **argv)
{
	for (int i = 1; i + 3 < argc; i += 4) {
		int m[4];
		for (int k = 0; k < 4; k++)
			m[k] = atoi(argv[i + k]);
		describe(m);
	}
	return 0;
}
