/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#ifndef RIVULET_TB_DUO_RTL_H
#define RIVULET_TB_DUO_RTL_H
/* The Verilated SoC of two cores behind a C interface: duo_observed.v. */
#include <stdbool.h>
#include <stdint.h>
#include "common/record.h"

/* Harts; where the registers of the sink that they share are, in bytes */
enum { DUO_HARTS = 2, DUO_HUB = 0x10040000, DUO_HUB_BYTES = 64 };

struct duo_hart { /* outputs of one hart during a cycle */
	bool retire_valid, retire_trap, retire_intr, bus_valid, bus_fetch, bus_ready, irq_timer, irq_trace, rec_valid;
	uint8_t retire_mode, bus_wstrb;
	uint32_t retire_insn, retire_pc, retire_next_pc, bus_addr, bus_wdata;
	struct record rec; /* if rec_valid */
};
struct duo_out {
	struct duo_hart hart[DUO_HARTS];
	uint32_t bus_rdata; /* the answer to the request of the cycle before */
	bool irq_sink, rec_taken, sink_valid, exit_valid;
	uint32_t sink_addr, sink_wdata, exit_code;
};

struct duo_rtl;
struct duo_rtl *duo_rtl_open(void); /* NULL: no memory. Not reset yet */
void duo_rtl_close(struct duo_rtl *rtl);
void duo_rtl_cycle(struct duo_rtl *rtl, bool rst, bool bus_wait, struct duo_out *out);
uint32_t duo_rtl_read(const struct duo_rtl *rtl, uint32_t word); /* of RAM, by index */
void duo_rtl_write(struct duo_rtl *rtl, uint32_t word, uint32_t value);
#endif
