/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/*
 * Arbitrary records on a real program and on arbitrary code.
 *
 *   flags, hist, CTRL, insn_bits, size of code: 2 bytes, code │ records: start, history, reason, instructions
 *
 * Without code the program is tests/cmd/fixture.c.
 */
#include "common/rivulet_regs.h"
#include "fuzz/fuzz.h"
#include "host/walk/cache.h"
#include "host/walk/path.h"
#include "isa/isa.h"

#define BASE 0x80000000u
#define RECORDS_AT_MOST 6

static struct image *program;

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	char detail[512];
	(void)argc;
	(void)argv;
	if (image_open(&program, FIXTURE, detail, sizeof detail) != IMAGE_OK)
		fuzz_fail(detail, __FILE__, __LINE__);
	image_debug(program, detail, sizeof detail);
	return 0;
}

struct seen {
	uint64_t insns, visits;
	bool last;
};

static int on_visit(void *context, const struct walk_visit *visit)
{
	struct seen *seen = context;
	uint64_t pcs[WALK_BLOCK_HALVES];
	must(!seen->last);
	must(visit->count > 0 && visit->count <= visit->block->count && visit->block->count <= WALK_BLOCK_HALVES);
	must(visit->outcome >= -1 && visit->outcome <= 1);
	walk_block_pcs(visit->block, visit->count, pcs);
	must(pcs[0] == visit->block->start);
	seen->insns += visit->count;
	seen->visits++;
	seen->last = visit->last;
	return 0;
}

/* The cache gives what the walk gave. */
static void compare(struct walk_cache *cache, const struct record *record, int error, const struct seen *seen)
{
	for (int i = 0; i < 2; i++) {
		const struct walked *walked = walk_cached(cache, record);
		must(walked != NULL && walked->error == error);
		must(walked->count == seen->visits && walked->insns == (uint32_t)seen->insns);
	}
}

static void as_path(struct walk *walk, const struct image *image, const struct record *record)
{
	struct path path;
	if (path_make(&path, walk, record) == 0 && path.piece_count < 1000)
		path_places(&path, image);
	path_free(&path);
}

static void walk_one(
    struct walk *walk, struct walk_cache *cache, const struct image *image, struct input *in, unsigned flags)
{
	struct seen seen = {0};
	struct record record = {.count = 1};
	uint64_t at = 0;
	record.start = take(in, 2);
	record.start = (flags & 2) != 0 ? record.start | take(in, 6) << 16 : BASE + record.start;
	record.hist = take(in, (flags & 4) != 0 ? 8 : 3);
	record.reason = (uint8_t)take(in, 1);
	record.insns = (uint32_t)take(in, (flags & 8) != 0 ? 4 : 1);
	int error = walk_record(walk, &record, on_visit, &seen, &at);
	must(error <= WALK_UNKNOWN_END && error >= WALK_EWRITTEN);
	must(error != WALK_OK || seen.last);
	must(seen.insns <= 64u * (uint64_t)WALK_STRAIGHT_MAX + WALK_STRAIGHT_MAX);
	if (seen.insns < 100000) {
		compare(cache, &record, error, &seen);
		as_path(walk, image, &record);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	struct input in = {bytes, size};
	struct image *made = NULL;
	struct walk *walk;
	struct walk_cache *cache;
	unsigned flags = (unsigned)take(&in, 1);
	struct walk_config config = {.hist = 8 + (unsigned)take(&in, 1) % 57};
	config.ctrl = (uint32_t)take(&in, 1);
	if ((config.ctrl & RV_CTRL_NO_BACKWARD_MASK) != 0) /* each outcome may cost WALK_STRAIGHT_MAX instructions */
		config.hist = 8;
	config.insn_bits = (unsigned)take(&in, 1) % 33;
	config.isa_set = (flags & 0x40) != 0 ? ISA_EXT_I | ISA_EXT_M : 0;
	size_t code = (size_t)take(&in, 2) % 2048;
	if (code > in.left)
		code = in.left;
	if ((flags & 1) != 0) {
		if (image_from_code(&made, BASE, in.at, code) != IMAGE_OK)
			return 0;
		in.at += code;
		in.left -= code;
	}
	const struct image *image = made != NULL ? made : program;
	if (walk_open(&walk, image, &config) == 0) {
		if (walk_cache_open(&cache, walk, 4096) == 0) {
			for (int i = 0;
			     i < ((config.ctrl & RV_CTRL_NO_BACKWARD_MASK) != 0 ? 1 : RECORDS_AT_MOST) && in.left > 0;
			     i++)
				walk_one(walk, cache, image, &in, flags);
			walk_cache_close(cache);
		}
		walk_close(walk);
	}
	image_close(made);
	return 0;
}
