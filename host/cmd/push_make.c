/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* The body of a push is what `rivulet export` writes; the URL has what the profile is of. */
#include "host/cmd/push.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include "host/base/json.h"
#include "host/records/records.h"

/* rivulet export -f FORMAT -o PATH */
static int call_export(const struct push_command *p, const char *format, char *path)
{
	static char name[] = "export", form[] = "-f", to[] = "-o", partial[] = "--partial";
	char *words[] = {name, form, (char *)(uintptr_t)format, to, path, (char *)(uintptr_t)p->program,
	    (char *)(uintptr_t)p->file, partial, NULL};
	for (const struct command *c = commands; c->name != NULL; c++) {
		if (strcmp(c->name, "export") == 0)
			return c->run(p->partial ? 8 : 7, words);
	}
	return STATUS_FAILED;
}

/* All of a file, behind which a zero stands. */
static bool read_body(const char *path, struct push_message *message)
{
	FILE *file = fopen(path, "rb");
	long size = file != NULL && fseek(file, 0, SEEK_END) == 0 ? ftell(file) : -1;
	bool good = size >= 0 && (message->body = calloc((size_t)size + 1, 1)) != NULL;
	if (good) {
		rewind(file);
		message->size = (size_t)size;
		good = fread(message->body, 1, message->size, file) == message->size;
	}
	if (file != NULL)
		fclose(file);
	return good;
}

static int export_body(const struct push_command *p, const char *format, struct push_message *message)
{
	const char *folder = getenv("TMPDIR");
	char path[4096];
	snprintf(path, sizeof path, "%s/rivulet-push.XXXXXX", folder != NULL && *folder != '\0' ? folder : "/tmp");
	int descriptor = mkstemp(path);
	if (descriptor < 0) {
		complain("%s: %s", path, strerror(errno));
		return STATUS_FAILED;
	}
	close(descriptor);
	int status = call_export(p, format, path);
	if (status == STATUS_NO)
		complain("%s: is damaged or does not fit %s: it is not sent (--partial sends what is not whole)",
		    p->file, p->program);
	else if (status == STATUS_OK && !read_body(path, message)) {
		complain("%s: %s", path, strerror(errno));
		status = STATUS_FAILED;
	}
	unlink(path);
	return status;
}

/* What every profile says of itself. False: told. */
static bool identify_profile(const struct push_command *p, struct records_header *header)
{
	struct image *image;
	char detail[1024];
	if (image_open(&image, p->program, detail, sizeof detail) != IMAGE_OK) {
		complain("%s", detail);
		return false;
	}
	records_identify(header, image);
	image_close(image);
	const char *slash = strrchr(p->program, '/');
	snprintf(header->name, sizeof header->name, "%s", slash == NULL ? p->program : slash + 1);
	if (header->build_id[0] == '\0') /* none in the file: its code's */
		snprintf(header->build_id, sizeof header->build_id, "code-%08x", header->code_crc);
	return true;
}

/* As a part of a query. */
static void put_escaped(FILE *out, const char *text, size_t length)
{
	for (size_t i = 0; i < length; i++) {
		unsigned char c = (unsigned char)text[i];
		bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
			     c == '.' || c == '-';
		fprintf(out, plain ? "%c" : "%%%02X", c);
	}
}

static void put_tag_text(FILE *out, const char *text)
{
	put_escaped(out, text, strlen(text));
}

/* URL?name=program{build_id=...,device=...}&format=pprof, or URL?program=...&build_id=...&device=... */
static void put_labels(const struct push_command *p, const struct records_header *header, FILE *out)
{
	bool named = p->store == PUSH_PYROSCOPE;
	fputs(named ? "name=" : "program=", out);
	put_tag_text(out, header->name);
	fprintf(out, "%sbuild_id", named ? "%7B" : "&");
	fputs(named ? "%3D" : "=", out);
	put_tag_text(out, header->build_id);
	for (size_t i = 0; i < p->label_count; i++) {
		const char *equals = strchr(p->labels[i], '=');
		fputs(named ? "%2C" : "&", out);
		put_escaped(out, p->labels[i], (size_t)(equals - p->labels[i]));
		fputs(named ? "%3D" : "=", out);
		put_tag_text(out, equals + 1);
	}
	if (named)
		fprintf(out, "%%7D&format=pprof&until=%lld", (long long)time(NULL));
}

static char *make_url(const struct push_command *p, const struct records_header *header)
{
	char *url = NULL;
	size_t size;
	if (p->store == PUSH_OTLP)
		return strdup(p->url);
	FILE *out = open_memstream(&url, &size);
	if (out == NULL)
		return NULL;
	fprintf(out, "%s%s", p->url, strchr(p->url, '?') == NULL ? "?" : "&");
	if (p->store == PUSH_CLICKHOUSE)
		fprintf(out, "query=INSERT%%20INTO%%20%s%%20FORMAT%%20JSONEachRow", p->table);
	else
		put_labels(p, header, out);
	return fclose(out) == 0 ? url : NULL;
}

/* The members that each row begins with: time, program, build id, labels; ended by a comma. */
static char *common_members(const struct push_command *p, const struct records_header *header)
{
	struct json j;
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);
	if (out == NULL)
		return NULL;
	json_open_line(&j, out);
	json_number(&j, "time", (uint64_t)time(NULL));
	json_text(&j, "program", header->name);
	json_text(&j, "build_id", header->build_id);
	for (size_t i = 0; i < p->label_count; i++) {
		char name[256];
		const char *equals = strchr(p->labels[i], '=');
		snprintf(name, sizeof name, "%.*s", (int)(equals - p->labels[i]), p->labels[i]);
		json_text(&j, name, equals + 1);
	}
	bool whole = json_close(&j);
	if (fclose(out) != 0 || !whole)
		return NULL;
	char *end = strrchr(text, '}');
	if (end != NULL)
		memcpy(end, ",", 2);
	return text;
}

/* {"function": ...} becomes {"time": ..., "function": ...} in each line. */
static bool put_members(const char *members, struct push_message *message)
{
	char *rows = NULL;
	size_t size;
	FILE *out = open_memstream(&rows, &size);
	if (out == NULL || members == NULL)
		return false;
	for (char *line = (char *)message->body; *line != '\0';) {
		size_t length = strcspn(line, "\n");
		fprintf(out, "%s%.*s\n", members, (int)(length - 1), line + 1);
		line += length + (line[length] == '\n');
	}
	if (fclose(out) != 0)
		return false;
	free(message->body);
	message->body = (uint8_t *)rows;
	message->size = size;
	return true;
}

int push_make(const struct push_command *p, struct push_message *message)
{
	static const char *const formats[] = {
	    [PUSH_PYROSCOPE] = "pprof", [PUSH_PPROF] = "pprof", [PUSH_CLICKHOUSE] = "rows", [PUSH_OTLP] = "otlp"};
	static const char *const types[] = {[PUSH_PYROSCOPE] = "application/octet-stream",
	    [PUSH_PPROF] = "application/octet-stream",
	    [PUSH_CLICKHOUSE] = "application/x-ndjson",
	    [PUSH_OTLP] = PUSH_PROTOBUF};
	struct records_header header = {0};
	bool rows = p->store == PUSH_CLICKHOUSE;
	if (!identify_profile(p, &header))
		return STATUS_FAILED;
	int status = export_body(p, formats[p->store], message);
	if (status != STATUS_OK)
		return status;
	message->url = make_url(p, &header);
	message->type = strdup(types[p->store]);
	char *members = rows ? common_members(p, &header) : NULL;
	bool good = message->url != NULL && message->type != NULL && (!rows || put_members(members, message)) &&
		    (p->store != PUSH_OTLP || push_put_attributes(p, header.build_id, message));
	free(members);
	if (!good)
		complain("out of memory");
	return good ? STATUS_OK : STATUS_FAILED;
}
