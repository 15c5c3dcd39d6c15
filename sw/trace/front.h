/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#ifndef RIVULET_TRACE_FRONT_H
#define RIVULET_TRACE_FRONT_H
/*
 * Where the trace unit's registers are, and how its interrupt comes: the parameters of a build of sw/trace. For C and
 * the assembler. The defaults are those of rtl/core and rtl/soc.
 *
 *	TRACE_MMIO_BASE	byte address of a memory-mapped front (rivulet_trace_wb, _apb, _axi). Not defined: the
 *			registers are CSRs.
 *	RV_CSR_BASE	the first of these CSRs; 0x7C0. What the core's parameter TRACE_CSR_BASE is.
 *	TRACE_IRQ	number of the trace interrupt in mcause and mie; 16
 *	TRACE_DIRECT	1: the core's mtvec has one entry for all causes; 0: it has the vectored mode
 *	TRACE_TIMER	1: there are mtime and mtimecmp, as in sw/hal/hal.h; 0: there are not, and what needs them (the
 *			ways timer, adapt and fill, and sorting) is refused
 *	TRACE_ENTRY_CYCLES cycles of an interrupt that count for the trace it interrupts: before its first instruction
 *			retires, and behind its last; 4
 *	TRACE_RATE	1: way table knows sample and hold (run_config.h, rate); 0: it does not
 *	TRACE_OWNED	1: with the kernel's handler of way table, which finds whose a record is; 0
 *	TRACE_HAL	1: linked with sw/hal, whose trap entry is the program's vector unless it sets another
 */
#include "common/rivulet_regs.h"

#ifndef TRACE_IRQ
#define TRACE_IRQ 16
#endif
#ifndef TRACE_DIRECT
#define TRACE_DIRECT 0
#endif
#ifndef TRACE_TIMER
#define TRACE_TIMER 1
#endif
#ifndef TRACE_ENTRY_CYCLES
#define TRACE_ENTRY_CYCLES 4
#endif
#ifndef TRACE_RATE
#define TRACE_RATE 0
#endif
#ifndef TRACE_OWNED
#define TRACE_OWNED 0
#endif
#ifndef TRACE_HAL
#define TRACE_HAL 1
#endif

#define TRACE_LSB(reg, field) RV_##reg##_##field##_LSB
#define TRACE_MASK(reg, field) (((1u << RV_##reg##_##field##_W) - 1) << RV_##reg##_##field##_LSB)
#define TRACE_GET(reg, field, value) (((value) >> RV_##reg##_##field##_LSB) & ((1u << RV_##reg##_##field##_W) - 1))

#ifndef __ASSEMBLER__
#ifdef TRACE_MMIO_BASE
#define TRACE_AT(reg) (((volatile uint32_t *)(TRACE_MMIO_BASE))[RV_REG_##reg])
#define trace_get(reg) TRACE_AT(reg)
#define trace_put(reg, value) (TRACE_AT(reg) = (uint32_t)(value))
#define trace_put_bits(reg, bits) (TRACE_AT(reg) = TRACE_AT(reg) | (uint32_t)(bits))
#define trace_clear_bits(reg, bits) (TRACE_AT(reg) = TRACE_AT(reg) & ~(uint32_t)(bits))
#else
#define trace_get(reg) csr_read(RV_CSR_##reg)
#define trace_put(reg, value) csr_write(RV_CSR_##reg, value)
#define trace_put_bits(reg, bits) csr_set(RV_CSR_##reg, bits)
#define trace_clear_bits(reg, bits) csr_clear(RV_CSR_##reg, bits)
#endif
#endif
#endif
