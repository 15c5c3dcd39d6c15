/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* Each error has a sentence of its own; numbers that are no error have another one. Damage too. */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "host/account/account.h"
#include "host/export/export.h"
#include "host/export/gather_feed.h"
#include "host/image/image.h"
#include "host/paths/numbering.h"
#include "host/profile/stream.h"
#include "host/records/capture.h"
#include "host/records/records.h"
#include "host/walk/follow.h"
#include "host/walk/walk.h"
#include "tests/suite.h"

#define FROM_RECORDS (-100) /* of host/export/gather_feed.c: what it adds to errors of records.h */

static const struct {
	const char *name;
	const char *(*text)(int error);
	int first, last; /* errors, without a gap */
} kinds[] = {{"account", account_strerror, ACCOUNT_EOVERFLOW, ACCOUNT_OK},
    {"export", export_strerror, EXPORT_ESYMBOL, EXPORT_OK}, {"gather", gather_strerror, GATHER_EOVERFLOW, GATHER_OK},
    {"image", image_strerror, IMAGE_ERANGE, IMAGE_OK}, {"profile", profile_strerror, PROFILE_EOVERFLOW, PROFILE_OK},
    {"numbering", numbering_strerror, NUMBERING_ESIZE, NUMBERING_OK},
    {"capture", capture_strerror, CAPTURE_EWRITE, CAPTURE_OK},
    {"records", records_strerror, RECORDS_ECODING, RECORDS_OK}, {"follow", follow_strerror, FOLLOW_ENOMEM, FOLLOW_OK},
    {"walk", walk_strerror, WALK_EWRITTEN, WALK_UNKNOWN_END}};

START_TEST(sentences)
{
	const char *(*text)(int) = kinds[_i].text;
	const char *unknown = text(kinds[_i].first - 1);
	ck_assert_str_eq(unknown, "unknown error");
	ck_assert_str_eq(text(kinds[_i].last + 1), unknown);
	for (int a = kinds[_i].first; a <= kinds[_i].last; a++) {
		ck_assert_msg(strlen(text(a)) > 3 && strcmp(text(a), unknown) != 0, "%s error %d: %s", kinds[_i].name,
		    a, text(a));
		ck_assert_msg(
		    strchr(text(a), '\n') == NULL && strchr(text(a), '%') == NULL, "%s: %s", kinds[_i].name, text(a));
		for (int b = kinds[_i].first; b < a; b++)
			ck_assert_msg(
			    strcmp(text(a), text(b)) != 0, "%s: %d and %d: %s", kinds[_i].name, a, b, text(a));
	}
}
END_TEST

START_TEST(feed_has_errors_of_both)
{
	ck_assert_str_eq(gather_feed_strerror(GATHER_EOVERFLOW), gather_strerror(GATHER_EOVERFLOW));
	ck_assert_str_eq(gather_feed_strerror(FROM_RECORDS + RECORDS_EFORMAT), records_strerror(RECORDS_EFORMAT));
}
END_TEST

START_TEST(damage_of_records)
{
	char before[256] = "", text[256];
	for (unsigned kind = 0; kind < RECORDS_TOO_MANY + 1; kind++) {
		const struct records_damage damage = {
		    .kind = kind, .offset = 4711, .size = 12, .record = 3, .count = 5, .cycle = 9};
		int n = records_damage_describe(&damage, text, sizeof text);
		ck_assert_int_eq(n, (int)strlen(text));
		ck_assert_str_ne(text, "unknown damage");
		ck_assert_str_ne(text, before);
		strcpy(before, text);
	}
	const struct records_damage none = {.kind = RECORDS_TOO_MANY + 1};
	records_damage_describe(&none, text, sizeof text);
	ck_assert_str_eq(text, "unknown damage");
}
END_TEST

START_TEST(damage_of_profiles)
{
	char before[256] = "", text[256];
	for (unsigned kind = 0; kind < DAMAGE_HART_NONE + 1; kind++) {
		const struct damage damage = {.kind = kind, .offset = 4711, .size = 12, .value = 5};
		int n = damage_describe(&damage, text, sizeof text);
		ck_assert_int_eq(n, (int)strlen(text));
		ck_assert_str_ne(text, "unknown damage");
		ck_assert_str_ne(text, before);
		strcpy(before, text);
	}
	const struct damage none = {.kind = DAMAGE_HART_NONE + 1};
	damage_describe(&none, text, sizeof text);
	ck_assert_str_eq(text, "unknown damage");
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("errors");
	TCase *tcase = tcase_create("sentences");
	tcase_add_loop_test(tcase, sentences, 0, (int)(sizeof kinds / sizeof *kinds));
	tcase_add_test(tcase, feed_has_errors_of_both);
	tcase_add_test(tcase, damage_of_records);
	tcase_add_test(tcase, damage_of_profiles);
	suite_add_tcase(suite, tcase);
	return suite_finish(suite);
}
