/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* As little as a process can do, beside a secret that it never tells: tests/kernel/heads.c. */
#include "sw/run/app.h"

#define EIGHT(text) text text text text text text text text
extern const char tiny_secret[];
const char tiny_secret[] __attribute__((used)) = EIGHT(EIGHT(EIGHT("SECRET.")));

int app_main(int input)
{
	(void)input;
	return tiny_secret[0] != 'S';
}
