/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* Runs an application (sw/run/app.h) as a process, with what picolibc asks of its host. */
#include <stdio.h>
#include <stdlib.h>
#include "sw/run/app.h"
#include "sw/kernel/user/sys.h"

extern void (*__init_array_start[])(void);
extern void (*__init_array_end[])(void);

uint32_t user_round;

/* A line goes out by one call, so lines of several processes do not mix. */
static char line[80];
static size_t used;

static void flush(void)
{
	if (used != 0)
		sys_write(line, used);
	used = 0;
}

static int put(char c, FILE *file)
{
	(void)file;
	line[used++] = c;
	if (c == '\n' || used == sizeof line)
		flush();
	return (unsigned char)c;
}

static FILE console = FDEV_SETUP_STREAM(put, NULL, NULL, _FDEV_SETUP_WRITE);
FILE *const stdin = &console;
FILE *const stdout = &console;
FILE *const stderr = &console;

_Noreturn void _exit(int code);
_Noreturn void _exit(int code)
{
	flush();
	sys_exit(code);
}

void user_print(const char *text)
{
	while (*text != '\0')
		put(*text++, &console);
}

void user_print_hex(uint32_t value)
{
	char text[11] = "0x";
	for (unsigned i = 0; i < 8; i++)
		text[2 + i] = "0123456789abcdef"[value >> (28 - 4 * i) & 15];
	user_print(text);
}

int app_check(const char *what, uint32_t got, uint32_t expected)
{
	if (got == expected)
		return 0;
	user_print(app_name);
	user_print(": ");
	user_print(what);
	user_print(": got ");
	user_print_hex(got);
	user_print(", expected ");
	user_print_hex(expected);
	user_print("\n");
	return 1;
}

/* Called by start.S. */
int user_main(int input, uint32_t round);
int user_main(int input, uint32_t round)
{
	user_round = round;
	for (void (**function)(void) = __init_array_start; function != __init_array_end; function++)
		(*function)();
	/* Refused where nobody wants a profile of this process; it does not matter here. */
	sys_profile(1);
	int result = app_main(input);
	sys_profile(0);
	flush();
	return result;
}
