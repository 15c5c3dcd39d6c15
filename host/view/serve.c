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
#include "host/base/late.h"
#include "host/view/delta.h"

#define MHD_FUNCTIONS(F)                                                                                               \
	F(start_daemon)                                                                                                \
	F(stop_daemon)                                                                                                 \
	F(get_daemon_info)                                                                                             \
	F(lookup_connection_value)                                                                                     \
	F(create_response_from_buffer)                                                                                 \
	F(add_response_header)                                                                                         \
	F(queue_response)                                                                                              \
	F(destroy_response)
static struct {
#define F(name) __typeof__(&MHD_##name) name;
	MHD_FUNCTIONS(F)
#undef F
} mhd_library;

static bool load_microhttpd(void)
{
	static const struct late_function functions[] = {
#define F(name) {"MHD_" #name, &mhd_library.name},
	    MHD_FUNCTIONS(F)
#undef F
	};
	return mhd_library.destroy_response != NULL ||
	       late_load(MICROHTTPD_LIBRARY, functions, sizeof functions / sizeof *functions) == NULL;
}

#define TOKEN_BYTES 16
#define KEPT 4 /* documents that a page may have, and gets the delta to the last one */
#define DELTA_NAME "rivulet-view-delta"
#define HTTP_IM_USED 226u /* RFC 3229 */

struct kept {
	char *text; /* NULL: none */
	size_t size;
};

struct serve {
	struct MHD_Daemon *daemon;
	struct view_template page;
	uint16_t port;
	char token[2 * TOKEN_BYTES + 1], address[64];
	pthread_mutex_t lock;   /* of what follows */
	uint64_t version;       /* of the last document, from 1 on; 0: there is none yet */
	struct kept kept[KEPT]; /* by version */
};

/* The document of a version, NULL: it is kept no more. */
static const struct kept *kept_document(const struct serve *serve, uint64_t version)
{
	if (version == 0 || version > serve->version || serve->version - version >= KEPT)
		return NULL;
	const struct kept *kept = &serve->kept[version % KEPT];
	return kept->text == NULL ? NULL : kept;
}

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
	case SERVE_ELIBRARY:
		return "libmicrohttpd cannot be loaded: install libmicrohttpd12";
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
	const char *host = mhd_library.lookup_connection_value(connection, MHD_HEADER_KIND, MHD_HTTP_HEADER_HOST);
	snprintf(number, sizeof number, "127.0.0.1:%u", serve->port);
	snprintf(name, sizeof name, "localhost:%u", serve->port);
	return host != NULL && (strcmp(host, number) == 0 || strcmp(host, name) == 0);
}

static enum MHD_Result answer_request(
    struct MHD_Connection *connection, unsigned status, const char *type, const char *tag, char *bytes, size_t size)
{
	struct MHD_Response *response = mhd_library.create_response_from_buffer(size, bytes, MHD_RESPMEM_MUST_FREE);
	if (response == NULL) {
		free(bytes);
		return MHD_NO;
	}
	mhd_library.add_response_header(response, MHD_HTTP_HEADER_CONTENT_TYPE, type);
	mhd_library.add_response_header(response, MHD_HTTP_HEADER_CACHE_CONTROL, "no-store");
	mhd_library.add_response_header(response, "X-Content-Type-Options", "nosniff");
	mhd_library.add_response_header(response, "Referrer-Policy", "no-referrer");
	mhd_library.add_response_header(response, "Cross-Origin-Resource-Policy", "same-origin");
	mhd_library.add_response_header(response, "Content-Security-Policy", "frame-ancestors 'none'");
	if (tag != NULL)
		mhd_library.add_response_header(response, MHD_HTTP_HEADER_ETAG, tag);
	enum MHD_Result result = mhd_library.queue_response(connection, status, response);
	mhd_library.destroy_response(response);
	return result;
}

static enum MHD_Result tell_sentence(struct MHD_Connection *connection, unsigned status, const char *sentence)
{
	char *bytes = strdup(sentence);
	return bytes == NULL ? MHD_NO : answer_request(connection, status, "text/plain", NULL, bytes, strlen(bytes));
}

/* What a request is answered with. */
struct answer {
	bool page;      /* the page with the document, else the document alone */
	bool delta;     /* asked for: the delta is enough; got: it is one */
	uint64_t known; /* version that the page has, 0: none */
	uint64_t version;
	char *bytes; /* NULL: no memory, no document, or the page has it */
	size_t size;
};

static bool write_delta(const struct kept *before, const struct kept *after, FILE *out)
{
	return before != NULL && delta_write(&(struct delta_text){before->text, before->size},
				     &(struct delta_text){after->text, after->size}, out);
}

static void copy_document(struct serve *serve, struct answer *answer)
{
	pthread_mutex_lock(&serve->lock);
	answer->version = serve->version;
	const struct kept *now = kept_document(serve, serve->version);
	const bool wanted = now != NULL && (answer->page || answer->known != serve->version);
	FILE *out = wanted ? open_memstream(&answer->bytes, &answer->size) : NULL;
	if (out != NULL && answer->page)
		view_page(&serve->page, false, &(struct view_document){now->text, now->size, NULL, 0}, out);
	else if (out != NULL) {
		answer->delta = answer->delta && write_delta(kept_document(serve, answer->known), now, out);
		if (!answer->delta)
			fwrite(now->text, 1, now->size, out);
	}
	pthread_mutex_unlock(&serve->lock);
	if (out != NULL && fclose(out) != 0) {
		free(answer->bytes);
		answer->bytes = NULL;
	}
}

/* The number in an entity tag that this server gave; 0: it is none. */
static uint64_t tagged_version(const char *tag)
{
	uint64_t version;
	return tag != NULL && sscanf(tag, "\"%" SCNu64 "\"", &version) == 1 ? version : 0;
}

/* The document, the page with it, or what changed since the document that the asker has. */
static enum MHD_Result send_document(struct serve *serve, struct MHD_Connection *connection, bool page)
{
	char tag[32];
	const char *wishes = mhd_library.lookup_connection_value(connection, MHD_HEADER_KIND, "A-IM");
	struct answer answer = {.page = page,
	    .delta = !page && wishes != NULL && strstr(wishes, DELTA_NAME) != NULL,
	    .known = page ? 0
			  : tagged_version(mhd_library.lookup_connection_value(
				connection, MHD_HEADER_KIND, MHD_HTTP_HEADER_IF_NONE_MATCH))};
	copy_document(serve, &answer);
	if (answer.version == 0)
		return tell_sentence(connection, MHD_HTTP_SERVICE_UNAVAILABLE, "There is no profile yet.\n");
	snprintf(tag, sizeof tag, "\"%" PRIu64 "\"", answer.version);
	unsigned status = answer.delta ? HTTP_IM_USED : MHD_HTTP_OK;
	if (answer.bytes == NULL && answer.known == answer.version) {
		status = MHD_HTTP_NOT_MODIFIED;
		answer.bytes = strdup("");
	}
	if (answer.bytes == NULL)
		return MHD_NO;
	return answer_request(
	    connection, status, page ? "text/html; charset=utf-8" : "application/json", tag, answer.bytes, answer.size);
}

static enum MHD_Result handle_request(void *context, struct MHD_Connection *connection, const char *url,
    const char *method, const char *version, const char *upload, size_t *upload_size, void **state)
{
	struct serve *serve = context;
	static int begun;
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
	return send_document(serve, connection, *rest == '\0');
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
	if (!load_microhttpd()) {
		free(serve);
		return SERVE_ELIBRARY;
	}
	if (serve == NULL)
		return SERVE_ENOMEM;
	serve->page = *page;
	pthread_mutex_init(&serve->lock, NULL);
	if (!make_token(serve->token)) {
		serve_close(serve);
		return SERVE_ERANDOM;
	}
	serve->daemon = mhd_library.start_daemon(MHD_USE_INTERNAL_POLLING_THREAD, port, NULL, NULL, handle_request,
	    serve, MHD_OPTION_SOCK_ADDR, (const struct sockaddr *)&loopback, MHD_OPTION_CONNECTION_TIMEOUT, 30u,
	    MHD_OPTION_CONNECTION_LIMIT, 32u, MHD_OPTION_END);
	const union MHD_DaemonInfo *info =
	    serve->daemon == NULL ? NULL : mhd_library.get_daemon_info(serve->daemon, MHD_DAEMON_INFO_BIND_PORT);
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
		mhd_library.stop_daemon(serve->daemon);
	pthread_mutex_destroy(&serve->lock);
	for (unsigned i = 0; i < KEPT; i++)
		free(serve->kept[i].text);
	free(serve);
}

const char *serve_address(const struct serve *serve)
{
	return serve->address;
}

int serve_put(struct serve *serve, char *document, size_t size)
{
	pthread_mutex_lock(&serve->lock);
	const struct kept *last = kept_document(serve, serve->version);
	bool again = last != NULL && last->size == size && memcmp(last->text, document, size) == 0;
	char *old = document;
	if (!again) {
		struct kept *next = &serve->kept[++serve->version % KEPT];
		old = next->text;
		*next = (struct kept){document, size};
	}
	pthread_mutex_unlock(&serve->lock);
	free(old);
	return SERVE_OK;
}
