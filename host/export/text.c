/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#include "host/export/text.h"

#include "host/base/json.h"

void text_json(FILE *out, const char *text)
{
	json_quoted(text, out);
}
