/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#include "common/record.h"

const char *record_reason_name(unsigned reason)
{
	static const char *const names[TRACE_REASONS] = {
	    "none", "backward", "indirect", "full", "trap", "xret", "left", "off"};
	return reason < TRACE_REASONS ? names[reason] : "unknown";
}
