/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#ifndef RIVULET_MCDC_TEXT_H
#define RIVULET_MCDC_TEXT_H
/* Words and numbers of a condition's text. */
#include "host/image/image.h"
#include "host/mcdc/mapping.h"

#define TEXT_MAX 512

/* The text of a span; false: the source cannot be read, or the text is longer. */
bool text_of_span(struct image *image, const char *file, const struct mcdc_span *span, char text[TEXT_MAX]);
bool text_has_word(const char *text, const char *word);
/* Whether the text may name a constant: it has a number that is at most 1 away, or no number, or a name in capitals. */
bool text_may_have(const char *text, int64_t constant);
#endif
