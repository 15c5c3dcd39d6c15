/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#define _DEFAULT_SOURCE 1 /* madvise() */
#include "host/object/rewrite.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include "host/object/archive.h"

struct file { /* read only */
	const uint8_t *bytes;
	size_t size;
};

static int map_file(struct file *file, const char *path, char *detail, size_t size)
{
	struct stat status;
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	*file = (struct file){0};
	if (fd < 0 || fstat(fd, &status) != 0) {
		snprintf(detail, size, "%s: %s", path, strerror(errno));
		if (fd >= 0)
			close(fd);
		return OBJECT_EFORMAT;
	}
	if (!S_ISREG(status.st_mode) || status.st_size == 0) {
		snprintf(detail, size, "%s: %s", path, S_ISREG(status.st_mode) ? "it is empty" : "it is no file");
		close(fd);
		return OBJECT_EFORMAT;
	}
	void *bytes = mmap(NULL, (size_t)status.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	close(fd);
	if (bytes == MAP_FAILED) {
		snprintf(detail, size, "%s: %s", path, strerror(errno));
		return OBJECT_ENOMEM;
	}
	file->bytes = bytes;
	file->size = (size_t)status.st_size;
	return OBJECT_OK;
}

static void unmap_file(struct file *file)
{
	if (file->bytes != NULL)
		munmap((void *)(uintptr_t)file->bytes, file->size);
}

struct job {
	const struct rewrite *rewrite;
	struct rewrite_counts *counts;
	const char *input;
	char *detail;
	size_t detail_size;
	int fd;
};

static int put_at(void *context, uint64_t offset, const void *bytes, size_t size)
{
	const struct job *job = context;
	const uint8_t *at = bytes;
	while (size > 0) {
		ssize_t done = pwrite(job->fd, at, size, (off_t)offset);
		if (done < 0 && errno == EINTR)
			continue;
		if (done <= 0)
			return -1;
		at += done;
		size -= (size_t)done;
		offset += (uint64_t)done;
	}
	return 0;
}

/* The object's new bytes in *now (to be freed), or NULL: as they are. */
static int change_object(
    const struct job *job, const uint8_t *bytes, size_t size, const char *name, uint8_t **now, size_t *now_size)
{
	struct object *object;
	char detail[512];
	int error = object_open(&object, bytes, size, detail, sizeof detail);
	*now = NULL;
	if (error == OBJECT_OK) {
		job->counts->objects++;
		job->counts->bytes += size;
		error = job->rewrite->change(job->rewrite->context, object, name, detail, sizeof detail);
		if (error == OBJECT_OK) {
			error = object_write(object, now, now_size);
			snprintf(detail, sizeof detail, "%s", object_strerror(error));
		}
	}
	object_close(object);
	if (error == OBJECT_OK)
		return OBJECT_OK;
	free(*now);
	*now = NULL;
	if (job->rewrite->note != NULL)
		job->rewrite->note(job->rewrite->context, name, error, detail);
	job->counts->left++;
	if (job->rewrite->keep && error != OBJECT_ENOMEM)
		return OBJECT_OK;
	if (strcmp(name, job->input) == 0)
		snprintf(job->detail, job->detail_size, "%s: %s", job->input, detail);
	else
		snprintf(job->detail, job->detail_size, "%s(%s): %s", job->input, name, detail);
	return error;
}

/* A thin archive's member lies beside it. */
static int map_member(
    const char *archive, const struct archive_member *member, struct file *file, char *detail, size_t size)
{
	char path[4096];
	const char *slash = strrchr(archive, '/');
	int folder = slash == NULL || member->name[0] == '/' ? 0 : (int)(slash - archive) + 1;
	snprintf(path, sizeof path, "%.*s%.*s", folder, archive, (int)member->name_length, member->name);
	return map_file(file, path, detail, size);
}

/* Members that are done need no memory: their pages can be read again. What is behind `upto` stays. */
#define RELEASE (UINT64_C(1) << 20)
static void release_pages(const struct file *file, uint64_t upto, uint64_t *released)
{
	uint64_t end = upto & ~(RELEASE - 1);
	if (end > *released) /* if it fails, the memory stays */
		madvise((uint8_t *)(uintptr_t)file->bytes + *released, (size_t)(end - *released), MADV_DONTNEED);
	*released = end > *released ? end : *released;
}

static int change_archive(const struct job *job, const struct file *file)
{
	uint64_t released = 0;
	struct archive archive;
	struct archive_writer writer;
	struct archive_member member;
	int error = archive_open(&archive, file->bytes, file->size, job->detail, job->detail_size), more = 0;
	char text[512];
	if (error != OBJECT_OK) {
		snprintf(text, sizeof text, "%s", job->detail);
		snprintf(job->detail, job->detail_size, "%s: %s", job->input, text);
		return error;
	}
	archive_begin(&writer, &archive, put_at, (void *)(uintptr_t)job);
	while (error == OBJECT_OK && (more = archive_next(&archive, &member, text, sizeof text)) > 0) {
		struct file own = {0};
		uint8_t *now = NULL;
		size_t size = 0;
		char name[512];
		snprintf(
		    name, sizeof name, "%.*s", (int)(member.name_length < 500 ? member.name_length : 500), member.name);
		if (member.bytes == NULL) {
			error = map_member(job->input, &member, &own, job->detail, job->detail_size);
			member.bytes = own.bytes;
			member.size = own.size;
		}
		bool elf = error == OBJECT_OK && member.size >= 4 &&
			   (memcmp(member.bytes, "\177ELF", 4) == 0 || memcmp(member.bytes, "BC\xC0\xDE", 4) == 0);
		if (elf)
			error = change_object(job, member.bytes, member.size, name, &now, &size);
		if (error == OBJECT_OK) {
			error = archive_put(
			    &writer, &member, now != NULL ? now : member.bytes, now != NULL ? size : member.size);
			if (error != OBJECT_OK)
				snprintf(job->detail, job->detail_size, "%s: %s", job->input, object_strerror(error));
		}
		free(now);
		unmap_file(&own);
		release_pages(file, archive.at < file->size ? archive.at : file->size, &released);
	}
	if (more < 0 && error == OBJECT_OK) {
		error = more;
		snprintf(job->detail, job->detail_size, "%s: %s", job->input, text);
	}
	int finished = archive_finish(&writer, error);
	if (error == OBJECT_OK && finished != OBJECT_OK)
		snprintf(job->detail, job->detail_size, "%s: %s", job->input, object_strerror(finished));
	return finished;
}

static int change_one(const struct job *job, const struct file *file)
{
	uint8_t *now;
	size_t size;
	int error = change_object(job, file->bytes, file->size, job->input, &now, &size);
	if (error == OBJECT_OK &&
	    put_at((void *)(uintptr_t)job, 0, now != NULL ? now : file->bytes, now != NULL ? size : file->size) != 0) {
		error = OBJECT_EWRITE;
		snprintf(job->detail, job->detail_size, "the output for %s: %s", job->input, strerror(errno));
	}
	free(now);
	return error;
}

int rewrite_file(const struct rewrite *rewrite, const char *input, const char *output, struct rewrite_counts *counts,
    char *detail, size_t detail_size)
{
	struct rewrite_counts own = {0};
	struct file file;
	struct stat status;
	char *temporary = malloc(strlen(output) + 16);
	if (temporary == NULL) {
		snprintf(detail, detail_size, "out of memory");
		return OBJECT_ENOMEM;
	}
	sprintf(temporary, "%s.XXXXXX", output);
	int error = map_file(&file, input, detail, detail_size);
	if (error != OBJECT_OK) {
		free(temporary);
		return error;
	}
	struct job job = {.rewrite = rewrite,
	    .counts = counts != NULL ? counts : &own,
	    .input = input,
	    .detail = detail,
	    .detail_size = detail_size};
	/* a device cannot be replaced: it is written */
	bool device = stat(output, &status) == 0 && !S_ISREG(status.st_mode);
	job.fd = device ? open(output, O_WRONLY | O_CLOEXEC) : mkstemp(temporary);
	if (job.fd < 0) {
		snprintf(detail, detail_size, "%s: %s", output, strerror(errno));
		error = OBJECT_EWRITE;
	} else {
		error = archive_is(file.bytes, file.size) ? change_archive(&job, &file) : change_one(&job, &file);
		if (!device && stat(input, &status) == 0)
			fchmod(job.fd, status.st_mode & 0777);
		if (close(job.fd) != 0 && error == OBJECT_OK) {
			snprintf(detail, detail_size, "%s: %s", output, strerror(errno));
			error = OBJECT_EWRITE;
		}
		if (error == OBJECT_OK && !device && rename(temporary, output) != 0) {
			snprintf(detail, detail_size, "%s: %s", output, strerror(errno));
			error = OBJECT_EWRITE;
		}
		if (error != OBJECT_OK && !device)
			unlink(temporary);
	}
	unmap_file(&file);
	free(temporary);
	return error;
}
