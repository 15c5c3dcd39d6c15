/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#include "host/cmd/insert_gdb.h"
#include "host/cmd/cmd.h"
#include "host/profile/memory.h"

int write_gdb_commands(const char *path)
{
	struct output *output = begin_output(path, OUTPUT_REPLACE, NULL, 0);
	if (output == NULL)
		return STATUS_FAILED;
	fputs(profile_memory_script, output_file(output));
	return finish_output(output, STATUS_OK);
}
