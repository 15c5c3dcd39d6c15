/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* The profile of an edited process, as text: what a process prints must be no frame. Link with -Wl,--wrap=app_main. */
#include "sw/kernel/user/sys.h"
#include "sw/probe/probe.h"
#include "sw/run/app.h"

#define LINE 32 /* bytes */

void rivulet_probe_put(const void *bytes, size_t size)
{
	const uint8_t *at = bytes;
	for (size_t done = 0; done < size; done += LINE) {
		char line[2 * LINE + 48] = "profile ";
		size_t used = 8;
		for (const char *c = app_name; *c != '\0'; c++)
			line[used++] = *c;
		line[used++] = ' ';
		for (size_t i = done; i < size && i < done + LINE; i++) {
			line[used++] = "0123456789abcdef"[at[i] >> 4];
			line[used++] = "0123456789abcdef"[at[i] & 15];
		}
		line[used++] = '\n';
		sys_write(line, used);
	}
}

int __real_app_main(int input);
int __wrap_app_main(int input);
int __wrap_app_main(int input)
{
	int result = __real_app_main(input);
	rivulet_probe_write();
	return result;
}
