/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* Sends until it is answered: 0 no answer, 1 good, 2 broken. */
/* run: 0 0 1 */
/* run: 1 1 1 1 */
/* run: 0 1 0 0 0 0 0 0 0 */
/* run: 2 */
#include <stdio.h>
#include <stdlib.h>

static char **answers;
static int left;

static int next_answer(void)
{
	return left > 0 ? (left--, atoi(*answers++)) : 0;
}

static int send_message(int number)
{
	int tries = 0, answer = 0;
	do {
		answer = next_answer();
		tries++;
	} while (answer == 0 && tries < 3);
	if (answer != 1 || number < 0) {
		printf("message %d failed\n", number);
		return 0;
	}
	return 1;
}

int main(int argc, char **argv)
{
	int sent = 0, failed = 0;
	answers = argv + 1;
	left = argc - 1;
	while (left > 0 && failed < 2) {
		if (send_message(sent))
			sent++;
		else
			failed++;
	}
	if (sent > 2 && failed == 0)
		puts("all sent");
	return 0;
}
