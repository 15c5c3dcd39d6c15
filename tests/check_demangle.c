/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* host/base/demangle_rust: both manglings of Rust, and what only looks like one. */
#include <stdio.h>
#include <string.h>
#include "host/base/demangle.h"
#include "tests/suite.h"

/* As c++filt has them, without hashes. */
START_TEST(names_of_rust_are_demangled)
{
	static const char *const names[][2] = {
	    {"_ZN4prog5apply17h7a2bb7c1ef6f4d08E", "prog::apply"},
	    {"_ZN42_$LT$prog..Rect$u20$as$u20$prog..Shape$GT$4area17h49daa3c43bd1549cE",
		"<prog::Rect as prog::Shape>::area"},
	    {"_ZN4prog18Stack$LT$T$C$_$GT$4push17h567a8b2f1d1d91e0E.llvm.4711", "prog::Stack<T,_>::push"},
	    {"_ZN4core3ptr87_$LT$impl$u20$core..fmt..Debug$u20$for$u20$unsafe$u20$fn$LP$A$RP$$u20$.$GT$$u20$Ret$GT$"
	     "3fmt17h0767aa48bd01e178E",
		"core::ptr::<impl core::fmt::Debug for unsafe fn(A) .> Ret>::fmt"},
	    {"_RINvCsf1hqVKPwN4b_4prog5applyNCNvB2_4main0EB2_", "prog::apply::<prog::main::{closure#0}>"},
	    {"_RNvMs0_Csf1hqVKPwN4b_4progINtB5_5StackmKj40_E4pushB5_", "<prog::Stack<u32, 64>>::push"},
	    {"_RNvXs_Csf1hqVKPwN4b_4progNtB4_4RectNtB4_5Shape4area", "<prog::Rect as prog::Shape>::area"},
	    {"_RNvC1a1b.llvm.77", "a::b"},
	    {"_RINvC1a1bAhj10_E", "a::b::<[u8; 16]>"},
	    {"_RINvC1a1bSbTlETzcEQeE", "a::b::<[bool], (i32,), (!, char), &mut str>"},
	    {"_RINvC1a1bOuPFUKCdEmE", "a::b::<*mut (), *const unsafe extern \"C\" fn(f64) -> u32>"},
	    {"_RINvC1a1bKln2a_Kb1_Kc41_KpE", "a::b::<-42, true, 'A', _>"},
	    {"_RINvC1a1bDNtC1c1dp1eNtC1c1fEL_E", "a::b::<dyn c::d<e = c::f>>"},
	    {"_RINvC1a1bFG_RL0_aEuE", "a::b::<for<'a> fn(&'a i8)>"},
	    /* no names, though they begin so: back references to themselves and forward, no end, too deep */
	    {"_RYB_B_", NULL},
	    {"_RINvC1a1bB9_E", NULL},
	    {"_RINvC1a1bm", NULL},
	    {"_RNvC9a1b", NULL},
	    {"_RKK", NULL},
	    {"_RaiseException", NULL},
	    {"_ZN4prog99apply17h7a2bb7c1ef6f4d08E", NULL},
	};
	char deep[1024] = "_RINvC1a1b";
	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		ck_assert_str_eq(demangle(names[i][0]), names[i][1] == NULL ? names[i][0] : names[i][1]);
	memset(deep + strlen(deep), 'S', 900);
	ck_assert_str_eq(demangle(deep), deep);
	ck_assert(demangle_means("prog::apply", "_RINvCsf1hqVKPwN4b_4prog5applyNCNvB2_4main0EB2_"));
	ck_assert(!demangle_means("prog::app", "_RINvCsf1hqVKPwN4b_4prog5applyNCNvB2_4main0EB2_"));
	ck_assert(demangle_means("prog::apply", "_ZN4prog5apply17h7a2bb7c1ef6f4d08E"));
}
END_TEST

/* A name whose constants go back to one another: "Kp", "KB" and the place of that p, "KB" and the place of that B. */
static void name_of_chain(char *name, unsigned links)
{
	static const char digits[] = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
	size_t at = (size_t)sprintf(name, "_RINvC1a1bKp"), place = at - 3;
	while (--links > 0) {
		const size_t next = at - 1, number = place - 1;
		name[at++] = 'K';
		name[at++] = 'B';
		if (number >= 62)
			name[at++] = digits[number / 62];
		name[at++] = digits[number % 62];
		name[at++] = '_';
		place = next;
	}
	strcpy(name + at, "E");
}

/* What a hostile file may have: more of these than the stack holds, names of any length. */
START_TEST(names_of_rust_that_are_too_much)
{
	enum { LONG = 100000 };
	static char name[LONG + 64];
	name_of_chain(name, 4);
	ck_assert_str_eq(demangle(name), "a::b::<_, _, _, _>");
	name_of_chain(name, 100);
	ck_assert_str_ne(demangle(name), name);
	name_of_chain(name, 200);
	ck_assert_str_eq(demangle(name), name);
	for (size_t length = 50000; length <= LONG; length += LONG - 50000) {
		const size_t at = (size_t)sprintf(name, "_ZN%zu", length);
		memset(name + at, 'a', length);
		strcpy(name + at + length, "17h7a2bb7c1ef6f4d08E");
		ck_assert_uint_eq(strlen(demangle(name)), length < LONG ? length : strlen(name));
	}
}
END_TEST

int main(void)
{
	const struct suite_case cases[] = {
	    {"rust", names_of_rust_are_demangled, 0}, {"rust", names_of_rust_that_are_too_much, 0}};
	return SUITE_RUN("demangle", cases, NULL, NULL);
}
