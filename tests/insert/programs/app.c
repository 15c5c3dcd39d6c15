/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* An application of sw/apps as a program for Linux: one round of its training input. */
#include <inttypes.h>
#include <stdio.h>
#include "sw/run/app.h"

int app_check(const char *what, uint32_t got, uint32_t expected)
{
	printf("%s: %" PRIu32 "%s\n", what, got, got == expected ? "" : ", wrong");
	return got != expected;
}

int main(void)
{
	return app_main(APP_TRAIN);
}
