/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#include "host/view/serve.h"

#include <arpa/inet.h>
#include <inttypes.h>
#include <microhttpd.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#define TOKEN_BYTES 16

struct serve {
	struct MHD_Daemon *daemon;
	struct view_template page;
	uint16_t port;
	char token[2 * TOKEN_BYTES + 1], address[64];
	pthread_mutex_t lock; /* of what follows */
	char *document;       /* NULL: none yet */
	size_t size;
	uint64_t version;
};

const char *serve_strerror(int error)
{
	switch (error) {
	case SERVE_OK:
		return "no error";
	case SERVE_ENOMEM:
		return "out of memory";
	case SERVE_EPORT:
		return "the port cannot be used: another program has it, or it needs more rights";
	case SERVE_ERANDOM:
		return "the system gives no random bytes for the address";
	default:
		return "unknown error";
	}
}

/* Takes as long for a token that is nearly right as for any other. */
static bool same_token(const char *a, const char *b, size_t length)
{
	unsigned char differs = 0;
	for (size_t i = 0; i < length; i++)
		differs |= (unsigned char)(a[i] ^ b[i]);
	return differs == 0;
}

/* What follows "/TOKEN/"; NULL: the address is another one. */
static const char *below_token(const struct serve *serve, const char *url)
{
	size_t length = 2 * TOKEN_BYTES;
	if (url[0] != '/' || strlen(url + 1) <= length || !same_token(url + 1, serve->token, length) ||
	    url[1 + length] != '/')
		return NULL;
	return url + 2 + length;
}

static bool host_is_ours(const struct serve *serve, struct MHD_Connection *connection)
{
	char number[40], name[40];
	const char *host = MHD_lookup_connection_value(connection, MHD_HEADER_KIND, MHD_HTTP_HEADER_HOST);
	snprintf(number, sizeof number, "127.0.0.1:%u", serve->port);
	snprintf(name, sizeof name, "localhost:%u", serve->port);
	return host != NULL && (strcmp(host, number) == 0 || strcmp(host, name) == 0);
}

static enum MHD_Result answer_request(
    struct MHD_Connection *connection, unsigned status, const char *type, const char *tag, char *bytes, size_t size)
{
	struct MHD_Response *response = MHD_create_response_from_buffer(size, bytes, MHD_RESPMEM_MUST_FREE);
	if (response == NULL) {
		free(bytes);
		return MHD_NO;
	}
	MHD_add_response_header(response, MHD_HTTP_HEADER_CONTENT_TYPE, type);
	MHD_add_response_header(response, MHD_HTTP_HEADER_CACHE_CONTROL, "no-store");
	MHD_add_response_header(response, "X-Content-Type-Options", "nosniff");
	MHD_add_response_header(response, "Referrer-Policy", "no-referrer");
	MHD_add_response_header(response, "Cross-Origin-Resource-Policy", "same-origin");
	MHD_add_response_header(response, "Content-Security-Policy", "frame-ancestors 'none'");
	if (tag != NULL)
		MHD_add_response_header(response, MHD_HTTP_HEADER_ETAG, tag);
	enum MHD_Result result = MHD_queue_response(connection, status, response);
	MHD_destroy_response(response);
	return result;
}

static enum MHD_Result tell_sentence(struct MHD_Connection *connection, unsigned status, const char *sentence)
{
	char *bytes = strdup(sentence);
	return bytes == NULL ? MHD_NO : answer_request(connection, status, "text/plain", NULL, bytes, strlen(bytes));
}

/* A copy of the document, or the page with it; NULL: no memory, or no document. */
static char *copy_document(struct serve *serve, bool with_page, size_t *size, uint64_t *version)
{
	char *bytes = NULL;
	pthread_mutex_lock(&serve->lock);
	*version = serve->version;
	FILE *out = serve->document == NULL ? NULL : open_memstream(&bytes, size);
	if (out != NULL && with_page)
		view_page(&serve->page, false, &(struct view_document){serve->document, serve->size, NULL, 0}, out);
	else if (out != NULL)
		fwrite(serve->document, 1, serve->size, out);
	pthread_mutex_unlock(&serve->lock);
	if (out != NULL && fclose(out) != 0) {
		free(bytes);
		bytes = NULL;
	}
	return bytes;
}

static enum MHD_Result handle_request(void *context, struct MHD_Connection *connection, const char *url,
    const char *method, const char *version, const char *upload, size_t *upload_size, void **state)
{
	struct serve *serve = context;
	static int begun;
	size_t size = 0;
	uint64_t number;
	char tag[32];
	(void)version;
	(void)upload;
	if (*state == NULL) { /* the head alone; the request is whole at the next call */
		*state = &begun;
		return MHD_YES;
	}
	if (*upload_size > 0) {
		*upload_size = 0;
		return MHD_YES;
	}
	if (!host_is_ours(serve, connection))
		return tell_sentence(
		    connection, MHD_HTTP_FORBIDDEN, "This server answers to its loopback address only.\n");
	const char *rest = below_token(serve, url);
	if (rest == NULL || (*rest != '\0' && strcmp(rest, "data.json") != 0))
		return tell_sentence(connection, MHD_HTTP_NOT_FOUND, "There is nothing here.\n");
	if (strcmp(method, MHD_HTTP_METHOD_GET) != 0 && strcmp(method, MHD_HTTP_METHOD_HEAD) != 0)
		return tell_sentence(connection, MHD_HTTP_METHOD_NOT_ALLOWED, "Only GET is answered.\n");
	bool with_page = *rest == '\0';
	char *bytes = copy_document(serve, with_page, &size, &number);
	if (bytes == NULL)
		return tell_sentence(connection, MHD_HTTP_SERVICE_UNAVAILABLE, "There is no profile yet.\n");
	snprintf(tag, sizeof tag, "\"%" PRIu64 "\"", number);
	const char *known = MHD_lookup_connection_value(connection, MHD_HEADER_KIND, MHD_HTTP_HEADER_IF_NONE_MATCH);
	if (!with_page && known != NULL && strcmp(known, tag) == 0) {
		free(bytes);
		bytes = strdup("");
		return bytes == NULL
			   ? MHD_NO
			   : answer_request(connection, MHD_HTTP_NOT_MODIFIED, "application/json", tag, bytes, 0);
	}
	return answer_request(
	    connection, MHD_HTTP_OK, with_page ? "text/html; charset=utf-8" : "application/json", tag, bytes, size);
}

static bool make_token(char *token)
{
	unsigned char random[TOKEN_BYTES];
	if (getrandom(random, sizeof random, 0) != (ssize_t)sizeof random)
		return false;
	for (size_t i = 0; i < sizeof random; i++)
		snprintf(token + 2 * i, 3, "%02x", random[i]);
	return true;
}

int serve_open(struct serve **out, uint16_t port, const struct view_template *page)
{
	struct serve *serve = calloc(1, sizeof *serve);
	const struct sockaddr_in loopback = {
	    .sin_family = AF_INET, .sin_port = htons(port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	*out = NULL;
	if (serve == NULL)
		return SERVE_ENOMEM;
	serve->page = *page;
	pthread_mutex_init(&serve->lock, NULL);
	if (!make_token(serve->token)) {
		serve_close(serve);
		return SERVE_ERANDOM;
	}
	serve->daemon = MHD_start_daemon(MHD_USE_INTERNAL_POLLING_THREAD, port, NULL, NULL, handle_request, serve,
	    MHD_OPTION_SOCK_ADDR, (const struct sockaddr *)&loopback, MHD_OPTION_CONNECTION_TIMEOUT, 30u,
	    MHD_OPTION_CONNECTION_LIMIT, 32u, MHD_OPTION_END);
	const union MHD_DaemonInfo *info =
	    serve->daemon == NULL ? NULL : MHD_get_daemon_info(serve->daemon, MHD_DAEMON_INFO_BIND_PORT);
	if (info == NULL) {
		serve_close(serve);
		return SERVE_EPORT;
	}
	serve->port = info->port;
	snprintf(serve->address, sizeof serve->address, "http://127.0.0.1:%u/%s/", serve->port, serve->token);
	*out = serve;
	return SERVE_OK;
}

void serve_close(struct serve *serve)
{
	if (serve == NULL)
		return;
	if (serve->daemon != NULL)
		MHD_stop_daemon(serve->daemon);
	pthread_mutex_destroy(&serve->lock);
	free(serve->document);
	free(serve);
}

const char *serve_address(const struct serve *serve)
{
	return serve->address;
}

int serve_put(struct serve *serve, char *document, size_t size)
{
	pthread_mutex_lock(&serve->lock);
	bool again = serve->document != NULL && serve->size == size && memcmp(serve->document, document, size) == 0;
	char *old = again ? document : serve->document;
	if (!again) {
		serve->document = document;
		serve->size = size;
		serve->version++;
	}
	pthread_mutex_unlock(&serve->lock);
	free(old);
	return SERVE_OK;
}
