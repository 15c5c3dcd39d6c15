/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* Counts exactly what the trace unit sees: from trace_start() to trace_stop(). Link with --wrap of both. */
#include "sw/hal/hal.h"
#include "sw/probe/probe.h"

void __real_trace_start(void);
void __real_trace_stop(void);
void __wrap_trace_start(void);
void __wrap_trace_stop(void);

void rivulet_probe_put(const void *bytes, size_t size)
{
#ifdef SILENT
	(void)bytes;
	(void)size;
#else
	hal_uart_write(bytes, size);
#endif
}

void __wrap_trace_start(void)
{
	rivulet_probe_reset();
	__real_trace_start();
}

void __wrap_trace_stop(void)
{
	rivulet_probe_write();
	__real_trace_stop();
}
