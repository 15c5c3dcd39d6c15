/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#include "sw/hal/hal.h"
#include "sw/hal/area.h"

#define UART_DATA (HAL_UART + 0)
#define UART_STATUS (HAL_UART + 4)
#define UART_TX_READY 1u
#define UART_TX_IDLE 8u
#define UART_NO_BYTE 0x80000000u

_Static_assert(offsetof(struct hal_frame, pc) == AREA_PC, "trap entry and frame agree");

int (*hal_trap_hook)(struct hal_frame *frame);

#define READ_PAIR(low, high)                                                                                           \
	uint32_t lo, hi;                                                                                               \
	do {                                                                                                           \
		hi = (high);                                                                                           \
		lo = (low);                                                                                            \
	} while (hi != (high));                                                                                        \
	return (uint64_t)hi << 32 | lo

uint64_t hal_cycles(void)
{
	READ_PAIR(csr_read(mcycle), csr_read(mcycleh));
}

uint64_t hal_instructions(void)
{
	READ_PAIR(csr_read(minstret), csr_read(minstreth));
}

uint64_t hal_time(void)
{
	READ_PAIR(hal_load(HAL_MTIME), hal_load(HAL_MTIME + 4));
}

void hal_timer_at(uint64_t time)
{
	hal_store(HAL_MTIMECMP + 4, UINT32_MAX);
	hal_store(HAL_MTIMECMP, (uint32_t)time);
	hal_store(HAL_MTIMECMP + 4, (uint32_t)(time >> 32));
}

void hal_uart_put(uint8_t byte)
{
	while ((hal_load(UART_STATUS) & UART_TX_READY) == 0)
		;
	hal_store(UART_DATA, byte);
}

void hal_uart_write(const void *bytes, size_t size)
{
	const uint8_t *at = bytes;
	for (size_t i = 0; i < size; i++)
		hal_uart_put(at[i]);
}

void hal_uart_drain(void)
{
	while ((hal_load(UART_STATUS) & UART_TX_IDLE) == 0)
		;
}

int hal_uart_get(void)
{
	uint32_t data = hal_load(UART_DATA);
	return (data & UART_NO_BYTE) != 0 ? -1 : (int)(data & 0xFF);
}

void hal_print(const char *text)
{
	while (*text != '\0')
		hal_uart_put((uint8_t)*text++);
}

void hal_print_hex(uint32_t value)
{
	hal_print("0x");
	for (int shift = 28; shift >= 0; shift -= 4)
		hal_uart_put((uint8_t) "0123456789abcdef"[value >> shift & 15]);
}

void hal_print_decimal(uint64_t value)
{
	/* Long division in steps of 16 bits: the library's 64-bit division takes 2 KiB. */
	uint16_t part[4] = {(uint16_t)(value >> 48), (uint16_t)(value >> 32), (uint16_t)(value >> 16), (uint16_t)value};
	char text[21];
	char *at = text + sizeof text - 1;
	uint32_t left;
	*at = '\0';
	do {
		uint32_t rest = 0;
		left = 0;
		for (int i = 0; i < 4; i++) {
			rest = rest << 16 | part[i];
			part[i] = (uint16_t)(rest / 10);
			rest %= 10;
			left |= part[i];
		}
		*--at = (char)('0' + rest);
	} while (left != 0);
	hal_print(at);
}

/* Called by start.S. */
void hal_trap(struct hal_frame *frame);
void hal_trap(struct hal_frame *frame)
{
	static uint32_t depth; /* a trap in here must not come back for ever */

	if (depth++ == 0 && hal_trap_hook != NULL && hal_trap_hook(frame) == 0) {
		depth--;
		return;
	}
	if (depth == 1) {
		hal_print("\ntrap: mcause ");
		hal_print_hex(csr_read(mcause));
		hal_print(", mepc ");
		hal_print_hex(frame->pc);
		hal_print(", mtval ");
		hal_print_hex(csr_read(mtval));
		hal_print("\n");
	}
	hal_exit(HAL_EXIT_TRAP);
}

extern volatile uint32_t tohost[2] __attribute__((weak));
_Noreturn void hal_halt(void);

_Noreturn void hal_exit(int code)
{
	csr_clear(mstatus, MSTATUS_MIE);
	hal_uart_drain();
	/* The exit device exists in simulation only; elsewhere the store faults, and the fault goes straight to
	 * hal_halt(). */
	csr_write(mtvec, (uint32_t)&hal_halt);
	if (tohost != NULL) {
		tohost[0] = (uint32_t)code << 1 | 1;
		tohost[1] = 0;
	}
	hal_store(HAL_EXIT, (uint32_t)code);
	hal_halt();
}
