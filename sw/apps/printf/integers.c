/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "roundtrip.h"

#define BUFFER 40

/* Uniform in the number of bits, so that short numbers are as frequent as long ones. */
static uint64_t any_width(unsigned bits, struct app_random *random)
{
	uint64_t value = (uint64_t)app_random(random) << 32 | app_random(random);
	return value >> (63 - app_random_below(random, bits));
}

static bool word_survives(int32_t value, unsigned form)
{
	char text[BUFFER], *end;
	int length;
	int32_t back;
	switch (form) {
	case 0:
		length = snprintf(text, sizeof text, "%" PRId32, value);
		back = (int32_t)strtol(text, &end, 10);
		break;
	case 1:
		length = snprintf(text, sizeof text, "%+012" PRId32, value);
		back = (int32_t)strtol(text, &end, 10);
		break;
	case 2:
		length = snprintf(text, sizeof text, "%#" PRIx32, (uint32_t)value);
		back = (int32_t)strtoul(text, &end, 0);
		break;
	case 3:
		length = snprintf(text, sizeof text, "%08" PRIX32, (uint32_t)value);
		back = (int32_t)strtoul(text, &end, 16);
		break;
	case 4:
		length = snprintf(text, sizeof text, "%#" PRIo32, (uint32_t)value);
		back = (int32_t)strtoul(text, &end, 0);
		break;
	default:
		length = snprintf(text, sizeof text, "%20" PRIu32, (uint32_t)value);
		back = (int32_t)strtoul(text, &end, 10);
		break;
	}
	return back == value && end == text + length && *end == '\0';
}

static bool double_word_survives(int64_t value, unsigned form)
{
	char text[BUFFER], *end;
	int length;
	int64_t back;
	switch (form) {
	case 0:
		length = snprintf(text, sizeof text, "%" PRId64, value);
		back = strtoll(text, &end, 10);
		break;
	case 1:
		length = snprintf(text, sizeof text, "%016" PRIx64, (uint64_t)value);
		back = (int64_t)strtoull(text, &end, 16);
		break;
	default:
		length = snprintf(text, sizeof text, "%" PRIu64, (uint64_t)value);
		back = (int64_t)strtoull(text, &end, 10);
		break;
	}
	return back == value && end == text + length && *end == '\0';
}

int check_integers(unsigned count, struct app_random *random)
{
	uint32_t words_lost = 0, double_words_lost = 0;
	for (unsigned i = 0; i < count; i++) {
		int32_t word = (int32_t)any_width(32, random);
		words_lost += !word_survives(i & 1 ? -word : word, i % 6);
		int64_t double_word = (int64_t)any_width(63, random);
		double_words_lost += !double_word_survives(i & 1 ? -double_word : double_word, i % 3);
	}
	return app_check("32-bit integers changed", words_lost, 0) +
	       app_check("64-bit integers changed", double_words_lost, 0);
}
