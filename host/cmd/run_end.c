/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#include "host/cmd/run_end.h"

#include <inttypes.h>
#include <signal.h>
#include "host/profile/profile.h"

const char *run_end_told(const struct run_result *result)
{
	static const char *const how[] = {"ended by the exit device\n", "ended by tohost\n", "ended by semihosting\n"};
	return result->end == RUN_END_EXIT && result->told < sizeof how / sizeof *how ? how[result->told] : "";
}

unsigned run_ending(const struct run_result *result)
{
	switch (result->end) {
	case RUN_END_EXIT:
		return PROFILE_END_EXIT;
	case RUN_END_CYCLES:
	case RUN_END_INSTRUCTIONS:
		return PROFILE_END_LIMIT;
	case RUN_END_STOPPED:
		return PROFILE_END_INTERRUPTED;
	default:
		return PROFILE_END_OTHER;
	}
}

/* Why a program loops in traps: the first of them says it. */
static void tell_traps(const char *program, const struct model *model, const struct run_trap *trap)
{
	const struct model_config *config = model_built(model);
	uint32_t around[3];
	static const char *const causes[] = {"a jump to an address that no instruction can have",
	    "a fetch from no memory", "an illegal instruction", "EBREAK", "a misaligned load", "a load from no memory",
	    "a misaligned store", "a store to no memory", "ECALL of user mode", NULL, NULL, "ECALL"};
	const char *cause = trap->cause < sizeof causes / sizeof *causes ? causes[trap->cause] : NULL;
	complain("%s: loops in traps: %u of them, and no return. The first: %s (mcause %u) at 0x%08x, mtval 0x%08x",
	    program, RUN_TRAPS_MAX, cause != NULL ? cause : "unknown", trap->cause, trap->pc, trap->value);
	if (trap->cause == 3 && model_read(model, trap->pc - 4, around, sizeof around) == MODEL_OK &&
	    around[0] == SEMIHOST_BEFORE && around[2] == SEMIHOST_BEHIND)
		complain("%s: it is a semihosting call; give --semihosting DIR", program);
	uint16_t code;
	if (model_read(model, trap->pc & ~1u, &code, sizeof code) != MODEL_OK)
		complain("%s: it left its RAM, 0x%08x to 0x%08x", program, config->ram_base,
		    config->ram_base + config->ram_size - 1);
	else if ((trap->cause == 5 || trap->cause == 7) && trap->sp - config->ram_base > config->ram_size)
		complain("%s: its stack pointer is 0x%08x, outside its RAM, 0x%08x to 0x%08x; give more RAM (--ram)",
		    program, trap->sp, config->ram_base, config->ram_base + config->ram_size - 1);
	if (model_read(model, trap->vector & ~3u, &code, sizeof code) != MODEL_OK)
		complain("%s: it has no trap handler: mtvec is 0x%08x", program, trap->vector);
}

/* A program for a host with HTIF writes the address of a call's block to tohost, or a character for its console, and
 * waits. There is no such host here. */
static void tell_host_call(const char *program, const struct model *model, uint32_t value)
{
	static const struct {
		uint32_t number;
		const char *name;
	} calls[] = {{56, "openat"}, {57, "close"}, {62, "lseek"}, {63, "read"}, {64, "write"}, {80, "fstat"},
	    {93, "exit"}, {169, "gettimeofday"}, {214, "brk"}, {1024, "open"}, {2011, "getmainvars"}};
	uint32_t block[4];
	const char *name = NULL;
	if ((value & 7) != 0 || model_read(model, value, block, sizeof block) != MODEL_OK) {
		complain("%s: wrote 0x%" PRIx32
			 " to tohost: a request to a host's device (HTIF), and there is none; print "
			 "over the UART, or by --semihosting",
		    program, value);
		return;
	}
	for (size_t i = 0; i < sizeof calls / sizeof *calls; i++)
		name = calls[i].number == block[0] ? calls[i].name : name;
	complain("%s: asks its host by tohost (HTIF) for call %" PRIu32
		 "%s%s%s, and nobody answers; use --semihosting, the UART, "
		 "or an odd value in tohost to end",
	    program, block[0], name != NULL ? " (" : "", name != NULL ? name : "", name != NULL ? ")" : "");
}

int run_end_status(const char *program, const struct model *model, const struct run_result *result,
    uint64_t cycle_limit, uint64_t instruction_limit)
{
	switch (result->end) {
	case RUN_END_EXIT:
		/* said, so that it is not taken for a status of this command */
		if (result->code != 0 && result->told == RUN_TOLD_TOHOST)
			complain("%s: failed: test case %" PRIu32 " (it wrote 0x%" PRIx32 " to tohost)", program,
			    result->code, result->code << 1 | 1);
		else if (result->code != 0)
			complain("%s: ended with exit code %" PRIu32, program, result->code);
		if (result->code == 0)
			return 0;
		return (result->code & 0xFF) == 0 ? 255 : (int)(result->code & 0xFF);
	case RUN_END_CYCLES:
		complain("%s: the limit of %s cycles was reached", program, with_commas(cycle_limit));
		return -RUN_STATUS_LIMIT;
	case RUN_END_INSTRUCTIONS:
		complain("%s: the limit of %s instructions was reached", program, with_commas(instruction_limit));
		return -RUN_STATUS_LIMIT;
	case RUN_END_TRAPS:
		tell_traps(program, model, &result->trap);
		return -RUN_STATUS_STUCK;
	case RUN_END_HOST_CALL:
		tell_host_call(program, model, result->code);
		return -RUN_STATUS_STUCK;
	case RUN_END_STUCK:
		complain("%s: stuck after %s cycles: it %s at 0x%08" PRIx32 ", and no interrupt can come", program,
		    with_commas(result->cycles), result->waits ? "waits (WFI)" : "jumps to itself", result->pc);
		return -RUN_STATUS_STUCK;
	case RUN_END_STOPPED:
		if (stop_signal != 0) {
			complain("%s: %s after %s cycles; what is written holds the run up to there", program,
			    stop_signal == SIGINT ? "interrupted" : "told to end", with_commas(result->cycles));
			return -stop_status();
		}
		return -RUN_STATUS_FAILED;
	default:
		return -RUN_STATUS_FAILED;
	}
}
