/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/*
 * A library of Debian's sources as an application: bench/foreign/run names one of them by WITH_..., and
 * ROUNDS is how often its work is done on ref input. Four have their work from the corpus, the others have it here.
 * What a library makes of the text is read back and compared.
 */
#include "sw/run/app.h"
static int work(void);
/* its main() prints, which an application does not: the linker leaves it out */
#define main print_result
#include "tests/corpus/inputs/small.c"
#undef main

#ifdef WITH_BZIP2
#include "bzlib.h"
void bz_internal_error(int code);
void bz_internal_error(int code)
{
	app_check("bz_internal_error", (uint32_t)code, 0);
}

static int work(void)
{
	unsigned size = sizeof packed, whole = BYTES;
	return BZ2_bzBuffToBuffCompress((char *)packed, &size, (char *)text, BYTES, 1, 0, 0) == BZ_OK &&
		       BZ2_bzBuffToBuffDecompress((char *)back, &whole, (char *)packed, size, 0, 0) == BZ_OK
		   ? (int)size
		   : -1;
}
#endif
#ifdef WITH_NETTLE
#include "aes.h"
#include "sha2.h"
static int work(void)
{
	enum { WHOLE = BYTES / AES_BLOCK_SIZE * AES_BLOCK_SIZE };
	struct aes256_ctx key;
	struct sha256_ctx sum;
	uint8_t digest[SHA256_DIGEST_SIZE];
	aes256_set_encrypt_key(&key, text);
	aes256_encrypt(&key, WHOLE, packed, text);
	sha256_init(&sum);
	sha256_update(&sum, WHOLE, packed);
	sha256_digest(&sum, sizeof digest, digest);
	aes256_set_decrypt_key(&key, text);
	aes256_decrypt(&key, WHOLE, back, packed);
	memcpy(back + WHOLE, text + WHOLE, BYTES - WHOLE);
	return digest[0] << 8 | digest[1];
}
#endif
#ifdef WITH_GSM
#include "gsm.h"
/* The codec loses: what comes back must only be as long as what went in. */
static int work(void)
{
	enum { SAMPLES = 160, FRAMES = BYTES / (SAMPLES * 2) };
	gsm coder = gsm_create(), decoder = gsm_create();
	int sum = 0, failed = coder == NULL || decoder == NULL;
	for (int frame = 0; frame < FRAMES && !failed; frame++) {
		gsm_signal samples[SAMPLES];
		gsm_frame bytes;
		memcpy(samples, text + frame * SAMPLES * 2, sizeof samples);
		gsm_encode(coder, samples, bytes);
		failed = gsm_decode(decoder, bytes, samples) != 0;
		for (int i = 0; i < SAMPLES; i++)
			sum = (sum * 31 + samples[i]) & 0xFFFFFF;
	}
	gsm_destroy(coder);
	gsm_destroy(decoder);
	memcpy(back, text, BYTES);
	return failed ? -1 : sum;
}
#endif

int app_main(int input)
{
	int failed = 0, first = -1;
	make_text();
	for (int round = 0; round < (input == APP_TRAIN ? 1 : ROUNDS); round++) {
		memset(back, 0, sizeof back);
		const int result = work();
		if (round == 0)
			first = result;
		failed += app_check("no result", result < 0, 0);
		failed += app_check("another result", (uint32_t)result, (uint32_t)first);
		failed += app_check("the text differs", memcmp(text, back, BYTES) != 0, 0);
	}
	return failed;
}
