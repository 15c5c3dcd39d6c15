/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* A loop around setjmp(), as interpreters have it. The call is left by paths from the function's entry and from the
 * loop's head; both were counted before the call, so that only r says which one it was. */
#include <setjmp.h>
#include <stdio.h>
static jmp_buf out;
static int left;
__attribute__((noipa)) static void inner(int n)
{
	if (left-- > 0)
		longjmp(out, n + 1);
}
__attribute__((noipa)) static int outer(int n, volatile int *sum)
{
	volatile int turns = 0;
	*sum += n;
	while (1) {
		if (setjmp(out) == 0) {
			if (turns > 100)
				*sum += 2;
			inner(n);
			return *sum;
		}
		turns++;
		if (turns % 3 == 0)
			*sum += 1;
	}
}
int main(void)
{
	volatile int sum = 0;
	for (int i = 0; i < 50; i++) {
		left = i == 7 ? 40 : i % 5 == 0 ? 1 : 0;
		outer(i, &sum);
	}
	printf("%d\n", sum);
	return 0;
}
