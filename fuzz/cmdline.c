/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/*
 * Command lines: the words are separated by newlines, the first is the subcommand's name. Only what stands on the
 * command line is looked at: as soon as its options are accepted, the command is left, so nothing is opened and nothing
 * written. A command line that is refused, or asks for help, is left the same way.
 *
 *   words ──► rivulet's command ──► argp_parse() ──► the command's parse function, word by word
 *                  ▲                     │ wrapped (--wrap): here        └ argp_error(), argp_usage(), exit(): back to
 *                  └──── back to the target ◄──────────────────────────────── argp, which frees what is its own
 */
#include "fuzz/fuzz.h"

#include <sanitizer/lsan_interface.h>

#include <argp.h>
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include "host/cmd/cmd.h"

#define WORDS 32
#define KEPT_MAX 16 /* allocated before the options are looked at */

static jmp_buf command_left, word_left;
#define CHILDREN 3
static argp_parser_t parent, child[CHILDREN];
static bool in_word, keeping;
static void *kept[KEPT_MAX];
static int kept_count;

void *__wrap_calloc(size_t count, size_t size);
void *__real_calloc(size_t count, size_t size);
error_t __wrap_argp_parse(const struct argp *argp, int argc, char **argv, unsigned flags, int *end, void *input);
error_t __real_argp_parse(const struct argp *argp, int argc, char **argv, unsigned flags, int *end, void *input);
void __wrap_argp_error(const struct argp_state *state, const char *format, ...);
void __wrap_argp_failure(const struct argp_state *state, int status, int number, const char *format, ...);
void __wrap_argp_usage(const struct argp_state *state);
void __wrap_exit(int status) __attribute__((noreturn));
void __real_exit(int status) __attribute__((noreturn));

/* A parse function, with a way out of it. Texts of help take long: they are asked for in every fourth case only. */
static error_t in_function(argp_parser_t parse, int key, char *value, struct argp_state *state)
{
	if (setjmp(word_left) != 0) {
		in_word = false;
		return EINVAL;
	}
	in_word = true;
	error_t error = parse(key, value, state);
	in_word = false;
	return error;
}

static error_t in_parent(int key, char *value, struct argp_state *state)
{
	return in_function(parent, key, value, state);
}

static error_t in_first_child(int key, char *value, struct argp_state *state)
{
	return in_function(child[0], key, value, state);
}

static error_t in_second_child(int key, char *value, struct argp_state *state)
{
	return in_function(child[1], key, value, state);
}

static error_t in_third_child(int key, char *value, struct argp_state *state)
{
	return in_function(child[2], key, value, state);
}

/* Before the first word the command is left: a misspelled option. */
static void leave_word(void)
{
	if (!in_word)
		longjmp(command_left, 2);
	longjmp(word_left, 1);
}

error_t __wrap_argp_parse(const struct argp *argp, int argc, char **argv, unsigned flags, int *end, void *input)
{
	static const argp_parser_t functions[CHILDREN] = {in_first_child, in_second_child, in_third_child};
	struct argp copy = *argp, inner[CHILDREN];
	struct argp_child children[CHILDREN + 1] = {{0}};
	parent = argp->parser;
	copy.parser = in_parent;
	for (unsigned i = 0; argp->children != NULL && argp->children[i].argp != NULL; i++) {
		must(i < CHILDREN); /* more would need more functions here */
		children[i] = argp->children[i];
		inner[i] = *children[i].argp;
		child[i] = inner[i].parser;
		inner[i].parser = functions[i];
		children[i].argp = &inner[i];
		copy.children = children;
	}
	error_t error = __real_argp_parse(
	    &copy, argc, argv, flags | ARGP_NO_EXIT | ARGP_NO_ERRS | (argc % 4 == 0 ? 0 : ARGP_NO_HELP), end, input);
	longjmp(command_left, error == 0 ? 1 : 2);
}

void __wrap_argp_error(const struct argp_state *state, const char *format, ...)
{
	char text[4096];
	va_list list;
	(void)state;
	va_start(list, format);
	int n = vsnprintf(text, sizeof text, format, list);
	va_end(list);
	must(n > 0);
	leave_word();
}

void __wrap_argp_failure(const struct argp_state *state, int status, int number, const char *format, ...)
{
	(void)state;
	(void)status;
	(void)number;
	(void)format;
	leave_word();
}

void __wrap_argp_usage(const struct argp_state *state)
{
	(void)state;
	leave_word();
}

void __wrap_exit(int status)
{
	if (!keeping) /* libFuzzer itself */
		__real_exit(status);
	must(status == STATUS_FAILED || status == STATUS_OK);
	leave_word();
	abort();
}

/* The command would free this, or end. */
void *__wrap_calloc(size_t count, size_t size)
{
	void *memory = __real_calloc(count, size);
	if (keeping) {
		must(kept_count < KEPT_MAX);
		kept[kept_count++] = memory;
	}
	return memory;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	char *text = malloc(size + 1), *argv[WORDS + 1], *next = text;
	static char name[64];
	int argc = 0;
	if (text == NULL)
		return 0;
	memcpy(text, bytes, size);
	text[size] = '\0';
	if (strstr(text, "--H") != NULL) { /* --HANG of every argp program: sleeps for an hour, to be debugged */
		free(text);
		return 0;
	}
	while (argc < WORDS && next != NULL) {
		argv[argc++] = next;
		next = strchr(next, '\n');
		if (next != NULL)
			*next++ = '\0';
	}
	argv[argc] = NULL;
	const struct command *command = commands;
	unsigned count = 0;
	while (commands[count].name != NULL)
		count++;
	while (command->name != NULL && strcmp(command->name, argv[0]) != 0)
		command++;
	if (command->name == NULL) /* no command has this name: a number chooses */
		command = &commands[(unsigned char)text[0] % count];
	snprintf(name, sizeof name, "rivulet %s", command->name);
	argv[0] = name;
	in_word = false;
	argp_err_exit_status = STATUS_FAILED;
	kept_count = 0;
	__lsan_disable(); /* words that a command has copied are lost when it is left */
	if (setjmp(command_left) == 0) {
		keeping = true;
		command->run(argc, argv);
		must(!"a command that does not parse its command line");
	}
	keeping = false;
	__lsan_enable();
	while (kept_count > 0)
		free(kept[--kept_count]);
	free(text);
	return 0;
}
