/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#include "host/cmd/linked_file.h"

#include <stdlib.h>
#include <sys/stat.h>

bool read_program(const char *path, struct file_bytes *file)
{
	FILE *f = fopen(path, "rb");
	struct stat about;
	bool good = f != NULL && fstat(fileno(f), &about) == 0 && S_ISREG(about.st_mode);
	*file = (struct file_bytes){0};
	if (good) {
		file->size = (size_t)about.st_size;
		file->bytes = malloc(file->size + 1);
		good = file->bytes != NULL && fread(file->bytes, 1, file->size, f) == file->size;
	}
	if (f != NULL)
		fclose(f);
	return good;
}

int put_program(const char *path, const char *const *inputs, size_t input_count, const struct linked_result *program)
{
	struct stat about;
	struct output *output = begin_output(path, OUTPUT_REPLACE, inputs, input_count);
	if (output == NULL)
		return STATUS_FAILED;
	fwrite(program->bytes, 1, program->size, output_file(output));
	if (stat(inputs[0], &about) == 0)
		fchmod(output_descriptor(output), about.st_mode & 0777);
	return finish_output(output, STATUS_OK);
}
