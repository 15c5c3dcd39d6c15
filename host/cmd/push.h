/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#ifndef RIVULET_CMD_PUSH_H
#define RIVULET_CMD_PUSH_H
/* rivulet push in parts: push.c sends, push_make.c makes the message of a store. */
#include "host/cmd/cmd.h"
#include "host/push/push.h"

#define PUSH_LABELS 32

enum push_store { PUSH_PYROSCOPE, PUSH_PPROF, PUSH_CLICKHOUSE, PUSH_OTLP };

struct push_command {
	const char *url, *program, *file; /* NULL: what the spool holds */
	const char *labels[PUSH_LABELS];  /* NAME=VALUE */
	size_t label_count;
	const char *table, *spool;
	enum push_store store;
	unsigned wait, timeout; /* seconds */
	bool partial;
};

/* push_otlp.c: build id and labels into a message of OTLP. False: out of memory. */
bool push_put_attributes(const struct push_command *p, const char *build_id, struct push_message *message);
/* STATUS_OK; STATUS_NO: the profile is damaged or does not fit (told), and nothing is made; STATUS_FAILED. */
int push_make(const struct push_command *p, struct push_message *message);
#endif
