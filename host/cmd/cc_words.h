/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#ifndef RIVULET_CMD_CC_WORDS_H
#define RIVULET_CMD_CC_WORDS_H
/* Words of a command line, the last one followed by NULL. Out of memory: that is told, and the process ends. */
#include <stdbool.h>
#include <stddef.h>

struct cc_words {
	char **items;
	size_t count, room;
};

void cc_push(struct cc_words *words, const char *text);
/* Frees the words. */
void cc_drop(struct cc_words *words);
bool cc_begins(const char *text, const char *with);
#endif
