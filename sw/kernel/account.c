/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/*
 * Accounts of the core's time: the cycles of each process, of the kernel and of waiting, and the first time slices one
 * by one. They are sent when all processes have ended (docs/profile-format.md, frame 4). Borders are reads of mcycle in
 * C, so what saves and restores registers counts for the process: some 70 cycles a trap.
 */
#include "common/frame.h"
#include "sw/kernel/kernel.h"

uint32_t account_border, account_begin;
static uint64_t started, idle_cycles;
static uint32_t slices, logged, wait_from;
static struct {
	uint32_t begin, end; /* low halves of mcycle */
	uint32_t slot;
} first_slices[ACCOUNT_LOG];

void account_init(void)
{
	started = hal_cycles();
	account_border = account_begin = (uint32_t)started;
}

void account_wait(void)
{
	wait_from = csr_read(mcycle);
}

void account_waited(void)
{
	idle_cycles += csr_read(mcycle) - wait_from;
}

void account_switch(struct process *process, uint32_t slot)
{
	if (logged < ACCOUNT_LOG) {
		first_slices[logged].begin = account_begin;
		first_slices[logged].end = account_border;
		first_slices[logged++].slot = slot;
	}
	slices++;
	process->slices++;
	account_ready(process, account_border);
	account_begin = csr_read(mcycle);
}

uint64_t account_own(const struct process *process)
{
	uint32_t before = work_quiet();
	uint64_t own = process->ran + (csr_read(mcycle) - account_border);
	work_loud(before);
	return own;
}

static void send(struct frame *frame)
{
	static uint8_t coded[FRAME_CODED_MAX];
	hal_uart_write(coded, frame_end(frame, coded));
}

static void begin(struct frame *frame, uint8_t *sequence, unsigned kind)
{
	frame_begin(frame, FRAME_KERNEL, (*sequence)++);
	frame_leb(frame, kind);
}

void account_send(const struct process *processes, uint32_t count)
{
	struct frame frame;
	uint8_t sequence = 0;
	uint64_t kernel = hal_cycles() - started - idle_cycles;
	for (uint32_t i = 0; i < count; i++)
		kernel -= processes[i].ran;
	begin(&frame, &sequence, FRAME_KERNEL_RUN);
	frame_leb(&frame, kernel);
	frame_leb(&frame, idle_cycles);
	frame_leb(&frame, slices);
	frame_leb(&frame, kernel_slice);
	frame_leb(&frame, count);
	send(&frame);
	for (uint32_t i = 0; i < count; i++) {
		const struct process *p = &processes[i];
		if (p->program == NULL)
			continue;
		begin(&frame, &sequence, FRAME_KERNEL_PROCESS);
		frame_leb(&frame, i + 1);
		frame_leb(&frame, p->ran);
		frame_leb(&frame, p->slices);
		frame_leb(&frame, p->preempted);
		frame_leb(&frame, p->round);
		frame_leb(&frame, p->failures);
		for (unsigned n = 0; p->name[n] != '\0'; n++)
			frame_byte(&frame, (uint8_t)p->name[n]);
		send(&frame);
	}
	begin(&frame, &sequence, FRAME_KERNEL_WAITS);
	for (uint32_t i = 0; i < count; i++)
		if (processes[i].program != NULL) {
			frame_leb(&frame, i + 1);
			frame_leb(&frame, processes[i].longest_wait);
		}
	send(&frame);
	uint32_t time = (uint32_t)started;
	for (uint32_t i = 0; i < logged;) {
		begin(&frame, &sequence, FRAME_KERNEL_SLICES);
		for (; i < logged && frame_room(&frame) >= 11; i++) {
			frame_byte(&frame, (uint8_t)(first_slices[i].slot + 1));
			frame_leb(&frame, first_slices[i].begin - time);
			frame_leb(&frame, first_slices[i].end - first_slices[i].begin);
			time = first_slices[i].end;
		}
		send(&frame);
	}
	console_frames_end();
}
