/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#include "model/private.h"

#define MIMPID 0x52495631u

uint32_t csr_pending(const struct model *model)
{
	return (uint32_t)model->clint.msip << IRQ_SOFT | (uint32_t)model->clint.irq_timer << IRQ_TIMER |
	       (uint32_t)model->irq_ext << IRQ_EXT | (uint32_t)model->trace.irq << IRQ_TRACE;
}

bool csr_irq_take(const struct model *model, unsigned *cause)
{
	if (!model->csr.ie)
		return false;
	uint32_t active = csr_pending(model) & model->csr.ie;
	if (!active || (model->csr.mode == 3 && !model->csr.mie))
		return false;
	static const unsigned priority[] = {IRQ_EXT, IRQ_SOFT, IRQ_TIMER, IRQ_TRACE};
	for (unsigned i = 0; i < 4; i++)
		if (active >> priority[i] & 1) {
			*cause = priority[i];
			break;
		}
	return true;
}

static bool exists(const struct model *model, unsigned number)
{
	if (csr_is_pmp(number))
		return model->config.pmp_regions != 0;
	if (csr_is_trace(model, number))
		return true;
	switch (number) {
	case 0x300:
	case 0x301:
	case 0x304:
	case 0x305:
	case 0x306:
	case 0x30A:
	case 0x310:
	case 0x31A:
	case 0x320:
	case 0x340:
	case 0x341:
	case 0x342:
	case 0x343:
	case 0x344:
	case 0x7A0:
	case 0x7A1:
	case 0xB00:
	case 0xB80:
	case 0xB02:
	case 0xB82:
	case 0xC00:
	case 0xC80:
	case 0xC02:
	case 0xC82:
	case 0xF11:
	case 0xF12:
	case 0xF13:
	case 0xF14:
	case 0xF15:
		return true;
	default:
		break;
	}
	unsigned low = number & 0x1F;
	unsigned block = number & ~0x1Fu;
	return low >= 3 && (block == 0x320 || block == 0xB00 || block == 0xB80);
}

bool csr_readable(const struct model *model, unsigned number, bool writes)
{
	if (!exists(model, number) || (writes && number >> 10 == 3))
		return false;
	if (model->csr.mode == 3)
		return true;
	if (number >> 8 & 3)
		return false;
	/* only the user counters remain: bit 0 of mcounteren for cycle, bit 2 for instret */
	return model->csr.mcounteren >> (number & 0x1F) & 1;
}

uint32_t csr_read(const struct model *model, unsigned number)
{
	const struct csrs *c = &model->csr;
	if (csr_is_pmp(number))
		return pmp_read(model, number);
	switch (number) {
	case 0x300:
		return (uint32_t)c->mie << 3 | (uint32_t)c->mpie << 7 | (uint32_t)c->mpp << 11 |
		       (uint32_t)c->mprv << 17 | (uint32_t)c->tw << 21;
	case 0x301:
		return 0x40000000u | 1u << ('I' - 'A') | 1u << ('U' - 'A') |
		       (uint32_t)model->config.with_c << ('C' - 'A') | (uint32_t)model->config.with_m << ('M' - 'A');
	case 0x304:
		return c->ie;
	case 0x305:
		return c->mtvec;
	case 0x306:
		return c->mcounteren;
	case 0x340:
		return c->mscratch;
	case 0x341:
		return c->mepc;
	case 0x342:
		return c->mcause;
	case 0x343:
		return c->mtval;
	case 0x344:
		return csr_pending(model);
	case 0xB00:
	case 0xC00:
		return (uint32_t)c->cycle;
	case 0xB80:
	case 0xC80:
		return (uint32_t)(c->cycle >> 32);
	case 0xB02:
	case 0xC02:
		return (uint32_t)c->instret;
	case 0xB82:
	case 0xC82:
		return (uint32_t)(c->instret >> 32);
	case 0xF13:
		return MIMPID;
	case 0xF14:
		return model->config.hart;
	default:
		return 0;
	}
}

static uint64_t put_half(uint64_t old, bool high, uint32_t value)
{
	return high ? (old & 0xFFFFFFFFu) | (uint64_t)value << 32 : (old & ~0xFFFFFFFFull) | value;
}

bool csr_write(struct model *model, unsigned number, uint32_t value, bool *cycle_written)
{
	struct csrs *c = &model->csr;
	*cycle_written = false;
	if (csr_is_pmp(number)) {
		pmp_write(model, number, value);
		return false;
	}
	switch (number) {
	case 0x300:
		c->mie = value >> 3 & 1;
		c->mpie = value >> 7 & 1;
		if ((value >> 11 & 3) == 0 || (value >> 11 & 3) == 3)
			c->mpp = (uint8_t)(value >> 11 & 3);
		c->mprv = value >> 17 & 1;
		c->tw = value >> 21 & 1;
		break;
	case 0x304:
		c->ie = value & MIE_MASK;
		break;
	case 0x305:
		c->mtvec = value & 1 ? (value & ~0x7Eu) : value & ~3u;
		break;
	case 0x306:
		c->mcounteren = value & 5;
		break;
	case 0x340:
		c->mscratch = value;
		break;
	case 0x341:
		c->mepc = value & (model->config.with_c ? ~1u : ~3u);
		break;
	case 0x342:
		c->mcause = value & 0x8000001Fu;
		break;
	case 0x343:
		c->mtval = value;
		break;
	case 0xB00:
	case 0xB80:
		c->cycle = put_half(c->cycle, number == 0xB80, value);
		*cycle_written = true;
		break;
	case 0xB02:
	case 0xB82:
		c->instret = put_half(c->instret, number == 0xB82, value);
		return true;
	default:
		break;
	}
	return false;
}

uint32_t csr_vector(const struct model *model, bool interrupt, unsigned cause)
{
	uint32_t base = model->csr.mtvec & ~3u;
	return interrupt && model->csr.mtvec & 1 ? base + 4 * cause : base;
}

void csr_trap(struct model *model, bool interrupt, unsigned cause, uint32_t pc, uint32_t tval)
{
	struct csrs *c = &model->csr;
	if (!interrupt && c->traps++ == 0)
		c->first_trap = (struct run_trap){
		    .cause = cause, .pc = pc, .value = tval, .sp = model->regs[2], .vector = c->mtvec};
	c->mepc = pc;
	c->mcause = (uint32_t)interrupt << 31 | cause;
	c->mtval = tval;
	c->mpie = c->mie;
	c->mie = false;
	c->mpp = c->mode;
	c->mode = 3;
}

void csr_mret(struct model *model)
{
	struct csrs *c = &model->csr;
	c->traps = 0;
	c->mie = c->mpie;
	c->mpie = true;
	c->mode = c->mpp;
	c->mpp = 0;
	if (c->mode != 3)
		c->mprv = false;
}
