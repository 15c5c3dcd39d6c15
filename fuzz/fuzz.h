/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#ifndef RIVULET_FUZZ_H
#define RIVULET_FUZZ_H
/*
 * What the fuzz targets share. A target is one file with LLVMFuzzerTestOneInput(); libFuzzer gives it bytes, the
 * sanitizers and must() say what is wrong. Bytes that steer the target come first, the data to be parsed last.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);
int LLVMFuzzerInitialize(int *argc, char ***argv);

/* An invariant; a violation is a finding like a crash. */
#define must(condition) ((condition) ? (void)0 : fuzz_fail(#condition, __FILE__, __LINE__))
static inline void fuzz_fail(const char *condition, const char *file, int line)
{
	fprintf(stderr, "%s:%d: violated: %s\n", file, line, condition);
	abort();
}

/* The input, as far as it has not been used yet. Past its end everything is 0. */
struct input {
	const uint8_t *at;
	size_t left;
};
static inline uint64_t take(struct input *input, unsigned bytes)
{
	uint64_t value = 0;
	for (unsigned i = 0; i < bytes && input->left > 0; i++, input->at++, input->left--)
		value |= (uint64_t)*input->at << (8 * i);
	return value;
}

/* Reads every byte, so that one outside its object is found. */
static inline void touch(const void *bytes, size_t size)
{
	volatile uint8_t sum = 0;
	for (size_t i = 0; i < size; i++)
		sum = (uint8_t)(sum + ((const uint8_t *)bytes)[i]);
}
static inline void touch_text(const char *text)
{
	if (text != NULL)
		touch(text, strlen(text) + 1);
}
#endif
