/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#ifndef RIVULET_TB_SHIM_H
#define RIVULET_TB_SHIM_H
/* The Verilated SoC behind a C interface; shim.cpp is the only C++ of the bench. */
#include <stdbool.h>
#include <stdint.h>

/* All observation points of one cycle (signals.def). Invariant: no holes, so two can be compared as memory. */
/* clang-format off */
struct sample {
#define SIGNAL(type, name, model, when) type name;
#include "tb/signals.def"
};
/* clang-format on */

struct rtl_in {
	bool rst, bus_wait, irq_ext, uart_rx;
	uint8_t fifo_index; /* slot that the fifo_* members of the sample show */
};

#ifdef __cplusplus
extern "C" {
#endif
struct rtl;
struct rtl *rtl_open(void); /* NULL: no memory. All registers and memory 0; not reset yet */
void rtl_close(struct rtl *rtl);
struct rtl_build { /* what was built; the names of the RTL's parameters */
	uint32_t ram_bytes, with_c, with_m, mul_fast, with_counters, pmp_regions, pmp_grain, trace_sink;
};
extern const struct rtl_build rtl_build;
void rtl_cycle(
    struct rtl *rtl, const struct rtl_in *in, struct sample *out); /* one clock cycle; *out: values during it */
uint32_t rtl_ram_read(const struct rtl *rtl, uint32_t word);       /* word index < rtl_ram_bytes() / 4 */
void rtl_ram_write(struct rtl *rtl, uint32_t word, uint32_t value);
bool rtl_can_wave(void);                               /* built with FST tracing */
void rtl_wave_open(struct rtl *rtl, const char *path); /* from the next cycle on */
void rtl_wave_close(struct rtl *rtl);
bool rtl_coverage(struct rtl *rtl, const char *path); /* writes what was reached; false: built without it */
#ifdef __cplusplus
}
#endif
#endif
