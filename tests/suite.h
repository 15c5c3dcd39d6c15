/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#ifndef RIVULET_TESTS_SUITE_H
#define RIVULET_TESTS_SUITE_H
/* How a suite of Check is run, and suites from a table, whose main() is one call. */
#include <check.h>
#include <stddef.h>
#include <stdlib.h>

/* Check notes the place of each assertion that holds in a file, for tests that crash: that was half the time of tests
 * with millions of them. Here only those that fail are noted. */
#undef ck_assert_msg
#define ck_assert_msg(expr, ...)                                                                                       \
	((expr) ? (void)0 : _ck_assert_failed(__FILE__, __LINE__, "Assertion '" #expr "' failed", ##__VA_ARGS__))

/* Runs the suite and frees it; CK_VERBOSITY and so on hold. Returns the exit status. */
static inline int suite_finish(Suite *suite)
{
	SRunner *runner = srunner_create(suite);
	srunner_run_all(runner, CK_ENV);
	int failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}

struct suite_case {
	const char *name; /* of the group, as a failure shows it */
	const TTest *test;
	int end; /* the test runs for _i from 0 to end - 1; 0: once */
};

/* before and after are called around each test; NULL: there is none. Returns the exit status. */
static inline int suite_run(
    const char *name, const struct suite_case *cases, size_t cases_count, void (*before)(void), void (*after)(void))
{
	Suite *suite = suite_create(name);
	for (size_t i = 0; i < cases_count; i++) {
		TCase *tcase = tcase_create(cases[i].name);
		tcase_set_timeout(tcase, 120);
		tcase_add_checked_fixture(tcase, before, after);
		tcase_add_loop_test(tcase, cases[i].test, 0, cases[i].end ? cases[i].end : 1);
		suite_add_tcase(suite, tcase);
	}
	return suite_finish(suite);
}
#define SUITE_RUN(name, cases, before, after) suite_run(name, cases, sizeof(cases) / sizeof *(cases), before, after)
#endif
