/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#ifndef RIVULET_VIEW_SERVE_H
#define RIVULET_VIEW_SERVE_H
/*
 * The page over HTTP, on loopback, for one user (`rivulet view --serve`).
 *
 *   GET /TOKEN/            the page with the document as it is now
 *   GET /TOKEN/data.json   the document; ETag and If-None-Match: 304 as long as it is the same, and with
 *                          "A-IM: rivulet-view-delta" 226 (RFC 3229): what changed since that one (host/view/delta.h)
 *   anything else          404, and no file is ever looked for
 *
 * TOKEN is 128 random bits, so that no other user of the machine and no page of another host gets at the profile. A
 * request whose Host is not the loopback address that is served is refused (a name of another host that leads here).
 */
#include <stdint.h>
#include <stdio.h>
#include "host/view/view.h"

enum serve_error {
	SERVE_OK = 0,
	SERVE_ENOMEM = -1,
	SERVE_EPORT = -2,   /* the port is taken, or may not be used */
	SERVE_ERANDOM = -3, /* the system has no random bytes */
	SERVE_ELIBRARY = -4 /* libmicrohttpd cannot be loaded */
};
const char *serve_strerror(int error);

struct serve;
/* port 0: any. The page's text stays the caller's, and must live as long. A thread of its own answers from here on;
 * before the first document it answers 503. */
int serve_open(struct serve **serve, uint16_t port, const struct view_template *page);
void serve_close(struct serve *serve);
/* "http://127.0.0.1:PORT/TOKEN/" */
const char *serve_address(const struct serve *serve);
/* The document from now on; the bytes, of malloc(), become the server's. The same bytes as before change nothing. */
int serve_put(struct serve *serve, char *document, size_t size);
#endif
