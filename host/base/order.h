/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#ifndef RIVULET_BASE_ORDER_H
#define RIVULET_BASE_ORDER_H
/*
 * Sorted arrays: functions for qsort(), and where something is.
 *
 *   static int by_site(const void *a, const void *b)
 *   {
 *           const struct call *x = a, *y = b;
 *           return order_then(ORDER_UP(x->site, y->site), ORDER_DOWN(x->count, y->count));
 *   }
 *   ...
 *   size_t at;
 *   ORDER_FIRST(at, 0, count, calls[at].site < site);
 */

/* Below 0: x comes before y; 0: they are equal. Each is looked at twice. */
#define ORDER_UP(x, y) (((x) > (y)) - ((x) < (y)))
#define ORDER_DOWN(x, y) ORDER_UP(y, x)

/* The first key, or the next one where that is equal. */
static inline int order_then(int first, int next)
{
	return first != 0 ? first : next;
}

/* index becomes the first one from `from' to below `end' for which `before', an expression of it, does not hold; `end'
 * if it holds for all. It holds for those in front alone: the array is sorted. Half of what is left at each step. */
#define ORDER_FIRST(index, from, end, before)                                                                          \
	do {                                                                                                           \
		__typeof__(index) order_low = (from), order_high = (end);                                              \
		while (order_low < order_high) {                                                                       \
			(index) = order_low + (order_high - order_low) / 2;                                            \
			if (before)                                                                                    \
				order_low = (index) + 1;                                                               \
			else                                                                                           \
				order_high = (index);                                                                  \
		}                                                                                                      \
		(index) = order_low;                                                                                   \
	} while (0)
#endif
