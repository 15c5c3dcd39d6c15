/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#include "host/gdb/client.h"

#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "host/base/connect.h"

#define PIECE 256u /* bytes of memory asked for at once */

static bool client_send_packet(int fd, const char *text)
{
	char packet[64];
	unsigned sum = 0;
	for (const char *c = text; *c != '\0'; c++)
		sum += (unsigned char)*c;
	const int size = snprintf(packet, sizeof packet, "$%s#%02x", text, sum & 0xFF);
	return size > 0 && (size_t)size < sizeof packet && write(fd, packet, (size_t)size) == size;
}

/* The text of the next packet, its checksum looked at and acknowledged. Returns its size, or -1. */
static int take_packet(int fd, char *text, size_t room)
{
	char c = 0, sum_text[3] = "";
	size_t size = 0;
	unsigned sum = 0;
	while (c != '$') {
		if (read(fd, &c, 1) != 1)
			return -1;
	}
	while (read(fd, &c, 1) == 1 && c != '#') {
		if (size + 1 == room)
			return -1;
		text[size++] = c;
		sum += (unsigned char)c;
	}
	text[size] = '\0';
	if (c != '#' || read(fd, &sum_text[0], 1) != 1 || read(fd, &sum_text[1], 1) != 1 ||
	    strtoul(sum_text, NULL, 16) != (sum & 0xFF) || write(fd, "+", 1) != 1)
		return -1;
	return (int)size;
}

static bool take_hex(const char *text, uint8_t *bytes, size_t size)
{
	for (size_t i = 0; i < size; i++) {
		const char pair[] = {text[2 * i], text[2 * i + 1], '\0'};
		char *end;
		bytes[i] = (uint8_t)strtoul(pair, &end, 16);
		if (end != pair + 2)
			return false;
	}
	return true;
}

int gdb_client_read(const char *where, uint64_t address, uint8_t *bytes, size_t size, char *detail, size_t detail_size)
{
	const int fd = connect_stream(where, GDB_CLIENT_SECONDS);
	if (fd < 0) {
		snprintf(detail, detail_size, "%s: no gdb server answers: %s; HOST:PORT is expected", where,
		    strerror(errno));
		return -1;
	}
	bool good = true;
	for (size_t done = 0; good && done < size;) {
		char text[2 * PIECE + 16];
		const size_t piece = size - done < PIECE ? size - done : PIECE;
		snprintf(text, sizeof text, "m%" PRIx64 ",%zx", address + done, piece);
		good = client_send_packet(fd, text) && take_packet(fd, text, sizeof text) == (int)(2 * piece) &&
		       take_hex(text, bytes + done, piece);
		done += piece;
	}
	close(fd);
	if (!good)
		snprintf(
		    detail, detail_size, "%s: the gdb server did not give the memory at 0x%08" PRIx64, where, address);
	return good ? 0 : -1;
}
