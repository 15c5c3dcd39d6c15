/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* Counts what runs between trace_start() and trace_stop(), with all counters one below 2^32 when it begins: each that
 * counts at all carries. Link with -Wl,--wrap=trace_start,--wrap=trace_stop,--wrap=rivulet_probe_register. */
#include <stddef.h>
#include <stdint.h>
#include "sw/hal/hal.h"
#include "sw/probe/probe.h"

#define BEFORE 0xFFFFFFFFu
#define NODES_MAX 512

static struct rivulet_probe_node *nodes[NODES_MAX];
static size_t node_count;

void rivulet_probe_put(const void *bytes, size_t size)
{
	hal_uart_write(bytes, size);
}

void __real_rivulet_probe_register(struct rivulet_probe_node *node);
void __wrap_rivulet_probe_register(struct rivulet_probe_node *node);
void __wrap_rivulet_probe_register(struct rivulet_probe_node *node)
{
	if (node_count < NODES_MAX)
		nodes[node_count++] = node;
	__real_rivulet_probe_register(node);
}

static void add(uint64_t value)
{
	for (size_t i = 0; i < node_count; i++) {
		volatile uint64_t *counters = nodes[i]->counters;
		for (uint32_t k = 0; nodes[i]->width == 8 && k < nodes[i]->count; k++)
			counters[k] += value;
	}
}

void __real_trace_start(void);
void __wrap_trace_start(void);
void __wrap_trace_start(void)
{
	rivulet_probe_reset();
	add(BEFORE);
	__real_trace_start();
}

void __real_trace_stop(void);
void __wrap_trace_stop(void);
void __wrap_trace_stop(void)
{
	add(-(uint64_t)BEFORE);
	rivulet_probe_write();
	__real_trace_stop();
}
