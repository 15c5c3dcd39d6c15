/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* Which functions like longjmp() the files of a link name. */
#define _GNU_SOURCE /* memmem() */
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include "host/cmd/cc_link.h"

/* One of the names may end another in a table of strings: then both are taken. */
const char *const cc_jumps[CC_JUMPS] = {"longjmp", "_longjmp", "siglongjmp", "__longjmp_chk"};

/* The C library names them itself, and is not asked. */
unsigned cc_names_longjmp(const char *path)
{
	static const char *const own[] = {"libc.a", "libg.a", "libm.a", "libgcc.a", "libgcc_eh.a", "libpthread.a"};
	const char *slash = strrchr(path, '/'), *name = slash != NULL ? slash + 1 : path;
	struct stat about;
	for (size_t i = 0; i < sizeof own / sizeof *own; i++) {
		if (strcmp(name, own[i]) == 0)
			return 0;
	}
	int fd = open(path, O_RDONLY);
	unsigned found = 0;
	if (fd >= 0 && fstat(fd, &about) == 0 && about.st_size > 0) {
		size_t size = (size_t)about.st_size;
		void *bytes = mmap(NULL, size, PROT_READ, MAP_PRIVATE, fd, 0);
		for (size_t i = 0; i < CC_JUMPS && bytes != MAP_FAILED; i++)
			found |= memmem(bytes, size, cc_jumps[i], strlen(cc_jumps[i]) + 1) != NULL ? 1u << i : 0;
		if (bytes != MAP_FAILED)
			munmap(bytes, size);
	}
	if (fd >= 0)
		close(fd);
	return found;
}
