/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* Logs as tools write them: qemu, its plugin execlog, Spike, RVVI-TEXT. Lines of other kinds between them are passed
 * over; a line that begins as one of the form and does not go on so is told. */
#include "host/import/private.h"

#include <stdlib.h>
#include <string.h>

#define REPEATS_MAX UINT64_C(1000000000) /* of one instruction that Spike says in one line */

const char *import_form_name(enum import_form form)
{
	static const char *const names[IMPORT_FORMS] = {
	    "auto", "text", "qemu", "execlog", "spike", "rvvi", "binary", "ntrace", "etrace"};
	return names[form];
}

static const char *skip_blanks(const char *at)
{
	while (*at == ' ' || *at == '\t')
		at++;
	return at;
}

/* A number in hexadecimal digits, which one of `ends` follows; NULL: it is none, else where it ends. */
static const char *take_hexadecimal(const char *at, const char *ends, uint64_t *value)
{
	size_t length = strcspn(at, ends);
	return import_hexadecimal(at, length, value) ? at + length : NULL;
}

static int unreadable_line(struct import *import, const char *tool)
{
	import_tell(import, import->counts.lines, IMPORT_UNREADABLE, "has no pc as %s writes it", tool);
	return IMPORT_OK;
}

/* "Trace 0: 0x7fe254000100 [0000000000000000/000000000001059c/00207600/00000201] _start"
 * "Stopped execution of TB chain before 0x7fe254000100 [000000000001059c] _start": it was not executed. */
static int qemu_line(struct import *import, const char *line)
{
	struct import_step step = {.line = import->counts.lines};
	bool stopped = strncmp(line, "Stopped execution", 17) == 0;
	const char *bracket = strchr(line, '['), *slash = bracket == NULL ? NULL : strchr(bracket, '/');
	const char *from = stopped ? bracket : slash;
	if (!stopped && strncmp(line, "Trace ", 6) != 0)
		return IMPORT_OK;
	const char *behind = from == NULL ? NULL : take_hexadecimal(from + 1, "/]", &step.pc);
	if (behind == NULL || *behind == '\0' || (step.pc & 1) != 0)
		return unreadable_line(import, "qemu");
	if (stopped) {
		import_drop(import, step.pc);
		return IMPORT_OK;
	}
	step.hart = (unsigned)strtoul(line + 6, NULL, 10);
	return import_step(import, &step);
}

/* "0, 0x80000000, 0x297, \"auipc t0,0\"" */
static int execlog_line(struct import *import, const char *line)
{
	struct import_step step = {.line = import->counts.lines, .has_insn = true};
	char *end;
	uint64_t insn;
	step.hart = (unsigned)strtoul(line, &end, 10);
	if (end == line || *end != ',')
		return IMPORT_OK;
	const char *at = take_hexadecimal(skip_blanks(end + 1), ",", &step.pc);
	at = at == NULL || *at != ',' ? NULL : take_hexadecimal(skip_blanks(at + 1), ",", &insn);
	if (at == NULL || (step.pc & 1) != 0)
		return unreadable_line(import, "execlog");
	step.insn = (uint32_t)insn;
	return import_step(import, &step);
}

/* ---------------------------------------------------------------- Spike */

/* "core   0: exception trap_user_ecall, epc 0x00000000000101cc": the instruction at epc was not executed, or, at an
 * interrupt, is the one that comes behind the handler. */
static int spike_trap(struct import *import, const char *text)
{
	uint64_t epc;
	const char *at = strstr(text, "epc ");
	if (at == NULL || take_hexadecimal(skip_blanks(at + 4), " \t\r", &epc) == NULL)
		return unreadable_line(import, "spike");
	bool interrupt = strstr(text, "interrupt") != NULL;
	struct import_step *waiting = &import->waiting;
	epc &= import->ones;
	if (import->has_waiting && !interrupt && waiting->listed && waiting->pc == epc)
		waiting->trap = true;
	else if (import->has_waiting && !waiting->has_next) {
		waiting->next = epc;
		waiting->has_next = waiting->derived = true;
	}
	import->trapped = true;
	return IMPORT_OK;
}

/* "core   0: Executed 5 times": the instruction before it, in all. */
static int spike_repeats(struct import *import, const char *count)
{
	uint64_t times = strtoull(count, NULL, 10);
	int error = IMPORT_OK;
	if (!import->has_waiting || import->commits || times > REPEATS_MAX)
		return IMPORT_OK;
	const struct import_step again = import->waiting;
	for (uint64_t i = 1; i < times && error == IMPORT_OK; i++)
		error = import_step(import, &again);
	return error;
}

static bool is_commit(const char *at)
{
	return *at >= '0' && *at <= '3' && at[1] == ' ' && strncmp(skip_blanks(at + 1), "0x", 2) == 0;
}

/* What stands behind "core   0:", which older versions leave out of commits; NULL: no line of Spike's. */
static const char *spike_text(const char *line, unsigned *hart)
{
	char *end;
	*hart = 0;
	if (strncmp(line, "core", 4) != 0)
		return is_commit(line) && strstr(line, " (0x") != NULL ? line : NULL;
	*hart = (unsigned)strtoul(line + 4, &end, 10);
	return end == line + 4 || *end != ':' ? NULL : skip_blanks(end + 1);
}

/* "core   0: 0x0000000080000000 (0x00000297) auipc   t0, 0x0"      -l
 * "core   0: 3 0x0000000080000000 (0x00000297) x5  0x80000000"     --log-commits: the mode before the address
 * With both each instruction has a line of each kind, the commit behind. */
static int spike_line(struct import *import, const char *line)
{
	struct import_step step = {.line = import->counts.lines, .has_insn = true};
	uint64_t insn;
	const char *at = spike_text(line, &step.hart);
	if (at == NULL)
		return IMPORT_OK;
	if (strncmp(at, "exception ", 10) == 0)
		return step.hart == import->config.hart ? spike_trap(import, at + 10) : IMPORT_OK;
	if (strncmp(at, "Executed ", 9) == 0)
		return step.hart == import->config.hart ? spike_repeats(import, at + 9) : IMPORT_OK;
	bool commit = is_commit(at);
	if (commit && step.hart == import->config.hart)
		import->mode = (uint8_t)(*at - '0');
	step.mode = import->mode;
	step.listed = !commit;
	at = commit ? skip_blanks(at + 1) : at;
	if (strncmp(at, "0x", 2) != 0)
		return IMPORT_OK; /* names of functions, values of traps */
	at = take_hexadecimal(at, " \t", &step.pc);
	at = at == NULL ? NULL : skip_blanks(at);
	if (at == NULL || *at != '(' || take_hexadecimal(at + 1, ")", &insn) == NULL || (step.pc & 1) != 0)
		return unreadable_line(import, "spike");
	step.insn = (uint32_t)insn;
	if (step.hart != import->config.hart)
		return import_step(import, &step);
	import->commits = import->commits || commit;
	struct import_step *waiting = &import->waiting;
	if (commit && import->has_waiting && waiting->listed && !waiting->committed &&
	    waiting->pc == (step.pc & import->ones)) {
		waiting->committed = true;
		waiting->mode = step.mode;
		return IMPORT_OK;
	}
	step.intr = import->trapped;
	import->trapped = false;
	return import_step(import, &step);
}

/* ---------------------------------------------------------------- RVVI-TEXT */

/* The next word, without its quotes if it has some; they may hold blanks. */
static bool next_token(const char **at, const char **word, size_t *length)
{
	*at = skip_blanks(*at);
	if (**at == '\'' || **at == '"') {
		const char quote[] = {**at, '\0'};
		*word = *at + 1;
		*length = strcspn(*word, quote);
		*at = *word + *length + ((*word)[*length] != '\0');
		return true;
	}
	*word = *at;
	*length = strcspn(*at, " \t\r");
	*at += *length;
	return *length > 0;
}

static bool is_token(const char *word, size_t length, const char *name)
{
	return strlen(name) == length && strncmp(word, name, length) == 0;
}

/* "MODE 3 RET 001001ca 8082 'c.jr x1'"; lines of registers and of memory have neither RET nor TRAP. */
static int rvvi_line(struct import *import, const char *line)
{
	struct import_step step = {.line = import->counts.lines, .has_insn = true, .mode = import->mode};
	const char *word;
	size_t length;
	uint64_t value = 0, insn;
	bool found = false;
	while (next_token(&line, &word, &length)) {
		bool mode = is_token(word, length, "MODE"), hart = is_token(word, length, "HART");
		bool trap = is_token(word, length, "TRAP"), retired = trap || is_token(word, length, "RET");
		step.intr = step.intr || is_token(word, length, "INTR");
		if (!mode && !hart && !retired)
			continue;
		if (!next_token(&line, &word, &length) || !import_hexadecimal(word, length, &value))
			return unreadable_line(import, "RVVI-TEXT");
		if (mode)
			step.mode = import->mode = (uint8_t)(value & 3);
		if (hart)
			step.hart = (unsigned)value;
		if (!retired)
			continue;
		if (!next_token(&line, &word, &length) || !import_hexadecimal(word, length, &insn) || (value & 1) != 0)
			return unreadable_line(import, "RVVI-TEXT");
		step.pc = value;
		step.insn = (uint32_t)insn;
		step.trap = trap;
		found = true;
	}
	if (!found)
		return IMPORT_OK;
	step.intr = step.intr || import->trapped;
	import->trapped = step.trap;
	return import_step(import, &step);
}

/* ---------------------------------------------------------------- all */

static bool is_rvvi(const char *line)
{
	const char *word;
	size_t length;
	while (next_token(&line, &word, &length)) {
		uint64_t value;
		if (is_token(word, length, "RET") || is_token(word, length, "TRAP"))
			return next_token(&line, &word, &length) && import_hexadecimal(word, length, &value) &&
			       next_token(&line, &word, &length) && import_hexadecimal(word, length, &value);
	}
	return false;
}

static bool is_execlog(const char *line)
{
	char *end;
	uint64_t value;
	(void)strtoul(line, &end, 10);
	if (end == line || *end != ',')
		return false;
	const char *at = skip_blanks(end + 1);
	at = strncmp(at, "0x", 2) == 0 ? take_hexadecimal(at, ",", &value) : NULL;
	return at != NULL && *at == ',' && strncmp(skip_blanks(at + 1), "0x", 2) == 0;
}

enum import_form import_classify(const char *line)
{
	unsigned hart;
	if (strncmp(line, "Trace ", 6) == 0 && strchr(line, '[') != NULL)
		return IMPORT_QEMU;
	if (spike_text(line, &hart) != NULL)
		return IMPORT_SPIKE;
	if (is_execlog(line))
		return IMPORT_EXECLOG;
	if (is_rvvi(line))
		return IMPORT_RVVI;
	return import_is_text(line) ? IMPORT_TEXT : IMPORT_AUTO;
}

int import_tool_line(struct import *import, const char *line)
{
	switch (import->form) {
	case IMPORT_QEMU:
		return qemu_line(import, line);
	case IMPORT_EXECLOG:
		return execlog_line(import, line);
	case IMPORT_SPIKE:
		return spike_line(import, line);
	default:
		return rvvi_line(import, line);
	}
}
