/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* The document in the page, packed: gzip, then base64, so that a file of HTML can hold it. */
#include <string.h>
#include <zlib.h>
#include "host/view/private.h"

#define PACK_ROOM 3072 /* bytes of gzip that become text at once; whole groups of three */

static const char base64_digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/* Only the last call may have a size that is no multiple of 3. */
static void write_base64(const unsigned char *bytes, size_t size, FILE *out)
{
	for (size_t i = 0; i < size; i += 3) {
		const size_t left = size - i;
		const uint32_t group = (uint32_t)bytes[i] << 16 | (left > 1 ? (uint32_t)bytes[i + 1] << 8 : 0) |
				       (left > 2 ? bytes[i + 2] : 0);
		fputc(base64_digits[group >> 18], out);
		fputc(base64_digits[group >> 12 & 63], out);
		fputc(left > 1 ? base64_digits[group >> 6 & 63] : '=', out);
		fputc(left > 2 ? base64_digits[group & 63] : '=', out);
	}
}

/* Runs zip over its input; what comes out is written in whole groups of three bytes, but for the end. */
static int drain_zip(z_stream *zip, int flush, unsigned char room[PACK_ROOM], FILE *out)
{
	int state;
	do {
		state = deflate(zip, flush);
		if (zip->avail_out == 0 || state == Z_STREAM_END) {
			write_base64(room, PACK_ROOM - zip->avail_out, out);
			zip->next_out = room;
			zip->avail_out = PACK_ROOM;
		}
	} while (flush == Z_FINISH ? state == Z_OK : zip->avail_in > 0);
	return state;
}

int view_pack(const char *document, size_t size, FILE *out)
{
	unsigned char room[PACK_ROOM];
	z_stream zip = {.next_out = room, .avail_out = PACK_ROOM};
	int state = Z_OK;
	/* 16: gzip */
	if (deflateInit2(&zip, Z_DEFAULT_COMPRESSION, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY) != Z_OK)
		return VIEW_ENOMEM;
	do { /* zlib counts in 32 bits */
		const size_t part = size > 1u << 30 ? 1u << 30 : size;
		zip.next_in = (z_const Bytef *)document;
		zip.avail_in = (uInt)part;
		document += part;
		size -= part;
		state = drain_zip(&zip, size == 0 ? Z_FINISH : Z_NO_FLUSH, room, out);
	} while (size > 0);
	deflateEnd(&zip);
	return state != Z_STREAM_END || ferror(out) ? VIEW_EWRITE : VIEW_OK;
}
