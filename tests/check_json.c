/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#include "host/base/json.h"
#include "tests/suite.h"

#include <check.h>
#include <math.h>
#include <stdlib.h>

START_TEST(json_strings)
{
	static const struct {
		const char *text, *json;
	} cases[] = {{"plain", "\"plain\""}, {"a\"b\\c", "\"a\\\"b\\\\c\""}, {"\n\t\x01", "\"\\n\\t\\u0001\""},
	    {"\xC3\xA4", "\"\xC3\xA4\""}, {"\xC3", "\"\xEF\xBF\xBD\""},
	    {"\xED\xA0\x80", "\"\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD\""}, {"\xF0\x9F\x8C\x8A", "\"\xF0\x9F\x8C\x8A\""},
	    {"\xC0\xAF", "\"\xEF\xBF\xBD\xEF\xBF\xBD\""}, {"\x7F", "\"\x7F\""}, {NULL, "null"}};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		char *text = NULL;
		size_t size;
		FILE *out = open_memstream(&text, &size);
		ck_assert_ptr_nonnull(out);
		ck_assert(json_quoted(cases[i].text, out));
		fclose(out);
		ck_assert_str_eq(text, cases[i].json);
		free(text);
	}
}
END_TEST

static FILE *out;
static char *text;
static size_t size;

static void begin(void)
{
	out = open_memstream(&text, &size);
	ck_assert_ptr_nonnull(out);
}

static void is(const char *expected)
{
	fclose(out);
	ck_assert_str_eq(text, expected);
	free(text);
}

static void write_all(struct json *j)
{
	json_text(j, "text", "a, \"b\": [c]");
	json_number(j, "number", UINT64_MAX);
	json_signed(j, "signed", INT64_MIN);
	json_line(j, "reals");
	json_real(j, "ninth", 1.0 / 9);
	json_real(j, "none", NAN);
	json_fixed(j, "half", 0.5, 3);
	json_fixed(j, "endless", INFINITY, 3);
	json_milli(j, "milli", 1002);
	json_object_end(j);
	json_array(j, "rows");
	json_row(j, NULL);
	json_bool(j, NULL, true);
	json_null(j, NULL);
	json_object(j, NULL);
	json_object_end(j);
	json_array_end(j);
	json_object(j, NULL);
	json_hex(j, "hex", 31, 8);
	json_array(j, "empty");
	json_array_end(j);
	json_object_end(j);
	json_array_end(j);
}

START_TEST(a_document)
{
	struct json j;
	begin();
	json_open(&j, out);
	write_all(&j);
	ck_assert(json_close(&j));
	is("{\n"
	   "  \"text\": \"a, \\\"b\\\": [c]\",\n"
	   "  \"number\": 18446744073709551615,\n"
	   "  \"signed\": -9223372036854775808,\n"
	   "  \"reals\": {\"ninth\": 0.111111111, \"none\": null, \"half\": 0.500, \"endless\": null, \"milli\": "
	   "1.002},\n"
	   "  \"rows\": [\n"
	   "    [true, null, {}],\n"
	   "    {\n"
	   "      \"hex\": \"0x0000001f\",\n"
	   "      \"empty\": []\n"
	   "    }\n"
	   "  ]\n"
	   "}\n");
}
END_TEST

START_TEST(without_spaces)
{
	struct json j;
	begin();
	json_open_compact(&j, out);
	write_all(&j);
	ck_assert(json_close(&j));
	is("{\n\"text\":\"a, \\\"b\\\": [c]\",\n\"number\":18446744073709551615,\n\"signed\":-9223372036854775808,\n"
	   "\"reals\":{\"ninth\":0.111111111,\"none\":null,\"half\":0.500,\"endless\":null,\"milli\":1.002},\n"
	   "\"rows\":[\n[true,null,{}],\n{\n\"hex\":\"0x0000001f\",\n\"empty\":[]\n}\n]\n}\n");
}
END_TEST

START_TEST(on_one_line)
{
	struct json j;
	begin();
	json_open_line(&j, out);
	json_array(&j, "a");
	json_number(&j, NULL, 1);
	json_number(&j, NULL, 2);
	json_array_end(&j);
	json_object(&j, "b");
	json_object_end(&j);
	ck_assert(json_close(&j));
	is("{\"a\": [1, 2], \"b\": {}}\n");
}
END_TEST

/* A writer's mistake is told by json_close(), not written. */
START_TEST(mistakes)
{
	for (int mistake = 0; mistake < 5; mistake++) {
		struct json j;
		begin();
		json_open(&j, out);
		if (mistake == 0)
			json_array(&j, "not ended");
		else if (mistake == 1)
			json_number(&j, NULL, 1); /* a member without a name */
		else if (mistake == 2) {
			json_array(&j, "rows");
			json_object_end(&j); /* the other end */
		} else if (mistake == 3) {
			json_object_end(&j);
			json_object_end(&j);
		} else
			for (int depth = 0; depth < JSON_DEPTH; depth++)
				json_object(&j, "deeper");
		ck_assert_msg(!json_close(&j), "mistake %d", mistake);
		fclose(out);
		free(text);
	}
}
END_TEST

START_TEST(as_deep_as_allowed)
{
	struct json j;
	begin();
	json_open(&j, out);
	for (int depth = 1; depth < JSON_DEPTH; depth++)
		json_line(&j, "a");
	for (int depth = 1; depth < JSON_DEPTH; depth++)
		json_object_end(&j);
	ck_assert(json_close(&j));
	fclose(out);
	free(text);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("json");
	TCase *tc = tcase_create("json");
	tcase_add_test(tc, json_strings);
	tcase_add_test(tc, a_document);
	tcase_add_test(tc, without_spaces);
	tcase_add_test(tc, on_one_line);
	tcase_add_test(tc, mistakes);
	tcase_add_test(tc, as_deep_as_allowed);
	suite_add_tcase(suite, tc);
	return suite_finish(suite);
}
