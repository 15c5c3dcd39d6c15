/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#include "host/table/line.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

size_t line_width(void)
{
	static size_t width; /* does not change within a table */
	struct winsize size;
	if (width != 0)
		return width;
	width = LINE_WIDTH;
	if (isatty(STDOUT_FILENO) && ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) {
		if (size.ws_col < LINE_NARROW)
			width = LINE_NARROW;
		else if (size.ws_col > LINE_WIDEST)
			width = LINE_WIDEST;
		else
			width = size.ws_col;
	}
	return width;
}

void line_add(struct line *line, const char *format, ...)
{
	char piece[LINE_WIDEST + 8];
	va_list list;
	va_start(list, format);
	int length = vsnprintf(piece, sizeof piece, format, list);
	va_end(list);
	if (line->cut || length < 0)
		return;
	if (line->length + (size_t)length <= line->width) {
		memcpy(line->text + line->length, piece, (size_t)length + 1);
		line->length += (size_t)length;
		return;
	}
	line->cut = true;
	if (line->length == 0 && line->width >= 8) { /* the first word does not fit: its beginning does */
		memcpy(line->text, piece, line->width - 4);
		line->length = line->width - 4;
	}
	if (line->length + 4 <= line->width) {
		memcpy(line->text + line->length, " ...", 5);
		line->length += 4;
	}
}

void line_add_source(struct line *line, const char *source)
{
	char text[LINE_WIDEST];
	size_t length = 0, columns = 0;
	size_t room = line->width > line->length + 2 ? line->width - line->length - 2 : 0;
	while (*source == ' ' || *source == '\t')
		source++;
	for (; *source != '\0' && length + 1 < sizeof text && columns < room; source++) {
		unsigned char c = (unsigned char)*source;
		if (c == '\t')
			text[length++] = ' ';
		else if (c < 0x20 || c == 0x7F)
			text[length++] = '?';
		else
			text[length++] = (char)c;
		columns++;
	}
	/* a character that the cut went through */
	if ((*source & 0xC0) == 0x80) {
		while (length > 0 && (text[length - 1] & 0xC0) == 0x80)
			length--;
		length -= length > 0 && (text[length - 1] & 0xC0) == 0xC0;
	}
	text[length] = '\0';
	if (length > 0)
		line_add(line, "  %s", text);
}
