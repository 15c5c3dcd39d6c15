/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#ifndef RIVULET_EXPORT_CALLS_H
#define RIVULET_EXPORT_CALLS_H
/*
 * Exact calls and inclusive costs for an account, from the calling contexts of all records in order. An account alone
 * sees calls within a trace only and says "at least"; what replaces its numbers here are those that every export of the
 * same records is made from.
 *
 *   account (self) ──┐
 *                    ├──► functions: calls, recursion, inclusive; calls: one row a site and target, with their cost
 *   gather_result ───┘
 *
 * An instruction belongs to the function that it stands in, and to those in which the calls of its context stand: code
 * that a function falls through into is not that function's. A function that is there more than once counts once, so
 * that its inclusive cost is never below its self cost and never above the whole. A call's cost is that of the contexts
 * below it; below itself (recursion) it counts once too.
 */
#include "host/account/account.h"
#include "host/export/gather.h"

/* The account and the result are of the same records of the same image. Returns ACCOUNT_OK or ACCOUNT_ENOMEM; the
 * account is unchanged then. */
int calls_take(struct account *account, const struct image *image, const struct gather_result *result);
/* Least and most cycles of a call, behind calls_take(): by context of the result. */
struct extremes_call;
void calls_extremes(struct account *account, const struct image *image, const struct gather_result *result,
    const struct extremes_call *extremes, size_t count);
#endif
