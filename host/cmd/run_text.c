/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#include "host/cmd/run_text.h"

#include <stdio.h>
#include <string.h>
#include "common/frame.h"
#include "host/cmd/cmd.h"

void run_text_open(struct run_text *text, const char *program)
{
	*text = (struct run_text){.program = program};
}

/* A control character that no text has. Bytes above 127 are taken for UTF-8. */
static bool is_control(uint8_t byte)
{
	return (byte < 0x20 && byte != '\t' && byte != '\n' && byte != '\r' && byte != '\f' && byte != '\b' &&
		   byte != 0x1B) ||
	       byte == 0x7F;
}

static bool is_trouble(const struct run_text *text)
{
	char line[RUN_TEXT_LINE + 1];
	memcpy(line, text->piece, text->size);
	line[text->size] = '\0';
	return strncmp(line, "trap: mcause ", 13) == 0 || strstr(line, ": runs with tracing off: ") != NULL;
}

static void show_console_text(struct run_text *text)
{
	if (text->size > 0 && !text->frame) {
		size_t size = text->size;
		if (is_trouble(text)) {
			while (size > 0 && (text->piece[size - 1] == '\n' || text->piece[size - 1] == '\r'))
				size--;
			complain("%s: %.*s", text->program, (int)size, (const char *)text->piece);
			text->trouble = true;
		} else {
			fwrite(text->piece, 1, size, stdout);
			fflush(stdout);
		}
	}
	text->size = 0;
}

void run_text_take(struct run_text *text, uint8_t byte)
{
	if (byte == 0) {
		show_console_text(text);
		text->frame = text->marked = false;
		text->fresh = true;
		return;
	}
	/* What processes of the kernel print: no frame up to the next zero byte, whatever it is. */
	if (byte == FRAME_TEXT_MARK && text->fresh && text->size == 1 && text->piece[0] == FRAME_TEXT_MARK) {
		text->fresh = false;
		text->marked = true;
		text->size = 0;
		return;
	}
	if (is_control(byte) && text->marked)
		byte = '?';
	if (is_control(byte))
		text->frame = true;
	if (text->frame)
		return;
	text->piece[text->size++] = byte;
	if ((byte == '\n' && !(text->fresh && text->size == 1)) || text->size == RUN_TEXT_LINE) {
		show_console_text(text);
		text->fresh = false;
	}
}

void run_text_close(struct run_text *text)
{
	show_console_text(text);
}
