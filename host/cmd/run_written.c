/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#include "host/cmd/run_written.h"

#include <inttypes.h>
#include "common/elf_file.h"
#include "host/cmd/cmd.h"

uint64_t run_written(const char *program, const struct model *model, const struct image *image)
{
	size_t count;
	const struct elf_segment *segments = image_segments(image, &count);
	uint64_t differ = 0, first = 0, last = 0;
	for (size_t i = 0; i < count; i++) {
		if (!segments[i].execute)
			continue;
		for (uint64_t at = 0; at < segments[i].file_size;) {
			uint8_t now[4096];
			uint64_t left = segments[i].file_size - at;
			size_t some = left < sizeof now ? (size_t)left : sizeof now;
			if (model_read(model, (uint32_t)(segments[i].address + at), now, some) != MODEL_OK)
				break;
			for (size_t j = 0; j < some; j++, at++) {
				if (now[j] == segments[i].bytes[at])
					continue;
				last = segments[i].address + at;
				first = differ++ == 0 ? last : first;
			}
		}
	}
	if (differ == 0)
		return 0;
	const char *function = image_function(image, first, NULL);
	complain("%s: wrote code itself: %" PRIu64 " bytes at 0x%08" PRIx64 " to 0x%08" PRIx64
		 "%s%s are not those of the file any more; what ran there is walked as the file has it",
	    program, differ, first, last, function != NULL ? ", from " : "", function != NULL ? function : "");
	return differ;
}
