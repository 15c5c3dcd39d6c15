/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#ifndef RIVULET_MODEL_RUN_H
#define RIVULET_MODEL_RUN_H
/* Running a loaded program on the golden model to its end. Nothing is paid for a hook that is NULL. */
#include "model/model.h"

struct run_hooks {
	void *context;                                              /* first argument of every hook */
	void (*console)(void *context, uint8_t byte);               /* written to the simulation console */
	void (*uart)(void *context, uint8_t byte);                  /* received from the UART's line */
	void (*record)(void *context, const struct record *record); /* left by the trace unit's record port */
	void (*retire)(
	    void *context, const struct model_out *out); /* an instruction retired (out->valid), trapped ones too */
	void (*cycle)(void *context, const struct model_out *out); /* each one; not of fast_run() */
	bool (*progress)(
	    void *context, uint64_t cycles, uint64_t instructions); /* every 2^20 cycles; false stops the run */
};

enum run_end {
	RUN_END_EXIT, /* of its own accord */
	RUN_END_CYCLES,
	RUN_END_INSTRUCTIONS, /* a limit was reached */
	RUN_END_STOPPED,      /* by the progress hook */
	RUN_END_TRAPS,        /* RUN_TRAPS_MAX exceptions without a trap return: its handler fails, or there is none */
	RUN_END_STUCK,        /* jumps to itself with interrupts off, or waits for an interrupt that is not enabled */
	RUN_END_BREAK,        /* in front of a breakpoint (fast_run() only, as is the next) */
	RUN_END_WATCH,        /* behind a watched access */
	RUN_END_HOST_CALL     /* tohost asks the host to do something (HTIF): nobody does */
};

/* The two instructions around an EBREAK that make it a call of the host (RISC-V semihosting). */
#define SEMIHOST_BEFORE 0x01f01013u /* slli x0,x0,0x1f */
#define SEMIHOST_BEHIND 0x40705013u /* srai x0,x0,7 */

enum run_told { RUN_TOLD_DEVICE, RUN_TOLD_TOHOST, RUN_TOLD_SEMIHOSTING }; /* the end of a program */

#define RUN_TRAPS_MAX 10000u
struct run_trap {
	uint32_t cause, pc, value; /* mcause, mepc, mtval */
	uint32_t sp, vector;       /* x2, mtvec */
};

struct run_result {
	enum run_end end;
	uint32_t code;        /* of RUN_END_EXIT: 0 is success; of RUN_END_HOST_CALL: what was written to tohost */
	enum run_told told;   /* of RUN_END_EXIT: by what */
	bool waits;           /* of RUN_END_STUCK: for an interrupt; else it jumps to itself */
	uint32_t pc;          /* of RUN_END_STUCK: where */
	struct run_trap trap; /* of RUN_END_TRAPS: the first of them */
	uint64_t cycles, instructions;
};

/* Runs until the program ends or a limit is reached (0: none). hooks may be NULL. */
void model_run(struct model *model, const struct run_hooks *hooks, uint64_t cycle_limit, uint64_t instruction_limit,
    struct run_result *result);

struct run_config;
/* Copies the run configuration of the loaded program as it is now. False: it has none. */
bool model_run_config(const struct model *model, struct run_config *config);

/* Changes one word of the run configuration (common/run_config.h) of the loaded program: "input=ref", "way=sample",
 * "period=100"; or a register of the trace unit, or a field of one: "range0_lo=0x80000000", "ctrl.ie=1", "handlers=1"
 * (of CTRL). Of a program with a configuration that are the fields of CTRL that its driver leaves open; the others it
 * writes itself. Numbers as C writes them. *detail takes the sentence for the user. Returns 0, MODEL_EADDRESS if the
 * program has no configuration and there is no such register, MODEL_ECONFIG if the name or the value is unknown. */
int model_set(struct model *model, const char *assignment, char *detail, size_t size);

/* Writes the words between begin_signature and end_signature, eight hexadecimal digits a line, as the RISC-V
 * architecture tests want them. */
int model_write_signature(const struct model *model, const char *path, char *detail, size_t size);
#endif
