/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#ifndef RIVULET_CMD_EXPORT_ENCODER_H
#define RIVULET_CMD_EXPORT_ENCODER_H
/* rivulet export --format ntrace, etrace: a record file as the bytes of an encoder. */
#include <stdio.h>
#include "host/cmd/encoder_words.h"
#include "host/records/records.h"

/* STATUS_*: what was left out is told. */
int export_encoder(const struct encoder_setting *setting, const struct image *image, struct records *records,
    const char *name, FILE *out);
#endif
