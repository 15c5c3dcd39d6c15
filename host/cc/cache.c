/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#include "host/cc/cache.h"
#include "host/base/order.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include "host/base/array.h"

#define IN_USE 3600 /* seconds */

static uint64_t rotate_left(uint64_t x, unsigned by)
{
	return x << by | x >> (64 - by);
}

static void mix_word(struct cache_key *key, uint64_t x)
{
	key->words[0] = rotate_left((key->words[0] ^ x) * UINT64_C(0x9E3779B97F4A7C15), 29) + key->words[1];
	key->words[1] = rotate_left((key->words[1] + x) * UINT64_C(0xC2B2AE3D27D4EB4F), 37) ^ key->words[0];
}

void cache_add(struct cache_key *key, const void *bytes, size_t size)
{
	const uint8_t *at = bytes;
	uint64_t x;
	mix_word(key, size);
	for (; size >= 8; size -= 8, at += 8) {
		memcpy(&x, at, 8);
		mix_word(key, x);
	}
	x = 0;
	memcpy(&x, at, size);
	mix_word(key, x);
	key->length++;
}

void cache_add_text(struct cache_key *key, const char *text)
{
	cache_add(key, text, strlen(text) + 1);
}

bool cache_add_file(struct cache_key *key, const char *path)
{
	struct stat status;
	int file = open(path, O_RDONLY | O_CLOEXEC);
	bool good = file >= 0 && fstat(file, &status) == 0 && S_ISREG(status.st_mode);
	if (good && status.st_size > 0) {
		size_t size = (size_t)status.st_size;
		void *bytes = mmap(NULL, size, PROT_READ, MAP_PRIVATE, file, 0);
		good = bytes != MAP_FAILED;
		if (good) {
			cache_add(key, bytes, size);
			munmap(bytes, size);
		}
	} else if (good)
		cache_add(key, "", 0);
	if (file >= 0)
		close(file);
	return good;
}

static void key_text_of(const struct cache_key *key, char text[40])
{
	struct cache_key last = *key;
	mix_word(&last, key->length);
	mix_word(&last, 0);
	snprintf(text, 40, "%016" PRIx64 "%016" PRIx64, last.words[0], last.words[1]);
}

static bool make_directories(char *path)
{
	for (char *at = path + 1; *at != '\0'; at++) {
		if (*at != '/')
			continue;
		*at = '\0';
		bool made = mkdir(path, 0777) == 0 || errno == EEXIST;
		*at = '/';
		if (!made)
			return false;
	}
	return mkdir(path, 0777) == 0 || errno == EEXIST;
}

bool cache_open(struct cache *cache, const char *directory, char *detail, size_t size)
{
	const char *own = getenv("RIVULET_CACHE"), *base = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
	int length = 0;
	if (directory != NULL || (own != NULL && *own != '\0'))
		length = snprintf(cache->directory, sizeof cache->directory, "%s", directory != NULL ? directory : own);
	else if (base != NULL && *base == '/')
		length = snprintf(cache->directory, sizeof cache->directory, "%s/rivulet", base);
	else if (home != NULL && *home == '/')
		length = snprintf(cache->directory, sizeof cache->directory, "%s/.cache/rivulet", home);
	if (length <= 0 || (size_t)length >= sizeof cache->directory) {
		snprintf(detail, size, "there is no place for the cache: give --cache=DIRECTORY, or set RIVULET_CACHE");
		return false;
	}
	if (cache->directory[0] != '/') { /* compilers run the linker elsewhere */
		char here[sizeof cache->directory], whole[2 * sizeof cache->directory];
		if (getcwd(here, sizeof here) != NULL) {
			snprintf(whole, sizeof whole, "%s/%s", here, cache->directory);
			if (strlen(whole) < sizeof cache->directory)
				strcpy(cache->directory, whole);
		}
	}
	if (!make_directories(cache->directory) || access(cache->directory, W_OK) != 0) {
		snprintf(detail, size,
		    "%.3000s: the cache cannot be made there: %s: give --cache=DIRECTORY, or set RIVULET_CACHE",
		    cache->directory, strerror(errno));
		return false;
	}
	return true;
}

static void sum_of(const char *path, char text[80], bool *good)
{
	struct cache_key key = CACHE_KEY;
	char hash[40];
	*good = cache_add_file(&key, path);
	key_text_of(&key, hash);
	snprintf(text, 80, "%s\n", hash);
}

bool cache_find(const struct cache *cache, const struct cache_key *key, const char *suffix, char path[CACHE_PATH])
{
	char name[40], sum[CACHE_PATH + 8], kept[80] = "", found[80];
	bool good;
	key_text_of(key, name);
	snprintf(path, CACHE_PATH, "%s/%s%s", cache->directory, name, suffix);
	snprintf(sum, sizeof sum, "%s.sum", path);
	FILE *file = fopen(sum, "r");
	if (file == NULL)
		return false;
	good = fgets(kept, sizeof kept, file) != NULL;
	fclose(file);
	if (good)
		sum_of(path, found, &good);
	good = good && strcmp(kept, found) == 0;
	if (good) { /* used now */
		utimensat(AT_FDCWD, path, NULL, 0);
		utimensat(AT_FDCWD, sum, NULL, 0);
	}
	return good;
}

void cache_making(const char *path, char making[CACHE_PATH])
{
	snprintf(making, CACHE_PATH, "%.3900s.%ld.making", path, (long)getpid());
}

bool cache_keep(const char *making, const char *path, char *detail, size_t size)
{
	char sum[CACHE_PATH + 8], part[CACHE_PATH + 8], text[80];
	bool good;
	sum_of(making, text, &good);
	snprintf(sum, sizeof sum, "%s.sum", path);
	snprintf(part, sizeof part, "%.4090s.sum", making);
	FILE *file = good ? fopen(part, "w") : NULL;
	good = file != NULL && fputs(text, file) >= 0;
	if (file != NULL && fclose(file) != 0)
		good = false;
	good = good && rename(making, path) == 0 && rename(part, sum) == 0;
	if (!good) {
		snprintf(detail, size, "%.3000s: cannot be written: %s", path, strerror(errno));
		unlink(making);
		unlink(part);
	}
	return good;
}

bool cache_write_script(const char *path, const char *text)
{
	char part[CACHE_PATH + 32];
	snprintf(part, sizeof part, "%s.%ld.making", path, (long)getpid());
	FILE *file = fopen(part, "w");
	bool good = file != NULL && fputs(text, file) >= 0;
	if (file != NULL && fclose(file) != 0)
		good = false;
	good = good && chmod(part, 0755) == 0 && rename(part, path) == 0;
	if (!good)
		unlink(part);
	return good;
}

void cache_keep_text(const char *path, const char *text)
{
	char making[CACHE_PATH], detail[CACHE_PATH + 256];
	cache_making(path, making);
	if (cache_write_script(making, text)) /* without it the next link looks again */
		cache_keep(making, path, detail, sizeof detail);
}

struct kept {
	char name[256];
	uint64_t size;
	time_t used;
};

static int cache_files_by_age(const void *a, const void *b)
{
	const struct kept *x = a, *y = b;
	return order_then(ORDER_UP(x->used, y->used), strcmp(x->name, y->name));
}

void cache_trim(const struct cache *cache, uint64_t limit)
{
	struct kept *files = NULL;
	size_t count = 0, room = 0;
	uint64_t all = 0;
	char path[CACHE_PATH];
	DIR *directory = opendir(cache->directory);
	for (struct dirent *entry; directory != NULL && (entry = readdir(directory)) != NULL;) {
		struct stat status;
		snprintf(path, sizeof path, "%.3800s/%.255s", cache->directory, entry->d_name);
		if (lstat(path, &status) != 0 || !S_ISREG(status.st_mode) || !array_room(&files, count + 1, &room))
			continue;
		files[count] = (struct kept){.size = (uint64_t)status.st_size, .used = status.st_mtime};
		snprintf(files[count].name, sizeof files[count].name, "%s", entry->d_name);
		all += files[count++].size;
	}
	if (directory != NULL)
		closedir(directory);
	if (count > 0)
		qsort(files, count, sizeof *files, cache_files_by_age);
	for (size_t i = 0; i < count && (all > limit || strstr(files[i].name, ".making") != NULL); i++) {
		if (files[i].used + IN_USE > time(NULL))
			break;
		snprintf(path, sizeof path, "%.3800s/%.255s", cache->directory, files[i].name);
		if (unlink(path) == 0)
			all -= files[i].size;
	}
	free(files);
}
