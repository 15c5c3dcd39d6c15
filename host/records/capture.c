/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#include "host/records/capture.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define BUFFER 65536
#define IDLE 50   /* milliseconds after which a byte that was held back is shown */
#define DRAIN 500 /* milliseconds for what is there already after an interrupt */

const char *capture_strerror(int error)
{
	switch (error) {
	case CAPTURE_OK:
		return "no error";
	case CAPTURE_EOPEN:
		return "cannot be opened";
	case CAPTURE_ESPEED:
		return "the port cannot have this baud rate";
	case CAPTURE_EREAD:
		return "read error";
	case CAPTURE_EWRITE:
		return "write error";
	default:
		return "unknown error";
	}
}

/* ---------------------------------------------------------------- text and frames */

void capture_split_init(struct capture_split *split, capture_text *text, void *context)
{
	*split = (struct capture_split){.text = text, .context = context, .state = SPLIT_TEXT};
}

static bool is_captured_text(uint8_t c)
{
	return (c >= 0x20 && c != 0x7F) || (c >= 0x07 && c <= 0x0D) || c == 0x1B;
}

static void give_captured_text(struct capture_split *s, const uint8_t *bytes, size_t size)
{
	uint8_t clean[256];
	while (s->text != NULL && size > 0) {
		size_t some = size < sizeof clean ? size : sizeof clean;
		for (size_t i = 0; i < some; i++)
			clean[i] = is_captured_text(bytes[i]) ? bytes[i] : '?';
		s->text(s->context, clean, some);
		bytes += some;
		size -= some;
	}
}

static void end_frame(struct capture_split *s)
{
	uint8_t content[FRAME_CONTENT_MAX];
	int size = frame_decode(s->frame, s->size, content);
	if (size < 2) {
		s->damaged++;
		return;
	}
	s->frames++;
	s->headers += content[0] == FRAME_HEADER;
	s->ends += content[0] == FRAME_END;
}

void capture_split_feed(struct capture_split *s, const uint8_t *bytes, size_t size)
{
	for (size_t i = 0; i < size;) {
		const uint8_t *zero = memchr(bytes + i, 0, size - i);
		size_t run = zero == NULL ? size - i : (size_t)(zero - bytes) - i; /* bytes that are not 0 */
		if (s->state == SPLIT_TEXT) {
			give_captured_text(s, bytes + i, run);
			i += run;
		} else if (run > 0) {
			uint8_t c = bytes[i++];
			s->frame[s->size++] = c;
			if (s->state == SPLIT_ONE && c == FRAME_TEXT_MARK && s->frame[0] == FRAME_TEXT_MARK) {
				s->state = SPLIT_TEXT;
				continue;
			}
			if (s->state == SPLIT_ZERO)
				s->state = SPLIT_ONE;
			else if (s->state == SPLIT_ONE && c >= FRAME_HEADER && c <= FRAME_KERNEL)
				s->state = SPLIT_FRAME;
			else if (s->state == SPLIT_ONE || s->size == sizeof s->frame) {
				s->damaged += s->state == SPLIT_FRAME; /* longer than any frame */
				if (s->state == SPLIT_ONE)
					give_captured_text(s, s->frame + s->shown, s->size - s->shown);
				s->state = SPLIT_TEXT;
			}
			continue;
		}
		if (zero == NULL)
			return;
		i++;
		if (s->state == SPLIT_FRAME)
			end_frame(s);
		else if (s->state == SPLIT_ONE)
			give_captured_text(s, s->frame + s->shown, s->size - s->shown);
		s->state = SPLIT_ZERO;
		s->size = 0;
		s->shown = false;
	}
}

void capture_split_idle(struct capture_split *s)
{
	if (s->state != SPLIT_ONE || s->shown || !is_captured_text(s->frame[0]) || s->frame[0] == FRAME_TEXT_MARK)
		return;
	/* Shown, but it may still be the first byte of a frame whose second one is late. */
	give_captured_text(s, s->frame, s->size);
	s->shown = true;
}

/* ---------------------------------------------------------------- capturing */

static int64_t monotonic_now(void)
{
	struct timespec time;
	clock_gettime(CLOCK_MONOTONIC, &time);
	return (int64_t)time.tv_sec * 1000 + time.tv_nsec / 1000000;
}

static int write_to_port(int fd, const uint8_t *bytes, size_t size)
{
	while (size > 0) {
		ssize_t put = write(fd, bytes, size);
		if (put < 0 && errno == EINTR) /* what has been read is written, whatever comes */
			continue;
		if (put < 0)
			return CAPTURE_EWRITE;
		bytes += put;
		size -= (size_t)put;
	}
	return CAPTURE_OK;
}

static bool capture_interrupted(const struct capture_options *o, uint64_t bytes)
{
	return (o->interrupted != NULL && *o->interrupted != 0) ||
	       (o->idle != NULL && !o->idle(o->idle_context, bytes));
}

static int keep_captured(
    const struct capture_options *o, struct capture_split *split, const uint8_t *bytes, size_t size)
{
	if (o->take != NULL)
		return o->take(o->take_context, bytes, size) == 0 ? CAPTURE_OK : CAPTURE_EWRITE;
	int error = write_to_port(o->to, bytes, size);
	if (error == CAPTURE_OK)
		capture_split_feed(split, bytes, size);
	return error;
}

int capture_run(const struct capture_options *o, struct capture_split *split, uint64_t *bytes)
{
	uint8_t buffer[BUFFER];
	int64_t last = monotonic_now(), stopped = 0; /* stopped: when it was interrupted */
	*bytes = 0;
	for (;;) {
		struct pollfd ready = {.fd = o->from, .events = POLLIN};
		int got = poll(&ready, 1, IDLE);
		bool stop = capture_interrupted(o, *bytes);
		if (got < 0 && errno != EINTR)
			return CAPTURE_EREAD;
		if (got > 0) {
			ssize_t size = read(o->from, buffer, sizeof buffer);
			if (size < 0 &&
			    errno == EIO) /* the other side of a terminal is gone, or the port was pulled out */
				size = 0;
			if (size < 0 && errno != EINTR && errno != EAGAIN)
				return CAPTURE_EREAD;
			if (size > 0) {
				int error = keep_captured(o, split, buffer, (size_t)size);
				if (error != CAPTURE_OK)
					return error;
				*bytes += (uint64_t)size;
				last = monotonic_now();
				/* after an interrupt only what is there already is still taken */
				if (!stop)
					continue;
			}
			if (size == 0) {
				capture_split_idle(split);
				return o->profiles > 0 && split->ends >= o->profiles ? CAPTURE_END : CAPTURE_EOF;
			}
		}
		if (stop) {
			stopped = stopped == 0 ? monotonic_now() : stopped;
			if (got <= 0 || monotonic_now() - stopped >= DRAIN)
				return CAPTURE_INTERRUPTED;
			continue;
		}
		int64_t quiet = monotonic_now() - last;
		if (quiet >= IDLE)
			capture_split_idle(split);
		if (o->profiles > 0 && split->ends >= o->profiles && quiet >= o->linger)
			return CAPTURE_END;
		if (o->timeout >= 0 && quiet >= o->timeout)
			return CAPTURE_TIMEOUT;
	}
}
