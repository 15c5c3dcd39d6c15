/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#include "host/cc/process.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

int cc_process_run(bool linker, char *const *command, char *text, size_t size, const char *errors)
{
	int ends[2] = {-1, -1}, status = 0;
	size_t used = 0;
	if (text != NULL && pipe(ends) != 0)
		return 127;
	pid_t child = fork();
	if (child == 0) {
		/* what the driver tells its linker would send a second driver to the stand-in again */
		static const char *const told[] = {
		    "COMPILER_PATH", "GCC_EXEC_PREFIX", "COLLECT_GCC", "COLLECT_GCC_OPTIONS", "LIBRARY_PATH"};
		for (size_t i = 0; !linker && i < sizeof told / sizeof *told; i++)
			unsetenv(told[i]);
		if (text != NULL)
			dup2(ends[1], STDOUT_FILENO);
		int file = errors != NULL ? open(errors, O_WRONLY | O_CREAT | O_TRUNC, 0666) : -1;
		if (file >= 0)
			dup2(file, STDERR_FILENO);
		if (file >= 0 && text == NULL)
			dup2(file, STDOUT_FILENO);
		execvp(command[0], command);
		_exit(127);
	}
	if (text != NULL) {
		ssize_t got;
		close(ends[1]);
		while (used + 1 < size && (got = read(ends[0], text + used, size - 1 - used)) > 0)
			used += (size_t)got;
		text[used] = '\0';
		close(ends[0]);
	}
	while (child > 0 && waitpid(child, &status, 0) < 0 && errno == EINTR)
		;
	if (child < 0)
		return 127;
	return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}
