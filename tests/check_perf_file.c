/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* CoreSight's frames, byte by byte; perf.data cut at each byte and with any byte changed. tests/standards/perf has
 * whole files. */
#include <stdlib.h>
#include <string.h>
#include "host/base/bytes.h"
#include "host/import/frames.h"
#include "host/import/perf_file.h"
#include "tests/suite.h"

static unsigned put_all(struct frames *f, const uint8_t *bytes, size_t size, uint8_t *out, unsigned *breaks)
{
	unsigned kept = 0;
	*breaks = 0;
	for (size_t i = 0; i < size; i++) {
		uint8_t some[FRAMES_BYTES];
		bool broke;
		const unsigned count = frames_put(f, bytes[i], some, &broke);
		memcpy(out + kept, some, count);
		kept += count;
		*breaks += broke;
	}
	return kept;
}

/* Source 3; then 0x15 at once; then 3 again, behind a byte that is still of 0x15; bit 0 of even bytes in the flags. */
START_TEST(frames_of_two)
{
	static const uint8_t frame[] = {
	    0x07, 0xA1, 0xA2, 0xA3, 0x2B, 0xB1, 0xB2, 0xB3, 0x07, 0xB4, 0xA4, 0xA5, 0xA6, 0xA7, 0xA8, 0xD2};
	static const uint8_t first[] = {0xA1, 0xA3, 0xA3, 0xA4, 0xA5, 0xA7, 0xA7, 0xA9};
	static const uint8_t second[] = {0xB1, 0xB2, 0xB3, 0xB4};
	struct frames three = {.wanted = 3}, other = {.wanted = 0x15}, any = {0};
	uint8_t out[64];
	unsigned breaks;
	ck_assert_uint_eq(put_all(&three, frame, sizeof frame, out, &breaks), sizeof first);
	ck_assert_mem_eq(out, first, sizeof first);
	ck_assert_uint_eq(three.others, sizeof second);
	ck_assert_uint_eq(put_all(&other, frame, sizeof frame, out, &breaks), sizeof second);
	ck_assert_mem_eq(out, second, sizeof second);
	ck_assert_uint_eq(put_all(&any, frame, sizeof frame, out, &breaks), sizeof first);
	ck_assert_uint_eq(any.wanted, 3);
	ck_assert_uint_eq(breaks, 0);
}
END_TEST

/* One mark is nothing; four are a break, behind which no source is known; ID 0 is nobody's. */
START_TEST(marks)
{
	static const uint8_t mark[] = {0xFF, 0xFF, 0xFF, 0x7F};
	uint8_t stream[16 + 4 + 16 + 16 + 16 + 16] = {0x07, 0x11, [15] = 0}, out[128];
	struct frames f = {.wanted = 3};
	unsigned breaks;
	memcpy(stream + 16, mark, 4);
	memset(stream + 20, 0x22, 15); /* goes on with the source of the frame before */
	for (unsigned i = 0; i < 4; i++)
		memcpy(stream + 36 + 4 * i, mark, 4);
	memset(stream + 52, 0x44, 15); /* nobody's */
	stream[68] = 0x07;
	stream[69] = 0x55;
	stream[70] = 0x01; /* padding */
	ck_assert_uint_eq(put_all(&f, stream, sizeof stream, out, &breaks), 14 + 15 + 1);
	ck_assert_uint_eq(breaks, 1);
	ck_assert_uint_eq(out[0], 0x11);
	ck_assert_uint_eq(out[14], 0x22);
	ck_assert_uint_eq(out[29], 0x55);
}
END_TEST

#define FILE_BYTES (104 + 80 + 80 + 48 + 10 + 48 + 6) /* head, settings, map, two times bytes */

static void put_event(uint8_t *at, uint32_t type, uint32_t size)
{
	bytes_put32(at, type);
	bytes_put32(at + 4, size << 16);
}

/* Settings of CPU 4, a map, 10 and 6 bytes of CPU 4 that join. */
static void make_file(uint8_t *file)
{
	memset(file, 0, FILE_BYTES);
	memcpy(file, PERF_FILE_MAGIC, 8);
	bytes_put64(file + 8, 104);
	bytes_put64(file + 40, 104);
	bytes_put64(file + 48, FILE_BYTES - 104);
	uint8_t *at = file + 104;
	put_event(at, 70, 72 + 8);
	const uint64_t row[] = {UINT64_C(9) << 32 | 1, 4, 5, 1, 1, 0, 6, 33};
	for (unsigned i = 0; i < 8; i++)
		bytes_put64(at + 16 + 8 * i, row[i]);
	at += 80;
	put_event(at, 10, 72 + 8);
	bytes_put64(at + 16, 0x10000);
	bytes_put32(at + 64, 4);
	memcpy(at + 72, "/bin/x", 6);
	at += 80;
	for (unsigned i = 0; i < 2; i++) {
		put_event(at, 71, 48);
		bytes_put64(at + 8, i == 0 ? 10 : 6);
		bytes_put64(at + 16, i == 0 ? 0 : 10);
		bytes_put32(at + 40, 4);
		memset(at + 48, 0x40 + (int)i, i == 0 ? 10 : 6);
		at += 48 + 10;
	}
}

struct kept {
	uint8_t bytes[64];
	size_t count, breaks;
};

static int keep_aux(void *context, const uint8_t *bytes, size_t size, uint64_t at, bool joins)
{
	struct kept *kept = context;
	(void)at;
	ck_assert_uint_le(kept->count + size, sizeof kept->bytes);
	memcpy(kept->bytes + kept->count, bytes, size);
	kept->count += size;
	kept->breaks += !joins;
	return 0;
}

static int open_bytes(struct perf_file *perf, const uint8_t *bytes, size_t size, FILE **file)
{
	*file = tmpfile();
	ck_assert_ptr_nonnull(*file);
	ck_assert_uint_eq(fwrite(bytes, 1, size, *file), size);
	return perf_file_open(perf, *file);
}

START_TEST(whole_file)
{
	uint8_t bytes[FILE_BYTES];
	struct perf_file perf;
	struct kept kept = {.count = 0};
	FILE *file;
	make_file(bytes);
	ck_assert_int_eq(open_bytes(&perf, bytes, sizeof bytes, &file), PERF_FILE_OK);
	ck_assert_uint_eq(perf.cpu_count, 1);
	ck_assert(perf.cpus[0].told && perf.cpus[0].cpu == 4 && perf.cpus[0].bytes == 16);
	ck_assert(perf.cpus[0].format == 1 && perf.cpus[0].source_bits == 6 && perf.cpus[0].source == 33);
	ck_assert_uint_eq(perf.map_count, 1);
	ck_assert_str_eq(perf.maps[0].path, "/bin/x");
	ck_assert_int_eq(perf_file_bytes(&perf, 4, keep_aux, &kept), PERF_FILE_OK);
	ck_assert_uint_eq(kept.count, 16);
	ck_assert_uint_eq(kept.breaks, 0);
	ck_assert(kept.bytes[9] == 0x40 && kept.bytes[10] == 0x41);
	ck_assert_int_eq(perf_file_bytes(&perf, 5, keep_aux, &kept), PERF_FILE_OK);
	ck_assert_uint_eq(kept.count, 16);
	perf_file_close(&perf);
	fclose(file);
}
END_TEST

/* Every beginning, and every byte inverted: an error, or no more bytes than there are. */
START_TEST(damaged_file)
{
	uint8_t bytes[FILE_BYTES];
	unsigned refused = 0;
	for (size_t i = 0; i < 2 * FILE_BYTES; i++) {
		struct perf_file perf;
		struct kept kept = {.count = 0};
		FILE *file;
		make_file(bytes);
		if (i >= FILE_BYTES)
			bytes[i - FILE_BYTES] ^= 0xFF;
		const int error = open_bytes(&perf, bytes, i < FILE_BYTES ? i : FILE_BYTES, &file);
		refused += error != PERF_FILE_OK;
		ck_assert(i >= FILE_BYTES || error == PERF_FILE_EREAD || error == PERF_FILE_EFORM || i == FILE_BYTES);
		for (size_t k = 0; error == PERF_FILE_OK && k < perf.cpu_count; k++)
			perf_file_bytes(&perf, perf.cpus[k].cpu, keep_aux, &kept);
		if (error == PERF_FILE_OK)
			perf_file_close(&perf);
		fclose(file);
	}
	ck_assert_uint_gt(refused, FILE_BYTES - 104);
}
END_TEST

int main(void)
{
	const struct suite_case cases[] = {{"frames", frames_of_two, 0}, {"frames", marks, 0},
	    {"perf.data", whole_file, 0}, {"perf.data", damaged_file, 0}};
	return SUITE_RUN("perf_file", cases, NULL, NULL);
}
