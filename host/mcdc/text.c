/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#include "host/mcdc/text.h"

#include <stdlib.h>
#include <string.h>

static bool is_word_char(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

bool text_of_span(struct image *image, const char *file, const struct mcdc_span *span, char text[TEXT_MAX])
{
	size_t used = 0;
	for (unsigned number = span->line; number <= span->end_line; number++) {
		const char *line = image_source(image, file, number);
		size_t length = line == NULL ? 0 : strlen(line);
		size_t from = number == span->line && span->column > 0 ? span->column - 1 : 0;
		size_t to = number == span->end_line && span->end_column > 0 ? span->end_column - 1 : length;
		if (line == NULL || from > to || to > length || to - from + 2 > TEXT_MAX - used)
			return false;
		memcpy(text + used, line + from, to - from);
		used += to - from;
		text[used++] = ' ';
	}
	text[used] = '\0';
	return true;
}

bool text_has_word(const char *text, const char *word)
{
	size_t length = strlen(word);
	for (const char *at = strstr(text, word); at != NULL; at = strstr(at + 1, word)) {
		if ((at == text || !is_word_char(at[-1])) && !is_word_char(at[length]))
			return true;
	}
	return false;
}

/* The value of a character constant at text; its end. */
static const char *read_character(const char *text, int64_t *value)
{
	static const char names[] = "abfnrtv0", values[] = "\a\b\f\n\r\t\v";
	const char *at = text + 1;
	*value = (unsigned char)*at;
	if (*at == '\\' && at[1] != '\0') {
		const char *name = strchr(names, *++at);
		*value = name == NULL ? (unsigned char)*at : (unsigned char)values[name - names];
	}
	while (*at != '\0' && *at != '\'')
		at++;
	return *at == '\0' ? at : at + 1;
}

bool text_may_have(const char *text, int64_t constant)
{
	bool numbers = false;
	for (const char *at = text; *at != '\0';) {
		int64_t value = 0;
		bool number = true;
		if (*at == '\'') {
			at = read_character(at, &value);
		} else if (*at >= '0' && *at <= '9') {
			value = (int64_t)strtoull(at, NULL, 0);
			while (is_word_char(*at) || *at == '.')
				at++;
		} else if (is_word_char(*at)) {
			bool small = false;
			for (; is_word_char(*at); at++)
				small = small || (*at >= 'a' && *at <= 'z');
			if (!small)
				return true;
			number = false;
		} else {
			number = false;
			at++;
		}
		if (number && ((value - constant <= 1 && constant - value <= 1) ||
				  (-value - constant <= 1 && constant + value <= 1)))
			return true;
		numbers = numbers || number;
	}
	return !numbers;
}
