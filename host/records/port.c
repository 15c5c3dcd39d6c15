/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* The serial port, by libserialport. Raw pseudo-terminals, and the driver's counters, are no part of POSIX. */
#define _DEFAULT_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <libserialport.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>
#ifdef __linux__
#include <linux/serial.h>
#endif
#include "host/records/capture.h"

#define TOLERANCE 3 /* per cent between the baud rate asked for and the one the driver has made */

/* A simulation's terminal: it has no line, so no baud rate either. */
static int open_terminal(struct capture_port *port, const char *path)
{
	struct termios mode;
	int fd = open(path, O_RDWR | O_NOCTTY | O_NONBLOCK);
	if (fd < 0 && errno == EACCES)
		fd = open(path, O_RDONLY | O_NOCTTY | O_NONBLOCK);
	if (fd >= 0 && tcgetattr(fd, &mode) == 0) {
		cfmakeraw(&mode);
		if (tcsetattr(fd, TCSANOW, &mode) == 0) {
			*port = (struct capture_port){.fd = fd};
			return CAPTURE_OK;
		}
	}
	int reason = errno;
	if (fd >= 0)
		close(fd);
	errno = reason;
	return CAPTURE_EOPEN;
}

/* sp_set_flowcontrol() of libserialport 0.1.1 leaves it on in the port's own flags. */
static bool without_flow_control(struct sp_port *serial)
{
	struct termios mode;
	int fd;
	if (sp_set_flowcontrol(serial, SP_FLOWCONTROL_NONE) != SP_OK || sp_get_port_handle(serial, &fd) != SP_OK ||
	    tcgetattr(fd, &mode) != 0)
		return false;
	mode.c_cflag &= (tcflag_t)~CRTSCTS;
	return tcsetattr(fd, TCSANOW, &mode) == 0;
}

static int set_up(struct sp_port *serial, int baud)
{
	struct sp_port_config *config;
	int made = 0;
	if (sp_set_bits(serial, 8) != SP_OK || sp_set_parity(serial, SP_PARITY_NONE) != SP_OK ||
	    sp_set_stopbits(serial, 1) != SP_OK || !without_flow_control(serial))
		return CAPTURE_EOPEN;
	if (baud <= 0 || sp_set_baudrate(serial, baud) != SP_OK || sp_new_config(&config) != SP_OK)
		return CAPTURE_ESPEED;
	if (sp_get_config(serial, config) != SP_OK || sp_get_config_baudrate(config, &made) != SP_OK)
		made = 0;
	sp_free_config(config);
	return llabs((long long)made - baud) * 100 <= (long long)baud * TOLERANCE ? CAPTURE_OK : CAPTURE_ESPEED;
}

int capture_port_open(struct capture_port *port, const char *path, int baud)
{
	*port = (struct capture_port){.fd = -1};
	char *name = realpath(path, NULL); /* what udev links from /dev/serial */
	if (name == NULL)
		return CAPTURE_EOPEN;
	if (sp_get_port_by_name(name, &port->serial) != SP_OK) {
		int error = open_terminal(port, name);
		free(name);
		return error;
	}
	free(name);
	int error = CAPTURE_EOPEN;
	/* who may only read cannot ask for a start, and needs not */
	if (sp_open(port->serial, SP_MODE_READ_WRITE) == SP_OK || sp_open(port->serial, SP_MODE_READ) == SP_OK) {
		error = set_up(port->serial, baud);
		if (error == CAPTURE_OK && sp_get_port_handle(port->serial, &port->fd) == SP_OK) {
			(void)ioctl(port->fd, TIOCEXCL);
			return CAPTURE_OK;
		}
	}
	int reason = sp_last_error_code();
	capture_port_close(port);
	errno = reason;
	return error;
}

void capture_port_close(struct capture_port *port)
{
	if (port->serial != NULL) {
		sp_close(port->serial);
		sp_free_port(port->serial);
	} else if (port->fd >= 0)
		close(port->fd);
	*port = (struct capture_port){.fd = -1};
}

uint64_t capture_port_lost(const struct capture_port *port)
{
#ifdef TIOCGICOUNT
	struct serial_icounter_struct counts;
	if (ioctl(port->fd, TIOCGICOUNT, &counts) == 0)
		return (uint64_t)(unsigned)counts.overrun + (unsigned)counts.buf_overrun;
#endif
	(void)port;
	return 0;
}
