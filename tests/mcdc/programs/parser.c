/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* Numbers with + - * / and brackets. */
/* run: 1+2*3 */
/* run: (4-1)*2 */
/* run: 8/0 */
/* run: 2* */
/* run: 7-(2 */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>

static const char *at;
static int wrong;

static int parse_sum(void);

static int parse_value(void)
{
	int value = 0;
	if (*at == '(') {
		at++;
		value = parse_sum();
		if (*at != ')' || wrong)
			wrong = 1;
		else
			at++;
		return value;
	}
	if (!isdigit((unsigned char)*at) || wrong) {
		wrong = 1;
		return 0;
	}
	while (isdigit((unsigned char)*at) && value < 100000)
		value = value * 10 + (*at++ - '0');
	return value;
}

static int parse_product(void)
{
	int value = parse_value();
	while (!wrong && (*at == '*' || *at == '/')) {
		char sign = *at++;
		int other = parse_value();
		if (sign == '/' && other == 0)
			wrong = 1;
		else
			value = sign == '*' ? value * other : value / other;
	}
	return value;
}

static int parse_sum(void)
{
	int value = parse_product();
	while (!wrong && (*at == '+' || *at == '-')) {
		char sign = *at++;
		int other = parse_product();
		value += sign == '+' ? other : -other;
	}
	return value;
}

int main(int argc, char **argv)
{
	for (int i = 1; i < argc; i++) {
		wrong = 0;
		at = argv[i];
		int value = parse_sum();
		if (wrong || *at != 0)
			printf("%s: wrong\n", argv[i]);
		else
			printf("%s = %d\n", argv[i], value);
	}
	return 0;
}
