/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#include "host/cmd/cmd.h"

#include <argp.h>
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/ioctl.h>
#include <unistd.h>
#include "host/base/array.h"

/* On a terminal the lines break between words. */
static void fold_on_terminal(const char *text)
{
	struct winsize size;
	size_t left = SIZE_MAX, width = SIZE_MAX;
	if (isatty(STDERR_FILENO) && ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col >= 40) {
		width = size.ws_col;
		left = width - strlen(COMPLAINT);
	}
	while (*text != '\0') {
		size_t word = strcspn(text + 1, " ") + 1;
		if (word > left && word - 1 < width && *text == ' ') {
			fputs("\n ", stderr);
			left = width - 1;
		}
		fwrite(text, 1, word, stderr);
		if (left != SIZE_MAX)
			left -= word < left ? word : left;
		text += word;
	}
}

char *help_with_table(
    int key, const char *text, const char *title, bool (*row)(size_t i, const char **name, const char **line))
{
	char *list = NULL;
	const char *name, *line;
	size_t size;
	FILE *out = key == ARGP_KEY_HELP_POST_DOC ? open_memstream(&list, &size) : NULL;
	if (out == NULL)
		return (char *)(uintptr_t)text;
	fprintf(out, "%s:\n", title);
	for (size_t i = 0; row(i, &name, &line); i++)
		fprintf(out, "  %-11s %s\n", name, line);
	fprintf(out, "\n%s", text == NULL ? "" : text);
	return fclose(out) == 0 ? list : (char *)(uintptr_t)text;
}

static const char *named_path, *named_as; /* name_path() */

void name_path(const char *path, const char *shown)
{
	named_path = path;
	named_as = shown;
}

const char *shown_path(const char *path)
{
	return named_path != NULL && path != NULL && strcmp(path, named_path) == 0 ? named_as : path;
}

/* As far as there is room: the libraries' sentences have the path too, wherever they want it. */
static void rename_path(char *text, size_t size)
{
	size_t from = named_path == NULL ? 0 : strlen(named_path), to = named_path == NULL ? 0 : strlen(named_as);
	for (char *at = text; from > 0 && (at = strstr(at, named_path)) != NULL; at += to) {
		if (strlen(text) - from + to >= size)
			return;
		memmove(at + to, at + from, strlen(at + from) + 1);
		memcpy(at, named_as, to);
	}
}

void complain(const char *format, ...)
{
	char text[8192];
	va_list list;
	va_start(list, format);
	vsnprintf(text, sizeof text, format, list);
	va_end(list);
	rename_path(text, sizeof text);
	fflush(stdout); /* in order with what has been printed */
	fputs(COMPLAINT, stderr);
	fold_on_terminal(text);
	fputc('\n', stderr);
}

struct output *begin_output(const char *path, enum output_way way, const char *const *inputs, size_t count)
{
	struct output *output;
	char detail[4096 + 256];
	if (output_open(&output, path, way, &(struct output_inputs){inputs, count}, detail, sizeof detail) != OUTPUT_OK)
		complain("%s", detail);
	return output;
}

int finish_output(struct output *output, int status)
{
	char detail[4096 + 256];
	if (status == STATUS_FAILED)
		output_abandon(output);
	else if (output_commit(output, detail, sizeof detail) != OUTPUT_OK) {
		complain("%s", detail);
		status = STATUS_FAILED;
	}
	return status;
}

int finish_empty(struct output *output, const char *path)
{
	if (!output_replaces(output))
		return finish_output(output, STATUS_OK);
	output_abandon(output);
	complain("%s: keeps what an earlier run wrote: this one collected nothing", path);
	return STATUS_FAILED;
}

volatile sig_atomic_t stop_signal;

static void on_stop(int number)
{
	stop_signal = number;
}

void catch_stop_signals(void)
{
	struct sigaction action = {.sa_handler = on_stop, .sa_flags = (int)SA_RESETHAND};
	const int signals[] = {SIGINT, SIGTERM, SIGHUP};
	sigemptyset(&action.sa_mask);
	for (size_t i = 0; i < sizeof signals / sizeof *signals; i++) {
		struct sigaction old;
		/* a signal that is ignored stays so: nohup asks for that */
		if (sigaction(signals[i], NULL, &old) == 0 && old.sa_handler != SIG_IGN)
			sigaction(signals[i], &action, NULL);
	}
}

int stop_status(void)
{
	return 128 + stop_signal;
}

bool parse_number(const char *text, uint64_t max, uint64_t *value)
{
	char *end;
	errno = 0;
	if (*text < '0' || *text > '9')
		return false;
	*value = strtoull(text, &end, 0);
	return errno == 0 && *end == '\0' && *value <= max;
}

bool parse_amount(const char *text, uint64_t unit, uint64_t max, uint64_t *value)
{
	static const char units[] = "kMG";
	char number[32];
	size_t length = strlen(text), times = 0;
	char unit_letter = length > 0 ? text[length - 1] : '\0';
	const char *found = strchr(units, unit_letter == 'K' ? 'k' : unit_letter);
	if (length == 0 || length >= sizeof number)
		return parse_number(text, max, value);
	memcpy(number, text, length + 1);
	if (found != NULL && *found != '\0') {
		number[length - 1] = '\0';
		times = (size_t)(found - units) + 1;
	}
	if (!parse_number(number, max, value))
		return false;
	while (times-- > 0) {
		if (__builtin_mul_overflow(*value, unit, value))
			return false;
	}
	return *value <= max;
}

bool parse_percent(const char *text, double *value)
{
	char *end;
	*value = strtod(text, &end);
	if (end == text)
		return false;
	if (*end == '%')
		end++;
	return *end == '\0' && *value >= 0 && *value <= 1e6;
}

void tell_ending(const char *path, uint64_t ending)
{
	const char *why = profile_cut_short(ending);
	if (why != NULL)
		complain("%s: of a run that was cut short: %s; what there is is the part before", path, why);
}

#define TEXT_FILE_MAX (1u << 20) /* bytes */

uint8_t *read_whole_file(const char *path, uint64_t most, size_t *size)
{
	FILE *file = strcmp(path, "-") == 0 ? stdin : fopen(path, "rb");
	uint8_t *bytes = NULL;
	size_t room = 0, got = 1;
	*size = 0;
	while (file != NULL && got > 0) {
		if (*size > most || !array_room(&bytes, *size + 65536, &room)) {
			errno = ENOMEM;
			break;
		}
		got = fread(bytes + *size, 1, room - *size, file);
		*size += got;
	}
	const int error = errno;
	if (file == NULL || got > 0 || ferror(file)) {
		free(bytes);
		bytes = NULL;
	}
	if (file != NULL && file != stdin)
		fclose(file);
	errno = error;
	return bytes;
}

char *read_text_file(const char *path, const char *what, const char *hint)
{
	char *text = malloc(TEXT_FILE_MAX + 1);
	FILE *file = fopen(path, "r");
	const char *wrong = NULL;
	if (file == NULL || text == NULL)
		complain("%s: %s%s", path, file == NULL ? strerror(errno) : "out of memory", hint);
	else {
		size_t got = fread(text, 1, TEXT_FILE_MAX + 1, file);
		bool large = got > TEXT_FILE_MAX;
		text[large ? 0 : got] = '\0';
		if (ferror(file) != 0)
			wrong = "cannot be read: no";
		else if (large)
			wrong = "is too large for a";
		else if (strlen(text) != got)
			wrong = "is no text: no";
	}
	if (file != NULL)
		fclose(file);
	if (wrong != NULL)
		complain("%s: %s %s", path, wrong, what);
	if (file != NULL && text != NULL && wrong == NULL)
		return text;
	free(text);
	return NULL;
}
