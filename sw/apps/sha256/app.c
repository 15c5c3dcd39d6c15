/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* SHA-256 and what is built on it, against known digests. */
#include "checks.h"

static const struct image train = {1, 5, 256, "4cff21c4e9de4d363ac8736ff31ef53157fbb788cb92b2e3302712ec8fdf496a",
    "f39098d75a8a922173ea166a11d7106a62f416178d53925fe128c3d959fa60d1"};
static const struct image ref = {2001, 63, 1000, "fceb1828219c77a57486b74030b18e7cc7f7105abf89daaba029d0ec1873c4cf",
    "b142906ca2abab26231029e67bcf8e382b9d3a755a04be5eef0d4e39856b8d37"};

int app_main(int input)
{
	bool all = input == APP_REF;
	int failed = check_messages(all) + check_hmac() + check_pbkdf2(all);
	failed += check_image(all ? &ref : &train);
	if (all)
		failed += check_chain();
	return failed;
}
