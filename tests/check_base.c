/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* host/base: the hash table, the growing array, the checksum. */
#include <check.h>
#include <stdlib.h>
#include <string.h>
#include "common/frame.h"
#include "host/base/array.h"
#include "host/base/crc.h"
#include "host/base/hash.h"

/* Items with a key that is no number from 0 on. */
struct items {
	uint64_t *keys;
	size_t count, room;
	struct hash table;
	unsigned asked; /* calls of same_key */
};

struct wanted {
	struct items *items;
	uint64_t key;
};

static bool same_key(const void *context, uint32_t index)
{
	const struct wanted *wanted = context;
	wanted->items->asked++;
	return wanted->items->keys[index] == wanted->key;
}

static uint32_t find(struct items *items, uint64_t key, uint32_t hash)
{
	const struct wanted wanted = {items, key};
	return hash_find(&items->table, hash, same_key, &wanted);
}

static void add(struct items *items, uint64_t key, uint32_t hash)
{
	ck_assert(array_room(&items->keys, items->count + 1, &items->room));
	ck_assert(hash_add(&items->table, hash, (uint32_t)items->count));
	items->keys[items->count++] = key;
}

static uint64_t key_of(uint32_t i)
{
	return (uint64_t)i * 0x100000001u + 2 * i;
}

START_TEST(finds_what_was_added)
{
	struct items items = {0};
	const uint32_t count = 100000;
	ck_assert_uint_eq(find(&items, 1, hash_of(1)), HASH_NONE); /* empty, without memory */
	for (uint32_t i = 0; i < count; i++) {
		ck_assert_uint_eq(find(&items, key_of(i), hash_of(key_of(i))), HASH_NONE);
		add(&items, key_of(i), hash_of(key_of(i)));
		ck_assert_uint_le(2 * items.table.used, items.table.size);
		ck_assert_uint_eq(items.table.size & (items.table.size - 1), 0);
	}
	ck_assert_uint_eq(items.table.used, count);
	for (uint32_t i = 0; i < count; i++)
		ck_assert_uint_eq(find(&items, key_of(i), hash_of(key_of(i))), i);
	/* the kept hash keeps strangers away: hardly an item is looked at in vain */
	items.asked = 0;
	for (uint32_t i = count; i < 2 * count; i++)
		ck_assert_uint_eq(find(&items, key_of(i), hash_of(key_of(i))), HASH_NONE);
	ck_assert_uint_lt(items.asked, 100);
	hash_clear(&items.table);
	ck_assert_uint_eq(find(&items, key_of(1), hash_of(key_of(1))), HASH_NONE);
	ck_assert_uint_eq(items.table.used, 0);
	hash_free(&items.table);
	ck_assert_uint_eq(find(&items, key_of(1), hash_of(key_of(1))), HASH_NONE);
	free(items.keys);
}
END_TEST

/* All keys have one hash: slow, but right, around the end of the slots too. */
START_TEST(equal_hashes)
{
	struct items items = {0};
	for (uint32_t i = 0; i < 600; i++)
		add(&items, key_of(i), UINT32_MAX - 3);
	for (uint32_t i = 0; i < 600; i++)
		ck_assert_uint_eq(find(&items, key_of(i), UINT32_MAX - 3), i);
	ck_assert_uint_eq(find(&items, key_of(600), UINT32_MAX - 3), HASH_NONE);
	ck_assert_uint_eq(find(&items, key_of(0), 3), HASH_NONE);
	hash_free(&items.table);
	free(items.keys);
}
END_TEST

START_TEST(reserve)
{
	struct hash table = {0};
	ck_assert(hash_reserve(&table, 1000));
	const struct hash_slot *slots = table.slots;
	for (uint32_t i = 0; i < 1000; i++)
		ck_assert(hash_add(&table, hash_of(i), i));
	ck_assert_ptr_eq(table.slots, slots);
	ck_assert(!hash_reserve(&table, HASH_NONE));
	ck_assert_ptr_eq(table.slots, slots);
	hash_free(&table);
}
END_TEST

/* Addresses are even and close together, counts are small: their hashes must not be. */
START_TEST(hashes_are_spread)
{
	enum { BUCKETS = 1024, KEYS = 8 * BUCKETS };
	for (unsigned shift = 0; shift < 48; shift++) {
		unsigned filled[BUCKETS] = {0}, most = 0;
		for (uint64_t i = 0; i < KEYS; i++) {
			unsigned at = (shift % 2 ? hash_of_two(i << shift, 7) : hash_of(i << shift)) % BUCKETS;
			most = ++filled[at] > most ? filled[at] : most;
		}
		ck_assert_msg(
		    most < 32, "keys shifted by %u: %u of %u fall into one of %u", shift, most, KEYS, BUCKETS);
	}
	ck_assert_uint_ne(hash_of_two(1, 2), hash_of_two(2, 1));
	ck_assert_uint_eq(hash_of_text("main"), hash_of_bytes("main", 4));
	ck_assert_uint_ne(hash_of_bytes("\0", 1), hash_of_bytes("\0\0", 2));
	ck_assert_uint_ne(hash_of_text("a"), hash_of_text("b"));
	(void)hash_of_text(NULL);
}
END_TEST

START_TEST(array_grows)
{
	uint64_t *items = NULL, *before;
	size_t room = 0, moves = 0;
	for (size_t i = 0; i < 10000; i++) {
		before = items;
		ck_assert(array_room(&items, i + 1, &room));
		ck_assert_uint_gt(room, i);
		moves += items != before;
		items[i] = i;
	}
	for (size_t i = 0; i < 10000; i++)
		ck_assert_uint_eq(items[i], i);
	ck_assert_uint_lt(moves, 20);
	before = items;
	size_t old = room;
	ck_assert(!array_room(&items, SIZE_MAX / 8, &room));
	ck_assert(!array_room(&items, SIZE_MAX, &room));
	ck_assert_ptr_eq(items, before);
	ck_assert_uint_eq(room, old);
	free(items);
}
END_TEST

START_TEST(crc)
{
	uint8_t bytes[100];
	for (size_t i = 0; i < sizeof bytes; i++)
		bytes[i] = (uint8_t)(i * 37 + 11);
	for (size_t from = 0; from < 9; from++) {
		for (size_t size = 0; size + from <= sizeof bytes; size++)
			ck_assert_uint_eq(base_crc32(0, bytes + from, size), frame_crc32(0, bytes + from, size));
	}
	ck_assert_uint_eq(base_crc32(base_crc32(0, bytes, 41), bytes + 41, 59), frame_crc32(0, bytes, 100));
	ck_assert_uint_eq(base_crc32(0, "123456789", 9), 0xCBF43926u);
	ck_assert_uint_eq(base_crc32(7, NULL, 0), 7);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("base");
	TCase *tc = tcase_create("base");
	tcase_add_test(tc, finds_what_was_added);
	tcase_add_test(tc, equal_hashes);
	tcase_add_test(tc, reserve);
	tcase_add_test(tc, hashes_are_spread);
	tcase_add_test(tc, array_grows);
	tcase_add_test(tc, crc);
	suite_add_tcase(suite, tc);
	SRunner *runner = srunner_create(suite);
	srunner_run_all(runner, CK_NORMAL);
	int failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed != 0;
}
