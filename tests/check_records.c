/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#include "tests/records_bench.h"
#include "tests/suite.h"

START_TEST(round_trip)
{
	static const struct {
		uint64_t count, block;
	} cases[] = {
	    {1, 0}, {2, 1}, {1000, 0}, {1000, 7}, {RECORDS_BLOCK_MAX, 0}, {RECORDS_BLOCK_MAX + 1, 0}, {200000, 0}};
	struct bytes b;
	struct records *r;
	make(&b, cases[_i].count, cases[_i].block, true, "round");
	ck_assert(records_is(b.at, b.size));
	ck_assert_int_eq(records_open_memory(&r, b.at, b.size, NULL, 0), RECORDS_OK);
	const struct records_header *h = records_header(r);
	ck_assert_ptr_nonnull(h);
	ck_assert_uint_eq(h->xlen, 32);
	ck_assert_uint_eq(h->hist, 32);
	ck_assert_uint_eq(h->insn_bits, 16);
	ck_assert_uint_eq(h->cycle_bits, 16);
	ck_assert_uint_eq(h->repeat_bits, 8);
	ck_assert_uint_eq(h->ctrl, (RV_CTRL_MODES_MASK | RV_CTRL_ENABLE_MASK));
	ck_assert_uint_eq(h->source, RECORDS_RTL);
	ck_assert(h->has_build);
	ck_assert_uint_eq(h->build, header.build);
	ck_assert_uint_eq(h->code_crc, header.code_crc);
	ck_assert_str_eq(h->build_id, header.build_id);
	ck_assert_str_eq(h->name, "round");
	ck_assert_str_eq(h->options, header.options);
	const struct records_end *e = records_end(r);
	ck_assert_ptr_nonnull(e);
	ck_assert_uint_eq(e->records, cases[_i].count);
	ck_assert_uint_eq(e->cycles, end.cycles);
	ck_assert_uint_eq(e->instructions, end.instructions);
	ck_assert_uint_eq(e->lost, 3);
	ck_assert_uint_eq(e->ending, RECORDS_END_LIMIT);
	ck_assert_uint_eq(e->exit_code, 77);
	struct records_extent extent;
	records_extent(r, &extent);
	ck_assert(extent.indexed);
	ck_assert_uint_eq(extent.records, cases[_i].count);
	ck_assert_uint_eq(extent.missing, 0);
	records_close(r);
	struct found found = read_all(b.at, b.size);
	ck_assert_uint_eq(found.records, cases[_i].count);
	ck_assert_uint_eq(found.damage, 0);
	free(b.at);
}
END_TEST

START_TEST(no_records)
{
	struct bytes b;
	struct records *r;
	struct item item;
	make(&b, 0, 0, true, "empty");
	ck_assert_int_eq(records_open_memory(&r, b.at, b.size, NULL, 0), RECORDS_OK);
	ck_assert_int_eq(records_next(r, &item.record, &item.place), 0);
	ck_assert_int_eq(records_seek(r, 5), RECORDS_OK);
	ck_assert_int_eq(records_next(r, &item.record, &item.place), 0);
	ck_assert_uint_eq(records_end(r)->records, 0);
	records_close(r);
	free(b.at);
}
END_TEST

enum { CLOCK_KEYS = 50, CLOCK_USES = 100000, CLOCK_BATCH = 100 };

static void write_clocked(
    struct records_writer *w, const struct records_many *many, struct record_place *place, bool clocked)
{
	size_t taken;
	place->time += 1000;
	if (clocked) {
		ck_assert_int_eq(records_write_many(w, many, place, &taken), RECORDS_OK);
		ck_assert_uint_eq(taken, many->count);
		return;
	}
	for (size_t i = 0; i < many->count; i++) {
		for (uint32_t k = 0; k < many->runs[i].count; k++) {
			const struct record *key = &many->keys[many->runs[i].key];
			place->time += key->insns;
			ck_assert_int_eq(records_write(w, key, place), RECORDS_OK);
		}
	}
}

/* Runs of traces whose times are their instructions; before some of them something else lies. The clock may be told as
 * such, or as times alone, record by record. */
static void make_clocked(struct bytes *b, bool clocked, uint64_t *last)
{
	static struct record keys[CLOCK_KEYS];
	static struct record_run runs[CLOCK_USES];
	struct record_place place = {.ctrl = RV_CTRL_ENABLE_MASK};
	struct records_header untimed = header;
	struct records_writer *w;
	untimed.clocked = clocked;
	untimed.cycle_bits = 0;
	untimed.source = RECORDS_QEMU;
	for (uint32_t i = 0; i < CLOCK_KEYS; i++)
		keys[i] = (struct record){
		    .start = 0x1000 + 8 * i, .hist = 1, .count = 1, .insns = 3 + 7 * i, .reason = TRACE_INDIRECT};
	*b = (struct bytes){0};
	ck_assert_int_eq(records_writer_open(&w, &untimed, 1, keep, b), RECORDS_OK);
	records_writer_merge(w);
	for (uint32_t i = 0; i < CLOCK_USES; i++)
		runs[i] = (struct record_run){i * i % CLOCK_KEYS, 1 + i % 3};
	for (uint32_t i = 0; i < CLOCK_USES; i += CLOCK_BATCH)
		write_clocked(w, &(struct records_many){keys, CLOCK_KEYS, runs + i, CLOCK_BATCH}, &place, clocked);
	*last = place.time;
	ck_assert_int_eq(records_writer_finish(w, &end), RECORDS_OK);
	records_writer_close(w);
}

START_TEST(times_of_instructions)
{
	struct bytes b[2];
	struct records *r[2];
	struct item one[2];
	uint64_t last;
	for (int i = 0; i < 2; i++) {
		make_clocked(&b[i], i == 1, &last);
		ck_assert_int_eq(records_open_memory(&r[i], b[i].at, b[i].size, NULL, 0), RECORDS_OK);
		ck_assert_int_eq(records_header(r[i])->clocked, i == 1);
	}
	ck_assert_uint_lt(b[1].size, b[0].size);
	uint64_t read = 0, time = 0;
	while (records_next(r[0], &one[0].record, &one[0].place) == 1) {
		ck_assert_int_eq(records_next(r[1], &one[1].record, &one[1].place), 1);
		ck_assert_uint_eq(one[0].place.time, one[1].place.time);
		ck_assert_uint_eq(one[0].place.number, one[1].place.number);
		ck_assert_uint_eq(one[0].record.start, one[1].record.start);
		ck_assert_uint_eq(one[0].record.count, one[1].record.count);
		ck_assert_uint_eq(one[1].record.cycles, 0);
		ck_assert_uint_gt(one[0].place.time, time);
		time = one[0].place.time;
		read++;
	}
	ck_assert_int_eq(records_next(r[1], &one[1].record, &one[1].place), 0);
	ck_assert_uint_gt(read, 65536); /* more than a block */
	ck_assert_uint_eq(time, last);
	for (int i = 0; i < 2; i++) {
		records_close(r[i]);
		free(b[i].at);
	}
}
END_TEST

START_TEST(refused_values)
{
	struct bytes b = {0};
	struct records_writer *w;
	ck_assert_int_eq(records_writer_open(&w, &header, 0, keep, &b), RECORDS_OK);
	const struct item good = {
	    .record = {
		.start = 2, .hist = 1, .count = UINT16_MAX, .timed = UINT16_MAX, .cycles = UINT32_MAX, .reason = 7}};
	for (int i = 0; i < 7; i++) {
		struct item bad = good;
		if (i == 0)
			bad.record.start = 3;
		else if (i == 1)
			bad.record.hist = 0;
		else if (i == 2)
			bad.record.count = bad.record.timed = 0;
		else if (i == 3)
			bad.record.reason = TRACE_REASONS;
		else if (i == 4)
			bad.record.count = UINT16_MAX + 1;
		else if (i == 5)
			bad.record.cycles = UINT64_C(1) << 32;
		else
			bad.record.count--;
		ck_assert_int_eq(records_write(w, &bad.record, &bad.place), RECORDS_EVALUE);
	}
	ck_assert_int_eq(records_write(w, &good.record, &good.place), RECORDS_OK);
	ck_assert_uint_eq(records_written(w), 1);
	records_writer_close(w);
	free(b.at);
}
END_TEST

START_TEST(write_errors)
{
	int allowed = _i;
	struct records_writer *w;
	const struct item item = made_up(0);
	ck_assert_int_eq(records_writer_open(&w, &header, 0, refuse, &allowed), RECORDS_OK);
	ck_assert_int_eq(records_write(w, &item.record, &item.place), RECORDS_OK);
	ck_assert_int_eq(records_writer_finish(w, &end), RECORDS_EWRITE);
	ck_assert_int_eq(records_write(w, &item.record, &item.place), RECORDS_EWRITE);
	records_writer_close(w);
}
END_TEST

/* CTRL changes from record to record; each comes back with its own. */
START_TEST(ctrl_changes)
{
	struct bytes b = {0};
	struct records_writer *w;
	struct records *r;
	struct item item;
	ck_assert_int_eq(records_writer_open(&w, &header, 0, keep, &b), RECORDS_OK);
	for (uint32_t n = 0; n < 100; n++) {
		item = made_up(n);
		item.place.ctrl = n / 7;
		ck_assert_int_eq(records_write(w, &item.record, &item.place), RECORDS_OK);
	}
	ck_assert_int_eq(records_writer_finish(w, &end), RECORDS_OK);
	records_writer_close(w);
	ck_assert_int_eq(records_open_memory(&r, b.at, b.size, NULL, 0), RECORDS_OK);
	for (uint32_t n = 0; n < 100; n++) {
		struct item want = made_up(n);
		want.place.ctrl = n / 7;
		ck_assert_int_eq(records_next(r, &item.record, &item.place), 1);
		check_item(&item, &want);
	}
	ck_assert_int_eq(records_next(r, &item.record, &item.place), 0);
	records_close(r);
	free(b.at);
}
END_TEST

START_TEST(seek)
{
	struct bytes b;
	struct records *r;
	struct item item;
	make(&b, 3000, 100, true, "seek");
	ck_assert_int_eq(records_open_memory(&r, b.at, b.size, NULL, 0), RECORDS_OK);
	for (uint64_t n = 2999;; n -= 37) {
		ck_assert_int_eq(records_seek(r, n), RECORDS_OK);
		ck_assert_int_eq(records_next(r, &item.record, &item.place), 1);
		ck_assert_uint_eq(item.place.number, n);
		ck_assert_int_eq(records_seek_cycle(r, made_up(n).place.time), RECORDS_OK);
		ck_assert_int_eq(records_next(r, &item.record, &item.place), 1);
		ck_assert_uint_eq(item.place.number, n);
		ck_assert_int_eq(records_seek_cycle(r, made_up(n).place.time + 1), RECORDS_OK);
		ck_assert_int_eq(records_next(r, &item.record, &item.place), n == 2999 ? 0 : 1);
		if (n < 37)
			break;
		ck_assert_uint_eq(records_missing(r), 0);
	}
	ck_assert_int_eq(records_seek(r, 3000), RECORDS_OK);
	ck_assert_int_eq(records_next(r, &item.record, &item.place), 0);
	ck_assert_int_eq(records_seek_cycle(r, UINT64_MAX), RECORDS_OK);
	ck_assert_int_eq(records_next(r, &item.record, &item.place), 0);
	records_rewind(r);
	ck_assert_int_eq(records_next(r, &item.record, &item.place), 1);
	ck_assert_uint_eq(item.place.number, 0);
	size_t kept;
	uint64_t damage;
	records_damage(r, &kept, &damage);
	ck_assert_uint_eq(damage, 0);
	records_close(r);
	free(b.at);
}
END_TEST

/* The sums by block are the sums by record. */
START_TEST(profile_of)
{
	struct bytes b;
	struct records *r;
	struct profile profile, wanted;
	make(&b, 150000, 0, true, "profile");
	ck_assert_int_eq(records_open_memory(&r, b.at, b.size, NULL, 0), RECORDS_OK);
	ck_assert_int_eq(profile_init(&profile), PROFILE_OK);
	ck_assert_int_eq(profile_init(&wanted), PROFILE_OK);
	ck_assert_int_eq(records_profile(r, &profile, NULL, NULL), RECORDS_OK);
	for (uint64_t n = 0; n < 150000; n++) {
		struct item item = made_up(n);
		if (profile_add(&wanted, &item.record) != PROFILE_OK)
			ck_abort_msg("record %zu is not counted", (size_t)n);
	}
	ck_assert_uint_eq(profile.used, wanted.used);
	ck_assert_uint_eq(profile.total, wanted.total);
	for (size_t i = 0; i < wanted.used; i++) {
		const struct record *want = &wanted.entries[i];
		const struct record *got = profile_find(&profile, want->start, want->hist, record_partial(want));
		ck_assert_ptr_nonnull(got);
		ck_assert_uint_eq(got->count, want->count);
		ck_assert_uint_eq(got->cycles, want->cycles);
		ck_assert_uint_eq(got->insns, want->insns);
	}
	ck_assert(profile.has_header && profile.has_end);
	ck_assert_uint_eq(profile.header.build, header.build);
	ck_assert_uint_eq(profile.end.cycles, 999990);
	profile_fini(&profile);
	profile_fini(&wanted);
	records_close(r);
	free(b.at);
}
END_TEST

enum { CHAIN_KEYS = 61, CHAIN_ONCE = 3, CHAIN_USES = 90000, CHAIN_ODD = CHAIN_USES / 10, CHAIN_PARTS = 4 };

struct chain_made {
	struct record keys[CHAIN_KEYS];
	uint16_t uses[CHAIN_USES];
	struct record_odd odd[CHAIN_ODD];
	struct record_chain chain;
	uint64_t end; /* when the last one left */
};

static uint32_t chain_random(uint64_t *state)
{
	*state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (uint32_t)(*state >> 33);
}

/* Two keys in a row differ in cycles alone; the last one is refused. The first are others in each part. */
static void make_chain_keys(struct chain_made *m, uint32_t part)
{
	for (uint32_t i = part == 0 ? 0 : CHAIN_KEYS; i < CHAIN_KEYS; i++)
		m->keys[i] = (struct record){.start = 0x1000 + 8 * (i / 2),
		    .hist = 1,
		    .count = 1,
		    .timed = 1,
		    .insns = 3 + i / 2,
		    .cycles = i % 17 == 5 ? 30000 : 3 + i,
		    .reason = i / 2 % 3 == 0 ? TRACE_BACKWARD : TRACE_INDIRECT};
	m->keys[CHAIN_KEYS - 1].start |= 1;
	for (uint32_t i = 0; i < CHAIN_ONCE; i++)
		m->keys[i].start = 0x8000 + 0x100 * part + 8 * i;
}

/* Loops of any length, few keys first; now and then what stands there comes again for a while. odd: one of so many
 * records is odd; 0: none. */
static void make_chain(struct chain_made *m, uint64_t *state, uint32_t odd, uint64_t begin)
{
	uint32_t left = 0, use = 0, again = 0, period = 0;
	m->chain = (struct record_chain){.keys = m->keys,
	    .key_count = CHAIN_KEYS,
	    .once = CHAIN_ONCE,
	    .uses = m->uses,
	    .count = CHAIN_USES,
	    .odd = m->odd,
	    .begin = begin};
	m->end = begin;
	for (uint32_t i = 0; i < CHAIN_USES; i++) {
		if (left == 0) {
			const uint32_t kind = chain_random(state) % 512;
			use = chain_random(state) % (i < CHAIN_USES / 3 ? 8 : CHAIN_KEYS);
			left = kind == 0 ? 600 : 1 + (kind < 20 ? chain_random(state) % 40 : 0);
		}
		left--;
		if (again == 0 && i > 2000 && chain_random(state) % 1500 == 0) {
			period = 1 + chain_random(state) % (chain_random(state) % 2 == 0 ? 5 : 1000);
			again = 300 + chain_random(state) % 3000;
		}
		if (again > 0) {
			again--;
			use = m->uses[i - period];
		}
		m->uses[i] = (uint16_t)use;
		uint32_t cycles = (uint32_t)m->keys[use].cycles, later = 0;
		const bool is_odd = odd != 0 && chain_random(state) % odd == 0 && m->chain.odd_count < CHAIN_ODD;
		if (is_odd) {
			cycles += chain_random(state) % 3;
			later = chain_random(state) % 2 * 100;
		}
		m->end += cycles + later;
		if (is_odd)
			m->odd[m->chain.odd_count++] = (struct record_odd){.time = m->end, .at = i, .cycles = cycles};
	}
}

/* The same, one by one. */
static void write_chain_singly(
    struct records_writer *w, const struct chain_made *m, struct record_place place, uint64_t *refused)
{
	const struct record_odd *odd = m->odd, *const odd_end = m->odd + m->chain.odd_count;
	place.time = m->chain.begin;
	for (uint32_t i = 0; i < CHAIN_USES; i++) {
		struct record record = m->keys[m->uses[i]];
		place.time += record.cycles;
		if (odd < odd_end && odd->at == i) {
			record.cycles = odd->cycles;
			place.time = odd->time;
			odd++;
		}
		int error = records_write(w, &record, &place);
		if (error == RECORDS_EVALUE) {
			++*refused;
			error = records_writer_skip(w, 1);
		}
		if (error != RECORDS_OK)
			ck_abort_msg("record %u is not taken", (unsigned)i);
	}
}

static void write_chains(struct bytes *b, bool chained, bool merging, uint32_t odd, uint64_t *refused)
{
	static struct chain_made made;
	struct records_header coded = header; /* the one coding is read as the other */
	struct records_writer *w;
	uint64_t state = odd, begin = 1000;
	coded.multiplied = chained;
	*b = (struct bytes){0};
	*refused = 0;
	ck_assert_int_eq(records_writer_open(&w, &coded, 1, keep, b), RECORDS_OK);
	if (merging)
		records_writer_merge(w);
	for (uint32_t i = 0; i < CHAIN_PARTS; i++) {
		const struct record_place place = {
		    .ctrl = RV_CTRL_ENABLE_MASK | (i < CHAIN_PARTS - 1 ? 0 : RV_CTRL_MODES_MASK)};
		make_chain_keys(&made, i);
		make_chain(&made, &state, odd, begin);
		begin = made.end;
		if (chained)
			ck_assert_int_eq(records_write_chain(w, &made.chain, &place, refused), RECORDS_OK);
		else
			write_chain_singly(w, &made, place, refused);
	}
	ck_assert_int_eq(records_writer_finish(w, &end), RECORDS_OK);
	records_writer_close(w);
}

/* What is written as a chain reads as what is written record by record. */
START_TEST(chains)
{
	static const uint32_t odds[] = {0, 12, 5000};
	struct bytes b[2];
	struct records *r[2];
	struct item one[2];
	uint64_t refused[2];
	for (int i = 0; i < 2; i++) {
		write_chains(&b[i], i == 0, _i / 3 == 1, odds[_i % 3], &refused[i]);
		ck_assert_int_eq(records_open_memory(&r[i], b[i].at, b[i].size, NULL, 0), RECORDS_OK);
	}
	uint64_t read = 0;
	while (records_next(r[1], &one[1].record, &one[1].place) == 1) {
		if (records_next(r[0], &one[0].record, &one[0].place) != 1)
			ck_abort_msg("record %zu is missing in the chain", (size_t)read);
		check_item(&one[0], &one[1]);
		read++;
	}
	ck_assert_int_eq(records_next(r[0], &one[0].record, &one[0].place), 0);
	ck_assert_uint_gt(read, RECORDS_BLOCK_MAX);
	ck_assert_uint_gt(refused[0], 100);
	ck_assert_uint_eq(refused[0], refused[1]);
	ck_assert_uint_eq(records_missing(r[0]), refused[0]);
	ck_assert_uint_eq(records_missing(r[1]), refused[1]);
	ck_assert_uint_eq(records_end(r[0])->records, records_end(r[1])->records);
	ck_assert_uint_eq(records_end(r[0])->traces, records_end(r[1])->traces);
	for (int i = 0; i < 2; i++) {
		records_close(r[i]);
		free(b[i].at);
	}
}
END_TEST

/* A record that does not become one with the next comes again and again (period 1), where the block has little room. */
START_TEST(chain_ends_block)
{
	static uint16_t uses[RECORDS_BLOCK_MAX];
	const struct record key = {.start = 8, .hist = 1, .count = 1, .insns = 3, .cycles = 5, .reason = TRACE_TRAP};
	const struct record_place place = {.ctrl = RV_CTRL_ENABLE_MASK};
	const size_t before = RECORDS_BLOCK_MAX - (size_t)_i, behind = 200;
	struct record_chain chain = {.keys = &key, .key_count = 1, .uses = uses, .count = before};
	struct records_writer *w;
	struct bytes b = {0};
	uint64_t refused = 0, read = 0;
	ck_assert_int_eq(records_writer_open(&w, &header, 1, keep, &b), RECORDS_OK);
	records_writer_merge(w);
	ck_assert_int_eq(records_write_chain(w, &chain, &place, &refused), RECORDS_OK);
	chain.begin = key.cycles * before;
	chain.count = behind;
	ck_assert_int_eq(records_write_chain(w, &chain, &place, &refused), RECORDS_OK);
	ck_assert_int_eq(records_writer_finish(w, &end), RECORDS_OK);
	records_writer_close(w);
	struct records *r;
	struct item one;
	ck_assert_int_eq(records_open_memory(&r, b.at, b.size, NULL, 0), RECORDS_OK);
	while (records_next(r, &one.record, &one.place) == 1)
		ck_assert_uint_eq(one.place.time, key.cycles * ++read);
	ck_assert_uint_eq(read, before + behind);
	records_close(r);
	free(b.at);
}
END_TEST

int main(void)
{
	const struct suite_case cases[] = {
	    {"format", round_trip, 7},
	    {"format", no_records, 0},
	    {"format", times_of_instructions, 0},
	    {"format", refused_values, 0},
	    {"format", write_errors, 5},
	    {"format", ctrl_changes, 0},
	    {"format", seek, 0},
	    {"format", profile_of, 0},
	    {"chains", chains, 6},
	    {"chains", chain_ends_block, 8},
	};
	return SUITE_RUN("records", cases, NULL, NULL);
}
