/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* rivulet cc: the runtime of inserted code is compiled for the link, and its wraps are added. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "host/cc/process.h"
#include "host/cc/runtime.h"
#include "host/cmd/cc_link.h"
#include "host/cmd/cmd.h"

static bool write_runtime_sources(const char *directory)
{
	for (const struct runtime_file *f = runtime_files; f->name != NULL; f++) {
		char path[CACHE_PATH + 256];
		snprintf(path, sizeof path, "%s/%s", directory, f->name);
		for (char *at = path + strlen(directory) + 1; (at = strchr(at, '/')) != NULL; at++) {
			*at = '\0';
			if (mkdir(path, 0777) != 0 && errno != EEXIST)
				return false;
			*at = '/';
		}
		if (!cache_write_script(path, f->text))
			return false;
	}
	return true;
}

/* What sw/probe is compiled with for this link, or its twin's. */
static void runtime_words(const struct link *l, bool twin, struct cc_words *command)
{
	char text[64];
	if (l->shared) {
		cc_push(command, "-fPIC");
		cc_push(command, "-fvisibility=hidden");
		cc_push(command, "-DRIVULET_LIBRARY");
		snprintf(
		    text, sizeof text, "-DRIVULET_SALT_LOW=0x%08" PRIx32, (uint32_t)l->salt.words[0] & ~UINT32_C(1));
		cc_push(command, text);
		snprintf(text, sizeof text, "-DRIVULET_SALT_HIGH=0x%08" PRIx32, (uint32_t)(l->salt.words[0] >> 32));
		cc_push(command, text);
	}
	for (unsigned reg = 5; reg < 32; reg++) {
		snprintf(text, sizeof text, "-ffixed-x%u", reg);
		if ((cc_reserved(l) >> reg & 1) != 0)
			cc_push(command, text);
	}
	if (l->arguments.clock != 0 || modes_stay(&l->modes)) {
		snprintf(text, sizeof text, "-DRIVULET_PROBE_CLOCK=%d",
		    l->arguments.clock != 0 ? l->arguments.clock : CC_MCYCLE);
		cc_push(command, text);
	}
	if (l->linked) {
		cc_push(command, "-fPIE");
		cc_push(command, "-fvisibility=hidden");
		cc_push(command, "-DRIVULET_LINKED");
	}
	if (l->no_libc)
		cc_push(command, "-DRIVULET_NO_LIBC");
	if (l->arguments.contexts > 0) {
		snprintf(text, sizeof text, "-DRIVULET_CYCLES_NODES=%" PRIu64, l->arguments.contexts);
		cc_push(command, text);
	}
	if (twin)
		cc_push(command, "-DRIVULET_TWIN");
}

static bool compile_runtime(struct link *l, const char *source, bool twin, char object[CACHE_PATH])
{
	static const char *const flags[] = {"-std=gnu11", "-O2", "-w", "-ffreestanding", "-fno-builtin",
	    "-fno-stack-protector", "-fno-lto", /* and not the names of a program that has common/frame.c itself */
	    "-Dframe_begin=rivulet_probe_frame_begin", "-Dframe_room=rivulet_probe_frame_room",
	    "-Dframe_byte=rivulet_probe_frame_byte", "-Dframe_leb=rivulet_probe_frame_leb",
	    "-Dframe_end=rivulet_probe_frame_end", "-Dframe_decode=rivulet_probe_frame_decode",
	    "-Dframe_get_leb=rivulet_probe_frame_get_leb", "-Dframe_crc32=rivulet_probe_frame_crc32"};
	struct cache_key key = CACHE_KEY;
	struct cc_words command = {0};
	char directory[CACHE_PATH], making[CACHE_PATH], text[CACHE_PATH + 256], detail[CACHE_PATH + 256];
	cc_add_self(&key);
	cc_target_words(&l->arguments, &command);
	for (size_t i = 0; i < sizeof flags / sizeof *flags; i++)
		cc_push(&command, flags[i]);
	if (strstr(l->arguments.driver.items[0], "clang") == NULL)
		cc_push(&command, "-fno-tree-loop-distribute-patterns");
	runtime_words(l, twin, &command);
	for (size_t i = 0; i < command.count; i++)
		cache_add_text(&key, command.items[i]);
	cache_add_text(&key, source);
	bool good = cache_find(&l->cache, &key, ".o", object);
	if (!good) {
		snprintf(directory, sizeof directory, "%s/src", l->cache.directory);
		good = (mkdir(directory, 0777) == 0 || errno == EEXIST) && write_runtime_sources(directory);
		if (!good)
			complain("%s: cannot be written: %s", directory, strerror(errno));
		cache_making(object, making);
		snprintf(text, sizeof text, "-I%s", directory);
		cc_push(&command, text);
		cc_push(&command, "-c");
		if (strcmp(source + strlen(source) - 2, ".c") == 0) /* for drivers of C++ */
			cc_push(&command, "-xc");
		if (strcmp(source, "sw/probe/thrown.c") == 0) /* exceptions go through it */
			cc_push(&command, "-funwind-tables");
		snprintf(text, sizeof text, "%s/%s", directory, source);
		cc_push(&command, text);
		cc_push(&command, "-o");
		cc_push(&command, making);
		if (good && cc_process_run(false, command.items, NULL, 0, NULL) != 0) {
			complain("the runtime cannot be compiled with %s: %s", command.items[0], source);
			unlink(making);
			good = false;
		} else if (good && !cache_keep(making, object, detail, sizeof detail)) {
			complain("%s", detail);
			good = false;
		}
	}
	cc_drop(&command);
	return good;
}

static bool add_source(struct link *l, const char *source)
{
	char object[CACHE_PATH];
	if (!compile_runtime(l, source, false, object))
		return false;
	cc_push(&l->command, object);
	return true;
}

/* --per-thread: where threads are made, of static programs in the C library. */
static bool add_threads(struct link *l)
{
	if (!add_source(l, "sw/probe/thread.c") || (!l->dynamic && !add_source(l, "sw/probe/thread_static.c")))
		return false;
	cc_push(&l->command, "--wrap=pthread_create");
	cc_push(&l->command, "--wrap=__libc_start_main");
	if (!l->dynamic)
		cc_push(&l->command, "--wrap=__clone_internal");
	return true;
}

/* --switch: what a debugger calls is kept, though nobody else calls it. */
static bool add_switch(struct link *l, bool linux_file)
{
	if (!add_source(l, "sw/probe/switch.c") || (linux_file && !add_source(l, "sw/probe/switch_linux.c")))
		return false;
	cc_push(&l->command, "--undefined=rivulet_probe_switch_on");
	cc_push(&l->command, "--undefined=rivulet_probe_switch_off");
	return true;
}

/* What a program and its libraries share. */
static bool add_process(struct link *l)
{
	if (!add_source(l, "sw/probe/process.c") || (l->shared && !add_source(l, "sw/probe/library.c")))
		return false;
	cc_push(&l->command, "--export-dynamic-symbol=rivulet_probe_process");
	if (l->shared && cc_inserts(l, "--hash")) {
		cc_push(&l->command, "-z");
		cc_push(&l->command, "nodelete");
	}
	return true;
}

/* The library's salt, in its map at least. */
static bool add_salt(struct link *l, bool twin)
{
	char object[CACHE_PATH];
	if (!l->shared)
		return true;
	if (!compile_runtime(l, "sw/probe/salt.S", twin || l->arguments.map, object))
		return false;
	cc_push(twin ? &l->twin : &l->command, object);
	return true;
}

/* The linker sends calls of a function to the runtime, which names the function itself weakly. */
static void wrap_function(struct link *l, const char *name)
{
	char text[128];
	snprintf(text, sizeof text, "--wrap=%s", name);
	cc_push(&l->command, text);
	snprintf(text, sizeof text, "--undefined=%s", name);
	cc_push(&l->command, text);
}

/* Exceptions: where they begin, and who says where they land. */
static bool add_exceptions(struct link *l)
{
	static const char *const begins[] = {
	    "_Unwind_RaiseException", "_Unwind_Resume", "_Unwind_Resume_or_Rethrow", "_Unwind_ForcedUnwind"};
	static const char *const of_cxx[] = {
	    "__cxa_throw", "__cxa_rethrow", "_ZSt17rethrow_exceptionNSt15__exception_ptr13exception_ptrE"};
	if (!add_source(l, "sw/probe/thrown.c") || !add_source(l, "sw/probe/thrown_hook.S"))
		return false;
	for (size_t i = 0; i < sizeof begins / sizeof *begins; i++)
		wrap_function(l, begins[i]);
	/* in a static program these call the first */
	for (size_t i = 0; i < sizeof of_cxx / sizeof *of_cxx && l->dynamic; i++)
		wrap_function(l, of_cxx[i]);
	cc_push(&l->command, "--undefined=_Unwind_GetCFA");
	for (size_t i = 0; i < CC_PERSONALITIES; i++) {
		if ((l->catches >> i & 1) != 0)
			wrap_function(l, cc_personalities[i]);
	}
	return true;
}

/* What ends calls without a return: longjmp() and exceptions where the program has them, traps of the SoC. */
static bool add_stacks(struct link *l, const struct runtime *r)
{
	if (strcmp(r->name, "uart") == 0) {
		if (!add_source(l, "sw/probe/soc_trap.c"))
			return false;
		cc_push(&l->command, "--wrap=hal_trap");
	}
	if (l->jumps == 0 && l->catches == 0)
		return true;
	if (!add_source(l, "sw/probe/left.c"))
		return false;
	for (size_t i = 0; i < CC_JUMPS; i++) {
		if ((l->jumps >> i & 1) != 0)
			wrap_function(l, cc_jumps[i]);
	}
	return l->catches == 0 || add_exceptions(l);
}

/* Where a program of Linux ends, and where a child of it begins, within the C library: that of a dynamic program is
 * seen from outside. */
static void add_ends_and_forks(struct link *l)
{
	static const char *const of_dynamic[] = {"--wrap=exit", "--wrap=daemon", "--wrap=forkpty"};
	for (size_t i = 0; i < sizeof of_dynamic / sizeof *of_dynamic && l->dynamic; i++)
		cc_push(&l->command, of_dynamic[i]);
	if (!l->dynamic)
		wrap_function(l, "_Fork");
}

bool cc_add_runtime(struct link *l, bool twin)
{
	if (!add_salt(l, twin))
		return false;
	if (twin || l->arguments.map)
		return true;
	const char *name = l->arguments.runtime;
	if (name == NULL)
		name = cc_is_linux(l) ? "linux" : "hook";
	const struct runtime *r = runtime_find(name);
	const bool trace = cc_inserts(l, "--trace"), linux_file = r != NULL && strcmp(r->name, "linux") == 0;
	char text[128];
	for (size_t i = 0; r != NULL && r->sources[i] != NULL; i++) {
		const char *source = r->sources[i];
		/* events have a runtime of their own, and no paths; nor has a tree of calls stacks, or a library */
		if ((trace && strncmp(source, "sw/probe/hash", 13) == 0) ||
		    ((trace || cc_inserts(l, "--cycles") || l->shared) && strcmp(source, "sw/probe/stack.c") == 0))
			continue;
		if (trace && strcmp(source, "sw/probe/probe.c") == 0)
			source = "sw/probe/trace.c";
		if (!add_source(l, source))
			return false;
	}
	if (r != NULL && r->sources[0] != NULL) {
		if (trace && !add_source(l, "sw/probe/trace_hook.S"))
			return false;
		if (cc_inserts(l, "--cycles") &&
		    (!add_source(l, "sw/probe/cycles.c") || !add_source(l, "sw/probe/cycles_hooks.S")))
			return false;
		if (cc_inserts(l, "--cycles") && linux_file && !l->no_libc) {
			if (!add_source(l, "sw/probe/cycles_linux.c"))
				return false;
			cc_push(&l->command, "--wrap=sigaction");
			cc_push(&l->command, "--wrap=signal");
		}
		if (linux_file && !l->shared && !l->no_libc)
			add_ends_and_forks(l);
		if (!trace && !cc_inserts(l, "--cycles") && !l->shared && !add_stacks(l, r))
			return false;
		if (cc_inserts(l, "--per-thread") && !add_threads(l))
			return false;
		if (cc_inserts(l, "--switch") && !add_switch(l, linux_file))
			return false;
		if (linux_file && (l->dynamic || l->shared) && !trace && !add_process(l))
			return false;
	}
	for (size_t i = 0; r != NULL && r->wraps[i] != NULL; i++) {
		if (l->no_libc && (strcmp(r->wraps[i], "fork") == 0 || strcmp(r->wraps[i], "abort") == 0))
			continue;
		snprintf(text, sizeof text, "--wrap=%s", r->wraps[i]);
		cc_push(&l->command, text);
	}
	return true;
}
