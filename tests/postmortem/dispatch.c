/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/*
 * A program with a real fault, for `make demo-postmortem`: messages are dispatched by their kind through a table, and
 * one has a kind that is not looked at: a jump to nowhere.
 */
#include "tests/postmortem/fault.h"

#define MESSAGES 3000u
#define KINDS 3u

struct message {
	uint8_t kind, length;
	uint8_t bytes[14];
};

static uint32_t sums[KINDS], sequence = 1;

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

int app_main(int input)
{
	struct message message;
	(void)input;
	if (fault_arm(TRACE_RECORDER_FAULTS))
		return app_check("recorder", 0, 1);
	for (unsigned i = 0; i < MESSAGES; i++) {
		receive(&message, i);
		dispatch(&message);
	}
	return app_check("messages", sums[0] != 0, 1);
}
