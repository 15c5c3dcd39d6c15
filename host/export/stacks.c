/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#include "host/export/stacks.h"
#include "host/base/order.h"

#include <stdlib.h>
#include <string.h>
#include "host/base/array.h"
#include "host/base/json.h"

struct text_key {
	const struct export_strings *strings;
	const char *text;
};

static bool same_stack_text(const void *context, uint32_t index)
{
	const struct text_key *key = context;
	return strcmp(key->strings->all[index], key->text) == 0;
}

const char *export_text(struct export_strings *s, const char *text)
{
	if (json_is_utf8(text))
		return text;
	if (!array_room(&s->copies, s->copy_count + 1, &s->copy_room) ||
	    (s->copies[s->copy_count] = json_make_utf8(text)) == NULL)
		return NULL;
	return s->copies[s->copy_count++];
}

int64_t export_string(struct export_strings *s, const char *text)
{
	if (text == NULL)
		return 0;
	text = export_text(s, text);
	if (text == NULL)
		return -1;
	const struct text_key key = {s, text};
	uint32_t hash = hash_of_text(text), index = hash_find(&s->table, hash, same_stack_text, &key);
	if (index != HASH_NONE)
		return index;
	if (!array_room(&s->all, s->count + 1, &s->room) || !hash_add(&s->table, hash, (uint32_t)s->count))
		return -1;
	s->all[s->count] = (char *)(uintptr_t)text;
	return (int64_t)s->count++;
}

void export_strings_free(struct export_strings *s)
{
	for (size_t i = 0; i < s->copy_count; i++)
		free(s->copies[i]);
	free(s->copies);
	free(s->all);
	hash_free(&s->table);
}

static int compare_pcs(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;
	return ORDER_UP(*x, *y);
}

int export_pcs_make(struct export_pcs *pcs, const struct gather_result *result)
{
	size_t used = 0, done = 0;
	pcs->all = calloc(result->code_count + result->node_count + 1, sizeof *pcs->all);
	if (pcs->all == NULL)
		return EXPORT_ENOMEM;
	for (size_t i = 0; i < result->code_count; i++)
		pcs->all[used++] = result->code[i].pc;
	for (size_t i = 1; i < result->node_count; i++) {
		if (result->nodes[i].kind != STACK_ROOT)
			pcs->all[used++] = result->nodes[i].site;
	}
	qsort(pcs->all, used, sizeof *pcs->all, compare_pcs);
	for (size_t i = 0; i < used; i++) {
		if (done == 0 || pcs->all[done - 1] != pcs->all[i])
			pcs->all[done++] = pcs->all[i];
	}
	pcs->count = done;
	return EXPORT_OK;
}

uint64_t export_pc_number(const struct export_pcs *pcs, uint64_t pc)
{
	const uint64_t *found = bsearch(&pc, pcs->all, pcs->count, sizeof *pcs->all, compare_pcs);
	return found == NULL ? 0 : (uint64_t)(found - pcs->all) + 1;
}
