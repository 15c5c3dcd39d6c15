/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#ifndef RIVULET_PMP_RTL_H
#define RIVULET_PMP_RTL_H
/* A Verilated rivulet_pmp behind a C interface; REGIONS and GRAIN are those that it was built with. */
#include <stdbool.h>
#include <stdint.h>

extern const unsigned pmp_rtl_regions, pmp_rtl_grain;

struct pmp_rtl_in {
	bool rst, write, fetch_user, data_user, data_store;
	uint32_t number, wdata, fetch_address, data_address;
};
struct pmp_rtl_out { /* values during the cycle */
	uint32_t rdata;
	bool fetch_deny, data_deny;
};
void pmp_rtl_open(void);
void pmp_rtl_cycle(const struct pmp_rtl_in *in, struct pmp_rtl_out *out);
void pmp_rtl_close(void);
#endif
