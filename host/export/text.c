/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#include "host/export/text.h"

#include <stdint.h>

/* Bytes of the UTF-8 character at text, 0: it is none. */
static int utf8_length(const unsigned char *text)
{
	static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
	int length = text[0] < 0x80   ? 1
		     : text[0] < 0xC2 ? 0
		     : text[0] < 0xE0 ? 2
		     : text[0] < 0xF0 ? 3
		     : text[0] < 0xF5 ? 4
				      : 0;
	uint32_t value = length < 2 ? text[0] : text[0] & (0x7Fu >> length);
	for (int i = 1; i < length; i++) {
		if ((text[i] & 0xC0) != 0x80)
			return 0;
		value = value << 6 | (text[i] & 0x3F);
	}
	return length > 1 && (value < least[length] || value > 0x10FFFF || (value >= 0xD800 && value < 0xE000))
		   ? 0
		   : length;
}

void text_json(FILE *out, const char *text)
{
	if (text == NULL) {
		fputs("null", out);
		return;
	}
	fputc('"', out);
	for (const unsigned char *at = (const unsigned char *)text; *at != '\0';) {
		int length = utf8_length(at);
		if (length == 0) {
			fputs("\\ufffd", out);
			at++;
		} else if (*at == '"' || *at == '\\')
			fprintf(out, "\\%c", *at++);
		else if (*at < 0x20)
			fprintf(out, "\\u%04x", *at++);
		else
			while (length-- > 0)
				fputc(*at++, out);
	}
	fputc('"', out);
}
