/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#include "host/push/push.h"

#define CURL_DISABLE_TYPECHECK /* the functions are pointers */
#include <curl/curl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "host/base/late.h"
#include "host/export/otlp.pb-c.h"

#define CURL_FUNCTIONS(F)                                                                                              \
	F(easy_init)                                                                                                   \
	F(easy_setopt)                                                                                                 \
	F(easy_perform)                                                                                                \
	F(easy_getinfo)                                                                                                \
	F(easy_strerror)                                                                                               \
	F(easy_cleanup)                                                                                                \
	F(slist_append)                                                                                                \
	F(slist_free_all)
#undef curl_easy_setopt
#undef curl_easy_getinfo
static struct {
#define F(name) __typeof__(&curl_##name) name;
	CURL_FUNCTIONS(F)
#undef F
} curl_library;

static const char *load_curl(void)
{
	static const struct late_function functions[] = {
#define F(name) {"curl_" #name, &curl_library.name},
	    CURL_FUNCTIONS(F)
#undef F
	};
	if (curl_library.slist_free_all != NULL)
		return NULL;
	return late_load(CURL_LIBRARY, functions, sizeof functions / sizeof *functions);
}

void push_message_free(struct push_message *message)
{
	free(message->url);
	free(message->type);
	free(message->body);
	*message = (struct push_message){0};
}

struct push_answer { /* the first line of what the store says, for the user */
	char text[256];
	size_t used;
	uint8_t bytes[1024]; /* as they came */
	size_t size;
};

static size_t take_answer(char *bytes, size_t one, size_t count, void *context)
{
	struct push_answer *answer = context;
	for (size_t i = 0; i < one * count && answer->size < sizeof answer->bytes; i++)
		answer->bytes[answer->size++] = (uint8_t)bytes[i];
	for (size_t i = 0; i < one * count && answer->used < sizeof answer->text - 1; i++) {
		unsigned char c = (unsigned char)bytes[i];
		if (c == '\n')
			answer->used = sizeof answer->text - 1;
		else
			answer->text[answer->used++] = c < ' ' || c == 127 ? ' ' : (char)c;
	}
	return one * count;
}

/* A store of OTLP answers 200 also where it took nothing. Whether it took all. */
static bool took_all(const struct push_answer *answer, char *detail, size_t size)
{
	Rivulet__Otlp__ExportProfilesServiceResponse *response =
	    rivulet__otlp__export_profiles_service_response__unpack(NULL, answer->size, answer->bytes);
	const Rivulet__Otlp__ExportProfilesPartialSuccess *part = response == NULL ? NULL : response->partial_success;
	const bool all = part == NULL || part->rejected_profiles <= 0;
	if (!all)
		snprintf(detail, size, "the store did not take %lld profiles: %s", (long long)part->rejected_profiles,
		    part->error_message);
	if (response != NULL)
		rivulet__otlp__export_profiles_service_response__free_unpacked(response, NULL);
	return all;
}

static int judge_answer(CURLcode code, long status, const struct push_answer *answer, char *detail, size_t size)
{
	if (code != CURLE_OK) {
		snprintf(detail, size, "%s", curl_library.easy_strerror(code));
		bool never = code == CURLE_URL_MALFORMAT || code == CURLE_UNSUPPORTED_PROTOCOL;
		if (code == CURLE_OUT_OF_MEMORY)
			return PUSH_ENOMEM;
		return never ? PUSH_EREFUSED : PUSH_ELATER;
	}
	if (status / 100 == 2)
		return PUSH_OK;
	snprintf(detail, size, "HTTP %ld%s%s", status, answer->text[0] == '\0' ? "" : ": ", answer->text);
	bool later = status == 408 || status == 425 || status == 429 || status >= 500;
	return later ? PUSH_ELATER : PUSH_EREFUSED;
}

int push_send(const struct push_message *message, unsigned timeout, char *detail, size_t size)
{
	char type[256];
	struct push_answer answer = {.used = 0};
	long status = 0;
	const char *missing = load_curl();
	if (missing != NULL) {
		snprintf(detail, size, "%s", missing);
		return PUSH_ELATER;
	}
	snprintf(type, sizeof type, "Content-Type: %s", message->type);
	CURL *curl = curl_library.easy_init();
	struct curl_slist *headers = curl_library.slist_append(NULL, type);
	struct curl_slist *all = headers == NULL ? NULL : curl_library.slist_append(headers, "Expect:");
	int error = PUSH_ENOMEM;
	if (curl != NULL && all != NULL) {
		curl_library.easy_setopt(curl, CURLOPT_URL, message->url);
		curl_library.easy_setopt(curl, CURLOPT_PROTOCOLS_STR, "http,https");
		curl_library.easy_setopt(curl, CURLOPT_POST, 1L);
		curl_library.easy_setopt(curl, CURLOPT_POSTFIELDS, message->body);
		curl_library.easy_setopt(curl, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)message->size);
		curl_library.easy_setopt(curl, CURLOPT_HTTPHEADER, all);
		curl_library.easy_setopt(curl, CURLOPT_NETRC, (long)CURL_NETRC_OPTIONAL);
		curl_library.easy_setopt(curl, CURLOPT_CONNECTTIMEOUT, (long)timeout);
		curl_library.easy_setopt(curl, CURLOPT_TIMEOUT, (long)timeout);
		curl_library.easy_setopt(curl, CURLOPT_NOSIGNAL, 1L);
		curl_library.easy_setopt(curl, CURLOPT_USERAGENT, "rivulet");
		curl_library.easy_setopt(curl, CURLOPT_WRITEFUNCTION, take_answer);
		curl_library.easy_setopt(curl, CURLOPT_WRITEDATA, &answer);
		CURLcode code = curl_library.easy_perform(curl);
		curl_library.easy_getinfo(curl, CURLINFO_RESPONSE_CODE, &status);
		error = judge_answer(code, status, &answer, detail, size);
		if (error == PUSH_OK && strcmp(message->type, PUSH_PROTOBUF) == 0 && !took_all(&answer, detail, size))
			error = PUSH_EREFUSED;
	} else
		snprintf(detail, size, "out of memory");
	curl_library.slist_free_all(headers);
	curl_library.easy_cleanup(curl);
	return error;
}
