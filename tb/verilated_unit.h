// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Rivulet authors
// What every shim of a single unit needs: the unit in a context of its own, whose registers start at random values of a
// seed. A shim derives the struct of its C interface: struct x_rtl : verilated_unit<Vx> {};
#ifndef RIVULET_TB_VERILATED_UNIT_H
#define RIVULET_TB_VERILATED_UNIT_H
#include <new>
#include <verilated.h>

template <class Top> struct verilated_unit {
	using top_class = Top;
	VerilatedContext context;
	Top *top = nullptr;
	~verilated_unit() { delete top; }
};

// nullptr: no memory
template <class Unit> static Unit *verilated_open(uint32_t seed)
{
	Unit *unit = new (std::nothrow) Unit;
	if (!unit)
		return nullptr;
	unit->context.randReset(2);
	unit->context.randSeed(static_cast<int>(seed & 0x7FFFFFFF));
	unit->top = new (std::nothrow) typename Unit::top_class{&unit->context};
	if (!unit->top) {
		delete unit;
		return nullptr;
	}
	unit->top->clk_i = 0;
	return unit;
}

template <class Unit> static void verilated_close(Unit *unit)
{
	delete unit;
}
#endif
