/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* rivulet: chooses the subcommand. */
#include "host/cmd/cmd.h"

#include <argp.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>
#include "host/cmd/parse_options.h"
#include "host/cmd/piped.h"
#include "version.h"

const char *argp_program_version = "rivulet " RIVULET_VERSION;
const char *argp_program_bug_address = NULL;

static void print_usage(FILE *out)
{
	fprintf(out, "Usage: rivulet COMMAND [OPTION...] FILE...\n"
		     "Which paths a RISC-V program really took, how often, and how long each took.\n\n");
	for (const struct command *command = commands; command->name != NULL; command++)
		fprintf(out, "  %-9s %s\n", command->name, command->text);
	fprintf(out, "  %-9s this list, or the options of a command: rivulet help COMMAND\n\n", "help");
	fprintf(out, "Exit status: 0 all is well; 1 done, but the input is damaged, two things differ\n"
		     "or a requirement is not met; 2 wrong arguments or a file that cannot be used.\n"
		     "`run` passes on the program's status, and has others of its own.\n"
		     "Manual: docs/rivulet.md\n");
}

static const struct command *find_command(const char *name)
{
	for (const struct command *command = commands; command->name != NULL; command++) {
		if (strcmp(command->name, name) == 0)
			return command;
	}
	return NULL;
}

/* The command that a misspelled word most likely means, or NULL. */
static const char *guess_command(const char *word)
{
	struct guess guess = {.word = word};
	for (const struct command *command = commands; command->name != NULL; command++)
		guess_try(&guess, command->name);
	return guess.best;
}

static int refuse_word(const char *word)
{
	if (access(word, F_OK) == 0) {
		complain("`%s' is a file, and the command comes first, as in `rivulet profile %s'", word, word);
		return STATUS_FAILED;
	}
	const char *guess = guess_command(word);
	if (guess != NULL) {
		complain("`%s' is not a command: do you mean `%s'? See `rivulet help'", word, guess);
		return STATUS_FAILED;
	}
	complain("`%s' is not a command; expected one of:", word);
	for (const struct command *command = commands; command->name != NULL; command++)
		fprintf(stderr, "  %-9s %s\n", command->name, command->text);
	return STATUS_FAILED;
}

static int dispatch_command(const struct command *command, int argc, char **argv)
{
	char name[64];
	/* argp takes the name for its messages from argv[0] */
	snprintf(name, sizeof name, "rivulet %s", command->name);
	argv[0] = name;
	if (take_pipes(command->name, argc, argv) != STATUS_OK)
		return STATUS_FAILED;
	return command->run(argc, argv);
}

/* A file at its limit (ulimit -f) is an error of writing, as a full disk is: told, and nothing is left. Programs that
 * this one starts have their signal as it was. */
static void on_file_limit(int number)
{
	(void)number;
}

static void catch_file_limit(void)
{
	struct sigaction before;
	const struct sigaction caught = {.sa_handler = on_file_limit, .sa_flags = SA_RESTART};
	if (sigaction(SIGXFSZ, NULL, &before) == 0 && before.sa_handler == SIG_DFL)
		sigaction(SIGXFSZ, &caught, NULL);
}

/* What was started with a standard file closed (2>&-) would write its messages into the first file that it opens.
 * Number 0 is one that cannot be read, 1 and 2 ones that cannot be written: whoever uses them gets an error. */
static void hold_standard_files(void)
{
	for (int number = 0; number <= STDERR_FILENO; number++) {
		if (fcntl(number, F_GETFD) < 0 && errno == EBADF)
			open("/dev/null", number == 0 ? O_WRONLY : O_RDONLY); /* the lowest number that is free */
	}
}

int main(int argc, char **argv)
{
	argp_err_exit_status = STATUS_FAILED;
	hold_standard_files();
	signal(SIGCHLD, SIG_DFL); /* who ignores it, as some supervisors do, never learns that a child has ended */
	signal(SIGPIPE, SIG_DFL); /* a reader that has seen enough ends it, without a word */
	catch_file_limit();
	const char *word = argc > 1 ? argv[1] : "";
	const struct command *command;
	if (*word == '\0') {
		print_usage(stderr);
		return STATUS_FAILED;
	}
	if (strcmp(word, "--version") == 0 || strcmp(word, "-V") == 0) {
		puts(argp_program_version);
		return STATUS_OK;
	}
	if (strcmp(word, "help") == 0 && argc > 2) {
		char option[] = "--help";
		char *help[] = {argv[0], option, NULL};
		command = find_command(argv[2]);
		if (command != NULL)
			return dispatch_command(command, 2, help);
		word = argv[2];
	} else if (strcmp(word, "help") == 0 || strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0 ||
		   strcmp(word, "-?") == 0) {
		print_usage(stdout);
		return STATUS_OK;
	} else if ((command = find_command(word)) != NULL)
		return dispatch_command(command, argc - 1, argv + 1);
	return refuse_word(word);
}
