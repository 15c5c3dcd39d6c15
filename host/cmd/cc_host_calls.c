/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* What an archive without counters has in one page may lie in two, where counters stand before it. */
#include <inttypes.h>
#include <unistd.h>
#include "common/elf_file.h"
#include "host/cmd/cc_link.h"
#include "host/cmd/cmd.h"
#include "host/object/host_call.h"

bool cc_keeps_host_calls(const struct link *l)
{
	struct elf_file file;
	uint64_t at = 0;
	bool split = false;
	if (l->output == NULL || l->shared || cc_is_linux(l) || elf_file_open(&file, l->output, NULL, 0) != ELF_FILE_OK)
		return true;
	for (size_t i = 0; i < file.segment_count && !split; i++) {
		const struct elf_segment *segment = &file.segments[i];
		split = segment->execute &&
			host_call_is_split(segment->bytes, (size_t)segment->file_size, segment->address, &at);
	}
	elf_file_close(&file);
	if (!split)
		return true;
	complain("%s: a call of the host (semihosting) would lie in two pages, at 0x%" PRIx64
		 ", where the host does not know it: align its slli to 16 bytes in the source, or edit its file too "
		 "(--exclude)",
	    l->output, at);
	unlink(l->output);
	if (l->twin_output != NULL)
		unlink(l->twin_output);
	return false;
}
