/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* What a profile of OTLP is of: attributes of its resource, put into the message that `rivulet export' wrote. */
#include <stdlib.h>
#include <string.h>
#include "host/base/json.h"
#include "host/cmd/push.h"
#include "host/export/otlp.pb-c.h"

typedef Rivulet__Otlp__KeyValue KeyValue;

/* Each is of one piece of memory for protobuf-c to free. */
static KeyValue *make_attribute(const char *key, size_t key_length, const char *text)
{
	KeyValue *attribute = malloc(sizeof *attribute);
	Rivulet__Otlp__AnyValue *value = malloc(sizeof *value);
	char *name = strndup(key, key_length), *copy = json_make_utf8(text);
	if (attribute == NULL || value == NULL || name == NULL || copy == NULL) {
		free(attribute);
		free(value);
		free(name);
		free(copy);
		return NULL;
	}
	rivulet__otlp__key_value__init(attribute);
	rivulet__otlp__any_value__init(value);
	attribute->key = name;
	attribute->value = value;
	value->string_value = copy;
	return attribute;
}

static bool add_attributes(const struct push_command *p, const char *build_id, Rivulet__Otlp__Resource *resource)
{
	KeyValue **all = realloc(resource->attributes, (resource->n_attributes + p->label_count + 1) * sizeof *all);
	if (all == NULL)
		return false;
	resource->attributes = all;
	for (size_t i = 0; i <= p->label_count; i++) {
		const char *label = i == 0 ? "build_id" : p->labels[i - 1];
		const char *equals = strchr(label, '=');
		KeyValue *next = i == 0 ? make_attribute(label, strlen(label), build_id)
					: make_attribute(label, (size_t)(equals - label), equals + 1);
		if (next == NULL)
			return false;
		all[resource->n_attributes++] = next;
	}
	return true;
}

bool push_put_attributes(const struct push_command *p, const char *build_id, struct push_message *message)
{
	Rivulet__Otlp__ProfilesData *data = rivulet__otlp__profiles_data__unpack(NULL, message->size, message->body);
	bool good = data != NULL && data->n_resource_profiles > 0 &&
		    add_attributes(p, build_id, data->resource_profiles[0]->resource);
	const size_t size = good ? protobuf_c_message_get_packed_size(&data->base) : 0;
	uint8_t *bytes = good ? malloc(size + 1) : NULL;
	good = bytes != NULL;
	if (good) {
		free(message->body);
		message->body = bytes;
		message->size = protobuf_c_message_pack(&data->base, bytes);
	}
	if (data != NULL)
		rivulet__otlp__profiles_data__free_unpacked(data, NULL);
	return good;
}
