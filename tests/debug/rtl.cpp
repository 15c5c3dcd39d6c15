// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Rivulet authors
#include <new>
#include <string>
#include "Vdebug_bench.h"
#include "verilated.h"
extern "C" {
#include "tests/debug/rtl.h"
}

struct debug_rtl {
	VerilatedContext context;
	Vdebug_bench *top;
};

extern "C" struct debug_rtl *debug_rtl_open(const char *program)
{
	struct debug_rtl *rtl = new (std::nothrow) debug_rtl;
	if (!rtl)
		return nullptr;
	const std::string argument = std::string("+program=") + program;
	const char *arguments[] = {"bench", argument.c_str()};
	rtl->context.commandArgs(2, arguments);
	rtl->context.randReset(2);
	rtl->top = new (std::nothrow) Vdebug_bench{&rtl->context};
	if (!rtl->top) {
		delete rtl;
		return nullptr;
	}
	const struct debug_pins idle = {0, 1, 0};
	struct debug_retired ignored;
	rtl->top->rst_i = 1;
	for (int i = 0; i < 4; i++)
		debug_rtl_cycle(rtl, &idle, &ignored);
	rtl->top->rst_i = 0;
	return rtl;
}

extern "C" void debug_rtl_close(struct debug_rtl *rtl)
{
	if (rtl)
		delete rtl->top;
	delete rtl;
}

extern "C" bool debug_rtl_cycle(struct debug_rtl *rtl, const struct debug_pins *pins, struct debug_retired *retired)
{
	Vdebug_bench &t = *rtl->top;
	t.clk_i = 0;
	t.tck_i = pins->tck;
	t.tms_i = pins->tms;
	t.tdi_i = pins->tdi;
	t.eval();
	retired->valid = t.retire_valid_o && !t.retire_trap_o && !t.rst_i;
	retired->pc = t.retire_pc_o;
	t.clk_i = 1;
	t.eval();
	return t.tdo_o;
}
