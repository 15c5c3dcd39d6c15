/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#ifndef RIVULET_CMD_ENCODER_WORDS_H
#define RIVULET_CMD_ENCODER_WORDS_H
/* --encoder=LIST: how an N-Trace encoder was set, words between commas. */
#include "host/ntrace/decoder.h"

/* What --help says of them. */
extern const char encoder_words_help[];
/* NULL, or the word that is wrong; the list is cut into words. */
const char *encoder_words(char *list, struct ntrace_options *options);
#endif
