/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#ifndef RIVULET_TB_DENSE_RING_RTL_H
#define RIVULET_TB_DENSE_RING_RTL_H
/* The Verilated ring of the dense coder behind a C interface. */
#include "model/dense_ring.h"

struct ring_rtl;
/* NULL: no memory. Registers and memories hold pseudo-random values until the first reset. */
struct ring_rtl *ring_rtl_open(uint32_t seed);
void ring_rtl_close(struct ring_rtl *rtl);
uint32_t ring_rtl_cycle(struct ring_rtl *rtl, const struct dense_ring_in *in); /* rdata_o during it */
#endif
