/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#define _DEFAULT_SOURCE 1 /* mmap() flags */
#include "model/model.h"

#include <stdlib.h>
#include <sys/mman.h>
#include <string.h>

#include "common/rivulet_regs.h"
#include "model/private.h"

#define RAM_MAX (64u << 20)

void model_config_default(struct model_config *config)
{
	*config = (struct model_config){.ram_base = 0x80000000u,
	    .ram_size = 128u << 10,
	    .reset_pc = 0x80000000u,
	    .with_c = true,
	    .with_m = true,
	    .mul_fast = true,
	    .with_counters = true,
	    .pmp_regions = 4,
	    .sim = true,
	    .uart_div = 7,
	    .trace_csr_base = MODEL_CSR_BASE};
	trace_config_default(&config->trace);
}

#define ADDRESSES ((size_t)1 << 32)

/* Memories far apart are one piece of the host's address space, of which only what is used costs anything: an address
 * is found as it is in RAM. */
static bool map_memories(struct model *m)
{
	if (m->config.memories[0].size == 0) {
		m->ram = calloc(1, m->config.ram_size);
	} else {
		void *all =
		    mmap(NULL, ADDRESSES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
		m->ram = all == MAP_FAILED ? NULL : all;
		m->ram_mapped = all == MAP_FAILED ? 0 : ADDRESSES;
	}
	if (m->config.sink_ring != 0)
		m->sink_ring = calloc(1, m->config.sink_ring);
	if (m->config.devices)
		m->registers = calloc(DEVICE_REGISTERS, sizeof *m->registers);
	return m->ram && (m->config.sink_ring == 0 || m->sink_ring) && (!m->config.devices || m->registers);
}

static bool good_memories(const struct model_config *c)
{
	for (unsigned i = 0; i < MODEL_MEMORIES; i++) {
		if (c->memories[i].size % 4 || c->memories[i].base % 4 || c->memories[i].size > RAM_MAX)
			return false;
	}
	return true;
}

int model_open(struct model **model, const struct model_config *config)
{
	if (config->ram_size == 0 || config->ram_size % 4 || config->ram_size > RAM_MAX || config->ram_base % 4 ||
	    !good_memories(config) || config->pmp_regions > PMP_MAX_REGIONS || config->pmp_grain > 28 ||
	    config->trace.fifo_depth > TRACE_MAX_DEPTH || config->trace.ranges > TRACE_MAX_RANGES ||
	    (config->sink_ring & (config->sink_ring - 1)) != 0 || config->sink_ring > RAM_MAX ||
	    config->trace.hist < 8 || config->trace.hist > 64 ||
	    (config->trace_csr_base != MODEL_CSR_BASE && config->trace_csr_base != MODEL_CSR_BASE_OTHER))
		return MODEL_ECONFIG;
	struct model *m = calloc(1, sizeof *m);
	if (!m)
		return MODEL_ENOMEM;
	m->config = *config;
	if (!map_memories(m)) {
		model_close(m);
		return MODEL_ENOMEM;
	}
	core_init(m);
	soc_reset(m);
	trace_reset(&m->trace, &config->trace);
	*model = m;
	return MODEL_OK;
}

void model_close(struct model *model)
{
	if (!model)
		return;
	if (model->ram_mapped)
		munmap(model->ram, model->ram_mapped);
	else
		free(model->ram);
	free(model->registers);
	free(model->sink_ring);
	free(model);
}

static void reset(struct model *model, bool power_on)
{
	core_reset(model);
	soc_reset(model);
	trace_reset_again(&model->trace, power_on);
	model->cycle = 0;
}

const struct model_config *model_built(const struct model *model)
{
	return &model->config;
}

void model_start(struct model *model)
{
	if (model->entry != 0)
		model->config.reset_pc = model->entry;
	reset(model, true);
}

void model_cycle(struct model *model, const struct model_in *in, struct model_out *out)
{
	static const struct model_out idle;
	*out = idle; /* a copy: the compiler clears with a string instruction, which takes longer than all of D */
	const struct uart *uart = &model->uart;
	out->cycle = model->cycle;
	out->irq_soft = model->clint.msip;
	out->irq_timer = model->clint.irq_timer;
	out->irq_ext = model->irq_ext;
	out->irq_trace = model->trace.irq;
	out->bus_err = model->response.err;
	out->uart_tx = !uart->busy || uart->shift & 1;
	if (in->rst) {
		if (model->config.trace.with_recorder)
			trace_cycle(&model->trace, &(struct trace_retire){0}, &(struct trace_bus){0}, &out->trace);
		reset(model, false);
		return;
	}
	model->bus_wait = in->bus_wait || model->trace.sink.busy; /* a word of the sink goes before the core */
	struct request request = {0};
	struct trace_bus bus = {0};
	struct trace_retire retire = {0};
	core_cycle(model, out, &request, &bus, &retire);
	bus.write = bus.write && !(model->trace_held >> bus.index & 1);
	if (model->hidden && retire.valid) {
		retire.valid = false;
		if (model->hidden != HIDDEN_ALL)
			model->hidden--;
	}
	out->bus_valid = request.valid;
	out->bus_fetch = request.fetch;
	out->bus_addr = request.address;
	out->bus_wdata = request.wdata;
	out->bus_wstrb = request.wstrb;
	soc_cycle(model, &request, in, out);
	bus.sink_wait = in->bus_wait;
	trace_cycle(&model->trace, &retire, &bus, &out->trace);
	if (out->trace.sink_valid && !in->bus_wait)
		soc_sink(model, (uint32_t)out->trace.sink_addr, out->trace.sink_wdata);
	model->cycle++;
}

static uint8_t *locate(const struct model *model, uint32_t address, size_t size)
{
	uint32_t offset = address - model->config.ram_base, first, room;
	if (size == 0 && offset == model->config.ram_size)
		return model->ram + offset;
	return model_memory_of(&model->config, offset, &first, &room) && size <= room - (offset - first)
		   ? model->ram + offset
		   : NULL;
}

const struct model_device *model_touched(const struct model *model, uint32_t *address, uint32_t *pc)
{
	*address = model->touched_address;
	*pc = model->touched_pc;
	return model->touched;
}

int model_read(const struct model *model, uint32_t address, void *bytes, size_t size)
{
	const uint8_t *at = locate(model, address, size);
	if (!at)
		return MODEL_EADDRESS;
	memcpy(bytes, at, size);
	return MODEL_OK;
}

int model_write(struct model *model, uint32_t address, const void *bytes, size_t size)
{
	uint8_t *at = locate(model, address, size);
	if (!at)
		return MODEL_EADDRESS;
	memcpy(at, bytes, size);
	return MODEL_OK;
}

uint32_t model_reg(const struct model *model, unsigned index)
{
	return model->regs[index & 31];
}

void model_set_reg(struct model *model, unsigned index, uint32_t value)
{
	if (index & 31)
		model->regs[index & 31] = value;
}

const struct trace *model_trace(const struct model *model)
{
	return &model->trace;
}

const uint8_t *model_sink_ring(const struct model *model)
{
	return model->sink_ring;
}

uint64_t model_cycles(const struct model *model)
{
	return model->cycle;
}

void model_csrs(const struct model *model, uint32_t values[MODEL_CSR_COUNT])
{
	static const uint16_t numbers[] = {[MODEL_MSTATUS] = 0x300,
	    [MODEL_MIE] = 0x304,
	    [MODEL_MTVEC] = 0x305,
	    [MODEL_MEPC] = 0x341,
	    [MODEL_MCAUSE] = 0x342,
	    [MODEL_MTVAL] = 0x343,
	    [MODEL_MSCRATCH] = 0x340,
	    [MODEL_MCOUNTEREN] = 0x306,
	    [MODEL_MCYCLE] = 0xB00,
	    [MODEL_MCYCLEH] = 0xB80,
	    [MODEL_MINSTRET] = 0xB02,
	    [MODEL_MINSTRETH] = 0xB82};
	for (unsigned i = 0; i < sizeof numbers / sizeof *numbers; i++)
		values[i] = csr_read(model, numbers[i]);
	values[MODEL_MODE] = model->csr.mode;
}

/* A cycle of the unit alone, behind or before those of the run; what its sink writes reaches memory. */
static void unit_cycle(struct model *model, const struct trace_bus *bus, struct trace_out *out)
{
	static const struct trace_retire none;
	trace_cycle(&model->trace, &none, bus, out);
	if (out->sink_valid)
		soc_sink(model, (uint32_t)out->sink_addr, out->sink_wdata);
}

void model_trace_write(struct model *model, unsigned index, uint32_t value)
{
	const struct trace_bus write = {.write = true, .index = (uint8_t)index, .wdata = value};
	struct trace_out out;
	unit_cycle(model, &write, &out);
}

void model_trace_hold(struct model *model, uint64_t registers)
{
	model->trace_held = registers;
}

void model_trace_finish(struct model *model, void (*take)(void *context, const struct record *record), void *context)
{
	/* Stage S; the latch of a trace that ended there, or OFF; the record held for repetition. */
	enum { CYCLES = 4 };
	struct trace *trace = &model->trace;
	struct trace_bus bus = {
	    .write = true, .index = RV_REG_CTRL, .wdata = trace->ctrl & ~(uint32_t)RV_CTRL_ENABLE_MASK};
	for (unsigned i = 0; i < CYCLES; i++, bus.write = false) {
		struct trace_out out;
		unit_cycle(model, &bus, &out);
		if (i == 0 && trace->cur_cycles > 0)
			trace->cur_cycles--; /* this one is no cycle of the run */
		if (out.rec_valid && take != NULL)
			take(context, &out.rec);
	}
}

bool model_trace_empty(struct model *model)
{
	static const struct trace_bus none;
	const struct trace *trace = &model->trace;
	struct trace_out out;
	while (trace_table_busy(trace) || trace->count != 0 || trace->sink.busy) {
		if (trace->count != 0 && !trace->sink.busy && trace_reg_read(trace, RV_REG_SINK) & RV_SINK_FULL_MASK)
			return false;
		unit_cycle(model, &none, &out);
	}
	return true;
}

bool model_tohost(const struct model *model, uint32_t *address)
{
	*address = model->tohost;
	return model->has_tohost;
}

bool model_signature(const struct model *model, uint32_t *begin, uint32_t *end)
{
	*begin = model->signature_begin;
	*end = model->signature_end;
	return model->has_signature;
}

const char *model_strerror(int error)
{
	switch (error) {
	case MODEL_OK:
		return "no error";
	case MODEL_ENOMEM:
		return "out of memory";
	case MODEL_ECONFIG:
		return "the configuration is not one that can be built";
	case MODEL_EOPEN:
		return "the file cannot be read";
	case MODEL_EELF:
		return "not a usable ELF executable";
	case MODEL_EARCH:
		return "not a program for 32-bit little-endian RISC-V";
	case MODEL_ESIZE:
		return "the program does not fit the memory";
	case MODEL_EADDRESS:
		return "the address is not in RAM";
	default:
		return "unknown error";
	}
}
