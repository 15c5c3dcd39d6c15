/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#ifndef RIVULET_EXPORT_OTLP_MESSAGE_H
#define RIVULET_EXPORT_OTLP_MESSAGE_H
/*
 * Profiles as OpenTelemetry has them (otlp.proto): a message in memory, which is then written as protobuf (otlp.c) or
 * as JSON (otlp_json.c).
 *
 *   ProfilesData ─┬─ dictionary: strings, functions, locations with their lines, stacks, the program as a mapping
 *                 └─ resource: service.name, process.executable.name
 *                      └─ scope "rivulet" ─┬─ profile of instructions: a sample for each instruction in its context
 *                                          └─ profile of cycles, if there are any
 *
 * A profile has one kind of value here, so that there are two of them where pprof has one. The identity of a profile is
 * made from what it holds: the same one, sent twice, has the same.
 */
#include "host/export/export.h"
#include "host/export/otlp.pb-c.h"

struct otlp_message {
	Rivulet__Otlp__ProfilesData data;
	struct otlp_parts *parts; /* its memory */
};

/* EXPORT_OK, or an error. To be freed in any case. */
int otlp_message_make(struct otlp_message *message, const struct export_input *input);
void otlp_message_free(struct otlp_message *message);
#endif
