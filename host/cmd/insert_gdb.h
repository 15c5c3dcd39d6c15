/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#ifndef RIVULET_CMD_INSERT_GDB_H
#define RIVULET_CMD_INSERT_GDB_H
/* Writes the commands by which gdb dumps the counters of a target (host/profile/memory.h). Returns a status; what is
 * wrong was told. */
int write_gdb_commands(const char *path);
#endif
