/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* How sure a number from a sampled profile is. */
#include "host/account/account.h"

#include <math.h>

uint64_t account_measure(const struct account *account, const struct account_sum *sum)
{
	return account->timed ? sum->cycles : sum->insns;
}

double account_share(const struct account *account, const struct account_sum *sum)
{
	uint64_t all = account_measure(account, &account->all);
	return all == 0 ? 0 : (double)account_measure(account, sum) / (double)all;
}

/* (1 - 1/P) n / (n - 1): the traces that were not sampled are fewer than all. A sample that counts w times is one, and
 * not w: the variance is w times that of w samples. */
static double spread_of_weights(const struct account *account)
{
	double n = (double)account->all.count / account->weight, p = account->period;
	return (p > 1 ? 1 - 1 / p : 1) * account->weight * n / (n > 1 ? n - 1 : 1);
}

static double root_of_square(double square)
{
	return square > 0 ? sqrt(square) : 0;
}

double account_share_error(const struct account *account, const struct account_sum *sum)
{
	double all = (double)account_measure(account, &account->all), share = account_share(account, sum);
	if (!account->sampled || all <= 0)
		return 0;
	if (account->all.count < 2)
		return 1;
	double squares = sum->squares - 2 * share * sum->products + share * share * account->all.squares;
	double error = root_of_square(spread_of_weights(account) * squares) / all;
	return error < 1 ? error : 1;
}

double account_total(const struct account *account, const struct account_sum *sum)
{
	return account->period * (double)account_measure(account, sum);
}

double account_total_error(const struct account *account, const struct account_sum *sum)
{
	double x = (double)account_measure(account, sum), n = (double)account->all.count;
	if (!account->sampled)
		return 0;
	if (account->all.count < 2)
		return account->period * x;
	return account->period * root_of_square(spread_of_weights(account) * (sum->squares - x * x / n));
}

double account_count_error(const struct account *account, uint64_t count)
{
	double n = (double)account->all.count;
	if (!account->sampled || n <= 0)
		return 0;
	if (account->all.count < 2)
		return 1;
	double p = (double)count / n;
	return root_of_square(spread_of_weights(account) * p * (1 - p) / n);
}
