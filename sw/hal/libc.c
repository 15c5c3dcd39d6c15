/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* What picolibc asks of its host: streams over the UART, and _exit(). Its own sbrk() takes __heap_start to
 * __heap_end. */
#include <stdio.h>
#include <stdint.h>
#include <stdlib.h>
#include "sw/hal/hal.h"

extern void (*__init_array_start[])(void);
extern void (*__init_array_end[])(void);

static int put(char c, FILE *file)
{
	(void)file;
	hal_uart_put((uint8_t)c);
	return (unsigned char)c;
}

static int get(FILE *file)
{
	int c;
	(void)file;
	do
		c = hal_uart_get();
	while (c < 0);
	return c;
}

static FILE uart = FDEV_SETUP_STREAM(put, get, NULL, _FDEV_SETUP_RW);
FILE *const stdin = &uart;
FILE *const stdout = &uart;
FILE *const stderr = &uart;

_Noreturn void _exit(int code);
_Noreturn void _exit(int code)
{
	hal_exit(code);
}

/* Called by start.S before main(). */
void hal_init(void);
void hal_init(void)
{
	for (void (**function)(void) = __init_array_start; function != __init_array_end; function++)
		(*function)();
}
