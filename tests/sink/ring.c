/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/*
 * An application counted by the trace unit alone: its table, and a small ring that is taken from at an interrupt when
 * it is half full. Sends the profile as the driver does, and prints how often it was interrupted.
 */
#include "common/frame.h"
#include "sw/hal/hal.h"
#include "sw/run/app.h"
#include "sw/trace/private.h"
#include "sw/trace/profile.h"
#include "sw/trace/sink.h"

#define RING_BITS 12

extern uint8_t __table_start[], __table_end[];
extern const uint8_t __text_start[], __text_end[];

static uint8_t ring[1 << RING_BITS] __attribute__((aligned(1 << RING_BITS)));
static struct trace_sink sink = {.memory = ring, .size_bits = RING_BITS, .interrupt = true};
static struct table table;
static uint32_t interrupts;

static __attribute__((interrupt, aligned(4))) void on_half_full(void)
{
	interrupts++;
	trace_sink_take(&sink, &table);
}

/* The applications report what is not as it should be. */
int app_check(const char *what, uint32_t got, uint32_t expected)
{
	if (got == expected)
		return 0;
	hal_print(what);
	hal_print(": wrong\n");
	return 1;
}

static void put(void *context, const void *bytes, size_t size)
{
	(void)context;
	hal_uart_write(bytes, size);
}

int main(void)
{
	struct trace_features features;
	table_init(&table, __table_start, (size_t)(__table_end - __table_start), 0);
	const int error = trace_sink_start(&sink);
	if (error != TRACE_OK) {
		hal_print("sink: ");
		hal_print(trace_strerror(error));
		hal_print("\n");
		return 1;
	}
	csr_write(mtvec, (uintptr_t)on_half_full);
	csr_set(mie, 1u << TRACE_IRQ);
	csr_set(mstatus, MSTATUS_MIE);
	const int result = app_main(APP_TRAIN);
	csr_clear(mstatus, MSTATUS_MIE);
	trace_sink_stop(&sink, &table);
	trace_probe(&features);
	const struct profile_info info = {.xlen = 32,
	    .hist = features.hist,
	    .ctrl = TRACE_MASK(CTRL, ENABLE) | TRACE_MASK(CTRL, TABLE) | TRACE_MASK(CTRL, MODES),
	    .way = RUN_TABLE,
	    .period = 1,
	    .build = frame_crc32(0, __text_start, (size_t)(__text_end - __text_start)),
	    .name = app_name,
	    .extras = true,
	    .lost = trace_get(LOST)};
	profile_send(&info, &table, put, NULL);
	hal_print("sink: interrupts ");
	hal_print_decimal(interrupts);
	hal_print(", lost ");
	hal_print_decimal(trace_get(LOST));
	hal_print("\n");
	return result;
}
