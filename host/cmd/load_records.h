/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#ifndef RIVULET_CMD_LOAD_RECORDS_H
#define RIVULET_CMD_LOAD_RECORDS_H
/* Record files (host/records) for the subcommands. */
#include "host/cmd/cmd.h"
#include "host/records/records.h"

/* Whether path is a record file: by its first bytes, or by its name (.rvr) if these are damaged. Regular files only. */
bool is_record_file(const char *path);
/* Whether path is a record file whose times are instructions, because nothing counted cycles. */
bool is_untimed_file(const char *path);
/* As load_profile(), for a record file: all records added up. by_length: as in struct profile. */
int load_records(struct loaded *loaded, const char *path, bool by_length);
/* Damage, one line each, at most max, then how many more. */
void print_records_damage(const struct records *records, FILE *out, const char *prefix, uint64_t max);
/* Before anything is made of image: puts a position-independent program, and its libraries, where the record file says
 * that they were loaded. Nothing for other inputs. STATUS_OK, or STATUS_FAILED: which is told. */
int place_image(struct image *image, const char *input);
/* Complains if the records are not of the program. STATUS_OK; STATUS_NO: they are not, or that is not known, but force;
 * STATUS_FAILED: they are not to be used. */
int check_records_match(const struct records *records, const char *path, const struct image *image, bool force);
/* For what goes along the cycles of a run: complains, and returns false, if the file has several harts. */
bool check_one_hart(const char *path);
#endif
