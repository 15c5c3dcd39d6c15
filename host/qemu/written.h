/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#ifndef RIVULET_QEMU_WRITTEN_H
#define RIVULET_QEMU_WRITTEN_H
/*
 * The record file of a program: all its threads, one behind the other.
 *
 *   thread 0  [block][block][block]              header │ thread 0 │ thread 1 │ end
 *   thread 1  [block][block]            ──►
 *
 * While the program runs, the file of the command's program grows, so that `rivulet view --serve' can follow it. New
 * blocks of the thread that stands last go behind the others. Whatever else is new (blocks of an earlier thread, a
 * library, which the header names) has its place before them: then the file begins anew. What is there is a good file
 * without an end at any time. When the program has ended, the file begins anew too, and gets its end.
 */
#include "host/qemu/take.h"

/* Once a second while the program runs. What goes wrong ends the show and nothing else: the end will tell of it. */
void written_show(struct qemu_take *take);
/* The whole file. */
int written_finish(struct qemu_take *take, const struct taken_program *program);
void written_close(struct written *written);
#endif
