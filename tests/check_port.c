/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/*
 * The way of a real serial port, through libserialport, on a pseudo-terminal. libserialport takes only what the system
 * lists as a port, and asks it for its modem lines; a pseudo-terminal has neither. The functions below, which the
 * library calls instead of libc's, say that it has. All else is the kernel's: the test reads back what was set.
 */
#define _GNU_SOURCE
#include "host/records/capture.h"
#include "tests/suite.h"

#include <asm/ioctls.h>
#include <asm/termbits.h>
#include <check.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#define PORTS "/sys/class/tty/"

static bool listed;     /* whether the pseudo-terminal is a port */
static unsigned slower; /* the driver makes this much less of the baud rate */

int __lxstat(int version, const char *path, struct stat *status);
int __lxstat(int version, const char *path, struct stat *status)
{
	(void)version;
	if (!listed || strncmp(path, PORTS, strlen(PORTS)) != 0)
		return fstatat(AT_FDCWD, path, status, AT_SYMLINK_NOFOLLOW);
	*status = (struct stat){.st_mode = S_IFLNK | 0777};
	return 0;
}

int lstat(const char *path, struct stat *status)
{
	return __lxstat(1, path, status);
}

ssize_t readlink(const char *path, char *buffer, size_t size)
{
	static const char target[] = "../../devices/platform/serial8250/tty/port";
	if (!listed || strncmp(path, PORTS, strlen(PORTS)) != 0)
		return readlinkat(AT_FDCWD, path, buffer, size);
	memcpy(buffer, target, sizeof target - 1);
	return sizeof target - 1;
}

int ioctl(int fd, unsigned long request, ...)
{
	va_list list;
	va_start(list, request);
	void *argument = va_arg(list, void *);
	va_end(list);
	if (request == TCSETS2 && slower != 0) {
		struct termios2 mode = *(const struct termios2 *)argument;
		mode.c_ispeed = mode.c_ospeed -= slower;
		return (int)syscall(SYS_ioctl, fd, request, &mode);
	}
	int result = (int)syscall(SYS_ioctl, fd, request, argument);
	if (result < 0 && request == TIOCMGET)
		*(int *)argument = 0;
	return request >= TIOCMGET && request <= TIOCMSET ? 0 : result;
}

static int master;

static const char *terminal(void)
{
	master = posix_openpt(O_RDWR | O_NOCTTY);
	ck_assert_int_ge(master, 0);
	ck_assert_int_eq(grantpt(master), 0);
	ck_assert_int_eq(unlockpt(master), 0);
	return ptsname(master);
}

static void leave(void)
{
	close(master);
	listed = false;
	slower = 0;
}

START_TEST(a_port)
{
	static const int bauds[] = {9600, 115200, 123456, 1000000, 3000000};
	struct capture_port port;
	struct termios2 mode;
	int alone = 0;
	const char *path = terminal();
	listed = true;
	/* nobody has left the terminal as it is wanted */
	ck_assert_int_eq(ioctl(master, TCGETS2, &mode), 0);
	mode.c_iflag |= ICRNL | IXON | ISTRIP;
	mode.c_lflag |= ICANON | ECHO | ISIG;
	mode.c_cflag |= PARENB | CSTOPB | CRTSCTS;
	ck_assert_int_eq(ioctl(master, TCSETS2, &mode), 0);
	ck_assert_int_eq(capture_port_open(&port, path, bauds[_i]), CAPTURE_OK);
	ck_assert_ptr_nonnull(port.serial);
	ck_assert_int_eq(ioctl(port.fd, TCGETS2, &mode), 0);
	ck_assert_int_eq((int)mode.c_ispeed, bauds[_i]);
	ck_assert_int_eq((int)mode.c_ospeed, bauds[_i]);
	ck_assert_uint_eq(mode.c_lflag & (ICANON | ECHO | ISIG | IEXTEN), 0);
	ck_assert_uint_eq(mode.c_iflag & (ICRNL | INLCR | IGNCR | IXON | IXOFF | ISTRIP | PARMRK), 0);
	ck_assert_uint_eq(mode.c_oflag & OPOST, 0);
	ck_assert_uint_eq(mode.c_cflag & (CSTOPB | CRTSCTS), 0);
	ck_assert_uint_eq(mode.c_cflag & (CREAD | CLOCAL), CREAD | CLOCAL);
	ck_assert_int_eq(ioctl(port.fd, TIOCGEXCL, &alone), 0);
	ck_assert_int_eq(alone, 1);
	/* not a byte is changed */
	char sent[256], got[256];
	for (int i = 0; i < 256; i++)
		sent[i] = (char)i;
	ck_assert_int_eq(write(master, sent, sizeof sent), sizeof sent);
	ck_assert_int_eq(read(port.fd, got, sizeof got), sizeof got);
	ck_assert_mem_eq(sent, got, sizeof got);
	capture_port_close(&port);
	ck_assert_int_eq(port.fd, -1);
	ck_assert_ptr_null(port.serial);
	leave();
}
END_TEST

START_TEST(by_a_link)
{
	struct capture_port port;
	char folder[] = "/tmp/rivulet-port-XXXXXX", link[64];
	const char *path = terminal();
	listed = true;
	ck_assert_ptr_nonnull(mkdtemp(folder));
	snprintf(link, sizeof link, "%s/by-id", folder);
	ck_assert_int_eq(symlink(path, link), 0);
	ck_assert_int_eq(capture_port_open(&port, link, 115200), CAPTURE_OK);
	ck_assert_ptr_nonnull(port.serial);
	capture_port_close(&port);
	unlink(link);
	rmdir(folder);
	leave();
}
END_TEST

START_TEST(baud_rates)
{
	struct capture_port port;
	const char *path = terminal();
	listed = true;
	ck_assert_int_eq(capture_port_open(&port, path, 0), CAPTURE_ESPEED);
	ck_assert_int_eq(port.fd, -1);
	slower = 3000; /* 2.4%: a UART takes that */
	ck_assert_int_eq(capture_port_open(&port, path, 123456), CAPTURE_OK);
	capture_port_close(&port);
	slower = 5000;
	ck_assert_int_eq(capture_port_open(&port, path, 123456), CAPTURE_ESPEED);
	leave();
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("port");
	TCase *tc = tcase_create("port");
	tcase_add_loop_test(tc, a_port, 0, 5);
	tcase_add_test(tc, by_a_link);
	tcase_add_test(tc, baud_rates);
	suite_add_tcase(suite, tc);
	return suite_finish(suite);
}
