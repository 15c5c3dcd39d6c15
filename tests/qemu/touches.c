/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* A load that faults in a block that ends in a return: every third call of touch() does not come to its end. */
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>

static sigjmp_buf back;
__attribute__((noipa)) int touch(const int *p);
__attribute__((noipa)) void handle(int number);

int touch(const int *p)
{
	return *p;
}

void handle(int number)
{
	siglongjmp(back, number);
}

int main(void)
{
	int value = 3, sum = 0;
	struct sigaction action = {.sa_handler = handle};
	sigaction(SIGSEGV, &action, NULL);
	for (int i = 0; i < 99; i++)
		if (sigsetjmp(back, 1) == 0)
			sum += touch(i % 3 == 0 ? NULL : &value);
	printf("%d\n", sum);
	return 0;
}
