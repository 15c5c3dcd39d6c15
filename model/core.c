/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/*
 * The pipeline of docs/core.md section 3, one clock cycle a call. The stages are evaluated from the back, W first, so
 * each sees what the instructions before it have done: the model needs no forwarding. Each stage's registers are
 * replaced in place once nobody looks at their old values any more: W's when X hands over, X's when D fires.
 */
#include "model/private.h"

#include <string.h>

static bool csr_immediate(uint8_t op)
{
	return op == ISA_CSRRWI || op == ISA_CSRRSI || op == ISA_CSRRCI;
}

static uint8_t kind_of(const struct isa_insn *insn)
{
	if (insn->class_bits & (ISA_LOAD | ISA_STORE))
		return KIND_MEMORY;
	if (insn->class_bits & ISA_BRANCH)
		return KIND_BRANCH;
	switch (insn->op) {
	case ISA_ADDI:
	case ISA_SLTI:
	case ISA_SLTIU:
	case ISA_XORI:
	case ISA_ORI:
	case ISA_ANDI:
	case ISA_SLLI:
	case ISA_SRLI:
	case ISA_SRAI:
		return KIND_IMMEDIATE;
	case ISA_MUL:
	case ISA_MULH:
	case ISA_MULHSU:
	case ISA_MULHU:
	case ISA_DIV:
	case ISA_DIVU:
	case ISA_REM:
	case ISA_REMU:
		return KIND_MULDIV;
	case ISA_CSRRW:
	case ISA_CSRRS:
	case ISA_CSRRC:
	case ISA_CSRRWI:
	case ISA_CSRRSI:
	case ISA_CSRRCI:
		return KIND_CSR;
	case ISA_LUI:
		return KIND_LUI;
	case ISA_AUIPC:
		return KIND_AUIPC;
	case ISA_JAL:
		return KIND_JAL;
	case ISA_JALR:
		return KIND_JALR;
	case ISA_FENCE:
		return KIND_FENCE;
	case ISA_FENCE_I:
		return KIND_FENCE_I;
	case ISA_MRET:
		return KIND_MRET;
	case ISA_WFI:
		return KIND_WFI;
	case ISA_ILLEGAL:
	case ISA_ECALL:
	case ISA_EBREAK:
		return KIND_EXCEPTION;
	default:
		return KIND_REGISTER;
	}
}

const struct decoded *core_decode(struct model *model, uint32_t bits)
{
	uint32_t key = (bits & 3) == 3 ? bits : bits & 0xFFFF;
	struct decoded *d = &model->decoded[(key * 2654435761u) >> (32 - DECODED_BITS)];
	if (d->key != key) {
		unsigned set =
		    ISA_EXT_I | (model->config.with_c ? ISA_EXT_C : 0u) | (model->config.with_m ? ISA_EXT_M : 0u);
		isa_decode(key, set, &d->insn);
		d->key = key;
		d->kind = kind_of(&d->insn);
		d->rs1 = csr_immediate(d->insn.op) ? 0 : d->insn.rs1;
		d->rs2 = d->insn.rs2;
		d->load_rd = d->insn.class_bits & ISA_LOAD ? d->insn.rd : 0;
		d->bytes = (uint8_t)isa_access_bytes(&d->insn);
	}
	return d;
}

/* What X holds for an instruction that could not be fetched. */
static const struct decoded fetch_fault = {.kind = KIND_EXCEPTION, .insn = {.length = 4, .op = ISA_ILLEGAL}};

/* An exception that D or X finds without looking at operands; only the kinds from KIND_MRET on have one. */
static bool early_exception(const struct model *model, const struct stage_x *x, struct stage_w *w)
{
	bool user = model->csr.mode != 3;
	w->tval = 0;
	w->cause = CAUSE_ILLEGAL;
	if (x->fault) {
		w->cause = CAUSE_FETCH;
		w->tval = x->pc + x->fault_offset;
		return true;
	}
	switch (x->decoded->insn.op) {
	case ISA_ECALL:
		w->cause = user ? CAUSE_ECALL_U : CAUSE_ECALL_M;
		return true;
	case ISA_EBREAK:
		w->cause = CAUSE_BREAK;
		w->tval = x->pc;
		return true;
	case ISA_MRET:
		return user;
	case ISA_WFI:
		return user && model->csr.tw;
	default:
		return true;
	}
}

/* What X asks of the rest of the machine in this cycle. */
struct x_effect {
	bool redirect, memory, ready; /* ready: X can take an instruction at the end of this cycle */
	bool cycle_written, instret_written;
	uint32_t target;
};

/* A data access: exception, or the request of this cycle. */
static void access_memory(
    struct model *model, const struct decoded *d, struct stage_w *w, struct request *request, struct x_effect *effect)
{
	bool store = d->insn.class_bits & ISA_STORE;
	unsigned bytes = d->bytes;
	uint32_t address = w->rs1_value + (uint32_t)d->insn.imm;
	w->address = w->tval = address;
	if (address & (bytes - 1)) {
		w->exception = true;
		w->cause = store ? CAUSE_STORE_MISALIGNED : CAUSE_LOAD_MISALIGNED;
		return;
	}
	effect->memory = true;
	bool machine = model->csr.mprv ? model->csr.mpp == 3 : model->csr.mode == 3;
	w->denied = !pmp_allows(model, address, machine, store ? PMP_W : PMP_R);
	request->address = address & ~3u;
	request->wstrb = 0;
	if (store) {
		uint32_t value = w->rs2_value;
		w->store = (uint8_t)bytes;
		request->wstrb = (uint8_t)(((1u << bytes) - 1) << (address & 3));
		request->wdata = bytes == 4   ? value
				 : bytes == 2 ? (value & 0xFFFF) * 0x10001u
					      : (value & 0xFF) * 0x1010101u;
	} else {
		w->load = (uint8_t)bytes;
		w->load_signed = d->insn.op == ISA_LB || d->insn.op == ISA_LH;
		w->rd = d->insn.rd;
	}
}

static void execute_csr(
    struct model *model, const struct stage_x *x, struct stage_w *w, struct trace_bus *bus, struct x_effect *effect)
{
	const struct isa_insn *insn = &x->decoded->insn;
	unsigned number = (unsigned)insn->imm & 0xFFF;
	uint8_t op = insn->op;
	uint32_t source = csr_immediate(op) ? insn->rs1 : w->rs1_value;
	bool writes = op == ISA_CSRRW || op == ISA_CSRRWI || insn->rs1 != 0;
	if (!csr_readable(model, number, writes)) {
		w->exception = true;
		w->cause = CAUSE_ILLEGAL;
		w->tval = 0;
		return;
	}
	uint32_t old = csr_is_trace(model, number) ? x->csr_value : csr_read(model, number);
	w->rd = insn->rd;
	w->result = old;
	if (!writes)
		return;
	uint32_t value = op == ISA_CSRRW || op == ISA_CSRRWI   ? source
			 : op == ISA_CSRRS || op == ISA_CSRRSI ? old | source
							       : old & ~source;
	if (csr_is_trace(model, number))
		*bus = (struct trace_bus){
		    .write = true, .index = (uint8_t)(number - model->config.trace_csr_base), .wdata = value};
	else if (csr_write(model, number, value, &effect->cycle_written)) {
		effect->instret_written = true;
		w->count = false;
	}
}

static void transfer(const struct model *model, struct stage_w *w, struct x_effect *effect, uint32_t target)
{
	if (!model->config.with_c && target & 2) {
		w->rd = 0;
		w->exception = true;
		w->cause = CAUSE_FETCH_MISALIGNED;
		w->tval = target;
		return;
	}
	effect->redirect = true;
	effect->target = target;
}

/* The last cycle of an instruction in X: fills *w, which has the operands already, with what it hands to W. */
static void complete(struct model *model, const struct stage_x *x, struct stage_w *w, struct request *request,
    struct trace_bus *bus, struct x_effect *effect)
{
	const struct decoded *d = x->decoded;
	const struct isa_insn *insn = &d->insn;
	switch (d->kind) {
	case KIND_REGISTER:
	case KIND_MULDIV:
		w->rd = insn->rd;
		w->result = execute_alu(insn->op, w->rs1_value, w->rs2_value);
		break;
	case KIND_IMMEDIATE:
		w->rd = insn->rd;
		w->result = execute_alu(insn->op, w->rs1_value, (uint32_t)insn->imm);
		break;
	case KIND_MEMORY:
		access_memory(model, d, w, request, effect);
		break;
	case KIND_BRANCH:
		if (execute_branch(insn->op, w->rs1_value, w->rs2_value))
			transfer(model, w, effect, (uint32_t)isa_target(insn, x->pc));
		break;
	case KIND_LUI:
		w->rd = insn->rd;
		w->result = (uint32_t)insn->imm;
		break;
	case KIND_AUIPC:
		w->rd = insn->rd;
		w->result = x->pc + (uint32_t)insn->imm;
		break;
	case KIND_JAL:
		w->rd = insn->rd;
		w->result = x->pc + insn->length;
		transfer(model, w, effect, (uint32_t)isa_target(insn, x->pc));
		break;
	case KIND_JALR:
		w->rd = insn->rd;
		w->result = x->pc + insn->length;
		transfer(model, w, effect, (w->rs1_value + (uint32_t)insn->imm) & ~1u);
		break;
	case KIND_CSR:
		execute_csr(model, x, w, bus, effect);
		break;
	case KIND_FENCE_I:
		effect->redirect = true;
		effect->target = x->pc + insn->length;
		break;
	case KIND_MRET:
		effect->redirect = true;
		effect->target = model->csr.mepc;
		csr_mret(model);
		break;
	default: /* FENCE, WFI */
		break;
	}
}

/* Is this cycle not the last one of the instruction in X? */
static bool stalls(struct model *model, struct stage_x *x)
{
	const struct decoded *d = x->decoded;
	if (x->lduse) {
		x->lduse = false;
		return true;
	}
	x->cycle++;
	switch (d->kind) {
	case KIND_CSR: {
		unsigned number = (unsigned)d->insn.imm & 0xFFF;
		if (x->cycle > 1)
			return false;
		if (csr_is_trace(model, number))
			x->csr_value = trace_reg_read(&model->trace, number - model->config.trace_csr_base);
		return true;
	}
	case KIND_MULDIV:
		return x->cycle < execute_cycles(&model->config, d->insn.op, model->regs[d->rs1], model->regs[d->rs2]);
	case KIND_WFI:
		return !(csr_pending(model) & model->csr.ie);
	default:
		return false;
	}
}

/* Stage X in this cycle; leaves in W what it holds in the next one. */
static void stage_x(struct model *model, struct request *request, struct trace_bus *bus, struct x_effect *effect)
{
	struct stage_x *x = &model->x;
	struct stage_w *w = &model->w;
	w->valid = false;
	effect->ready = !x->valid;
	if (!x->valid)
		return;
	const struct decoded *d = x->decoded;
	unsigned irq;
	bool early = d->kind >= KIND_MRET && early_exception(model, x, w);
	bool interrupt = (d->kind != KIND_WFI || early) && csr_irq_take(model, &irq);
	if (!interrupt && !early && stalls(model, x))
		return;
	effect->ready = true;
	w->valid = w->count = true;
	w->pc = x->pc;
	w->raw = x->raw;
	w->mode = model->csr.mode;
	w->interrupt = interrupt;
	w->exception = early && !interrupt;
	w->rd = w->load = w->store = 0;
	w->denied = false;
	/* the operands, also of an instruction that will trap, but not of one that traps in D */
	w->rs1 = early ? 0 : d->rs1;
	w->rs2 = early ? 0 : d->rs2;
	w->rs1_value = model->regs[w->rs1];
	w->rs2_value = model->regs[w->rs2];
	if (interrupt)
		w->cause = (uint8_t)irq;
	else if (!early)
		complete(model, x, w, request, bus, effect);
	if (d->kind == KIND_MEMORY && !interrupt && model->bus_wait) {
		effect->ready = false;
		if (effect->memory) /* it stays, and asks again */
			w->valid = false;
		else
			x->valid = false;
	}
}

/* Stage W in this cycle: shows the retirement, writes the register. Returns true if it traps; *target is then the
 * vector. */
static bool stage_w(struct model *model, struct model_out *out, uint32_t *target)
{
	struct stage_w *w = &model->w;
	if (!w->valid)
		return false;
	bool memory = w->load || w->store;
	bool access_fault = memory && (model->response.err || w->denied);
	bool trap = w->exception || w->interrupt || access_fault;
	uint32_t next_pc = model->x.valid ? model->x.pc : model->d_pc;
	out->order = model->order;
	if (access_fault)
		w->cause = w->store ? CAUSE_STORE : CAUSE_LOAD;
	if (trap)
		*target = next_pc = csr_vector(model, w->interrupt, w->cause);
	if (memory && !trap) {
		unsigned bits = 8u * (w->load + w->store);
		uint32_t mask = UINT32_MAX >> (32 - bits);
		out->mem_addr = w->address;
		out->mem_rmask = (uint8_t)((1u << w->load) - 1);
		out->mem_wmask = (uint8_t)((1u << w->store) - 1);
		if (w->load) {
			uint32_t data = model->response.rdata >> 8 * (w->address & 3) & mask;
			out->mem_rdata = data;
			w->result = w->load_signed && data & ~(mask >> 1) ? data | ~mask : data;
		} else {
			out->mem_wdata = w->rs2_value & mask;
		}
	}
	if (!w->interrupt) {
		out->valid = true;
		out->trap = trap;
		out->intr = model->intr;
		out->insn = w->raw;
		out->pc = w->pc;
		out->next_pc = next_pc;
		out->mode = w->mode;
		out->rs1_addr = w->rs1;
		out->rs2_addr = w->rs2;
		out->rs1_rdata = w->rs1_value;
		out->rs2_rdata = w->rs2_value;
	}
	if (!trap && w->rd) {
		out->rd_addr = w->rd;
		out->rd_wdata = w->result;
		model->regs[w->rd] = w->result;
	}
	return trap;
}

/* Stage D, with X ready: moves the instruction at d_pc to X if it is available; returns the number of words used up. */
static unsigned stage_d(struct model *model)
{
	struct stage_x *x = &model->x;
	uint8_t load_rd = x->valid ? x->decoded->load_rd : 0;
	x->valid = false;
	if (!model->word_count)
		return 0;
	bool upper = model->d_pc & 2;
	uint32_t bits = upper ? model->words[0] >> 16 : model->words[0];
	bool fault = model->word_errors & 1;
	uint8_t offset = 0;
	if (!fault && upper && (bits & 3) == 3) {
		if (model->word_count < 2)
			return 0;
		fault = model->word_errors & 2;
		offset = 2;
		bits |= model->words[1] << 16;
	}
	const struct decoded *d = fault ? &fetch_fault : core_decode(model, bits);
	x->valid = true;
	x->fault = fault;
	x->fault_offset = offset;
	x->decoded = d;
	x->lduse = load_rd && (d->rs1 == load_rd || d->rs2 == load_rd);
	x->cycle = 0;
	x->pc = model->d_pc;
	x->raw = d->key;
	model->d_pc += d->insn.length;
	return upper || d->insn.length == 4;
}

void core_cycle(struct model *model, struct model_out *out, struct request *request, struct trace_bus *bus,
    struct trace_retire *retire)
{
	if (model->inflight) {
		model->words[model->word_count] = model->response.rdata;
		bool fault = model->response.err || !pmp_allows(model, model->f_pc - 4, model->csr.mode == 3, PMP_X);
		model->word_errors |= (uint8_t)(fault << model->word_count);
		model->word_count++;
	}

	/* W and X */
	struct csrs *csr = &model->csr;
	struct x_effect effect = {0};
	bool trap = stage_w(model, out, &effect.target);
	if (out->valid)
		*retire = (struct trace_retire){.valid = true,
		    .trap = out->trap,
		    .intr = out->intr,
		    .mode = out->mode,
		    .cause = (uint8_t)(csr->mcause >> 31 << 5 | (csr->mcause & 0x1F)),
		    .insn = out->insn,
		    .pc = out->pc,
		    .next_pc = out->next_pc};
	bool counts = model->w.valid && !trap && model->w.count;
	if (trap) {
		const struct stage_w *w = &model->w;
		csr_trap(model, w->interrupt, w->cause, w->pc, w->interrupt ? 0 : w->tval);
		model->w.valid = false;
		effect.redirect = true;
	} else {
		stage_x(model, request, bus, &effect);
	}

	/* D and F */
	unsigned used = 0;
	bool fetch = false;
	request->valid = request->fetch = false;
	if (effect.redirect) {
		model->x.valid = false;
		model->d_pc = effect.target & ~1u;
		model->word_count = 0;
		model->word_errors = 0;
		request->address = effect.target & ~3u;
		fetch = true;
	} else {
		if (effect.ready)
			used = stage_d(model);
		if (used) {
			model->words[0] = model->words[1];
			model->words[1] = model->words[2];
			model->word_errors >>= 1;
			model->word_count--;
		}
		if (effect.memory) {
			request->valid = !model->w.denied;
		} else if (model->word_count <= 1) {
			request->address = model->f_pc;
			fetch = true;
		}
	}
	if (fetch) {
		request->valid = request->fetch = true;
		request->wstrb = 0;
		model->f_pc = request->address + (model->bus_wait ? 0 : 4);
	}
	model->inflight = fetch && !model->bus_wait;

	/* counters; a half that was written does not count in this cycle */
	csr->instret += counts && !effect.instret_written;
	csr->cycle += !effect.cycle_written;
	if (!model->config.with_counters)
		csr->instret = csr->cycle = 0;
	model->intr = trap || (model->intr && !out->valid);
	model->order += out->valid;
}

void core_init(struct model *model)
{
	/* a key that core_decode() never looks for: a 16-bit instruction with bits above it */
	for (size_t i = 0; i < sizeof model->decoded / sizeof *model->decoded; i++)
		model->decoded[i].key = 0xFFFF0000u;
	core_reset(model);
}

void core_reset(struct model *model)
{
	memset(&model->csr, 0, sizeof model->csr);
	pmp_reset(model);
	model->csr.mode = 3;
	model->order = 0;
	model->intr = false;
	model->word_count = 0;
	model->word_errors = 0;
	model->inflight = false;
	model->d_pc = model->config.reset_pc;
	model->f_pc = model->config.reset_pc & ~3u;
	model->x.valid = false;
	memset(&model->w, 0, sizeof model->w);
}
