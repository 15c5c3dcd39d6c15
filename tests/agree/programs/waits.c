/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/*
 * Parts: waits
 * Parts: view
 *
 * What takes as long as something else lets it: WFI until a timer, ECALL into the trap handler, a UART that is sending,
 * input that does not come. The program measures each by itself.
 */
#include "sw/hal/hal.h"
#include "sw/run/app.h"

#define AWAY __attribute__((noinline, noclone))
#define ROUNDS 20u

static volatile uint32_t sink;
uint32_t waited[4]; /* by class, read by the test */

static int on_trap(struct hal_frame *frame)
{
	if (csr_read(mcause) == 11) {
		for (uint32_t i = 0; i < frame->x[17]; i++) /* a7 */
			sink += i;
		frame->pc += 4;
		return 0;
	}
	hal_timer_at(UINT64_MAX);
	return 0;
}

AWAY uint32_t compute(uint32_t rounds)
{
	uint32_t sum = 0;
	for (uint32_t i = 0; i < rounds; i++)
		sum += sink ^ i;
	return sum;
}

AWAY void wait_timer(uint32_t cycles)
{
	hal_timer_at(hal_time() + cycles);
	uint32_t from = csr_read(mcycle);
	__asm__ volatile("wfi");
	waited[0] += csr_read(mcycle) - from;
	csr_set(mstatus, MSTATUS_MIE);
	csr_clear(mstatus, MSTATUS_MIE);
}

AWAY void call_system(uint32_t work)
{
	register uint32_t a7 __asm__("a7") = work;
	uint32_t from = csr_read(mcycle);
	__asm__ volatile("ecall" : "+r"(a7) : : "memory");
	waited[1] += csr_read(mcycle) - from;
}

AWAY void send(void)
{
	hal_uart_put(0);
	uint32_t from = csr_read(mcycle);
	hal_uart_drain();
	waited[2] += csr_read(mcycle) - from;
}

/* Asks so often until it is sure that nobody types. */
AWAY int get_input(void)
{
	int byte = -1;
	for (uint32_t i = 0; i < 50 && byte < 0; i++)
		byte = hal_uart_get();
	return byte;
}

AWAY void ask(void)
{
	uint32_t from = csr_read(mcycle);
	sink += (uint32_t)get_input();
	waited[3] += csr_read(mcycle) - from;
}

int app_main(int input)
{
	(void)input;
	hal_trap_hook = on_trap;
	csr_set(mie, 1u << IRQ_TIMER);
	for (uint32_t i = 0; i < ROUNDS; i++) {
		sink += compute(i);
		wait_timer(300 + 7 * i);
		call_system(i);
		send();
		ask();
	}
	csr_clear(mie, 1u << IRQ_TIMER);
	hal_print("waited");
	for (uint32_t i = 0; i < 4; i++) {
		hal_print(" ");
		hal_print_decimal(waited[i]);
	}
	hal_print("\n");
	sink = 0;
	return 0;
}
