/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* Counts words: those with a capital, those of two letters. */
/* run: to be or not */
/* run: a Bc _d 9 e-f Gh */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int capitals, pairs;

static void count_word(const char *word)
{
	size_t length = strlen(word);
	if (length > 1 && isupper((unsigned char)word[0]) && !isupper((unsigned char)word[1])) {
		capitals++;
		printf("capital: %s\n", word);
	}
	if (length == 2 && isalpha((unsigned char)word[0]) && isalpha((unsigned char)word[1])) {
		pairs++;
		printf("pair: %s\n", word);
	}
	if (strchr(word, '-') != NULL || strchr(word, '_') != NULL)
		printf("joined: %s\n", word);
}

int main(int argc, char **argv)
{
	for (int i = 1; i < argc; i++)
		count_word(argv[i]);
	printf("%d %d\n", capitals, pairs);
	return 0;
}
