/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#ifndef RIVULET_INSERT_PRIVATE_H
#define RIVULET_INSERT_PRIVATE_H
/* Shared by insert.c (an object), node.c (its registration) and insert_switch.c (second versions) only. */
#include "host/insert/insert.h"

/* node.c: counters of an id, at a symbol. */
int insert_write_node(struct insert_job *job, uint64_t id, uint32_t counters, uint64_t number);
/* insert_switch.c: the version that counts: the function itself, if it has only one. */
size_t insert_second_version(const struct insert_job *job, size_t function);
/* When the graph is there: job->seconds, job->function_count. */
int insert_match_versions(struct insert_job *job);
/* When the second version has its counters: the first one goes to it while the word says so. */
int insert_switch(struct insert_job *job, size_t function, size_t second);
#endif
