/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#include "host/base/connect.h"

#include <errno.h>
#include <netdb.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

int connect_stream(const char *where, unsigned seconds)
{
	char host[256];
	const char *colon = strrchr(where, ':'), *port = colon == NULL ? where : colon + 1;
	struct addrinfo hints = {.ai_family = AF_UNSPEC, .ai_socktype = SOCK_STREAM}, *all, *at;
	const struct timeval patience = {.tv_sec = (time_t)seconds};
	int fd = -1;
	snprintf(host, sizeof host, "%.*s", colon == NULL ? 0 : (int)(colon - where), where);
	if (getaddrinfo(host[0] == '\0' ? "localhost" : host, port, &hints, &all) != 0) {
		errno = EADDRNOTAVAIL;
		return -1;
	}
	for (at = all; at != NULL && fd < 0; at = at->ai_next) {
		fd = socket(at->ai_family, at->ai_socktype, at->ai_protocol);
		if (fd >= 0 && connect(fd, at->ai_addr, at->ai_addrlen) != 0) {
			const int error = errno;
			close(fd);
			errno = error;
			fd = -1;
		}
	}
	freeaddrinfo(all);
	if (fd >= 0)
		setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
	return fd;
}
