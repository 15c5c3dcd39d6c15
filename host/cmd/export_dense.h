/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#ifndef RIVULET_CMD_EXPORT_DENSE_H
#define RIVULET_CMD_EXPORT_DENSE_H
/* rivulet export --format dense: a record file as the bytes of a dense coder (docs/trace-unit.md section 15), made by
 * the coder's golden model. */
#include <stdio.h>
#include "host/records/records.h"
#include "model/dense.h"

void export_dense_defaults(struct dense_config *config);
/* entries=N, places=N, check-bits=N, start-bits=N between commas. NULL, or the word that is wrong; the list is cut into
 * words. */
const char *export_dense_words(struct dense_config *config, char *list);
/* STATUS_*: what a dense stream cannot say is refused, and told. */
int export_dense(const struct dense_config *config, struct records *records, const char *name, FILE *out);
#endif
