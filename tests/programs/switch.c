/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* Dense and sparse switches, computed goto: an interpreter. */
#include <stdio.h>
enum { PUSH, ADD, MUL, SUB, DUP, SWAP, JNZ, DROP, PRINT, HALT };
static long run(const int *code)
{
	static const void *const labels[] = {
	    &&push, &&add, &&mul, &&sub, &&dup, &&swap, &&jnz, &&drop, &&print, &&halt};
	long stack[64], sp = 0, steps = 0;
	const int *pc = code;
#define NEXT                                                                                                           \
	do {                                                                                                           \
		steps++;                                                                                               \
		goto *labels[*pc++];                                                                                   \
	} while (0)
	NEXT;
push:
	stack[sp++] = *pc++;
	NEXT;
add:
	sp--;
	stack[sp - 1] += stack[sp];
	NEXT;
mul:
	sp--;
	stack[sp - 1] *= stack[sp];
	NEXT;
sub:
	sp--;
	stack[sp - 1] -= stack[sp];
	NEXT;
dup:
	stack[sp] = stack[sp - 1];
	sp++;
	NEXT;
swap : {
	long t = stack[sp - 1];
	stack[sp - 1] = stack[sp - 2];
	stack[sp - 2] = t;
}
	NEXT;
jnz:
	if (stack[--sp] != 0)
		pc = code + *pc;
	else
		pc++;
	NEXT;
drop:
	sp--;
	NEXT;
print:
	printf("%ld\n", stack[sp - 1]);
	NEXT;
halt:
	return steps;
}
__attribute__((noinline)) static int kind(int c)
{
	switch (c) {
	case ' ':
	case '\t':
	case '\n':
		return 0;
	case '0':
	case '1':
	case '2':
	case '3':
	case '4':
	case '5':
	case '6':
	case '7':
	case '8':
	case '9':
		return 1;
	case '+':
	case '-':
	case '*':
	case '/':
		return c;
	case '(':
		return 100;
	case ')':
		return 101;
	case 1000:
		return 7;
	case 100000:
		return 8;
	default:
		return -1;
	}
}
int main(void)
{
	static const int code[] = {
	    PUSH, 1, PUSH, 900, SWAP, PUSH, 3, MUL, PUSH, 1, ADD, SWAP, PUSH, 1, SUB, DUP, JNZ, 4, DROP, PRINT, HALT};
	long sum = 0;
	for (int i = 0; i < 4000; i++)
		sum += kind(i % 130);
	printf("%ld steps, %ld\n", run(code), sum);
	return 0;
}
