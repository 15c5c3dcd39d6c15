/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* rivulet push: a profile to the store of a fleet, by way of a spool on disk. */
#include <argp.h>
#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <time.h>
#include <unistd.h>
#include "host/base/array.h"
#include "host/cmd/parse_options.h"
#include "host/cmd/push.h"

COMMAND(135, push, "a profile to the store of a fleet, with a spool on disk");

#define LONGEST_WAIT 60 /* seconds between two tries */

enum { KEY_TABLE = 256 };

#define OPTIONS_OF struct push_command
static const struct option_row options[] = {
    {"to", 0, "STORE", "pyroscope (the default), pprof, clickhouse, otlp: see below",
	OPTION_WORD(store, "pyroscope, pprof, clickhouse or otlp")},
    {"table", KEY_TABLE, "NAME", "ClickHouse: the table (default: rivulet)", OPTION_OWN},
    {"label", 'l', "NAME=VALUE", "What the profile is of: device, site ...; may be repeated", OPTION_OWN},
    {"spool", 0, "DIR", "The folder of what is not sent yet (default: ~/.local/state/rivulet/spool)",
	OPTION_TEXT(spool)},
    {"wait", 0, "SECONDS", "Try again so long (default: 60; 0: once); then it stays in the spool",
	OPTION_NUMBER(wait, 0, 1000000, "a number of seconds")},
    {"timeout", 0, "SECONDS", "Give up an answer (default: 30)",
	OPTION_NUMBER(timeout, 1, 1000000, "a number of seconds")},
    {"partial", 'p', NULL, "Send a profile that is not whole too", OPTION_FLAG(partial)},
    {0},
};

static bool take_label(struct push_command *p, const char *text)
{
	const char *equals = strchr(text, '=');
	size_t length = equals == NULL ? 0 : (size_t)(equals - text);
	if (length == 0 || p->label_count == PUSH_LABELS ||
	    strspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789") != length)
		return false;
	p->labels[p->label_count++] = text;
	return true;
}

static error_t parse_push_option(int key, char *value, struct argp_state *state)
{
	struct push_command *p = state->input;
	const char **operands[] = {&p->url, &p->program, &p->file};
	switch (key) {
	case KEY_TABLE:
		if (value[strspn(value, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789.")] != '\0')
			argp_error(state, "--table %s: letters, digits, _ and . are expected", value);
		p->table = value;
		return 0;
	case 'l':
		if (!take_label(p, value))
			argp_error(state, "--label %s: NAME=VALUE is expected, NAME of letters, digits and _", value);
		return 0;
	case ARGP_KEY_ARG:
		if (state->arg_num >= 3)
			argp_error(state, "URL, program and profile are expected, `%s' is too many", value);
		*operands[state->arg_num] = value;
		return 0;
	case ARGP_KEY_END:
		if (state->arg_num != 0 && state->arg_num != 3)
			argp_error(state, "URL, program and profile are expected, or nothing: what the spool holds");
		if (p->url != NULL && strncasecmp(p->url, "http://", 7) != 0 && strncasecmp(p->url, "https://", 8) != 0)
			argp_error(state, "%s: a URL that begins with http:// or https:// is expected", p->url);
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

/* ---- sending ---- */

static int labels_by_name(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static void free_names(char **names, size_t count)
{
	for (size_t i = 0; i < count; i++)
		free(names[i]);
	free(names);
}

/* Paths of all files of the spool, the oldest first. False: it cannot be read (told). */
static bool list_spool(const char *folder, char ***names, size_t *count)
{
	size_t room = 0;
	bool good = true;
	DIR *list = opendir(folder);
	*names = NULL;
	*count = 0;
	if (list == NULL && errno == ENOENT)
		return true;
	for (struct dirent *entry; good && list != NULL && (entry = readdir(list)) != NULL;) {
		char path[4096 + 256];
		size_t length = strlen(entry->d_name);
		if (length < 6 || strcmp(entry->d_name + length - 5, ".push") != 0)
			continue;
		snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
		good = array_room(names, *count + 1, &room) && ((*names)[*count] = strdup(path)) != NULL;
		*count += good;
	}
	if (list == NULL || !good)
		complain("%s: %s", folder, strerror(good ? errno : ENOMEM));
	if (list != NULL)
		closedir(list);
	if (*count > 0)
		qsort(*names, *count, sizeof **names, labels_by_name);
	return list != NULL && good;
}

/* Each sentence once; of a store that is not asked again there is none. */
static void tell_why(const char *detail, char *why, size_t size)
{
	const size_t used = strlen(why);
	if (*detail != '\0' && strstr(why, detail) == NULL)
		snprintf(why + used, size - used, "%s%s", used > 0 ? "; " : "", detail);
}

/* Sends what the spool holds, once each. *left: files that stay; why: what was said of them. STATUS_*. */
static int send_spool(const struct push_command *p, size_t *left, char *why, size_t size)
{
	char **names;
	size_t count;
	int status = STATUS_OK;
	struct push_silent silent = {.count = 0};
	*left = 0;
	*why = '\0';
	if (!list_spool(p->spool, &names, &count))
		return STATUS_FAILED;
	for (size_t i = 0; i < count && stop_signal == 0; i++) {
		char detail[2048] = "";
		int error = push_spooled(names[i], p->timeout, &silent, detail, sizeof detail);
		*left += error == PUSH_ELATER || error == PUSH_ENOMEM || error == PUSH_EFILE;
		if (error == PUSH_ELATER || error == PUSH_ENOMEM || error == PUSH_EFILE)
			tell_why(error == PUSH_ENOMEM ? "out of memory" : detail, why, size);
		if (error == PUSH_EREFUSED || error == PUSH_EDAMAGED) {
			complain("%s: %s: %s; it is kept as .%s", names[i],
			    error == PUSH_EREFUSED ? "the store refuses it" : "damaged, and not sent", detail,
			    error == PUSH_EREFUSED ? "refused" : "damaged");
			status = STATUS_NO;
		}
	}
	free_names(names, count);
	return status;
}

/* Sleeps, but not behind a signal. */
static void rest_seconds(double seconds)
{
	struct timespec time = {(time_t)seconds, (long)((seconds - (double)(time_t)seconds) * 1e9)};
	nanosleep(&time, NULL);
}

/* Tries until all is sent or the time is over; waits double from half a second on. */
static int send_until(const struct push_command *p)
{
	char why[4096] = "";
	size_t left;
	double waited = 0, next = 0.5;
	int worst = STATUS_OK;
	for (;;) {
		int status = send_spool(p, &left, why, sizeof why);
		bool later = left > 0;
		if (status > worst)
			worst = status;
		if (status == STATUS_FAILED || stop_signal != 0 || !later || waited + next > p->wait) {
			if (later || stop_signal != 0)
				complain("%s; what is not sent stays in %s: rivulet push without operands sends it",
				    stop_signal != 0 ? "interrupted" : why, p->spool);
			if (stop_signal != 0)
				return stop_status();
			return later && worst < STATUS_NO ? STATUS_NO : worst;
		}
		rest_seconds(next);
		waited += next;
		next = next * 2 < LONGEST_WAIT ? next * 2 : LONGEST_WAIT;
	}
}

static int spool_message(const struct push_command *p)
{
	struct push_message message = {0};
	char path[4096], detail[1024];
	int status = push_make(p, &message);
	if (status == STATUS_OK) {
		int error = push_spool(p->spool, &message, path, sizeof path, detail, sizeof detail);
		if (error != PUSH_OK)
			complain("%s", detail);
		status = error == PUSH_OK ? STATUS_OK : STATUS_FAILED;
	}
	push_message_free(&message);
	return status;
}

/* The folder that the user's other programs would take too; NULL: there is none. */
static const char *usual_spool(char *path, size_t size)
{
	const char *state = getenv("XDG_STATE_HOME"), *home = getenv("HOME");
	if (state != NULL && *state == '/')
		snprintf(path, size, "%s/rivulet/spool", state);
	else if (home != NULL && *home != '\0')
		snprintf(path, size, "%s/.local/state/rivulet/spool", home);
	else
		return NULL;
	return path;
}

int cmd_push(int argc, char **argv)
{
	static const struct argp argp = {NULL, parse_push_option, "URL PROGRAM.elf PROFILE|RECORDS\n",
	    "Sends a profile to a store over HTTP. It goes into a folder on disk first and leaves it when the store "
	    "has "
	    "taken it, so none is lost; without operands what is in that folder is sent.\v"
	    "Stores: pyroscope, its /ingest with the labels in the name; pprof, a plain POST of the gzip file with the "
	    "labels as the query; clickhouse, a row for each line of each function by its HTTP port; otlp, "
	    "OpenTelemetry's profiles by HTTP, with the "
	    "labels as attributes of the resource. "
	    "Exit status: 0 all is sent; 1 something stays in the folder, or was refused, or the profile is damaged; 2 "
	    "a file cannot be used. Manual: docs/export.md",
	    NULL, NULL, NULL};
	struct push_command p = {.table = "rivulet", .wait = 60, .timeout = 30};
	char folder[4096];
	parse_options(&argp, options, argc, argv, 0, &p);
	if (p.spool == NULL)
		p.spool = usual_spool(folder, sizeof folder);
	if (p.spool == NULL) {
		complain("there is no home folder: --spool DIR is needed");
		return STATUS_FAILED;
	}
	catch_stop_signals();
	int status = p.url == NULL ? STATUS_OK : spool_message(&p);
	return status == STATUS_OK ? send_until(&p) : status;
}
