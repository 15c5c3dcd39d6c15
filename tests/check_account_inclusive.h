/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* Inclusive numbers from counted calls (host/account/inclusive.h), on a graph that a person can add up:
 *
 *   main ──► work 10 ──► copy 30      copy has 40 calls: 30 of work, 10 of main
 *     │ └──► copy 10                  even and odd call each other, main calls even 2 times
 *     └────► even 2 ◄──► odd          again calls itself; `odd one' is called by a register, 5 times
 */
#include "host/account/inclusive.h"

enum { MAIN, WORK, COPY, EVEN, ODD, AGAIN, LONE, FUNCTIONS };

static struct account_call counted_call(uint32_t from, uint32_t to, uint64_t count)
{
	return (struct account_call){.function = from, .callee_row = to, .count = count};
}

START_TEST(inclusive_of_counted_calls)
{
	static const uint64_t self[FUNCTIONS] = {100, 1000, 400, 60, 40, 7000, 55},
			      begun[FUNCTIONS] = {1, 10, 40, 52, 50, 301, 5},
			      inclusive[FUNCTIONS] = {100 + 1300 + 100 + 100 + 7000, 1300, 400, 100, 100, 7000, 55};
	struct account_function functions[FUNCTIONS] = {0};
	struct account_call calls[] = {counted_call(MAIN, WORK, 10), counted_call(MAIN, COPY, 10),
	    counted_call(MAIN, EVEN, 2), counted_call(WORK, COPY, 30), counted_call(EVEN, ODD, 50),
	    counted_call(ODD, EVEN, 50), counted_call(MAIN, AGAIN, 1), counted_call(AGAIN, AGAIN, 300),
	    counted_call(WORK, ACCOUNT_NONE, 5)};
	struct account account = {.functions = functions,
	    .function_count = FUNCTIONS,
	    .calls = calls,
	    .call_count = sizeof calls / sizeof calls[0]};
	for (int i = 0; i < FUNCTIONS; i++) {
		functions[i].self.insns = self[i];
		functions[i].self.cycles = 2 * self[i];
		functions[i].begun = begun[i];
	}
	ck_assert_int_eq(account_count_inclusive(&account), ACCOUNT_OK);
	for (int i = 0; i < FUNCTIONS; i++) {
		ck_assert_msg(functions[i].inclusive_insns == inclusive[i], "function %d: %llu, expected %llu", i,
		    (unsigned long long)functions[i].inclusive_insns, (unsigned long long)inclusive[i]);
		ck_assert_uint_eq(functions[i].inclusive_cycles, 2 * inclusive[i]);
	}
	ck_assert(account.counted_calls);
	ck_assert_uint_eq(calls[0].insns, 1300);
	ck_assert_uint_eq(calls[1].insns, 100);
	ck_assert_uint_eq(calls[3].insns, 300);
	ck_assert_uint_eq(calls[4].insns, 0); /* within those that call each other */
	ck_assert_uint_eq(calls[8].insns, 0);
}
END_TEST

static TCase *inclusive_case(void)
{
	TCase *inclusive = tcase_create("inclusive");
	tcase_add_test(inclusive, inclusive_of_counted_calls);
	return inclusive;
}
