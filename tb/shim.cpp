// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Rivulet authors
// The Verilated SoC behind the C interface of shim.h.
#include <new>
#include "tb/shim.h"
#include "Vrivulet_sim.h"
#include "Vrivulet_sim___024root.h"
#include "tb/observe.h"

struct rtl {
	VerilatedContext context;
	Vrivulet_sim top{&context};
	uint64_t time = 0;
	struct wave<Vrivulet_sim> wave;
	struct coverage coverage;
};

static void eval(struct rtl *r)
{
	r->top.eval();
	r->wave.dump(r->time++);
}

extern "C" struct rtl *rtl_open(void)
{
	struct rtl *r = new (std::nothrow) struct rtl;
	if (r)
		r->wave.prepare(r->context);
	return r;
}

extern "C" void rtl_close(struct rtl *r)
{
	if (r)
		rtl_wave_close(r);
	delete r;
}

extern const struct rtl_build rtl_build = {RTL_BUILD};

extern "C" void rtl_cycle(struct rtl *r, const struct rtl_in *in, struct sample *out)
{
	Vrivulet_sim &t = r->top;
	t.clk_i = 0;
	t.rst_i = in->rst;
	t.bus_wait_i = in->bus_wait;
	t.irq_ext_i = in->irq_ext;
	t.uart_rx_i = in->uart_rx;
	t.tr_fifo_index_i = in->fifo_index;
	eval(r);
#define SIGNAL(type, name, model, when) out->name = t.name##_o;
#define SLOT(type, name, model, when)
#include "tb/signals.def"
	const uint32_t w[] = {t.tr_fifo_word_o[0], t.tr_fifo_word_o[1], t.tr_fifo_word_o[2], t.tr_fifo_word_o[3]};
	out->fifo_insns = w[0] & 0xFFFF;
	out->fifo_cycles = w[0] >> 16;
	out->fifo_repeat = w[1] & 0xFF;
	out->fifo_reason = w[1] >> 8 & 7;
	out->fifo_hist = w[1] >> 11 | w[2] << 21;
	out->fifo_start = w[2] >> 11 | w[3] << 21;
	t.clk_i = 1;
	eval(r);
}

#define MEM rivulet_sim__DOT__soc__DOT__ram__DOT__mem
extern "C" uint32_t rtl_ram_read(const struct rtl *r, uint32_t word)
{
	return r->top.rootp->MEM[word];
}
extern "C" void rtl_ram_write(struct rtl *r, uint32_t word, uint32_t value)
{
	r->top.rootp->MEM[word] = value;
}

extern "C" bool rtl_can_wave(void)
{
	return decltype(rtl::wave)::CAN;
}
extern "C" void rtl_wave_open(struct rtl *r, const char *path)
{
	r->wave.open(r->top, path);
}
extern "C" void rtl_wave_close(struct rtl *r)
{
	r->wave.close();
}
extern "C" bool rtl_coverage(struct rtl *r, const char *path)
{
	return r->coverage.write(r->context, path);
}
