/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#include "common/record.h"

static const struct {
	const char *name, *end;
	bool cut;
} reasons[TRACE_REASONS] = {
    {"none", "", false},
#define TRACE_CAUSE(ID, name, cut, end) {name, end, cut},
#include "common/reasons.def"
};

const char *record_reason_name(unsigned reason)
{
	return reason < TRACE_REASONS ? reasons[reason].name : "unknown";
}

const char *record_reason_end(unsigned reason)
{
	return reason < TRACE_REASONS ? reasons[reason].end : "";
}

bool record_reason_cut(unsigned reason)
{
	return reason < TRACE_REASONS && reasons[reason].cut;
}
