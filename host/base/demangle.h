/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#ifndef RIVULET_DEMANGLE_H
#define RIVULET_DEMANGLE_H
/* The linker's names of C++ (Itanium C++ ABI, 5.1; by the C++ library) and Rust (demangle_rust.h) as the source has
 * them. */
#include <stdbool.h>

/* "_ZN5shape4areaEi" as "shape::area(int)"; any other name as it is, NULL too. The text is valid until 16 more names of
 * C++ or Rust have been asked for. Not for several threads. */
const char *demangle(const char *name);
/* Whether a user means this name by `wanted`: as the linker has it, as the source has it, or that without
 * parameters and arguments of generics. */
bool demangle_means(const char *wanted, const char *name);
#endif
