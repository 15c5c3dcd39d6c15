/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#ifndef TEXT_H
#define TEXT_H
/* Bytes to compress, of several kinds. */
#include "sw/run/app.h"
#include <stddef.h>

enum text_kind {
	TEXT_PROSE,     /* words, the common ones often */
	TEXT_TABLE,     /* lines of numbers */
	TEXT_SAMPLES,   /* differences of a signal: small numbers of either sign */
	TEXT_GEOMETRIC, /* each symbol half as frequent as the one before: long words */
	TEXT_NOISE,     /* every byte as likely as any other */
	TEXT_CONSTANT   /* one symbol only */
};

/* n bytes. */
void text_make(uint8_t *text, size_t n, enum text_kind kind, struct app_random *random);
#endif
