/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/*
 * debug_soc at the other end of OpenOCD's remote_bitbang: bench SOCKET PROGRAM.hex COUNTS CYCLES
 * Listens on the Unix socket SOCKET for one connection; each of its characters is CYCLES cycles of the bus's clock.
 * Behind the end of the connection it writes how often each address retired to COUNTS: "pc count", one a line.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>
#include "tests/debug/rtl.h"

#define CODE_BYTES 65536u

static uint64_t counts[CODE_BYTES / 2];

static int accept_one(const char *path)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	const int listening = socket(AF_UNIX, SOCK_STREAM, 0);
	/* It has its name when it listens: who sees it can connect. */
	const int size = snprintf(address.sun_path, sizeof address.sun_path, "%s.new", path);
	if (listening < 0 || size < 0 || (size_t)size >= sizeof address.sun_path)
		return -1;
	if (bind(listening, (const struct sockaddr *)&address, sizeof address) != 0 || listen(listening, 1) != 0 ||
	    rename(address.sun_path, path) != 0)
		return -1;
	const int connection = accept(listening, NULL, NULL);
	close(listening);
	return connection;
}

static bool run_cycles(struct debug_rtl *rtl, const struct debug_pins *pins, unsigned cycles)
{
	bool tdo = false;
	while (cycles-- > 0) {
		struct debug_retired retired;
		tdo = debug_rtl_cycle(rtl, pins, &retired);
		if (retired.valid && retired.pc < CODE_BYTES)
			counts[retired.pc / 2]++;
	}
	return tdo;
}

/* '0' to '7': TDI, TMS, TCK, from bit 0 on; R: the level of TDO is asked for; Q: quit. Others mean nothing here. */
static void serve(struct debug_rtl *rtl, FILE *connection, unsigned cycles)
{
	struct debug_pins pins = {0, 1, 0};
	bool tdo = false;
	int c;
	while ((c = getc(connection)) != EOF && c != 'Q') {
		if (c == 'R') {
			const char answer = tdo ? '1' : '0';
			if (write(fileno(connection), &answer, 1) != 1)
				return;
		} else if (c >= '0' && c <= '7') {
			const unsigned bits = (unsigned)(c - '0');
			pins.tdi = bits & 1;
			pins.tms = bits >> 1 & 1;
			pins.tck = bits >> 2 & 1;
			tdo = run_cycles(rtl, &pins, cycles);
		}
	}
}

int main(int argc, char **argv)
{
	if (argc != 5) {
		fprintf(stderr, "usage: bench SOCKET PROGRAM.hex COUNTS CYCLES\n");
		return 2;
	}
	struct debug_rtl *rtl = debug_rtl_open(argv[2]);
	const int connection = accept_one(argv[1]);
	FILE *in = connection < 0 ? NULL : fdopen(connection, "r"), *out;
	if (rtl == NULL || in == NULL) {
		fprintf(stderr, "bench: %s: no connection\n", argv[1]);
		return 2;
	}
	serve(rtl, in, (unsigned)strtoul(argv[4], NULL, 10));
	fclose(in);
	debug_rtl_close(rtl);
	out = fopen(argv[3], "w");
	if (out == NULL)
		return 2;
	for (uint32_t i = 0; i < CODE_BYTES / 2; i++)
		if (counts[i] != 0)
			fprintf(out, "%x %" PRIu64 "\n", 2 * i, counts[i]);
	return fclose(out) == 0 ? 0 : 2;
}
