/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#ifndef RIVULET_CMD_CC_LINK_H
#define RIVULET_CMD_CC_LINK_H
/*
 * A link by `rivulet cc`, and the files that work on it. Each calls those that stand below it, never one above:
 *
 *   cc.c                                                               the driver's side: options
 *   cc_link.c                                                          the linker's side: a link, its twin
 *   cc_budget.c                                                        ... again, until the counters fit
 *   cc_edit.c                                                          the linker's words, with edited files
 *   cc_exclude.c cc_reserve.c cc_runtime.c cc_lto.c cc_host_calls.c    what is edited, how, and what comes to it
 *   cc_twin.c cc_shared.c cc_jumps.c                                   the outputs, the inputs
 *   cc_target.c cc_given.c                                             what the driver and the options say
 *   cc_state.c cc_words.c                                              the options on their way; words
 */
#include <stdbool.h>
#include "host/cc/cache.h"
#include "host/cc/linker.h"
#include "host/cmd/cc_state.h"
#include "host/insert/modes.h"

struct link {
	struct cc_arguments arguments;
	struct cache cache;
	struct cc_words command, twin;
	char *output, *twin_output; /* twin_output: NULL, no twin is linked */
	bool original;              /* the twin comes first: its addresses are part of what is put in */
	uint64_t edited, cached, left;
	bool dynamic;          /* the program has an interpreter */
	bool linked;           /* the program is there already: its code gets counters (insert_linked.c) */
	bool shared, no_libc;  /* a shared library; without a C library */
	unsigned jumps;        /* what it has of longjmp(), _longjmp() ...: bits */
	unsigned catches;      /* ... of the personalities of exceptions */
	char real[4096];       /* the linker that is run */
	char *lto;             /* folder with what link-time optimisation left; NULL: there is none (cc_lto.c) */
	bool gnu_plugin;       /* it is gcc's */
	uint64_t budget;       /* bytes of counters; 0: none */
	unsigned level;        /* of host/insert/budget.h */
	bool quiet;            /* what is edited is tried again: it has been said */
	struct modes modes;    /* what its code says of machine mode */
	struct cache_key salt; /* of all that a shared library is linked from */
};

/* ---- cc_given.c: what the options say */
#define CC_RESERVE "--reserve="
/* Whether an option of `rivulet insert' was given. */
bool cc_inserts(const struct link *link, const char *option);
/* One that begins so. */
bool cc_inserts_like(const struct link *link, const char *begin);
/* The registers of all options --reserve. */
uint32_t cc_reserved(const struct link *link);
/* The option with which libraries have no counters; NULL: they have. */
const char *cc_not_in_libraries(const struct link *link);
/* Whether what is put in depends on the unedited program: cycles, and regions that a file names. */
bool cc_needs_original(const struct link *link);
/* Which `rivulet` this is: what another one has made is made anew. */
bool cc_add_self(struct cache_key *key);
/* An option, and what is in the file that it names: weights, regions, the original. */
bool cc_add_option(struct cache_key *key, const char *option);

/* ---- cc_target.c: what the driver says */
/* Its words that say for which target, and where its parts are. */
void cc_target_words(const struct cc_arguments *arguments, struct cc_words *words);
/* Whether its target is Linux. */
bool cc_is_linux(const struct link *link);
/* The linker that it would have run. False: there is none of this name. */
bool cc_real_linker(const struct link *link, char *path, size_t size);

/* ---- cc_jumps.c: calls that leave functions */
#define CC_JUMPS 4
#define CC_PERSONALITIES 5
extern const char *const cc_jumps[CC_JUMPS], *const cc_personalities[CC_PERSONALITIES];
/* Adds which of them a file names: bits. */
void cc_names_jumps(const char *path, unsigned *jumps, unsigned *personalities);
/* Whether a file is the C library or the compiler's, by its name. */
bool cc_of_compiler(const char *path);
/* Whether an object is start-up code that copies the program's variables by memcpy(). */
bool cc_copies_at_start(const char *path);

/* ---- cc_shared.c: shared libraries */
/* Sets link->salt: what the library is known by, its inputs and its name. The twin has the same. */
bool cc_make_salt(struct link *link, const struct linker *linker);
/* The runtime's shared variable must be exported, whatever a version script hides. True: word *i (and the next one, to
 * which *i is moved then) names a script; one with the variable takes its place in link->command. */
bool cc_add_script(struct link *link, const struct linker *linker, size_t *i);

/* ---- cc_twin.c: the outputs */
/* Where a linker's word or two name the output: *words of them; NULL: they do not. */
const char *cc_output_of(const struct linker *linker, size_t i, size_t *words);
/* Names the output, and the twin, if there is to be one. */
void cc_want_twin(struct link *link, const struct linker *linker);

/* ---- cc_host_calls.c */
/* Whether each call of the host lies in one page in what was linked. False: it has been said, and the file is gone. */
bool cc_keeps_host_calls(const struct link *link);

/* ---- cc_lto.c */
/* Objects of link-time optimisation become what the optimiser makes of them. A status; what is wrong has been said.
 * cc_end_lto(): when the link has ended. */
int cc_undo_lto(struct link *link, struct linker *linker);
void cc_end_lto(struct link *link);

/* ---- cc_runtime.c */
/* Compiled runtime and its wraps, before the first library. A twin has none. */
bool cc_add_runtime(struct link *link, bool twin);

/* ---- cc_reserve.c */
/* Adds --reserve to the options of `rivulet insert`: registers that a file of the link uses without saving them, or
 * none. Sets link->modes. */
void cc_find_reserved(struct link *link, const struct linker *linker);

/* ---- cc_exclude.c: what stays as it is */
/* Whether a file among the words does. A temporary object has the name of its source. */
bool cc_excluded(const struct link *link, const struct linker *linker, size_t i);
/* Whether word *i (and the next, to which *i is moved then) would take the counters away again: gcc's plugin compiles
 * objects that have both code and its form for link-time optimisation anew; without debug information nobody knows what
 * counters mean. Told, but not for the twin. */
bool cc_left_out(const struct link *link, const struct linker *linker, bool twin, size_t *i);
/* Whether start-up code calls memcpy() before variables have their values: then it has no counters that need them. */
void cc_find_early(struct link *link, const struct linker *linker);
/* Says which files of the program's own are left alone, since they are called as start-up code is. */
void cc_tell_startup(const struct link *link, const struct linker *linker);
/* Bytes of small data for the counters of each object: 2048 for all of them together, so that the program's own keeps
 * its room; in steps, so that one object more is no reason to edit all anew. Which members of an archive are linked is
 * not known: none for them. */
unsigned cc_near_bytes(const struct linker *linker, bool archive);

/* ---- cc_edit.c */
/* The words of link->command, or of link->twin; what is edited is in the cache then. False: it has been said. */
bool cc_make_command(struct link *link, const struct linker *linker);
bool cc_make_twin_command(struct link *link, const struct linker *linker);
/* Runs link->command; what it says goes into a file. */
void cc_run_quietly(const struct link *link, const char *errors);

/* ---- cc_budget.c */
/* Sets link->level, so that the program's counters keep to their budget. False: a file cannot be edited, which has been
 * said. Then, of the program that was linked: what that cost it. */
bool cc_find_level(struct link *link, const struct linker *linker, bool on_linux);
void cc_tell_budget(const struct link *link);

/* ---- cc_link.c */
/* As the linker that the driver runs: arguments->as_linker is its name, arguments->driver its words. */
int cc_run_linker(struct cc_arguments *arguments);
#endif
