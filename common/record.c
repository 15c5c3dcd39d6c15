/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#include "common/record.h"

static const struct {
	const char *name, *end;
	bool cut;
	enum record_behind behind;
} reasons[TRACE_REASONS] = {
    {"none", "", false, RECORD_NEXT},
#define TRACE_CAUSE(ID, name, cut, behind, end) {name, end, cut, RECORD_##behind},
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

enum record_behind record_reason_behind(unsigned reason)
{
	return reason < TRACE_REASONS ? reasons[reason].behind : RECORD_NEXT;
}
