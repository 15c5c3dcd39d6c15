/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* What of a run a file of another format says that it has. */
#include "host/export/export.h"

const char *export_extent(const struct export_input *input, const char *sampled)
{
	if (input->part)
		return "a part of the run: the calls that began while counting was on";
	return input->sampled ? sampled : "all traces";
}
