/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#ifndef RIVULET_GDB_H
#define RIVULET_GDB_H
/*
 * A stub for GDB's remote protocol: `target remote localhost:PORT` of gdb-multiarch debugs a program on the fast
 * engine. Registers (x0 to x31, pc, and machine CSRs to read), memory in RAM, breakpoints, watchpoints (the run is then
 * at the golden model's speed), step, continue, interrupt by Ctrl-C, detach, kill. One session; only this machine can
 * connect.
 *
 * Steps and breakpoints lie between instructions; a step into a trap or interrupt stops at its handler. Time is that of
 * the run: debugging does not change the cycles of the program, but behind a write to memory or pc the core fetches
 * again.
 */
#include "model/fast/fast.h"

enum gdb_end {
	GDB_EXITED,   /* the program ended; *result says how */
	GDB_DETACHED, /* the debugger went: the program may go on */
	GDB_KILLED,
	GDB_LOST,   /* the connection broke */
	GDB_STOPPED /* by the progress hook */
};

/* Listens on 127.0.0.1. port 0: any; *port is then set. Returns a socket or a negative errno. */
int gdb_listen(uint16_t *port);
/* Waits for a debugger and serves it. hooks as for fast_run(); its progress hook may be called more often. *result sums
 * up all that was run. Closes the socket. Returns enum gdb_end, or a negative errno. */
int gdb_serve(
    int socket, struct fast *fast, struct model *model, const struct run_hooks *hooks, struct run_result *result);

/* Below, for tests: one packet, as text without its frame, to its answer. */
struct gdb {
	struct fast *fast;
	struct model *model;
	struct run_hooks hooks;
	struct run_result total, last; /* all; the part after the last packet that ran */
	int connection;                /* -1 in tests */
	bool no_ack, ended, interrupted, stop;
	enum gdb_end end;
};
#define GDB_PACKET 16384
/* Both have GDB_PACKET bytes. *size of packet; binary data may hold any byte. Returns the size of the answer. */
size_t gdb_packet(struct gdb *gdb, const char *packet, size_t size, char *answer);
#endif
