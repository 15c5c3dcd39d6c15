/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* Interrupts through a table of jumps, a trap to a place in the midst of code, and a call of the host near the end of a
 * page. */
#include <stdio.h>
#include <string.h>
long host_call(long operation, const void *parameter);
void interrupt(void);
long probed(void);
int seen;
int main(void)
{
	long probes = 0;
	for (int i = 0; i < 10; i++) {
		interrupt();
		probes += probed();
	}
	char text[40];
	sprintf(text, "%d interrupts, %ld probes\n", seen, probes);
	host_call(4, text);
	return 0;
}
