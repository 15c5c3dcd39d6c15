/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
int library_climb(int n, int (*step)(int));

int library_climb(int n, int (*step)(int))
{
	return n <= 0 ? 0 : step(n) + library_climb(n - step(n), step);
}
