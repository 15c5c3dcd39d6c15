/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* Steps of a log, held against the image and each other, to the trace unit. */
#include "host/import/private.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "common/rivulet_regs.h"
#include "isa/isa.h"

/* Instructions of the image by address, the last one of each place; pc: with bit 0 set, 0: none. */
#define IMPORT_DECODED 4096
struct import_decoded {
	uint64_t pc;
	struct isa_insn insn;
};

#define C_JR_RA 0x8082u
#define MRET 0x30200073u
#define SETTLE 4 /* cycles until what the unit holds has left it */

const char *import_strerror(int error)
{
	switch (error) {
	case IMPORT_OK:
		return "no error";
	case IMPORT_ENOMEM:
		return "out of memory";
	case IMPORT_ESTOPPED:
		return "stopped";
	case IMPORT_EFORM:
		return "not a retirement log: text, qemu, execlog, spike, rvvi or binary is expected";
	case IMPORT_ECOLUMNS:
		return "its line of names has no pc (or rvfi_pc_rdata)";
	default:
		return "unknown error";
	}
}

static int clock_unit(struct import *import, const struct trace_retire *retire, const struct trace_bus *bus)
{
	struct trace_out out;
	trace_cycle(&import->trace, retire, bus, &out);
	return out.rec_valid ? import_clock_record(import->clock, &out.rec, import->counts.instructions) : IMPORT_OK;
}

int import_drain(struct import *import)
{
	const struct trace_retire none = {0};
	const struct trace_bus idle = {0};
	int error = IMPORT_OK;
	for (unsigned i = 0; i < SETTLE && error == IMPORT_OK; i++)
		error = clock_unit(import, &none, &idle);
	return error;
}

/* Idle cycles, then CTRL, then idle cycles. */
static int write_unit_control(struct import *import, uint32_t ctrl)
{
	const struct trace_retire none = {0};
	const struct trace_bus write = {.write = true, .index = RV_REG_CTRL, .wdata = ctrl}, idle = {0};
	int error = IMPORT_OK;
	for (unsigned i = 0; i <= 2 * SETTLE && error == IMPORT_OK; i++)
		error = clock_unit(import, &none, i == SETTLE ? &write : &idle);
	return error;
}

int import_open(struct import **out, const struct image *image, const struct import_config *config)
{
	struct import *import = calloc(1, sizeof *import);
	struct trace_config unit;
	*out = NULL;
	struct import_decoded *decoded = calloc(IMPORT_DECODED, sizeof *decoded);
	if (import == NULL || decoded == NULL) {
		free(import);
		free(decoded);
		return IMPORT_ENOMEM;
	}
	import->decoded = decoded;
	trace_config_default(&unit);
	unit.xlen = image_xlen(image);
	unit.hist = config->hist;
	unit.with_cycles = false; /* cycles are the clock's */
	import->config = *config;
	import->image = image;
	import->form = config->form;
	import->ones = unit.xlen == 64 ? UINT64_MAX : UINT32_MAX;
	/* records that get cycles one by one are merged behind that */
	import->ctrl = RV_CTRL_ENABLE_MASK | (import_is_messages(import) ? 0 : RV_CTRL_REPEAT_MASK) |
		       (config->modes << RV_CTRL_MODES_LSB & RV_CTRL_MODES_MASK);
	unit.ret_match = config->ret_match;
	unit.ret_mask = config->ret_mask;
	import->clock = import_clock_open(
	    image, config->core, config->tick + (config->tick == 0), config->hist, config->sink, config->context);
	trace_reset(&import->trace, &unit);
	unit.with_zcmp = (image_isa(image) & (ISA_EXT_ZCMP | ISA_EXT_ZCMT)) != 0;
	retire_check_init(&import->port, &unit);
	import_columns_default(import);
	*out = import;
	if (import->clock == NULL || (import_is_messages(import) && import_messages_open(import) != IMPORT_OK)) {
		import_close(import);
		*out = NULL;
		return IMPORT_ENOMEM;
	}
	return write_unit_control(import, import->ctrl);
}

void import_close(struct import *import)
{
	if (import == NULL)
		return;
	standard_close(import->decoder);
	import_clock_close(import->clock);
	free(import->decoded);
	free(import->line);
	free(import);
}

const struct import_counts *import_counts(const struct import *import)
{
	return &import->counts;
}

enum import_clock_kind import_timing(const struct import *import)
{
	return import_clock_kind(import->clock);
}

const struct import_clock_counts *import_times(const struct import *import)
{
	return import_clock_counts(import->clock);
}

const struct trace *import_trace(const struct import *import)
{
	return &import->trace;
}

bool import_doubtful(const struct import *import, bool outside)
{
	const struct import_counts *c = &import->counts;
	uint64_t all = c->instructions + c->outside;
	return 100 * (outside ? c->outside : c->breaks) > all;
}

enum import_form import_form_of(const struct import *import)
{
	return import->form;
}

void import_watch(struct import *import, import_watcher *watcher, void *context)
{
	import->watcher = watcher;
	import->watcher_context = context;
}

void import_tell(struct import *import, uint64_t line, enum import_problem problem, const char *format, ...)
{
	char text[512];
	va_list list;
	import->counts.problems[problem]++;
	if (import->config.teller == NULL)
		return;
	va_start(list, format);
	vsnprintf(text, sizeof text, format, list);
	va_end(list);
	import->config.teller(import->config.context, line, problem, text);
}

/* The image's instruction at pc; NULL: it has none. */
static const struct isa_insn *image_code_at(struct import *import, uint64_t pc)
{
	struct import_decoded *d = &import->decoded[pc / 2 % IMPORT_DECODED];
	if (d->pc != (pc | 1)) {
		d->pc = 0;
		if ((pc & 1) != 0 || !image_insn(import->image, pc, 0, &d->insn))
			return NULL;
		d->pc = pc | 1;
	}
	return &d->insn;
}

/* The instruction of a step: from the log, else from the image. False: the image has none there, so no reader of the
 * records could walk it, whatever the log says that it is. */
static bool decode_step(struct import *import, struct import_step *step, struct isa_insn *insn)
{
	const struct isa_insn *there = image_code_at(import, step->pc);
	if (there == NULL)
		return false;
	const uint32_t word = step->insn & ((step->insn & 3) == 3 ? UINT32_MAX : UINT16_MAX);
	if (!step->has_insn || word == (uint32_t)there->word) {
		*insn = *there;
		step->insn = (uint32_t)there->word;
		return true;
	}
	isa_decode(step->insn, image_isa(import->image), insn);
	if (insn->length == 2)
		step->insn &= 0xFFFF;
	if ((uint32_t)there->word != (uint32_t)insn->word) {
		char text[64];
		isa_format(there, step->pc, text, sizeof text);
		import_tell(import, step->line, IMPORT_OTHER_CODE,
		    "0x%08" PRIx64 ": the log says 0x%0*" PRIx64 ", the program has 0x%0*" PRIx64 " (%s) there",
		    step->pc, 2 * insn->length, insn->word, 2 * there->length, there->word, text);
	}
	return true;
}

/* Whether insn at pc can be followed by next. */
static bool can_follow(const struct import *import, const struct isa_insn *insn, uint64_t pc, uint64_t next)
{
	uint64_t behind = (pc + insn->length) & import->ones;
	if ((insn->class_bits & (ISA_INDIRECT | ISA_RET)) != 0)
		return (next & 1) == 0;
	if ((insn->class_bits & ISA_JUMP) != 0)
		return next == isa_target(insn, pc);
	return next == behind || ((insn->class_bits & ISA_BRANCH) != 0 && next == isa_target(insn, pc));
}

/* What the unit is shown: it knows the instructions of the base and C. */
static uint32_t insn_for_unit(const struct isa_insn *insn)
{
	switch (insn->op) {
	case ISA_CM_POPRET:
	case ISA_CM_POPRETZ:
	case ISA_CM_JT:
	case ISA_CM_JALT:
		return C_JR_RA; /* any indirect jump */
	case ISA_MNRET:
	case ISA_DRET:
		return MRET;
	default:
		return (uint32_t)insn->word;
	}
}

static int switch_off_and_on(struct import *import)
{
	if (import->off || import->ended)
		return IMPORT_OK;
	import->off = true;
	import->counts.breaks += import->counts.instructions > 0;
	int error = write_unit_control(import, import->ctrl & ~(uint32_t)RV_CTRL_ENABLE_MASK);
	return error == IMPORT_OK ? write_unit_control(import, import->ctrl) : error;
}

/* The log goes on where insn cannot. A line that says where it goes on and is wrong is none of a handler. */
static void note_gap(struct import *import, const struct import_step *step, const struct isa_insn *insn)
{
	const uint64_t behind = (step->pc + insn->length) & import->ones;
	const bool direct = (insn->class_bits & (ISA_BRANCH | ISA_JUMP)) != 0;
	const struct import_gap gap = {step->pc, behind, direct ? isa_target(insn, step->pc) : behind};
	if (!step->derived)
		import->gaps.certain++;
	else if (insn->op != ISA_ECALL || !import_gap_close(&import->gaps, step->next))
		import_gap_open(&import->gaps, &gap);
}

/* The program may be back from a handler. */
static void note_return(struct import *import, const struct import_step *step, const struct isa_insn *insn)
{
	if (import->away)
		import_gap_close(&import->gaps, step->pc);
	import->away = false;
	if ((insn->class_bits & ISA_RET) != 0 && step->has_next)
		import_gap_close(&import->gaps, step->next);
}

/* Shows the step that waits; its next pc is known now, or never (has_next false). */
static int show_import_step(struct import *import)
{
	struct import_step *step = &import->waiting;
	const struct trace_bus idle = {0};
	struct isa_insn insn;
	int error = IMPORT_OK;
	import->has_waiting = false;
	if (!decode_step(import, step, &insn)) {
		if (import->counts.instructions == 0)
			import->counts.before++;
		else
			import->counts.outside++;
		import->away = true;
		return switch_off_and_on(import);
	}
	const struct import_config *config = &import->config;
	if (config->ret_mask != 0 && (insn.word & config->ret_mask) == config->ret_match)
		insn.class_bits = ISA_RET; /* nothing else, as in the unit */
	note_return(import, step, &insn);
	bool possible = step->has_next && !step->trap && can_follow(import, &insn, step->pc, step->next);
	bool lost = !possible && !step->trap;
	if (lost && step->has_next && !step->derived)
		import_tell(import, step->line, IMPORT_IMPOSSIBLE, "0x%08" PRIx64 ": %s cannot go on at 0x%08" PRIx64,
		    step->pc, isa_name(&insn), step->next);
	if (lost && step->has_next)
		note_gap(import, step, &insn);
	/* without a credible next pc: as far as it is certain, it went on in line, unless it is a transfer */
	bool transfers = (insn.class_bits & (ISA_BRANCH | ISA_JUMP | ISA_INDIRECT | ISA_RET)) != 0;
	if (lost && transfers && (insn.class_bits & ISA_JUMP) == 0) {
		import->counts.unfollowed++;
		return switch_off_and_on(import);
	}
	uint64_t next_pc = (step->pc + insn.length) & import->ones;
	if (possible || step->trap)
		next_pc = step->next;
	else if ((insn.class_bits & ISA_JUMP) != 0)
		next_pc = isa_target(&insn, step->pc);
	const struct trace_retire retire = {.valid = true,
	    .trap = step->trap,
	    .intr = step->intr && !import->off,
	    .mode = step->mode,
	    .insn = insn_for_unit(&insn),
	    .pc = step->pc,
	    .next_pc = next_pc};
	import->off = false;
	import->counts.instructions += !step->trap;
	error = clock_unit(import, &retire, &idle);
	if (import->watcher != NULL && !step->trap)
		import->watcher(import->watcher_context, step->pc, lost ? 1 : retire.next_pc, step->insn, lost);
	if (error == IMPORT_OK && lost)
		error = switch_off_and_on(import);
	return error;
}

/* Checks a line with all columns by the rules of the port; each broken rule is reported once. */
static void check_port(struct import *import, const struct import_step *step)
{
	const unsigned all = 1u << COLUMN_PC | 1u << COLUMN_INSN | 1u << COLUMN_NEXT | 1u << COLUMN_MODE |
			     1u << COLUMN_TRAP | 1u << COLUMN_INTR;
	if ((step->told & all) != all)
		return;
	const struct trace_retire retire = {.trap = step->trap,
	    .intr = step->intr,
	    .mode = step->mode,
	    .insn = step->insn,
	    .pc = step->pc & import->ones,
	    .next_pc = step->next & import->ones};
	unsigned broken = retire_check(&import->port, &retire);
	for (unsigned i = 0; i < RETIRE_RULES; i++) {
		if ((broken >> i & 1) == 0)
			continue;
		if (import->port.broken[i] > 1)
			import->counts.problems[IMPORT_PORT]++;
		else
			import_tell(import, step->line, IMPORT_PORT,
			    "rule %u of the retire port is broken: %s; where to look: %s", i,
			    retire_rule_text((enum retire_rule)i), retire_rule_cure((enum retire_rule)i));
	}
}

/* What comes behind a step that was not executed: the same again, or a handler that comes back there. */
static int pass_dropped(struct import *import, const struct import_step *step)
{
	const struct import_gap gap = {import->dropped_pc, import->dropped_pc, import->dropped_pc};
	if (!import->dropped)
		return IMPORT_OK;
	import->dropped = false;
	if (step->intr || (step->pc & import->ones) == import->dropped_pc)
		return IMPORT_OK;
	if (image_code_at(import, import->dropped_pc) != NULL)
		import_gap_open(&import->gaps, &gap);
	return switch_off_and_on(import);
}

int import_step(struct import *import, const struct import_step *step)
{
	int error = IMPORT_OK;
	if (step->hart != import->config.hart) {
		import->counts.other_harts++;
		return IMPORT_OK;
	}
	check_port(import, step);
	error = pass_dropped(import, step);
	if (error == IMPORT_OK && import->has_waiting) {
		struct import_step *before = &import->waiting;
		if (!before->has_next) {
			before->next = step->pc;
			before->has_next = before->derived = true;
		} else if (before->next != step->pc && !step->intr) {
			import_tell(import, step->line, IMPORT_GAP,
			    "is at 0x%08" PRIx64 ", but the line before goes on at 0x%08" PRIx64
			    ": instructions are missing",
			    step->pc, before->next);
			const uint64_t certain = import->gaps.certain;
			error = show_import_step(import);
			import->gaps.certain = certain + 1; /* one, also where the line before cannot go on there */
			if (error == IMPORT_OK)
				error = switch_off_and_on(import);
		}
		if (error == IMPORT_OK && import->has_waiting)
			error = show_import_step(import);
	}
	import->waiting = *step;
	import->waiting.pc &= import->ones;
	import->waiting.next &= import->ones;
	import->has_waiting = true;
	return error;
}

int import_break(struct import *import, uint64_t next)
{
	int error = IMPORT_OK;
	if (import->has_waiting) {
		import->waiting.has_next = (next & 1) == 0;
		import->waiting.next = next & import->ones;
		import->waiting.derived = true;
		error = show_import_step(import);
	}
	return error == IMPORT_OK ? switch_off_and_on(import) : error;
}

void import_drop(struct import *import, uint64_t pc)
{
	if (!import->has_waiting || import->waiting.pc != pc)
		return;
	if (import->away) /* back from a handler, and in the next one */
		import_gap_close(&import->gaps, pc);
	import->has_waiting = import->away = false;
	import->dropped = true;
	import->dropped_pc = pc;
}

int import_finish(struct import *import)
{
	int error = import_is_messages(import) ? import_messages_end(import) : import_lines_end(import);
	if (error == IMPORT_OK && import->has_waiting) {
		/* the last one: its next pc is not in the log */
		import->ended = true;
		error = show_import_step(import);
	}
	import->counts.gaps = import_is_messages(import) ? 0 : import_gaps_all(&import->gaps);
	if (error == IMPORT_OK)
		error = write_unit_control(import, import->ctrl & ~(uint32_t)RV_CTRL_ENABLE_MASK);
	return error == IMPORT_OK ? import_clock_finish(import->clock) : error;
}
