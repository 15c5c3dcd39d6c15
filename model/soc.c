/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#include "model/private.h"

#include <string.h>

#define CLINT_BASE 0x02000000u
#define UART_BASE 0x10000000u
#define SIM_BASE 0x10010000u

void soc_reset(struct model *model)
{
	memset(&model->uart, 0, sizeof model->uart);
	model->uart.div = model->config.uart_div;
	model->uart.sync = 3;
	memset(&model->clint, 0, sizeof model->clint);
	model->clint.mtimecmp = UINT64_MAX;
	model->irq_ext = false;
}

static void put_half(uint64_t *value, bool high, uint32_t half)
{
	*value = high ? (*value & 0xFFFFFFFFu) | (uint64_t)half << 32 : (*value & ~0xFFFFFFFFull) | half;
}

/* CLINT. A write to mtime replaces one half; the other half stays in that cycle if the low half was written, and counts
 * as a whole otherwise: the low half goes on counting while the high half is written. */
static uint32_t clint_access(struct clint *clint, uint32_t offset, bool write, uint32_t wdata)
{
	uint32_t value = 0;
	uint64_t next = clint->mtime + 1;
	clint->irq_timer = clint->mtime >= clint->mtimecmp;
	switch (offset & ~3u) {
	case 0x0000:
		value = clint->msip;
		if (write)
			clint->msip = wdata & 1;
		break;
	case 0x4000:
	case 0x4004:
		value = (uint32_t)(clint->mtimecmp >> (offset & 4 ? 32 : 0));
		if (write)
			put_half(&clint->mtimecmp, offset & 4, wdata);
		break;
	case 0xBFF8:
	case 0xBFFC:
		value = (uint32_t)(clint->mtime >> (offset & 4 ? 32 : 0));
		if (write && offset & 4)
			next = (uint64_t)wdata << 32 | (next & 0xFFFFFFFFu);
		else if (write)
			next = (clint->mtime & ~0xFFFFFFFFull) | wdata;
		break;
	default:
		break;
	}
	clint->mtime = next;
	return value;
}

static uint32_t uart_read(const struct uart *uart, uint32_t offset)
{
	switch (offset & 0xC) {
	case 0x0:
		return (uint32_t)!uart->rx_full << 31 | uart->rx_data;
	case 0x4:
		return (uint32_t)!uart->buffer_full | (uint32_t)uart->rx_full << 1 | (uint32_t)uart->rx_overrun << 2 |
		       (uint32_t)(!uart->buffer_full && !uart->busy) << 3 | (uint32_t)uart->rx_ie << 8;
	case 0x8:
		return uart->div;
	default:
		return 0;
	}
}

static void uart_transmit(struct uart *uart, bool write, uint8_t byte)
{
	bool was_full = uart->buffer_full;
	if (!uart->busy) {
		if (was_full) {
			uart->busy = true;
			uart->buffer_full = false;
			uart->shift = (uint16_t)(0x200 | uart->buffer << 1);
			uart->bits = 10;
			uart->timer = uart->div;
		}
	} else if (uart->timer) {
		uart->timer--;
	} else {
		uart->timer = uart->div;
		uart->shift = (uint16_t)(uart->shift >> 1 | 0x200);
		uart->busy = --uart->bits != 0;
	}
	if (write && !was_full) {
		uart->buffer_full = true;
		uart->buffer = byte;
	}
}

static void uart_receive(struct uart *uart, bool line, bool take)
{
	bool rx = uart->sync >> 1 & 1;
	bool was_full = uart->rx_full;
	uart->sync = (uint8_t)((uart->sync << 1 | line) & 3);
	if (take)
		uart->rx_full = uart->rx_overrun = false;
	if (!uart->rx_busy) {
		if (!rx) {
			uart->rx_busy = true;
			uart->rx_bits = 0;
			uart->rx_timer = uart->div / 2;
		}
		return;
	}
	if (uart->rx_timer) {
		uart->rx_timer--;
		return;
	}
	uart->rx_timer = uart->div;
	unsigned bit = uart->rx_bits++;
	if (bit == 0 && rx)
		uart->rx_busy = false;
	if (bit == 9) {
		uart->rx_busy = false;
		if (rx && was_full && !take)
			uart->rx_overrun = true;
		else if (rx) {
			uart->rx_full = true;
			uart->rx_data = uart->rx_shift;
		}
	}
	uart->rx_shift = (uint8_t)(uart->rx_shift >> 1 | rx << 7);
}

/* Nothing on either line, nothing to send: no register changes by itself. */
static bool uart_idle(const struct uart *uart, bool line)
{
	return !uart->busy && !uart->buffer_full && !uart->rx_busy && uart->sync == 3 && line;
}

static uint32_t ram_access(struct model *model, uint32_t offset, const struct request *request)
{
	uint8_t *at = model->ram + offset;
	if (request->wstrb == 0) {
		uint32_t value;
		memcpy(&value, at, 4);
		return value;
	}
	uint32_t mask = (request->wstrb * 0x00204081u & 0x01010101u) * 0xFF; /* each strobe to its byte */
	uint32_t value;
	memcpy(&value, at, 4);
	value = (value & ~mask) | (request->wdata & mask);
	memcpy(at, &value, 4);
	return 0;
}

void soc_sink(struct model *model, uint32_t address, uint32_t word)
{
	const uint32_t ram = address - model->config.ram_base;
	if (model->sink_ring)
		memcpy(model->sink_ring + (address & (model->config.sink_ring - 1)), &word, sizeof word);
	else if (ram < model->config.ram_size || model_is_memory(&model->config, ram))
		memcpy(model->ram + ram, &word, sizeof word);
}

/* A register of the chip's devices; false: there is none. */
static bool chip_access(struct model *model, const struct request *request, struct model_out *out, uint32_t *rdata)
{
	const uint32_t address = request->address & ~3u;
	const struct model_device *d = model->config.devices;
	while (d->name && address - d->base >= d->size)
		d++;
	if (!d->name)
		return false;
	uint32_t *kept = &model->registers[(address >> 2 ^ address >> 14) & (DEVICE_REGISTERS - 1)];
	const uint32_t offset = address - d->base;
	if (!d->console && !model->touched) {
		model->touched = d;
		model->touched_address = request->address;
		model->touched_pc = model->x.valid ? model->x.pc : 0;
	}
	if (request->wstrb == 0) {
		*rdata = d->console && offset == d->data ? 0 : *kept;
		if (offset == d->status)
			*rdata = (*rdata | d->ready) & ~d->clear;
	} else if (d->console && offset == d->data) {
		out->console_valid = true;
		out->console_byte = (uint8_t)request->wdata;
	} else {
		*kept = request->wdata;
	}
	return true;
}

void model_answer(struct model *model, uint32_t rdata)
{
	model->response = (struct response){.rdata = rdata};
}

/* What the request of this cycle reaches, then the registers of the devices at its end. */
void soc_cycle(struct model *model, const struct request *request, const struct model_in *in, struct model_out *out)
{
	uint32_t rdata = 0;
	bool err = false;
	uint32_t address = request->address;
	bool accepted = request->valid && !model->bus_wait;
	bool write = accepted && request->wstrb;
	bool clint = false, uart = false;
	uint32_t ram = address - model->config.ram_base;
	if (!accepted) {
		err = true;
	} else if (ram < model->config.ram_size || model_is_memory(&model->config, ram)) {
		rdata = ram_access(model, ram, request);
	} else if (request->fetch) {
		err = true;
	} else if (model->config.devices && chip_access(model, request, out, &rdata)) {
	} else if (address >> 16 == CLINT_BASE >> 16) {
		clint = true;
	} else if (address >> 4 == UART_BASE >> 4) {
		uart = true;
		rdata = uart_read(&model->uart, address);
	} else if (model->config.sim && address >> 4 == SIM_BASE >> 4) {
		if (write && (address & 0xC) == 0x0) {
			out->console_valid = true;
			out->console_byte = (uint8_t)request->wdata;
		}
		if (write && (address & 0xC) == 0x4) {
			out->exit_valid = true;
			out->exit_code = request->wdata;
		}
	} else {
		err = true;
	}
	uint32_t clint_value = clint_access(&model->clint, clint ? address & 0xFFFF : 0xFFFF, write, request->wdata);
	if (clint)
		rdata = clint_value;
	bool at_data = uart && (address & 0xC) == 0;
	model->irq_ext = in->irq_ext || (model->uart.rx_full && model->uart.rx_ie);
	if (at_data || !uart_idle(&model->uart, in->uart_rx)) {
		uart_transmit(&model->uart, at_data && write, (uint8_t)request->wdata);
		uart_receive(&model->uart, in->uart_rx, at_data && !write);
	}
	if (uart && write && (address & 0xC) == 0x4)
		model->uart.rx_ie = request->wdata >> 8 & 1;
	if (uart && write && (address & 0xC) == 0x8)
		model->uart.div = (uint16_t)request->wdata;
	model->response.rdata = rdata;
	model->response.err = err;
}
