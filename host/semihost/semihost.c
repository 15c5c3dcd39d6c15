/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#include "host/semihost/semihost.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum {
	SYS_OPEN = 0x01,
	SYS_CLOSE,
	SYS_WRITEC,
	SYS_WRITE0,
	SYS_WRITE,
	SYS_READ,
	SYS_READC,
	SYS_ISERROR,
	SYS_ISTTY,
	SYS_SEEK,
	SYS_FLEN = 0x0C,
	SYS_TMPNAM,
	SYS_REMOVE,
	SYS_RENAME,
	SYS_CLOCK,
	SYS_TIME,
	SYS_SYSTEM,
	SYS_ERRNO,
	SYS_GET_CMDLINE = 0x15,
	SYS_HEAPINFO,
	SYS_EXIT = 0x18,
	SYS_EXIT_EXTENDED = 0x20,
	SYS_ELAPSED = 0x30,
	SYS_TICKFREQ
};
#define FAILED UINT32_MAX
#define APPLICATION_EXIT 0x20026u
#define NAME_MAX_BYTES 1024u

int semihost_open(struct semihost *s, const char *directory, const char *command)
{
	*s = (struct semihost){.directory = -1, .command = command};
	for (unsigned i = 0; i < SEMIHOST_FILES; i++)
		s->files[i].fd = -1;
	if (!directory)
		return 0;
	s->directory = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	return s->directory < 0 ? -errno : 0;
}

void semihost_close(struct semihost *s)
{
	for (unsigned i = 0; i < SEMIHOST_FILES; i++)
		if (s->files[i].fd >= 0)
			close(s->files[i].fd);
	if (s->directory >= 0)
		close(s->directory);
}

static uint32_t fail_call(struct semihost *s, int error)
{
	s->error = error;
	return FAILED;
}

static uint32_t refuse_call(struct semihost *s)
{
	s->refused++;
	return fail_call(s, EACCES);
}

/* A name of the given length in the program's memory. */
static bool get_name(const struct model *model, uint32_t address, uint32_t length, char name[NAME_MAX_BYTES])
{
	if (length == 0 || length >= NAME_MAX_BYTES || model_read(model, address, name, length))
		return false;
	name[length] = '\0';
	return strlen(name) == length;
}

/* The directory that the last part of name lies in, without following a link or leaving the tree: a new descriptor, or
 * -1. *last points to that part. */
static int find_parent(const struct semihost *s, char *name, const char **last)
{
	int at = s->directory < 0 ? -1 : dup(s->directory);
	if (*name == '/')
		goto bad;
	for (;;) {
		char *slash = strchr(name, '/');
		if (slash)
			*slash = '\0';
		if (!strcmp(name, "..") || at < 0)
			goto bad;
		if (!slash) {
			if (*name == '\0' || !strcmp(name, "."))
				goto bad;
			*last = name;
			return at;
		}
		if (*name != '\0' && strcmp(name, ".") != 0) {
			int next = openat(at, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
			close(at);
			at = next;
		}
		name = slash + 1;
	}
bad:
	if (at >= 0)
		close(at);
	return -1;
}

/* What a library asks before it ends by EXIT_EXTENDED, whose status EXIT of RV32 does not have (Semihosting for AArch32
 * and AArch64, section "Feature reporting"): "SHFB", and bit 0 of the first byte. */
static int open_features(void)
{
	static const char features[] = {'S', 'H', 'F', 'B', 1};
	FILE *file = tmpfile();
	int fd = -1;
	if (file != NULL && fwrite(features, sizeof features, 1, file) == 1 && fflush(file) == 0)
		fd = dup(fileno(file));
	if (file != NULL)
		fclose(file);
	if (fd >= 0)
		lseek(fd, 0, SEEK_SET);
	return fd;
}

static uint32_t open_host_file(struct semihost *s, const struct model *model, const uint32_t args[3])
{
	/* r rb r+ r+b w wb w+ w+b a ab a+ a+b */
	static const int flags[] = {O_RDONLY, O_RDWR, O_WRONLY | O_CREAT | O_TRUNC, O_RDWR | O_CREAT | O_TRUNC,
	    O_WRONLY | O_CREAT | O_APPEND, O_RDWR | O_CREAT | O_APPEND};
	char name[NAME_MAX_BYTES];
	const char *last;
	unsigned i = 0;
	while (i < SEMIHOST_FILES && (s->files[i].fd >= 0 || s->files[i].console))
		i++;
	if (i == SEMIHOST_FILES)
		return fail_call(s, EMFILE);
	if (args[1] > 11 || !get_name(model, args[0], args[2], name))
		return fail_call(s, EINVAL);
	if (!strcmp(name, ":tt")) {
		s->files[i].console = true;
		return i + 1;
	}
	if (!strcmp(name, ":semihosting-features")) {
		s->files[i].fd = args[1] <= 1 ? open_features() : -1;
		return s->files[i].fd >= 0 ? i + 1 : fail_call(s, EACCES);
	}
	int parent = find_parent(s, name, &last);
	if (parent < 0)
		return refuse_call(s);
	int fd = openat(parent, last, flags[args[1] / 2] | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0666);
	int error = errno;
	close(parent);
	struct stat st;
	if (fd < 0)
		return fail_call(s, error);
	if (fstat(fd, &st) != 0 || !S_ISREG(st.st_mode)) { /* no device, no pipe */
		close(fd);
		return refuse_call(s);
	}
	s->files[i].fd = fd;
	return i + 1;
}

/* Index of an open file, or -1. */
static int host_file_of(struct semihost *s, uint32_t handle)
{
	if (handle - 1 < SEMIHOST_FILES && (s->files[handle - 1].fd >= 0 || s->files[handle - 1].console))
		return (int)handle - 1;
	s->error = EBADF;
	return -1;
}

static void put_console_byte(struct semihost *s, uint8_t byte)
{
	if (s->console)
		s->console(s->context, byte);
}

/* Both return how many bytes were not moved, as the operations do. */
static uint32_t write_file(struct semihost *s, const struct model *model, int i, uint32_t address, uint32_t count)
{
	uint8_t buffer[4096];
	while (count) {
		uint32_t part = count < sizeof buffer ? count : (uint32_t)sizeof buffer;
		if (model_read(model, address, buffer, part)) {
			s->error = EFAULT;
			return count;
		}
		ssize_t done = (ssize_t)part;
		if (s->files[i].console)
			for (uint32_t k = 0; k < part; k++)
				put_console_byte(s, buffer[k]);
		else
			done = write(s->files[i].fd, buffer, part);
		if (done <= 0) {
			s->error = errno;
			return count;
		}
		count -= (uint32_t)done;
		address += (uint32_t)done;
	}
	return 0;
}

static uint32_t read_host_file(struct semihost *s, struct model *model, int i, uint32_t address, uint32_t count)
{
	uint8_t buffer[4096];
	while (count) {
		uint32_t part = count < sizeof buffer ? count : (uint32_t)sizeof buffer;
		if (model_read(model, address, buffer, part)) { /* is it memory? */
			s->error = EFAULT;
			return count;
		}
		ssize_t done = read(s->files[i].console ? STDIN_FILENO : s->files[i].fd, buffer, part);
		if (done < 0)
			s->error = errno;
		if (done <= 0)
			return count;
		model_write(model, address, buffer, (size_t)done);
		count -= (uint32_t)done;
		address += (uint32_t)done;
		if (s->files[i].console) /* a line at a time */
			break;
	}
	return count;
}

static uint32_t file_length(struct semihost *s, int i)
{
	struct stat st;
	if (s->files[i].console)
		return 0;
	if (fstat(s->files[i].fd, &st) != 0)
		return fail_call(s, errno);
	return st.st_size > INT32_MAX ? fail_call(s, EOVERFLOW) : (uint32_t)st.st_size;
}

static uint32_t remove_file(struct semihost *s, const struct model *model, uint32_t address, uint32_t length)
{
	char name[NAME_MAX_BYTES];
	const char *last;
	if (!get_name(model, address, length, name))
		return fail_call(s, EINVAL);
	int parent = find_parent(s, name, &last);
	if (parent < 0)
		return refuse_call(s);
	uint32_t result = unlinkat(parent, last, 0) == 0 ? 0 : fail_call(s, errno);
	close(parent);
	return result;
}

static uint32_t rename_file(struct semihost *s, const struct model *model, const uint32_t args[4])
{
	char old[NAME_MAX_BYTES], new[NAME_MAX_BYTES];
	const char *old_last = NULL, *new_last = NULL;
	if (!get_name(model, args[0], args[1], old) || !get_name(model, args[2], args[3], new))
		return fail_call(s, EINVAL);
	int from = find_parent(s, old, &old_last), to = find_parent(s, new, &new_last);
	uint32_t result = 0;
	if (from < 0 || to < 0)
		result = refuse_call(s);
	else if (renameat(from, old_last, to, new_last) != 0)
		result = fail_call(s, errno);
	if (from >= 0)
		close(from);
	if (to >= 0)
		close(to);
	return result;
}

static uint32_t command_line(struct semihost *s, struct model *model, uint32_t parameter, const uint32_t args[2])
{
	uint32_t length = (uint32_t)strlen(s->command);
	if (args[1] <= length || model_write(model, args[0], s->command, length + 1) ||
	    model_write(model, parameter + 4, &length, 4))
		return fail_call(s, EINVAL);
	return 0;
}

static uint32_t print_string(struct semihost *s, const struct model *model, uint32_t address)
{
	uint8_t byte;
	while (model_read(model, address++, &byte, 1) == MODEL_OK && byte)
		put_console_byte(s, byte);
	return 0;
}

/* Operations on an open file; args[0] is its handle. */
static uint32_t file_call(struct semihost *s, struct model *model, uint32_t operation, const uint32_t args[4])
{
	int i = host_file_of(s, args[0]);
	if (i < 0)
		return operation == SYS_READ || operation == SYS_WRITE ? args[2] : FAILED;
	switch (operation) {
	case SYS_CLOSE:
		if (s->files[i].fd >= 0)
			close(s->files[i].fd);
		s->files[i].fd = -1;
		s->files[i].console = false;
		return 0;
	case SYS_WRITE:
		return write_file(s, model, i, args[1], args[2]);
	case SYS_READ:
		return read_host_file(s, model, i, args[1], args[2]);
	case SYS_ISTTY:
		return s->files[i].console;
	case SYS_SEEK:
		return !s->files[i].console && lseek(s->files[i].fd, (off_t)args[1], SEEK_SET) >= 0
			   ? 0
			   : fail_call(s, ESPIPE);
	default:
		return file_length(s, i);
	}
}

uint32_t semihost_call(
    void *context, struct model *model, uint32_t operation, uint32_t parameter, bool *exit, uint32_t *code)
{
	struct semihost *s = context;
	uint32_t args[4] = {0}, csrs[MODEL_CSR_COUNT];
	/* the words of the parameter block, as many as lie in RAM */
	for (unsigned i = 0; i < 4 && model_read(model, parameter + 4 * i, &args[i], 4) == MODEL_OK; i++)
		;
	model_csrs(model, csrs);
	uint64_t cycles = (uint64_t)csrs[MODEL_MCYCLEH] << 32 | csrs[MODEL_MCYCLE];
	uint8_t byte;
	switch (operation) {
	case SYS_OPEN:
		return open_host_file(s, model, args);
	case SYS_CLOSE:
	case SYS_WRITE:
	case SYS_READ:
	case SYS_ISTTY:
	case SYS_SEEK:
	case SYS_FLEN:
		return file_call(s, model, operation, args);
	case SYS_REMOVE:
		return remove_file(s, model, args[0], args[1]);
	case SYS_RENAME:
		return rename_file(s, model, args);
	case SYS_WRITEC:
		if (model_read(model, parameter, &byte, 1) == MODEL_OK)
			put_console_byte(s, byte);
		return 0;
	case SYS_WRITE0:
		return print_string(s, model, parameter);
	case SYS_READC: {
		ssize_t got = read(STDIN_FILENO, &byte, 1); /* not buffered, as READ is not */
		return got == 1 ? byte : FAILED;
	}
	case SYS_ISERROR:
		return (int32_t)args[0] < 0;
	case SYS_CLOCK:
		return (uint32_t)(cycles / (SEMIHOST_HZ / 100));
	case SYS_TIME:
		return (uint32_t)time(NULL);
	case SYS_ELAPSED:
		return model_write(model, parameter, &cycles, 8) ? fail_call(s, EFAULT) : 0;
	case SYS_TICKFREQ:
		return SEMIHOST_HZ;
	case SYS_ERRNO:
		return (uint32_t)s->error;
	case SYS_GET_CMDLINE:
		return command_line(s, model, parameter, args);
	case SYS_HEAPINFO: {
		static const uint32_t none[4];
		return model_write(model, args[0], none, sizeof none) ? fail_call(s, EFAULT) : 0;
	}
	case SYS_EXIT: /* on a 32-bit machine the reason is the parameter itself, and there is no status */
		*exit = true;
		*code = parameter == APPLICATION_EXIT ? 0 : 1;
		return 0;
	case SYS_EXIT_EXTENDED:
		*exit = true;
		*code = args[0] == APPLICATION_EXIT ? args[1] : 1;
		return 0;
	default: /* SYSTEM, TMPNAM, and what nobody knows */
		s->refused++;
		return fail_call(s, ENOSYS);
	}
}
