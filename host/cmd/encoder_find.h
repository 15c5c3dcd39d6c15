/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#ifndef RIVULET_CMD_ENCODER_FIND_H
#define RIVULET_CMD_ENCODER_FIND_H
/*
 * How an encoder was set, found in its bytes: the beginning of the stream is decoded with rows of the table of chips
 * and with the usual settings of both standards. The one with which most instructions follow, and least is damaged, is
 * taken; where several are equal, the simplest.
 */
#include "host/cmd/encoder_words.h"

#define ENCODER_FIND_BYTES (256u << 10) /* so much of a stream is enough */
#define ENCODER_FIND_WORDS 160

struct encoder_found {
	struct encoder_setting setting;
	char words[ENCODER_FIND_WORDS]; /* as the options would say it */
	uint64_t instructions, messages, damaged;
};
/* False: out of memory. No instruction: nothing fits. */
bool encoder_find(struct encoder_found *found, const struct image *image, const uint8_t *bytes, size_t size);
/* The same for a command: prints what was found, or tells why nothing was. STATUS_OK, STATUS_FAILED. */
struct encoder_sample {
	const char *log, *program; /* names */
	const uint8_t *bytes;
	size_t size;
};
int encoder_find_told(struct encoder_setting *setting, const struct image *image, const struct encoder_sample *sample);
/* Whether so little is damaged that the setting is the right one. */
bool encoder_fits(const struct encoder_found *found);
#endif
