/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* The jump tables of printf and scanf, strings, locale, malloc. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
int main(void)
{
	char line[256], *all = calloc(1, 65536);
	size_t at = 0;
	for (int i = 0; i < 12; i++) {
		int n = snprintf(line, sizeof line, "%5d|%-8s|%08x|%+.3f|%c|%ld|%e|%o|%p|%%|%*d", i, "abc", i * 77,
		    i / 7.0, 'a' + i % 26, (long)i << 33, i * 1e10, i, (void *)(long)i, i % 9, i);
		int a;
		unsigned x;
		char word[16];
		if (sscanf(line, "%d|%15[^|]|%x", &a, word, &x) == 3)
			at += (size_t)(a + (int)strlen(word)) + x;
		char *copy = strdup(line);
		for (char *t = strtok(copy, "|"); t != NULL; t = strtok(NULL, "|"))
			strcat(strcpy(all, t), strchr(t, '0') ? "zero" : "none");
		free(copy);
		at += (size_t)n;
	}
	printf("%zu %s\n", at, all);
	free(all);
	return 0;
}
