/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#include <string.h>
#include "checks.h"

#define COUNT(array) (sizeof(array) / sizeof(array)[0])

/* `unit` `times` times. The lengths about 55, 64 and 119 are where padding needs another block. */
struct message {
	const char *unit;
	uint16_t times;
	bool is_long;
	const char *digest;
};

static const struct message messages[] = {
    {"", 1, false, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"},
    {"abc", 1, false, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"},
    {"abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq", 1, false,
	"248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"},
    {"abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmnhijklmnoijklmnopjklmnopqklmnopqrlmnopqrsmnopqrstnopqrstu",
	1, false, "cf5b16a778af8380036ce59e7b0492370b249b11e8f07a51afac45037afee9d1"},
    {"a", 55, false, "9f4390f8d30c2dd92ec9f095b65e2b9ae9b0a925a5258e241c9f1e910f734318"},
    {"a", 56, false, "b35439a4ac6f0948b6d6f9e3c6af0f5f590ce20f1bde7090ef7970686ec6738a"},
    {"a", 63, false, "7d3e74a05d7db15bce4ad9ec0658ea98e3f06eeecf16b4c6fff2da457ddc2f34"},
    {"a", 64, false, "ffe054fe7ae0cb6dc65c3af9b61d5209f439851db43d0ba5997337df154668eb"},
    {"a", 65, false, "635361c48bb9eab14198e76ea8ab7f1a41685d6ad62aa9146d301d4f17eb0ae0"},
    {"a", 119, false, "31eba51c313a5c08226adf18d4a359cfdfd8d2e816b13f4af952f7ea6584dcfb"},
    {"a", 120, false, "2f3d335432c70b580af0e8e1b3674a7c020d683aa5f73aaaedfdc55af904c21c"},
    {"a", 1000, true, "41edece42d63e8d9bf515a9ba6932e1c20cbc9f5a5d134645adb5db1b9737ea3"},
    {"a", 20000, true, "cc17faaad36649c4603dda4d8ff97cb149722af0bcac0746305a2134ad2d0b97"},
};

/* RFC 4231, cases 1 to 4, 6 and 7. `fill` repeated fill_size times stands where there is no text. */
struct hmac_case {
	const char *key, *text;
	uint8_t key_fill, key_size, fill, fill_size;
	const char *mac;
};

static const struct hmac_case hmac_cases[] = {
    {NULL, "Hi There", 0x0b, 20, 0, 0, "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7"},
    {"Jefe", "what do ya want for nothing?", 0, 4, 0, 0,
	"5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"},
    {NULL, NULL, 0xaa, 20, 0xdd, 50, "773ea91e36800e46854db8ebd09181a72959098b3ef8c122d9635514ced565fe"},
    {"\001\002\003\004\005\006\007\010\011\012\013\014\015\016\017\020\021\022\023\024\025\026\027\030\031", NULL, 0,
	25, 0xcd, 50, "82558a389a443c0ea4cc819899f2083a85f0faa3e578f8077a2e3ff46729665b"},
    {NULL, "Test Using Larger Than Block-Size Key - Hash Key First", 0xaa, 131, 0, 0,
	"60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54"},
    {NULL,
	"This is a test using a larger than block-size key and a larger than block-size data. The key needs to be "
	"hashed before being used by the HMAC algorithm.",
	0xaa, 131, 0, 0, "9b09ffa71b942fcb27635fbcd5b0e944bfdc63644f0713938a7f51535c3a35e2"},
};

struct pbkdf2_case {
	const char *password, *salt;
	uint16_t iterations, size;
	bool is_long;
	const char *key;
};

static const struct pbkdf2_case pbkdf2_cases[] = {
    {"password", "salt", 1, 32, false, "120fb6cffcf8b32c43e7225256c4f837a86548c92ccc35480805987cb70be17b"},
    {"password", "salt", 2, 32, false, "ae4d0c95af6b46d32d0adff928f06dd02a303f8ef3c251dfd6e2d85a95474c43"},
    {"passwd", "salt", 1, 64, false,
	"55ac046e56e3089fec1691c22544b605f94185216dde0465e68b9d57c20dacbc"
	"49ca9cccf179b645991664b39d77ef317c71b845b1e30bd509112041d3a19783"},
    {"password", "salt", 1000, 32, true, "632c2812e46d4604102ba7618e9d6d7d2f8128f6266b4a03264d2a0460b7dcb3"},
};

static int hex_digit(char c)
{
	return c <= '9' ? c - '0' : c - 'a' + 10;
}

int check_digest(const char *what, const uint8_t *digest, size_t n, const char *hex)
{
	uint32_t wrong = strlen(hex) != 2 * n;
	for (size_t i = 0; i < n && wrong == 0; i++)
		wrong = digest[i] != (hex_digit(hex[2 * i]) << 4 | hex_digit(hex[2 * i + 1]));
	return app_check(what, wrong, 0);
}

int check_messages(bool all)
{
	int failed = 0;
	for (const struct message *m = messages; m < messages + COUNT(messages); m++) {
		if (m->is_long && !all)
			continue;
		struct sha256 sha;
		uint8_t digest[SHA256_DIGEST];
		size_t size = strlen(m->unit);
		sha256_init(&sha);
		for (unsigned i = 0; i < m->times; i++)
			sha256_update(&sha, m->unit, size);
		sha256_final(&sha, digest);
		failed += check_digest("digest of a message", digest, sizeof digest, m->digest);
	}
	return failed;
}

int check_hmac(void)
{
	int failed = 0;
	for (const struct hmac_case *c = hmac_cases; c < hmac_cases + COUNT(hmac_cases); c++) {
		uint8_t key[131], text[50], mac[SHA256_DIGEST];
		memset(key, c->key_fill, c->key_size);
		if (c->key != NULL)
			memcpy(key, c->key, c->key_size);
		memset(text, c->fill, c->fill_size);
		struct hmac hmac;
		hmac_init(&hmac, key, c->key_size);
		if (c->text != NULL)
			hmac_update(&hmac, c->text, strlen(c->text));
		else
			hmac_update(&hmac, text, c->fill_size);
		hmac_final(&hmac, mac);
		failed += check_digest("HMAC", mac, sizeof mac, c->mac);
	}
	return failed;
}

int check_pbkdf2(bool all)
{
	int failed = 0;
	for (const struct pbkdf2_case *c = pbkdf2_cases; c < pbkdf2_cases + COUNT(pbkdf2_cases); c++) {
		if (c->is_long && !all)
			continue;
		uint8_t key[64];
		pbkdf2(c->password, c->salt, c->iterations, key, c->size);
		failed += check_digest("derived key", key, c->size, c->key);
	}
	return failed;
}

int check_chain(void)
{
	static const uint8_t seed[SHA256_DIGEST] = {0x6d, 0x1e, 0x72, 0xad, 0x03, 0xdd, 0xeb, 0x5d, 0xe8, 0x91, 0xe5,
	    0x72, 0xe2, 0x39, 0x6f, 0x8d, 0xa0, 0x15, 0xd8, 0x99, 0xef, 0x0e, 0x79, 0x50, 0x31, 0x52, 0xd6, 0x01, 0x0a,
	    0x3f, 0xe6, 0x91};
	uint8_t last[3][SHA256_DIGEST];
	for (unsigned i = 0; i < 3; i++)
		memcpy(last[i], seed, sizeof seed);
	for (unsigned i = 0; i < 1000; i++) {
		uint8_t digest[SHA256_DIGEST];
		sha256(last, sizeof last, digest);
		memmove(last[0], last[1], 2 * sizeof last[0]);
		memcpy(last[2], digest, sizeof digest);
	}
	return check_digest("Monte Carlo chain", last[2], sizeof last[2],
	    "e93c330ae5447738c8aa85d71a6c80f2a58381d05872d26bdd39f1fcd4f2b788");
}
