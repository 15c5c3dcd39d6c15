/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#include "host/cmd/piped.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "host/cmd/cmd.h"

static char standard_input[] = "/dev/stdin";

/* The descriptor that a word names, or -1: "-" is 0, "/dev/fd/63" is 63. */
static int descriptor_of(const char *word)
{
	static const char *const folders[] = {"/dev/fd/", "/proc/self/fd/"};
	if (strcmp(word, "-") == 0 || strcmp(word, standard_input) == 0)
		return STDIN_FILENO;
	for (size_t i = 0; i < sizeof folders / sizeof *folders; i++) {
		const size_t length = strlen(folders[i]);
		char *end;
		if (strncmp(word, folders[i], length) != 0 || word[length] < '0' || word[length] > '9')
			continue;
		const long number = strtol(word + length, &end, 10);
		return *end == '\0' && number >= 0 && number < 1 << 20 ? (int)number : -1;
	}
	return -1;
}

/* Everything that comes from the descriptor is put into a file without a name, which the descriptor then is. */
static int keep_piped(int descriptor)
{
	uint8_t bytes[65536];
	ssize_t got = 0;
	FILE *file = tmpfile();
	bool good = file != NULL;
	while (good && (got = read(descriptor, bytes, sizeof bytes)) != 0) {
		if (got > 0)
			good = fwrite(bytes, 1, (size_t)got, file) == (size_t)got;
		else
			good = errno == EINTR;
	}
	good = good && fflush(file) == 0 && lseek(fileno(file), 0, SEEK_SET) == 0 &&
	       dup2(fileno(file), descriptor) == descriptor;
	const int error = errno;
	if (file != NULL)
		fclose(file);
	errno = error;
	return good ? STATUS_OK : STATUS_FAILED;
}

/* Whether something has to be read from there to its end before it can be read from its beginning. */
static bool is_piped(int descriptor, const struct stat *status)
{
	const bool written = (fcntl(descriptor, F_GETFL) & O_ACCMODE) == O_WRONLY;
	const bool stream = !written && (S_ISFIFO(status->st_mode) || S_ISSOCK(status->st_mode));
	return stream || (S_ISREG(status->st_mode) && lseek(descriptor, 0, SEEK_CUR) > 0);
}

/* `-o -' is standard output. */
static bool is_output(const char *before, const char *word)
{
	const size_t length = strlen(before);
	const bool option = strcmp(before, "--output") == 0 ||
			    (length > 1 && before[0] == '-' && before[1] != '-' && before[length - 1] == 'o');
	return option && strcmp(word, "-") == 0;
}

/* These take what comes while it comes, or pass words on to a program. */
static bool reads_whole(const char *command)
{
	static const char *const others[] = {"cc", "import", "insert", "profile", "record", "run", "sweep"};
	for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
		if (strcmp(command, others[i]) == 0)
			return false;
	}
	return true;
}

int take_pipes(const char *command, int argc, char **argv)
{
	for (int i = 1; i < argc && reads_whole(command); i++) {
		struct stat status;
		const int descriptor = descriptor_of(argv[i]);
		if (descriptor < 0 || is_output(argv[i - 1], argv[i]) || fstat(descriptor, &status) != 0)
			continue;
		if (is_piped(descriptor, &status) && keep_piped(descriptor) != STATUS_OK) {
			complain("%s: cannot be read into a file: %s", argv[i], strerror(errno));
			return STATUS_FAILED;
		}
		if (strcmp(argv[i], "-") != 0 || fstat(descriptor, &status) != 0 || !S_ISREG(status.st_mode))
			continue;
		argv[i] = standard_input;
		name_path(standard_input, "-");
	}
	return STATUS_OK;
}
