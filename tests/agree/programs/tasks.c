/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/*
 * Parts: tasks
 * Parts: view
 *
 * Tasks with stacks of their own, one in the middle of the other's calls: input train switches at every turn, input ref
 * runs one after the other. What each function takes, and below whom, is the same.
 */
#include "sw/run/app.h"

#define AWAY __attribute__((noinline, noclone))
#define TASKS 3u
#define STACK 512 /* words */

struct task {
	uint32_t saved[14]; /* ra, sp, s0 to s11 */
	uint32_t context;   /* of the runtime */
	uint32_t rounds;
	bool done;
	uint32_t stack[STACK];
};
static struct task tasks[TASKS], home;
static struct task *running;
static volatile uint32_t sink;
static bool switches;

void task_switch(struct task *from, struct task *to); /* tasks.S */

AWAY void yield(void)
{
	if (switches)
		task_switch(running, &home);
}

AWAY uint32_t leaf(uint32_t rounds)
{
	uint32_t sum = 0;
	for (uint32_t i = 0; i < rounds; i++)
		sum += sink ^ i;
	return sum;
}

AWAY uint32_t down(uint32_t depth)
{
	sink += leaf(depth);
	if (depth == 0) {
		yield(); /* deep in calls */
		return leaf(2);
	}
	uint32_t x = down(depth - 1);
	return x + leaf(3);
}

AWAY void body(void)
{
	struct task *own = running;
	for (uint32_t i = 0; i < own->rounds; i++) {
		sink += down(i % 4);
		yield();
	}
	own->done = true;
	task_switch(own, &home);
	for (;;) {
	}
}

AWAY void resume(struct task *t)
{
	running = t;
	task_switch(&home, t);
}

int app_main(int input)
{
	uint32_t left = TASKS;
	switches = input == APP_TRAIN;
	for (uint32_t i = 0; i < TASKS; i++) {
		tasks[i].rounds = 5 + 3 * i;
		tasks[i].saved[0] = (uint32_t)(uintptr_t)body;
		tasks[i].saved[1] = (uint32_t)(uintptr_t)(tasks[i].stack + STACK);
	}
	for (uint32_t i = 0; left > 0; i = (i + 1) % TASKS) {
		if (tasks[i].done)
			continue;
		resume(&tasks[i]);
		left -= tasks[i].done ? 1 : 0;
	}
	sink = 0;
	return 0;
}
