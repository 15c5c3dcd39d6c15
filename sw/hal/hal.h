/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#ifndef RIVULET_HAL_H
#define RIVULET_HAL_H
/* The machine as software sees it: CSRs, UART, timer, traps, exit. Addresses from docs/core.md section 7. */
#include <stddef.h>
#include <stdint.h>

/* ---- CSRs: name or number, known at compile time ---- */
#define HAL_STRING_(x) #x
#define HAL_STRING(x) HAL_STRING_(x)
#define csr_read(csr)                                                                                                  \
	__extension__({                                                                                                \
		uint32_t csr_value_;                                                                                   \
		__asm__ volatile("csrr %0, " HAL_STRING(csr) : "=r"(csr_value_) : : "memory");                         \
		csr_value_;                                                                                            \
	})
#define csr_write(csr, value) __asm__ volatile("csrw " HAL_STRING(csr) ", %0" : : "rK"((uint32_t)(value)) : "memory")
#define csr_set(csr, bits) __asm__ volatile("csrs " HAL_STRING(csr) ", %0" : : "rK"((uint32_t)(bits)) : "memory")
#define csr_clear(csr, bits) __asm__ volatile("csrc " HAL_STRING(csr) ", %0" : : "rK"((uint32_t)(bits)) : "memory")

#define MSTATUS_MIE 0x8u
#define MSTATUS_MPP 0x1800u
#define IRQ_TIMER 7
#define IRQ_TRACE 16

uint64_t hal_cycles(void);       /* mcycle, both halves, consistent */
uint64_t hal_instructions(void); /* minstret, likewise */

/* ---- Devices ---- */
#define HAL_MTIMECMP 0x02004000u
#define HAL_MTIME 0x0200BFF8u
#define HAL_UART 0x10000000u
#define HAL_EXIT 0x10010004u
static inline uint32_t hal_load(uint32_t address)
{
	return *(volatile uint32_t *)address;
}
static inline void hal_store(uint32_t address, uint32_t value)
{
	*(volatile uint32_t *)address = value;
}

/* mtime, both halves, consistent. */
uint64_t hal_time(void);
/* Sets mtimecmp without an early match in between. */
void hal_timer_at(uint64_t time);

/* UART. Sending waits for room; hal_uart_drain() waits until the last stop bit has left; hal_uart_get() returns -1 if
 * there is no byte. */
void hal_uart_put(uint8_t byte);
void hal_uart_write(const void *bytes, size_t size);
void hal_uart_drain(void);
int hal_uart_get(void);

/* Text without printf, which is larger than many an application. */
void hal_print(const char *text);
void hal_print_hex(uint32_t value); /* 0x and 8 digits */
void hal_print_decimal(uint64_t value);

/* ---- Traps ---- */
struct hal_frame {
	uint32_t x[32]; /* x[0] is not used */
	uint32_t pc;    /* where it goes on */
};
/* A handler of traps and interrupts that have no fast path. Returns 0: done, go on at frame->pc; anything else: not
 * mine. Runs with interrupts off on a stack of AREA_STACK bytes. Null at start. */
extern int (*hal_trap_hook)(struct hal_frame *frame);
extern const uint32_t hal_vectors[]; /* default vector table; mtvec = hal_vectors + 1 at start */
#define HAL_EXIT_CONFIG 121 /* exit code of a run that had to go with tracing off: its configuration cannot be */
#define HAL_EXIT_TRAP 120   /* exit code of an unexpected trap, after "trap: mcause ..., mepc ..., mtval ..." */

/* ---- The end ---- */
/* Waits for the UART, then ends the run: by symbol `tohost`, if the program has one, and by the simulation's exit
 * device. Where neither is answered (on an FPGA) it stays in WFI for ever. */
_Noreturn void hal_exit(int code);
#endif
