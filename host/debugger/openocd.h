/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#ifndef RIVULET_DEBUGGER_OPENOCD_H
#define RIVULET_DEBUGGER_OPENOCD_H
/*
 * Words of a target's memory, read and written by a running OpenOCD through its Tcl server (port 6666 by default),
 * while the program runs. Two ways:
 *
 *   the current target     read_memory, write_memory: what OpenOCD takes for it (`riscv set_mem_access sysbus` for a
 *                          chip whose debug module has system bus access: nothing is halted)
 *   a TAP, without target  system bus access of the RISC-V Debug Specification 0.13.2, section 3.8, by scans of ours:
 *                          for rivulet_debug (rtl/debug) or any debug module with 32-bit accesses of that kind
 */
#include <stddef.h>
#include <stdint.h>

enum openocd_error {
	OPENOCD_OK = 0,
	OPENOCD_ECONNECT = -1, /* nobody answers there; errno says why */
	OPENOCD_ELOST = -2,    /* the connection ended, or no answer came for OPENOCD_SECONDS */
	OPENOCD_ECOMMAND = -3, /* OpenOCD refused the command: see openocd_said() */
	OPENOCD_EANSWER = -4   /* its answer is not what is expected: see openocd_said() */
};
const char *openocd_strerror(int error);
#define OPENOCD_SECONDS 60 /* for one answer */

struct openocd;
/* where: "HOST:PORT", ":PORT" or "PORT". tap: "CHIP.TAP", as in `jtag newtap`; NULL: the current target. *openocd is
 * for openocd_close() and openocd_said() in any case; NULL: no memory. */
int openocd_open(struct openocd **openocd, const char *where, const char *tap);
void openocd_close(struct openocd *openocd);
/* count 32-bit words from address on, a multiple of 4; at most 64. */
int openocd_read(struct openocd *openocd, uint64_t address, unsigned count, uint32_t *words);
int openocd_write(struct openocd *openocd, uint64_t address, uint32_t word);
/* The last answer, for a message. */
const char *openocd_said(const struct openocd *openocd);
#endif
