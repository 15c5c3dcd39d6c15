// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Rivulet authors
/* Libraries on a machine without an operating system: each has something to do, and what it gives back is checked. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BYTES = 60000 };
static unsigned char text[BYTES], packed[BYTES + 1000], back[BYTES];

/* Words that come again and again, as in a text. */
static void make_text(void)
{
	unsigned long x = 12345;
	char words[64][8];
	for (int i = 0; i < 64; i++) {
		for (int k = 0; k < 8; k++)
			words[i][k] = (char)('a' + ((x = x * 1103515245 + 12345) >> 16 & 15));
	}
	for (int at = 0; at + 8 < BYTES; at += 2 + (int)(x >> 20 & 7)) {
		x = x * 1103515245 + 12345;
		memcpy(text + at, words[(x >> 16 & 63) * (x >> 24 & 1)], 8);
	}
}

#ifdef WITH_ZLIB
#include "zlib.h"
static int work(void)
{
	uLongf size = sizeof packed, whole = BYTES;
	return compress2(packed, &size, text, BYTES, 9) == Z_OK && uncompress(back, &whole, packed, size) == Z_OK
		   ? (int)size
		   : -1;
}
#endif
#ifdef WITH_LZ4
#include "lz4.h"
#include "lz4hc.h"
static int work(void)
{
	int size = LZ4_compress_HC((char *)text, (char *)packed, BYTES, sizeof packed, 9);
	return LZ4_decompress_safe((char *)packed, (char *)back, size, BYTES) == BYTES ? size : -1;
}
#endif
#ifdef WITH_CJSON
#include "cJSON.h"
static int work(void)
{
	cJSON *list = cJSON_CreateArray();
	for (int i = 0; i < 400; i++) {
		cJSON *one = cJSON_CreateObject();
		cJSON_AddNumberToObject(one, "number", i * 17 % 97 + i / 4.0);
		cJSON_AddStringToObject(one, "text", i % 3 == 0 ? "a \\ \"line\"\n" : "word");
		cJSON_AddBoolToObject(one, "odd", i % 2);
		cJSON_AddItemToArray(list, one);
	}
	char *first = cJSON_Print(list);
	cJSON *again = cJSON_Parse(first);
	char *second = cJSON_Print(again);
	memcpy(back, text, BYTES);
	return strcmp(first, second) == 0 && cJSON_Compare(list, again, 1) ? (int)strlen(first) : -1;
}
#endif
#ifdef WITH_LUA
#include "lauxlib.h"
#include "lualib.h"
static const char script[] =
    "local t, s = {}, 0 "
    "for i = 1, 2000 do t[i] = (i * 7919) % 1009 end table.sort(t) "
    "for i, v in ipairs(t) do s = s + i * v % 13 end "
    "for w in string.gmatch(string.rep('one two three ', 50), '%a+') do s = s + #w end "
    "local function fib(n) if n < 2 then return n end return fib(n - 1) + fib(n - 2) end s = s + fib(15) "
    "for i = 1, 20 do local ok = pcall(error, i) s = s + (ok and 1000 or 1) end "
    "local c = coroutine.wrap(function() for i = 1, 50 do coroutine.yield(i) end end) "
    "for i = 1, 50 do s = s + c() end return s";
static int work(void)
{
	lua_State *l = luaL_newstate();
	luaL_requiref(l, "_G", luaopen_base, 1);
	luaL_requiref(l, "table", luaopen_table, 1);
	luaL_requiref(l, "string", luaopen_string, 1);
	luaL_requiref(l, "coroutine", luaopen_coroutine, 1);
	int failed = luaL_dostring(l, script);
	int result = failed ? -1 : (int)lua_tointeger(l, -1);
	lua_close(l);
	memcpy(back, text, BYTES);
	return result;
}
#endif

int main(void)
{
	make_text();
	int result = work();
	if (result < 0 || memcmp(text, back, BYTES) != 0) {
		printf("wrong: %d\n", result);
		return 1;
	}
	printf("right: %d\n", result);
	return 0;
}
