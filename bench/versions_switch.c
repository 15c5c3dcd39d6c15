/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* How bench/versions switches counting: not (HOW_whole), off before main() (HOW_off), or by interrupts of the timer: on
 * for a tenth of the time (HOW_tenth). */
#include "sw/hal/hal.h"
#include "sw/probe/switch.h"

#define WINDOW 20000u /* cycles that it is on; off for nine times as many */

int __real_main(void);
int __wrap_main(void);

#ifdef HOW_tenth
static int (*others)(struct hal_frame *frame);

static int on_timer(struct hal_frame *frame)
{
	if (csr_read(mcause) != (0x80000000u | IRQ_TIMER))
		return others != 0 ? others(frame) : 1;
	if (rivulet_probe_switch != 0) {
		rivulet_probe_switch_off();
		hal_timer_at(hal_time() + 9 * WINDOW);
	} else {
		rivulet_probe_switch_on();
		hal_timer_at(hal_time() + WINDOW);
	}
	return 0;
}
#endif

int __wrap_main(void)
{
#if defined HOW_off || defined HOW_tenth
	rivulet_probe_switch_off();
#endif
#ifdef HOW_tenth
	others = hal_trap_hook;
	hal_trap_hook = on_timer;
	hal_timer_at(hal_time() + 9 * WINDOW);
	csr_set(mie, 1u << IRQ_TIMER);
	csr_set(mstatus, MSTATUS_MIE);
#endif
	return __real_main();
}
