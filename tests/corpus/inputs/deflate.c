/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* miniz on files: each is compressed at a level and taken back out; what comes back must be the file.
 * Usage: deflate LEVEL FILE... */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "miniz.c"

static unsigned char *file_read(const char *path, size_t *size)
{
	FILE *file = fopen(path, "rb");
	if (file == NULL || fseek(file, 0, SEEK_END) != 0)
		return NULL;
	const long end = ftell(file);
	unsigned char *bytes = end < 0 ? NULL : malloc((size_t)end + 1);
	rewind(file);
	if (bytes != NULL)
		*size = fread(bytes, 1, (size_t)end, file);
	fclose(file);
	return bytes;
}

static int there_and_back(const char *path, int level)
{
	size_t size = 0;
	unsigned char *bytes = file_read(path, &size);
	if (bytes == NULL)
		return 0;
	mz_ulong packed_size = mz_compressBound((mz_ulong)size), back_size = (mz_ulong)size + 1;
	unsigned char *packed = malloc(packed_size), *back = malloc(back_size);
	const int good = packed != NULL && back != NULL &&
			 mz_compress2(packed, &packed_size, bytes, (mz_ulong)size, level) == MZ_OK &&
			 mz_uncompress(back, &back_size, packed, packed_size) == MZ_OK && back_size == size &&
			 memcmp(back, bytes, size) == 0;
	if (good)
		printf("%lu bytes in %lu, crc %08lx\n", (unsigned long)size, (unsigned long)packed_size,
		    (unsigned long)mz_crc32(MZ_CRC32_INIT, back, size));
	free(back);
	free(packed);
	free(bytes);
	return good;
}

int main(int argc, char **argv)
{
	int files = 0;
	for (int i = 2; i < argc; i++) {
		if (!there_and_back(argv[i], atoi(argv[1]))) {
			printf("wrong: %s\n", argv[i]);
			return 1;
		}
		files++;
	}
	printf("right: %d files\n", files);
	return files == 0;
}
