/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* The connection: frames, acknowledgements, Ctrl-C. */
#include "host/gdb/gdb.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <strings.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define CTRL_C 3

int gdb_listen(uint16_t *port)
{
	struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons(*port)};
	socklen_t length = sizeof address;
	int on = 1, fd = socket(AF_INET, SOCK_STREAM, 0);
	if (fd < 0)
		return -errno;
	address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
	if (bind(fd, (struct sockaddr *)&address, sizeof address) != 0 || listen(fd, 1) != 0 ||
	    getsockname(fd, (struct sockaddr *)&address, &length) != 0) {
		int error = errno;
		close(fd);
		return -error;
	}
	*port = ntohs(address.sin_port);
	return fd;
}

/* The session, and the hooks of the command below it. */
struct session {
	struct gdb gdb;
	const struct run_hooks *hooks;
};

/* Looks for Ctrl-C while the program runs, and asks the command whether to go on. */
static bool gdb_on_progress(void *context, uint64_t cycles, uint64_t instructions)
{
	struct session *s = context;
	struct pollfd ready = {.fd = s->gdb.connection, .events = POLLIN};
	if (s->hooks->progress && !s->hooks->progress(s->hooks->context, cycles, instructions)) {
		s->gdb.stop = true;
		return false;
	}
	if (poll(&ready, 1, 0) > 0) {
		char byte;
		if (recv(s->gdb.connection, &byte, 1, MSG_PEEK) <= 0) {
			s->gdb.interrupted = true;
			return false; /* gone */
		}
		recv(s->gdb.connection, &byte, 1, 0);
		if (byte == CTRL_C)
			s->gdb.interrupted = true;
	}
	return !s->gdb.interrupted;
}

static void gdb_on_console(void *context, uint8_t byte)
{
	struct session *s = context;
	if (s->hooks->console)
		s->hooks->console(s->hooks->context, byte);
}

static void gdb_on_uart(void *context, uint8_t byte)
{
	struct session *s = context;
	if (s->hooks->uart)
		s->hooks->uart(s->hooks->context, byte);
}

static void gdb_on_record(void *context, const struct record *record)
{
	struct session *s = context;
	if (s->hooks->record)
		s->hooks->record(s->hooks->context, record);
}

static bool send_all(int fd, const char *text, size_t size)
{
	while (size) {
		ssize_t sent = send(fd, text, size, MSG_NOSIGNAL);
		if (sent <= 0)
			return false;
		text += sent;
		size -= (size_t)sent;
	}
	return true;
}

static bool server_send_packet(int fd, const char *answer, size_t size)
{
	char frame[GDB_PACKET + 8];
	unsigned sum = 0;
	for (size_t i = 0; i < size; i++)
		sum += (uint8_t)answer[i];
	frame[0] = '$';
	memcpy(frame + 1, answer, size);
	sprintf(frame + 1 + size, "#%02x", sum & 0xFF);
	return send_all(fd, frame, size + 4);
}

static int next_byte(int fd)
{
	char byte;
	return recv(fd, &byte, 1, 0) == 1 ? (uint8_t)byte : -1;
}

/* The next packet with the right checksum, or CTRL_C alone: its size, or -1 at the end. */
static int receive_packet(struct gdb *gdb, char *packet)
{
	for (;;) {
		int byte = next_byte(gdb->connection);
		if (byte < 0)
			return -1;
		if (byte != '$')
			continue; /* acknowledgements, and a Ctrl-C while nothing runs */
		unsigned sum = 0;
		size_t size = 0;
		while ((byte = next_byte(gdb->connection)) >= 0 && byte != '#') {
			sum += (unsigned)byte;
			if (size + 1 < GDB_PACKET)
				packet[size++] = (char)byte;
		}
		char check[3] = {(char)next_byte(gdb->connection), (char)next_byte(gdb->connection), '\0'}, expected[3];
		packet[size] = '\0';
		snprintf(expected, sizeof expected, "%02x", sum & 0xFF);
		bool good = strcasecmp(check, expected) == 0;
		if (!gdb->no_ack && !send_all(gdb->connection, good ? "+" : "-", 1))
			return -1;
		if (good || gdb->no_ack)
			return (int)size;
	}
}

int gdb_serve(
    int socket, struct fast *fast, struct model *model, const struct run_hooks *hooks, struct run_result *result)
{
	static char packet[GDB_PACKET], answer[GDB_PACKET];
	static const struct run_hooks none;
	struct session s = {.hooks = hooks ? hooks : &none};
	struct gdb *gdb = &s.gdb;
	int on = 1, size;
	gdb->fast = fast;
	gdb->model = model;
	gdb->end = GDB_LOST;
	gdb->hooks = (struct run_hooks){.context = &s,
	    .console = gdb_on_console,
	    .uart = s.hooks->uart ? gdb_on_uart : NULL,
	    .record = gdb_on_record,
	    .progress = gdb_on_progress};
	gdb->connection = accept(socket, NULL, NULL);
	int error = errno;
	close(socket);
	if (gdb->connection < 0)
		return -error;
	setsockopt(gdb->connection, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
	while (!gdb->ended && (size = receive_packet(gdb, packet)) >= 0) {
		size_t length = gdb_packet(gdb, packet, (size_t)size, answer);
		if (!(gdb->ended && gdb->end == GDB_KILLED) && !server_send_packet(gdb->connection, answer, length))
			break;
	}
	close(gdb->connection);
	*result = gdb->total;
	return (int)gdb->end;
}
