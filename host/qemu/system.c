/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#define _GNU_SOURCE /* memfd_create(), pipe2() */
#include "host/qemu/system.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define CODE_ROOM (UINT64_C(1) << 16) /* of the segments, before their bytes */
#define LOG_SIZE (1 << 20)            /* what a user may have */
#define CODE_SEGMENTS ((CODE_ROOM - sizeof(struct capture_code)) / sizeof(struct capture_segment))

/* ---------------------------------------------------------------- which programs */

static bool add_program(struct qemu_system *s, const struct system_program *program)
{
	if (s->count == SYSTEM_PROGRAMS)
		return false;
	s->programs[s->count++] = *program;
	return true;
}

bool system_add_program(struct qemu_system *s, char *text)
{
	struct system_program program = {.path = text};
	char *at = strrchr(text, '@'), *end;
	if (at != NULL && at != text && access(text, F_OK) != 0) {
		errno = 0;
		program.address = strtoull(at + 1, &end, 0);
		program.moved = true;
		if (at[1] == '\0' || *end != '\0' || errno != 0 || (program.address & 0xFFF) != 0)
			return false;
		*at = '\0';
	}
	return add_program(s, &program);
}

static bool is_system_program(const char *path)
{
	struct image *image;
	const bool opened = image_open(&image, path, NULL, 0) == IMAGE_OK;
	const bool usable = opened && !image_moveable(image);
	if (opened)
		image_close(image);
	return usable;
}

/* "loader,file=app.elf,cpu-num=0" */
static const char *loaded_file(const char *device)
{
	static char path[4096];
	const char *at = strncmp(device, "loader,", 7) == 0 ? strstr(device, ",file=") : NULL;
	if (at == NULL)
		return "";
	snprintf(path, sizeof path, "%.*s", (int)strcspn(at + 6, ","), at + 6);
	const char *kept = strdup(path); /* for as long as the command runs */
	return kept != NULL ? kept : "";
}

/* The value of an option, which qemu takes with one dash or two. */
static const char *option_value(char **words, const char *option)
{
	const char *name = words[0] + (strncmp(words[0], "--", 2) == 0 ? 2 : 1);
	return words[0][0] == '-' && strcmp(name, option) == 0 ? words[1] : NULL;
}

void system_find_programs(struct qemu_system *s)
{
	static const char *const firmware[] = {"/usr/share/qemu/opensbi-riscv64-generic-fw_dynamic.elf",
	    "/usr/share/qemu/opensbi-riscv32-generic-fw_dynamic.elf"};
	static const char *const options[] = {"kernel", "bios", "device"};
	bool own = true;
	const size_t named = s->count;
	for (size_t n = 0; n < sizeof options / sizeof *options; n++) {
		for (char **w = s->words; *w != NULL; w++) {
			const char *value = option_value(w, options[n]);
			if (value == NULL)
				continue;
			own = own && (n != 1 || strcmp(value, "default") == 0);
			const char *path = n == 2 ? loaded_file(value) : value;
			if (named == 0 && is_system_program(path))
				add_program(s, &(struct system_program){.path = path});
		}
	}
	for (size_t i = 0; own && s->count > 0 && i < sizeof firmware / sizeof *firmware; i++)
		add_program(s, &(struct system_program){.path = firmware[i], .optional = true});
}

/* Whether the command line has this option, without its dash. */
static bool system_has_option(const struct qemu_system *s, const char *option)
{
	bool has = false;
	for (char **w = s->words; *w != NULL && !has; w++)
		has = option_value(w, option) != NULL;
	return has;
}

/* ---------------------------------------------------------------- their code */

struct code_memory {
	int file;
	struct capture_code *head;       /* with room for all segments */
	uint64_t end;                    /* of the bytes */
	struct capture_segment all[256]; /* loaded, code or not */
	size_t count;
};

static int refuse_program(struct qemu_take *t, const char *path, const char *why)
{
	snprintf(t->detail, t->size, "%s: %s", path, why);
	return QEMU_EFILE;
}

static bool lies_over(const struct code_memory *m, const struct elf_segment *s, uint64_t object)
{
	for (size_t i = 0; i < m->count; i++) {
		if (m->all[i].object != object && s->address < m->all[i].address + m->all[i].size &&
		    m->all[i].address < s->address + s->size)
			return true;
	}
	return false;
}

static bool put_segment_bytes(struct code_memory *m, const struct elf_segment *s, uint64_t object)
{
	m->head->segments[m->head->count++] = (struct capture_segment){s->address, s->file_size, object, m->end};
	for (uint64_t done = 0; done < s->file_size;) {
		const ssize_t put = pwrite(m->file, s->bytes + done, s->file_size - done, (off_t)(m->end + done));
		if (put <= 0)
			return false;
		done += (uint64_t)put;
	}
	m->end += s->file_size;
	return true;
}

/* NULL: its code is there; else why it cannot be. */
static const char *put_program_code(struct code_memory *m, const struct image *image, uint64_t object)
{
	size_t count;
	const struct elf_segment *segments = image_segments(image, &count);
	for (size_t i = 0; i < count; i++) {
		if (lies_over(m, &segments[i], object))
			return "lies over another of the programs: give those alone whose code you want to see";
	}
	for (size_t i = 0; i < count; i++) {
		if (m->count == sizeof m->all / sizeof *m->all || m->head->count == CODE_SEGMENTS)
			return "has too many segments";
		m->all[m->count++] = (struct capture_segment){segments[i].address, segments[i].size, object, 0};
		if (segments[i].execute && segments[i].file_size > 0 && !put_segment_bytes(m, &segments[i], object))
			return strerror(errno);
	}
	return NULL;
}

static int system_put_program(struct code_memory *m, const struct system_program *program, struct qemu_take *t)
{
	struct image *image;
	const struct image *first = t->programs[0].program->image;
	const uint32_t number = atomic_load(&t->capture->objects) + 1;
	struct capture_object *o = (struct capture_object *)((char *)t->capture + CAPTURE_OBJECTS_AT) + number;
	const int error = image_open(&image, program->path, t->detail, t->size);
	const char *why = NULL;
	if (error != IMAGE_OK)
		return QEMU_EFILE;
	if (image_xlen(image) != image_xlen(first))
		why = "is not of the width of the first program";
	else if (image_moveable(image) != program->moved)
		why = program->moved ? "is linked for an address of its own; leave @ADDRESS out"
				     : "can be loaded anywhere: give FILE@ADDRESS, a multiple of 4096";
	else if (program->moved && image_move(image, program->address, NULL, 0) != IMAGE_OK)
		why = "cannot be loaded there";
	else
		why = put_program_code(m, image, number);
	if (why == NULL) {
		size_t count;
		char *path = realpath(program->path, NULL);
		o->base = image_segments(image, &count)[0].address & ~UINT64_C(0xFFF);
		snprintf(o->path, sizeof o->path, "%s", path == NULL ? program->path : path);
		free(path);
		atomic_store(&o->ready, CAPTURE_FILE);
		atomic_store(&t->capture->objects, number);
	}
	image_close(image);
	return why == NULL ? QEMU_OK : refuse_program(t, program->path, why);
}

/* A pipe, since a log may be without end. Both ends stay open here: qemu opens them by way of this process. The larger
 * it is, the less does qemu wait. */
static bool open_log(struct system_files *files)
{
	int ends[2];
	if (pipe2(ends, O_CLOEXEC) != 0)
		return false;
	files->log = ends[0];
	files->log_end = ends[1];
	fcntl(files->log, F_SETPIPE_SZ, LOG_SIZE);
	return true;
}

int system_open(struct system_files *files, const struct qemu_system *s, struct qemu_take *t)
{
	struct code_memory m = {.end = CODE_ROOM};
	struct capture_object *other =
	    (struct capture_object *)((char *)t->capture + CAPTURE_OBJECTS_AT) + CAPTURE_SYSTEM_OTHER;
	m.file = files->code = memfd_create("rivulet-code", MFD_CLOEXEC);
	t->capture->breaks = system_has_option(s, "icount");
	if (!system_has_option(s, "d") && !system_has_option(s, "D") && !open_log(files))
		return refuse_program(t, "a pipe for the log", strerror(errno));
	if (m.file < 0 || ftruncate(m.file, CODE_ROOM) != 0)
		return refuse_program(t, "memory for the code", strerror(errno));
	m.head = mmap(NULL, CODE_ROOM, PROT_READ | PROT_WRITE, MAP_SHARED, m.file, 0);
	if (m.head == MAP_FAILED)
		return refuse_program(t, "memory for the code", strerror(errno));
	m.head->magic = CAPTURE_CODE_MAGIC;
	atomic_store(&other->ready, CAPTURE_MADE);
	t->capture->system = image_xlen(t->programs[0].program->image);
	int error = QEMU_OK;
	for (size_t i = 0; i < s->count && error == QEMU_OK; i++) {
		error = system_put_program(&m, &s->programs[i], t);
		if (s->programs[i].optional)
			error = QEMU_OK;
	}
	munmap(m.head, CODE_ROOM);
	return error;
}

void system_close(struct system_files *files)
{
	if (files->code >= 0)
		close(files->code);
	if (files->log >= 0) {
		close(files->log);
		close(files->log_end);
	}
}
