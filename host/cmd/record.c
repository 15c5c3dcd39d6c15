/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* rivulet record: what a board or a simulation sends, into a capture file. */
#include <argp.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "host/cmd/dense_records.h"
#include "host/cmd/parse_options.h"
#include "host/cmd/profiled.h"
#include "host/cmd/record_debugger.h"
#include "host/cmd/record_dense.h"
#include "host/records/capture.h"

COMMAND(70, record, "what a board or simulation sends, into a capture file");

enum { KEY_TIMEOUT = 256, KEY_LINGER, KEY_ASK, KEY_BASE, KEY_SECONDS };

#define BAUD 115200
#define LINGER 200 /* milliseconds */

struct arguments {
	const char *source, *output, *dense; /* dense: a program; NULL: frames and text come */
	uint64_t baud, profiles, ctrl;       /* ctrl: of a dense stream */
	double timeout, linger;              /* seconds; timeout below 0: none */
	const char *ask_file;                /* with ask; NULL: the port */
	bool append, force, quiet, ask, has_base;
	struct record_debugger debugger; /* its openocd: NULL: none */
};

#define OPTIONS_OF struct arguments
static const struct option_row options[] = {
    {"output", 'o', "FILE", "The capture file (needed)", OPTION_TEXT(output)},
    {"baud", 'b', "N", "Baud rate of a serial port (115200)", OPTION_NUMBER(baud, 0, 100000000, "a number")},
    {"timeout", KEY_TIMEOUT, "SECONDS", "Give up when nothing has come for that long", OPTION_OWN},
    {"profiles", 0, "N", "Stop behind the end of N profiles (1); 0: only at the end of input, timeout, interrupt",
	OPTION_NUMBER(profiles, 0, UINT64_MAX, "a number")},
    {"linger", KEY_LINGER, "SECONDS", "Behind the last profile, go on until nothing has come for that long (0.2)",
	OPTION_OWN},
    {"append", 0, NULL, "Add to the file if it is there", OPTION_FLAG(append)},
    {"force", 0, NULL, "Overwrite the file if it is there", OPTION_FLAG(force)},
    {"dense", 0, "PROGRAM.elf",
	"What comes is the stream of the trace unit's dense coder, of this program: the file is a record file",
	OPTION_TEXT(dense)},
    {"control", 0, "N", "Of a dense stream: the unit's CTRL, of which it says nothing (0x000F0001)",
	OPTION_NUMBER(ctrl, 0, UINT32_MAX, "a number")},
    {"ask", KEY_ASK, "FILE",
	"Of a dense stream: ask the coder for a start when it begins and when a frame is damaged, by a byte to the "
	"port (to "
	"FILE)",
	OPTION_OWN, .flags = OPTION_ARG_OPTIONAL},
    {"openocd", 0, "[HOST:]PORT",
	"SOURCE is the program that runs on a chip, and the file a profile of it: out of the trace unit's hot-trace "
	"table, by the Tcl server of a running OpenOCD (6666)",
	OPTION_TEXT(debugger.openocd)},
    {"base", KEY_BASE, "ADDRESS", "Of --openocd: the address of the trace unit's registers (needed)", OPTION_OWN,
	OPTION_ALSO(has_base)},
    {"tap", 0, "NAME",
	"Of --openocd: system bus access by the debug module behind this TAP (default: OpenOCD's current target)",
	OPTION_TEXT(debugger.tap)},
    {"until", 0, "SYMBOL", "Of --openocd: stop when the program's word of this name is not 0",
	OPTION_TEXT(debugger.until)},
    {"seconds", KEY_SECONDS, "N", "Of --openocd: stop after so long (default: at Ctrl-C)", OPTION_OWN},
    {"quiet", 'q', NULL, "No console text, no summary", OPTION_FLAG(quiet)},
    OPTION_OPERAND(source, "one source is expected", NULL),
    {0},
};

static double parse_seconds(const char *value, const struct argp_state *state)
{
	char *end = NULL;
	const double seconds = strtod(value, &end);
	if (end == value || *end != '\0' || !(seconds >= 0) || seconds > 1e6)
		argp_error(state, "%s: a number of seconds is expected", value);
	return seconds;
}

/* What belongs to --openocd, and what does not go with it. */
static void check_debugger(const struct arguments *a, const struct argp_state *state)
{
	const struct record_debugger *d = &a->debugger;
	if (d->openocd == NULL && (d->tap != NULL || d->until != NULL || a->has_base || d->seconds >= 0))
		argp_error(state, "--tap, --base, --until and --seconds are for --openocd");
	if (d->openocd == NULL)
		return;
	if (a->source == NULL)
		argp_error(state, "a program is expected, the one that runs on the chip");
	if (!a->has_base)
		argp_error(state, "--openocd needs the address of the trace unit's registers: --base=0x40000000");
	if (a->dense != NULL || a->append || a->ask)
		argp_error(state, "--openocd writes one profile: --dense, --append and --ask do not go with it");
}

static error_t parse_record_option(int key, char *value, struct argp_state *state)
{
	struct arguments *a = state->input;
	switch (key) {
	case KEY_TIMEOUT:
		a->timeout = parse_seconds(value, state);
		return 0;
	case KEY_LINGER:
		a->linger = parse_seconds(value, state);
		return 0;
	case KEY_SECONDS:
		a->debugger.seconds = parse_seconds(value, state);
		return 0;
	case KEY_BASE:
		if (!parse_number(value, UINT64_MAX - 0xFF, &a->debugger.base) || a->debugger.base % 4 != 0)
			argp_error(state, "--base %s: an address is expected, a multiple of 4", value);
		return 0;
	case KEY_ASK:
		a->ask = true;
		a->ask_file = value;
		return 0;
	case ARGP_KEY_END:
		check_debugger(a, state);
		if (a->source == NULL)
			argp_error(state,
			    "a source is expected: a serial port (/dev/ttyUSB0), a pipe, or - for standard input");
		if (a->output == NULL)
			argp_error(state, "a capture file is expected: -o FILE");
		if (a->dense == NULL && a->ctrl != DENSE_RECORDS_CTRL)
			argp_error(state, "--control is for a dense stream: --dense");
		if (a->dense == NULL && a->ask)
			argp_error(state, "--ask is for a dense stream: --dense");
		if (a->dense != NULL && a->append)
			argp_error(state, "--append does not go with --dense: a record file is of one stream");
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static void catch_signals(void)
{
	struct sigaction action = {.sa_handler = SIG_IGN};
	sigemptyset(&action.sa_mask);
	catch_stop_signals();
	/* whoever reads the console text may go; the capture goes on */
	sigaction(SIGPIPE, &action, NULL);
}

static void show_text(void *context, const uint8_t *bytes, size_t size)
{
	bool *shown = context;
	if (!*shown)
		return;
	fwrite(bytes, 1, size, stdout);
	if (fflush(stdout) != 0)
		*shown = false;
}

static struct output *open_record_output(const struct arguments *a)
{
	struct output *output;
	char detail[4096 + 256];
	/* what a board sent cannot be had again: it is not overwritten by mistake */
	enum output_way way = OUTPUT_NEW;
	const char *const paths[] = {a->source, a->dense};
	const struct output_inputs inputs = {paths, a->dense != NULL ? 2 : 1};
	if (a->append)
		way = OUTPUT_APPEND;
	else if (a->force)
		way = OUTPUT_REPLACE;
	int error = output_open(&output, a->output, way, &inputs, detail, sizeof detail);
	if (error == OUTPUT_EEXIST)
		complain("%s; give another name, --append or --force", detail);
	else if (error != OUTPUT_OK)
		complain("%s", detail);
	return output;
}

static int open_source(const struct arguments *a, struct capture_port *port)
{
	struct stat status;
	if (strcmp(a->source, "-") == 0)
		return STDIN_FILENO;
	if (stat(a->source, &status) == 0 && S_ISDIR(status.st_mode)) {
		complain("%s: is a directory, expected a serial port or a pipe", a->source);
		return -1;
	}
	int fd = open(a->source,
	    O_RDONLY | O_NOCTTY | (stat(a->source, &status) == 0 && S_ISCHR(status.st_mode) ? O_NONBLOCK : 0));
	if (fd < 0) {
		complain("%s: cannot be opened: %s", a->source, strerror(errno));
		return -1;
	}
	if (isatty(fd) == 0)
		return fd;
	close(fd);
	int error = capture_port_open(port, a->source, (int)a->baud);
	if (error == CAPTURE_ESPEED)
		complain("%s: %s: %" PRIu64 "; try 115200, which every port has", a->source, capture_strerror(error),
		    a->baud);
	else if (error != CAPTURE_OK)
		complain("%s: cannot be used as a serial port: %s", a->source, strerror(errno));
	return port->fd;
}

static void close_source(struct capture_port *port, int from)
{
	if (port->fd < 0)
		close(from);
	capture_port_close(port);
}

/* How it ended, as text and status. */
static int tell_record_end(const struct arguments *a, int stop, const struct capture_split *split, uint64_t bytes)
{
	static const char *const why[] = {[CAPTURE_END] = "the profile is complete",
	    [CAPTURE_EOF] = "the input ended",
	    [CAPTURE_TIMEOUT] = "nothing came any more",
	    [CAPTURE_INTERRUPTED] = "interrupted"};
	int status = STATUS_OK;
	if (stop < 0) {
		complain("%s: %s: %s; %s bytes are in %s", stop == CAPTURE_EWRITE ? a->output : a->source,
		    capture_strerror(stop), strerror(errno), with_commas(bytes), a->output);
		return STATUS_FAILED;
	}
	if (!a->quiet)
		complain("%s: %s bytes, %s frames, %s profiles; %s", a->output, with_commas(bytes),
		    with_commas(split->frames), with_commas(split->ends), why[stop]);
	if (split->damaged > 0) {
		complain("%s: %s frames are damaged; see rivulet info", a->output, with_commas(split->damaged));
		status = STATUS_NO;
	}
	if (split->ends < (a->profiles > 0 ? a->profiles : split->headers) || split->frames == 0) {
		const char *end_of = split->headers > split->ends ? "a profile" : "the next profile";
		if (split->frames == 0)
			end_of = "any profile came";
		complain("%s: %s before the end of %s", a->output, why[stop], end_of);
		status = STATUS_NO;
	}
	return status;
}

static int tell_port_loss(const struct arguments *a, uint64_t lost)
{
	if (lost == 0)
		return STATUS_OK;
	complain("%s: the port lost %s characters: the computer was too slow; use a lower baud rate", a->source,
	    with_commas(lost));
	return STATUS_NO;
}

static int take_dense(const struct arguments *a, const struct capture_port *port, const struct capture_options *capture,
    struct capture_split *split, FILE *file)
{
	int ask = port->fd;
	if (a->ask && a->ask_file != NULL) {
		ask = open(a->ask_file, O_WRONLY | O_APPEND | O_NOCTTY | O_CLOEXEC);
		if (ask < 0) {
			complain("%s: cannot be opened: %s", a->ask_file, strerror(errno));
			return STATUS_FAILED;
		}
	} else if (a->ask && ask < 0) {
		complain("%s: is no serial port that could be asked for a start; --ask=FILE says where", a->source);
		return STATUS_FAILED;
	}
	const struct record_dense record = {.program = a->dense,
	    .source = a->source,
	    .output = a->output,
	    .ctrl = (uint32_t)a->ctrl,
	    .ask = a->ask ? &ask : NULL,
	    .quiet = a->quiet};
	const int status = record_dense(&record, capture, split, file);
	if (a->ask_file != NULL)
		close(ask);
	return status;
}

/* rivulet record --openocd */
static int take_by_debugger(struct arguments *a)
{
	bool empty;
	struct output *output = open_record_output(a);
	if (output == NULL)
		return STATUS_FAILED;
	a->debugger.program = a->source;
	a->debugger.output = a->output;
	a->debugger.quiet = a->quiet;
	const int status = record_debugger(&a->debugger, output_file(output), &empty);
	if (!empty || status == STATUS_FAILED)
		return finish_output(output, status);
	complain("%s: no trace ended while the trace unit was on", a->output);
	output_abandon(output);
	return STATUS_FAILED;
}

int cmd_record(int argc, char **argv)
{
	static const struct argp argp = {NULL, parse_record_option, "SOURCE",
	    "Takes what a board or a simulation sends over its UART into a file, and shows the console text in it. "
	    "SOURCE is a "
	    "serial port, a pipe, or - for standard input. With --dense it is the stream of the trace unit's dense "
	    "coder, "
	    "which ends with the input, by --timeout or by Ctrl-C. With --openocd nothing is sent: a debugger reads "
	    "the trace unit while the program runs.",
	    NULL, NULL, NULL};
	struct arguments a = {.baud = BAUD,
	    .profiles = 1,
	    .timeout = -1,
	    .linger = LINGER / 1000.0,
	    .ctrl = DENSE_RECORDS_CTRL,
	    .debugger.seconds = -1};
	struct capture_split split;
	struct capture_port port = {.fd = -1};
	bool shown;
	parse_options(&argp, options, argc, argv, 0, &a);
	shown = !a.quiet;
	catch_signals();
	if (a.debugger.openocd != NULL)
		return take_by_debugger(&a);
	int from = open_source(&a, &port);
	if (from < 0)
		return STATUS_FAILED;
	struct output *output = open_record_output(&a);
	if (output == NULL) {
		close_source(&port, from);
		return STATUS_FAILED;
	}
	uint64_t bytes, lost = capture_port_lost(&port);
	const struct capture_options capture = {.from = from,
	    .to = output_descriptor(output),
	    .profiles = a.profiles,
	    .linger = (int)(a.linger * 1000),
	    .timeout = a.timeout < 0 ? -1 : (int)(a.timeout * 1000),
	    .interrupted = &stop_signal};
	capture_split_init(&split, show_text, &shown);
	if (a.dense != NULL) {
		int taken = take_dense(&a, &port, &capture, &split, output_file(output));
		taken = worse_status(taken, tell_port_loss(&a, capture_port_lost(&port) - lost));
		close_source(&port, from);
		return finish_output(output, taken);
	}
	int stop = capture_run(&capture, &split, &bytes);
	int status = tell_record_end(&a, stop, &split, bytes);
	lost = capture_port_lost(&port) - lost;
	status = worse_status(status, tell_port_loss(&a, lost));
	/* what came is kept, however it ended; a file that was there goes only if something came */
	if (stop >= 0 && fsync(output_descriptor(output)) != 0 && errno != EINVAL && errno != ENOTSUP) {
		complain("%s: cannot be written: %s", a.output, strerror(errno));
		status = STATUS_FAILED;
	}
	if (bytes == 0 && a.force) {
		output_abandon(output);
		if (access(a.output, F_OK) == 0)
			complain("%s: stays as it was: nothing %s", a.output, stop < 0 ? "was written" : "came");
	} else
		status = finish_output(output, STATUS_OK) == STATUS_OK ? status : STATUS_FAILED;
	close_source(&port, from);
	return status;
}
