/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#ifndef RIVULET_ACCOUNT_INCLUSIVE_H
#define RIVULET_ACCOUNT_INCLUSIVE_H
/*
 * Inclusive numbers from counted calls, where no trace shows a call together with what it did:
 *
 *   inclusive(f) = self(f) + sum over the calls f -> g of inclusive(g) * calls(f -> g) / calls(g)
 *
 * What only one function calls is all its own, so its number is exact; what several call is shared out by how often
 * each called it. Functions that call each other are one: a call into them costs what all of them cost, and within them
 * there are no shares. calls(g) is how often g began (account_function.begun), so that what is called by a register,
 * whose callee no counter names, is with nobody.
 */
#include "host/account/account.h"

/* begun is set. Sets inclusive numbers of functions, and what calls cost. ACCOUNT_OK or ACCOUNT_ENOMEM. */
int account_count_inclusive(struct account *account);
#endif
