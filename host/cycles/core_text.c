/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* The description of a core: a line for each rule, `#` begins a comment. */
#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "host/cycles/core.h"
#include "isa/isa.h"

#define WORDS_MAX 64
#define TEXT_MAX (1u << 20)

static const char *const texts[] = {
#include "host/cycles/cores.inc"
    NULL};

static const char *const op_names[ISA_OP_COUNT] = {
#define ISA_OP(name) [ISA_##name] = #name,
#include "isa/ops.def"
#undef ISA_OP
};

struct reader {
	struct core *core;
	const char *name;
	unsigned line;
	char *words[WORDS_MAX];
	unsigned count;
	unsigned seen; /* enum line_kind, bits */
	bool given[ISA_OP_COUNT];
	uint8_t taken[ISA_OP_COUNT]; /* by `taken N OP...`, in the lines: */
	unsigned taken_line[ISA_OP_COUNT], unaligned_line;
	char *detail;
	size_t size;
};

enum line_kind { LINE_CORE, LINE_FETCH, LINE_CYCLES, LINE_LOAD_USE, LINE_TAKEN, LINE_UNALIGNED, LINE_WAIT, LINE_KINDS };
static const char *const line_names[LINE_KINDS] = {"core", "fetch", "cycles", "load-use", "taken", "unaligned", "wait"};

__attribute__((format(printf, 2, 3))) static int wrong_core_line(struct reader *reader, const char *format, ...)
{
	char text[256];
	va_list list;
	va_start(list, format);
	vsnprintf(text, sizeof text, format, list);
	va_end(list);
	if (reader->line > 0)
		snprintf(reader->detail, reader->size, "%s:%u: %s", reader->name, reader->line, text);
	else
		snprintf(reader->detail, reader->size, "%s: %s", reader->name, text);
	return CORE_ETEXT;
}

static bool read_core_number(const char *text, unsigned most, unsigned *value)
{
	char *end;
	if (!isdigit((unsigned char)text[0]))
		return false;
	unsigned long got = strtoul(text, &end, 10);
	*value = (unsigned)got;
	return *end == 0 && got <= most;
}

static int find_op(const char *text)
{
	for (int op = ISA_ILLEGAL + 1; op < ISA_OP_COUNT; op++) {
		const char *name = op_names[op];
		size_t i = 0;
		while (
		    name[i] != 0 && (tolower((unsigned char)name[i]) == text[i] || (name[i] == '_' && text[i] == '.')))
			i++;
		if (name[i] == 0 && text[i] == 0)
			return op;
	}
	return -1;
}

static int read_ops(struct reader *reader, unsigned first, struct core_rule rule, bool waits)
{
	if (first == reader->count)
		return wrong_core_line(reader, "instructions are expected behind `%s'", reader->words[first - 1]);
	for (unsigned i = first; i < reader->count; i++) {
		int op = find_op(reader->words[i]);
		if (op < 0)
			return wrong_core_line(reader, "there is no instruction `%s'", reader->words[i]);
		if (waits && reader->core->rules[op].waits)
			return wrong_core_line(reader, "`%s' waits already", reader->words[i]);
		if (waits) {
			reader->core->rules[op].waits = true;
			continue;
		}
		if (reader->given[op])
			return wrong_core_line(reader, "`%s' has its cycles already", reader->words[i]);
		if (rule.measure == CORE_ZERO_BYTES && op != ISA_DIV && op != ISA_DIVU && op != ISA_REM &&
		    op != ISA_REMU)
			return wrong_core_line(
			    reader, "zero-bytes is a measure of a dividend, and `%s' has none", reader->words[i]);
		reader->given[op] = true;
		reader->core->rules[op] = rule;
	}
	return CORE_OK;
}

/* cycles N [+|- N * MEASURE] [OP...] */
static int read_cycles(struct reader *reader)
{
	struct core_rule rule = {0};
	unsigned base, step, at = 2;
	if (reader->count < 2 || !read_core_number(reader->words[1], 1000, &base) || base == 0)
		return wrong_core_line(reader, "a number of cycles from 1 to 1000 is expected behind `cycles'");
	rule.base = (uint16_t)base;
	if (reader->count == 2) {
		for (int op = 0; op < ISA_OP_COUNT; op++) {
			if (!reader->given[op])
				reader->core->rules[op].base = rule.base;
		}
		return CORE_OK;
	}
	char sign = reader->words[2][0];
	if ((sign == '+' || sign == '-') && reader->words[2][1] == 0) {
		if (reader->count < 6 || !read_core_number(reader->words[3], 1000, &step) ||
		    strcmp(reader->words[4], "*") != 0)
			return wrong_core_line(reader, "`%c N * MEASURE' is expected, with N up to 1000", sign);
		if (strcmp(reader->words[5], "zero-bytes") == 0)
			rule.measure = CORE_ZERO_BYTES;
		else if (strcmp(reader->words[5], "bits") == 0)
			rule.measure = CORE_BITS;
		else if (strcmp(reader->words[5], "bit-pairs") == 0)
			rule.measure = CORE_BIT_PAIRS;
		else
			return wrong_core_line(
			    reader, "there is no measure `%s': zero-bytes, bits, bit-pairs", reader->words[5]);
		unsigned most = core_largest_measure(rule.measure);
		if (sign == '-' && step * most >= base)
			return wrong_core_line(reader, "%u - %u * %u cycles are less than one", base, step, most);
		rule.step = (int16_t)(sign == '-' ? -(int)step : (int)step);
		at = 6;
	}
	return read_ops(reader, at, rule, false);
}

static bool is_transfer(int op)
{
	static const uint8_t transfers[] = {
	    ISA_BEQ, ISA_BNE, ISA_BLT, ISA_BGE, ISA_BLTU, ISA_BGEU, ISA_JAL, ISA_JALR, ISA_MRET, ISA_SRET, ISA_FENCE_I};
	for (size_t i = 0; i < sizeof transfers / sizeof *transfers; i++) {
		if (op == transfers[i])
			return true;
	}
	return false;
}

/* taken N OP... */
static int read_taken(struct reader *reader)
{
	unsigned got;
	if (!read_core_number(reader->words[1], 100, &got))
		return wrong_core_line(reader, "a number of cycles from 0 to 100 is expected behind `taken'");
	for (unsigned i = 2; i < reader->count; i++) {
		int op = find_op(reader->words[i]);
		if (op < 0)
			return wrong_core_line(reader, "there is no instruction `%s'", reader->words[i]);
		if (!is_transfer(op))
			return wrong_core_line(
			    reader, "`%s' is no branch, no jump and no return from a trap", reader->words[i]);
		if (reader->taken_line[op] != 0)
			return wrong_core_line(reader, "`%s' has what it takes behind it already", reader->words[i]);
		reader->taken[op] = (uint8_t)got;
		reader->taken_line[op] = reader->line;
	}
	return CORE_OK;
}

/* When all lines are read: the instructions' own are counted from the one of all. */
static int finish_taken(struct reader *reader)
{
	struct core *core = reader->core;
	for (int op = 0; op < ISA_OP_COUNT; op++) {
		if (reader->taken_line[op] == 0)
			continue;
		reader->line = reader->taken_line[op];
		if (reader->taken[op] < core->taken)
			return wrong_core_line(
			    reader, "less than the %u of the line `taken' for all: give that the least", core->taken);
		core->more[op] = (uint8_t)(reader->taken[op] - core->taken);
	}
	reader->line = reader->unaligned_line;
	if (core->buffered && core->unaligned != 0)
		return wrong_core_line(
		    reader, "`unaligned' is what a simple fetch has; of a buffer it follows from its words");
	return CORE_OK;
}

static int read_small(struct reader *reader, uint8_t *value)
{
	unsigned got;
	if (reader->count != 2 || !read_core_number(reader->words[1], 100, &got))
		return wrong_core_line(
		    reader, "a number of cycles from 0 to 100 is expected behind `%s'", reader->words[0]);
	*value = (uint8_t)got;
	return CORE_OK;
}

static int read_core_line(struct reader *reader)
{
	struct core *core = reader->core;
	unsigned kind = 0, words;
	while (kind < LINE_KINDS && strcmp(reader->words[0], line_names[kind]) != 0)
		kind++;
	if (kind == LINE_KINDS)
		return wrong_core_line(
		    reader, "`%s' is no rule: core, fetch, cycles, load-use, taken, unaligned, wait", reader->words[0]);
	bool for_all = (kind != LINE_CYCLES && kind != LINE_TAKEN) || reader->count <= 2;
	if (for_all && kind != LINE_WAIT && (reader->seen & 1u << kind) != 0)
		return wrong_core_line(reader, "`%s' is there twice", reader->words[0]);
	if (for_all)
		reader->seen |= 1u << kind;
	switch (kind) {
	case LINE_CORE:
		if (reader->count != 2 || strlen(reader->words[1]) >= sizeof core->name)
			return wrong_core_line(
			    reader, "one name of at most %zu characters is expected", sizeof core->name - 1);
		strcpy(core->name, reader->words[1]);
		return CORE_OK;
	case LINE_FETCH:
		core->buffered = reader->count == 3 && strcmp(reader->words[1], "buffer") == 0;
		if (core->buffered && read_core_number(reader->words[2], 3, &words) && words >= 2) {
			core->words = (uint8_t)words;
			return CORE_OK;
		}
		if (reader->count == 2 && strcmp(reader->words[1], "simple") == 0)
			return CORE_OK;
		return wrong_core_line(reader, "`simple' or `buffer WORDS' is expected, with 2 or 3 words");
	case LINE_CYCLES:
		return read_cycles(reader);
	case LINE_LOAD_USE:
		core->store_late = reader->count == 4 && strcmp(reader->words[2], "but") == 0 &&
				   strcmp(reader->words[3], "stores") == 0;
		reader->count = core->store_late ? 2 : reader->count;
		return read_small(reader, &core->load_use);
	case LINE_TAKEN:
		return for_all ? read_small(reader, &core->taken) : read_taken(reader);
	case LINE_UNALIGNED:
		reader->unaligned_line = reader->line;
		return read_small(reader, &core->unaligned);
	default:
		return read_ops(reader, 1, (struct core_rule){0}, true);
	}
}

static int read_core_lines(struct reader *reader, char *text)
{
	for (char *line = text, *end; line != NULL; line = end) {
		end = strchr(line, '\n');
		if (end != NULL)
			*end++ = 0;
		reader->line++;
		reader->count = 0;
		line[strcspn(line, "#")] = 0;
		char *save;
		for (char *word = strtok_r(line, " \t\r", &save); word != NULL; word = strtok_r(NULL, " \t\r", &save)) {
			if (reader->count == WORDS_MAX)
				return wrong_core_line(reader, "more than %u words on a line", WORDS_MAX);
			for (char *c = word; *c != 0; c++) {
				if (!isprint((unsigned char)*c))
					return wrong_core_line(
					    reader, "a byte 0x%02x that is no text", (unsigned char)*c);
			}
			reader->words[reader->count++] = word;
		}
		int error = reader->count == 0 ? CORE_OK : read_core_line(reader);
		if (error != CORE_OK)
			return error;
	}
	reader->line = 0;
	for (unsigned kind = 0; kind <= LINE_TAKEN; kind++) {
		static const char *const whose[LINE_TAKEN + 1] = {
		    [LINE_CYCLES] = " for all instructions that no other names",
		    [LINE_TAKEN] = " for all that no other names"};
		if ((reader->seen & 1u << kind) == 0)
			return wrong_core_line(reader, "there is no line `%s'%s", line_names[kind],
			    whose[kind] != NULL ? whose[kind] : "");
	}
	return finish_taken(reader);
}

int core_read(struct core *core, const char *text, const char *name, char *detail, size_t size)
{
	struct reader reader = {.core = core, .name = name, .detail = detail, .size = size};
	*core = (struct core){0};
	char *copy = strdup(text);
	if (copy == NULL) {
		snprintf(detail, size, "out of memory");
		return CORE_ENOMEM;
	}
	int error = read_core_lines(&reader, copy);
	free(copy);
	return error;
}

const char *const core_names[] = {"rivulet", "rivulet-small", "generic", "hazard3", "ibex", "picorv32", NULL};

/* The built-in cores (core_names). NULL: there is none of that name. */
static const char *core_builtin(const char *name)
{
	for (size_t i = 0; core_names[i] != NULL; i++) {
		if (strcmp(core_names[i], name) == 0)
			return texts[i];
	}
	return NULL;
}

void core_default(struct core *core)
{
	char detail[256];
	core_read(core, texts[0], core_names[0], detail, sizeof detail);
}

int core_open(struct core *core, const char *name, char *detail, size_t size)
{
	const char *builtin = core_builtin(name);
	if (builtin != NULL)
		return core_read(core, builtin, name, detail, size);
	FILE *file = fopen(name, "rb");
	if (file == NULL) {
		snprintf(detail, size, "%s: there is no such file, and no built-in core of that name (" CORE_NAMES ")",
		    name);
		return CORE_EOPEN;
	}
	char *text = calloc(1, TEXT_MAX + 1);
	size_t got = text == NULL ? 0 : fread(text, 1, TEXT_MAX, file);
	bool failed = ferror(file) != 0;
	fclose(file);
	int error;
	if (text == NULL || failed || got == TEXT_MAX || memchr(text, 0, got) != NULL) {
		const char *why = failed ? "cannot be read" : "is no text";
		snprintf(detail, size, "%s: %s", name, text == NULL ? "out of memory" : why);
		error = text == NULL ? CORE_ENOMEM : CORE_EOPEN;
	} else
		error = core_read(core, text, name, detail, size);
	free(text);
	return error;
}
