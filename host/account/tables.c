/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* The rows of all tables but the calls: from the executed code to functions, blocks, lines, inlined functions. */
#include "host/account/private.h"
#include "host/base/order.h"

#include <stdlib.h>
#include <string.h>
#include "isa/isa.h"

#define PLACES 16

struct key { /* of a line or an inlined function, for one instruction */
	const char *text;
	unsigned number; /* line, or row of the function */
	bool flag;
	uint32_t insn;
};

static int compare_insns(const void *a, const void *b)
{
	const struct account_insn *x = a, *y = b;
	return ORDER_UP(x->pc, y->pc);
}

static int compare_table_keys(const void *a, const void *b)
{
	const struct key *x = a, *y = b;
	if (x->text != y->text) {
		int order;
		if (x->text == NULL)
			order = -1;
		else if (y->text == NULL)
			order = 1;
		else
			order = strcmp(x->text, y->text);
		if (order != 0)
			return order;
	}
	if (x->number != y->number)
		return x->number < y->number ? -1 : 1;
	if (x->flag != y->flag)
		return x->flag ? 1 : -1;
	return ORDER_UP(x->insn, y->insn);
}

static bool same_table_key(const struct key *x, const struct key *y)
{
	bool same = x->text == y->text || (x->text != NULL && y->text != NULL && strcmp(x->text, y->text) == 0);
	return same && x->number == y->number && x->flag == y->flag;
}

static bool tally_open(struct tally *tally, size_t rows)
{
	tally->x = calloc(rows + 1, sizeof *tally->x);
	tally->touched = calloc(rows + 1, sizeof *tally->touched);
	return tally->x != NULL && tally->touched != NULL;
}

static int make_insns(struct maker *maker)
{
	struct account *a = maker->account;
	size_t count, base = 0, used = 0;
	const struct elf_segment *segments = image_segments(maker->image, &count);
	for (size_t i = 0; i < maker->halves; i++)
		a->insn_count += (maker->flags[i] & SEEN) != 0;
	a->insns = calloc(a->insn_count + 1, sizeof *a->insns);
	maker->facts = calloc(a->insn_count + 1, sizeof *maker->facts);
	if (a->insns == NULL || maker->facts == NULL || a->insn_count >= ACCOUNT_NONE)
		return ACCOUNT_ENOMEM;
	for (size_t i = 0; i < count; i++) {
		if (!segments[i].execute)
			continue;
		for (uint32_t k = 0; k <= segments[i].file_size / 2; k++) {
			if ((maker->flags[base + k] & SEEN) != 0)
				a->insns[used++].pc = segments[i].address + 2 * k;
		}
		base += segments[i].file_size / 2 + 1;
	}
	qsort(a->insns, used, sizeof *a->insns, compare_insns);
	for (size_t i = 0; i < used; i++) {
		struct account_insn *insn = &a->insns[i];
		struct isa_insn decoded = {.length = 2};
		(void)image_insn(maker->image, insn->pc, 0, &decoded);
		insn->class_bits = decoded.class_bits;
		insn->length = decoded.length;
		insn->line = insn->inlined = ACCOUNT_NONE;
		core_facts(maker->core, &decoded, insn->pc, &maker->facts[i]);
		maker->rows[account_half(maker, insn->pc)] = (uint32_t)i;
		a->branch_count += (decoded.class_bits & ISA_BRANCH) != 0;
	}
	return ACCOUNT_OK;
}

static uint8_t flags_at(const struct maker *maker, uint64_t pc)
{
	size_t half = account_half(maker, pc);
	return half == SIZE_MAX ? 0 : maker->flags[half];
}

/* The function without a name that goes on: its start, ACCOUNT_NOWHERE if there is none, and the end of its segment. */
struct nameless {
	uint64_t start, end;
};

/* Start of the function at pc, which no symbol names: pc, where a direct call leads or a segment begins. */
static uint64_t nameless_row(const struct maker *maker, struct nameless *nameless, uint64_t pc)
{
	size_t size = 0;
	if (nameless->start != ACCOUNT_NOWHERE && pc < nameless->end && (flags_at(maker, pc) & CALLED) == 0)
		return nameless->start;
	(void)image_code(maker->image, pc, &size);
	*nameless = (struct nameless){.start = pc, .end = pc + size};
	return pc;
}

/* Functions by symbol; code without symbols begins one at each target of a call. */
static int make_function_rows(struct maker *maker)
{
	struct account *a = maker->account;
	struct nameless nameless = {.start = ACCOUNT_NOWHERE};
	a->functions = calloc(a->insn_count + 1, sizeof *a->functions);
	if (a->functions == NULL)
		return ACCOUNT_ENOMEM;
	for (size_t i = 0; i < a->insn_count; i++) {
		struct account_insn *insn = &a->insns[i];
		uint64_t start = insn->pc;
		const char *name = image_whole_function(maker->image, insn->pc, &start);
		if (name == NULL)
			start = nameless_row(maker, &nameless, insn->pc);
		else
			nameless.start = ACCOUNT_NOWHERE;
		/* mostly the function of the instruction before; one inside another is rare */
		size_t row = a->function_count;
		while (row > 0 && a->functions[row - 1].start > start)
			row--;
		if (row > 0 && a->functions[row - 1].start == start) {
			insn->function = (uint32_t)row - 1;
			continue;
		}
		if (row < a->function_count) { /* an outer function goes on behind an inner one, and ran only there */
			memmove(&a->functions[row + 1], &a->functions[row],
			    (a->function_count - row) * sizeof *a->functions);
			for (size_t k = 0; k < i; k++)
				a->insns[k].function += a->insns[k].function >= row;
		}
		a->functions[row] = (struct account_function){.name = name, .start = start};
		a->function_count++;
		insn->function = (uint32_t)row;
	}
	return ACCOUNT_OK;
}

#define TRANSFERS (ISA_BRANCH | ISA_JUMP | ISA_INDIRECT | ISA_RET)

static unsigned exit_of_class(unsigned class_bits)
{
	static const struct {
		unsigned bits, exit;
	} exits[] = {{ISA_BRANCH, ACCOUNT_BRANCHES}, {ISA_CALL, ACCOUNT_CALLS}, {ISA_JUMP, ACCOUNT_JUMPS},
	    {ISA_RETURN, ACCOUNT_RETURNS}, {TRANSFERS, ACCOUNT_GOES_INDIRECT}};
	for (size_t i = 0; i < sizeof exits / sizeof exits[0]; i++) {
		if ((class_bits & exits[i].bits) != 0)
			return exits[i].exit;
	}
	return ACCOUNT_FALLS;
}

static int make_blocks(struct maker *maker)
{
	struct account *a = maker->account;
	a->blocks = calloc(a->insn_count + 1, sizeof *a->blocks);
	a->branches = calloc(a->branch_count + 1, sizeof *a->branches);
	if (a->blocks == NULL || a->branches == NULL)
		return ACCOUNT_ENOMEM;
	for (size_t i = 0, branch = 0; i < a->insn_count; i++) {
		struct account_insn *insn = &a->insns[i];
		struct account_block *block = a->block_count > 0 ? &a->blocks[a->block_count - 1] : NULL;
		if (block == NULL || block->next != insn->pc || (a->insns[i - 1].class_bits & TRANSFERS) != 0 ||
		    block->function != insn->function || (flags_at(maker, insn->pc) & (LEADER | STARTS)) != 0) {
			block = &a->blocks[a->block_count++];
			*block =
			    (struct account_block){.start = insn->pc, .insn = (uint32_t)i, .function = insn->function};
		}
		block->last = insn->pc;
		block->next = insn->pc + insn->length;
		block->insn_count++;
		insn->block = (uint32_t)(a->block_count - 1);
		unsigned bits = insn->class_bits;
		block->exit = (uint8_t)exit_of_class(bits);
		if ((bits & ISA_BRANCH) != 0) {
			struct isa_insn decoded;
			(void)image_insn(maker->image, insn->pc, 0, &decoded);
			a->branches[branch++] = (struct account_branch){
			    .pc = insn->pc, .target = isa_target(&decoded, insn->pc), .function = insn->function};
		}
	}
	return ACCOUNT_OK;
}

static void make_lines(struct account *a, const struct key *keys, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		struct account_insn *insn = &a->insns[keys[i].insn];
		if (i == 0 || !same_table_key(&keys[i - 1], &keys[i]))
			a->lines[a->line_count++] = (struct account_line){
			    .file = keys[i].text, .line = keys[i].number, .function = insn->function};
		insn->line = (uint32_t)(a->line_count - 1);
	}
}

static void make_inlined(struct account *a, const struct key *keys, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		if (i == 0 || !same_table_key(&keys[i - 1], &keys[i]))
			a->inlined[a->inlined_count++] = (struct account_inlined){
			    .name = keys[i].text, .function = keys[i].number, .inlined = keys[i].flag};
		a->insns[keys[i].insn].inlined = (uint32_t)(a->inlined_count - 1);
	}
}

static int make_places(struct maker *maker)
{
	struct account *a = maker->account;
	struct image_place places[PLACES];
	size_t lines = 0;
	struct key *line_keys = calloc(a->insn_count + 1, sizeof *line_keys);
	struct key *inlined_keys = calloc(a->insn_count + 1, sizeof *inlined_keys);
	a->lines = calloc(a->insn_count + 1, sizeof *a->lines);
	a->inlined = calloc(a->insn_count + 1, sizeof *a->inlined);
	bool room = line_keys != NULL && inlined_keys != NULL && a->lines != NULL && a->inlined != NULL;
	for (size_t i = 0; i < a->insn_count && room; i++) {
		const struct account_insn *insn = &a->insns[i];
		struct account_function *function = &a->functions[insn->function];
		size_t count = image_places(maker->image, insn->pc, places, PLACES);
		const struct image_place *outer = &places[count - 1];
		if (places[0].file != NULL && places[0].line != 0)
			line_keys[lines++] =
			    (struct key){.text = places[0].file, .number = places[0].line, .insn = (uint32_t)i};
		bool inlined = count > 1 && places[0].function != NULL;
		inlined_keys[i] = (struct key){.text = inlined ? places[0].function : function->name,
		    .number = insn->function,
		    .flag = inlined,
		    .insn = (uint32_t)i};
		if (function->file == NULL && outer->file != NULL && outer->line != 0) {
			function->file = outer->file;
			function->line = outer->line;
		}
	}
	if (room) {
		qsort(line_keys, lines, sizeof *line_keys, compare_table_keys);
		qsort(inlined_keys, a->insn_count, sizeof *inlined_keys, compare_table_keys);
		make_lines(a, line_keys, lines);
		make_inlined(a, inlined_keys, a->insn_count);
	}
	free(line_keys);
	free(inlined_keys);
	return room ? ACCOUNT_OK : ACCOUNT_ENOMEM;
}

int account_tables(struct maker *maker)
{
	struct account *a = maker->account;
	int error = make_insns(maker);
	if (error == ACCOUNT_OK)
		error = make_function_rows(maker);
	if (error == ACCOUNT_OK)
		error = make_blocks(maker);
	if (error == ACCOUNT_OK)
		error = make_places(maker);
	if (error != ACCOUNT_OK)
		return error;
	maker->function_depth = calloc(a->function_count + 1, sizeof *maker->function_depth);
	maker->function_from = calloc(a->function_count + 1, sizeof *maker->function_from);
	bool room = maker->function_depth != NULL && maker->function_from != NULL &&
		    tally_open(&maker->functions, a->function_count) && tally_open(&maker->blocks, a->block_count) &&
		    tally_open(&maker->lines, a->line_count) && tally_open(&maker->inlined, a->inlined_count);
	return room ? ACCOUNT_OK : ACCOUNT_ENOMEM;
}

static void at_least(uint64_t *count, uint64_t value)
{
	if (*count < value)
		*count = value;
}

/* The counts that are not sums. */
int account_finish_tables(struct maker *maker)
{
	struct account *a = maker->account;
	size_t branch = 0;
	for (size_t i = 0; i < a->insn_count; i++) {
		const struct account_insn *insn = &a->insns[i];
		if (a->functions[insn->function].start == insn->pc)
			a->functions[insn->function].self.count = insn->count;
		if (a->blocks[insn->block].start == insn->pc)
			a->blocks[insn->block].sum.count = insn->count;
		if (insn->line != ACCOUNT_NONE)
			at_least(&a->lines[insn->line].sum.count, insn->count);
		at_least(&a->inlined[insn->inlined].sum.count, insn->count);
		if ((insn->class_bits & ISA_BRANCH) != 0) {
			a->branches[branch].taken = insn->taken;
			a->branches[branch++].not_taken = insn->count - insn->taken - insn->unknown;
		}
	}
	return ACCOUNT_OK;
}
