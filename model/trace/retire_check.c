/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#include "model/retire_check.h"

#include <string.h>
#include "model/trace/private.h"

void retire_check_init(struct retire_check *check, const struct trace_config *config)
{
	memset(check, 0, sizeof *check);
	check->config = *config;
	check->config.with_check = true;
}

/* The instruction must trap, whatever the core. */
static bool must_trap(uint32_t insn)
{
	return insn == 0x00000073 || insn == 0x00100073 || ((insn & 3) != 3 && (insn & 0xFFFF) == 0x9002);
}

static bool mode_wrong(const struct retire_check *check, const struct trace_retire *r)
{
	bool rises = r->mode > check->before.mode, falls = r->mode < check->before.mode;
	return r->mode == 2 || (check->before.valid && ((rises && !r->intr) || (falls && !check->returned)));
}

unsigned retire_check(struct retire_check *check, const struct trace_retire *retire)
{
	const struct trace_retire *before = &check->before;
	struct trace_retire now = *retire;
	struct trace_decoded s;
	now.valid = true;
	trace_decoder(&check->config, &now, &s);
	bool behind_trap = before->valid && before->trap, elsewhere = before->valid && now.pc != before->next_pc;
	check->depth += now.intr;
	bool deep = check->depth > 15;
	const bool wrong[RETIRE_RULES] = {[RETIRE_FOLLOWS] = elsewhere && !now.intr,
	    [RETIRE_NEXT] = s.astray,
	    [RETIRE_INTR] = behind_trap && !now.intr,
	    [RETIRE_HANDLER] = behind_trap && now.intr && elsewhere,
	    [RETIRE_ECALL] = must_trap(now.insn) && !now.trap,
	    [RETIRE_EVEN] = (now.pc | now.next_pc) & 1,
	    [RETIRE_MODE] = mode_wrong(check, &now),
	    [RETIRE_RETURN] = deep};
	if (deep)
		check->depth = 0;
	else if (s.ret && check->depth)
		check->depth--;
	check->before = now;
	check->returned = s.ret;
	check->retired++;
	unsigned broken = 0;
	for (unsigned i = 0; i < RETIRE_RULES; i++) {
		check->broken[i] += wrong[i];
		broken |= (unsigned)wrong[i] << i;
	}
	return broken;
}

static const char *const texts[RETIRE_RULES][2] = {
    {"pc is the next_pc of the instruction before, unless intr is set",
	"an interrupt whose handler does not set intr; a retirement that is not shown; next_pc taken too early"},
    {"next_pc is one that the instruction can have",
	"next_pc of the interrupted instruction is the handler's; insn after decompression; hardware loops; a custom "
	"trap return without RET_MATCH"},
    {"the instruction behind one that trapped has intr", "intr is set for interrupts alone, or never"},
    {"the first instruction of an exception's handler is at the next_pc of the one that trapped",
	"next_pc of a trapped instruction is not the handler's address"},
    {"ECALL, EBREAK and C.EBREAK have trap", "the core shows them as completed: set trap where they retire"},
    {"pc and next_pc are even", "bit 0 of a JALR's sum is not cleared"},
    {"mode rises with intr alone, falls behind a trap return alone, and is 0, 1 or 3",
	"mode is taken after the instruction instead of before, or not delayed with it"},
    {"no more than 15 handlers begin without a trap return",
	"the core returns by an instruction of its own: give its RET_MATCH and RET_MASK"}};

const char *retire_rule_text(enum retire_rule rule)
{
	return texts[rule][0];
}

const char *retire_rule_cure(enum retire_rule rule)
{
	return texts[rule][1];
}
