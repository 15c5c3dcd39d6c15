/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* Packets: protocol, port, inside or outside. */
/* run: 6 80 1 */
/* run: 6 80 1 6 22 0 17 53 1 6 22 1 1 0 0 17 9 1 6 443 0 6 443 1 */
#include <stdio.h>
#include <stdlib.h>

struct packet {
	int protocol, port, inside;
};

static int passes(const struct packet *p)
{
	if (p->protocol == 6 && (p->port == 80 || p->port == 443))
		return 1;
	if (p->protocol == 17 && p->port == 53 && p->inside)
		return 1;
	if (p->inside && (p->protocol == 1 || p->port == 22))
		return 1;
	return 0;
}

int main(int argc, char **argv)
{
	int passed = 0;
	for (int i = 1; i + 2 < argc; i += 3) {
		struct packet p = {atoi(argv[i]), atoi(argv[i + 1]), atoi(argv[i + 2])};
		if (passes(&p))
			passed++;
		else
			printf("dropped: %d %d %d\n", p.protocol, p.port, p.inside);
	}
	printf("%d passed\n", passed);
	return 0;
}
