/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#include <stdio.h>
int library_work(int n);
extern int (*library_table[])(int);
int main(void)
{
	int s = 0;
	for (int i = 0; i < 30; i++)
		s += library_work(i);
	for (int i = 0; i < 4; i++)
		s += library_table[i](i);
	printf("%d\n", s);
	return 0;
}
