/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#ifndef RIVULET_IMPORT_H
#define RIVULET_IMPORT_H
/*
 * Anybody's retirement log becomes records: the log is read line by line, and each instruction is shown to the golden
 * model of the trace unit (model/trace.h) as a core would show it on its retire port. What leaves the unit's record
 * port goes to the caller. So every simulator is a source of exact profiles.
 *
 *   log ──► steps: pc, instruction, next pc, mode ──► checked against image and neighbours ──► trace unit ──► records
 *
 * Forms of a log:
 *   text     a line each, columns between blanks or commas: pc instruction next-pc mode trap intr. A first line with
 *            names puts them in another order: pc, insn, next_pc, mode, trap, intr, valid, hart; RVFI's names
 *            (rvfi_pc_rdata, rvfi_insn, rvfi_pc_wdata, rvfi_mode, rvfi_trap, rvfi_intr, rvfi_valid) too; other names
 *            are passed over, upper and lower case are the same, and of two columns of one meaning the first counts
 *            (the logs of Ibex's and CORE-V's tracers, the CSV traces of riscv-dv, whose instruction is "binary").
 *            Numbers are hexadecimal, with or without 0x; a mode is 0, 1, 3 or U, S, M. "-" and a column that is
 *            missing or empty: not known. Lines that begin with # are comments.
 *   qemu     what `qemu-riscv64 -singlestep -d nochain,exec` writes (from qemu 8.1 on -one-insn-per-tb)
 *   execlog  what qemu's plugin of that name writes: hart, pc, instruction, ...
 *   spike    what Spike writes with -l, with --log-commits, or with both. -l shows an instruction that traps, and the
 *            trap; --log-commits alone shows neither, so tracing breaks off behind a branch that an interrupt follows
 *   rvvi     RVVI-TEXT: RET, TRAP, MODE, HART, INTR of each line
 *   binary   IMPORT_MAGIC, then IMPORT_STEP bytes for each instruction, little endian: pc (8), next pc (8), instruction
 *            (4), mode (1), flags (1: 1 trap, 2 intr, 4 next pc not known, 8 instruction not known), 0 (2)
 *   ntrace   bytes of a RISC-V N-Trace encoder (host/ntrace/decoder.h)
 *   etrace   bytes of a RISC-V E-Trace encoder (host/etrace/decoder.h)
 * Without a form the first line that is of one decides; what stands before it belongs to no log.
 *
 * An instruction that is not known is taken from the image, a next pc from the line that follows.
 *
 * A log of which each line has all six columns is what a core shows on its retire port: it is held against the rules of
 * the port too (model/retire_check.h), so that a core which breaks its promise is named before a trace unit is beside
 * it.
 *
 * Messages of an encoder may say their times; with them, or with the rules of a core, records have cycles (clock.h).
 *
 * Where the program does not go on as its instructions say (missing lines, a signal, code outside of the image) tracing
 * is switched off and on: records before and behind it are exact, and nothing is made up in between.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "common/record.h"
#include "host/etrace/decoder.h"
#include "host/image/image.h"
#include "host/import/clock.h"
#include "host/ntrace/decoder.h"
#include "model/trace.h"

enum import_error {
	IMPORT_OK = 0,
	IMPORT_ENOMEM = -1,
	IMPORT_ESTOPPED = -2, /* the sink asked to stop */
	IMPORT_EFORM = -3,    /* no line of a known form */
	IMPORT_ECOLUMNS = -4  /* the line of names has no pc */
};
const char *import_strerror(int error);

enum import_form {
	IMPORT_AUTO,
	IMPORT_TEXT,
	IMPORT_QEMU,
	IMPORT_EXECLOG,
	IMPORT_SPIKE,
	IMPORT_RVVI,
	IMPORT_BINARY,
	IMPORT_NTRACE, /* never found by themselves: the options of the encoder are needed */
	IMPORT_ETRACE,
	IMPORT_FORMS
};
const char *import_form_name(enum import_form form); /* "auto", "text", ... */
#define IMPORT_MAGIC                                                                                                   \
	"\x8B"                                                                                                         \
	"RVL\r\n\x1A\xF5"
#define IMPORT_STEP 24

enum import_problem {      /* what a line contradicts */
	IMPORT_UNREADABLE, /* the line itself */
	IMPORT_OTHER_CODE, /* the image has another instruction there */
	IMPORT_GAP,        /* this pc is not the next pc of the line before */
	IMPORT_IMPOSSIBLE, /* the instruction cannot go to its next pc */
	IMPORT_PORT,       /* a rule of the retire port is broken; told the first time of each rule */
	IMPORT_DAMAGED,    /* messages contradict each other or the program; line is then the offset of a byte */
	IMPORT_PROBLEMS
};

struct import_counts {
	uint64_t lines, instructions; /* instructions: shown to the unit */
	uint64_t outside;             /* not in the image; behind the first that is shown */
	uint64_t before;              /* likewise, before the first: a boot ROM, the loader */
	uint64_t other_harts;
	uint64_t breaks;     /* places where tracing was switched off and on */
	uint64_t gaps;       /* of these: nothing came back there (gaps.h); known when the log has ended */
	uint64_t unfollowed; /* branches and jumps before such places: of which it is not known where they went */
	uint64_t problems[IMPORT_PROBLEMS];
	struct standard_counts messages; /* of an encoder's bytes; lines are its messages */
	uint64_t modes;                  /* messages that said the privilege mode */
};

/* Takes a record; time: cycles so far, or instructions if import_timing() is IMPORT_UNTIMED. Returns 0 to go on. */
typedef import_clock_sink import_sink;
/* Is told of a problem in line (of a binary log: its step), with a sentence. */
typedef void import_teller(void *context, uint64_t line, enum import_problem problem, const char *text);

struct import_config {
	enum import_form form;
	unsigned hist;  /* of the unit, 8 to 64 */
	unsigned hart;  /* the one that is imported; lines without a hart are of hart 0 */
	unsigned modes; /* CTRL.MODES: bit per privilege mode that is traced */
	/* a trap return of the core's own, as the unit's parameters RET_MATCH and RET_MASK; mask 0: none */
	uint32_t ret_match, ret_mask;
	/* how the encoder was set, of its form alone; read by import_open() alone */
	const struct ntrace_options *ntrace;
	const struct etrace_options *etrace;
	/* the context (scontext) that the image is of, in user mode; others are left out */
	bool has_context;
	uint64_t address_space;
	bool framed;             /* an encoder's bytes stand in CoreSight's frames (frames.h), */
	unsigned trace_id;       /* those of this source; 0: of the first one */
	bool stepwise;           /* of an encoder's bytes: the unit is shown each instruction; for tests */
	const struct core *core; /* by whose rules time is shared out; NULL: evenly. Must outlive the import */
	uint64_t tick;           /* cycles of a unit of the messages' times; 0: 1 */
	import_sink *sink;
	import_teller *teller; /* may be NULL */
	void *context;
};

struct import;
int import_open(struct import **import, const struct image *image, const struct import_config *config);
void import_close(struct import *import);
int import_feed(struct import *import, const void *bytes, size_t size);
/* Of an encoder's bytes: the next one stands at offset in the file; not joins: some are missing before it. */
void import_move(struct import *import, uint64_t offset, bool joins);
/* The end of the log. */
int import_finish(struct import *import);
const struct import_counts *import_counts(const struct import *import);
const struct trace *import_trace(const struct import *import);

/* Whether so many breaks (0: outside instructions) are the mark of a wrong log and not of signals: more than 1%. */
bool import_doubtful(const struct import *import, bool outside);
/* Known from the first record on. */
enum import_clock_kind import_timing(const struct import *import);
const struct import_clock_counts *import_times(const struct import *import);
enum import_form import_form_of(const struct import *import); /* as given, or as found */

/* The instruction just shown; for judges, called after each. next 1: not known. */
typedef void import_watcher(void *context, uint64_t pc, uint64_t next, uint32_t insn, bool broken);
void import_watch(struct import *import, import_watcher *watcher, void *context);
#endif
