/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* The forms of a log: lines and binary steps. */
#include "host/import/private.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include "common/sizes.h"

#define LINE_MAX_BYTES 4096 /* a longer line is no line of a log */
#define MAGIC_BYTES 8

void import_columns_default(struct import *import)
{
	for (unsigned i = 0; i < COLUMN_VALID; i++)
		import->columns[i] = (uint8_t)i;
	import->column_count = COLUMN_VALID;
}

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == ',' || c == ';' || c == '\r';
}

/* The next cell between commas: without its quotes and the blanks around it; NULL in *at behind the last. */
static bool next_cell(const char **at, const char **word, size_t *length)
{
	const char *from = *at;
	if (from == NULL)
		return false;
	while (*from == ' ' || *from == '\t')
		from++;
	bool quoted = *from == '"';
	from += quoted;
	*word = from;
	size_t size = strcspn(from, quoted ? "\"" : ",");
	const char *behind = from + size + strcspn(from + size, ",");
	*at = *behind == ',' ? behind + 1 : NULL;
	while (size > 0 && is_blank(from[size - 1]))
		size--;
	*length = size;
	return true;
}

/* The next word of a line; false: none. */
static bool next_line_word(const char **at, const char **word, size_t *length)
{
	while (is_blank(**at))
		(*at)++;
	*word = *at;
	while (**at != '\0' && !is_blank(**at))
		(*at)++;
	*length = (size_t)(*at - *word);
	return *length > 0;
}

bool import_hexadecimal(const char *word, size_t length, uint64_t *value)
{
	*value = 0;
	if (length > 2 && word[0] == '0' && (word[1] == 'x' || word[1] == 'X')) {
		word += 2;
		length -= 2;
	}
	if (length == 0 || length > 16)
		return false;
	for (size_t i = 0; i < length; i++) {
		char c = word[i];
		unsigned digit = 16;
		if (c >= '0' && c <= '9')
			digit = (unsigned)(c - '0');
		else if (c >= 'a' && c <= 'f')
			digit = (unsigned)(c - 'a' + 10);
		else if (c >= 'A' && c <= 'F')
			digit = (unsigned)(c - 'A' + 10);
		if (digit == 16)
			return false;
		*value = *value << 4 | digit;
	}
	return true;
}

static const struct {
	const char *name;
	enum column column;
} names[] = {{"pc", COLUMN_PC}, {"pc_rdata", COLUMN_PC}, {"binary", COLUMN_INSN}, {"insn", COLUMN_INSN},
    {"instruction", COLUMN_INSN}, {"instr", COLUMN_INSN}, {"next_pc", COLUMN_NEXT}, {"next", COLUMN_NEXT},
    {"pc_wdata", COLUMN_NEXT}, {"mode", COLUMN_MODE}, {"priv", COLUMN_MODE}, {"trap", COLUMN_TRAP},
    {"intr", COLUMN_INTR}, {"valid", COLUMN_VALID}, {"hart", COLUMN_HART}};

static bool word_equals(const char *word, size_t length, const char *name)
{
	return strlen(name) == length && strncasecmp(word, name, length) == 0;
}

static enum column column_named(const char *word, size_t length)
{
	if (length > 5 && (strncasecmp(word, "rvfi_", 5) == 0 || strncasecmp(word, "rvvi_", 5) == 0)) {
		word += 5;
		length -= 5;
	}
	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		if (word_equals(word, length, names[i].name))
			return names[i].column;
	}
	return COLUMN_OTHER;
}

/* Whether a line is one of names: one of them is the pc's, or all of them are known. */
static bool is_names(const char *line)
{
	const char *word;
	size_t length, known = 0, others = 0;
	while (next_line_word(&line, &word, &length)) {
		enum column column = column_named(word, length);
		if (column == COLUMN_PC)
			return true;
		*(column == COLUMN_OTHER ? &others : &known) += 1;
	}
	return known > 0 && others == 0;
}

/* Whether a line begins as one of text does: with an address, or with names. */
bool import_is_text(const char *line)
{
	const char *at = line, *word;
	size_t length;
	uint64_t value;
	if (!next_line_word(&at, &word, &length))
		return false;
	return is_names(line) ||
	       (length >= 4 && strcspn(word, "0123456789") < length && import_hexadecimal(word, length, &value));
}

/* Of two columns of one meaning the first counts; but where there is a "binary", "instr" is a name. */
static int take_names(struct import *import, const char *line)
{
	const char *word;
	size_t length;
	unsigned had = 0;
	bool binary = false;
	import->column_count = 0;
	import->csv = strchr(line, ',') != NULL;
	for (const char *at = line; next_line_word(&at, &word, &length);)
		binary = binary || word_equals(word, length, "binary");
	while (import->column_count < COLUMNS_MAX &&
	       (import->csv ? next_cell(&line, &word, &length) : next_line_word(&line, &word, &length))) {
		enum column column = column_named(word, length);
		if ((had >> column & 1) != 0 ||
		    (column == COLUMN_INSN && binary && !word_equals(word, length, "binary")))
			column = COLUMN_OTHER;
		had |= 1u << column;
		import->columns[import->column_count++] = (uint8_t)column;
	}
	return (had >> COLUMN_PC & 1) != 0 ? IMPORT_OK : IMPORT_ECOLUMNS;
}

static bool take_mode(const char *word, size_t length, uint8_t *mode)
{
	static const char letters[] = "US-M";
	const char *letter = length == 1 && *word != '-' ? strchr(letters, *word) : NULL;
	if (letter != NULL && *letter != '\0')
		*mode = (uint8_t)(letter - letters);
	else if (length == 1 && *word >= '0' && *word <= '3')
		*mode = (uint8_t)(*word - '0');
	else
		return false;
	return true;
}

/* One cell of a line; false: it cannot be read. */
static bool take_cell(struct import_step *step, enum column column, const char *word, size_t length, bool *valid)
{
	uint64_t value;
	if (column == COLUMN_OTHER || length == 0 || (length == 1 && *word == '-'))
		return true;
	step->told |= 1u << column;
	if (column == COLUMN_MODE)
		return take_mode(word, length, &step->mode);
	if (!import_hexadecimal(word, length, &value))
		return false;
	switch (column) {
	case COLUMN_PC:
		step->pc = value;
		return (value & 1) == 0;
	case COLUMN_INSN:
		step->insn = (uint32_t)value;
		step->has_insn = true;
		return true;
	case COLUMN_NEXT:
		step->next = value;
		step->has_next = true;
		return (value & 1) == 0;
	case COLUMN_TRAP:
		step->trap = value != 0;
		return value <= 1;
	case COLUMN_INTR:
		step->intr = value != 0;
		return value <= 1;
	case COLUMN_VALID:
		*valid = value != 0;
		return value <= 1;
	default:
		step->hart = (unsigned)value;
		return value <= UINT16_MAX;
	}
}

static int import_text_line(struct import *import, const char *line)
{
	struct import_step step = {.line = import->counts.lines};
	const char *at = line, *word;
	size_t length;
	bool valid = true, pc = false, csv = import->csv && strchr(line, ',') != NULL;
	if (!import->named) {
		import->named = true;
		if (is_names(line))
			return take_names(import, line);
	}
	for (unsigned i = 0; i < import->column_count; i++) {
		if (csv ? !next_cell(&at, &word, &length) : !next_line_word(&at, &word, &length))
			break;
		if (!take_cell(&step, (enum column)import->columns[i], word, length, &valid)) {
			uint64_t value;
			bool odd = import->columns[i] != COLUMN_MODE && import_hexadecimal(word, length, &value) &&
				   (value & 1) != 0 && value > 1;
			import_tell(import, import->counts.lines, IMPORT_UNREADABLE, "cannot be read: \"%.*s\"%s",
			    (int)(length < 40 ? length : 40), word,
			    odd ? ", an odd address (rule 5 of the retire port is broken)" : "");
			return IMPORT_OK;
		}
		pc = pc || (import->columns[i] == COLUMN_PC && length > 0 && *word != '-');
	}
	if (!pc) {
		import_tell(import, import->counts.lines, IMPORT_UNREADABLE, "has no pc");
		return IMPORT_OK;
	}
	return valid ? import_step(import, &step) : IMPORT_OK;
}

static uint64_t get_little_endian(const uint8_t *b, unsigned bytes)
{
	uint64_t value = 0;
	for (unsigned i = 0; i < bytes; i++)
		value |= (uint64_t)b[i] << 8 * i;
	return value;
}

static int binary_step(struct import *import, const uint8_t *b)
{
	unsigned flags = b[21];
	const unsigned unsaid = ((flags & 4) != 0 ? 1u << COLUMN_NEXT : 0) | ((flags & 8) != 0 ? 1u << COLUMN_INSN : 0);
	struct import_step step = {.line = import->counts.lines,
	    .told = ~unsaid,
	    .pc = get_little_endian(b, 8),
	    .next = get_little_endian(b + 8, 8),
	    .insn = (uint32_t)get_little_endian(b + 16, 4),
	    .mode = b[20],
	    .trap = (flags & 1) != 0,
	    .intr = (flags & 2) != 0,
	    .has_next = (flags & 4) == 0,
	    .has_insn = (flags & 8) == 0};
	if (step.mode > 3 || flags > 15 || b[22] != 0 || b[23] != 0 || (step.pc & 1) != 0 ||
	    (step.has_next && (step.next & 1) != 0)) {
		import_tell(import, import->counts.lines, IMPORT_UNREADABLE, "is no step: an odd pc, or unknown flags");
		return IMPORT_OK;
	}
	return import_step(import, &step);
}

static int line_done(struct import *import)
{
	const char *line = import->line;
	import->line[import->length] = '\0';
	import->length = 0;
	import->counts.lines++;
	while (is_blank(*line))
		line++;
	if (*line == '\0' || *line == '#')
		return IMPORT_OK;
	if (import->form == IMPORT_AUTO) {
		import->form = import_classify(line);
		if (import->form == IMPORT_AUTO) {
			if (import->stray++ == 0) {
				import->stray_line = import->counts.lines;
				snprintf(import->stray_text, sizeof import->stray_text, "%.39s", line);
			}
			return IMPORT_OK;
		}
		if (import->form == IMPORT_TEXT && import->stray > 0)
			import_tell(import, import->stray_line, IMPORT_UNREADABLE,
			    "cannot be read: \"%s\"; the log begins behind it", import->stray_text);
	}
	return import->form == IMPORT_TEXT ? import_text_line(import, line) : import_tool_line(import, line);
}

static int feed_binary(struct import *import, uint8_t byte)
{
	import->line[import->length++] = (char)byte;
	if (!import->named) { /* the magic first */
		if (import->length < MAGIC_BYTES)
			return IMPORT_OK;
		import->length = 0;
		import->named = true;
		return memcmp(import->line, IMPORT_MAGIC, MAGIC_BYTES) == 0 ? IMPORT_OK : IMPORT_EFORM;
	}
	if (import->length < IMPORT_STEP)
		return IMPORT_OK;
	import->length = 0;
	import->counts.lines++;
	return binary_step(import, (const uint8_t *)import->line);
}

int import_feed(struct import *import, const void *bytes, size_t size)
{
	const uint8_t *b = bytes;
	int error = IMPORT_OK;
	if (import_is_messages(import))
		return import_messages_feed(import, bytes, size);
	if (import->line == NULL) {
		import->line = malloc(LINE_MAX_BYTES + 1);
		if (import->line == NULL)
			return IMPORT_ENOMEM;
		if (import->form == IMPORT_AUTO && size > 0 && b[0] == (uint8_t)IMPORT_MAGIC[0])
			import->form = IMPORT_BINARY;
	}
	for (size_t i = 0; i < size && error == IMPORT_OK; i++) {
		if (import->form == IMPORT_BINARY)
			error = feed_binary(import, b[i]);
		else if (b[i] == '\n')
			error = line_done(import);
		else if (b[i] == '\0' || import->length == LINE_MAX_BYTES)
			return IMPORT_EFORM;
		else
			import->line[import->length++] = (char)b[i];
	}
	return error;
}

int import_lines_end(struct import *import)
{
	if (import->form == IMPORT_BINARY) {
		if (import->length > 0 || !import->named)
			import_tell(import, import->counts.lines + 1, IMPORT_UNREADABLE, "is cut off");
		return import->named ? IMPORT_OK : IMPORT_EFORM;
	}
	int error = import->length > 0 ? line_done(import) : IMPORT_OK;
	return error == IMPORT_OK && import->form == IMPORT_AUTO && import->stray > 0 ? IMPORT_EFORM : error;
}
