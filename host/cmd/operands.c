/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#include "host/cmd/operands.h"

#include <errno.h>
#include <stddef.h>
#include "host/base/array.h"

enum { KEY_PARTIAL = 0x1000, KEY_FORCE, KEY_LIBRARY }; /* apart from those of the subcommands */

static const struct argp_option options[] = {
    {"partial", KEY_PARTIAL, NULL, 0, "Accept damaged or incomplete input, and a table that was full", 0},
    {"force", KEY_FORCE, NULL, 0, "Accept input of another build", 0},
    {"library", KEY_LIBRARY, "FILE", 0,
	"A shared library of the program, which was linked by `rivulet cc' too; may be given more than once", 0},
    {0},
};

static error_t parse_operand(int key, char *value, struct argp_state *state)
{
	struct operands *o = state->input;
	switch (key) {
	case KEY_PARTIAL:
		o->partial = true;
		return 0;
	case KEY_FORCE:
		o->force = true;
		return 0;
	case KEY_LIBRARY:
		if (o->library_count == OPERANDS_LIBRARIES)
			argp_error(state, "--library %s: there are more than %d libraries", value, OPERANDS_LIBRARIES);
		o->libraries[o->library_count++] = value;
		return 0;
	case ARGP_KEY_ARG:
		if (o->program == NULL)
			o->program = value;
		else if (o->file == NULL)
			o->file = value;
		else if (!o->many)
			argp_error(state, "%s are expected, `%s' is too many", o->wanted, value);
		else if (!array_room(&o->files, o->file_count + 1, &o->file_room))
			return ENOMEM;
		else
			o->files[o->file_count++] = value;
		return 0;
	case ARGP_KEY_END:
		if (o->file == NULL && !(o->alone && o->program != NULL))
			argp_error(state, "%s are expected", o->wanted);
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

const struct argp operands_argp = {options, parse_operand, NULL, NULL, NULL, NULL, NULL};
