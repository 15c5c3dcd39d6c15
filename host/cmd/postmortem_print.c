/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* What ran last, backwards: a row for each stay in a call, or for each instruction. */
#include "host/cmd/postmortem.h"

#include <inttypes.h>
#include <string.h>
#include "common/recorder.h"
#include "common/rivulet_regs.h"
#include "host/base/json.h"
#include "host/cmd/profiled.h"
#include "host/table/table.h"
#include "isa/isa.h"

#define PLACES 16
#define LEVELS_SHOWN 24u /* deeper calls are not indented further */

/* A stay: steps one after the other in the same call. */
struct stay {
	size_t first, behind; /* steps */
	uint64_t insns, cycles;
	uint64_t last; /* address of its last instruction */
};

static const char *cause_text(unsigned cause)
{
	static const char *const texts[] = {
	    "nothing",
#define RECORDER_CAUSE(ID, text) text,
#include "common/recorder.def"
	};
	return cause < RECORDER_CAUSES ? texts[cause] : "unknown";
}

static const char *trap_text(uint32_t cause)
{
	static const char *const exceptions[] = {"instruction address misaligned", "instruction access fault",
	    "illegal instruction", "breakpoint", "load address misaligned", "load access fault",
	    "store address misaligned", "store access fault", "ECALL from U", "ECALL from S", NULL, "ECALL from M",
	    "instruction page fault", "load page fault", NULL, "store page fault"};
	static const char *const interrupts[] = {
	    [3] = "software interrupt", [7] = "timer interrupt", [11] = "external interrupt"};
	const uint32_t code = cause & 0x7FFFFFFF;
	const char *text = NULL;
	if (cause >> 31 && code < sizeof interrupts / sizeof *interrupts)
		text = interrupts[code];
	if (cause >> 31 == 0 && code < sizeof exceptions / sizeof *exceptions)
		text = exceptions[code];
	if (text != NULL)
		return text;
	return cause >> 31 ? "interrupt" : "exception";
}

static unsigned frozen_by(const struct ring *ring)
{
	return (ring->recorder & RV_RECORDER_CAUSE_MASK) >> RV_RECORDER_CAUSE_LSB;
}

/* "parse_number+0x1c parse.c:120" */
static void crash_place_text(const struct image *image, uint64_t pc, char *text, size_t size)
{
	struct image_place places[PLACES];
	uint64_t start = pc;
	const char *symbol = image_function(image, pc, &start);
	image_places(image, pc, places, PLACES);
	int at = symbol == NULL ? snprintf(text, size, "0x%08" PRIx64, pc)
				: snprintf(text, size, "%s", shown_name(symbol, start));
	if (at >= 0 && (size_t)at < size && places[0].file != NULL && places[0].line != 0)
		snprintf(text + at, size - (size_t)at, "  %s:%u", short_file(places[0].file, 40), places[0].line);
}

static void print_freeze(const struct postmortem *p)
{
	char place[300];
	const struct ring *ring = p->ring;
	const unsigned cause = frozen_by(ring);
	crash_place_text(p->image, ring->pc, place, sizeof place);
	printf("%s: frozen by %s", p->program, cause_text(cause));
	if (cause == RECORDER_BY_TRAP) {
		printf(": %s (mcause %s%" PRIu32 ")", trap_text(ring->cause), ring->cause >> 31 ? "interrupt " : "",
		    ring->cause & 0x7FFFFFFF);
		if (ring->cause >> 31 == 0)
			printf(", mtval 0x%08" PRIx64, ring->tval);
	}
	printf("\nat 0x%08" PRIx64 "  %s\n", ring->pc, place);
}

static void print_crash_head(const struct postmortem *p)
{
	const struct gather_result *r = p->result;
	if (p->ring != NULL)
		print_freeze(p);
	else
		printf("%s: the end of %s\n", p->program, p->source);
	printf("%s instructions", with_commas(r->count));
	if (p->timed)
		printf(" in %s cycles", with_commas(r->cycles));
	printf(", from %s record%s", with_commas(p->records), p->records == 1 ? "" : "s");
	if (r->unfit == 0 && r->cut == 0 && r->breaks == 0)
		printf(": each one that ran, handlers apart");
	if (p->before > 0)
		printf("; before them %s records that were not kept", with_commas(p->before));
	else if (p->ring != NULL)
		printf("; nothing was traced before them");
	printf("\n");
}

/* The stay that ends before step `behind`. */
static struct stay stay_before(const struct postmortem *p, size_t behind)
{
	struct stay stay = {.first = behind, .behind = behind};
	while (stay.first > 0 && p->steps[stay.first - 1].node == p->steps[behind - 1].node) {
		const struct postmortem_step *s = &p->steps[--stay.first];
		stay.insns += s->count;
		stay.cycles += s->cycles;
	}
	const struct postmortem_step *last = &p->steps[behind - 1];
	uint64_t pcs[WALK_BLOCK_HALVES];
	walk_block_pcs(last->block, last->count, pcs);
	stay.last = pcs[last->count - 1];
	return stay;
}

static uint32_t least_level(const struct postmortem *p)
{
	uint32_t least = UINT32_MAX;
	for (size_t i = 0; i < p->count; i++) {
		const uint32_t level = p->result->nodes[p->steps[i].node].level;
		least = level < least ? level : least;
	}
	return least;
}

enum {
	CALL_AGO,
	CALL_SPENT,
	CALL_FUNCTION,
	CALL_LEVEL,
	CALL_LAST,
	CALL_FILE,
	CALL_LINE,
	CALL_INSNS,
	CALL_CYCLES,
	CALL_PLACE,
	CALL_COLUMNS
};

/* The calls, the latest first. */
static void put_calls(const struct postmortem *p, struct json *json)
{
	const struct table_column columns[CALL_COLUMNS] = {
	    [CALL_AGO] = {.title = p->timed ? "cycles ago" : "insns ago", .form = TABLE_COUNT, .width = 12},
	    [CALL_SPENT] = {.title = p->timed ? "cycles" : "", .form = TABLE_COUNT, .width = 9},
	    [CALL_FUNCTION] = {.key = "function", .form = TABLE_WORDS},
	    [CALL_LEVEL] = {.key = "level", .form = TABLE_PLAIN},
	    [CALL_LAST] = {.key = "last", .form = TABLE_ADDRESS, .decimals = 8},
	    [CALL_FILE] = {.key = "file", .form = TABLE_WORDS},
	    [CALL_LINE] = {.key = "line", .form = TABLE_PLAIN},
	    [CALL_INSNS] = {.title = "insns", .key = "insns", .form = TABLE_COUNT, .width = 9},
	    [CALL_CYCLES] = {.key = "cycles", .form = TABLE_COUNT},
	    [CALL_PLACE] = {
		.title = "what ran, the latest first; callees are indented", .form = TABLE_WORDS, .gap = "  "}};
	struct table table = {columns, CALL_COLUMNS, p->format, stdout, json, .name = "calls"};
	const uint32_t least = least_level(p);
	uint64_t ago = 0, rows = 0, left = 0;
	table.absent = p->timed ? 0 : UINT64_C(1) << CALL_CYCLES;
	table_begin(&table);
	for (size_t behind = p->count; behind > 0;) {
		const struct stay stay = stay_before(p, behind);
		struct image_place places[PLACES];
		char place[300], text[300 + 2 * LEVELS_SHOWN];
		uint64_t start = 0;
		behind = stay.first;
		if (p->most > 0 && rows == p->most) {
			left++;
			continue;
		}
		rows++;
		const uint32_t level = p->result->nodes[p->steps[stay.first].node].level, shown = level - least;
		image_places(p->image, stay.last, places, PLACES);
		crash_place_text(p->image, stay.last, place, sizeof place);
		snprintf(
		    text, sizeof text, "%*s%s", (int)(2 * (shown < LEVELS_SHOWN ? shown : LEVELS_SHOWN)), "", place);
		table_row(&table, (const struct table_cell[CALL_COLUMNS]){[CALL_AGO] = table_number(ago),
				      [CALL_SPENT] = p->timed ? table_number(stay.cycles) : table_unknown(),
				      [CALL_FUNCTION] = table_words(
					  function_name(image_function(p->image, stay.last, &start), stay.last)),
				      [CALL_LEVEL] = table_number(level),
				      [CALL_LAST] = table_number(stay.last),
				      [CALL_FILE] = table_words(places[0].file),
				      [CALL_LINE] = table_number(places[0].line),
				      [CALL_INSNS] = table_number(stay.insns),
				      [CALL_CYCLES] = table_number(stay.cycles),
				      [CALL_PLACE] = table_words(text)});
		ago += p->timed ? stay.cycles : stay.insns;
	}
	table_end(&table);
	if (left > 0 && p->format == TABLE_TEXT)
		printf("%12s ... and %s rows before them (--top 0 shows all)\n", "", with_commas(left));
}

enum { INSN_AGO, INSN_ADDRESS, INSN_TEXT, INSN_PLACE, INSN_COLUMNS };

/* before: the place of the row above, which people need not read again. */
static void put_insn_row(
    const struct table *table, const struct postmortem *p, uint64_t pc, uint64_t ago, char before[300])
{
	struct isa_insn insn;
	char text[80], hex[24], place[300];
	if (!image_insn(p->image, pc, 0, &insn))
		return;
	image_format(p->image, &insn, pc, text, sizeof text);
	snprintf(hex, sizeof hex, "%08" PRIx64, pc);
	crash_place_text(p->image, pc, place, sizeof place);
	const bool same = p->format == TABLE_TEXT && strcmp(place, before) == 0;
	table_row(table, (const struct table_cell[INSN_COLUMNS]){[INSN_AGO] = table_number(ago),
			     [INSN_ADDRESS] = table_shown(table_number(pc), hex),
			     [INSN_TEXT] = table_words(text),
			     [INSN_PLACE] = table_shown(table_words(place), same ? "" : NULL)});
	memcpy(before, place, sizeof place);
}

/* JSON has the addresses alone. */
static void put_listing(const struct postmortem *p, struct json *json)
{
	static const struct table_column columns[INSN_COLUMNS] = {
	    [INSN_AGO] = {.title = "insns ago", .key = "insns_ago", .form = TABLE_COUNT, .width = 10},
	    [INSN_ADDRESS] =
		{.title = "address", .key = "address", .form = TABLE_ADDRESS, .gap = "  ", .width = -8, .decimals = 8},
	    [INSN_TEXT] = {.title = "instruction, the latest first",
		.key = "instruction",
		.form = TABLE_WORDS,
		.gap = "  ",
		.width = -32},
	    [INSN_PLACE] = {.title = "place", .key = "place", .form = TABLE_WORDS}};
	const struct table table = {.columns = columns, .count = INSN_COLUMNS, .format = p->format, .out = stdout};
	char before[300] = "";
	uint64_t ago = 0;
	if (json != NULL)
		json_row(json, "pcs");
	else
		table_begin(&table);
	for (size_t i = p->count; i-- > 0 && (p->most == 0 || ago < p->most);) {
		uint64_t pcs[WALK_BLOCK_HALVES];
		walk_block_pcs(p->steps[i].block, p->steps[i].count, pcs);
		for (uint32_t k = p->steps[i].count; k-- > 0 && (p->most == 0 || ago < p->most); ago++) {
			if (json != NULL)
				json_hex(json, NULL, pcs[k], 8);
			else
				put_insn_row(&table, p, pcs[k], ago, before);
		}
	}
	if (json != NULL)
		json_array_end(json);
	else if (ago < p->result->count && p->format == TABLE_TEXT)
		printf("%10s  ... and %s instructions before them (--top 0 shows all)\n", "",
		    with_commas(p->result->count - ago));
}

static void put_last_rows(const struct postmortem *p, struct json *json)
{
	if (p->listing)
		put_listing(p, json);
	else
		put_calls(p, json);
}

void postmortem_print(const struct postmortem *p)
{
	if (p->format == TABLE_TEXT) {
		print_crash_head(p);
		printf("\n");
	}
	put_last_rows(p, NULL);
}

bool postmortem_print_json(const struct postmortem *p)
{
	struct json j;
	json_open(&j, stdout);
	json_text(&j, "rivulet", "postmortem");
	json_text(&j, "program", p->program);
	json_text(&j, "source", p->source);
	if (p->ring != NULL) {
		json_text(&j, "frozen_by", cause_text(frozen_by(p->ring)));
		json_hex(&j, "pc", p->ring->pc, 8);
		json_hex(&j, "mcause", p->ring->cause, 8);
		json_hex(&j, "mepc", p->ring->epc, 8);
		json_hex(&j, "mtval", p->ring->tval, 8);
	}
	json_number(&j, "records", p->records);
	json_number(&j, "records_before", p->before);
	json_number(&j, "instructions", p->result->count);
	if (p->timed)
		json_number(&j, "cycles", p->result->cycles);
	json_number(&j, "unfit", p->result->unfit);
	json_number(&j, "cut", p->result->cut);
	json_number(&j, "breaks", p->result->breaks);
	put_last_rows(p, &j);
	return json_close(&j);
}
