/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* The form of a log is found out; that of an encoder's bytes is told, with how the encoder was set: by the name of a
 * chip, by words, or by words on top of a chip. */
#include "host/cmd/import_options.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "host/cmd/objects.h"
#include "host/import/import.h"
#include "host/records/records.h"

enum { KEY_MODES = 256, KEY_RETURN };

#define OPTIONS_OF struct import_arguments
const struct option_row import_options[] = {
    {"output", 'o', "FILE", "The record file (needed)", OPTION_TEXT(output)},
    {"form", 'f', "FORM",
	"text, qemu, execlog, spike, rvvi, binary, ntrace, etrace, dense or joined; without it the first line of a log "
	"tells, or the start of a dense stream",
	OPTION_OWN},
    {"encoder", 0, "LIST", encoder_words_help, OPTION_TEXT(words)},
    {"chip", 0, "NAME", encoder_chips_help, OPTION_TEXT(chip)},
    {"hist", 0, "N", "Bits of the unit's history, 8 to 64 (64)", OPTION_NUMBER(hist, 8, 64, "a number from 8 to 64"),
	OPTION_NAMED(log_option)},
    {"hart", 0, "N", "Import this hart or thread (0), or this CPU of perf.data; the others are left out",
	OPTION_NUMBER(hart, 0, UINT16_MAX, "a number"), OPTION_ALSO(has_hart), OPTION_NAMED(log_option)},
    {"modes", KEY_MODES, "LIST", "Trace these privilege modes only: letters of USM (USM)", OPTION_OWN,
	OPTION_NAMED(log_option)},
    {"context", 0, "N",
	"Of an encoder's bytes: the program's address space (scontext); user mode of other ones is left out",
	OPTION_NUMBER(context, 0, UINT64_MAX, "a number"), OPTION_ALSO(has_context), OPTION_NAMED(log_option)},
    {"core", 0, "CORE",
	"Estimate cycles by the rules of this core: " CORE_NAMES
	", or a file (docs/cycles.md). Where messages have times, share these out by the rules",
	OPTION_TEXT(core_name), OPTION_NAMED(log_option)},
    {"trap-return", KEY_RETURN, "MATCH/MASK",
	"A trap return of the core's own: instruction and MASK is MATCH (the unit's RET_MATCH, RET_MASK)", OPTION_OWN,
	OPTION_NAMED(log_option)},
    {"control", 0, "N", "Of a dense stream, or a ring of several harts: CTRL, of which it says nothing (0x000F0001)",
	OPTION_NUMBER(ctrl, 0, UINT32_MAX, "a number"), OPTION_ALSO(has_ctrl)},
    {"load", 0, "ADDRESS", "Where the first page of a position-independent program was",
	OPTION_NUMBER(load, 0, UINT64_MAX, "an address"), OPTION_ALSO(has_load)},
    {"map", 0, "FILE", "Where it and its libraries were: /proc/PID/maps, or lines of ADDRESS FILE", OPTION_TEXT(map)},
    OPTION_OPERAND(program, "a program and a log are expected", NULL),
    OPTION_OPERAND(log, "a program and a log are expected",
	"a program (.elf) and its retirement log are expected; - is standard input"),
    {0},
};

bool import_is_messages(enum import_form form)
{
	return form == IMPORT_NTRACE || form == IMPORT_ETRACE;
}

/* --chip, then --encoder on top of it; either says the form, or --form does. */
/* A dense stream says all of itself but CTRL. */
static void check_import_dense(const struct import_arguments *a, struct argp_state *state)
{
	if (a->dense && a->log_option != NULL)
		argp_error(state, "--%s says nothing of a dense stream", a->log_option);
	if (a->joined && (a->has_hart || a->has_context || a->core_name != NULL || a->ret_mask != 0 ||
			     a->chip != NULL || a->words != NULL || a->modes != IMPORT_ALL_MODES))
		argp_error(state, "of the ring of several harts only --hist and --control can be told");
	if (a->dense && (a->chip != NULL || a->words != NULL))
		argp_error(
		    state, "--chip and --encoder say nothing of a dense stream: it says itself how it was coded");
}

static void check_import_encoder(struct import_arguments *a, struct argp_state *state)
{
	bool given = a->chip != NULL || a->words != NULL;
	a->find = a->chip != NULL && strcmp(a->chip, "find") == 0;
	if (a->find && (a->words != NULL || a->form != IMPORT_AUTO))
		argp_error(state, "--chip find finds the form and the words of the encoder, too");
	if (a->find)
		return;
	encoder_defaults(&a->encoder, a->form);
	if (a->chip != NULL && !encoder_chip(&a->encoder, a->chip))
		argp_error(state, "--chip %s: no such chip; see --help", a->chip);
	if (a->chip != NULL && a->form != IMPORT_AUTO && a->form != a->encoder.form)
		argp_error(
		    state, "--chip %s has an encoder of the form %s", a->chip, import_form_name(a->encoder.form));
	a->form = a->encoder.form;
	if (given != import_is_messages(a->form))
		argp_error(state,
		    "--form ntrace or etrace and --encoder are given together, or --chip: the bytes do not say how "
		    "their encoder was set");
	if (!given)
		return;
	const char *wrong = a->words == NULL ? NULL : encoder_words(&a->encoder, a->words);
	if (wrong != NULL)
		argp_error(state, "--encoder: `%s' is no word of %s, or not with that value; see docs/standards.md",
		    wrong, import_form_name(a->form));
	wrong = encoder_check(&a->encoder);
	if (wrong != NULL)
		argp_error(state, "--encoder: %s", wrong);
}

error_t import_parse_option(int key, char *value, struct argp_state *state)
{
	static const char letters[] = "US-M";
	struct import_arguments *a = state->input;
	switch (key) {
	case 'f':
		a->dense = strcmp(value, "dense") == 0;
		a->joined = strcmp(value, "joined") == 0;
		a->form = IMPORT_AUTO;
		if (a->dense || a->joined)
			return 0;
		for (enum import_form form = IMPORT_AUTO; form < IMPORT_FORMS; form++) {
			if (strcmp(value, import_form_name(form)) == 0) {
				a->form = form;
				return 0;
			}
		}
		argp_error(state,
		    "--form %s: text, qemu, execlog, spike, rvvi, binary, ntrace, etrace, dense or joined is expected",
		    value);
		return 0;
	case KEY_MODES:
		a->modes = 0;
		if (*value == '\0')
			argp_error(state, "--modes: letters of USM are expected");
		for (const char *c = value; *c != '\0'; c++) {
			const char *letter = *c == '-' ? NULL : strchr(letters, *c);
			if (letter == NULL)
				argp_error(state, "--modes %s: letters of USM are expected", value);
			else
				a->modes |= UINT64_C(1) << (letter - letters);
		}
		return 0;
	case KEY_RETURN: {
		char *slash = strchr(value, '/');
		if (slash != NULL)
			*slash = '\0';
		if (slash == NULL || !parse_number(value, UINT32_MAX, &a->ret_match) ||
		    !parse_number(slash + 1, UINT32_MAX, &a->ret_mask) || (a->ret_match & ~a->ret_mask) != 0)
			argp_error(state, "--trap-return: two numbers MATCH/MASK are expected, MATCH within MASK");
		return 0;
	}
	case ARGP_KEY_END:
		check_import_dense(a, state);
		check_import_encoder(a, state);
		if (a->has_context && !import_is_messages(a->form) && a->form != IMPORT_AUTO)
			argp_error(state, "--context is for an encoder's bytes: a log has no address spaces");
		if (a->output == NULL)
			argp_error(state, "a record file is expected: -o FILE");
		if (a->has_load && a->map != NULL)
			argp_error(state, "--load and --map say the same; give one of them");
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}
