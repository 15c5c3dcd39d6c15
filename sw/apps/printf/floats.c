/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "roundtrip.h"

#define BUFFER 48

/* Any finite double: random bits, with an exponent below that of infinity. Subnormal numbers come with exponent 0. */
static double any_double(struct app_random *random)
{
	uint64_t exponent = app_random_below(random, 0x7FF);
	uint64_t bits = exponent << 52 | (uint64_t)(app_random(random) & 0x800FFFFFu) << 32 | app_random(random);
	double value;
	memcpy(&value, &bits, sizeof value);
	return value;
}

static float any_float(struct app_random *random)
{
	uint32_t bits = app_random_below(random, 0xFF) << 23 | (app_random(random) & 0x807FFFFFu);
	float value;
	memcpy(&value, &bits, sizeof value);
	return value;
}

/* A measured value as programs mostly meet them: a few digits, magnitudes from 1e-6 to 1e6. */
static double everyday(struct app_random *random)
{
	static const double scale[] = {1e-6, 1e-4, 1e-3, 0.01, 0.1, 1, 10, 1000};
	return (double)((int32_t)app_random_below(random, 2000000) - 1000000) * scale[app_random_below(random, 8)];
}

static bool double_survives(double value, const char *format)
{
	char text[BUFFER], *end;
	int length = snprintf(text, sizeof text, format, value);
	double back = strtod(text, &end);
	return memcmp(&back, &value, sizeof back) == 0 && end == text + length;
}

static bool float_survives(float value)
{
	char text[BUFFER], *end;
	int length = snprintf(text, sizeof text, "%.9g", (double)value);
	float back = strtof(text, &end);
	return memcmp(&back, &value, sizeof back) == 0 && end == text + length;
}

int check_shortest_enough(unsigned count, struct app_random *random)
{
	uint32_t doubles_lost = 0, floats_lost = 0;
	for (unsigned i = 0; i < count; i++) {
		doubles_lost += !double_survives(any_double(random), i & 1 ? "%.17g" : "%.16e");
		doubles_lost += !double_survives(everyday(random), "%.17g");
		floats_lost += !float_survives(any_float(random));
	}
	return app_check("doubles changed", doubles_lost, 0) + app_check("floats changed", floats_lost, 0);
}

/* Writes thousandths as a decimal fraction, by division of integers. */
static void write_thousandths(char *to, int32_t thousandths)
{
	char digits[12];
	int n = 0;
	uint32_t rest = (uint32_t)(thousandths < 0 ? -thousandths : thousandths);
	if (thousandths < 0)
		*to++ = '-';
	for (; rest != 0 || n < 4; rest /= 10)
		digits[n++] = (char)('0' + rest % 10);
	while (n > 0) {
		if (n == 3)
			*to++ = '.';
		*to++ = digits[--n];
	}
	*to = '\0';
}

int check_decimals(unsigned count, struct app_random *random)
{
	uint32_t texts_wrong = 0, values_wrong = 0;
	for (unsigned i = 0; i < count; i++) {
		int32_t thousandths = (int32_t)app_random(random) >> app_random_below(random, 31);
		/* The nearest double to a number of so few digits prints back as these digits. */
		char expected[BUFFER], text[BUFFER];
		write_thousandths(expected, thousandths);
		snprintf(text, sizeof text, "%.3f", thousandths / 1000.0);
		texts_wrong += strcmp(text, expected) != 0;
		double back = strtod(expected, NULL) * 1000.0;
		values_wrong += (int32_t)(back + (back < 0 ? -0.5 : 0.5)) != thousandths;
	}
	return app_check("decimal texts wrong", texts_wrong, 0) + app_check("decimal values wrong", values_wrong, 0);
}
