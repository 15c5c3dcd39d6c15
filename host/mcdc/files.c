/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* Numbers and names of files of clang's coverage mapping. */
#include <stdlib.h>
#include <string.h>
#include <zlib.h>
#include "host/base/bytes.h"
#include "host/mcdc/private.h"

#define COVMAP_VERSION 6u /* as it is stored; LLVM's documents call it 7 */
#define COVMAP_HEAD 16
#define NAMES_MAX (16u << 20) /* bytes */
#define FILES_MAX 65536u

uint64_t mcdc_read_number(struct mcdc_reader *in)
{
	uint64_t value = 0;
	for (unsigned shift = 0; in->at < in->end && shift < 63; shift += 7) {
		uint8_t byte = *in->at++;
		value |= (uint64_t)(byte & 0x7F) << shift;
		if ((byte & 0x80) == 0)
			return value;
	}
	in->bad = true;
	in->at = in->end;
	return 0;
}

static int take_names(struct mcdc_files *files, struct mcdc_reader *in, uint64_t count)
{
	files->names = calloc(count + 1, sizeof *files->names);
	if (files->names == NULL)
		return MCDC_ENOMEM;
	for (uint64_t i = 0; i < count; i++) {
		uint64_t length = mcdc_read_number(in);
		if (in->bad || length > (uint64_t)(in->end - in->at))
			return MCDC_EFORMAT;
		files->names[i] = strndup((const char *)in->at, length);
		if (files->names[i] == NULL)
			return MCDC_ENOMEM;
		in->at += length;
		files->count++;
	}
	return MCDC_OK;
}

static int inflate_names(struct mcdc_files *files, const struct mcdc_reader *in, uint64_t count, uint64_t size)
{
	uLongf got = (uLongf)size;
	uint8_t *plain = malloc(size + 1);
	if (plain == NULL)
		return MCDC_ENOMEM;
	int error = MCDC_EFORMAT;
	if (uncompress(plain, &got, in->at, (uLong)(in->end - in->at)) == Z_OK && got == size) {
		struct mcdc_reader names = {plain, plain + size, false};
		error = take_names(files, &names, count);
	}
	free(plain);
	return error;
}

int mcdc_files_read(struct mcdc_files *files, const uint8_t *bytes, size_t size)
{
	if (size < COVMAP_HEAD)
		return MCDC_EFORMAT;
	size_t length = bytes_get32(bytes + 4);
	if (bytes_get32(bytes + 12) != COVMAP_VERSION || files->count > 0)
		return MCDC_EVERSION;
	if (length > size - COVMAP_HEAD)
		return MCDC_EFORMAT;
	if (size - COVMAP_HEAD - length >= COVMAP_HEAD) /* another one behind it: a linked file */
		return MCDC_EVERSION;
	struct mcdc_reader in = {bytes + COVMAP_HEAD, bytes + COVMAP_HEAD + length, false};
	uint64_t count = mcdc_read_number(&in), plain = mcdc_read_number(&in), packed = mcdc_read_number(&in);
	if (in.bad || count == 0 || count > FILES_MAX || plain > NAMES_MAX || packed > (uint64_t)(in.end - in.at))
		return MCDC_EFORMAT;
	if (packed == 0)
		return take_names(files, &in, count);
	in.end = in.at + packed;
	return inflate_names(files, &in, count, plain);
}

/* Takes "." and ".." out of a whole name. */
static void shorten_name(char *name)
{
	char *out = name;
	for (const char *in = name; *in != '\0';) {
		const char *end = in + 1 + strcspn(in + 1, "/");
		size_t length = (size_t)(end - in);
		if (length == 3 && memcmp(in, "/..", 3) == 0) {
			while (out > name && *--out != '/')
				;
		} else if (length != 1 && !(length == 2 && in[1] == '.')) {
			memmove(out, in, length);
			out += length;
		}
		in = end;
	}
	*out = '\0';
}

char *mcdc_files_whole(const struct mcdc_files *files, uint64_t number)
{
	const char *name = files->names[number], *folder = files->names[0];
	size_t size = strlen(folder) + strlen(name) + 2;
	char *whole = malloc(size);
	if (whole == NULL)
		return NULL;
	whole[0] = '\0';
	if (name[0] != '/') {
		strcpy(whole, folder);
		strcat(whole, "/");
	}
	strcat(whole, name);
	if (whole[0] == '/')
		shorten_name(whole);
	return whole;
}

void mcdc_files_free(struct mcdc_files *files)
{
	for (size_t i = 0; i < files->count; i++)
		free(files->names[i]);
	free(files->names);
	*files = (struct mcdc_files){0};
}
