/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/*
 * Which file the code of a block comes from: by /proc/self/maps, which is read anew when the program has changed its
 * mappings (mmap, munmap, mremap, mprotect, brk leaves code alone) and a block is translated then. What the program
 * wrote itself, over a file's code or into memory of its own, is told from what the file has byte by byte.
 *
 *   address ──► mapping (start, end, base, file) ──► the file's own bytes equal ──► object of the file
 *                                                └── other bytes, no file ────────► object "made at run time"
 */
#define _GNU_SOURCE /* O_CLOEXEC */
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include "host/qemu/plugin.h"

struct mapping {
	uint64_t start, end, offset; /* of this process; offset: in the file */
	uint64_t base;               /* where the file's first page is */
	uint64_t object;             /* its number, 0: not yet asked for */
	const uint8_t *bytes;        /* of the file; NULL: not mapped */
	uint64_t length;
	char path[CAPTURE_PATH_MAX];
};

static struct mapping *mappings;
static size_t mapping_count, mapping_room;
static _Atomic bool stale = true;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

struct known_file { /* files that code was seen of: their bytes stay mapped */
	struct known_file *next;
	uint64_t object, base;
	const uint8_t *bytes;
	uint64_t length;
	char path[CAPTURE_PATH_MAX];
};
static struct known_file *known_files;
static uint64_t made_object;

/* Numbers of the system calls that change mappings of code, the same on RV32 and RV64 (mmap2 is 222 too). */
enum { CALL_MUNMAP = 215, CALL_MREMAP = 216, CALL_MMAP = 222, CALL_MPROTECT = 226 };

void maps_called(int64_t number, uint64_t a3)
{
	if (number == CALL_MUNMAP || number == CALL_MREMAP ||
	    ((number == CALL_MMAP || number == CALL_MPROTECT) && (a3 & PROT_EXEC) != 0))
		atomic_store_explicit(&stale, true, memory_order_release);
}

/* The same one that another process found, or this one a new number for. */
static uint64_t new_object(enum capture_kind kind, uint64_t base, const char *path)
{
	struct capture_object *all = (struct capture_object *)((char *)capture + CAPTURE_OBJECTS_AT);
	const uint32_t there = atomic_load(&capture->objects);
	for (uint32_t i = 1; i <= there && i <= CAPTURE_OBJECTS_MAX; i++) {
		if (atomic_load_explicit(&all[i].ready, memory_order_acquire) == (uint32_t)kind &&
		    all[i].base == base && strcmp(all[i].path, path) == 0)
			return i;
	}
	const uint32_t number = atomic_fetch_add(&capture->objects, 1) + 1;
	if (number > CAPTURE_OBJECTS_MAX) {
		atomic_store(&capture->map_unreadable, 1);
		return 0;
	}
	struct capture_object *o = all + number;
	o->base = base;
	snprintf(o->path, sizeof o->path, "%s", path);
	atomic_store_explicit(&o->ready, (uint32_t)kind, memory_order_release);
	return number;
}

/* The kernel writes the end of a line in a name as "\012", and a backslash as it is. */
static void take_line_ends(char *path)
{
	if (strstr(path, "\\012") == NULL || access(path, F_OK) == 0)
		return;
	for (char *at; (at = strstr(path, "\\012")) != NULL;) {
		*at = '\n';
		memmove(at + 1, at + 4, strlen(at + 4) + 1);
	}
}

/* "4000000000-4000001000 r-xp 00001000 08:01 1234   /usr/bin/x"; the base is that of the mapping with offset 0 before
 * it. Where segments of a small file share its first page, the first of those mappings. */
static void read_maps(void)
{
	char line[CAPTURE_PATH_MAX + 128], first_path[CAPTURE_PATH_MAX] = "";
	uint64_t first = 0, last_offset = 0; /* of the mapping before, of the same file */
	FILE *file = fopen("/proc/self/maps", "re");
	if (file == NULL) { /* behind chroot(): what was known holds */
		atomic_store(&capture->map_unreadable, 1);
		return;
	}
	mapping_count = 0;
	while (fgets(line, sizeof line, file) != NULL) {
		unsigned long long start, end, offset;
		int at = 0;
		line[strcspn(line, "\n")] = '\0';
		if (sscanf(line, "%llx-%llx %*s %llx %*s %*s %n", &start, &end, &offset, &at) < 3 || at == 0)
			continue;
		const char *path = line[at] == '/' ? line + at : "";
		if (*path != '\0')
			take_line_ends(line + at);
		const bool same = strcmp(path, first_path) == 0;
		if (offset == 0 && *path != '\0' && (!same || last_offset != 0)) {
			first = start;
			snprintf(first_path, sizeof first_path, "%s", path);
		}
		if (*path != '\0')
			last_offset = offset;
		if (mapping_count == mapping_room) {
			mapping_room = mapping_room == 0 ? 64 : 2 * mapping_room;
			struct mapping *more = realloc(mappings, mapping_room * sizeof *more);
			if (more == NULL)
				capture_give_up(CAPTURE_NO_MEMORY);
			mappings = more;
		}
		struct mapping *m = &mappings[mapping_count++];
		*m = (struct mapping){.start = start, .end = end, .offset = offset};
		m->base = strcmp(path, first_path) == 0 ? first : start - offset;
		snprintf(m->path, sizeof m->path, "%s", path);
	}
	fclose(file);
}

static const struct mapping *find_mapping(uint64_t host)
{
	for (size_t i = 0; i < mapping_count; i++) {
		if (host - mappings[i].start < mappings[i].end - mappings[i].start)
			return &mappings[i];
	}
	return NULL;
}

/* The file of a mapping; NULL: it cannot be read, so its code is not known. */
static const struct known_file *file_of(const struct mapping *m, uint64_t guest_base)
{
	struct known_file *f = known_files;
	while (f != NULL && (f->base != m->base || strcmp(f->path, m->path) != 0))
		f = f->next;
	if (f != NULL)
		return f->bytes != NULL ? f : NULL;
	f = calloc(1, sizeof *f);
	if (f == NULL)
		capture_give_up(CAPTURE_NO_MEMORY);
	f->base = m->base;
	snprintf(f->path, sizeof f->path, "%s", m->path);
	f->next = known_files;
	known_files = f;
	struct stat status;
	const int fd = open(m->path, O_RDONLY | O_CLOEXEC);
	if (fd >= 0 && fstat(fd, &status) == 0 && status.st_size > 0) {
		void *bytes = mmap(NULL, (size_t)status.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
		f->bytes = bytes == MAP_FAILED ? NULL : bytes;
		f->length = (uint64_t)status.st_size;
	}
	if (fd >= 0)
		close(fd);
	if (f->bytes != NULL)
		f->object = new_object(CAPTURE_FILE, m->base - guest_base, m->path);
	return f->bytes != NULL ? f : NULL;
}

static uint64_t made(void)
{
	if (made_object == 0)
		made_object = new_object(CAPTURE_MADE, 0, "");
	return made_object;
}

bool maps_made(uint64_t object)
{
	return object == made_object;
}

/* The program is the first object, whichever file has the first code. */
static void first_object(uint64_t guest_base)
{
	static bool done;
	for (size_t i = 0; i < mapping_count && !done; i++) {
		const struct mapping *m = &mappings[i];
		if (strcmp(m->path, program_path) == 0)
			file_of(m, guest_base);
	}
	done = true;
}

uint64_t maps_object(uint64_t address, const void *host, size_t size)
{
	const uint64_t at = (uint64_t)(uintptr_t)host;
	uint64_t object = 0;
	pthread_mutex_lock(&lock);
	if (atomic_exchange(&stale, false))
		read_maps();
	first_object(at - address);
	const struct mapping *m = find_mapping(at);
	if (m == NULL) { /* a mapping that grew: a stack, the heap */
		read_maps();
		m = find_mapping(at);
	}
	if (m == NULL || m->path[0] == '\0')
		object = made();
	else {
		const struct known_file *f = file_of(m, at - address);
		const uint64_t offset = at - m->start + m->offset;
		if (f == NULL)
			object = made();
		else if (offset + size <= f->length && memcmp(f->bytes + offset, host, size) == 0)
			object = f->object;
		else
			object = made();
	}
	pthread_mutex_unlock(&lock);
	return object;
}
