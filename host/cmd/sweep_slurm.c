/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* The cells of a sweep as an array of Slurm: task I of N runs the cells I, I + N, ... of FOLDER/pending. */
#define _XOPEN_SOURCE 700 /* realpath() */
#include "host/cmd/sweep.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include "host/base/array.h"

#define SLURM_TASKS 1000 /* of an array: Slurm's MaxArraySize is 1001 unless its configuration says otherwise */

static int write_pending(const struct sweep_command *s, const size_t *cells, size_t count)
{
	char path[SWEEP_PATH];
	snprintf(path, sizeof path, "%s/pending", s->folder);
	struct output *output = begin_output(path, OUTPUT_REPLACE, NULL, 0);
	if (output == NULL)
		return STATUS_FAILED;
	for (size_t i = 0; i < count; i++)
		fprintf(output_file(output), "%zu\n", cells[i]);
	return finish_output(output, STATUS_OK);
}

/* In single quotes for the shell. */
static void put_quoted(FILE *out, const char *text)
{
	fputc('\'', out);
	for (; *text != '\0'; text++)
		fputs(*text == '\'' ? "'\\''" : (const char[]){*text, '\0'}, out);
	fputc('\'', out);
}

/* This program's own file: the nodes have the same file system, or Slurm has none of our cells either. */
static char *own_program(void)
{
	return realpath("/proc/self/exe", NULL);
}

static char *sbatch_command(const struct sweep_command *s, size_t tasks)
{
	char *command = NULL, *wrapped = NULL, *program = own_program();
	char *file = realpath(s->file, NULL), *folder = realpath(s->folder, NULL);
	size_t size;
	FILE *out = program == NULL || file == NULL || folder == NULL ? NULL : open_memstream(&wrapped, &size);
	if (out != NULL) {
		put_quoted(out, program);
		fputs(" sweep -j 1 --task \"$SLURM_ARRAY_TASK_ID\"", out);
		fprintf(out, "/%zu -o ", tasks);
		put_quoted(out, folder);
		fputc(' ', out);
		put_quoted(out, file);
		fclose(out);
		out = open_memstream(&command, &size);
	}
	if (out != NULL) {
		fprintf(out, "sbatch --wait --parsable --array=0-%zu --job-name=rivulet-sweep --output=", tasks - 1);
		put_quoted(out, folder);
		fprintf(out, "/slurm-%%a.log %s --wrap ", s->slurm);
		put_quoted(out, wrapped);
		fclose(out);
	}
	free(wrapped);
	free(program);
	free(file);
	free(folder);
	return command;
}

int sweep_slurm(const struct sweep_command *s, const size_t *cells, size_t count)
{
	size_t tasks = count < SLURM_TASKS ? count : SLURM_TASKS;
	if (write_pending(s, cells, count) != STATUS_OK)
		return STATUS_FAILED;
	char *command = sbatch_command(s, tasks);
	if (command == NULL) {
		complain("%s: %s", s->file, strerror(errno));
		return STATUS_FAILED;
	}
	complain("%s: %s cells in %s tasks of Slurm", s->file, with_commas(count), with_commas(tasks));
	fflush(stdout);
	int kept = dup(STDOUT_FILENO); /* the number of the job is no part of the table */
	dup2(STDERR_FILENO, STDOUT_FILENO);
	int status = system(command);
	dup2(kept, STDOUT_FILENO);
	close(kept);
	free(command);
	if (status == -1 || (WIFEXITED(status) && WEXITSTATUS(status) == 127)) {
		complain("sbatch cannot be started: Slurm's commands are expected (Debian: slurm-client)");
		return STATUS_FAILED;
	}
	/* how each cell ended its folder says; sbatch says whether one of them did not end well */
	return status == 0 ? STATUS_OK : STATUS_NO;
}

int sweep_task(const struct sweep_command *s, const char *task)
{
	char path[SWEEP_PATH];
	size_t *cells = NULL, count = 0, room = 0, cell, line = 0;
	uint64_t index, tasks;
	if (sscanf(task, "%" SCNu64 "/%" SCNu64, &index, &tasks) != 2 || index >= tasks) {
		complain("--task %s: I/N is expected, with I from 0 to N - 1", task);
		return STATUS_FAILED;
	}
	snprintf(path, sizeof path, "%s/pending", s->folder);
	FILE *file = fopen(path, "r");
	if (file == NULL) {
		complain("%s: %s", path, strerror(errno));
		return STATUS_FAILED;
	}
	bool good = true;
	for (; good && fscanf(file, "%zu", &cell) == 1; line++) {
		if (line % tasks != index || cell >= s->plan.cells)
			continue;
		good = array_room(&cells, count + 1, &room);
		if (good)
			cells[count++] = cell;
	}
	fclose(file);
	int status = good ? sweep_cells(s, cells, count, false) : STATUS_FAILED;
	free(cells);
	return status;
}
