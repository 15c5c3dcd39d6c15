/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* Bytes from a serial port: text and frames told apart. In pieces the same as in one. */
#include "fuzz/fuzz.h"
#include "fuzz/framed.h"
#include "host/records/capture.h"

struct seen {
	uint64_t bytes, sum;
};

static void on_text(void *context, const uint8_t *bytes, size_t size)
{
	struct seen *seen = context;
	for (size_t i = 0; i < size; i++) {
		must(bytes[i] != 0 && bytes[i] != 0x7F);
		seen->sum = seen->sum * 31 + bytes[i];
	}
	seen->bytes += size;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	struct input in = {bytes, size};
	struct seen a = {0}, b = {0};
	struct capture_split whole, pieces;
	unsigned mode = (unsigned)take(&in, 1);
	size_t step = (mode >> 1) + 1u, length = in.left;
	uint8_t *made = NULL;
	const uint8_t *stream = in.at;
	if ((mode & 1) != 0) {
		stream = made = framed(in.at, in.left, &length);
		if (made == NULL)
			return 0;
	}
	capture_split_init(&whole, on_text, &a);
	capture_split_feed(&whole, stream, length);
	capture_split_init(&pieces, on_text, &b);
	for (size_t at = 0; at < length; at += step)
		capture_split_feed(&pieces, stream + at, length - at < step ? length - at : step);
	must(a.bytes == b.bytes && a.sum == b.sum);
	must(whole.frames == pieces.frames && whole.damaged == pieces.damaged);
	must(whole.headers == pieces.headers && whole.ends == pieces.ends);
	must(whole.state == pieces.state && whole.headers + whole.ends <= whole.frames);
	capture_split_idle(&whole);
	must(a.bytes + whole.frames <= length || length == 0);
	/* idle in the middle gives out early, but loses and doubles nothing that frames are made of */
	struct capture_split idle;
	capture_split_init(&idle, NULL, NULL);
	for (size_t at = 0; at < length; at += step) {
		capture_split_feed(&idle, stream + at, length - at < step ? length - at : step);
		capture_split_idle(&idle);
	}
	must(idle.frames == pieces.frames);
	free(made);
	return 0;
}
