/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/*
 * Retirement logs on arbitrary code.
 *
 *   form, hist, hart, size of code: 2 bytes, code │ the log
 *
 * A form from 0xF0 on: bytes of an N-Trace encoder, whose options are its low bits; from 0xE0 on those of an E-Trace
 * encoder. A hart of 1 chooses a context, an odd history the rules of a core.
 *
 * What comes out must not depend on the pieces in which the log comes in, nor (but for times) on whether the unit is
 * shown each instruction of an encoder's stream or whole runs; and every record that it makes is one that a
 * trace unit can have made. A log that contradicts neither itself nor the program is walked to its instructions.
 */
#include "fuzz/fuzz.h"

#include "host/import/import.h"
#include "host/walk/walk.h"

#define BASE 0x80000000u

struct result {
	uint64_t records, traces, sum;
	uint64_t timeless; /* sum without times */
	uint64_t problems;
	struct walk *walk; /* NULL: not walked */
	uint64_t walked;
};

static int take_record(void *context, const struct record *record, uint64_t time)
{
	struct result *result = context;
	must(record_valid(record));
	result->records++;
	result->traces += record->count;
	const uint64_t value = record->start + 7 * record->hist + 3 * record->insns + record->reason;
	result->sum = 31 * result->sum + value + time;
	result->timeless = 31 * result->timeless + value;
	if (result->walk != NULL) {
		size_t count = 0;
		int error = walk_pcs(result->walk, record, NULL, 0, &count, NULL);
		must(error >= WALK_EWRITTEN && error <= WALK_UNKNOWN_END);
		result->walked += count * record->count;
	}
	return 0;
}

static void tell(void *context, uint64_t line, enum import_problem problem, const char *text)
{
	struct result *result = context;
	must(problem < IMPORT_PROBLEMS && text[0] != '\0');
	(void)line;
	result->problems++;
}

static int run(const struct image *image, const struct import_config *config, const struct input *in, size_t piece,
    struct result *result, struct import_counts *counts)
{
	struct import_config mine = *config;
	struct import *import;
	mine.sink = take_record;
	mine.teller = tell;
	mine.context = result;
	int error = import_open(&import, image, &mine);
	for (size_t at = 0; at < in->left && error == IMPORT_OK; at += piece)
		error = import_feed(import, in->at + at, piece < in->left - at ? piece : in->left - at);
	if (error == IMPORT_OK)
		error = import_finish(import);
	*counts = *import_counts(import);
	import_close(import);
	return error;
}

static struct etrace_options packet_options(unsigned form)
{
	struct etrace_options o = {
	    .layout = etrace_defaults(0), .full_address = (form & 1) != 0, .wrapped = form == 0xE7};
	bool rich = (form & 2) != 0, chip = (form & 8) != 0;
	o.implicit_return = o.sequential_jump = o.predictor = o.cache = rich;
	o.layout.stack = o.layout.predictor = o.layout.cache = rich ? 3 : 0;
	o.layout.context = o.layout.time = !chip && (form & 4) != 0 ? 8 : 0;
	o.layout.time_bytes = !chip && rich ? 2 : 0;
	o.layout.form = ETRACE_RATIFIED;
	if (chip)
		o.layout.form = (form & 4) != 0 ? ETRACE_ALIGNED : ETRACE_FIRST;
	o.layout.transport = chip ? ETRACE_INDEXED : ETRACE_ENCAPSULATED;
	return o;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	struct input in = {bytes, size};
	struct image *image;
	struct result whole = {0}, pieces = {0}, steps = {0};
	struct import_counts a, b;
	unsigned form = (unsigned)take(&in, 1);
	struct import_config config = {.form = (enum import_form)(form % 4), .modes = 0xB};
	const struct ntrace_options encoder = {.history = (form & 1) != 0,
	    .implicit_return = (form & 2) != 0 ? 8 : 0,
	    .sequential_jump = (form & 4) != 0,
	    .all_jumps = (form & 4) != 0,
	    .layout.extend = (form & 8) != 0,
	    .layout.sifive_counts = (form & 2) != 0,
	    .wrapped = (form & 8) != 0};
	if (form >= 0xF0)
		config.form = IMPORT_NTRACE;
	else if (form >= 0xE0)
		config.form = IMPORT_ETRACE;
	struct etrace_options packets = packet_options(form);
	config.ntrace = &encoder;
	config.etrace = &packets;
	config.hist = 8 + (unsigned)take(&in, 1) % 57;
	config.hart = (unsigned)take(&in, 1) % 2;
	struct core core;
	core_default(&core);
	config.core = form >= 0xE0 && config.hist % 2 == 1 ? &core : NULL;
	config.has_context = form >= 0xE0 && config.hart == 1;
	size_t code = (size_t)take(&in, 2) % 512;
	if (code > in.left)
		code = in.left;
	if (image_from_code(&image, BASE, in.at, code) != IMAGE_OK)
		return 0;
	in.at += code;
	in.left -= code;
	const struct walk_config how = {.hist = config.hist, .insn_bits = 16};
	if (walk_open(&whole.walk, image, &how) == WALK_OK) {
		int one = run(image, &config, &in, in.left + 1, &whole, &a);
		int other = run(image, &config, &in, 5, &pieces, &b);
		must(one == other && memcmp(&a, &b, sizeof a) == 0);
		must(whole.records == pieces.records && whole.sum == pieces.sum && whole.problems == pieces.problems);
		config.stepwise = true;
		if (form >= 0xE0)
			must(run(image, &config, &in, in.left + 1, &steps, &b) == one &&
			     steps.records == whole.records && steps.timeless == whole.timeless);
		must(form >= 0xF0 || a.instructions <= a.lines);
		must(one != IMPORT_OK || whole.problems > 0 || a.outside > 0 || a.breaks > 0 ||
		     whole.walked <= a.instructions);
		walk_close(whole.walk);
	}
	image_close(image);
	return 0;
}
