/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* The serial port. Baud rates above 38400 and the counters are no part of POSIX. */
#define _DEFAULT_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>
#ifdef __linux__
#include <linux/serial.h>
#endif
#include "host/records/capture.h"

static bool find_speed(unsigned long baud, speed_t *speed)
{
	static const struct {
		unsigned long baud;
		speed_t speed;
	} speeds[] = {
	    {1200, B1200},
	    {2400, B2400},
	    {4800, B4800},
	    {9600, B9600},
	    {19200, B19200},
	    {38400, B38400},
	    {57600, B57600},
	    {115200, B115200},
	    {230400, B230400},
#ifdef B460800
	    {460800, B460800},
	    {500000, B500000},
	    {576000, B576000},
	    {921600, B921600},
	    {1000000, B1000000},
	    {1152000, B1152000},
	    {1500000, B1500000},
	    {2000000, B2000000},
	    {2500000, B2500000},
	    {3000000, B3000000},
	    {3500000, B3500000},
	    {4000000, B4000000},
#endif
	};
	for (size_t i = 0; i < sizeof speeds / sizeof *speeds; i++) {
		if (speeds[i].baud == baud) {
			*speed = speeds[i].speed;
			return true;
		}
	}
	return false;
}

static int give_up(int fd, int error)
{
	int reason = errno;
	close(fd);
	errno = reason;
	return error;
}

int capture_open_port(const char *path, unsigned long baud)
{
	struct termios mode;
	speed_t speed;
	if (!find_speed(baud, &speed))
		return CAPTURE_ESPEED;
	/* without O_NONBLOCK the open waits for a carrier that no board gives */
	int fd = open(path, O_RDWR | O_NOCTTY | O_NONBLOCK);
	if (fd < 0)
		return CAPTURE_EOPEN;
	if (tcgetattr(fd, &mode) != 0)
		return give_up(fd, CAPTURE_EOPEN);
	mode.c_iflag &= (tcflag_t) ~(
	    IGNBRK | BRKINT | IGNPAR | PARMRK | INPCK | ISTRIP | INLCR | IGNCR | ICRNL | IXON | IXOFF | IXANY);
	mode.c_oflag &= (tcflag_t)~OPOST;
	mode.c_lflag &= (tcflag_t) ~(ECHO | ECHONL | ICANON | ISIG | IEXTEN);
	mode.c_cflag &= (tcflag_t) ~(CSIZE | PARENB | CSTOPB | CRTSCTS);
	mode.c_cflag |= CS8 | CREAD | CLOCAL;
	mode.c_cc[VMIN] = 1;
	mode.c_cc[VTIME] = 0;
	if (cfsetispeed(&mode, speed) != 0 || cfsetospeed(&mode, speed) != 0)
		return give_up(fd, CAPTURE_ESPEED);
	if (tcsetattr(fd, TCSANOW, &mode) != 0)
		return give_up(fd, CAPTURE_EOPEN);
	(void)ioctl(fd, TIOCEXCL);
	return fd;
}

uint64_t capture_port_lost(int fd)
{
#ifdef TIOCGICOUNT
	struct serial_icounter_struct counts;
	if (ioctl(fd, TIOCGICOUNT, &counts) == 0)
		return (uint64_t)(unsigned)counts.overrun + (unsigned)counts.buf_overrun;
#endif
	(void)fd;
	return 0;
}
