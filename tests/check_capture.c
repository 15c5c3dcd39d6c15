/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* Captures: text and frames told apart whatever the pieces in which they come, nothing lost, through pipes and a
 * terminal. */
#define _XOPEN_SOURCE 700
#include <check.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>
#include "host/profile/stream.h"
#include "host/records/capture.h"
#include "tests/suite.h"

struct bytes {
	uint8_t at[1 << 20];
	size_t size;
};

static int keep(void *context, const void *more, size_t size)
{
	struct bytes *b = context;
	ck_assert_uint_le(b->size + size, sizeof b->at);
	memcpy(b->at + b->size, more, size);
	b->size += size;
	return 0;
}

static void keep_text(void *context, const uint8_t *more, size_t size)
{
	keep(context, more, size);
}

static void add_text(struct bytes *stream, struct bytes *text, const char *line)
{
	keep(stream, line, strlen(line));
	keep(text, line, strlen(line));
}

/* A profile with some hundred entries, made by the writer of profiles. */
static void add_profile(struct bytes *stream)
{
	struct profile profile;
	ck_assert_int_eq(profile_init(&profile), PROFILE_OK);
	profile.header = (struct profile_header){.version = 1, .xlen = 32, .hist = 32, .period = 1, .name = "made up"};
	for (unsigned i = 0; i < 300; i++) {
		const struct record entry = {
		    .start = 0x80000000u + 2 * i, .hist = 1 + i * 7, .count = 1 + i, .reason = (uint8_t)(1 + i % 3)};
		ck_assert_int_eq(profile_add(&profile, &entry), PROFILE_OK);
	}
	ck_assert_int_eq(profile_write(&profile, keep, stream), PROFILE_OK);
	profile_fini(&profile);
}

/* Text, two profiles, text without a line end between frames. */
static void make(struct bytes *stream, struct bytes *text)
{
	stream->size = text->size = 0;
	add_text(stream, text, "hello \x1b[1mworld\x1b[0m, gr\xc3\xbc\xc3\x9f dich\r\n");
	add_profile(stream);
	add_text(stream, text, "between\n");
	add_text(stream, text, "x");
	add_profile(stream);
	/* of a process of the kernel: no frame, whatever it is */
	keep(stream, "\0\xFF\xFF", 3);
	add_text(stream, text, "\x0B\x09\x0A\x0B end\n");
}

static struct bytes stream, text, got_text, file;

START_TEST(split_pieces)
{
	struct capture_split split;
	make(&stream, &text);
	size_t piece = (size_t)_i + 1;
	got_text.size = 0;
	capture_split_init(&split, keep_text, &got_text);
	for (size_t at = 0; at < stream.size; at += piece)
		capture_split_feed(&split, stream.at + at, stream.size - at < piece ? stream.size - at : piece);
	capture_split_idle(&split);
	ck_assert_uint_eq(got_text.size, text.size);
	ck_assert(memcmp(got_text.at, text.at, text.size) == 0);
	ck_assert_uint_eq(split.headers, 2);
	ck_assert_uint_eq(split.ends, 2);
	ck_assert_uint_eq(split.damaged, 0);
	ck_assert_uint_gt(split.frames, 6);
}
END_TEST

/* Text is not kept waiting: what has been fed is out, at the latest when the line is quiet. */
START_TEST(text_at_once)
{
	struct capture_split split;
	make(&stream, &text);
	keep(&stream, "ab", 2); /* behind the profiles and "end\n" */
	got_text.size = 0;
	capture_split_init(&split, keep_text, &got_text);
	capture_split_feed(&split, stream.at, stream.size);
	ck_assert_uint_eq(got_text.size, text.size + 2);
	const uint8_t one[] = {0, 'Z'};
	capture_split_feed(&split, one, 2);
	ck_assert_uint_eq(got_text.size, text.size + 2);
	capture_split_idle(&split);
	ck_assert_uint_eq(got_text.size, text.size + 3);
	ck_assert_uint_eq(got_text.at[got_text.size - 1], 'Z');
}
END_TEST

/* A frame whose second byte is late is a frame, although its first was shown as text meanwhile. */
START_TEST(late_frame)
{
	struct capture_split split;
	stream.size = 0;
	add_profile(&stream);
	got_text.size = 0;
	capture_split_init(&split, keep_text, &got_text);
	for (size_t at = 0; at < stream.size; at++) {
		capture_split_feed(&split, stream.at + at, 1);
		capture_split_idle(&split);
	}
	ck_assert_uint_eq(split.headers, 1);
	ck_assert_uint_eq(split.ends, 1);
	ck_assert_uint_eq(split.damaged, 0);
	ck_assert_uint_le(got_text.size, split.frames); /* first bytes that look like text, once each */
}
END_TEST

/* Each byte of a stream flipped: never a crash, never more good frames, text never gets control characters. */
START_TEST(split_damage)
{
	struct capture_split split;
	make(&stream, &text);
	for (size_t i = 0; i < stream.size; i += 3) {
		stream.at[i] ^= (uint8_t)(1 + i % 255);
		got_text.size = 0;
		capture_split_init(&split, keep_text, &got_text);
		capture_split_feed(&split, stream.at, stream.size);
		stream.at[i] ^= (uint8_t)(1 + i % 255);
		if (split.headers > 2 || split.ends > 2)
			ck_abort_msg("more frames than there are");
		for (size_t k = 0; k < got_text.size; k++) {
			uint8_t c = got_text.at[k];
			if (c == 0x7F || (c < 0x20 && c != 0x1B && (c < 7 || c > 13)))
				ck_abort_msg("control character %d in the text", c);
		}
	}
}
END_TEST

static void nap(long milliseconds)
{
	const struct timespec time = {.tv_sec = milliseconds / 1000, .tv_nsec = milliseconds % 1000 * 1000000};
	nanosleep(&time, NULL);
}

/* A child writes the stream to fd in pieces, with pauses; then it waits (hold) or ends. */
static pid_t feed(int fd, int other, size_t piece, long hold)
{
	fflush(NULL);
	pid_t child = fork();
	ck_assert_int_ge(child, 0);
	if (child != 0)
		return child;
	close(other);
	for (size_t at = 0; at < stream.size;) {
		size_t size = stream.size - at < piece ? stream.size - at : piece;
		ssize_t put = write(fd, stream.at + at, size);
		if (put < 0)
			_exit(1);
		at += (size_t)put;
		if (at % 5 == 0)
			nap(1);
	}
	nap(hold);
	_exit(0);
}

static int scratch(void)
{
	FILE *f = tmpfile();
	ck_assert_ptr_nonnull(f);
	return fileno(f); /* closed with the process */
}

static void check_file(int fd)
{
	ssize_t size = pread(fd, file.at, sizeof file.at, 0);
	ck_assert_int_eq(size, (ssize_t)stream.size);
	ck_assert(memcmp(file.at, stream.at, stream.size) == 0);
}

START_TEST(pipe_whole)
{
	int ends[2], status;
	struct capture_split split;
	uint64_t bytes;
	make(&stream, &text);
	ck_assert_int_eq(pipe(ends), 0);
	pid_t child = feed(ends[1], ends[0], 1 + 700 * (size_t)_i, 0);
	close(ends[1]);
	struct capture_options options = {.from = ends[0], .to = scratch(), .linger = 100, .timeout = -1};
	got_text.size = 0;
	capture_split_init(&split, keep_text, &got_text);
	ck_assert_int_eq(capture_run(&options, &split, &bytes), CAPTURE_EOF);
	ck_assert_uint_eq(bytes, stream.size);
	check_file(options.to);
	ck_assert_uint_eq(got_text.size, text.size);
	ck_assert_uint_eq(split.ends, 2);
	waitpid(child, &status, 0);
	close(ends[0]);
}
END_TEST

/* The writer has sent two profiles and stays: what ends a capture that waits for `profiles` of them. */
static void writer_stays(unsigned profiles, int timeout, int expected)
{
	int ends[2];
	struct capture_split split;
	uint64_t bytes;
	make(&stream, &text);
	ck_assert_int_eq(pipe(ends), 0);
	pid_t child = feed(ends[1], ends[0], 4096, 10000);
	struct capture_options options = {
	    .from = ends[0], .to = scratch(), .profiles = profiles, .linger = 200, .timeout = timeout};
	capture_split_init(&split, NULL, NULL);
	ck_assert_int_eq(capture_run(&options, &split, &bytes), expected);
	check_file(options.to);
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
	close(ends[0]);
	close(ends[1]);
}

/* The second end frame, after what follows at once. */
START_TEST(stops_at_end)
{
	writer_stays(2, 5000, CAPTURE_END);
}
END_TEST

START_TEST(times_out)
{
	writer_stays(3, 400, CAPTURE_TIMEOUT);
}
END_TEST

/* Interrupted before anything was read: what is there already is taken nevertheless. */
START_TEST(interrupted)
{
	int ends[2];
	struct capture_split split;
	uint64_t bytes;
	volatile int stop = 1;
	ck_assert_int_eq(pipe(ends), 0);
	ck_assert_int_eq(write(ends[1], "some text", 9), 9);
	struct capture_options options = {.from = ends[0], .to = scratch(), .timeout = -1, .interrupted = &stop};
	capture_split_init(&split, NULL, NULL);
	ck_assert_int_eq(capture_run(&options, &split, &bytes), CAPTURE_INTERRUPTED);
	ck_assert_uint_eq(bytes, 9);
	close(ends[0]);
	close(ends[1]);
}
END_TEST

START_TEST(disk_full)
{
	int ends[2], full = open("/dev/full", O_WRONLY);
	struct capture_split split;
	uint64_t bytes;
	ck_assert_int_ge(full, 0);
	ck_assert_int_eq(pipe(ends), 0);
	ck_assert_int_eq(write(ends[1], "some text", 9), 9);
	struct capture_options options = {.from = ends[0], .to = full, .timeout = 1000};
	capture_split_init(&split, NULL, NULL);
	ck_assert_int_eq(capture_run(&options, &split, &bytes), CAPTURE_EWRITE);
	ck_assert_int_eq(errno, ENOSPC);
	ck_assert_uint_eq(bytes, 0);
	close(full);
	close(ends[0]);
	close(ends[1]);
}
END_TEST

/* Through a terminal: raw, so that not a byte is changed, whatever the terminal was set to before. */
START_TEST(pseudo_terminal)
{
	struct capture_split split;
	struct termios mode;
	uint64_t bytes;
	make(&stream, &text);
	uint8_t all[256]; /* every byte, among them those that a cooked terminal acts on */
	for (unsigned i = 0; i < 256; i++)
		all[i] = (uint8_t)i;
	keep(&stream, all, sizeof all);
	int master = posix_openpt(O_RDWR | O_NOCTTY);
	ck_assert_int_ge(master, 0);
	ck_assert_int_eq(grantpt(master), 0);
	ck_assert_int_eq(unlockpt(master), 0);
	struct capture_port opened;
	ck_assert_int_eq(capture_port_open(&opened, ptsname(master), 921600), CAPTURE_OK);
	int port = opened.fd;
	ck_assert_int_eq(tcgetattr(port, &mode), 0);
	ck_assert((mode.c_lflag & (ICANON | ECHO | ISIG)) == 0);
	ck_assert((mode.c_iflag & (ICRNL | IXON)) == 0);
	ck_assert((mode.c_oflag & OPOST) == 0);
	ck_assert_uint_eq(cfgetispeed(&mode), cfgetospeed(&mode));
	ck_assert_uint_eq(capture_port_lost(&opened), 0);
	pid_t child = feed(master, port, 999, 1000); /* a terminal that hangs up drops what was not read yet */
	close(master);
	struct capture_options options = {.from = port, .to = scratch(), .timeout = 3000};
	got_text.size = 0;
	capture_split_init(&split, keep_text, &got_text);
	int stop = capture_run(&options, &split, &bytes);
	ck_assert_int_eq(stop, CAPTURE_EOF); /* the other side is closed */
	check_file(options.to);
	ck_assert_uint_eq(split.ends, 2);
	waitpid(child, NULL, 0);
	capture_port_close(&opened);
	ck_assert_int_eq(opened.fd, -1);
}
END_TEST

START_TEST(bad_port)
{
	struct capture_port port;
	ck_assert_int_eq(capture_port_open(&port, "/does/not/exist", 115200), CAPTURE_EOPEN);
	ck_assert_int_eq(errno, ENOENT);
	ck_assert_int_eq(capture_port_open(&port, "/dev/null", 115200), CAPTURE_EOPEN);
	ck_assert_int_eq(errno, ENOTTY);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("capture");
	TCase *splitting = tcase_create("text and frames"), *running = tcase_create("capturing");
	tcase_set_timeout(running, 60);
	tcase_add_loop_test(splitting, split_pieces, 0, 60);
	tcase_add_test(splitting, text_at_once);
	tcase_add_test(splitting, late_frame);
	tcase_add_test(splitting, split_damage);
	tcase_add_loop_test(running, pipe_whole, 0, 3);
	tcase_add_test(running, stops_at_end);
	tcase_add_test(running, times_out);
	tcase_add_test(running, interrupted);
	tcase_add_test(running, disk_full);
	tcase_add_test(running, pseudo_terminal);
	tcase_add_test(running, bad_port);
	suite_add_tcase(suite, splitting);
	suite_add_tcase(suite, running);
	return suite_finish(suite);
}
