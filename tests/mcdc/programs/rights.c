/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* Who may do what: user and wish (1 read, 2 write, 4 run). */
/* run: 1 4 */
/* run: 0 7 1 1 2 2 3 4 4 6 9 1 */
#include <stdio.h>
#include <stdlib.h>

static const struct {
	int user, rights, locked;
} users[] = {{1, 5, 0}, {2, 7, 1}, {3, 1, 0}, {4, 6, 0}};

static int log_denied(int user, int wish)
{
	printf("user %d: denied %d\n", user, wish);
	return 0;
}

static int may(int user, int wish)
{
	for (unsigned i = 0; i < sizeof users / sizeof *users; i++) {
		if (users[i].user == user && !users[i].locked && (users[i].rights & wish) == wish)
			return 1;
	}
	return log_denied(user, wish);
}

int main(int argc, char **argv)
{
	int granted = 0;
	for (int i = 1; i + 1 < argc; i += 2) {
		int user = atoi(argv[i]), wish = atoi(argv[i + 1]);
		if (user == 0 || (wish != 0 && may(user, wish)))
			granted++;
	}
	printf("%d\n", granted);
	return 0;
}
