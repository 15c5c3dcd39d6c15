/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/*
 * A perf.data file as `perf record -e rvtrace//` would store it, of an encoder's bytes.
 *
 *   make_perf OUT BYTES PROGRAM START OFFSET WORDS    code of PROGRAM at START is the file's from OFFSET on
 *
 * WORDS: pipe, told (format and source bits), frames (CoreSight's), gap (the middle third is missing), two (CPUs),
 * packed (a compressed record), full or partial (the kernel lost bytes), round (a snapshot), fewer (lost records),
 * etrace.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint8_t data[1 << 24];
static size_t used;

static void put(uint64_t value, unsigned size)
{
	for (unsigned i = 0; i < size; i++)
		data[used++] = (uint8_t)(value >> 8 * i);
}

static void put_head(uint32_t type, uint16_t misc, size_t size)
{
	put(type, 4);
	put(misc, 2);
	put(size, 2);
}

static void put_map(const char *path, uint64_t start, uint64_t offset)
{
	const size_t name = (strlen(path) + 8) / 8 * 8;
	put_head(10, 2, 72 + name);
	put(77, 4);
	put(77, 4);
	put(start, 8);
	put(0x100000, 8);
	put(offset, 8);
	put(0, 24);
	put(5, 4); /* readable, executable */
	put(2, 4);
	memcpy(data + used, path, strlen(path));
	used += name;
}

static void put_info(const char *words)
{
	const size_t cpus = strstr(words, "two") != NULL ? 2 : 1;
	const size_t told = strstr(words, "told") != NULL ? 1 + 7 * cpus : 1;
	put_head(70, 0, 16 + 8 * told);
	put(8, 4);
	put(0, 4);
	put(told == 1 ? 33 : UINT64_C(33) << 32 | cpus, 8);
	for (size_t i = 0; i < cpus && told > 1; i++) {
		const uint64_t row[7] = {2 + i, 5, strstr(words, "etrace") == NULL, 1, 0, 3, 5};
		for (size_t k = 0; k < 7; k++)
			put(row[k], 8);
	}
}

static void put_aux(uint32_t cpu, uint64_t offset, const uint8_t *bytes, size_t size)
{
	put_head(71, 0, 48);
	put(size, 8);
	put(offset, 8);
	put(0, 8);
	put(cpu, 4);
	put(77, 4);
	put(cpu, 4);
	put(0, 4);
	memcpy(data + used, bytes, size);
	used += size;
}

/* Bytes of source 0x21, and now and then two of another one. */
static size_t put_frames(const uint8_t *bytes, size_t size, uint8_t *out)
{
	size_t at = 0, written = 0;
	for (unsigned frame = 0; at < size; frame++) {
		uint8_t *f = out + written;
		memset(f, 0, 16);
		f[0] = 0x21 << 1 | 1;
		unsigned i = 1;
		if (frame % 5 == 4) { /* one byte of the other source, behind which ours come again at once */
			f[0] = 0x33 << 1 | 1;
			f[1] = 0xA5;
			f[2] = 0x21 << 1 | 1;
			i = 3;
		}
		for (; i < 15; i++) {
			const uint8_t byte = at < size ? bytes[at++] : 0xFF;
			f[i] = i % 2 == 0 ? byte & 0xFE : byte;
			if (i % 2 == 0)
				f[15] |= (uint8_t)((byte & 1) << i / 2);
		}
		written += 16;
		if (frame % 50 == 7)
			memcpy(out + written, "\xFF\xFF\xFF\x7F", 4), written += 4;
	}
	return written;
}

int main(int argc, char **argv)
{
	static uint8_t bytes[1 << 22], framed[1 << 23];
	const char *words = argc == 7 ? argv[6] : "";
	FILE *in = argc == 7 ? fopen(argv[2], "rb") : NULL, *out = argc == 7 ? fopen(argv[1], "wb") : NULL;
	if (in == NULL || out == NULL)
		return 2;
	size_t size = fread(bytes, 1, sizeof bytes, in);
	const uint8_t *from = bytes;
	if (strstr(words, "frames") != NULL) {
		size = put_frames(bytes, size, framed);
		from = framed;
	}
	put_info(words);
	put_map("/nowhere/libother.so", 0x7000000000, 0);
	put_map(argv[3], strtoull(argv[4], NULL, 0), strtoull(argv[5], NULL, 0));
	int flags = strstr(words, "full") != NULL;
	flags |= strstr(words, "round") != NULL ? 2 : 0;
	flags |= strstr(words, "partial") != NULL ? 4 : 0;
	if (flags != 0) {
		put_head(11, 0, 32);
		put(0, 8);
		put(size, 8);
		put((uint64_t)flags, 8);
	}
	if (strstr(words, "fewer") != NULL) {
		put_head(2, 0, 24);
		put(0, 8);
		put(5, 8);
	}
	if (strstr(words, "packed") != NULL) {
		put_head(81, 0, 16);
		put(0, 8);
	}
	const size_t third = size / 3 / 16 * 16;
	put_aux(2, 0, from, third);
	if (strstr(words, "two") != NULL)
		put_aux(3, 0, from, third);
	if (strstr(words, "gap") == NULL)
		put_aux(2, third, from + third, third);
	put_aux(2, 2 * third, from + 2 * third, size - 2 * third);
	const int pipe = strstr(words, "pipe") != NULL;
	const uint64_t head[] = {UINT64_C(0x32454c4946524550), pipe ? 16 : 104, 144, 0, 0, 104, used, 0, 0, 0, 0, 0, 0};
	fwrite(head, 1, pipe ? 16 : 104, out);
	fwrite(data, 1, used, out);
	return fclose(out) == 0 ? 0 : 1;
}
