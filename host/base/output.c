/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#define _XOPEN_SOURCE 700 /* realpath() */
#include "host/base/output.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#define TRIES 100 /* openings of a part that another process takes away at the same time */

struct output {
	FILE *file;
	int place; /* descriptor of the file that is there already, which holds its lock; -1: none */
	bool standard, replace;
	char *name; /* as given */
	char *path; /* of the place, symbolic links followed */
	char *beside;
};

static int fail_output(int error, char *detail, size_t size, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
static int fail_output(int error, char *detail, size_t size, const char *format, ...)
{
	va_list list;
	va_start(list, format);
	vsnprintf(detail, size, format, list);
	va_end(list);
	return error;
}

static void release_output(struct output *o)
{
	if (o->file != NULL && !o->standard)
		fclose(o->file);
	if (o->place >= 0)
		close(o->place);
	free(o->name);
	free(o->path);
	free(o->beside);
	free(o);
}

/* Whether path is one of the inputs, by device and inode. */
static const char *find_input(const struct stat *there, const char *const *inputs, size_t count)
{
	struct stat input;
	for (size_t i = 0; i < count; i++) {
		if (inputs[i] == NULL || strcmp(inputs[i], "-") == 0)
			continue;
		if (stat(inputs[i], &input) == 0 && input.st_dev == there->st_dev && input.st_ino == there->st_ino)
			return inputs[i];
	}
	return NULL;
}

/* Locks an open file for this process, or says that another one has it. A file system without locks is used as it
 * is. */
static bool lock_file(int fd)
{
	return flock(fd, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK;
}

/* Opens and locks the part. The name may go to another process between the two: then it is another file's. */
static int open_part_file(const char *path, int *fd)
{
	for (unsigned i = 0; i < TRIES; i++) {
		struct stat mine, named;
		*fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0666);
		if (*fd < 0)
			return OUTPUT_EOPEN;
		if (!lock_file(*fd)) {
			close(*fd);
			return OUTPUT_ELOCKED;
		}
		if (fstat(*fd, &mine) == 0 && stat(path, &named) == 0 && mine.st_ino == named.st_ino &&
		    mine.st_dev == named.st_dev && ftruncate(*fd, 0) == 0)
			return OUTPUT_OK;
		close(*fd);
	}
	return OUTPUT_EOPEN;
}

static int open_beside(struct output *o, bool there, const struct stat *old, int *fd)
{
	size_t length = strlen(o->path) + sizeof OUTPUT_PART;
	o->beside = malloc(length);
	if (o->beside == NULL)
		return OUTPUT_ENOMEM;
	snprintf(o->beside, length, "%s%s", o->path, OUTPUT_PART);
	/* a file that may not be written is not replaced either */
	if (there && access(o->path, W_OK) != 0)
		return OUTPUT_EOPEN;
	/* somebody may be writing at the place itself (OUTPUT_NEW, OUTPUT_APPEND) */
	if (there && (o->place = open(o->path, O_RDONLY | O_CLOEXEC)) >= 0 && !lock_file(o->place))
		return OUTPUT_ELOCKED;
	int error = open_part_file(o->beside, fd);
	if (error == OUTPUT_OK && there)
		(void)fchmod(*fd, old->st_mode & 07777);
	return error;
}

static int open_there(struct output *o, enum output_way way, int *fd)
{
	int flags = 0;
	if (way == OUTPUT_NEW)
		flags = O_CREAT | O_EXCL;
	else if (way == OUTPUT_APPEND)
		flags = O_CREAT | O_APPEND;
	else
		flags = O_CREAT; /* behind a link that leads to nothing yet */
	*fd = open(o->path, O_WRONLY | O_CLOEXEC | flags, 0666);
	if (*fd < 0)
		return errno == EEXIST ? OUTPUT_EEXIST : OUTPUT_EOPEN;
	struct stat status;
	if (fstat(*fd, &status) == 0 && S_ISREG(status.st_mode) && !lock_file(*fd))
		return OUTPUT_ELOCKED;
	return OUTPUT_OK;
}

static int open_all(
    struct output *o, enum output_way way, const char *const *inputs, size_t count, char *detail, size_t size)
{
	struct stat old, link;
	bool there = stat(o->name, &old) == 0, dangles = !there && lstat(o->name, &link) == 0;
	char *real = there ? realpath(o->name, NULL) : NULL;
	const char *input = there ? find_input(&old, inputs, count) : NULL;
	int fd = -1;
	dangles |= there && real == NULL; /* a file that has no name any more */
	o->path = real = real != NULL ? real : strdup(o->name);
	if (real == NULL)
		return fail_output(OUTPUT_ENOMEM, detail, size, "%s: out of memory", o->name);
	/* a terminal or /dev/null may be both */
	if (input != NULL && S_ISREG(old.st_mode))
		return fail_output(OUTPUT_EINPUT, detail, size,
		    "%s: is the input %s: it would be lost; give another name for the output", o->name, input);
	if (there && S_ISDIR(old.st_mode))
		return fail_output(OUTPUT_EOPEN, detail, size, "%s: cannot be written: %s", o->name, strerror(EISDIR));
	/* a link to nothing stays a link: /dev/stdout of a process without one */
	o->replace = way == OUTPUT_REPLACE && !dangles && (!there || S_ISREG(old.st_mode));
	errno = 0;
	int error = o->replace ? open_beside(o, there, &old, &fd) : open_there(o, way, &fd);
	if (error == OUTPUT_OK && (o->file = fdopen(fd, way == OUTPUT_APPEND ? "ab" : "wb")) == NULL)
		error = OUTPUT_ENOMEM;
	if (error == OUTPUT_OK)
		return OUTPUT_OK;
	int why = errno;
	if (fd >= 0)
		close(fd);
	if (error == OUTPUT_ELOCKED)
		return fail_output(error, detail, size, "%s: another process is writing it", o->name);
	if (error == OUTPUT_EEXIST)
		return fail_output(error, detail, size, "%s: is there already", o->name);
	return fail_output(
	    error, detail, size, "%s: cannot be written: %s", o->name, strerror(why == 0 ? EAGAIN : why));
}

int output_open(struct output **out, const char *path, enum output_way way, const struct output_inputs *inputs,
    char *detail, size_t size)
{
	struct output *o = calloc(1, sizeof *o);
	*out = NULL;
	if (o == NULL || (o->name = strdup(path)) == NULL) {
		free(o);
		return fail_output(OUTPUT_ENOMEM, detail, size, "%s: out of memory", path);
	}
	o->place = -1;
	o->standard = strcmp(path, "-") == 0;
	if (o->standard)
		o->file = stdout;
	int error = o->standard ? OUTPUT_OK : open_all(o, way, inputs->names, inputs->count, detail, size);
	if (error != OUTPUT_OK) {
		release_output(o);
		return error;
	}
	*out = o;
	return OUTPUT_OK;
}

FILE *output_file(struct output *o)
{
	return o->file;
}

int output_descriptor(struct output *o)
{
	return fileno(o->file);
}

const char *output_beside(const struct output *o)
{
	if (o->standard)
		return "/dev/stdout";
	return o->replace ? o->beside : o->path;
}

bool output_is_beside(const struct output *o)
{
	return !o->standard && o->replace;
}

bool output_replaces(const struct output *o)
{
	struct stat old;
	return !o->standard && o->replace && stat(o->path, &old) == 0 && old.st_size > 0;
}

int output_commit(struct output *o, char *detail, size_t size)
{
	if (o == NULL)
		return OUTPUT_OK;
	errno = 0;
	bool good = fflush(o->file) == 0 && !ferror(o->file);
	int why = errno;
	if (!o->standard) { /* closing tells of errors too; the lock is kept until the name is the file's */
		int held = dup(fileno(o->file));
		if (fclose(o->file) != 0 && good) {
			good = false;
			why = errno;
		}
		o->file = NULL;
		if (good && o->replace && rename(o->beside, o->path) != 0) {
			good = false;
			why = errno;
		}
		if (held >= 0)
			close(held);
	}
	if (good) {
		release_output(o);
		return OUTPUT_OK;
	}
	(void)fail_output(0, detail, size, "%s: cannot be written: %s", o->standard ? "standard output" : o->name,
	    why == 0 ? "the disk may be full" : strerror(why)); /* 0: a write before failed, and nobody kept why */
	output_abandon(o);
	return OUTPUT_EWRITE;
}

void output_abandon(struct output *o)
{
	if (o == NULL)
		return;
	if (o->replace)
		(void)unlink(o->beside);
	release_output(o);
}
