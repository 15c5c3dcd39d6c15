/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/*
 * A watchdog that bites, for `make demo-postmortem`: jobs wait in a list, and one is put into it while it is there, so
 * that the list has no end. The timer is the watchdog, and its interrupt is what the recorder freezes at.
 */
#include "tests/postmortem/fault.h"

#define JOBS 8u
#define ROUNDS 500u
#define PATIENCE 20000u /* cycles that a round may take */
#define TIMER_INTERRUPT 7u

struct job {
	struct job *next;
	unsigned due, done;
};

static struct job jobs[JOBS], *first;

static __attribute__((noinline)) void put_job(struct job *job)
{
	job->next = first; /* the fault: it may wait already */
	first = job;
}

static __attribute__((noinline)) struct job *take_due(unsigned now)
{
	for (struct job **at = &first; *at != NULL; at = &(*at)->next)
		if ((*at)->due == now) {
			struct job *job = *at;
			*at = job->next;
			return job;
		}
	return NULL;
}

static __attribute__((noinline)) void run_job(struct job *job, unsigned now)
{
	job->done++;
	job->due = now + 1 + (unsigned)(job - jobs) % 3;
	put_job(job);
	if (now == ROUNDS - 1)
		put_job(job); /* it is to run twice */
}

static void feed_watchdog(void)
{
	hal_timer_at(hal_time() + PATIENCE);
}

int app_main(int input)
{
	(void)input;
	for (unsigned i = 0; i < JOBS; i++)
		put_job(&jobs[i]);
	feed_watchdog();
	if (fault_arm(1u << (16 + TIMER_INTERRUPT)))
		return app_check("recorder", 0, 1);
	csr_set(mie, 1u << TIMER_INTERRUPT);
	csr_set(mstatus, MSTATUS_MIE);
	for (unsigned now = 0; now < 2 * ROUNDS; now++) {
		feed_watchdog();
		for (struct job *job = take_due(now); job != NULL; job = take_due(now))
			run_job(job, now);
	}
	return app_check("jobs", jobs[0].done, 0);
}
