/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* Two coroutines that are left in the midst of calls, on stacks of their own, when the program ends. */
#include <stdio.h>
#include <stdlib.h>
#include <ucontext.h>
static ucontext_t first, second, back;
static int sum, turns;
int step(int count);
void go_first(void);
void go_second(void);
__attribute__((noinline)) int step(int count)
{
	int s = 0;
	for (int i = 0; i < count; i++)
		s += (i ^ turns) & 1 ? i : 2;
	return s;
}
void go_first(void)
{
	for (int i = 0; i < 5; i++) {
		sum = sum * 3 + step(i) + turns++;
		swapcontext(&first, &second);
	}
}
void go_second(void)
{
	for (int i = 0; i < 9; i++) {
		sum = sum * 5 - step(i + 2);
		if (i % 3 == 2)
			setcontext(&back);
		swapcontext(&second, &first);
	}
}
int main(void)
{
	ucontext_t *const contexts[] = {&first, &second};
	for (int i = 0; i < 2; i++) {
		getcontext(contexts[i]);
		contexts[i]->uc_stack.ss_sp = malloc(65536);
		contexts[i]->uc_stack.ss_size = 65536;
		contexts[i]->uc_link = &back;
		makecontext(contexts[i], i == 0 ? go_first : go_second, 0);
	}
	swapcontext(&back, &first);
	printf("%d %d\n", sum, turns);
	return 0;
}
