// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Rivulet authors
// A program that stops where it is told to: `follow FIFO`. It runs step_one(), and waits until somebody opens the FIFO
// and closes it; step_two() in another thread, and waits; step_three() in a library that it loads, and waits.
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

static volatile long sum;

__attribute__((noinline)) void step_one(long i)
{
	sum += i;
}

__attribute__((noinline)) void step_two(long i)
{
	sum ^= i;
}

static void *other_thread(void *nothing)
{
	for (long i = 0; i < 2000; i++)
		step_two(i);
	return nothing;
}

static void wait_for(const char *fifo)
{
	FILE *file = fopen(fifo, "r");
	while (file != NULL && fgetc(file) != EOF) /* until it is closed: the next wait needs another one */
		;
	if (file != NULL)
		fclose(file);
}

int main(int count, char **words)
{
	pthread_t thread;
	if (count != 2)
		return 2;
	for (long i = 0; i < 1000; i++)
		step_one(i);
	wait_for(words[1]);
	if (pthread_create(&thread, NULL, other_thread, NULL) != 0)
		return 3;
	pthread_join(thread, NULL);
	step_one(0);
	wait_for(words[1]);
	void *library = dlopen("./libfollow.so", RTLD_NOW);
	void (*turn)(long) = library == NULL ? NULL : (void (*)(long))dlsym(library, "step_three");
	if (turn == NULL)
		return 4;
	for (long i = 0; i < 3000; i++)
		turn(i);
	wait_for(words[1]);
	return 0;
}
