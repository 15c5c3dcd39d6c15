/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#include "host/cc/runtime.h"

#include <string.h>

const struct runtime_file runtime_files[] = {
#include "runtime_files.h" /* made of sw/probe by host/cc/module.mk */
    {NULL, NULL}};

#define HASH "sw/probe/hash.c", "sw/probe/hash_hook.S"
const struct runtime runtimes[] = {
    {"linux",
	"a file at exit, _exit, abort and fatal signals; name in RIVULET_PROFILE, %p is the process, %m: runs add "
	"up; RIVULET_DUMP: while it runs",
	{"common/frame.c", "sw/probe/probe.c", HASH, "sw/probe/stack.c", "sw/probe/linux.c", "sw/probe/merge.c"},
	{"_exit", "_Exit", "abort", "fork"}},
    {"hook", "at _exit() by rivulet_probe_put(), which the board defines; without it they stay in memory for gdb",
	{"common/frame.c", "sw/probe/probe.c", HASH, "sw/probe/stack.c", "sw/probe/early.c", "sw/probe/exit.c"},
	{"_exit"}},
    {"semihosting", "a file of the debugger's or emulator's host, at _exit()",
	{"common/frame.c", "sw/probe/probe.c", HASH, "sw/probe/stack.c", "sw/probe/early.c", "sw/probe/semihosting.c"},
	{"_exit"}},
    {"uart", "over the UART of Rivulet's SoC, at hal_exit()",
	{"common/frame.c", "sw/probe/probe.c", HASH, "sw/probe/stack.c", "sw/probe/early.c", "sw/probe/soc.c"},
	{"hal_exit"}},
    {"none", "nothing is linked: link a runtime of your own", {NULL}, {NULL}}, {NULL, NULL, {NULL}, {NULL}}};

const struct runtime *runtime_find(const char *name)
{
	for (const struct runtime *r = runtimes; r->name != NULL; r++) {
		if (strcmp(r->name, name) == 0)
			return r;
	}
	return NULL;
}
