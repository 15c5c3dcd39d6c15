/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#ifndef RIVULET_CMD_INFO_H
#define RIVULET_CMD_INFO_H
/* Inside rivulet info: one function for each kind of file. Each returns the exit status. */
#include "host/cmd/cmd.h"

struct json;
struct record_change;
/* Phase changes that firmware has seen: a member, or lines. */
void info_changes_json(struct json *j, const struct record_change *changes, size_t count);
void info_changes_text(const struct record_change *changes, size_t count);

int info_profile(const char *path, bool json);
int info_records(const char *path, bool json);
int info_program(const char *path, bool json);
#endif
