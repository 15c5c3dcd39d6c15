/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* host/base: the hash table, the growing array, the checksum, output files. */
#include <check.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>
#include "common/frame.h"
#include "host/base/array.h"
#include "host/base/crc.h"
#include "host/base/demangle.h"
#include "host/base/hash.h"
#include "host/base/late.h"
#include "host/base/output.h"
#include "host/base/shelf.h"
#include "host/base/steps.h"
#include "tests/suite.h"

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

/* ---- states of a stack ---- */

struct plate {
	uint8_t colour;
	uint32_t size; /* padding lies between the two */
};

static uint32_t hash_plate(const void *frame)
{
	const struct plate *p = frame;
	return hash_of_two(p->colour, p->size);
}

static bool same_plate(const void *a, const void *b)
{
	const struct plate *x = a, *y = b;
	return x->colour == y->colour && x->size == y->size;
}

enum { PLATES = 12, TURNS = 20000 };

/* A live stack goes up and down at random; it is saved and older states are put back. Numbers are equal just if the
 * stacks are, and what is put back is what was saved. */
START_TEST(shelf_keeps_states)
{
	static struct {
		struct plate plates[PLATES];
		size_t depth;
		bool known;
	} saved[1 << 16];
	struct plate live[PLATES];
	struct shelf shelf;
	size_t depth = 0, low = 0, states = 0;
	uint32_t x = 1, number;
	shelf_init(&shelf, sizeof *live, hash_plate, same_plate);
	for (unsigned turn = 0; turn < TURNS; turn++) {
		for (unsigned i = 0; i < 4; i++) {
			x = x * 1664525 + 1013904223;
			if ((x >> 30 & 1) != 0 && depth > 0)
				depth--;
			else if (depth < PLATES) {
				memset(&live[depth], (int)(x >> 8), sizeof live[depth]);
				live[depth].colour = x >> 20 & 1;
				live[depth++].size = x >> 21 & 1;
			}
			low = depth == 0 ? 0 : depth - 1 < low ? depth - 1 : low;
		}
		ck_assert(shelf_save(&shelf, live, depth, low, &number));
		ck_assert_uint_lt(number, 1 << 16);
		low = depth;
		ck_assert_uint_eq(shelf_depth(&shelf, number), depth);
		if (saved[number].known)
			ck_assert_uint_eq(saved[number].depth, depth);
		for (size_t i = 0; saved[number].known && i < depth; i++)
			ck_assert(same_plate(&live[i], &saved[number].plates[i]));
		states += !saved[number].known;
		saved[number].known = true;
		saved[number].depth = depth;
		memcpy(saved[number].plates, live, sizeof live);
		number = x >> 4 & 0xFFFF;
		if (turn % 3 == 0 && saved[number].known) {
			ck_assert(shelf_load(&shelf, number, live, low));
			depth = low = saved[number].depth;
			for (size_t i = 0; i < depth; i++)
				ck_assert(same_plate(&live[i], &saved[number].plates[i]));
		}
	}
	ck_assert_uint_gt(states, 100);
	shelf_clear(&shelf);
	ck_assert(shelf_save(&shelf, live, 1, 0, &number));
	ck_assert_uint_eq(number, 1);
	shelf_free(&shelf);
}
END_TEST

/* A machine of ten states: key k leads from state s to (3 s + k) mod 10. counts: by state and key. */
struct machine {
	uint32_t state;
	uint64_t taken[10][7], loads, cycles;
};
#define BOUNDED 6 /* this key takes 10 to 15 cycles */

static int machine_save(void *context, uint32_t *state)
{
	*state = ((struct machine *)context)->state;
	return 0;
}

static int machine_load(void *context, uint32_t state)
{
	struct machine *m = context;
	m->state = state;
	m->loads++;
	return 0;
}

static int machine_take(void *context, struct step_taken *step)
{
	struct machine *m = context;
	ck_assert_uint_eq(m->state, step->state);
	m->taken[m->state][step->key] += step->count;
	m->cycles += step->cycles;
	if (step->count == 0 && step->key == BOUNDED) {
		step->least = 10;
		step->room = 5;
	}
	m->state = (3 * m->state + step->key) % 10;
	return 0;
}

START_TEST(steps_are_found)
{
	static const struct steps_owner owner = {machine_save, machine_load, machine_take, -1, NULL};
	struct machine machine = {0};
	struct steps_taken steps;
	uint64_t wanted[10][7] = {{0}};
	uint32_t state = 0, step, x = 1;
	steps_init(&steps);
	for (unsigned round = 0; round < 3; round++) {
		for (uint32_t i = 0; i < 5000; i++) {
			x = x * 1664525 + 1013904223;
			/* now and then another key than the usual one */
			uint32_t key = x >> 30 == 0 ? x >> 13 & 3 : i % 7;
			ck_assert_int_eq(steps_get(&steps, &owner, &machine, key, &step), 0);
			ck_assert_uint_eq(steps.all[step].state, state);
			ck_assert_uint_eq(steps.all[step].key, key);
			wanted[state][key]++;
			state = (3 * state + key) % 10;
			ck_assert_uint_eq(steps.all[step].next, state);
			ck_assert(steps_count(&steps, step, 1));
		}
		ck_assert_uint_le(steps.count, 70);
		ck_assert_int_eq(steps_settle(&steps, &owner, &machine), 0);
		ck_assert_uint_eq(machine.state, state);
		if (round != 1)
			steps_forget(&steps);
		ck_assert_uint_eq(steps.count == 0, round != 1);
	}
	ck_assert_int_eq(memcmp(machine.taken, wanted, sizeof wanted), 0);
	ck_assert_uint_eq(machine.cycles, 15000);
	steps_free(&steps);
}
END_TEST

/* Following counts what getting and counting one by one does; it stops at a new step and at cycles that do not fit. */
START_TEST(steps_are_followed)
{
	static const struct steps_owner owner = {machine_save, machine_load, machine_take, -1, NULL};
	enum { RECORDS = 4000 };
	struct machine machine = {0};
	struct steps_taken steps;
	static uint32_t keys[RECORDS], cycles[RECORDS], shown[RECORDS];
	uint64_t wanted[10][7] = {{0}}, sum = 0, one_by_one = 0;
	uint32_t state = 0, x = 1;
	steps_init(&steps);
	for (uint32_t i = 0; i < RECORDS; i++) {
		x = x * 1664525 + 1013904223;
		keys[i] = x >> 29 == 0 ? x >> 13 & 3 : i % 7;
		cycles[i] = i % 100 == 6 ? 16 : 10 + x % 6;
		if (keys[i] != BOUNDED)
			cycles[i] = x >> 20;
	}
	for (uint32_t i = 0, step; i < RECORDS; i++) {
		uint32_t from = i;
		i += (uint32_t)steps_follow(&steps, keys + i, cycles + i, RECORDS - i, shown + i);
		for (uint32_t k = from; k < i; k++) {
			const struct step_taken *taken = &steps.all[shown[k]];
			ck_assert_uint_eq(taken->state, state);
			ck_assert_uint_eq(taken->key, keys[k]);
			ck_assert(keys[k] != BOUNDED || (cycles[k] >= 10 && cycles[k] <= 15));
			wanted[state][keys[k]]++;
			state = (3 * state + keys[k]) % 10;
			sum += cycles[k];
		}
		if (i == RECORDS)
			break;
		one_by_one++;
		ck_assert_uint_eq(steps.state == STEP_NONE ? 0 : steps.state, state);
		ck_assert_int_eq(steps_get(&steps, &owner, &machine, keys[i], &step), 0);
		ck_assert(step_fits(&steps.all[step], cycles[i]) == (keys[i] != BOUNDED || cycles[i] <= 15));
		ck_assert(steps_count(&steps, step, cycles[i]));
		wanted[state][keys[i]]++;
		state = (3 * state + keys[i]) % 10;
		sum += cycles[i];
	}
	ck_assert_uint_lt(one_by_one, RECORDS / 4); /* 70 steps, in the order in which they come */
	ck_assert_int_eq(steps_settle(&steps, &owner, &machine), 0);
	ck_assert_int_eq(steps_settle(&steps, &owner, &machine), 0); /* no count is taken twice */
	steps_forget(&steps);
	ck_assert_uint_eq(steps_follow(&steps, keys, cycles, 10, NULL), 0);
	ck_assert_int_eq(memcmp(machine.taken, wanted, sizeof wanted), 0);
	ck_assert_uint_eq(machine.cycles, sum);
	steps_free(&steps);
}
END_TEST

/* ---- output files ---- */

static char folder[64];

static void enter_folder(void)
{
	snprintf(folder, sizeof folder, "/tmp/check_base.XXXXXX");
	ck_assert_ptr_nonnull(mkdtemp(folder));
	ck_assert_int_eq(chdir(folder), 0);
}

static void leave_folder(void)
{
	char command[128];
	ck_assert_int_eq(chdir("/"), 0);
	snprintf(command, sizeof command, "rm -rf %s", folder);
	ck_assert_int_eq(system(command), 0);
}

static void put_file(const char *path, const char *text)
{
	FILE *file = fopen(path, "wb");
	ck_assert_ptr_nonnull(file);
	fputs(text, file);
	ck_assert_int_eq(fclose(file), 0);
}

static void check_file(const char *path, const char *text)
{
	char got[256] = "";
	FILE *file = fopen(path, "rb");
	ck_assert_msg(file != NULL, "%s is not there", path);
	got[fread(got, 1, sizeof got - 1, file)] = '\0';
	fclose(file);
	ck_assert_str_eq(got, text);
}

static struct output *open_one(const char *path, enum output_way way, const char *input, int expected)
{
	struct output *output;
	char detail[512] = "";
	int error = output_open(&output, path, way, &(struct output_inputs){&input, 1}, detail, sizeof detail);
	ck_assert_msg(error == expected, "%s: error %d: %s", path, error, detail);
	ck_assert((output == NULL) == (error != OUTPUT_OK));
	ck_assert(error == OUTPUT_OK || strncmp(detail, path, strlen(path)) == 0);
	return output;
}

static void commit(struct output *output, int expected)
{
	char detail[512] = "";
	ck_assert_int_eq(output_commit(output, detail, sizeof detail), expected);
	ck_assert((detail[0] == '\0') == (expected == OUTPUT_OK));
}

/* Names by the Itanium C++ ABI; c++filt says the same. */
START_TEST(names_are_demangled)
{
	ck_assert_str_eq(demangle("_ZN5shape4areaEi"), "shape::area(int)");
	ck_assert_str_eq(demangle("_Z4workRKSsj.part.0"), "work(std::string const&, unsigned int) [clone .part.0]");
	ck_assert_str_eq(demangle("main"), "main");
	ck_assert_str_eq(demangle("_Z"), "_Z");
	ck_assert_str_eq(demangle("_ZN5shape4area"), "_ZN5shape4area");
	ck_assert_ptr_null(demangle(NULL));
	ck_assert(demangle_means("_ZN5shape4areaEi", "_ZN5shape4areaEi"));
	ck_assert(demangle_means("shape::area(int)", "_ZN5shape4areaEi"));
	ck_assert(demangle_means("shape::area", "_ZN5shape4areaEi"));
	ck_assert(!demangle_means("shape", "_ZN5shape4areaEi"));
	ck_assert(!demangle_means("area", "_ZN5shape4areaEi"));
	ck_assert(!demangle_means("mai", "main"));
	ck_assert(!demangle_means("main", NULL));
	const char *first = demangle("_Z1av"); /* as long as promised */
	for (int i = 0; i < 15; i++)
		demangle("_Z1bv");
	ck_assert_str_eq(first, "a()");
}
END_TEST

START_TEST(output_replaces_when_complete)
{
	put_file("a", "old");
	ck_assert_int_eq(chmod("a", 0640), 0);
	struct output *o = open_one("a", OUTPUT_REPLACE, NULL, OUTPUT_OK);
	fputs("new", output_file(o));
	fflush(output_file(o));
	check_file("a", "old");
	check_file("a.rivulet-part", "new");
	ck_assert_str_eq(strrchr(output_beside(o), '/') + 1, "a.rivulet-part");
	commit(o, OUTPUT_OK);
	check_file("a", "new");
	ck_assert_int_ne(access("a.rivulet-part", F_OK), 0);
	struct stat status;
	ck_assert_int_eq(stat("a", &status), 0);
	ck_assert_int_eq(status.st_mode & 0777, 0640);
	o = open_one("a", OUTPUT_REPLACE, NULL, OUTPUT_OK);
	fputs("other", output_file(o));
	output_abandon(o);
	check_file("a", "new");
	ck_assert_int_ne(access("a.rivulet-part", F_OK), 0);
	/* what a killed writer left is no part of the next file */
	put_file("b.rivulet-part", "a long rest of another run");
	o = open_one("b", OUTPUT_REPLACE, NULL, OUTPUT_OK);
	fputs("b", output_file(o));
	commit(o, OUTPUT_OK);
	check_file("b", "b");
	/* a link stays one */
	ck_assert_int_eq(symlink("b", "link"), 0);
	o = open_one("link", OUTPUT_REPLACE, NULL, OUTPUT_OK);
	fputs("through", output_file(o));
	commit(o, OUTPUT_OK);
	check_file("b", "through");
	commit(NULL, OUTPUT_OK);
	output_abandon(NULL);
}
END_TEST

START_TEST(output_is_no_input)
{
	put_file("a", "text");
	ck_assert_int_eq(link("a", "hard"), 0);
	ck_assert_int_eq(symlink("a", "soft"), 0);
	open_one("a", OUTPUT_REPLACE, "a", OUTPUT_EINPUT);
	open_one("./a", OUTPUT_REPLACE, "a", OUTPUT_EINPUT);
	open_one("hard", OUTPUT_APPEND, "a", OUTPUT_EINPUT);
	open_one("a", OUTPUT_REPLACE, "soft", OUTPUT_EINPUT);
	check_file("a", "text");
	output_abandon(open_one("b", OUTPUT_REPLACE, "a", OUTPUT_OK));
	output_abandon(open_one("a", OUTPUT_REPLACE, "none", OUTPUT_OK));
	output_abandon(open_one("/dev/null", OUTPUT_REPLACE, "/dev/null", OUTPUT_OK));
}
END_TEST

/* A lock belongs to an open file, so that one process can be two here. */
START_TEST(output_has_one_writer)
{
	static const enum output_way ways[] = {OUTPUT_REPLACE, OUTPUT_APPEND};
	struct output *first;
	for (unsigned i = 0; i < 2; i++) {
		for (unsigned k = 0; k < 2; k++) {
			put_file("a", "text");
			first = open_one("a", ways[i], NULL, OUTPUT_OK);
			open_one("a", ways[k], NULL, OUTPUT_ELOCKED);
			fputs("+", output_file(first));
			commit(first, OUTPUT_OK);
			check_file("a", ways[i] == OUTPUT_APPEND ? "text+" : "+");
			output_abandon(open_one("a", ways[k], NULL, OUTPUT_OK));
		}
	}
	first = open_one("new", OUTPUT_NEW, NULL, OUTPUT_OK);
	open_one("new", OUTPUT_NEW, NULL, OUTPUT_EEXIST);
	open_one("new", OUTPUT_REPLACE, NULL, OUTPUT_ELOCKED);
	open_one("new", OUTPUT_APPEND, NULL, OUTPUT_ELOCKED);
	fputs("kept", output_file(first));
	output_abandon(first);
	check_file("new", "kept");
	first = open_one("fresh", OUTPUT_REPLACE, NULL, OUTPUT_OK); /* nothing is there yet */
	open_one("fresh", OUTPUT_REPLACE, NULL, OUTPUT_ELOCKED);
	commit(first, OUTPUT_OK);
	check_file("fresh", "");
}
END_TEST

START_TEST(output_that_fails)
{
	open_one("no/such", OUTPUT_REPLACE, NULL, OUTPUT_EOPEN);
	open_one(".", OUTPUT_REPLACE, NULL, OUTPUT_EOPEN);
	struct output *o = open_one("/dev/full", OUTPUT_REPLACE, NULL, OUTPUT_OK);
	fputs("text", output_file(o));
	commit(o, OUTPUT_EWRITE);
	/* a full disk: the file's size is limited instead */
	put_file("a", "old");
	struct rlimit limit = {16, 16};
	signal(SIGXFSZ, SIG_IGN);
	ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &limit), 0);
	o = open_one("a", OUTPUT_REPLACE, NULL, OUTPUT_OK);
	fputs("more than sixteen bytes", output_file(o));
	commit(o, OUTPUT_EWRITE);
	check_file("a", "old");
	ck_assert_int_ne(access("a.rivulet-part", F_OK), 0);
}
END_TEST

START_TEST(libraries_are_loaded_late)
{
	uint32_t (*sum)(uint32_t, const unsigned char *, unsigned) = NULL;
	void (*none)(void) = NULL;
	const char *zlib = "libz.so.1";
	ck_assert_ptr_null(late_load(zlib, &(struct late_function){"crc32_z", &sum}, 1));
	ck_assert_ptr_nonnull(sum);
	ck_assert_str_eq(late_load("libnowhere.so.1", &(struct late_function){"none", &none}, 1),
	    "libnowhere.so.1 cannot be loaded: libnowhere.so.1: cannot open shared object file: No such file or "
	    "directory");
	const char *why = late_load(zlib, &(struct late_function){"no_such_function", &none}, 1);
	ck_assert_ptr_nonnull(strstr(why, "no_such_function"));
	ck_assert(none == NULL);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("base");
	TCase *tc = tcase_create("base");
	tcase_add_test(tc, finds_what_was_added);
	tcase_add_test(tc, names_are_demangled);
	tcase_add_test(tc, equal_hashes);
	tcase_add_test(tc, reserve);
	tcase_add_test(tc, hashes_are_spread);
	tcase_add_test(tc, array_grows);
	tcase_add_test(tc, crc);
	tcase_add_test(tc, shelf_keeps_states);
	tcase_add_test(tc, steps_are_found);
	tcase_add_test(tc, steps_are_followed);
	tcase_add_test(tc, libraries_are_loaded_late);
	suite_add_tcase(suite, tc);
	tc = tcase_create("output");
	tcase_add_checked_fixture(tc, enter_folder, leave_folder);
	tcase_add_test(tc, output_replaces_when_complete);
	tcase_add_test(tc, output_is_no_input);
	tcase_add_test(tc, output_has_one_writer);
	tcase_add_test(tc, output_that_fails);
	suite_add_tcase(suite, tc);
	return suite_finish(suite);
}
