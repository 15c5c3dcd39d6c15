/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* One function for four threads at a time: TURNS calls of each, half of them on each path. */
#include <pthread.h>
#include <stddef.h>

int work(int x);
#ifdef WORK
int work(int x)
{
	if ((x & 1) != 0)
		return x * 3;
	return x + 1;
}
#else
#define TURNS 250000
static void *many(void *sum)
{
	int total = 0;
	for (int i = 0; i < TURNS; i++)
		total += work(i);
	*(int *)sum = total;
	return NULL;
}

int main(void)
{
	pthread_t threads[4];
	int sums[4];
	for (int i = 0; i < 4; i++)
		pthread_create(&threads[i], NULL, many, &sums[i]);
	for (int i = 0; i < 4; i++)
		pthread_join(threads[i], NULL);
	return sums[0] != sums[3];
}
#endif
