// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Rivulet authors
// What a Verilated design can show beside its outputs, if it was built for it: coverage (VM_COVERAGE) and waves
// (VM_TRACE_FST).
#ifndef RIVULET_TB_OBSERVE_H
#define RIVULET_TB_OBSERVE_H
#include "verilated.h"
#if VM_COVERAGE
#include "verilated_cov.h"
#endif
#if VM_TRACE_FST
#include "verilated_fst_c.h"
#endif

struct coverage {
#if VM_COVERAGE
	bool write(VerilatedContext &context, const char *path)
	{
		return context.coveragep()->write(path), true;
	}
#else
	bool write(VerilatedContext &, const char *)
	{
		return false;
	}
#endif
};

template <class Top> struct wave {
#if VM_TRACE_FST
	static constexpr bool CAN = true;
	VerilatedFstC file;
	bool running = false;
	void prepare(VerilatedContext &context)
	{
		context.traceEverOn(true);
	}
	void open(Top &top, const char *path)
	{
		top.trace(&file, 99);
		file.open(path);
		running = true;
	}
	void dump(uint64_t time)
	{
		if (running)
			file.dump(time);
	}
	void close()
	{
		if (running)
			file.close();
		running = false;
	}
#else
	static constexpr bool CAN = false;
	void prepare(VerilatedContext &) {}
	void open(Top &, const char *) {}
	void dump(uint64_t) {}
	void close() {}
#endif
};
#endif
