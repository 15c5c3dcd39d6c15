/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/*
 * OTLP profiles as JSON: any message by its descriptor, with protobuf's rules for JSON and OTLP's own: names in lower
 * camel case, numbers of 64 bits as text, identities in hexadecimal digits. What is 0 or "" is left out.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "host/base/json.h"
#include "host/export/otlp_message.h"

enum { NAME_MAX_LENGTH = 64, BYTES_MAX = 64 };

static void camel_case(const char *name, char text[NAME_MAX_LENGTH])
{
	size_t used = 0;
	for (bool upper = false; *name != '\0' && used + 1 < NAME_MAX_LENGTH; name++) {
		if (*name == '_')
			upper = true;
		else {
			text[used++] = (char)(upper ? *name - 'a' + 'A' : *name);
			upper = false;
		}
	}
	text[used] = '\0';
}

static void put_message(struct json *json, const ProtobufCMessage *message);

static size_t size_of(ProtobufCType type)
{
	switch (type) {
	case PROTOBUF_C_TYPE_MESSAGE:
	case PROTOBUF_C_TYPE_STRING:
		return sizeof(void *);
	case PROTOBUF_C_TYPE_BYTES:
		return sizeof(ProtobufCBinaryData);
	case PROTOBUF_C_TYPE_INT32:
		return sizeof(int32_t);
	default:
		return sizeof(int64_t);
	}
}

static bool is_default(ProtobufCType type, const void *value)
{
	static const char zeros[sizeof(ProtobufCBinaryData)];
	if (type == PROTOBUF_C_TYPE_STRING)
		return **(char *const *)value == '\0';
	if (type == PROTOBUF_C_TYPE_BYTES)
		return ((const ProtobufCBinaryData *)value)->len == 0;
	return memcmp(value, zeros, size_of(type)) == 0;
}

static void put_bytes(struct json *json, const char *name, const ProtobufCBinaryData *bytes)
{
	char text[2 * BYTES_MAX + 1] = "";
	for (size_t i = 0; i < bytes->len && i < BYTES_MAX; i++)
		snprintf(text + 2 * i, 3, "%02x", bytes->data[i]);
	json_text(json, name, text);
}

static void put_value(struct json *json, const char *name, ProtobufCType type, const void *value)
{
	char text[SPOTS_NAME];
	switch (type) {
	case PROTOBUF_C_TYPE_MESSAGE:
		json_line(json, name);
		put_message(json, *(ProtobufCMessage *const *)value);
		json_object_end(json);
		break;
	case PROTOBUF_C_TYPE_STRING:
		json_text(json, name, *(char *const *)value);
		break;
	case PROTOBUF_C_TYPE_BYTES:
		put_bytes(json, name, value);
		break;
	case PROTOBUF_C_TYPE_INT32:
		json_signed(json, name, *(const int32_t *)value);
		break;
	case PROTOBUF_C_TYPE_INT64:
		snprintf(text, sizeof text, "%" PRId64, *(const int64_t *)value);
		json_text(json, name, text);
		break;
	default:
		snprintf(text, sizeof text, "%" PRIu64, *(const uint64_t *)value);
		json_text(json, name, text);
	}
}

static void put_message(struct json *json, const ProtobufCMessage *message)
{
	for (unsigned i = 0; i < message->descriptor->n_fields; i++) {
		const ProtobufCFieldDescriptor *field = &message->descriptor->fields[i];
		const char *at = (const char *)message + field->offset;
		char name[NAME_MAX_LENGTH];
		camel_case(field->name, name);
		if (field->label != PROTOBUF_C_LABEL_REPEATED) {
			if (!is_default(field->type, at))
				put_value(json, name, field->type, at);
			continue;
		}
		size_t count;
		memcpy(&count, (const char *)message + field->quantifier_offset, sizeof count);
		if (count == 0)
			continue;
		json_array(json, name);
		for (size_t k = 0; k < count; k++)
			put_value(json, NULL, field->type, *(char *const *)at + k * size_of(field->type));
		json_array_end(json);
	}
}

int export_otlp_json(const struct export_input *input, FILE *out)
{
	struct otlp_message message;
	struct json json;
	int error = otlp_message_make(&message, input);
	if (error == EXPORT_OK) {
		json_open_compact(&json, out);
		put_message(&json, &message.data.base);
		const bool whole = json_close(&json);
		if (!whole)
			error = EXPORT_ENOMEM;
		else if (ferror(out) != 0)
			error = EXPORT_EWRITE;
	}
	otlp_message_free(&message);
	return error;
}
