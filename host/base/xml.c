/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#include "host/base/xml.h"

#include <stdlib.h>
#include "host/base/json.h"

void xml_text(FILE *out, const char *text)
{
	char *copy = json_is_utf8(text) ? NULL : json_make_utf8(text);
	text = copy == NULL ? text : copy;
	for (; *text != '\0'; text++) {
		unsigned char c = (unsigned char)*text;
		if (c == '&')
			fputs("&amp;", out);
		else if (c == '<')
			fputs("&lt;", out);
		else if (c == '>')
			fputs("&gt;", out);
		else if (c == '"')
			fputs("&quot;", out);
		else
			fputc(c < 0x20 || c == 0x7F ? '?' : c, out);
	}
	free(copy);
}
