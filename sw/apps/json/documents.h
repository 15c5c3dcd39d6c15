/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#ifndef DOCUMENTS_H
#define DOCUMENTS_H
/* The documents that are parsed. */
#include <stddef.h>

#include "app.h"

extern const char document_manifest[], document_places[];

/* A sensor gateway's report with the given number of readings; their sum in thousandths comes back in *sum. Returns the
 * length; the text fits in 220 + 150 * readings bytes. */
size_t document_report(char *text, size_t size, unsigned readings, struct app_random *random, int64_t *sum);
#endif
