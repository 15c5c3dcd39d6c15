/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* rivulet cc: lists of words, as command lines are. */
#include <stdlib.h>
#include <string.h>
#include "host/base/array.h"
#include "host/cmd/cc_words.h"
#include "host/cmd/cmd.h"

static bool push_cc_word(struct cc_words *words, const char *text)
{
	if (!array_room(&words->items, words->count + 2, &words->room))
		return false;
	words->items[words->count] = strdup(text);
	words->items[words->count + 1] = NULL;
	return words->items[words->count++] != NULL;
}

void cc_push(struct cc_words *words, const char *text)
{
	if (!push_cc_word(words, text)) {
		complain("out of memory");
		exit(STATUS_FAILED);
	}
}

void cc_drop(struct cc_words *words)
{
	for (size_t i = 0; i < words->count; i++)
		free(words->items[i]);
	free(words->items);
	*words = (struct cc_words){0};
}

bool cc_begins(const char *text, const char *with)
{
	return strncmp(text, with, strlen(with)) == 0;
}
