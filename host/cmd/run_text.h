/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#ifndef RIVULET_CMD_RUN_TEXT_H
#define RIVULET_CMD_RUN_TEXT_H
/*
 * What a program sends over the UART, as its user reads it: text on standard output, line by line; frames of a profile
 * (docs/profile-format.md) are left out; what the start-up code says of trouble ("trap: mcause ...", "runs with tracing
 * off: ...") goes to standard error, with the program's name.
 *
 *   text ──► line end ──► shown        00 ... 00 that is no text ──► a frame: left out
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define RUN_TEXT_LINE 4096 /* longer pieces are shown as they are */

struct run_text {
	const char *program;
	uint8_t piece[RUN_TEXT_LINE];
	size_t size;
	bool fresh;   /* a zero byte was before the piece: a line end as its first byte may be the first of a frame */
	bool frame;   /* the piece holds bytes that text does not: up to the next zero byte it is a frame */
	bool marked;  /* text of processes up to the next zero byte, whatever it is */
	bool trouble; /* something was said on standard error */
};

void run_text_open(struct run_text *text, const char *program);
void run_text_take(struct run_text *text, uint8_t byte);
void run_text_close(struct run_text *text); /* shows what is left */
#endif
