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

enum {
	KEY_HIST = 256,
	KEY_HART,
	KEY_LOAD,
	KEY_MAP,
	KEY_MODES,
	KEY_RETURN,
	KEY_ENCODER,
	KEY_CHIP,
	KEY_CONTEXT,
	KEY_CORE,
	KEY_CONTROL
};

const struct argp_option import_options[] = {{"output", 'o', "FILE", 0, "The record file (needed)", 0},
    {"form", 'f', "FORM", 0,
	"text, qemu, execlog, spike, rvvi, binary, ntrace, etrace or dense; without it the first line of a log tells, "
	"or "
	"the start of a dense stream",
	0},
    {"encoder", KEY_ENCODER, "LIST", 0, encoder_words_help, 0}, {"chip", KEY_CHIP, "NAME", 0, encoder_chips_help, 0},
    {"hist", KEY_HIST, "N", 0, "Bits of the unit's history, 8 to 64 (64)", 0},
    {"hart", KEY_HART, "N", 0, "Import this hart or thread (0), or this CPU of perf.data; the others are left out", 0},
    {"modes", KEY_MODES, "LIST", 0, "Trace these privilege modes only: letters of USM (USM)", 0},
    {"context", KEY_CONTEXT, "N", 0,
	"Of an encoder's bytes: the program's address space (scontext); user mode of other ones is left out", 0},
    {"core", KEY_CORE, "CORE", 0,
	"Estimate cycles by the rules of this core: " CORE_NAMES
	", or a file (docs/cycles.md). Where messages have times, share these out by the rules",
	0},
    {"trap-return", KEY_RETURN, "MATCH/MASK", 0,
	"A trap return of the core's own: instruction and MASK is MATCH (the unit's RET_MATCH, RET_MASK)", 0},
    {"control", KEY_CONTROL, "N", 0, "Of a dense stream: the unit's CTRL, of which it says nothing (0x000F0001)", 0},
    {"load", KEY_LOAD, "ADDRESS", 0, "Where the first page of a position-independent program was", 0},
    {"map", KEY_MAP, "FILE", 0, "Where it and its libraries were: /proc/PID/maps, or lines of ADDRESS FILE", 0}, {0}};

bool import_is_messages(enum import_form form)
{
	return form == IMPORT_NTRACE || form == IMPORT_ETRACE;
}

/* --chip, then --encoder on top of it; either says the form, or --form does. */
/* A dense stream says all of itself but CTRL. */
static void check_import_dense(const struct import_arguments *a, struct argp_state *state)
{
	if (a->dense && a->log_option != NULL)
		argp_error(state, "%s says nothing of a dense stream", a->log_option);
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

static void note_log_option(struct import_arguments *a, int key)
{
	static const int keys[] = {KEY_HIST, KEY_HART, KEY_MODES, KEY_RETURN, KEY_CONTEXT, KEY_CORE};
	static const char *const names[] = {"--hist", "--hart", "--modes", "--trap-return", "--context", "--core"};
	for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
		if (keys[i] == key)
			a->log_option = names[i];
	}
}

error_t import_parse_option(int key, char *value, struct argp_state *state)
{
	static const char letters[] = "US-M";
	struct import_arguments *a = state->input;
	note_log_option(a, key);
	switch (key) {
	case 'o':
		a->output = value;
		return 0;
	case 'f':
		a->dense = strcmp(value, "dense") == 0;
		a->form = IMPORT_AUTO;
		if (a->dense)
			return 0;
		for (enum import_form form = IMPORT_AUTO; form < IMPORT_FORMS; form++) {
			if (strcmp(value, import_form_name(form)) == 0) {
				a->form = form;
				return 0;
			}
		}
		argp_error(state,
		    "--form %s: text, qemu, execlog, spike, rvvi, binary, ntrace, etrace or dense is expected", value);
		return 0;
	case KEY_ENCODER:
		a->words = value;
		return 0;
	case KEY_CHIP:
		a->chip = value;
		return 0;
	case KEY_HIST:
		if (!parse_number(value, 64, &a->hist) || a->hist < 8)
			argp_error(state, "--hist %s: a number from 8 to 64 is expected", value);
		return 0;
	case KEY_HART:
		if (!parse_number(value, UINT16_MAX, &a->hart))
			argp_error(state, "--hart %s: a number is expected", value);
		a->has_hart = true;
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
	case KEY_CONTROL:
		if (!parse_number(value, UINT32_MAX, &a->ctrl))
			argp_error(state, "--control %s: a number is expected", value);
		a->has_ctrl = true;
		return 0;
	case KEY_LOAD:
		if (!parse_number(value, UINT64_MAX, &a->load))
			argp_error(state, "--load %s: an address is expected", value);
		a->has_load = true;
		return 0;
	case KEY_CONTEXT:
		if (!parse_number(value, UINT64_MAX, &a->context))
			argp_error(state, "--context %s: a number is expected", value);
		a->has_context = true;
		return 0;
	case KEY_CORE:
		a->core_name = value;
		return 0;
	case KEY_MAP:
		a->map = value;
		return 0;
	case ARGP_KEY_ARG:
		if (a->program == NULL)
			a->program = value;
		else if (a->log == NULL)
			a->log = value;
		else
			argp_error(state, "a program and a log are expected, `%s' is too many", value);
		return 0;
	case ARGP_KEY_END:
		if (a->log == NULL)
			argp_error(state, "a program (.elf) and its retirement log are expected; - is standard input");
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
