/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#include <stdlib.h>
#include "kernels.h"

#define KEYS 1000

struct item {
	struct item *next;
	uint16_t key;
	uint16_t serial; /* in the order of insertion */
};

/* A sum that stays the same when items are moved. */
struct totals {
	uint32_t count, keys, serials;
};

static struct totals total(const struct item *list)
{
	struct totals t = {0, 0, 0};
	for (; list != NULL; list = list->next) {
		t.count++;
		t.keys += list->key;
		t.serials += list->serial;
	}
	return t;
}

static struct item *reverse(struct item *list)
{
	struct item *reversed = NULL;
	while (list != NULL) {
		struct item *next = list->next;
		list->next = reversed;
		reversed = list;
		list = next;
	}
	return reversed;
}

static struct item *merge(struct item *a, struct item *b)
{
	struct item *head, **tail = &head;
	while (a != NULL && b != NULL) {
		struct item **smaller = b->key < a->key ? &b : &a; /* a first among equals: stable */
		*tail = *smaller;
		tail = &(*tail)->next;
		*smaller = *tail;
	}
	*tail = a != NULL ? a : b;
	return head;
}

/* Runs are merged like carries in a binary counter: bins[i] is empty or a sorted list of 2^i items. */
static struct item *sort(struct item *list)
{
	struct item *bins[16] = {NULL};
	while (list != NULL) {
		struct item *run = list;
		list = list->next;
		run->next = NULL;
		size_t i = 0;
		for (; bins[i] != NULL; i++) {
			run = merge(bins[i], run);
			bins[i] = NULL;
		}
		bins[i] = run;
	}
	struct item *sorted = NULL;
	for (size_t i = 0; i < sizeof bins / sizeof bins[0]; i++)
		sorted = merge(bins[i], sorted);
	return sorted;
}

static uint32_t disorder(const struct item *list)
{
	uint32_t steps = 0;
	for (; list != NULL && list->next != NULL; list = list->next)
		steps +=
		    list->key > list->next->key || (list->key == list->next->key && list->serial > list->next->serial);
	return steps;
}

static const struct item *find(const struct item *list, uint16_t key)
{
	while (list != NULL && list->key < key)
		list = list->next;
	return list != NULL && list->key == key ? list : NULL;
}

/* Takes out every item with a key that divides by divisor, and returns them as a list, last first. */
static struct item *take_multiples(struct item **list, uint16_t divisor)
{
	struct item *taken = NULL;
	while (*list != NULL) {
		struct item *item = *list;
		if (item->key % divisor == 0) {
			*list = item->next;
			item->next = taken;
			taken = item;
		} else {
			list = &item->next;
		}
	}
	return taken;
}

static int check_totals(const char *what, struct totals got, struct totals expected)
{
	return app_check(what, got.count, expected.count) + app_check(what, got.keys, expected.keys) +
	       app_check(what, got.serials, expected.serials);
}

int check_list(unsigned n, struct app_random *random)
{
	struct item *pool = malloc(n * sizeof *pool);
	if (pool == NULL)
		return app_check("memory for a list", 0, n);
	uint8_t present[KEYS] = {0};
	struct item *list = NULL;
	for (unsigned i = 0; i < n; i++) {
		struct item *item = &pool[i];
		item->key = (uint16_t)app_random_below(random, KEYS);
		item->serial = (uint16_t)i;
		item->next = list;
		list = item;
		present[item->key] = 1;
	}
	struct totals all = total(list);
	int failed = app_check("items", all.count, n);

	list = sort(reverse(list));
	failed += app_check("items out of order", disorder(list), 0);
	failed += check_totals("items kept by sorting", total(list), all);

	uint32_t wrong = 0;
	for (uint16_t i = 0; i < 32; i++) {
		uint16_t key = (uint16_t)app_random_below(random, KEYS);
		wrong += (find(list, key) != NULL) != present[key];
	}
	failed += app_check("items found wrongly", wrong, 0);

	/* The multiples come out last first; turned round and merged back, the list is as it was. */
	struct item *multiples = take_multiples(&list, (uint16_t)(2 + app_random_below(random, 6)));
	struct totals taken = total(multiples), left = total(list);
	failed += app_check("items taken and left", taken.count + left.count, n);
	list = sort(merge(reverse(multiples), list));
	failed += app_check("items out of order at the end", disorder(list), 0);
	failed += check_totals("items at the end", total(list), all);
	free(pool);
	return failed;
}
