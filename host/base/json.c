/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#include "host/base/json.h"

#include <inttypes.h>
#include <math.h>

void json_escaped(const char *s, FILE *out)
{
	const unsigned char *c = (const unsigned char *)s;
	while (*c != '\0') {
		unsigned length = *c < 0x80                 ? 1
				  : *c >= 0xC2 && *c < 0xE0 ? 2
				  : *c >= 0xE0 && *c < 0xF0 ? 3
				  : *c >= 0xF0 && *c < 0xF5 ? 4
							    : 0;
		unsigned good = 1; /* bytes that belong together, at least this one */
		while (good < length && (c[good] & 0xC0) == 0x80)
			good++;
		/* overlong forms, surrogates, above U+10FFFF */
		bool wrong = good != length || (*c == 0xE0 && c[1] < 0xA0) || (*c == 0xED && c[1] >= 0xA0) ||
			     (*c == 0xF0 && c[1] < 0x90) || (*c == 0xF4 && c[1] >= 0x90);
		if (wrong) {
			fputs("\\ufffd", out);
			c++;
			continue;
		}
		if (*c == '"' || *c == '\\')
			fprintf(out, "\\%c", *c);
		else if (*c < 0x20 || *c == 0x7F)
			fprintf(out, "\\u%04x", *c);
		else
			fwrite(c, 1, length, out);
		c += length;
	}
}

void json_quoted(const char *s, FILE *out)
{
	if (s == NULL) {
		fputs("null", out);
		return;
	}
	fputc('"', out);
	json_escaped(s, out);
	fputc('"', out);
}

static void next(struct json *json, const char *name)
{
	if (!json->first)
		fputc(',', json->out);
	if (json->inside) {
		if (!json->first)
			fputc(' ', json->out);
	} else
		fprintf(json->out, "\n%*s", (int)json->depth * 2, "");
	json->first = false;
	if (name != NULL) {
		json_quoted(name, json->out);
		fputs(": ", json->out);
	}
}

static void begin(struct json *json, const char *name, char bracket)
{
	next(json, name);
	fputc(bracket, json->out);
	json->depth++;
	json->first = true;
}

static void end(struct json *json, char bracket)
{
	json->depth--;
	if (!json->first && !json->inside)
		fprintf(json->out, "\n%*s", (int)json->depth * 2, "");
	if (json->inside && json->depth == json->inside_from)
		json->inside = false;
	fputc(bracket, json->out);
	json->first = false;
}

void json_open(struct json *json, FILE *out)
{
	*json = (struct json){.out = out, .depth = 1, .first = true};
	fputc('{', out);
}

void json_close(struct json *json)
{
	end(json, '}');
	fputc('\n', json->out);
}

void json_object(struct json *json, const char *name)
{
	begin(json, name, '{');
}

void json_object_end(struct json *json)
{
	end(json, '}');
}

void json_array(struct json *json, const char *name)
{
	begin(json, name, '[');
}

void json_array_end(struct json *json)
{
	end(json, ']');
}

void json_line(struct json *json, const char *name)
{
	begin(json, name, '{');
	if (!json->inside) {
		json->inside = true;
		json->inside_from = json->depth - 1;
	}
}

void json_text(struct json *json, const char *name, const char *value)
{
	next(json, name);
	json_quoted(value, json->out);
}

void json_number(struct json *json, const char *name, uint64_t value)
{
	next(json, name);
	fprintf(json->out, "%" PRIu64, value);
}

void json_signed(struct json *json, const char *name, int64_t value)
{
	next(json, name);
	fprintf(json->out, "%" PRId64, value);
}

void json_real(struct json *json, const char *name, double value)
{
	next(json, name);
	if (isfinite(value))
		fprintf(json->out, "%.9g", value);
	else
		fputs("null", json->out);
}

void json_bool(struct json *json, const char *name, bool value)
{
	next(json, name);
	fputs(value ? "true" : "false", json->out);
}

void json_null(struct json *json, const char *name)
{
	next(json, name);
	fputs("null", json->out);
}

void json_hex(struct json *json, const char *name, uint64_t value, int digits)
{
	next(json, name);
	fprintf(json->out, "\"0x%0*" PRIx64 "\"", digits, value);
}
