// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Rivulet authors
// One Verilated rivulet_pmp behind the C interface of pmp_rtl.h. sources.h includes all that Verilator wrote for it.
#include "sources.h"
extern "C" {
#include "tests/kernel/pmp_rtl.h"
extern const unsigned pmp_rtl_regions = UNIT_REGIONS, pmp_rtl_grain = UNIT_GRAIN;
}

static VerilatedContext context;
static Vpmp *top;

extern "C" void pmp_rtl_open(void)
{
	context.randReset(2);
	context.randSeed(1);
	top = new Vpmp{&context};
	top->clk_i = 0;
}
extern "C" void pmp_rtl_close(void)
{
	delete top;
}
extern "C" void pmp_rtl_cycle(const struct pmp_rtl_in *in, struct pmp_rtl_out *out)
{
	top->clk_i = 0;
	top->rst_i = in->rst;
	top->addr_i = in->number & 0xFFF;
	top->write_i = in->write;
	top->wdata_i = in->wdata;
	top->fetch_addr_i = in->fetch_address >> 2;
	top->fetch_user_i = in->fetch_user;
	top->data_addr_i = in->data_address >> 2;
	top->data_user_i = in->data_user;
	top->data_store_i = in->data_store;
	top->eval();
	out->rdata = top->rdata_o;
	out->fetch_deny = top->fetch_deny_o;
	out->data_deny = top->data_deny_o;
	top->clk_i = 1;
	top->eval();
}
