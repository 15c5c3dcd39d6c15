/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/*
 * A program with a real fault, for `make demo-postmortem`: messages are dispatched by their kind through a table, and
 * one has a kind that is not looked at: a jump to nowhere. The handler of the fault prints what the flight recorder
 * kept.
 */
#include "sw/hal/hal.h"
#include "sw/run/app.h"
#include "sw/trace/recorder.h"

#define MESSAGES 3000u
#define KINDS 3u

struct message {
	uint8_t kind, length;
	uint8_t bytes[14];
};

static uint32_t sums[KINDS], sequence = 1;
uint32_t rivulet_ring[TRACE_RING_WORDS(64)];
uint8_t fault_stack[2048] __attribute__((aligned(16)));

static uint8_t next_byte(void)
{
	sequence = sequence * 1664525u + 1013904223u;
	return (uint8_t)(sequence >> 24);
}

static __attribute__((noinline)) void on_position(const struct message *m)
{
	for (unsigned i = 0; i < m->length; i++)
		sums[0] += m->bytes[i];
}

static __attribute__((noinline)) void on_speed(const struct message *m)
{
	for (unsigned i = 0; i + 1 < m->length; i += 2)
		sums[1] += (uint32_t)m->bytes[i] << 8 | m->bytes[i + 1];
}

static __attribute__((noinline)) void on_battery(const struct message *m)
{
	sums[2] = m->length > 0 && m->bytes[0] > 100 ? 100 : m->bytes[0];
}

static struct {
	void (*handlers[KINDS])(const struct message *m);
	uint32_t baud, address;
} port = {{on_position, on_speed, on_battery}, 115200, 0x40000000};

static __attribute__((noinline)) void receive(struct message *m, unsigned number)
{
	m->kind = (uint8_t)(next_byte() % KINDS);
	m->length = (uint8_t)(next_byte() % sizeof m->bytes);
	for (unsigned i = 0; i < m->length; i++)
		m->bytes[i] = next_byte();
	if (number == MESSAGES - 1)
		m->kind = KINDS; /* a broken sender */
}

static __attribute__((noinline)) void dispatch(const struct message *m)
{
	port.handlers[m->kind](m); /* the fault: kind is not compared with KINDS */
}

static void put_char(char c)
{
	const char text[] = {c, 0};
	hal_print(text);
}

void on_fault(void)
{
	hal_print("fault; what ran last:\n");
	trace_recorder_print(
	    rivulet_ring, trace_recorder_save(rivulet_ring, sizeof rivulet_ring / sizeof *rivulet_ring), put_char);
	hal_exit(1);
}

/* The stack may be what is broken: the handler has one of its own. */
__attribute__((naked, aligned(4))) static void fault_entry(void)
{
	__asm__ volatile("la sp, fault_stack + 2048\n\tj on_fault");
}

int app_main(int input)
{
	struct message message;
	(void)input;
	csr_write(mtvec, (uintptr_t)fault_entry);
	if (trace_recorder_arm(&(struct trace_recorder){.traps = TRACE_RECORDER_FAULTS}) != TRACE_OK)
		return app_check("recorder", 0, 1);
	for (unsigned i = 0; i < MESSAGES; i++) {
		receive(&message, i);
		dispatch(&message);
	}
	return app_check("messages", sums[0] != 0, 1);
}
