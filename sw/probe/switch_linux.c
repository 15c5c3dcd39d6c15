/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/*
 * RIVULET_SWITCH in the environment of a program of Linux, words with commas between them:
 *
 *   off, on           how it begins; without it: off, if there is another word
 *   USR1, USR2, HUP   each such signal switches
 *   10%               it is on for so much of the processor's time: windows of 20 ms or more, as often as that makes
 *
 *      on   ┌────┐           ┌────┐      ┌────┐                 a window; between two the mean is 9 times as long,
 *      off ─┘    └───────────┘    └──────┘    └──── ...         by lot, so that no period of the program hides in it
 */
#include "sw/probe/linux.h"
#include "sw/probe/probe.h"
#include "sw/probe/switch.h"

#define SIGNAL_SHARE 61
#define RESTART 0x10000000ul
#define ON_STACK 0x08000000ul
#define PROCESSOR_TIME 2 /* CLOCK_PROCESS_CPUTIME_ID */
#define WINDOW 20000000u /* ns: the kernel's ticks are at most 10 ms apart */

static int timer = -1;
static unsigned percent;
static uint64_t lot;

uint64_t rivulet_probe_switch_clock(void)
{
	int64_t now[2] = {0, 0};
	if (call(sizeof(long) == 8 ? CALL_CLOCK_GETTIME : CALL_CLOCK_GETTIME64, PROCESSOR_TIME, (long)now, 0, 0) < 0)
		return 0;
	return (uint64_t)now[0] * 1000000000u + (uint64_t)now[1];
}

static void set_timer(uint64_t nanoseconds)
{
	int64_t when[4] = {0, 0, 0, 0};
	volatile int64_t *to = when; /* no memset() */
	to[2] = (int64_t)(nanoseconds / 1000000000u);
	to[3] = (int64_t)(nanoseconds % 1000000000u);
	call(sizeof(long) == 8 ? CALL_TIMER_SETTIME : CALL_TIMER_SETTIME64, timer, 0, (long)when, 0);
}

/* Between half and three halves of the mean. */
static uint64_t pause_by_lot(void)
{
	const uint64_t mean = (uint64_t)WINDOW * (100 - percent) / percent;
	lot = lot * 6364136223846793005u + 1442695040888963407u;
	return mean / 2 + (uint64_t)((lot >> 40) % 1024) * mean / 1024;
}

static void on_share(int number, void *unused, void *context)
{
	(void)number;
	(void)unused;
	(void)context;
	if (rivulet_probe_switch != 0) {
		rivulet_probe_switch_off();
		set_timer(pause_by_lot());
	} else {
		rivulet_probe_switch_on();
		set_timer(WINDOW);
	}
}

static void on_switch(int number, void *unused, void *context)
{
	(void)number;
	(void)unused;
	(void)context;
	if (rivulet_probe_switch != 0)
		rivulet_probe_switch_off();
	else
		rivulet_probe_switch_on();
}

static int handle_signal(int number, void (*handler)(int, void *, void *))
{
	static struct { /* of the kernel; again: for qemu 7.2, which has a word more before the mask */
		void (*handler)(int, void *, void *);
		unsigned long flags, mask[64 / (8 * sizeof(long))], again[64 / (8 * sizeof(long))];
	} ours;
	ours.handler = handler;
	ours.flags = ON_STACK | RESTART;
	for (size_t i = 0; i < sizeof ours.mask / sizeof *ours.mask; i++)
		((volatile unsigned long *)ours.mask)[i] = i == 0 ? ~0x440ul : ~0ul;
	return call(CALL_SIGACTION, number, (long)&ours, 0, 8) == 0;
}

/* A timer of the processor's time; where there is none, of all time. */
static int make_timer(void)
{
	static int event[16];
	event[sizeof(long) / sizeof(int)] = SIGNAL_SHARE;
	return call(CALL_TIMER_CREATE, PROCESSOR_TIME, (long)event, (long)&timer, 0) == 0 ||
	       call(CALL_TIMER_CREATE, 1, (long)event, (long)&timer, 0) == 0;
}

static void start_share(void)
{
	lot = (uint64_t)call(CALL_GETPID, 0, 0, 0, 0) * 2654435761u + rivulet_probe_switch_clock();
	if (handle_signal(SIGNAL_SHARE, on_share) && make_timer())
		set_timer(rivulet_probe_switch != 0 ? WINDOW : pause_by_lot());
}

/* ---------------------------------------------------------------- what the environment says */
static int is_word(const char *text, size_t length, const char *word)
{
	size_t i = 0;
	while (i < length && word[i] != '\0' && text[i] == word[i])
		i++;
	return i == length && word[i] == '\0';
}

static int signal_named(const char *text, size_t length)
{
	if (length > 3 && text[0] == 'S' && text[1] == 'I' && text[2] == 'G') {
		text += 3;
		length -= 3;
	}
	if (is_word(text, length, "USR1"))
		return 10;
	if (is_word(text, length, "USR2"))
		return 12;
	return is_word(text, length, "HUP") ? 1 : 0;
}

static unsigned share_named(const char *text, size_t length)
{
	unsigned value = 0;
	if (length < 2 || length > 3 || text[length - 1] != '%')
		return 0;
	for (size_t i = 0; i + 1 < length; i++) {
		if (text[i] < '0' || text[i] > '9')
			return 0;
		value = 10 * value + (unsigned)(text[i] - '0');
	}
	return value;
}

struct wish {
	int begin, number; /* 1: on, 0: off, -1: not said; of the signal, 0: none */
	unsigned share;
};

/* Whether another setting has this signal. */
static int is_taken(int number)
{
	static const char *const others[] = {"RIVULET_DUMP=", "RIVULET_RESET="};
	for (unsigned i = 0; i < 2; i++) {
		const char *other = rivulet_probe_setting(others[i]);
		size_t length = 0;
		while (other != NULL && other[length] != '\0')
			length++;
		if (other != NULL && signal_named(other, length) == number)
			return 1;
	}
	return 0;
}

static int read_wish(const char *text, struct wish *w)
{
	for (;;) {
		size_t length = 0;
		while (text[length] != '\0' && text[length] != ',')
			length++;
		if (is_word(text, length, "on") || is_word(text, length, "off"))
			w->begin = text[1] == 'n';
		else if (signal_named(text, length) != 0 && w->number == 0)
			w->number = signal_named(text, length);
		else if (share_named(text, length) != 0 && w->share == 0)
			w->share = share_named(text, length);
		else
			return 0;
		if (text[length] == '\0')
			return !(w->number != 0 && is_taken(w->number));
		text += length + 1;
	}
}

void rivulet_probe_switch_start(int child)
{
	static const char wrong[] = "rivulet: RIVULET_SWITCH is on, off, USR1, USR2, HUP or a share such as 10%, with "
				    "commas, and not the signal of RIVULET_DUMP or RIVULET_RESET: all is counted\n";
	struct wish w = {-1, 0, 0};
	const char *text = rivulet_probe_setting("RIVULET_SWITCH=");
	if (child && percent != 0)
		start_share();
	if (child || text == NULL)
		return;
	if (!read_wish(text, &w)) {
		call(CALL_WRITE, 2, (long)wrong, sizeof wrong - 1, 0);
		return;
	}
	if (w.begin != 1)
		rivulet_probe_switch_off();
	if (w.number != 0)
		handle_signal(w.number, on_switch);
	percent = w.share;
	if (percent != 0)
		start_share();
}
