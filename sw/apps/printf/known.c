/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#include <float.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "roundtrip.h"

#define BUFFER 64

/* Prints with the given arguments and compares text and length. The format stays visible to the compiler's own
 * check. */
#define EXPECT(text, ...)                                                                                              \
	do {                                                                                                           \
		char buffer[BUFFER];                                                                                   \
		int length = snprintf(buffer, sizeof buffer, __VA_ARGS__);                                             \
		failed += app_check("length of " text, (uint32_t)length, sizeof text - 1);                             \
		failed += app_check("text " text, (uint32_t)strcmp(buffer, text), 0);                                  \
	} while (0)

static int check_integer_formats(void)
{
	int failed = 0;
	EXPECT("0", "%d", 0);
	EXPECT("-2147483648", "%d", -2147483647 - 1);
	EXPECT("18446744073709551615", "%llu", 0xFFFFFFFFFFFFFFFFull);
	EXPECT("[   42]", "[%5d]", 42);
	EXPECT("[42   ]", "[%-5d]", 42);
	EXPECT("[00042]", "[%05d]", 42);
	EXPECT("[  +42]", "[%+5d]", 42);
	EXPECT("[ 042 ]", "[%4.3d ]", 42);
	EXPECT("0xdeadbeef", "%#lx", 0xDEADBEEFul);
	EXPECT("0xC0DE 0777", "0x%X %#o", 0xC0DEu, 0777u);
	EXPECT("-1 255 -32768", "%hhd %hhu %hd", (signed char)-1, (unsigned char)255, (short)-32768);
	return failed;
}

static int check_text_formats(void)
{
	int failed = 0;
	EXPECT("river", "%s", "river");
	EXPECT("[     river]", "[%10s]", "river");
	EXPECT("[riv  ]", "[%-5.3s]", "river");
	EXPECT("r 100%", "%c %d%%", 'r', 100);
	EXPECT("[    3.14]", "[%*.*f]", 8, 2, 3.14159);

	/* Characters that do not fit are counted, and the string is terminated all the same. */
	char small[6];
	volatile size_t room = sizeof small; /* out of sight of the compiler, which would object */
	failed += app_check("length of a cut string", (uint32_t)snprintf(small, room, "%s-%d", "rivulet", 7), 9);
	failed += app_check("cut string", (uint32_t)strcmp(small, "rivul"), 0);
	return failed;
}

static int check_float_formats(void)
{
	int failed = 0;
	EXPECT("0.000000", "%f", 0.0);
	EXPECT("3.14", "%.2f", 3.14159);
	EXPECT("-0.5", "%g", -0.5);
	EXPECT("1e+10", "%g", 1e10);
	EXPECT("100000", "%g", 1e5);
	EXPECT("1.5e-07", "%g", 1.5e-7);
	EXPECT("6.02214e+23", "%.5e", 6.02214076e23);
	EXPECT("1.7976931348623157e+308", "%.17g", DBL_MAX);
	EXPECT("2.2250738585072014e-308", "%.17g", DBL_MIN);
	EXPECT("inf -inf", "%f %f", (double)__builtin_inf(), -(double)__builtin_inf());
	return failed;
}

static int check_scanning(void)
{
	static const struct {
		const char *text;
		int base;
		long value;
		unsigned used;
	} integers[] = {
	    {"  -17;", 10, -17, 5},
	    {"0x7fff", 0, 0x7FFF, 6},
	    {"0755 ", 0, 0755, 4},
	    {"zz", 36, 35 * 36 + 35, 2},
	    {"+1011021", 2, 22, 6},
	    {"none", 10, 0, 0},
	    {"2147483647", 10, 2147483647, 10},
	};
	static const struct {
		const char *text;
		double value;
		unsigned used;
	} reals[] = {
	    {"1.25", 1.25, 4},
	    {"-0.0625e2 ", -6.25, 9},
	    {"1e", 1, 1},
	    {".5.5", 0.5, 2},
	    {"e5", 0, 0},
	    {"9007199254740993", 9007199254740992.0, 16},
	    {"4.9406564584124654e-324", 4.9406564584124654e-324, 23},
	    {"1e-400", 0, 6},
	    {"  +12.5e+1x", 125, 10},
	    {"0.1000000000000000055511151231257827", 0.1, 36},
	};
	int failed = 0;
	char *end;
	for (unsigned i = 0; i < sizeof integers / sizeof integers[0]; i++) {
		long value = strtol(integers[i].text, &end, integers[i].base);
		failed += app_check(integers[i].text, (uint32_t)value, (uint32_t)integers[i].value);
		failed += app_check("characters used by strtol", (uint32_t)(end - integers[i].text), integers[i].used);
	}
	for (unsigned i = 0; i < sizeof reals / sizeof reals[0]; i++) {
		double value = strtod(reals[i].text, &end);
		failed += app_check(reals[i].text, memcmp(&value, &reals[i].value, sizeof value) != 0, 0);
		failed += app_check("characters used by strtod", (uint32_t)(end - reals[i].text), reals[i].used);
	}
	return failed;
}

int check_known(void)
{
	return check_integer_formats() + check_text_formats() + check_float_formats() + check_scanning();
}
