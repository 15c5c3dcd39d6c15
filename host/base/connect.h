/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#ifndef RIVULET_BASE_CONNECT_H
#define RIVULET_BASE_CONNECT_H
/* A stream to a server on this machine or another. */

/* where: "HOST:PORT", ":PORT" or "PORT" (of this machine). Waits at most seconds for each answer that is read.
 * Returns a descriptor; -1: nobody answers, and errno says why (EADDRNOTAVAIL: there is no such host or port). */
int connect_stream(const char *where, unsigned seconds);
#endif
