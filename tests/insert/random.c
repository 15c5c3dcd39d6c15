/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* Calls random functions (tests/random/functions.c), or the main() of a program of csmith (-DCSMITH), and says the sum
 * of their results: on the SoC as an application, on Linux as a program (-DLINUX). */
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>

#ifdef CSMITH
int random_main(void);
int random_said(const char *format, ...);
static uint32_t said;
int random_said(const char *format, ...) /* its printf(): "checksum = %X\n" */
{
	va_list list;
	va_start(list, format);
	said = said * 31 + va_arg(list, unsigned);
	va_end(list);
	return 0;
}
static uint32_t work(void)
{
	random_main();
	return said;
}
#else
typedef intptr_t function(intptr_t, intptr_t);
extern function *const random_table[];
extern const uint32_t random_count;
extern int32_t random_fuel;
extern uint32_t random_data[64];
static uint32_t work(void)
{
	uint32_t sum = 1;
	for (uint32_t round = 0; round < 3; round++) {
		for (uint32_t i = 0; i < random_count; i++) {
			random_fuel = 150;
			sum = sum * 31 + (uint32_t)random_table[i]((intptr_t)(int32_t)(sum ^ i), (intptr_t)round);
		}
	}
	for (uint32_t i = 0; i < 64; i++)
		sum = sum * 31 + random_data[i];
	return sum;
}
#endif

#ifdef LINUX
int main(void)
{
	printf("sum %08x\n", (unsigned)work());
	return 0;
}
#else
#include "sw/run/app.h"
int app_main(int input)
{
	(void)input;
	app_check("sum", work(), 0); /* says it */
	return 0;
}
#endif
