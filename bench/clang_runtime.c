/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/*
 * What programs of clang -fprofile-instr-generate ask for where there is no runtime: bare metal. Nothing is written, so
 * that bench/insert measures the counting alone.
 */
#include <stdint.h>

int __llvm_profile_runtime;
void __llvm_profile_register_function(void *data);
void __llvm_profile_register_names_function(void *names, uint64_t size);

void __llvm_profile_register_function(void *data)
{
	(void)data;
}

void __llvm_profile_register_names_function(void *names, uint64_t size)
{
	(void)names;
	(void)size;
}
