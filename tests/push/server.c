/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/*
 * A store for the tests of rivulet push: answers each POST as the next of its arguments says, the last one for ever,
 * and keeps what it took.
 *
 *   server FOLDER ANSWER...     ANSWER: a status (200, 500, ...), "hang" (no answer for 20 seconds), "part" (200, and
 *                               OTLP's answer that 2 profiles are rejected), "cut" (the
 *                               connection is closed in the middle of the answer)
 *
 * Its port is in FOLDER/port; request n (from 1 on) that was answered with 2xx is FOLDER/n.body and n.query.
 */
#include <microhttpd.h>
#include <netinet/in.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

struct answers {
	const char *folder;
	char **words;
	unsigned count;
	atomic_uint asked;
};

struct request {
	char *body;
	size_t size;
	FILE *query;
	char *query_text;
	size_t query_size;
};

static enum MHD_Result put_argument(void *context, enum MHD_ValueKind kind, const char *name, const char *value)
{
	struct request *request = context;
	(void)kind;
	fprintf(request->query, "%s=%s\n", name, value == NULL ? "" : value);
	return MHD_YES;
}

static void keep_part(const struct answers *answers, unsigned number, const char *what, const char *bytes, size_t size)
{
	char path[4096];
	snprintf(path, sizeof path, "%s/%u.%s", answers->folder, number, what);
	FILE *file = fopen(path, "wb");
	if (file == NULL)
		abort();
	if (size > 0)
		fwrite(bytes, 1, size, file);
	fclose(file);
}

static ssize_t cut_short(void *context, uint64_t at, char *bytes, size_t size)
{
	(void)context;
	(void)at;
	(void)bytes;
	(void)size;
	return MHD_CONTENT_READER_END_WITH_ERROR;
}

static enum MHD_Result answer_post(struct MHD_Connection *connection, struct answers *answers, struct request *request)
{
	unsigned number = ++answers->asked;
	const char *word = answers->words[number <= answers->count ? number - 1 : answers->count - 1];
	unsigned status = (unsigned)strtoul(word, NULL, 10);
	request->query = open_memstream(&request->query_text, &request->query_size);
	MHD_get_connection_values(connection, MHD_GET_ARGUMENT_KIND, put_argument, request);
	fclose(request->query);
	if (strcmp(word, "hang") == 0)
		nanosleep(&(struct timespec){20, 0}, NULL);
	if (status / 100 == 2) {
		keep_part(answers, number, "query", request->query_text, request->query_size);
		keep_part(answers, number, "body", request->body, request->size);
	}
	char text[64];
	snprintf(text, sizeof text, "the answer is %s\n", word);
	if (strcmp(word, "part") == 0)
		snprintf(text, sizeof text,
		    "\n\x08\x08\x02\x12\x04"
		    "full");
	struct MHD_Response *response =
	    strcmp(word, "cut") == 0 ? MHD_create_response_from_callback(1000, 1000, cut_short, NULL, NULL)
				     : MHD_create_response_from_buffer(strlen(text), text, MHD_RESPMEM_MUST_COPY);
	enum MHD_Result result = MHD_queue_response(connection, status == 0 ? 200 : status, response);
	MHD_destroy_response(response);
	return result;
}

static enum MHD_Result take_post(void *context, struct MHD_Connection *connection, const char *url, const char *method,
    const char *version, const char *bytes, size_t *size, void **state)
{
	struct request *request = *state;
	(void)url;
	(void)method;
	(void)version;
	if (request == NULL) {
		*state = calloc(1, sizeof *request);
		return *state == NULL ? MHD_NO : MHD_YES;
	}
	if (*size == 0)
		return answer_post(connection, context, request);
	request->body = realloc(request->body, request->size + *size);
	if (request->body == NULL)
		abort();
	memcpy(request->body + request->size, bytes, *size);
	request->size += *size;
	*size = 0;
	return MHD_YES;
}

static void forget_post(
    void *context, struct MHD_Connection *connection, void **state, enum MHD_RequestTerminationCode code)
{
	struct request *request = *state;
	(void)context;
	(void)connection;
	(void)code;
	if (request == NULL)
		return;
	free(request->body);
	free(request->query_text);
	free(request);
}

int main(int argc, char **argv)
{
	if (argc < 3)
		return 2;
	struct answers answers = {argv[1], argv + 2, (unsigned)(argc - 2), 0};
	const struct sockaddr_in loopback = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	struct MHD_Daemon *daemon = MHD_start_daemon(MHD_USE_THREAD_PER_CONNECTION | MHD_USE_INTERNAL_POLLING_THREAD, 0,
	    NULL, NULL, take_post, &answers, MHD_OPTION_SOCK_ADDR, &loopback, MHD_OPTION_NOTIFY_COMPLETED, forget_post,
	    NULL, MHD_OPTION_END);
	if (daemon == NULL)
		return 1;
	char path[4096], beside[4096];
	snprintf(path, sizeof path, "%s/port", argv[1]);
	snprintf(beside, sizeof beside, "%s/port.part", argv[1]);
	FILE *file = fopen(beside, "w");
	if (file == NULL)
		return 1;
	fprintf(file, "%u\n", (unsigned)MHD_get_daemon_info(daemon, MHD_DAEMON_INFO_BIND_PORT)->port);
	fclose(file);
	rename(beside, path);
	pause();
	return 0;
}
