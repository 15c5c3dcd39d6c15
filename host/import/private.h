/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#ifndef RIVULET_IMPORT_PRIVATE_H
#define RIVULET_IMPORT_PRIVATE_H
#include <stdarg.h>
#include "host/import/clock.h"
#include "host/import/frames.h"
#include "host/import/gaps.h"
#include "host/import/import.h"
#include "model/retire_check.h"

struct import_step { /* one instruction of the log */
	uint64_t line, pc, next;
	uint32_t insn;
	unsigned hart;
	uint8_t mode;
	bool trap, intr, has_next, has_insn;
	bool listed;    /* by Spike's -l: before it was executed */
	bool committed; /* and by --log-commits, behind that */
	bool derived;   /* next is the pc of the line behind it */
	unsigned told;  /* bit per enum column: the log says it */
};

enum column {
	COLUMN_PC,
	COLUMN_INSN,
	COLUMN_NEXT,
	COLUMN_MODE,
	COLUMN_TRAP,
	COLUMN_INTR,
	COLUMN_VALID,
	COLUMN_HART,
	COLUMN_OTHER
};
#define COLUMNS_MAX 64

struct import_decoded; /* import.c */

struct import_pair { /* runs.c: the pair that the unit has, while the unit is left */
	bool on;
	bool valid; /* a trace has begun */
	uint64_t start, hist, insns;
	uint64_t full, insns_most; /* of the unit */
	/* of the step that waits */
	uint64_t behind, target;
	uint8_t class; /* enum standard_class */
};

struct import {
	const struct image *image;
	struct import_decoded *decoded;
	struct import_config config;
	enum import_form form;
	uint64_t ones; /* of the width */
	uint32_t ctrl;
	struct trace trace;
	struct retire_check port;
	struct import_counts counts;
	bool ended;
	bool off;  /* tracing was switched off and on behind the last instruction */
	bool away; /* what ran last is not in the image */
	struct import_gaps gaps;
	bool dropped; /* the last step was not executed after all: the program goes on at dropped_pc, or in a handler */
	uint64_t dropped_pc;
	struct import_step waiting;
	bool has_waiting;
	/* the line or step that is being collected */
	char *line;
	size_t length, room;
	uint8_t columns[COLUMNS_MAX]; /* enum column */
	unsigned column_count;
	bool named, csv;     /* csv: the names stand between commas, and so do cells, empty ones too */
	uint64_t stray;      /* lines before the first that is of a form */
	uint64_t stray_line; /* the first of them */
	char stray_text[40];
	bool commits; /* the log has lines of Spike's --log-commits */
	bool trapped; /* the next step is the first of a handler */
	uint8_t mode; /* of the last line or message that said it */
	struct import_clock *clock;
	struct standard_decoder *decoder;
	struct import_pair pair;
	struct frames frames;
	uint64_t offset;  /* framed: of the next byte */
	bool interrupted; /* the next instruction is the first of a handler */
	import_watcher *watcher;
	void *watcher_context;
};

/* lines.c */
bool import_hexadecimal(const char *word, size_t length, uint64_t *value);
bool import_is_text(const char *line);
void import_columns_default(struct import *import);
int import_lines_end(struct import *import);

/* forms.c */
/* IMPORT_AUTO: of none. */
enum import_form import_classify(const char *line);
/* A line of a form that is neither text nor binary. */
int import_tool_line(struct import *import, const char *line);

/* messages.c */
static inline bool import_is_messages(const struct import *import)
{
	return import->form == IMPORT_NTRACE || import->form == IMPORT_ETRACE;
}
int import_messages_open(struct import *import);
int import_messages_feed(struct import *import, const void *bytes, size_t size);
int import_messages_end(struct import *import);

/* runs.c */
/* So many instructions retired, from pc on in a straight line. */
int import_run(struct import *import, uint64_t pc, uint32_t count);
/* The unit goes on, before anything else is shown to it. */
void import_pair_end(struct import *import);

/* import.c */
/* Idle cycles, until nothing is on its way to a record. */
int import_drain(struct import *import);
/* What follows does not join the step that waits, which went on at next (an odd one: not known). */
int import_break(struct import *import, uint64_t next);
int import_step(struct import *import, const struct import_step *step);
/* The step that waits was not executed after all, if it is at pc. */
void import_drop(struct import *import, uint64_t pc);
void import_tell(struct import *import, uint64_t line, enum import_problem problem, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
#endif
