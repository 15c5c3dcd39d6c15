/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#ifndef RIVULET_TB_MULDIV_RTL_H
#define RIVULET_TB_MULDIV_RTL_H
/* The Verilated rivulet_muldiv: its ports, and one cycle. */
#include <stdbool.h>
#include <stdint.h>

struct muldiv_ports {
	bool rst, run;
	uint8_t op; /* funct3 */
	uint32_t a, b;
	bool done;       /* out: in this cycle, before its clock edge */
	uint32_t result; /* out */
};
void muldiv_rtl_cycle(struct muldiv_ports *ports);

/* judge.c: what main() does */
int muldiv_judge(int argc, char **argv);

#endif
