/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#ifndef RIVULET_DEMANGLE_RUST_H
#define RIVULET_DEMANGLE_RUST_H
/*
 * The linker's names of Rust as the source has them. There are two manglings:
 *
 *   _ZN4prog5apply17h7a2bb7c1ef6f4d08E                  prog::apply                        the legacy one, with a hash
 *   _RINvCsf1hqVKPwN4b_4prog5applyNCNvB2_4main0EB2_     prog::apply::<prog::main::{closure#0}>    v0, RFC 2603
 *
 * What only tells crates and instances of the same name apart (hashes, disambiguators) is left out.
 */

#include <stdbool.h>
#include <stdio.h>

/* To be freed. NULL: no name of Rust, one with constants that are not stable yet, one of 64 KiB or more, or out of
 * memory. */
char *demangle_rust(const char *name);
/* What stands behind the "_R" of a name of v0. False: it is none. */
bool demangle_rust_v0(FILE *out, const char *name);
#endif
