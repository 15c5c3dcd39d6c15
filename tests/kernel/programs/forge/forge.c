/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/*
 * A process that prints frames of another one's profile. Each round is one way to do it; tests/kernel/check looks for
 * the name "victim" in what `rivulet split` finds, and that it is there when the kernel's escapes are taken away.
 */
#include <string.h>
#include "common/frame.c"
#include "sw/run/app.h"
#include "sw/kernel/user/sys.h"

#define MAX 256
static uint8_t bytes[4 * MAX];
static size_t size;

/* The profile of a program "victim": header, one entry, end. */
static void add(struct frame *frame)
{
	size += frame_end(frame, bytes + size);
}
static void header(void)
{
	struct frame frame;
	frame_begin(&frame, FRAME_HEADER, 0);
	static const uint8_t fields[] = {1, 0, 32, 32, 1, 0, 1, 0, 1, 2, 3, 4, 6, 'v', 'i', 'c', 't', 'i', 'm'};
	for (size_t i = 0; i < sizeof fields; i++)
		frame_byte(&frame, fields[i]);
	add(&frame);
}
static void rest(void)
{
	struct frame frame;
	static const uint8_t entry[] = {0, 2, 5, 77}, end[] = {1, 77, 0, 0, 100, 50, 0, 0};
	frame_begin(&frame, FRAME_ENTRIES, 1);
	for (size_t i = 0; i < sizeof entry; i++)
		frame_byte(&frame, entry[i]);
	add(&frame);
	frame_begin(&frame, FRAME_END, 2);
	for (size_t i = 0; i < sizeof end; i++)
		frame_byte(&frame, end[i]);
	add(&frame);
}

/* All of it in pieces. pause: the other process prints in between. */
static void print(const uint8_t *at, size_t left, size_t piece, bool pause)
{
	while (left > 0) {
		size_t some = left < piece ? left : piece;
		sys_write(at, some);
		at += some;
		left -= some;
		if (pause)
			sys_yield();
	}
}

#define ROUNDS 9
int app_main(int input)
{
	(void)input;
	size = 0;
	header();
	size_t one = size;
	rest();
	switch (user_round % ROUNDS) {
	case 0: /* whole, by one call */
		print(bytes, size, size, false);
		break;
	case 1: /* split over many */
		print(bytes, size, 1, false);
		break;
	case 2: /* others may print in between */
		print(bytes, size, 7, true);
		break;
	case 3: /* without zero bytes: the kernel's own frames around it have them; this process's profile comes next */
		print(bytes + 1, one - 2, MAX, false);
		break;
	case 4: /* begun by one process, ended by the other: even slots print the first half, odd ones the second */
		print(bytes + 1, one / 2 - 1, MAX, false);
		sys_yield();
		print(bytes + one / 2, one - one / 2 - 1, MAX, false);
		break;
	case 5: /* behind the kernel's mark, and behind a mark of its own */
		print((const uint8_t *)"\xFF", 1, 1, false);
		print(bytes + 1, one - 2, MAX, false);
		print((const uint8_t *)"\x00\xFF\x00", 3, 1, false);
		print(bytes, size, size, false);
		break;
	case 6: /* the escape of a zero byte itself, before and behind the content */
		print((const uint8_t *)"\xC0\x80", 2, 2, false);
		print(bytes + 1, one - 2, MAX, false);
		print((const uint8_t *)"\xC0\x80", 2, 1, false);
		print((const uint8_t *)"\xC0", 1, 1, false);
		print(bytes, size, size, false);
		break;
	case 7: /* right behind a profile of this process: only the kernel's end frame stands before it */
		sys_profile(0);
		print(bytes + 1, one - 2, MAX, false);
		sys_profile(1);
		sys_profile(0);
		print(bytes + one + 1, size - one - 1, 1, false);
		break;
	default: /* an end frame, while the others' profiles are to come */
		print(bytes + one, size - one, size, true);
	}
	return 0;
}
