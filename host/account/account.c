/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* The two passes over a profile. */
#include "host/account/private.h"

#include <stdlib.h>
#include <string.h>

const char *account_strerror(int error)
{
	switch (error) {
	case ACCOUNT_OK:
		return "no error";
	case ACCOUNT_ENOMEM:
		return "out of memory";
	case ACCOUNT_EOVERFLOW:
		return "a sum is larger than 64 bits";
	default:
		return "unknown error";
	}
}

void account_walk_config(const struct profile *profile, struct walk_config *config)
{
	const struct profile_header *header = &profile->header;
	*config = (struct walk_config){.hist = profile->has_header ? (unsigned)header->hist : 32,
	    .ctrl = profile->has_header ? (uint32_t)header->ctrl : 0,
	    .insn_bits = 16};
}

static int keep_visit(void *context, const struct walk_visit *visit)
{
	struct maker *maker = context;
	if (!array_room(&maker->visits, maker->visit_count + 1, &maker->visit_room)) {
		maker->error = ACCOUNT_ENOMEM;
		return 1;
	}
	maker->visits[maker->visit_count++] = (struct visited){visit->block, visit->count, visit->outcome, visit->last};
	maker->step_count += visit->count;
	return 0;
}

enum known { KNOWN_NOT, KNOWN_PART, KNOWN_ALL };

/* Walks an entry into visits and step_count. With an unknown target (NO_INDIRECT) the part before it is known; any
 * other error means that the record is not of this code, and then no part of it is known. */
static enum known follow_entry(struct maker *maker, const struct record *entry, int *why)
{
	maker->visit_count = maker->step_count = 0;
	*why = walk_record(maker->walk, entry, keep_visit, maker, NULL);
	if (*why == WALK_ENOMEM)
		maker->error = ACCOUNT_ENOMEM;
	if (maker->error != ACCOUNT_OK)
		return KNOWN_NOT;
	if (*why == WALK_OK)
		return KNOWN_ALL;
	return (*why == WALK_UNKNOWN_END || *why == WALK_ETARGET) && maker->step_count > 0 ? KNOWN_PART : KNOWN_NOT;
}

static void mark_instruction(struct maker *maker, uint64_t pc, uint8_t flags)
{
	size_t half = account_half(maker, pc);
	if (half != SIZE_MAX)
		maker->flags[half] |= flags;
}

static void find_code(struct maker *maker)
{
	for (size_t i = 0; i < maker->visit_count; i++) {
		const struct visited *visit = &maker->visits[i];
		const struct walk_block *block = visit->block;
		uint64_t starts = block->starts;
		for (uint32_t k = 0; k < visit->count; k++, starts &= starts - 1)
			mark_instruction(maker, block->start + 2 * (uint32_t)__builtin_ctzll(starts), SEEN);
		if (i == 0)
			mark_instruction(maker, block->start, STARTS);
		else if (maker->visits[i - 1].block->exit != WALK_FALL)
			mark_instruction(maker, block->start, LEADER);
		if (visit->count < block->count || block->exit == WALK_FALL || block->exit == WALK_STUCK)
			continue;
		mark_instruction(maker, block->next, LEADER);
		if (block->exit == WALK_BRANCH || block->exit == WALK_JUMP)
			mark_instruction(maker, block->target, block->link != 0 ? LEADER | CALLED : LEADER);
	}
}

/* Cycles of all traces of an entry: those of the timed ones, scaled up, rounded. */
static uint64_t cycles_of(const struct record *entry, bool *overflow)
{
	if (entry->timed == 0 || entry->timed == entry->count)
		return entry->timed == 0 ? 0 : entry->cycles;
	unsigned __int128 cycles = ((unsigned __int128)entry->cycles * entry->count + entry->timed / 2) / entry->timed;
	*overflow |= cycles > UINT64_MAX;
	return (uint64_t)cycles;
}

static void tally_row(struct tally *tally, uint32_t row, uint64_t amount)
{
	if (row == ACCOUNT_NONE || amount == 0)
		return;
	if (tally->x[row] == 0)
		tally->touched[tally->count++] = row;
	tally->x[row] += amount;
}

/* The sums of squares of the rows that the path touched: x and y are of one trace. */
static void flush_tally(struct tally *tally, void *sums, size_t stride, double count, double y)
{
	for (size_t i = 0; i < tally->count; i++) {
		uint32_t row = tally->touched[i];
		struct account_sum *sum = (struct account_sum *)(void *)((char *)sums + row * stride);
		double x = (double)tally->x[row] / count;
		sum->squares += count * x * x;
		sum->products += count * x * y;
		tally->x[row] = 0;
	}
	tally->count = 0;
}

static bool add_to_sum(struct account_sum *sum, uint64_t insns, uint64_t cycles)
{
	return account_add(&sum->insns, insns, 1) && account_add(&sum->cycles, cycles, 1);
}

/* Steps of the path at hand: rows and weights. */
static bool make_path_steps(struct maker *maker)
{
	if (!array_room(&maker->steps, maker->step_count, &maker->step_room)) {
		maker->error = ACCOUNT_ENOMEM;
		return false;
	}
	struct core_state state = CORE_START; /* where a trace mostly begins */
	size_t at = 0;
	for (size_t i = 0; i < maker->visit_count; i++) {
		const struct visited *visit = &maker->visits[i];
		uint64_t starts = visit->block->starts;
		for (uint32_t k = 0; k < visit->count; k++, starts &= starts - 1) {
			uint32_t row = account_row(maker, visit->block->start + 2 * (uint32_t)__builtin_ctzll(starts));
			bool goes = k + 1 < visit->count || visit->outcome != 0;
			struct step *step = &maker->steps[at++];
			*step = (struct step){.row = row, .part = {.least = 1}};
			if (maker->weights == ACCOUNT_BY_COST)
				split_part(maker->core, &state, &maker->facts[row], goes, &step->part);
		}
	}
	return true;
}

/* Adds the steps, with their cycles, to all tables. */
static void add_path_steps(struct maker *maker, const struct record *entry, uint64_t y)
{
	struct account *a = maker->account;
	bool fits = true;
	for (size_t i = 0; i < maker->step_count; i++) {
		const struct step *step = &maker->steps[i];
		struct account_insn *insn = &a->insns[step->row];
		fits = fits && account_add(&insn->count, entry->count, 1) &&
		       account_add(&insn->cycles, step->part.cycles, 1);
		fits = fits && add_to_sum(&a->accounted, entry->count, step->part.cycles);
		fits = fits && add_to_sum(&a->functions[insn->function].self, entry->count, step->part.cycles) &&
		       add_to_sum(&a->blocks[insn->block].sum, entry->count, step->part.cycles) &&
		       add_to_sum(&a->inlined[insn->inlined].sum, entry->count, step->part.cycles) &&
		       add_to_sum(insn->line == ACCOUNT_NONE ? &a->lineless : &a->lines[insn->line].sum, entry->count,
			   step->part.cycles);
		if (a->sampled) {
			uint64_t measure = a->timed ? step->part.cycles : entry->count;
			tally_row(&maker->functions, insn->function, measure);
			tally_row(&maker->lines, insn->line, measure);
			tally_row(&maker->blocks, insn->block, measure);
			tally_row(&maker->inlined, insn->inlined, measure);
		}
	}
	if (!fits)
		maker->error = ACCOUNT_EOVERFLOW;
	if (a->sampled) {
		double count = (double)entry->count, one = (double)y / count;
		flush_tally(&maker->functions, &a->functions[0].self, sizeof *a->functions, count, one);
		flush_tally(&maker->blocks, &a->blocks[0].sum, sizeof *a->blocks, count, one);
		flush_tally(&maker->inlined, &a->inlined[0].sum, sizeof *a->inlined, count, one);
		if (a->line_count > 0)
			flush_tally(&maker->lines, &a->lines[0].sum, sizeof *a->lines, count, one);
	}
	size_t at = 0;
	for (size_t i = 0; i < maker->visit_count; i++) {
		at += maker->visits[i].count;
		const struct visited *visit = &maker->visits[i];
		if (visit->outcome == 1)
			a->insns[maker->steps[at - 1].row].taken += entry->count;
		else if (visit->outcome < 0 && visit->block->exit == WALK_BRANCH && visit->count == visit->block->count)
			a->insns[maker->steps[at - 1].row].unknown += entry->count;
	}
}

static void account_entry(struct maker *maker, const struct record *entry)
{
	struct account *a = maker->account;
	bool overflow = false;
	int why;
	uint64_t cycles = cycles_of(entry, &overflow), mine = cycles;
	enum known known = follow_entry(maker, entry, &why);
	if (maker->error != ACCOUNT_OK)
		return;
	a->untimed += entry->timed > 0 ? entry->count - entry->timed : 0;
	a->unmeasured += entry->timed == 0 ? entry->count : 0;
	overflow |= !account_add(&a->all.count, entry->count, 1) || !account_add(&a->all.cycles, cycles, 1);
	if (known == KNOWN_NOT) {
		size_t index = why > 0 ? 0 : (size_t)-why;
		uint64_t insns = entry->insns;
		a->unaccounted.paths++;
		a->unaccounted.count += entry->count;
		overflow |= !account_add(&a->unaccounted.insns, insns, entry->count);
		a->unaccounted.cycles += cycles;
		a->errors[index < sizeof a->errors / sizeof *a->errors ? index : 0] += entry->count;
		overflow |= !account_add(&a->all.insns, insns, entry->count);
		double y = a->timed ? (double)cycles / (double)entry->count : (double)insns;
		a->all.squares += (double)entry->count * y * y;
		maker->error = overflow ? ACCOUNT_EOVERFLOW : maker->error;
		return;
	}
	if (!make_path_steps(maker))
		return;
	uint64_t insns = maker->step_count;
	if (known == KNOWN_PART) {
		if (entry->insns > insns)
			insns = entry->insns;
		/* without a length nobody knows how much of the time belongs to the known part */
		mine = entry->insns == 0 ? 0 : (uint64_t)((unsigned __int128)cycles * maker->step_count / insns);
		a->cut.paths++;
		a->cut.count += entry->count;
		a->cut.cycles += cycles - mine;
		a->unaccounted.cycles += cycles - mine;
	}
	overflow |= !account_add(&a->all.insns, insns, entry->count);
	a->accounted.count += entry->count;
	double y = a->timed ? (double)cycles / (double)entry->count : (double)insns;
	a->all.squares += (double)entry->count * y * y;
	/* not behind a transfer, as it is taken to be */
	if (maker->weights == ACCOUNT_BY_COST &&
	    !split_fits(maker->steps, sizeof *maker->steps, maker->step_count, entry->count, mine))
		split_begin(&maker->steps[0].part, &maker->facts[maker->steps[0].row]);
	split_cycles(maker->steps, sizeof *maker->steps, maker->step_count, entry->count, mine);
	if (overflow)
		maker->error = ACCOUNT_EOVERFLOW;
	if (maker->error == ACCOUNT_OK)
		add_path_steps(maker, entry, a->timed ? cycles : insns * entry->count);
	if (maker->error == ACCOUNT_OK)
		maker->error = account_context(maker, entry->count);
	if (maker->error == ACCOUNT_OK)
		maker->error = account_paths(maker, entry->count, y);
}

static void prepare_maker(struct maker *maker, const struct profile *profile)
{
	struct account *a = maker->account;
	size_t count;
	const struct elf_segment *segments = image_segments(maker->image, &count);
	const struct profile_header *header = &profile->header;
	for (size_t i = 0; i < count; i++)
		maker->halves += segments[i].execute ? segments[i].file_size / 2 + 1 : 0;
	maker->flags = calloc(maker->halves + 1, sizeof *maker->flags);
	maker->rows = calloc(maker->halves + 1, sizeof *maker->rows);
	if (maker->flags == NULL || maker->rows == NULL)
		maker->error = ACCOUNT_ENOMEM;
	for (size_t i = 0; i < profile->used; i++)
		a->timed |= profile->entries[i].timed > 0 && profile->entries[i].cycles > 0;
	a->entries = profile->used;
	a->period = profile->has_header && header->period > 1 ? (double)header->period : 1;
	const struct profile_end *end = &profile->end;
	bool weighed = profile->has_header && header->way == RUN_TIMER && profile->has_end && end->interrupts > 0;
	a->weight = weighed && profile->total > end->interrupts ? (double)profile->total / (double)end->interrupts : 1;
	if (profile_lot(profile) > 1) /* as if all of them had come by lot: the error is not larger */
		a->weight = (double)profile_lot(profile);
	/* period 0: a timer chose the traces; without header: nobody knows */
	a->sampled = profile_sampled(profile);
}

static void make_accounts(struct maker *maker, const struct profile *profile)
{
	const struct record **sorted = NULL;
	int why;
	prepare_maker(maker, profile);
	if (maker->error == ACCOUNT_OK && profile_sort(profile, PROFILE_BY_START, &sorted) != PROFILE_OK)
		maker->error = ACCOUNT_ENOMEM;
	for (size_t i = 0; i < profile->used && maker->error == ACCOUNT_OK; i++) {
		if (follow_entry(maker, sorted[i], &why) != KNOWN_NOT)
			find_code(maker);
	}
	if (maker->error == ACCOUNT_OK)
		maker->error = account_tables(maker);
	if (maker->error == ACCOUNT_OK)
		maker->error = account_calls(maker);
	for (size_t i = 0; i < profile->used && maker->error == ACCOUNT_OK; i++)
		account_entry(maker, sorted[i]);
	if (maker->error == ACCOUNT_OK)
		maker->error = account_finish_tables(maker);
	if (maker->error == ACCOUNT_OK)
		maker->error = account_finish_calls(maker);
	maker->account->all.products = maker->account->all.squares;
	free(sorted);
}

int account_make(struct account **out, const struct image *image, struct walk *walk, const struct profile *profile,
    enum account_weights weights, const struct core *core)
{
	struct maker maker = {.image = image, .walk = walk, .weights = weights, .core = core};
	struct core own;
	if (core == NULL) {
		core_default(&own);
		maker.core = &own;
	}
	*out = NULL;
	maker.account = calloc(1, sizeof *maker.account);
	if (maker.account == NULL)
		return ACCOUNT_ENOMEM;
	make_accounts(&maker, profile);
	free(maker.flags);
	free(maker.rows);
	free(maker.facts);
	free(maker.visits);
	free(maker.steps);
	free(maker.frames);
	struct tally *const tallies[] = {&maker.functions, &maker.lines, &maker.inlined, &maker.blocks};
	for (size_t i = 0; i < sizeof tallies / sizeof *tallies; i++) {
		free(tallies[i]->x);
		free(tallies[i]->touched);
	}
	free(maker.function_depth);
	free(maker.call_depth);
	free(maker.function_from);
	free(maker.call_from);
	free(maker.call_of);
	hash_free(&maker.path_table);
	free(maker.order);
	if (maker.error != ACCOUNT_OK) {
		account_free(maker.account);
		return maker.error;
	}
	*out = maker.account;
	return ACCOUNT_OK;
}

void account_free(struct account *account)
{
	if (account == NULL)
		return;
	free(account->insns);
	free(account->branches);
	free(account->calls);
	free(account->blocks);
	free(account->functions);
	free(account->lines);
	free(account->inlined);
	free(account->paths);
	free(account->path_insns);
	free(account);
}
