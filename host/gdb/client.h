/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#ifndef RIVULET_GDB_CLIENT_H
#define RIVULET_GDB_CLIENT_H
/* The other side of GDB's remote protocol, as far as it reads memory: from the server of a debug probe (OpenOCD,
 * probe-rs) or of `rivulet run --gdb`. The chip is held by the server, and is left as it is. */
#include <stddef.h>
#include <stdint.h>

/* where: "HOST:PORT", ":PORT" or "PORT" (of this machine). Reads size bytes at address. Returns 0, or -1 with the
 * sentence for the user in detail. Waits at most GDB_CLIENT_SECONDS for an answer. */
#define GDB_CLIENT_SECONDS 5
int gdb_client_read(const char *where, uint64_t address, uint8_t *bytes, size_t size, char *detail, size_t detail_size);
#endif
