/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/*
 * A file of the spool, readable by its owner alone (the URL may hold a password):
 *
 *   "rivulet-push 1 SIZE CRC\n"  URL "\n"  content type "\n"  body       CRC-32 of the body, hexadecimal
 */
#define _GNU_SOURCE /* memrchr() */
#include "host/push/push.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include "host/base/crc.h"

static int told_file(const char *path, char *detail, size_t size)
{
	snprintf(detail, size, "%s: %s", path, strerror(errno));
	return PUSH_EFILE;
}

/* The folder and those around it. */
static bool make_folders(const char *folder)
{
	char path[4096];
	if (snprintf(path, sizeof path, "%s/", folder) >= (int)sizeof path) {
		errno = ENAMETOOLONG;
		return false;
	}
	for (char *slash = strchr(path + 1, '/'); slash != NULL; slash = strchr(slash + 1, '/')) {
		*slash = '\0';
		if (mkdir(path, 0700) != 0 && errno != EEXIST)
			return false;
		*slash = '/';
	}
	return true;
}

static bool write_spool_message(FILE *file, const struct push_message *message)
{
	fprintf(file, "rivulet-push 1 %zu %08" PRIx32 "\n%s\n%s\n", message->size,
	    base_crc32(0, message->body, message->size), message->url, message->type);
	fwrite(message->body, 1, message->size, file);
	return fflush(file) == 0 && !ferror(file) && fsync(fileno(file)) == 0;
}

int push_spool(
    const char *folder, const struct push_message *message, char *path, size_t path_size, char *detail, size_t size)
{
	char part[4096 + 16];
	struct timespec now;
	clock_gettime(CLOCK_REALTIME, &now);
	if (!make_folders(folder))
		return told_file(folder, detail, size);
	/* by time, so that the oldest is sent first */
	int length = snprintf(
	    path, path_size, "%s/%010lld%09ld-%ld.push", folder, (long long)now.tv_sec, now.tv_nsec, (long)getpid());
	if (length < 0 || (size_t)length >= path_size || length >= 4096) {
		errno = ENAMETOOLONG;
		return told_file(folder, detail, size);
	}
	snprintf(part, sizeof part, "%s.part", path);
	int descriptor = open(part, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	FILE *file = descriptor < 0 ? NULL : fdopen(descriptor, "wb");
	if (file == NULL)
		return told_file(part, detail, size);
	bool good = write_spool_message(file, message);
	int error = good ? PUSH_OK : told_file(part, detail, size);
	if (fclose(file) != 0 && good)
		error = told_file(part, detail, size);
	if (error == PUSH_OK && rename(part, path) != 0)
		error = told_file(path, detail, size);
	if (error != PUSH_OK)
		unlink(part);
	return error;
}

/* A line without its end; NULL: there is none. */
static char *take_spool_line(FILE *file)
{
	char *line = NULL;
	size_t room = 0;
	ssize_t length = getline(&line, &room, file);
	if (length <= 0 || line[length - 1] != '\n') {
		free(line);
		return NULL;
	}
	line[length - 1] = '\0';
	return line;
}

static int read_message(FILE *file, struct push_message *message)
{
	uint64_t size;
	uint32_t crc;
	struct stat about;
	char end;
	*message = (struct push_message){0};
	if (fscanf(file, "rivulet-push 1 %" SCNu64 " %" SCNx32, &size, &crc) != 2 || fgetc(file) != '\n' ||
	    fstat(fileno(file), &about) != 0 || size > (uint64_t)about.st_size)
		return PUSH_EDAMAGED;
	message->url = take_spool_line(file);
	message->type = take_spool_line(file);
	if (message->url == NULL || message->type == NULL)
		return PUSH_EDAMAGED;
	message->size = (size_t)size;
	message->body = malloc(message->size + 1);
	if (message->body == NULL)
		return PUSH_ENOMEM;
	if (fread(message->body, 1, message->size, file) != message->size || fread(&end, 1, 1, file) != 0 ||
	    base_crc32(0, message->body, message->size) != crc)
		return PUSH_EDAMAGED;
	return PUSH_OK;
}

/* NAME.push becomes NAME.refused, NAME.damaged: it is kept, and not sent again. */
static void set_aside(const char *path, const char *as)
{
	char aside[4096 + 16];
	size_t length = strlen(path) - strlen(".push");
	if (snprintf(aside, sizeof aside, "%.*s.%s", (int)length, path, as) < (int)sizeof aside)
		rename(path, aside);
}

/* A URL up to what it asks for, without user and password: two stores may stand behind one host. */
static void take_store_name(const char *url, char name[PUSH_STORE_NAME])
{
	const char *host = strstr(url, "://");
	host = host == NULL ? url : host + 3;
	const size_t length = strcspn(host, "?#");
	const char *behind = memrchr(host, '@', strcspn(host, "/?#"));
	const char *own = behind == NULL ? host : behind + 1;
	snprintf(name, PUSH_STORE_NAME, "%.*s%.*s", (int)(host - url), url, (int)(host + length - own), own);
}

static bool is_silent(const struct push_silent *silent, const char *store)
{
	for (size_t i = 0; i < silent->count; i++) {
		if (strcmp(silent->stores[i], store) == 0)
			return true;
	}
	return false;
}

static int send_unless_silent(
    const struct push_message *message, unsigned timeout, struct push_silent *silent, char *detail, size_t size)
{
	char store[PUSH_STORE_NAME], said[1024] = "";
	take_store_name(message->url, store);
	if (is_silent(silent, store))
		return PUSH_ELATER;
	const int error = push_send(message, timeout, said, sizeof said);
	snprintf(detail, size, "%s: %s", store, said);
	if (error == PUSH_ELATER && silent->count < PUSH_STORES)
		memcpy(silent->stores[silent->count++], store, sizeof store);
	return error;
}

int push_spooled(const char *path, unsigned timeout, struct push_silent *silent, char *detail, size_t size)
{
	struct push_message message;
	struct stat about;
	FILE *file = fopen(path, "rbe");
	if (file == NULL)
		return errno == ENOENT ? PUSH_EBUSY : told_file(path, detail, size);
	if (flock(fileno(file), LOCK_EX | LOCK_NB) != 0 || fstat(fileno(file), &about) != 0 || about.st_nlink == 0) {
		fclose(file);
		return PUSH_EBUSY;
	}
	int error = read_message(file, &message);
	if (error == PUSH_EDAMAGED)
		snprintf(detail, size, "is not whole");
	if (error == PUSH_OK)
		error = send_unless_silent(&message, timeout, silent, detail, size);
	if (error == PUSH_OK && unlink(path) != 0)
		error = told_file(path, detail, size);
	if (error == PUSH_EREFUSED || error == PUSH_EDAMAGED)
		set_aside(path, error == PUSH_EREFUSED ? "refused" : "damaged");
	push_message_free(&message);
	fclose(file);
	return error;
}
