/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#ifndef RIVULET_CAPTURE_H
#define RIVULET_CAPTURE_H
/*
 * Bytes from a serial port or a pipe into a capture file, as they come, with nothing left out: what was read is written
 * before it is looked at. Frames of docs/profile-format.md are counted, so that the end of a profile is known; what
 * stands between them is console text, and handed out at once.
 *
 *   ... text │ 00 │ c 01 ... │ 00 │ text ...     A frame is told from text by its second byte: its type, 1 to 3, which
 * no ▲ frame           ▲ text     console text has. So text never waits for more than one byte.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "common/frame.h"

enum capture_error {
	CAPTURE_OK = 0,
	CAPTURE_EOPEN = -1,  /* the port cannot be opened; errno says why */
	CAPTURE_ESPEED = -2, /* the port cannot have this baud rate, or one within 3% of it */
	CAPTURE_EREAD = -3,  /* errno */
	CAPTURE_EWRITE = -4  /* the capture file cannot be written any more; errno */
};
const char *capture_strerror(int error);

/* ---------------------------------------------------------------- text and frames in a stream of bytes */

typedef void capture_text(void *context, const uint8_t *bytes, size_t size);

/* All members but text and context are the splitter's. */
struct capture_split {
	capture_text
	    *text; /* may be NULL. Bytes that could steer a terminal in other ways than text does come as '?' */
	void *context;
	enum { SPLIT_TEXT, SPLIT_ZERO, SPLIT_ONE, SPLIT_FRAME } state;
	uint8_t frame[FRAME_CODED_MAX];
	size_t size;
	bool shown;               /* SPLIT_ONE: its byte has been given out as text */
	uint64_t frames, damaged; /* good frames, and those that do not check */
	uint64_t headers, ends;   /* of the good ones */
};
void capture_split_init(struct capture_split *split, capture_text *text, void *context);
void capture_split_feed(struct capture_split *split, const uint8_t *bytes, size_t size);
/* Nothing has come for a while, or nothing will: gives out what was held back. */
void capture_split_idle(struct capture_split *split);

/* ---------------------------------------------------------------- the serial port */

/* Of zeros with fd -1: closed. serial: libserialport's; NULL: a pseudo-terminal. */
struct capture_port {
	int fd; /* to be polled and read; belongs to the port */
	struct sp_port *serial;
};

/* Opens a serial port for this process alone, or the pseudo-terminal of a simulation: raw, 8 bits, no parity, one stop
 * bit, no flow control. A pseudo-terminal has no baud rate. What was received before is kept. Returns CAPTURE_OK,
 * CAPTURE_EOPEN or CAPTURE_ESPEED. */
int capture_port_open(struct capture_port *port, const char *path, int baud);
void capture_port_close(struct capture_port *port);
/* Characters that the driver has lost since it was loaded (overruns of the port and of its buffer); 0 if it does not
 * say. */
uint64_t capture_port_lost(const struct capture_port *port);

/* ---------------------------------------------------------------- capturing */

enum capture_stop { CAPTURE_END, CAPTURE_EOF, CAPTURE_TIMEOUT, CAPTURE_INTERRUPTED };

struct capture_options {
	int from, to;                    /* file descriptors */
	uint64_t profiles;               /* stops behind the end frame of that many; 0: does not stop for them */
	int linger;                      /* milliseconds without a byte, behind that frame, until it stops */
	int timeout;                     /* milliseconds without a byte until it gives up; -1: never */
	const volatile int *interrupted; /* set by a signal handler; may be NULL */
	bool (*idle)(void *context, uint64_t bytes); /* called now and then; false interrupts. May be NULL */
	void *idle_context;
	/* takes what came instead of `to` and the splitter; anything but 0: CAPTURE_EWRITE. May be NULL */
	int (*take)(void *context, const uint8_t *bytes, size_t size);
	void *take_context;
};
/* Returns an enum capture_stop or an error. *bytes: what was written. */
int capture_run(const struct capture_options *options, struct capture_split *split, uint64_t *bytes);
#endif
