/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* The phases file: lossless, found by every key, readable when it is cut off or damaged; intervals and phases. */
#include <check.h>
#include <stdlib.h>
#include <string.h>
#include "host/phases/grammar.h"
#include "tests/suite.h"

#define BLOCKS 300u

struct memory {
	uint8_t *bytes;
	size_t used, room;
	size_t limit; /* a full disk: no byte behind it can be written; 0: none */
};

static int emit(void *context, const void *bytes, size_t size)
{
	struct memory *m = context;
	if (m->limit != 0 && m->used + size > m->limit)
		return 1;
	if (m->used + size > m->room) {
		m->room = 2 * m->room + size;
		m->bytes = realloc(m->bytes, m->room);
	}
	memcpy(m->bytes + m->used, bytes, size);
	m->used += size;
	return 0;
}

static struct phases_block block_of(uint32_t i)
{
	return (struct phases_block){.address = 0x80000000u + 16 * (uint64_t)i,
	    .bytes = 2 * (1 + i % 8),
	    .instructions = 1 + i % (1 + i % 8),
	    .context = i / 100};
}

/* Loops of random bodies and trips, with a phase of few blocks in the middle. */
static uint32_t *make_run(unsigned seed, size_t count)
{
	uint32_t *run = malloc(count * sizeof *run);
	size_t i = 0;
	srand(seed);
	while (i < count) {
		const unsigned body = 1 + (unsigned)rand() % 12, trips = 1 + (unsigned)rand() % 9;
		const uint32_t base = i / (count / 3 + 1) == 1 ? 200u : 0u, width = base == 200 ? 20u : 150u;
		uint32_t blocks[12];
		for (unsigned b = 0; b < body; b++)
			blocks[b] = base + (uint32_t)rand() % width;
		for (unsigned t = 0; t < trips; t++)
			for (unsigned b = 0; b < body && i < count; b++)
				run[i++] = blocks[b];
	}
	return run;
}

/* Writes the run; gap_at: a gap before this block (0: none). Two cycles an instruction. */
static int write_run(struct memory *m, const uint32_t *run, size_t count, size_t gap_at, uint32_t flush_every)
{
	struct phases_writer *w;
	struct phases_header header = {.program = "a program", .code_crc = 0x12345678, .cycles = true};
	uint64_t instructions = 0;
	ck_assert_int_eq(phases_writer_open(&w, &header, NULL, 0, emit, m), PHASES_OK);
	int error = PHASES_OK;
	uint32_t numbers[BLOCKS];
	for (uint32_t b = 0; b < BLOCKS; b++) {
		const struct phases_block block = block_of(b);
		ck_assert_int_eq(phases_writer_block(w, &block, &numbers[b]), PHASES_OK);
		ck_assert_uint_eq(numbers[b], b);
	}
	for (size_t i = 0; i < count && error == PHASES_OK; i++) {
		if (gap_at != 0 && i == gap_at)
			error = phases_writer_gap(w, 17);
		if (error == PHASES_OK)
			error = phases_writer_feed(w, &run[i], 1);
		instructions += block_of(run[i]).instructions;
		if (error == PHASES_OK)
			error = phases_writer_time(w, 2 * instructions);
		if (error == PHASES_OK && flush_every != 0 && i % flush_every == flush_every - 1)
			error = phases_writer_flush(w);
	}
	if (error == PHASES_OK)
		error = phases_writer_finish(w, PHASES_END_EXIT);
	if (error == PHASES_OK)
		ck_assert_uint_eq(phases_writer_bytes(w), m->used);
	phases_writer_close(w);
	return error;
}

static bool same(const struct phases_block *a, const struct phases_block *b)
{
	return a->address == b->address && a->bytes == b->bytes && a->instructions == b->instructions &&
	       a->context == b->context;
}

START_TEST(lossless)
{
	const size_t count = 100000;
	struct memory m = {0};
	struct phases_file *file;
	struct phases_step step;
	struct phases_place place = {0}, total;
	char detail[200];
	uint32_t *run = make_run((unsigned)_i, count);
	ck_assert_int_eq(write_run(&m, run, count, 0, _i == 0 ? 0 : 5000u * (unsigned)_i), PHASES_OK);
	ck_assert_int_eq(phases_open_memory(&file, m.bytes, m.used, detail, sizeof detail), PHASES_OK);
	ck_assert_str_eq(phases_header(file)->program, "a program");
	ck_assert_uint_eq(phases_header(file)->code_crc, 0x12345678);
	ck_assert_ptr_nonnull(phases_end(file));
	size_t at = 0;
	int more;
	while ((more = phases_next(file, &step)) == 1) {
		ck_assert(!step.lost);
		for (unsigned k = 0; k < PHASES_KEYS; k++)
			if (k != PHASES_STRATUM && k != PHASES_CYCLE)
				ck_assert_uint_eq(step.place.at[k], place.at[k]);
		for (uint32_t t = 0; t < step.trips; t++)
			for (uint32_t b = 0; b < step.what.count; b++, at++) {
				const struct phases_block block = block_of(run[at]);
				ck_assert(same(phases_block(file, step.what.blocks[b]), &block));
			}
		place.at[PHASES_INSTRUCTION] += step.trips * step.what.instructions;
		place.at[PHASES_BLOCK] += (uint64_t)step.trips * step.what.count;
		place.at[PHASES_PATH] += step.trips;
		place.at[PHASES_REPEATED]++;
	}
	ck_assert_int_eq(more, 0);
	ck_assert_uint_eq(at, count);
	phases_total(file, &total);
	ck_assert_uint_eq(total.at[PHASES_INSTRUCTION], place.at[PHASES_INSTRUCTION]);
	ck_assert_uint_eq(total.at[PHASES_REPEATED], place.at[PHASES_REPEATED]);
	ck_assert_uint_eq(total.at[PHASES_CYCLE], 2 * place.at[PHASES_INSTRUCTION]);
	phases_close(file);
	free(m.bytes);
	free(run);
}
END_TEST

/* Every key finds the step that a reading from the beginning finds. */
START_TEST(seek)
{
	const size_t count = 40000;
	struct memory m = {0};
	struct phases_file *file;
	struct phases_step step, *steps = malloc(count * sizeof *steps);
	char detail[200];
	size_t n = 0;
	uint32_t *run = make_run(3, count);
	ck_assert_int_eq(write_run(&m, run, count, 0, 7000), PHASES_OK);
	ck_assert_int_eq(phases_open_memory(&file, m.bytes, m.used, detail, sizeof detail), PHASES_OK);
	while (phases_next(file, &step) == 1)
		steps[n++] = step;
	for (unsigned key = 0; key < PHASES_KEYS; key++) {
		struct phases_place total;
		phases_total(file, &total);
		for (uint64_t i = 0; i < 500; i++) {
			uint64_t number = i * 7919 * 104729 % total.at[key];
			if (i < 3)
				number = i == 0 ? 0 : i == 1 ? total.at[key] - 1 : steps[n / 2].place.at[key];
			ck_assert_int_eq(phases_seek(file, key, number), PHASES_OK);
			ck_assert_int_eq(phases_next(file, &step), 1);
			if (key == PHASES_CYCLE) { /* two cycles an instruction, everywhere */
				const uint64_t insn = step.place.at[PHASES_INSTRUCTION];
				ck_assert_uint_le(insn, number / 2 + 1);
				ck_assert_uint_ge(insn + step.trips * step.what.instructions + 1, number / 2);
				continue;
			}
			size_t s = 0; /* the first step that reaches behind number */
			if (key == PHASES_STRATUM)
				while (steps[s].place.at[key] < number)
					s++;
			else
				while (s + 1 < n && steps[s + 1].place.at[key] <= number)
					s++;
			ck_assert_uint_eq(step.place.at[PHASES_REPEATED], steps[s].place.at[PHASES_REPEATED]);
			for (unsigned k = 0; k < PHASES_CYCLE; k++)
				ck_assert_uint_eq(step.place.at[k], steps[s].place.at[k]);
		}
		ck_assert_int_eq(phases_seek(file, key, total.at[key]), PHASES_EEND);
	}
	phases_close(file);
	free(steps);
	free(m.bytes);
	free(run);
}
END_TEST

/* Whether whoever opens the file is told of damage. */
static bool is_noticed(const struct memory *m)
{
	struct phases_file *file;
	struct phases_damage damage;
	char detail[200];
	if (phases_open_memory(&file, m->bytes, m->used, detail, sizeof detail) != PHASES_OK)
		return true;
	phases_damage(file, &damage);
	phases_close(file);
	return damage.bytes > 0 || damage.chunks > 0 || damage.no_end;
}

/* Reads what is left of a file. Every step that is given stands in the run at its place; the rest is said to be
 * lost. */
static void check_rest(const struct memory *m, size_t size, const uint32_t *run, size_t count, bool *whole)
{
	struct phases_file *file;
	struct phases_step step;
	char detail[200];
	int more, error = phases_open_memory(&file, m->bytes, size, detail, sizeof detail);
	*whole = false;
	if (error != PHASES_OK) {
		ck_assert(error == PHASES_EFORMAT || error == PHASES_EVERSION);
		return;
	}
	bool lost = false;
	uint64_t blocks = 0;
	while ((more = phases_next(file, &step)) == 1) {
		lost |= step.lost;
		uint64_t at = step.place.at[PHASES_BLOCK];
		if (step.lost)
			continue;
		blocks += (uint64_t)step.trips * step.what.count;
		ck_assert_uint_le(at + (uint64_t)step.trips * step.what.count, count);
		/* within a chunk of which a definition is lost the place is not sure, and nothing is compared */
		if (lost)
			continue;
		for (uint32_t t = 0; t < step.trips; t++)
			for (uint32_t b = 0; b < step.what.count; b++, at++) {
				const struct phases_block block = block_of(run[at]);
				ck_assert(same(phases_block(file, step.what.blocks[b]), &block));
			}
	}
	ck_assert_int_eq(more, 0);
	struct phases_damage damage;
	phases_damage(file, &damage);
	*whole = blocks == count;
	ck_assert(*whole || lost || damage.no_end);
	ck_assert(!damage.no_end || phases_end(file) == NULL);
	phases_close(file);
}

START_TEST(cut_off)
{
	const size_t count = 6000;
	struct memory m = {0};
	bool whole;
	uint32_t *run = make_run(5, count);
	ck_assert_int_eq(write_run(&m, run, count, 0, 1000), PHASES_OK);
	for (size_t size = 0; size < m.used; size += 1 + size % 7)
		check_rest(&m, size, run, count, &whole);
	check_rest(&m, m.used, run, count, &whole);
	ck_assert(whole);
	free(m.bytes);
	free(run);
}
END_TEST

START_TEST(damaged_anywhere)
{
	const size_t count = 6000;
	struct memory m = {0};
	bool whole;
	uint32_t *run = make_run(6, count);
	ck_assert_int_eq(write_run(&m, run, count, 0, 1000), PHASES_OK);
	for (size_t at = 0; at < m.used; at++) {
		m.bytes[at] ^= (uint8_t)(1u << at % 8);
		check_rest(&m, m.used, run, count, &whole);
		ck_assert_msg(is_noticed(&m), "byte %zu of %zu", at, m.used);
		m.bytes[at] ^= (uint8_t)(1u << at % 8);
	}
	ck_assert(!is_noticed(&m));
	check_rest(&m, m.used, run, count, &whole);
	ck_assert(whole);
	free(m.bytes);
	free(run);
}
END_TEST

START_TEST(gap_is_in_the_file)
{
	const size_t count = 20000;
	struct memory m = {0};
	struct phases_file *file;
	const struct phases_mark *marks;
	size_t mark_count;
	char detail[200];
	uint64_t before = 0;
	uint32_t *run = make_run(8, count);
	ck_assert_int_eq(write_run(&m, run, count, 12345, 0), PHASES_OK);
	for (size_t i = 0; i < 12345; i++)
		before += block_of(run[i]).instructions;
	ck_assert_int_eq(phases_open_memory(&file, m.bytes, m.used, detail, sizeof detail), PHASES_OK);
	ck_assert_int_eq(phases_marks(file, &marks, &mark_count), PHASES_OK);
	ck_assert_uint_eq(mark_count, 1);
	ck_assert_int_eq(marks[0].kind, PHASES_GAP);
	ck_assert_uint_eq(marks[0].value, 17);
	ck_assert_uint_eq(marks[0].instruction, before);
	ck_assert_uint_eq(phases_end(file)->missing, 17);
	phases_close(file);
	free(m.bytes);
	free(run);
}
END_TEST

START_TEST(full_disk)
{
	const size_t count = 20000;
	struct memory m = {.limit = 3000};
	uint32_t *run = make_run(9, count);
	ck_assert_int_eq(write_run(&m, run, count, 0, 1000), PHASES_EWRITE);
	bool whole;
	check_rest(&m, m.used, run, count, &whole); /* what there is can be read */
	ck_assert(!whole);
	free(m.bytes);
	free(run);
}
END_TEST

START_TEST(values_that_no_run_has)
{
	struct memory m = {0};
	struct phases_writer *w;
	struct phases_header header = {.program = "x"};
	uint32_t number;
	struct phases_file *file;
	char detail[200];
	ck_assert_int_eq(phases_writer_open(&w, &header, NULL, 20, emit, &m), PHASES_EVALUE);
	ck_assert_int_eq(phases_writer_open(&w, &header, NULL, 0, emit, &m), PHASES_OK);
	ck_assert_int_eq(phases_writer_block(w, &(struct phases_block){1, 2, 1, 0}, &number), PHASES_EVALUE);
	ck_assert_int_eq(phases_writer_block(w, &(struct phases_block){2, 2, 2, 0}, &number), PHASES_EVALUE);
	ck_assert_int_eq(phases_writer_block(w, &(struct phases_block){2, 2, 0, 0}, &number), PHASES_EVALUE);
	ck_assert_int_eq(phases_writer_block(w, &(struct phases_block){2, 2, 1, 0}, &number), PHASES_OK);
	number = 1;
	ck_assert_int_eq(phases_writer_feed(w, &number, 1), PHASES_EVALUE);
	ck_assert_int_eq(phases_writer_finish(w, PHASES_END_EXIT), PHASES_OK); /* a run of nothing */
	phases_writer_close(w);
	ck_assert_int_eq(phases_open_memory(&file, m.bytes, m.used, detail, sizeof detail), PHASES_OK);
	ck_assert_int_eq(phases_seek(file, PHASES_INSTRUCTION, 0), PHASES_EEND);
	phases_close(file);
	m.bytes[8 + 20] = 2; /* the version of the first section */
	ck_assert_int_eq(phases_open_memory(&file, m.bytes, m.used, detail, sizeof detail), PHASES_EVERSION);
	ck_assert_int_eq(phases_open_memory(&file, "RVRECORD", 8, detail, sizeof detail), PHASES_EFORMAT);
	free(m.bytes);
}
END_TEST

/* ---------------------------------------------------------------- intervals and phases */

static void look(void *context, const struct phases_block *block, struct interval_block *what)
{
	(void)context;
	const uint32_t b = (uint32_t)(block->address - 0x80000000u) / 16;
	what->function = b >= 200;
	what->branch = b % 4 == 0;
}

START_TEST(three_parts)
{
	const size_t count = 90000;
	struct memory m = {0};
	struct phases_file *file;
	struct intervals intervals;
	struct segments segments;
	struct segments_config config;
	struct phases_place total;
	struct detector_limits limits;
	char detail[200];
	uint64_t bounds[2] = {0, 0}, instructions = 0;
	uint32_t *run = make_run(11, count);
	for (size_t i = 0; i < count; i++) {
		if (i == count / 3 + 1)
			bounds[0] = instructions;
		if (i == 2 * (count / 3 + 1))
			bounds[1] = instructions;
		instructions += block_of(run[i]).instructions;
	}
	ck_assert_int_eq(write_run(&m, run, count, 0, 0), PHASES_OK);
	ck_assert_int_eq(phases_open_memory(&file, m.bytes, m.used, detail, sizeof detail), PHASES_OK);
	ck_assert_int_eq(
	    intervals_make(&intervals, file, 500, &(struct intervals_watch){look, NULL, NULL, NULL}), PHASES_OK);
	phases_total(file, &total);
	uint64_t sum = 0, branches = 0;
	for (uint32_t i = 0; i < intervals.count; i++) {
		sum += intervals.interval[i].instructions;
		branches += intervals.interval[i].branches;
	}
	for (size_t i = 0; i < count; i++)
		branches -= run[i] % 4 == 0;
	ck_assert_uint_eq(sum, instructions);
	ck_assert_uint_eq(branches, 0);
	segments_config_default(&config);
	ck_assert_int_eq(segments_make(&segments, &intervals, &total, &config), PHASES_OK);
	ck_assert_uint_eq(segments.count, 3); /* many blocks, few, many again */
	ck_assert_uint_eq(segments.phases, 2);
	ck_assert_uint_eq(segments.segment[0].phase, segments.segment[2].phase);
	for (unsigned k = 0; k < 2; k++) { /* within 1% of the run */
		const uint64_t at = intervals.interval[segments.segment[k + 1].first].place.at[PHASES_INSTRUCTION];
		const uint64_t apart = at > bounds[k] ? at - bounds[k] : bounds[k] - at;
		ck_assert_uint_le(apart, instructions / 100);
	}
	detector_limits_default(&limits);
	for (enum detector d = DETECT_WORKING_SET; d <= DETECT_BLOCKS; d++) {
		uint32_t i = 1; /* each sees the boundaries */
		while (i < intervals.count && !detector_change(&intervals, i, d, &limits))
			i++;
		ck_assert_uint_lt(i, intervals.count);
		ck_assert(detector_agreement(&intervals, d, d, &limits, 0) == 1.0);
	}
	segments_free(&segments);
	intervals_free(&intervals);
	phases_close(file);
	free(m.bytes);
	free(run);
}
END_TEST

/* Letters are segments; the shortest nested repetition, and how many symbols it has. */
START_TEST(phases_as_grammar)
{
	static const struct {
		const char *segments, *grammar;
		uint32_t symbols;
	} cases[] = {
	    {"", "", 0},
	    {"A", "A", 1},
	    {"AAAA", "A", 1}, /* neighbours of one phase are one */
	    {"ABC", "A B C", 3},
	    {"ABAB", "[A B]^2", 3},
	    {"ABCBCABCBC", "[A (B C)^2]^2", 5},
	    {"ABCBCABCBCD", "[A (B C)^2]^2 D", 6},
	    {"ABABABABA", "[A B]^4 A", 4},
	    {"ABABCABABCDABABCABABCD", "[([A B]^2 C)^2 D]^2", 7},
	};
	for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
		struct segment segment[32] = {0};
		struct segments segments = {.segment = segment};
		struct phase_grammar grammar;
		char text[200], cut[4];
		for (const char *s = cases[c].segments; *s != '\0'; s++)
			segment[segments.count++].phase = (uint32_t)(*s - 'A');
		ck_assert_int_eq(phase_grammar_make(&grammar, &segments), PHASES_OK);
		const size_t length = phase_grammar_text(&grammar, text, sizeof text);
		ck_assert_uint_eq(length, strlen(text));
		ck_assert_str_eq(text, cases[c].grammar);
		ck_assert_uint_eq(grammar.symbols, cases[c].symbols);
		ck_assert_uint_eq(phase_grammar_text(&grammar, cut, sizeof cut), length);
		ck_assert_int_eq(strncmp(cut, text, sizeof cut - 1), 0);
		phase_grammar_free(&grammar);
	}
}
END_TEST

/* What a grammar says, said in full, is the sequence: random ones, with repetitions in them. */
START_TEST(grammar_says_the_sequence)
{
	static struct segment segment[600];
	uint32_t random = 7;
	for (unsigned round = 0; round < 300; round++) {
		struct segments segments = {.segment = segment};
		struct phase_grammar grammar;
		uint32_t said[600], open[600], at[600], depth = 0, count = 0;
		while (segments.count < 40 + round % 60) {
			random = random * 1664525u + 1013904223u;
			const uint32_t back = 1 + (random >> 8) % 6, times = 1 + (random >> 16) % 3;
			if (segments.count >= back && random >> 31 != 0)
				for (uint32_t n = back * times; n > 0; n--, segments.count++)
					segment[segments.count].phase = segment[segments.count - back].phase;
			else
				segment[segments.count++].phase = (random >> 20) % 5;
		}
		ck_assert_int_eq(phase_grammar_make(&grammar, &segments), PHASES_OK);
		for (size_t i = 0; i < grammar.count; i++) {
			const struct phase_grammar_item *item = &grammar.item[i];
			if (item->kind == GRAMMAR_OPEN) {
				open[depth] = (uint32_t)i;
				at[depth++] = count;
			} else if (item->kind == GRAMMAR_PHASE) {
				said[count++] = item->value;
			} else {
				const uint32_t from = at[--depth], length = count - from;
				ck_assert_uint_lt(open[depth], i);
				for (uint32_t n = length * (item->value - 1); n > 0; n--, count++)
					said[count] = said[count - length];
			}
		}
		ck_assert_uint_eq(depth, 0);
		uint32_t seen = 0;
		for (uint32_t i = 0; i < segments.count; i++)
			if (i == 0 || segment[i].phase != segment[i - 1].phase)
				ck_assert_uint_eq(said[seen++], segment[i].phase);
		ck_assert_uint_eq(seen, count);
		phase_grammar_free(&grammar);
	}
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("phases");
	TCase *tc = tcase_create("all");
	tcase_set_timeout(tc, 120);
	tcase_add_loop_test(tc, lossless, 0, 4);
	tcase_add_test(tc, seek);
	tcase_add_test(tc, cut_off);
	tcase_add_test(tc, damaged_anywhere);
	tcase_add_test(tc, gap_is_in_the_file);
	tcase_add_test(tc, full_disk);
	tcase_add_test(tc, values_that_no_run_has);
	tcase_add_test(tc, three_parts);
	tcase_add_test(tc, phases_as_grammar);
	tcase_add_test(tc, grammar_says_the_sequence);
	suite_add_tcase(suite, tc);
	return suite_finish(suite);
}
