/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* Asks the host 300 times for the same: from code before, behind and at each border of a page. */
#include <stdio.h>
extern long (*const hosts[300])(long, const void *);
int main(void)
{
	long block[1] = {-1}, all = 0;
	for (int i = 0; i < 300; i++) {
		block[0] = i % 3 - 1;
		all = all * 2 % 1000003 + (hosts[i](7, block) != 0); /* 8: SYS_ISERROR */
	}
	printf("%ld\n", all);
	return 0;
}
