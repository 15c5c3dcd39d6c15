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

static void print_calls(const struct postmortem *p)
{
	const uint32_t least = least_level(p);
	uint64_t ago = 0, rows = 0, left = 0;
	printf("\n%12s %9s %9s  %s\n", p->timed ? "cycles ago" : "insns ago", p->timed ? "cycles" : "", "insns",
	    "what ran, the latest first; callees are indented");
	for (size_t behind = p->count; behind > 0;) {
		const struct stay stay = stay_before(p, behind);
		char place[300];
		behind = stay.first;
		if (p->most > 0 && rows == p->most) {
			left++;
			continue;
		}
		rows++;
		const uint32_t level = p->result->nodes[p->steps[stay.first].node].level - least;
		crash_place_text(p->image, stay.last, place, sizeof place);
		printf("%12s ", with_commas(ago));
		printf("%9s %9s  ", p->timed ? with_commas(stay.cycles) : "", with_commas(stay.insns));
		printf("%*s%s\n", (int)(2 * (level < LEVELS_SHOWN ? level : LEVELS_SHOWN)), "", place);
		ago += p->timed ? stay.cycles : stay.insns;
	}
	if (left > 0)
		printf("%12s ... and %s rows before them (--top 0 shows all)\n", "", with_commas(left));
}

static void print_insn_row(const struct postmortem *p, uint64_t pc, uint64_t ago, char before[300])
{
	struct isa_insn insn;
	char text[80], place[300];
	if (!image_insn(p->image, pc, 0, &insn))
		return;
	image_format(p->image, &insn, pc, text, sizeof text);
	crash_place_text(p->image, pc, place, sizeof place);
	printf("%10s  %08" PRIx64 "  %-32s %s\n", with_commas(ago), pc, text, strcmp(place, before) == 0 ? "" : place);
	memcpy(before, place, sizeof place);
}

static void print_listing(const struct postmortem *p)
{
	char before[300] = "";
	uint64_t ago = 0;
	printf("\n%10s  %-8s  %-32s %s\n", "insns ago", "address", "instruction, the latest first", "place");
	for (size_t i = p->count; i-- > 0 && (p->most == 0 || ago < p->most);) {
		uint64_t pcs[WALK_BLOCK_HALVES];
		walk_block_pcs(p->steps[i].block, p->steps[i].count, pcs);
		for (uint32_t k = p->steps[i].count; k-- > 0 && (p->most == 0 || ago < p->most); ago++)
			print_insn_row(p, pcs[k], ago, before);
	}
	if (ago < p->result->count)
		printf("%10s  ... and %s instructions before them (--top 0 shows all)\n", "",
		    with_commas(p->result->count - ago));
}

void postmortem_print(const struct postmortem *p)
{
	print_crash_head(p);
	if (p->listing)
		print_listing(p);
	else
		print_calls(p);
}

static void json_calls(const struct postmortem *p, struct json *j)
{
	uint64_t rows = 0;
	json_array(j, "calls");
	for (size_t behind = p->count; behind > 0 && (p->most == 0 || rows < p->most); rows++) {
		const struct stay stay = stay_before(p, behind);
		struct image_place places[PLACES];
		uint64_t start = 0;
		behind = stay.first;
		image_places(p->image, stay.last, places, PLACES);
		const char *symbol = image_function(p->image, stay.last, &start);
		json_line(j, NULL);
		json_text(j, "function", function_name(symbol, stay.last));
		json_number(j, "level", p->result->nodes[p->steps[stay.first].node].level);
		json_hex(j, "last", stay.last, 8);
		json_text(j, "file", places[0].file);
		json_number(j, "line", places[0].line);
		json_number(j, "insns", stay.insns);
		if (p->timed)
			json_number(j, "cycles", stay.cycles);
		json_object_end(j);
	}
	json_array_end(j);
}

static void json_listing(const struct postmortem *p, struct json *j)
{
	uint64_t ago = 0;
	json_row(j, "pcs");
	for (size_t i = p->count; i-- > 0;) {
		uint64_t pcs[WALK_BLOCK_HALVES];
		walk_block_pcs(p->steps[i].block, p->steps[i].count, pcs);
		for (uint32_t k = p->steps[i].count; k-- > 0 && (p->most == 0 || ago < p->most); ago++)
			json_hex(j, NULL, pcs[k], 8);
	}
	json_array_end(j);
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
	if (p->listing)
		json_listing(p, &j);
	else
		json_calls(p, &j);
	return json_close(&j);
}
