/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#include "common/frame.h"
#include "tests/suite.h"

#include <check.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#define LENGTH_MAX (FRAME_CONTENT_MAX - 4) /* content without the CRC */

static struct frame frame;
static uint8_t coded[FRAME_CODED_MAX], content[FRAME_CONTENT_MAX];

static uint32_t seed;
static uint8_t noise(void)
{
	seed = seed * 1664525u + 1013904223u;
	return (uint8_t)(seed >> 24);
}

/* A frame of `length` bytes before the CRC; every byte of its payload is `fill`, or noise if fill < 0. Returns the
 * coded size, zeros included. */
static size_t build(size_t length, int fill)
{
	frame_begin(&frame, FRAME_ENTRIES, 7);
	for (size_t i = 2; i < length; i++)
		frame_byte(&frame, fill < 0 ? noise() : (uint8_t)fill);
	return frame_end(&frame, coded);
}

/* Decodes what lies between the zeros. */
static int decode(size_t size)
{
	return frame_decode(coded + 1, size - 2, content);
}

/* ---------------------------------------------------------------- CRC-32 */

START_TEST(crc_known)
{
	ck_assert_uint_eq(frame_crc32(0, "123456789", 9), 0xCBF43926);
	ck_assert_uint_eq(frame_crc32(0, "", 0), 0);
	ck_assert_uint_eq(frame_crc32(0, "\0\0\0\0", 4), 0x2144DF1C);
	ck_assert_uint_eq(frame_crc32(0, "\xFF\xFF\xFF\xFF", 4), 0xFFFFFFFF);
	ck_assert_uint_eq(frame_crc32(0, "The quick brown fox jumps over the lazy dog", 43), 0x414FA339);
}
END_TEST

START_TEST(crc_chained)
{
	for (size_t cut = 0; cut <= 9; cut++)
		ck_assert_uint_eq(
		    frame_crc32(frame_crc32(0, "123456789", cut), &"123456789"[cut], 9 - cut), 0xCBF43926);
}
END_TEST

/* The definition, bit by bit, against the table. */
START_TEST(crc_definition)
{
	uint8_t bytes[64];
	seed = 1;
	for (size_t size = 0; size <= sizeof bytes; size++) {
		uint32_t crc = 0xFFFFFFFF;
		for (size_t i = 0; i < size; i++) {
			bytes[i] = noise();
			for (unsigned bit = 0; bit < 8; bit++) {
				uint32_t low = (crc ^ (uint32_t)bytes[i] >> bit) & 1;
				crc = crc >> 1 ^ (low ? 0xEDB88320 : 0);
			}
		}
		ck_assert_uint_eq(frame_crc32(0, bytes, size), ~crc);
	}
}
END_TEST

/* ---------------------------------------------------------------- COBS */

/* Bytes on the line, by hand: type 1, sequence 0, payload 05 00 06, CRC-32 of 01 00 05 00 06. */
START_TEST(coded_by_hand)
{
	static const uint8_t plain[] = {1, 0, 5, 0, 6};
	uint32_t crc = frame_crc32(0, plain, sizeof plain);
	uint8_t c[4];
	for (unsigned i = 0; i < 4; i++) {
		c[i] = (uint8_t)(crc >> 8 * i);
		ck_assert_uint_ne(c[i], 0); /* so the expected bytes below are right */
	}
	frame_begin(&frame, FRAME_HEADER, 0);
	ck_assert_uint_eq(frame.length, 2);
	frame_byte(&frame, 5);
	frame_byte(&frame, 0);
	frame_byte(&frame, 6);
	const uint8_t expected[] = {0, 2, 1, 2, 5, 6, 6, c[0], c[1], c[2], c[3], 0};
	ck_assert_uint_eq(frame_end(&frame, coded), sizeof expected);
	ck_assert_mem_eq(coded, expected, sizeof expected);
	ck_assert_int_eq(decode(sizeof expected), sizeof plain);
	ck_assert_mem_eq(content, plain, sizeof plain);
}
END_TEST

/* Every length, with payloads of zeros only, without any zero, and mixed: no zero inside, one byte of overhead, and the
 * same bytes back. */
START_TEST(round_trip)
{
	static const int fills[] = {0, 1, 0xFF, -1};
	for (size_t length = 2; length <= LENGTH_MAX; length++) {
		seed = (uint32_t)length;
		size_t size = build(length, fills[_i]);
		ck_assert_uint_eq(size, length + 4 + 3);
		ck_assert_uint_eq(coded[0], 0);
		ck_assert_uint_eq(coded[size - 1], 0);
		for (size_t i = 1; i < size - 1; i++)
			ck_assert_uint_ne(coded[i], 0);
		ck_assert_int_eq(decode(size), (int)length);
		ck_assert_mem_eq(content, frame.content, length);
		ck_assert_uint_eq(content[0], FRAME_ENTRIES);
		ck_assert_uint_eq(content[1], 7);
	}
}
END_TEST

/* content may be coded itself. */
START_TEST(decode_in_place)
{
	for (size_t length = 2; length <= LENGTH_MAX; length++) {
		seed = (uint32_t)length;
		size_t size = build(length, -1);
		uint8_t line[FRAME_CONTENT_MAX + 1];
		memcpy(line, coded + 1, size - 2);
		ck_assert_int_eq(frame_decode(line, size - 2, line), (int)length);
		ck_assert_mem_eq(line, frame.content, length);
	}
}
END_TEST

START_TEST(broken_code)
{
	size_t size = build(20, 1);
	/* the first code points one byte past the end */
	coded[1] = (uint8_t)(size - 2 + 1);
	ck_assert_int_eq(decode(size), -1);
	/* a zero within a run, and a zero in place of a code */
	size = build(20, 1);
	coded[5] = 0;
	ck_assert_int_eq(decode(size), -1);
	size = build(20, 1);
	coded[1] = 0;
	ck_assert_int_eq(decode(size), -1);
}
END_TEST

START_TEST(too_long_or_short)
{
	uint8_t line[FRAME_CODED_MAX + 8];
	memset(line, 1, sizeof line);
	/* two bytes and a CRC and the code byte are the least */
	for (size_t size = 0; size < 7; size++)
		ck_assert_int_eq(frame_decode(line, size, content), -3);
	for (size_t size = FRAME_CONTENT_MAX + 2; size <= sizeof line; size++)
		ck_assert_int_eq(frame_decode(line, size, content), -3);
	/* the longest is looked at: 250 zeros have a wrong CRC */
	ck_assert_int_eq(frame_decode(line, FRAME_CONTENT_MAX + 1, content), -2);
}
END_TEST

/* The checksum covers type, sequence and payload: wrong wherever it is changed. */
START_TEST(wrong_crc)
{
	for (size_t i = 0; i < 30 + 4; i++)
		for (unsigned bit = 0; bit < 8; bit++) {
			size_t size = build(30, 0x40);
			/* without zeros in the content its byte i is coded[2 + i] */
			ck_assert_ptr_null(memchr(coded + 1, 0, size - 2));
			uint8_t *byte = &coded[2 + i];
			if (coded[1] != 30 + 4 + 1) /* a zero in the CRC */
				ck_abort_msg("choose another payload");
			*byte ^= (uint8_t)(1u << bit);
			if (*byte)
				ck_assert_int_eq(decode(size), -2);
			else
				ck_assert_int_eq(decode(size), -1);
		}
}
END_TEST

/* Every byte of the line replaced by every other value, cut out, doubled, and the frame cut off there: never taken for
 * a frame. */
static void damage(size_t length, int fill)
{
	const size_t size = build(length, fill);
	const size_t inner = size - 2;
	uint8_t good[FRAME_CODED_MAX], bad[FRAME_CODED_MAX];
	memcpy(good, coded + 1, inner);
	ck_assert_int_eq(frame_decode(good, inner, content), (int)length);
	for (size_t at = 0; at < inner; at++) {
		for (unsigned flip = 1; flip < 256; flip++) {
			memcpy(bad, good, inner);
			bad[at] ^= (uint8_t)flip;
			ck_assert_int_lt(frame_decode(bad, inner, content), 0);
		}
		memcpy(bad, good, at);
		memcpy(bad + at, good + at + 1, inner - at - 1);
		/* one byte of a run of equal ones less is the same frame cut anywhere in it: still a shorter, wrong
		 * one */
		ck_assert_int_lt(frame_decode(bad, inner - 1, content), 0);
		ck_assert_int_lt(frame_decode(good, at, content), 0);
		ck_assert_int_lt(frame_decode(good + at + 1, inner - at - 1, content), 0);
		memcpy(bad, good, at + 1);
		memcpy(bad + at + 1, good + at, inner - at);
		ck_assert_int_lt(frame_decode(bad, inner + 1, content), 0);
	}
}
START_TEST(damaged)
{
	static const size_t lengths[] = {2, 3, 17, 100, LENGTH_MAX};
	static const int fills[] = {0, 1, 0xFF, -1};
	seed = 5;
	for (size_t i = 0; i < sizeof fills / sizeof *fills; i++)
		damage(lengths[_i], fills[i]);
}
END_TEST

/* Noise is not a frame, and no byte behind the content is written. */
START_TEST(noise_is_no_frame)
{
	struct {
		uint8_t content[FRAME_CONTENT_MAX], guard[8];
	} out;
	static const uint8_t untouched[8] = {0xA5, 0xA5, 0xA5, 0xA5, 0xA5, 0xA5, 0xA5, 0xA5};
	uint8_t line[FRAME_CODED_MAX + 3];
	seed = 9;
	for (unsigned i = 0; i < 200000; i++) {
		size_t size = (size_t)(noise() | (noise() & 1) << 8) % (sizeof line + 1);
		bool small = noise() & 1; /* small codes make many short runs */
		for (size_t at = 0; at < size; at++)
			line[at] = (uint8_t)(1 + (small ? noise() % 4 : noise() % 255));
		memset(out.guard, 0xA5, sizeof out.guard);
		ck_assert_int_lt(frame_decode(line, size, out.content), 0);
		ck_assert_mem_eq(out.guard, untouched, sizeof untouched);
	}
}
END_TEST

START_TEST(filled_up)
{
	frame_begin(&frame, FRAME_END, 255);
	size_t room = frame_room(&frame);
	ck_assert_uint_eq(room, FRAME_CONTENT_MAX - 6);
	for (; room; room--) {
		ck_assert_uint_eq(frame_room(&frame), room);
		frame_byte(&frame, 0xEE);
	}
	ck_assert_uint_eq(frame_room(&frame), 0);
	size_t size = frame_end(&frame, coded);
	ck_assert_uint_eq(size, FRAME_CODED_MAX);
	ck_assert_int_eq(decode(size), LENGTH_MAX);
	ck_assert_uint_eq(content[0], FRAME_END);
	ck_assert_uint_eq(content[1], 255);
	/* a frame can be begun again */
	frame_begin(&frame, FRAME_END, 0);
	ck_assert_uint_eq(frame_room(&frame), FRAME_CONTENT_MAX - 6);
}
END_TEST

/* ---------------------------------------------------------------- LEB128 and zig-zag */

static const struct {
	uint64_t value;
	size_t length;
	uint8_t bytes[FRAME_LEB_MAX];
} numbers[] = {
    {0, 1, {0}},
    {1, 1, {1}},
    {127, 1, {0x7F}},
    {128, 2, {0x80, 1}},
    {300, 2, {0xAC, 2}},
    {16383, 2, {0xFF, 0x7F}},
    {16384, 3, {0x80, 0x80, 1}},
    {0xFFFFFFFF, 5, {0xFF, 0xFF, 0xFF, 0xFF, 0x0F}},
    {UINT64_C(1) << 63, 10, {0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 1}},
    {INT64_MAX, 9, {0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x7F}},
    {UINT64_MAX, 10, {0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 1}},
};

START_TEST(leb_known)
{
	frame_begin(&frame, FRAME_ENTRIES, 0);
	frame_leb(&frame, numbers[_i].value);
	ck_assert_uint_eq(frame.length - 2, numbers[_i].length);
	ck_assert_mem_eq(frame.content + 2, numbers[_i].bytes, numbers[_i].length);
	size_t at = 0;
	uint64_t value = 99;
	ck_assert_int_eq(frame_get_leb(numbers[_i].bytes, numbers[_i].length, &at, &value), 0);
	ck_assert_uint_eq(value, numbers[_i].value);
	ck_assert_uint_eq(at, numbers[_i].length);
	/* cut off before its end: an error, and the place is not moved */
	for (size_t end = 0; end < numbers[_i].length; end++) {
		at = 0;
		value = 99;
		ck_assert_int_eq(frame_get_leb(numbers[_i].bytes, end, &at, &value), -1);
		ck_assert_uint_eq(at, 0);
		ck_assert_uint_eq(value, 99);
	}
}
END_TEST

/* More than 64 bits. */
START_TEST(leb_too_long)
{
	uint8_t bytes[12];
	size_t at = 0;
	uint64_t value;
	memset(bytes, 0xFF, sizeof bytes);
	bytes[9] = 2; /* bit 64 */
	ck_assert_int_eq(frame_get_leb(bytes, sizeof bytes, &at, &value), -1);
	bytes[9] = 0x81; /* goes on */
	ck_assert_int_eq(frame_get_leb(bytes, sizeof bytes, &at, &value), -1);
	bytes[9] = 0x80;
	bytes[10] = 0;
	ck_assert_int_eq(frame_get_leb(bytes, sizeof bytes, &at, &value), -1);
	ck_assert_uint_eq(at, 0);
	/* superfluous zeros within 64 bits are read */
	static const uint8_t padded[] = {0x85, 0x80, 0x00, 0x07};
	ck_assert_int_eq(frame_get_leb(padded, sizeof padded, &at, &value), 0);
	ck_assert_uint_eq(value, 5);
	ck_assert_uint_eq(at, 3);
	ck_assert_int_eq(frame_get_leb(padded, sizeof padded, &at, &value), 0);
	ck_assert_uint_eq(value, 7);
	ck_assert_int_eq(frame_get_leb(padded, sizeof padded, &at, &value), -1);
}
END_TEST

START_TEST(leb_each_bit)
{
	for (unsigned bit = 0; bit < 64; bit++)
		for (int more = -1; more <= 1; more++) {
			uint64_t want = (UINT64_C(1) << bit) + (uint64_t)more, value;
			frame_begin(&frame, FRAME_ENTRIES, 0);
			frame_leb(&frame, want);
			size_t at = 2;
			ck_assert_int_eq(frame_get_leb(frame.content, frame.length, &at, &value), 0);
			ck_assert_uint_eq(value, want);
			ck_assert_uint_eq(at, frame.length);
		}
}
END_TEST

START_TEST(zigzag)
{
	static const struct {
		int64_t plain;
		uint64_t coded;
	} pairs[] = {{0, 0}, {-1, 1}, {1, 2}, {-2, 3}, {2, 4}, {INT64_MAX, UINT64_MAX - 1}, {INT64_MIN, UINT64_MAX}};
	for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
		ck_assert_uint_eq(frame_zigzag(pairs[i].plain), pairs[i].coded);
		ck_assert_int_eq(frame_unzigzag(pairs[i].coded), pairs[i].plain);
	}
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("frame");
	TCase *crc = tcase_create("crc"), *cobs = tcase_create("cobs"), *leb = tcase_create("leb");
	tcase_add_test(crc, crc_known);
	tcase_add_test(crc, crc_chained);
	tcase_add_test(crc, crc_definition);
	tcase_add_test(cobs, coded_by_hand);
	tcase_add_loop_test(cobs, round_trip, 0, 4);
	tcase_add_test(cobs, decode_in_place);
	tcase_add_test(cobs, broken_code);
	tcase_add_test(cobs, too_long_or_short);
	tcase_add_test(cobs, wrong_crc);
	tcase_add_loop_test(cobs, damaged, 0, 5);
	tcase_add_test(cobs, noise_is_no_frame);
	tcase_add_test(cobs, filled_up);
	tcase_add_loop_test(leb, leb_known, 0, (int)(sizeof numbers / sizeof *numbers));
	tcase_add_test(leb, leb_too_long);
	tcase_add_test(leb, leb_each_bit);
	tcase_add_test(leb, zigzag);
	tcase_set_timeout(cobs, 60);
	suite_add_tcase(suite, crc);
	suite_add_tcase(suite, cobs);
	suite_add_tcase(suite, leb);
	return suite_finish(suite);
}
