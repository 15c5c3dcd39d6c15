// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Rivulet authors
// The Verilated unit behind the C interface of rtl.h, and Verilator's main().
#include "Vmuldiv.h"
extern "C" {
#include "tb/muldiv/rtl.h"
}

extern "C" void muldiv_rtl_cycle(struct muldiv_ports *ports)
{
	static Vmuldiv unit;
	unit.clk_i = 0;
	unit.rst_i = ports->rst;
	unit.run_i = ports->run;
	unit.op_i = ports->op;
	unit.a_i = ports->a;
	unit.b_i = ports->b;
	unit.eval();
	ports->done = unit.done_o;
	ports->result = unit.result_o;
	unit.clk_i = 1;
	unit.eval();
}

int main(int argc, char **argv)
{
	return muldiv_judge(argc, argv);
}
