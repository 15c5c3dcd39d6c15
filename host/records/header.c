/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* The text of the file header: one `key=value` a line, so that `head` shows what a file is, and a later version can say
 * more. Keys that are not known are left out. */
#include "host/records/private.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

#define VERSION 5 /* the highest that is read; written is the lowest that holds what is there */

const char *records_source_name(unsigned source)
{
	static const char *const names[RECORDS_SOURCES] = {[RECORDS_MODEL] = "model",
	    [RECORDS_FAST_MODEL] = "fast-model",
	    [RECORDS_RTL] = "rtl",
	    [RECORDS_BOARD] = "board",
	    [RECORDS_IMPORT] = "import",
	    [RECORDS_QEMU] = "qemu",
	    [RECORDS_MACHINE] = "machine"};
	return source < RECORDS_SOURCES ? names[source] : "unknown";
}

const char *records_ending_name(unsigned ending)
{
	static const char *const names[RECORDS_ENDINGS] = {[RECORDS_END_EXIT] = "the program ended",
	    [RECORDS_END_LIMIT] = "a limit was reached",
	    [RECORDS_END_INTERRUPTED] = "interrupted",
	    [RECORDS_END_OTHER] = "stopped"};
	return ending < RECORDS_ENDINGS ? names[ending] : "unknown";
}

/* Values are one line of printable characters: they are shown on terminals. */
static int clean_value(const char *value)
{
	return (int)strcspn(value, "\r\n");
}

static int header_version(const struct records_header *h)
{
	if (h->multiplied)
		return 5;
	if (h->carried)
		return 4;
	if (h->clocked)
		return 3;
	return h->base != 0 || h->object_count > 0 ? 2 : 1;
}

static size_t put_object(const struct records_object *object, char *text, size_t room)
{
	size_t at = (size_t)snprintf(
	    text, room, "object=0x%" PRIx64 " %.*s\n", object->base, clean_value(object->path), object->path);
	if (object->code_crc != 0)
		at += (size_t)snprintf(text + at, room - at, "object_code=0x%08" PRIx32 "\n", object->code_crc);
	return at;
}

size_t header_put(const struct records_header *h, char text[HEADER_TEXT_MAX])
{
	int n = snprintf(text, HEADER_TEXT_MAX,
	    "rivulet "
	    "records\nversion=%d\nxlen=%u\nhist=%u\ninsn_bits=%u\ncycle_bits=%u\nrepeat_bits=%u\nctrl=0x%08" PRIx32
	    "\nsource=%s\ncode=0x%08" PRIx32 "\n",
	    header_version(h), h->xlen, h->hist, h->insn_bits, h->cycle_bits, h->repeat_bits, h->ctrl,
	    records_source_name(h->source), h->code_crc);
	size_t at = (size_t)n;
	if (h->has_build)
		at += (size_t)snprintf(text + at, HEADER_TEXT_MAX - at, "build=0x%08" PRIx32 "\n", h->build);
	if (h->build_id[0] != '\0')
		at += (size_t)snprintf(
		    text + at, HEADER_TEXT_MAX - at, "build_id=%.*s\n", clean_value(h->build_id), h->build_id);
	at += (size_t)snprintf(text + at, HEADER_TEXT_MAX - at, "name=%.*s\n", clean_value(h->name), h->name);
	if (h->base != 0)
		at += (size_t)snprintf(text + at, HEADER_TEXT_MAX - at, "base=0x%" PRIx64 "\n", h->base);
	for (unsigned i = 0; i < h->object_count && i < RECORDS_OBJECTS_MAX; i++)
		at += put_object(&h->objects[i], text + at, HEADER_TEXT_MAX - at);
	if (h->rules[0] != '\0')
		at +=
		    (size_t)snprintf(text + at, HEADER_TEXT_MAX - at, "rules=%.*s\n", clean_value(h->rules), h->rules);
	if (h->harts > 0)
		at += (size_t)snprintf(text + at, HEADER_TEXT_MAX - at, "harts=%u\n", h->harts);
	if (h->shared)
		at += (size_t)snprintf(text + at, HEADER_TEXT_MAX - at, "shared=1\n");
	if (h->carried && h->multiplied) /* else the version says it */
		at += (size_t)snprintf(text + at, HEADER_TEXT_MAX - at, "carried=1\n");
	if ((h->carried || h->multiplied) && h->clocked)
		at += (size_t)snprintf(text + at, HEADER_TEXT_MAX - at, "clocked=1\n");
	at += (size_t)snprintf(text + at, HEADER_TEXT_MAX - at, "options=%.*s\n", clean_value(h->options), h->options);
	return at;
}

static bool get_number(const char *value, uint32_t max, uint32_t *number)
{
	char *end;
	if (*value < '0' || *value > '9')
		return false;
	unsigned long long parsed = strtoull(value, &end, 0);
	*number = (uint32_t)parsed;
	return *end == '\0' && parsed <= max;
}

static bool get_address(const char *value, const char **end, uint64_t *number)
{
	char *behind;
	if (*value < '0' || *value > '9')
		return false;
	*number = strtoull(value, &behind, 0);
	*end = behind;
	return true;
}

static void get_text(const char *value, char *to, size_t size)
{
	size_t i = 0;
	for (; value[i] != '\0' && i + 1 < size; i++)
		to[i] = (unsigned char)value[i] < 0x20 || (unsigned char)value[i] >= 0x7F ? '?' : value[i];
	to[i] = '\0';
}

static int get_line(struct records_header *h, const char *key, const char *value, uint32_t *version)
{
	const struct {
		const char *key;
		uint32_t max, *to;
	} numbers[] = {{"version", UINT32_MAX, version}, {"xlen", 64, &h->xlen}, {"hist", 64, &h->hist},
	    {"insn_bits", 32, &h->insn_bits}, {"cycle_bits", 32, &h->cycle_bits}, {"repeat_bits", 16, &h->repeat_bits},
	    {"ctrl", UINT32_MAX, &h->ctrl}, {"code", UINT32_MAX, &h->code_crc}, {"build", UINT32_MAX, &h->build},
	    {"harts", RECORDS_HARTS_MAX, &h->harts}};
	const char *end;
	for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
		if (strcmp(key, numbers[i].key) != 0)
			continue;
		if (!get_number(value, numbers[i].max, numbers[i].to))
			return RECORDS_EFORMAT;
		h->has_build |= strcmp(key, "build") == 0;
		return RECORDS_OK;
	}
	if (strcmp(key, "base") == 0)
		return get_address(value, &end, &h->base) && *end == '\0' ? RECORDS_OK : RECORDS_EFORMAT;
	if (strcmp(key, "object") == 0) {
		if (h->object_count == RECORDS_OBJECTS_MAX)
			return RECORDS_OK;
		struct records_object *object = &h->objects[h->object_count];
		if (!get_address(value, &end, &object->base) || *end != ' ')
			return RECORDS_EFORMAT;
		get_text(end + 1, object->path, sizeof object->path);
		h->object_count++;
		return RECORDS_OK;
	}
	if (strcmp(key, "object_code") == 0) { /* of the object before */
		struct records_object *object = h->object_count > 0 ? &h->objects[h->object_count - 1] : NULL;
		uint32_t crc;
		if (object == NULL || !get_number(value, UINT32_MAX, &crc))
			return RECORDS_EFORMAT;
		object->code_crc = object->code_crc == 0 ? crc : object->code_crc;
		return RECORDS_OK;
	}
	if (strcmp(key, "build_id") == 0)
		get_text(value, h->build_id, sizeof h->build_id);
	else if (strcmp(key, "name") == 0)
		get_text(value, h->name, sizeof h->name);
	else if (strcmp(key, "options") == 0)
		get_text(value, h->options, sizeof h->options);
	else if (strcmp(key, "rules") == 0)
		get_text(value, h->rules, sizeof h->rules);
	else if (strcmp(key, "shared") == 0)
		h->shared = strcmp(value, "1") == 0;
	else if (strcmp(key, "clocked") == 0)
		h->clocked = strcmp(value, "1") == 0;
	else if (strcmp(key, "carried") == 0)
		h->carried = strcmp(value, "1") == 0;
	else if (strcmp(key, "source") == 0) {
		for (h->source = 0; h->source < RECORDS_SOURCES && strcmp(value, records_source_name(h->source)) != 0;)
			h->source++;
	}
	return RECORDS_OK;
}

int header_get(struct records_header *h, const char *text, size_t size)
{
	char line[2048];
	uint32_t version = 0;
	*h = (struct records_header){0};
	for (size_t at = 0; at < size;) {
		const char *end = memchr(text + at, '\n', size - at);
		size_t length = end == NULL ? size - at : (size_t)(end - text) - at;
		if (length < sizeof line) {
			memcpy(line, text + at, length);
			line[length] = '\0';
			char *equals = strchr(line, '=');
			if (equals != NULL) {
				*equals = '\0';
				int error = get_line(h, line, equals + 1, &version);
				if (error != RECORDS_OK)
					return error;
			}
		}
		at += length + 1;
	}
	h->clocked = version == 3 || (version > 3 && h->clocked);
	h->carried = version == 4 || (version > 4 && h->carried);
	h->multiplied = version >= 5;
	if (version > VERSION)
		return RECORDS_EVERSION;
	return version >= 1 && (h->xlen == 32 || h->xlen == 64) && h->hist >= 8 && h->hist <= 64 ? RECORDS_OK
												 : RECORDS_EFORMAT;
}

/* ---------------------------------------------------------------- phase changes */

static void numbers_of(const struct record_change *c, uint64_t n[CHANGES_NUMBERS])
{
	const uint64_t all[CHANGES_NUMBERS] = {
	    c->cycle, c->rose.start, c->rose.hist, c->rose.count, c->sank.start, c->sank.hist, c->sank.count};
	memcpy(n, all, sizeof all);
}

size_t changes_put(const struct record_change *changes, size_t count, uint8_t bytes[CHANGES_SIZE])
{
	uint8_t *at = bytes + 8;
	bytes_put32(bytes, CHANGES_MAGIC);
	bytes_put32(bytes + 4, (uint32_t)(count * CHANGES_NUMBERS * 8));
	for (size_t i = 0; i < count; i++) {
		uint64_t n[CHANGES_NUMBERS];
		numbers_of(&changes[i], n);
		for (unsigned k = 0; k < CHANGES_NUMBERS; k++, at += 8)
			bytes_put64(at, n[k]);
	}
	return (size_t)(at - bytes);
}

size_t changes_get(struct record_change changes[RECORDS_CHANGES_MAX], const uint8_t *bytes, size_t size)
{
	const size_t payload = ZSTD_findFrameCompressedSize(bytes, size), one = CHANGES_NUMBERS * 8;
	if (ZSTD_isError(payload) || size - payload < 8 || bytes_get32(bytes + payload) != CHANGES_MAGIC ||
	    bytes_get32(bytes + payload + 4) != size - payload - 8)
		return 0;
	const size_t first = payload + 8, count = (size - first) / one;
	if ((size - first) % one != 0 || count > RECORDS_CHANGES_MAX)
		return 0;
	for (size_t i = 0; i < count; i++) {
		const uint8_t *at = bytes + first + i * one;
		changes[i] = (struct record_change){.cycle = bytes_get64(at),
		    .rose = {bytes_get64(at + 8), bytes_get64(at + 16), bytes_get64(at + 24)},
		    .sank = {bytes_get64(at + 32), bytes_get64(at + 40), bytes_get64(at + 48)}};
	}
	return count;
}
