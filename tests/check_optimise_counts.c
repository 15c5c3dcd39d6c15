/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* The optimiser and its profile: what counts say about places and traces, and records of the patched program in the
 * program's own addresses. */
#include "sw/optimise/paid.h"
#include "tests/optimise_program.h"

/* ---- records of the patched program in the program's own addresses ---- */

static uint8_t original[CODE];
static struct optimise_code original_piece = {BASE, CODE, original};
static struct {
	struct judge_machine machine; /* of the program without patches */
	struct judge judge;
	struct optimise view; /* what judge_fetch() sees: the original, and no cache */
	uint32_t parts, insns;
	bool wrong;
	uint16_t outcomes[CODE / 2][2]; /* of each branch, in the record: fell through, taken */
	char text[200];
} plain;

/* A part must be what the program without patches does next. */
static void compare_part(void *context, const struct record *part)
{
	unsigned bits = 31 - (unsigned)__builtin_clz((uint32_t)part->hist);
	(void)context;
	plain.parts++;
	if (plain.wrong)
		return;
	uint32_t first = plain.machine.pc;
	bool good = part->start == plain.machine.pc;
	for (uint32_t n = 0; good && n < part->insns; n++) {
		struct isa_insn insn;
		uint32_t pc = plain.machine.pc;
		good = judge_fetch(&plain.judge, pc, &insn) && judge_step(&plain.machine, &insn);
		if (good && insn.class_bits & ISA_BRANCH) {
			bool taken = plain.machine.pc != pc + insn.length;
			good = bits > 0 && (part->hist >> --bits & 1) == taken;
			plain.outcomes[(pc - BASE) / 2][taken]++;
		}
		plain.insns++;
	}
	if (!good || bits != 0) {
		plain.wrong = true;
		snprintf(plain.text, sizeof plain.text,
		    "part %u: start 0x%08x, history 0x%x, %u instructions, reason %u; the program begins at 0x%08x and "
		    "is at 0x%08x, %u outcomes left",
		    plain.parts, (unsigned)part->start, (unsigned)part->hist, part->insns, part->reason, first,
		    plain.machine.pc, bits);
	}
}

/* In the middle of an instruction that is patched, or in front of it with an end in it: random code overlaps, programs
 * do not. */
static bool near_patch(uint32_t pc)
{
	struct isa_insn insn;
	for (uint32_t i = 0; i < optimise.patch_count; i++)
		if (optimise.patches[i].pc == pc - 2 ||
		    (optimise.patches[i].pc == pc + 2 && judge_fetch(&plain.judge, pc, &insn) && insn.length == 4))
			return true;
	return false;
}

/* What a record of the patched program tells about the program's branches: the outcomes behind a patch are those of
 * the cache, where branches are turned. Counts it; returns how many outcomes it has told. */
static uint32_t told_outcomes(const struct record *record)
{
	uint32_t told = 0;
	for (uint32_t i = 0; i < optimise.weight_room; i++)
		optimise.weights[i].taken = optimise.weights[i].fall = 0;
	if ((uint32_t)record->start - CACHE < sizeof cache)
		optimise_record_inside(&optimise, (uint32_t)record->start, (uint32_t)record->hist, 1);
	else
		optimise_record(&optimise, (uint32_t)record->start, (uint32_t)record->hist, 1);
	for (uint32_t i = 0; i < optimise.weight_room; i++)
		if (optimise.weights[i].pc != 1)
			told += optimise.weights[i].taken + optimise.weights[i].fall;
	return told;
}

/* Has the program done, in the record, what told_outcomes() has counted? */
static bool outcomes_are_true(void)
{
	for (uint32_t i = 0; i < optimise.weight_room; i++) {
		const struct optimise_weight *w = &optimise.weights[i];
		uint32_t at = (w->pc - BASE) / 2;
		if (w->pc != 1 && w->taken + w->fall != 0 &&
		    (at >= CODE / 2 || w->taken > plain.outcomes[at][1] || w->fall > plain.outcomes[at][0]))
			return false;
	}
	return true;
}

/* Records that told outcomes: by way of a patch; others than the program had. */
static uint32_t patched_told, wrong_told;

/* The unit's records of the patched program from a patch on, each translated, against the program. Returns their
 * number. */
static uint32_t translated_run(uint32_t from, uint32_t seed, unsigned bits)
{
	static struct judge_memory memories[2];
	struct judge_machine m = {.pc = from, .seed = judge_random(&seed), .hash = 1};
	for (unsigned r = 1; r < 32; r++)
		m.x[r] = judge_value(&seed);
	plain.machine = m;
	m.memory = &memories[0];
	plain.machine.memory = &memories[1];
	for (unsigned i = 0; i < 2; i++) {
		memories[i].now++;
		memories[i].used = 0;
	}
	judge.optimise = &optimise;
	judge.cache = cache;
	plain.view.config = optimise.config;
	plain.view.config.code = &original_piece;
	plain.judge.optimise = &plain.view;
	struct record raw = {.start = from, .hist = 1, .count = 1, .timed = 1};
	uint32_t records = 0;
	for (unsigned n = 0; n < 400; n++) {
		struct isa_insn insn;
		uint32_t pc = m.pc;
		if (near_patch(pc))
			break;
		bool can = judge_fetch(&judge, pc, &insn) && judge_step(&m, &insn);
		bool branch = can && insn.class_bits & ISA_BRANCH, taken = can && m.pc != pc + insn.length;
		raw.insns += can;
		if (branch)
			raw.hist = raw.hist << 1 | taken;
		/* a random value that is an address of the cache: no program has it */
		bool stray = can && insn.op == ISA_JALR && m.pc - CACHE < sizeof cache;
		if (!can || stray || n == 399)
			raw.reason = TRACE_OFF;
		else if (insn.op == ISA_JALR)
			raw.reason = TRACE_INDIRECT;
		else if ((branch || insn.op == ISA_JAL) && taken && m.pc <= pc)
			raw.reason = TRACE_BACKWARD;
		else if (branch && raw.hist >> (bits - 1) != 0)
			raw.reason = TRACE_FULL;
		else
			continue;
		if (raw.insns == 0)
			break;
		uint32_t told = raw.reason == TRACE_OFF || seed % 8 != 0 ? 0 : told_outcomes(&raw);
		memset(plain.outcomes, 0, sizeof plain.outcomes);
		plain.wrong = false;
		int parts = optimise_translate(&optimise, &raw, 0, bits, compare_part, NULL);
		ck_assert_msg(parts >= 0, "program %u, seed %u: record from 0x%08x, history 0x%x, reason %u is none",
		    (unsigned)program_number, seed, (unsigned)raw.start, (unsigned)raw.hist, raw.reason);
		if (parts == 0) /* the program's own */
			compare_part(NULL, &raw);
		ck_assert_msg(!plain.wrong, "program %u, record from 0x%08x, history 0x%x: %s",
		    (unsigned)program_number, (unsigned)raw.start, (unsigned)raw.hist, plain.text);
		records += parts > 0;
		if (told != 0) {
			wrong_told += !outcomes_are_true();
			patched_told += parts > 0;
		}
		if (raw.reason == TRACE_OFF)
			break;
		raw = (struct record){.start = m.pc, .hist = 1, .count = 1, .timed = 1};
	}
	return records;
}

/* Both without anything in them. */
static void init_counts(struct table *table, struct counts *counts)
{
	static uint8_t room[4096];
	static uint32_t seen[64];
	ck_assert_int_ge(table_init(table, room, sizeof room, 0), 2);
	counts_init(counts, seen, 64);
}

/* A loop's last round came by the patch first: its jump is an instruction more, and so is the way out of the cache. In
 * the cache its branch is turned, so this record has the history of the program's other rounds, which are shorter. */
START_TEST(own_length)
{
	struct table table;
	struct counts counts;
	struct optimise_config config = config_of(OPTIMISE_ALL);
	loop_met(&config, 1000, 10);
	ck_assert_int_ge(optimise_build(&optimise), 1);
	const struct optimise_trace *trace = optimise_trace_at(&optimise, BASE);
	uint32_t rounds = 0;
	for (unsigned i = 0; i < trace->count; i++)
		rounds += optimise.insns[trace->first + i].kind == KIND_EXIT;
	ck_assert_uint_gt(rounds, 1);
	init_counts(&table, &counts);
	table_add(&table, BASE, 3, TRACE_BACKWARD, 2, 20, 7);
	table_add(&table, BASE, 1u << rounds | 1, TRACE_BACKWARD, 100, 1400, 4 * rounds + 3);
	table_add(&table, BASE, 1, TRACE_TRAP, 1, 9, 5); /* in front of the branch: with the jump, 5 */
	ck_assert_uint_eq(counts_translate(&counts, &optimise, &table, 0, 32, NULL), 103);
	for (uint32_t i = 0; i < table.used; i++) {
		struct record record;
		table_get(&table, i, &record);
		if (record.start != BASE || record.count == 0)
			continue;
		const uint32_t partial = record.hist == 1 ? 1 : 2;
		ck_assert_uint_eq(record.count, record.hist == 3 ? 100 * rounds : partial);
		ck_assert_uint_eq(record.insns, record.hist == 1 ? 4 : 5);
	}
}
END_TEST

/* A trace that takes too long at two looks is a loser, as long as there is room to remember it. */
START_TEST(losers)
{
	struct table table;
	struct counts counts;
	struct optimise_config config = config_of(OPTIMISE_ALL);
	loop_met(&config, 1000, 10);
	ck_assert_int_ge(optimise_build(&optimise), 1);
	init_counts(&table, &counts);
	table_add(&table, BASE, 3, TRACE_BACKWARD, 100, 100000, 7);
	for (unsigned before = PAID_TRACES - 1; before <= PAID_TRACES; before++) {
		struct paid paid = {.measured = 1, .model = 1, .loser_count = before};
		ck_assert_uint_eq(paid_look(&paid, &optimise, &counts, &table, 0, 32), 0);
		ck_assert_uint_eq(paid_look(&paid, &optimise, &counts, &table, 0, 32), before < PAID_TRACES ? 1 : 0);
		ck_assert_uint_eq(paid.loser_count, PAID_TRACES);
	}
}
END_TEST

/* What a trace saves grows with its counts up to the largest, and so does whether it is worth its cost; a place that is
 * worth its instructions, but saves too small a part, is left and not tried again and again. */
START_TEST(worth)
{
	struct optimise_config config = config_of(OPTIMISE_ALL);
	config.build_cycles = 1;
	loop_met(&config, 1000, 10);
	ck_assert_int_ge(optimise_build(&optimise), 1);
	uint64_t few = optimise_trace_at(&optimise, BASE)->saved;
	config.worth = UINT32_MAX;
	loop_met(&config, UINT32_MAX - UINT32_MAX / 101, UINT32_MAX / 101);
	ck_assert_int_ge(optimise_build(&optimise), 1);
	uint64_t many = optimise_trace_at(&optimise, BASE)->saved, like = few * (UINT32_MAX / 1010);
	ck_assert_uint_ge(many, like - like / 16);
	ck_assert_uint_le(many, like + like / 16);
	config.worth = 1;
	loop_met(&config, 1000, 10);
	optimise.total = few + 1;
	ck_assert_int_eq(optimise_build(&optimise), 0);
	ck_assert_uint_eq(optimise.unpaid, 1);
	loop_met(&config, 1000, 10);
	optimise.total = 500; /* of a cycle for each round the layout saves most */
	ck_assert_int_eq(optimise_build(&optimise), 1);
}
END_TEST

/* By more samples, places are tried again that were not worth a trace: not before, and none that has one. */
START_TEST(places_tried_again)
{
	struct optimise_config config = config_of(OPTIMISE_ALL);
	config.hot_share = 1000000;
	config.worth = 1;
	loop_met(&config, 1000, 10);
	optimise.total = 100000; /* of so many counts the loop saves too little */
	ck_assert_int_eq(optimise_build(&optimise), 0);
	ck_assert(optimise_considered(&optimise, BASE));
	optimise.total = 500;
	ck_assert_int_eq(optimise_build(&optimise), 0);
	optimise_again(&optimise);
	ck_assert(!optimise_considered(&optimise, BASE));
	ck_assert_int_eq(optimise_build(&optimise), 1);
	optimise_again(&optimise);
	ck_assert(optimise_considered(&optimise, BASE));
	ck_assert_int_eq(optimise_build(&optimise), 1);
}
END_TEST

/* A trace that was refused its patch gets one when the program comes there again, and a pass saves more than a patch
 * costs. Where counts are exact, or the trace has lost, or saves too little, it stays as it is. */
START_TEST(patched_later)
{
	const uint32_t lost = BASE;
	for (unsigned why = 0; why < 4; why++) {
		struct optimise_config config = config_of(OPTIMISE_ALL);
		config.gain_percent = 100000;
		loop_met(&config, 1000, 10);
		ck_assert_int_ge(optimise_build(&optimise), 1);
		ck_assert_uint_eq(optimise.patch_count, 0);
		optimise_forget(&optimise);
		optimise.config.build_cycles = why == 1;
		optimise.config.avoid = &lost;
		optimise.config.avoid_count = why == 2;
		optimise.config.gain_percent = why == 3 ? 100000 : 0;
		optimise_build(&optimise); /* nobody came */
		ck_assert_uint_eq(optimise.patch_count, 0);
		optimise_record(&optimise, BASE, 3, 1000);
		optimise_build(&optimise);
		ck_assert_uint_eq(optimise.patch_count, why == 0);
		ck_assert_int_eq(optimise_trace_at(&optimise, BASE)->root, why == 0);
		optimise_build(&optimise); /* once is enough */
		ck_assert_uint_eq(optimise.patch_count, why == 0);
	}
}
END_TEST

/* A place that divides is tried although it is rare; that opens the door to no other rare place. A place that nobody
 * came to is never tried. */
START_TEST(rare_places)
{
	struct optimise_config config = config_of(OPTIMISE_ALL);
	config.hot_share = 1000000;
	config.build_cycles = 160;
	ck_assert_int_eq(optimise_init(&optimise, &config, memory, sizeof memory), OPTIMISE_OK);
	static const struct optimise_seed met[] = {{.flow = 12, .divides = true}, {.flow = 100}, {.flow = 160},
	    {.flow = 9, .divides = true}, {.flow = 0, .divides = true}};
	static const bool tried[] = {true, false, true, false, false}, low[] = {true, true, true, true, false};
	for (unsigned i = 0; i < 5; i++) {
		optimise_seed(&optimise, BASE + 64 * i, met[i].flow, true);
		optimise_seed_at(&optimise, BASE + 64 * i)->divides = met[i].divides;
	}
	optimise_build(&optimise);
	for (unsigned i = 0; i < 5; i++)
		ck_assert_int_eq(optimise_considered(&optimise, BASE + 64 * i), tried[i]);
	optimise.config.build_cycles = 8; /* a sixteenth of it is nothing */
	optimise_build(&optimise);
	for (unsigned i = 0; i < 5; i++)
		ck_assert_int_eq(optimise_considered(&optimise, BASE + 64 * i), low[i]);
}
END_TEST

/* A trace that cannot be worth its cost is given up early, but not before it has come to the end of a long round. */
START_TEST(long_rounds)
{
	struct optimise_config config = config_of(OPTIMISE_ALL);
	config.length = 64;
	for (unsigned turn = 0; turn < 2; turn++) {
		for (uint32_t i = 0; i < 40; i++)
			assemble(4 * i, ISA_XORI, 5, 6, 0, 100);
		if (turn == 1)
			assemble(4 * 4, ISA_BEQ, 0, 5, 6, 200);
		assemble(160, ISA_BNE, 0, 7, 8, -160);
		config.build_cycles = 4;
		ck_assert_int_eq(optimise_init(&optimise, &config, memory, sizeof memory), OPTIMISE_OK);
		optimise_record(&optimise, BASE, turn == 1 ? 5 : 3, 1000);
		ck_assert_int_eq(optimise_build(&optimise) > 0, turn == 0);
	}
}
END_TEST

/* Which traces are looked at after hours: the sums that decide it pass 32 bits. */
START_TEST(long_runs)
{
	struct table_entry entry = {.cycles = 23999};
	ck_assert_uint_eq(counts_least(1024000, 0), 1000);
	ck_assert_uint_eq(counts_least(1024000, 3), 125);
	ck_assert(!counts_slow(&entry, 1000, 1000));
	entry.cycles = 24000;
	ck_assert(counts_slow(&entry, 62, 1000));
	ck_assert(!counts_slow(&entry, 61, 1000));
	uint32_t least = counts_least(800000000000, 0); /* above 2 hours at 100 MHz */
	ck_assert_uint_eq(least, 781250000);
	ck_assert(!counts_slow(&entry, least - 1, least));
	entry.cycles_high = 4; /* 2^34 and a little: less than 24 x least */
	ck_assert(!counts_slow(&entry, least - 1, least));
	entry.cycles_high = 5;
	ck_assert(counts_slow(&entry, least - 1, least));
	ck_assert_uint_eq(counts_least(UINT64_MAX, 0), UINT32_MAX);
}
END_TEST

/* Counts of long runs: what leaves a trace is never more than what comes in, and a build ends, also where a trace that
 * is met as often as can be counted is not worth its cost. */
START_TEST(large_counts)
{
	uint32_t seed = 7;
	for (uint32_t n = 0; n < 300; n++) {
		random_program(OPTIMISE_ALL, 700000 + n, 20, 0);
		struct optimise_config config = config_of(OPTIMISE_ALL);
		config.build_cycles = n % 3 == 0 ? UINT32_MAX : 400;
		ck_assert_int_eq(optimise_init(&optimise, &config, memory, sizeof memory), OPTIMISE_OK);
		for (uint32_t i = 0; i < 200; i++)
			optimise_record(&optimise, BASE + 2 * (judge_random(&seed) % 64), 1 + judge_random(&seed) % 255,
			    UINT32_MAX >> judge_random(&seed) % 28);
		optimise_build(&optimise);
		for (uint32_t t = 0; t < optimise.trace_count; t++) {
			const struct optimise_trace *trace = &optimise.traces[t];
			uint64_t left = 0;
			for (uint32_t i = trace->first; i < trace->first + trace->count; i++)
				left += optimise.insns[i].kind == KIND_EXIT ? optimise.insns[i].flow : 0;
			ck_assert_uint_le(left, trace->flow);
		}
	}
}
END_TEST

/* One trace in two cools: what its patch has overwritten comes back, and another may replace it. */
static void cool_some(void)
{
	for (uint32_t i = 0; i < optimise.trace_count; i += 2)
		optimise.traces[i].asked = optimise.traces[i].failed = 1000;
	ck_assert_uint_eq(optimise_cooled(&optimise), (optimise.trace_count + 1) / 2);
	optimise_cool(&optimise);
	ck_assert_uint_eq(optimise_cooled(&optimise), 0);
	for (uint32_t i = 0; i < optimise.patch_count; i++)
		if (optimise.patches[i].until == optimise.epoch)
			memcpy(code + (optimise.patches[i].pc - BASE), &optimise.patches[i].before, 4);
}

static uint32_t replaced(void)
{
	uint32_t traces = 0;
	for (uint32_t i = 0; i < optimise.trace_count; i++)
		traces += optimise.traces[i].before_it != 0;
	return traces;
}

START_TEST(translation)
{
	uint32_t records = 0, anew = 0;
	for (uint32_t n = 0; n < 400; n++) {
		program_number = n;
		random_program(passes_of(n % 3 == 0 ? n / 3 : OPTIMISE_PASSES), 500000 + n, 4 + n % 40, 0);
		memcpy(original, code, sizeof code);
		for (uint32_t builds = 0, seed = n; builds < 1 + n % 3; builds++) {
			if (builds > 0) { /* more traces behind those that are there, and in the place of some */
				if (builds == 1)
					cool_some();
				random_records(&seed);
				optimise_build(&optimise);
			}
			optimise_emit(&optimise, cache);
			for (uint32_t i = optimise.built_patches; i < optimise.patch_count; i++)
				memcpy(code + (optimise.patches[i].pc - BASE), &optimise.patches[i].after, 4);
		}
		anew += replaced();
		for (uint32_t i = 0; i < optimise.patch_count; i++)
			for (uint32_t s = 0; s < 10; s++)
				records +=
				    translated_run(optimise.patches[i].pc, n * 1000 + i * 10 + s, 4 + (n + s) % 29);
	}
	ck_assert_uint_gt(records, 5000);
	ck_assert_uint_gt(anew, 300);
	ck_assert_uint_gt(patched_told, 500);
	ck_assert_msg(wrong_told == 0, "%u of %u records by way of a patch tell outcomes that the program has not had",
	    wrong_told, patched_told);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("optimise_counts");
	TCase *cases = tcase_create("core");
	tcase_set_timeout(cases, 60);
	tcase_add_test(cases, own_length);
	tcase_add_test(cases, losers);
	tcase_add_test(cases, worth);
	tcase_add_test(cases, places_tried_again);
	tcase_add_test(cases, patched_later);
	tcase_add_test(cases, rare_places);
	tcase_add_test(cases, long_rounds);
	tcase_add_test(cases, long_runs);
	tcase_add_test(cases, large_counts);
	tcase_add_test(cases, translation);
	suite_add_tcase(suite, cases);
	return suite_finish(suite);
}
