/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/*
 * A stack overflow, for `make demo-postmortem`: a parser of nested lists calls itself for each bracket, and a sender
 * has found out. Below the stack lies a region that nobody may touch (memory protection, locked).
 */
#include "tests/postmortem/fault.h"

#define GUARD 1024u /* bytes, a power of two: more than a frame */
#define LISTS 400u
#define BYTES 200u

extern uint8_t __stack_end[];

static char text[16384];

/* Numbers of one digit, and lists of what this can read, up to the closing bracket. Returns the sum. */
static __attribute__((noinline)) unsigned sum_list(const char **at)
{
	char digits[64]; /* of what is read now */
	unsigned sum = 0, count = 0;
	while (**at != ']' && **at != '\0') {
		const char c = *(*at)++;
		if (c == '[')
			sum += sum_list(at); /* the fault: nobody counts how deep */
		else
			digits[count++ % sizeof digits] = c;
	}
	*at += **at == ']';
	for (unsigned i = 0; i < count && i < sizeof digits; i++)
		sum += (unsigned)(digits[i] - '0');
	return sum;
}

static __attribute__((noinline)) void receive(unsigned number)
{
	unsigned size = 0, deep = 0;
	while (size < (number + 1 < LISTS ? BYTES : sizeof text - 1)) {
		const unsigned byte = (number * 7 + size * 13) % 8;
		if (number + 1 == LISTS || (byte == 0 && deep < 5)) {
			text[size++] = '[';
			deep++;
		} else if (byte == 1 && deep > 0) {
			text[size++] = ']';
			deep--;
		} else {
			text[size++] = (char)('0' + byte);
		}
	}
	text[size] = '\0';
}

/* The lowest bytes of the stack are no longer to be touched, by machine mode neither. */
static void guard_stack(void)
{
	const uintptr_t guard = ((uintptr_t)__stack_end + GUARD - 1) & ~(uintptr_t)(GUARD - 1);
	csr_write(pmpaddr0, guard >> 2 | (GUARD / 8 - 1));
	csr_write(pmpcfg0, 0x98); /* locked, a power of two, no access */
}

int app_main(int input)
{
	unsigned sum = 0;
	(void)input;
	guard_stack();
	if (fault_arm(TRACE_RECORDER_FAULTS))
		return app_check("recorder", 0, 1);
	for (unsigned i = 0; i < LISTS; i++) {
		const char *at = text;
		receive(i);
		sum += sum_list(&at);
	}
	return app_check("lists", sum != 0, 1);
}
