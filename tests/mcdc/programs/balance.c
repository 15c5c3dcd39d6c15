/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* Brackets. */
/* run: (a) */
/* run: ([x]{y}) */
/* run: ([)] */
/* run: (( */
/* run: ] */
#include <stdio.h>
#include <stdlib.h>

static char stack[32];
static int depth;

static int opens(char c)
{
	return c == '(' ? ')' : c == '[' ? ']' : c == '{' ? '}' : 0;
}

static int check_text(const char *text)
{
	depth = 0;
	for (; *text != 0 && depth < 32; text++) {
		if (opens(*text) != 0)
			stack[depth++] = (char)opens(*text);
		else if ((*text == ')' || *text == ']') && (depth == 0 || stack[--depth] != *text))
			return 0;
		else if (*text == '}' && (depth == 0 || stack[--depth] != '}'))
			return 0;
	}
	return depth == 0;
}

int main(int argc, char **argv)
{
	for (int i = 1; i < argc; i++) {
		if (argv[i][0] == 0 || !check_text(argv[i]))
			printf("%s: wrong\n", argv[i]);
		else
			printf("%s: right\n", argv[i]);
	}
	return 0;
}
