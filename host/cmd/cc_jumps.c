/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* Which functions that leave others the files of a link name: like longjmp(), and personalities of exceptions. */
#define _GNU_SOURCE /* memmem() */
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include "host/cmd/cc_link.h"

/* One of the names may end another in a table of strings: then both are taken. */
const char *const cc_jumps[CC_JUMPS] = {"longjmp", "_longjmp", "siglongjmp", "__longjmp_chk"};
const char *const cc_personalities[CC_PERSONALITIES] = {"__gxx_personality_v0", "__gcc_personality_v0",
    "rust_eh_personality", "__gnat_personality_v0", "__gdc_personality_v0"};

static unsigned names_of(const char *bytes, size_t size, const char *const *names, unsigned count)
{
	unsigned found = 0;
	for (unsigned i = 0; i < count; i++)
		found |= memmem(bytes, size, names[i], strlen(names[i]) + 1) != NULL ? 1u << i : 0;
	return found;
}

bool cc_of_compiler(const char *path)
{
	static const char *const own[] = {"libc.a", "libg.a", "libm.a", "libgcc.a", "libgcc_eh.a", "libpthread.a"};
	const char *slash = strrchr(path, '/'), *name = slash != NULL ? slash + 1 : path;
	for (size_t i = 0; i < sizeof own / sizeof *own; i++) {
		if (strcmp(name, own[i]) == 0)
			return true;
	}
	return false;
}

/* The C library and the compiler's name them themselves, and are not asked. */
void cc_names_jumps(const char *path, unsigned *jumps, unsigned *personalities)
{
	static const char *const of_exceptions[] = {"libstdc++.", "libsupc++.", "libc++.", "libc++abi.", "libgcc_s."};
	const char *slash = strrchr(path, '/'), *name = slash != NULL ? slash + 1 : path;
	struct stat about;
	bool asked = true;
	if (cc_of_compiler(path))
		return;
	for (size_t i = 0; i < sizeof of_exceptions / sizeof *of_exceptions; i++)
		asked = asked && strncmp(name, of_exceptions[i], strlen(of_exceptions[i])) != 0;
	int fd = open(path, O_RDONLY);
	if (fd >= 0 && fstat(fd, &about) == 0 && about.st_size > 0) {
		size_t size = (size_t)about.st_size;
		void *bytes = mmap(NULL, size, PROT_READ, MAP_PRIVATE, fd, 0);
		if (bytes != MAP_FAILED) {
			*jumps |= names_of(bytes, size, cc_jumps, CC_JUMPS);
			*personalities |= asked ? names_of(bytes, size, cc_personalities, CC_PERSONALITIES) : 0;
			munmap(bytes, size);
		}
	}
	if (fd >= 0)
		close(fd);
}
