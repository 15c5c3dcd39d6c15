/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* Says where it and its libraries are, as the loader put them; for position-independent and dynamic programs. */
#include <stdio.h>
#include <string.h>
static int classify(const char *line)
{
	switch (line[strlen(line) / 2]) {
	case '0':
		return 1;
	case '/':
		return 2;
	case 'r':
		return 3;
	case '-':
		return 5;
	case ' ':
		return 7;
	default:
		return 0;
	}
}
int main(void)
{
	char line[512];
	int sum = 0;
	FILE *maps = fopen("/proc/self/maps", "r");
	while (maps != NULL && fgets(line, sizeof line, maps) != NULL) {
		fputs(line, stdout);
		sum += classify(line);
	}
	fprintf(stderr, "%d\n", sum & 1);
	return maps == NULL;
}
