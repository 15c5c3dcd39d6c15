/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* Two threads: the first one's log is followed, the other's left out. */
#include <pthread.h>
#include <stdio.h>
static void *work(void *at)
{
	long *sum = at;
	for (int i = 0; i < 5000; i++)
		*sum += i % 7 == 3 ? i : 1;
	return NULL;
}
int main(void)
{
	pthread_t thread;
	long a = 0, b = 0;
	if (pthread_create(&thread, NULL, work, &a) != 0)
		return 1;
	work(&b);
	pthread_join(thread, NULL);
	printf("%ld %ld\n", a, b);
	return 0;
}
