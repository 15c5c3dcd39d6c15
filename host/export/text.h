/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#ifndef RIVULET_EXPORT_TEXT_H
#define RIVULET_EXPORT_TEXT_H
/* A string in JSON: quoted, escaped; bytes that are no UTF-8 become U+FFFD. NULL is written as null. */
#include <stdio.h>
void text_json(FILE *out, const char *text);
#endif
