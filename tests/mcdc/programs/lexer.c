/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* Words, numbers and signs of a line. */
/* run: 12+3 */
/* run: a1_b (7*x) 0x9 .5 99 */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>

static int is_letter(int c)
{
	return isalpha(c) != 0;
}

static const char *scan_word(const char *text)
{
	while (*text != 0 && (is_letter(*text) || isdigit((unsigned char)*text) || *text == '_'))
		text++;
	return text;
}

static const char *scan_number(const char *text)
{
	int point = 0;
	while (isdigit((unsigned char)*text) || (*text == '.' && point == 0)) {
		if (*text == '.')
			point = 1;
		text++;
	}
	return text;
}

static void scan_line(const char *text)
{
	while (*text != 0) {
		const char *end = text + 1;
		if (is_letter(*text) || *text == '_')
			end = scan_word(text);
		else if (isdigit((unsigned char)*text) || (*text == '.' && isdigit((unsigned char)text[1])))
			end = scan_number(text);
		printf("[%.*s]", (int)(end - text), text);
		text = end;
	}
	putchar('\n');
}

int main(int argc, char **argv)
{
	for (int i = 1; i < argc; i++)
		scan_line(argv[i]);
	return 0;
}
