/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#include "host/export/export.h"

#include <string.h>

const struct export_format export_formats[] = {
#define FORMAT(name, binary, timeline, text) {#name, text, export_##name, binary, timeline},
#include "host/export/formats.def"
    {0},
};

const struct export_format *export_find(const char *name)
{
	for (const struct export_format *format = export_formats; format->name != NULL; format++) {
		if (strcmp(format->name, name) == 0)
			return format;
	}
	return NULL;
}

const char *export_strerror(int error)
{
	switch (error) {
	case EXPORT_OK:
		return "no error";
	case EXPORT_ENOMEM:
		return "out of memory";
	case EXPORT_EWRITE:
		return "write error";
	case EXPORT_EEMPTY:
		return "nothing ran";
	case EXPORT_EDEBUG:
		return "no code that ran has source lines: compile with -g, do not strip";
	case EXPORT_ECODING:
		return "compression failed";
	case EXPORT_EORDER:
		return "this format is in the order of time: it needs a record file (rivulet run --records), with "
		       "every record";
	case EXPORT_EREAD:
		return "the record file cannot be read a second time";
	case EXPORT_ESYMBOL:
		return "the program has no functions with a size in its symbol table: do not strip it";
	case EXPORT_EOVERFLOW:
		return "a count passes 64 bits";
	default:
		return "unknown error";
	}
}
