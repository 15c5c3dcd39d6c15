/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/*
 * The pipeline of docs/core.md section 3, one clock cycle a call. The stages are evaluated from the back, W first, so
 * each sees what the instructions before it have done: the model needs no forwarding.
 */
#include "model/private.h"

#include <string.h>

static const struct isa_insn *decode(struct model *model, uint32_t bits)
{
	uint32_t key = (bits & 3) == 3 ? bits : bits & 0xFFFF;
	size_t slot = (key * 2654435761u) >> 20;
	struct isa_insn *insn = &model->decoded[slot].insn;
	if (!model->decoded[slot].valid || insn->word != key) {
		unsigned options = (model->config.with_c ? 0u : ISA_NO_C) | (model->config.with_m ? 0u : ISA_NO_M);
		isa_decode(key, options, insn);
		insn->word = key;
		model->decoded[slot].valid = true;
	}
	return insn;
}

static bool is_csr(uint8_t op)
{
	return op == ISA_CSRRW || op == ISA_CSRRS || op == ISA_CSRRC || op == ISA_CSRRWI || op == ISA_CSRRSI ||
	       op == ISA_CSRRCI;
}
static bool csr_immediate(uint8_t op)
{
	return op == ISA_CSRRWI || op == ISA_CSRRSI || op == ISA_CSRRCI;
}

/* Registers that an instruction reads, for the load-use check and RVFI; 0: none. */
static void reads(const struct isa_insn *insn, unsigned *rs1, unsigned *rs2)
{
	*rs1 = csr_immediate(insn->op) ? 0 : insn->rs1;
	*rs2 = insn->rs2;
}

/* An exception that D or X finds without looking at operands. */
static bool early_exception(const struct model *model, const struct stage_x *x, struct stage_w *w)
{
	bool user = model->csr.mode != 3;
	w->tval = 0;
	if (x->fault) {
		w->cause = CAUSE_FETCH;
		w->tval = x->pc + x->fault_offset;
		return true;
	}
	switch (x->insn.op) {
	case ISA_ILLEGAL:
		w->cause = CAUSE_ILLEGAL;
		return true;
	case ISA_ECALL:
		w->cause = user ? CAUSE_ECALL_U : CAUSE_ECALL_M;
		return true;
	case ISA_EBREAK:
		w->cause = CAUSE_BREAK;
		return true;
	case ISA_MRET:
		w->cause = CAUSE_ILLEGAL;
		return user;
	case ISA_WFI:
		w->cause = CAUSE_ILLEGAL;
		return user && model->csr.tw;
	default:
		return false;
	}
}

static unsigned access_bytes(uint8_t op)
{
	switch (op) {
	case ISA_LB:
	case ISA_LBU:
	case ISA_SB:
		return 1;
	case ISA_LH:
	case ISA_LHU:
	case ISA_SH:
		return 2;
	default:
		return 4;
	}
}

/* What X asks of the rest of the machine in this cycle. */
struct x_effect {
	bool redirect, memory, ready; /* ready: X can take an instruction at the end of this cycle */
	bool fired;
	uint32_t target;
	bool cycle_written;
};

/* A data access: exception, or the request of this cycle. */
static void access_memory(const struct stage_x *x, struct stage_w *w, struct request *request, struct x_effect *effect,
    uint32_t base, uint32_t value)
{
	bool store = x->insn.class_bits & ISA_STORE;
	unsigned bytes = access_bytes(x->insn.op);
	uint32_t address = base + (uint32_t)x->insn.imm;
	w->address = w->tval = address;
	if (address & (bytes - 1)) {
		w->exception = true;
		w->cause = store ? CAUSE_STORE_MISALIGNED : CAUSE_LOAD_MISALIGNED;
		return;
	}
	effect->memory = true;
	request->address = address & ~3u;
	request->wstrb = 0;
	if (store) {
		w->store = (uint8_t)bytes;
		request->wstrb = (uint8_t)(((1u << bytes) - 1) << (address & 3));
		request->wdata = bytes == 4   ? value
				 : bytes == 2 ? (value & 0xFFFF) * 0x10001u
					      : (value & 0xFF) * 0x1010101u;
	} else {
		w->load = (uint8_t)bytes;
		w->load_signed = x->insn.op == ISA_LB || x->insn.op == ISA_LH;
		w->rd = x->insn.rd;
	}
}

static void execute_csr(struct model *model, struct stage_x *x, struct stage_w *w, struct trace_bus *bus,
    struct x_effect *effect, uint32_t a)
{
	unsigned number = (unsigned)x->insn.imm & 0xFFF;
	uint8_t op = x->insn.op;
	uint32_t source = csr_immediate(op) ? x->insn.rs1 : a;
	bool writes = op == ISA_CSRRW || op == ISA_CSRRWI || x->insn.rs1 != 0;
	if (!csr_readable(model, number, writes)) {
		w->exception = true;
		w->cause = CAUSE_ILLEGAL;
		return;
	}
	uint32_t old = csr_is_trace(number) ? x->csr_value : csr_read(model, number);
	w->rd = x->insn.rd;
	w->result = old;
	if (!writes)
		return;
	uint32_t value = op == ISA_CSRRW || op == ISA_CSRRWI   ? source
			 : op == ISA_CSRRS || op == ISA_CSRRSI ? old | source
							       : old & ~source;
	if (csr_is_trace(number))
		*bus = (struct trace_bus){.write = true, .index = (uint8_t)(number - CSR_TRACE_BASE), .wdata = value};
	else if (csr_write(model, number, value, &effect->cycle_written))
		w->count = false;
}

/* The last cycle of an instruction in X: fills *w with what it hands to W. */
static void complete(struct model *model, struct stage_x *x, struct stage_w *w, struct request *request,
    struct trace_bus *bus, struct x_effect *effect)
{
	const struct isa_insn *insn = &x->insn;
	uint32_t next = x->pc + insn->length;
	uint32_t a = model->regs[insn->rs1], b = model->regs[insn->rs2];
	bool jump = false;
	uint32_t target = isa_target(insn, x->pc);
	if (insn->class_bits & (ISA_LOAD | ISA_STORE)) {
		access_memory(x, w, request, effect, a, b);
		return;
	}
	if (is_csr(insn->op)) {
		execute_csr(model, x, w, bus, effect, a);
		return;
	}
	switch (insn->op) {
	case ISA_LUI:
		w->result = (uint32_t)insn->imm;
		break;
	case ISA_AUIPC:
		w->result = x->pc + (uint32_t)insn->imm;
		break;
	case ISA_JAL:
		jump = true;
		w->result = next;
		break;
	case ISA_JALR:
		jump = true;
		target = (a + (uint32_t)insn->imm) & ~1u;
		w->result = next;
		break;
	case ISA_BEQ:
	case ISA_BNE:
	case ISA_BLT:
	case ISA_BGE:
	case ISA_BLTU:
	case ISA_BGEU:
		jump = execute_branch(insn->op, a, b);
		break;
	case ISA_FENCE:
	case ISA_WFI:
		return;
	case ISA_FENCE_I:
		effect->redirect = true;
		effect->target = next;
		return;
	case ISA_MRET:
		effect->redirect = true;
		effect->target = model->csr.mepc;
		csr_mret(model);
		return;
	case ISA_ADDI:
	case ISA_SLTI:
	case ISA_SLTIU:
	case ISA_XORI:
	case ISA_ORI:
	case ISA_ANDI:
	case ISA_SLLI:
	case ISA_SRLI:
	case ISA_SRAI:
		w->result = execute_alu(insn->op, a, (uint32_t)insn->imm);
		break;
	default:
		w->result = execute_alu(insn->op, a, b);
		break;
	}
	if (jump && !model->config.with_c && target & 2) {
		w->exception = true;
		w->cause = CAUSE_FETCH_MISALIGNED;
		w->tval = target;
		return;
	}
	w->rd = insn->rd;
	effect->redirect = jump;
	effect->target = target;
}

/* Stage X in this cycle; *next is what W holds in the next one. */
static void stage_x(
    struct model *model, struct stage_w *next, struct request *request, struct trace_bus *bus, struct x_effect *effect)
{
	struct stage_x *x = &model->x;
	effect->ready = !x->valid;
	if (!x->valid)
		return;
	struct stage_w w = {.valid = true, .count = true, .pc = x->pc, .raw = x->raw, .mode = model->csr.mode};
	unsigned irq, rs1 = 0, rs2 = 0;
	bool early = early_exception(model, x, &w);
	bool wfi = x->insn.op == ISA_WFI && !early;
	if (!early) {
		reads(&x->insn, &rs1, &rs2);
		w.rs1 = (uint8_t)rs1;
		w.rs2 = (uint8_t)rs2;
		w.rs1_value = model->regs[rs1];
		w.rs2_value = model->regs[rs2];
	}
	if (!wfi && csr_irq_take(model, &irq)) {
		w.interrupt = true;
		w.cause = (uint8_t)irq;
	} else if (early) {
		w.exception = true;
	} else {
		unsigned number = (unsigned)x->insn.imm & 0xFFF;
		unsigned long_cycles =
		    execute_cycles(&model->config, x->insn.op, model->regs[x->insn.rs1], model->regs[x->insn.rs2]);
		if (x->lduse) {
			x->lduse = false;
			return;
		}
		x->cycle++;
		if (is_csr(x->insn.op) && x->cycle == 1) {
			if (csr_is_trace(number))
				x->csr_value = trace_read(&model->trace, number - CSR_TRACE_BASE);
			return;
		}
		if (x->cycle < long_cycles || (wfi && !(csr_pending(model) & model->csr.ie)))
			return;
		complete(model, x, &w, request, bus, effect);
	}
	effect->ready = true;
	effect->fired = true;
	*next = w;
}

/* Stage W in this cycle: shows the retirement, writes the register. Returns true if it traps; *target is then the
 * vector. */
static bool stage_w(struct model *model, struct model_out *out, uint32_t *target)
{
	struct stage_w *w = &model->w;
	bool access_fault = (w->load || w->store) && model->response.err;
	if (!w->valid)
		return false;
	bool trap = w->exception || w->interrupt || access_fault;
	if (access_fault)
		w->cause = w->store ? CAUSE_STORE : CAUSE_LOAD;
	uint32_t next_pc = model->x.valid ? model->x.pc : model->d_pc;
	uint32_t data = model->response.rdata >> 8 * (w->address & 3);
	uint32_t mask = w->load == 4 || w->store == 4 ? UINT32_MAX : w->load == 2 || w->store == 2 ? 0xFFFFu : 0xFFu;
	if (w->load) {
		data &= mask;
		w->result = w->load_signed && data & ~(mask >> 1) ? data | ~mask : data;
	}
	if (trap)
		*target = next_pc = csr_vector(model, w->interrupt, w->cause);
	out->valid = !w->interrupt;
	if (out->valid) {
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
		if (!trap && w->rd) {
			out->rd_addr = w->rd;
			out->rd_wdata = w->result;
		}
		if (!trap && (w->load || w->store)) {
			out->mem_addr = w->address;
			out->mem_rmask = (uint8_t)((1u << w->load) - 1);
			out->mem_wmask = (uint8_t)((1u << w->store) - 1);
			out->mem_rdata = w->load ? data : 0;
			out->mem_wdata = w->store ? w->rs2_value & mask : 0;
		}
	}
	out->order = model->order;
	if (!trap && w->rd)
		model->regs[w->rd] = w->result;
	return trap;
}

/* Stage D: moves the instruction at d_pc to X if it is available and X is ready; returns the number of words used up.
 */
static unsigned stage_d(struct model *model, const struct word *words, unsigned count, bool ready, struct stage_x *next)
{
	next->valid = false;
	if (!ready || !count)
		return 0;
	bool upper = model->d_pc & 2;
	uint32_t bits = upper ? words[0].bits >> 16 : words[0].bits;
	bool wide = (bits & 3) == 3;
	bool fault = words[0].err;
	uint8_t offset = 0;
	if (!fault && upper && wide) {
		if (count < 2)
			return 0;
		fault = words[1].err;
		offset = 2;
		bits |= words[1].bits << 16;
	}
	struct stage_x x = {.valid = true, .pc = model->d_pc, .fault = fault};
	unsigned length = 4;
	if (fault) {
		x.fault_offset = offset;
		x.insn.length = 4;
	} else {
		x.insn = *decode(model, bits);
		x.raw = x.insn.word;
		length = x.insn.length;
		unsigned rs1, rs2;
		reads(&x.insn, &rs1, &rs2);
		const struct stage_x *before = &model->x;
		bool load = before->valid && !before->fault && before->insn.class_bits & ISA_LOAD && before->insn.rd;
		x.lduse = load && (rs1 == before->insn.rd || rs2 == before->insn.rd);
	}
	*next = x;
	model->d_pc += length;
	return upper || length == 4;
}

void core_cycle(struct model *model, struct model_out *out, struct request *request, struct trace_bus *bus,
    struct trace_retire *retire)
{
	struct word words[3];
	unsigned count = model->word_count;
	memcpy(words, model->words, sizeof model->words);
	if (model->inflight)
		words[count++] = (struct word){model->response.rdata, model->response.err};

	uint32_t target = 0;
	struct x_effect effect = {0};
	struct stage_w w_next = {0};
	bool trap = stage_w(model, out, &target);
	bool counts = model->w.valid && !trap && model->w.count;
	retire->valid = out->valid;
	if (out->valid)
		*retire = (struct trace_retire){.valid = true,
		    .trap = out->trap,
		    .intr = out->intr,
		    .mode = out->mode,
		    .insn = out->insn,
		    .pc = out->pc,
		    .next_pc = out->next_pc};
	struct csrs *csr = &model->csr;
	uint64_t instret = csr->instret;
	if (!trap)
		stage_x(model, &w_next, request, bus, &effect);
	bool instret_written = effect.fired && !w_next.count;

	/* D and F */
	struct stage_x x_next;
	bool redirect = trap || effect.redirect;
	unsigned used = stage_d(model, words, count, trap ? !model->x.valid : effect.ready, &x_next);
	bool fetch = false;
	request->valid = request->fetch = false;
	if (redirect) {
		if (!trap)
			target = effect.target;
		model->d_pc = target & ~1u;
		x_next.valid = false;
		count = used = 0;
		request->address = target & ~3u;
		fetch = true;
	} else if (effect.memory) {
		request->valid = true;
	} else if (count - used <= 1) {
		request->address = model->f_pc;
		fetch = true;
	}
	if (fetch) {
		request->valid = request->fetch = true;
		request->wstrb = 0;
		model->f_pc = request->address + 4;
	}
	model->inflight = fetch;
	model->word_count = count - used;
	for (unsigned i = 0; i < model->word_count; i++)
		model->words[i] = words[i + used];

	/* registers */
	if (!instret_written)
		csr->instret = instret + counts;
	if (!effect.cycle_written)
		csr->cycle++;
	if (trap)
		csr_trap(
		    model, model->w.interrupt, model->w.cause, model->w.pc, !model->w.interrupt ? model->w.tval : 0);
	model->intr = trap || (model->intr && !out->valid);
	model->order += out->valid;
	model->w = w_next;
	if (trap || effect.ready)
		model->x = x_next;
	if (trap)
		model->x.valid = false;
}

void core_reset(struct model *model)
{
	memset(&model->csr, 0, sizeof model->csr);
	model->csr.mode = 3;
	model->order = 0;
	model->intr = false;
	model->word_count = 0;
	model->inflight = false;
	model->d_pc = model->config.reset_pc;
	model->f_pc = model->config.reset_pc & ~3u;
	model->x.valid = false;
	memset(&model->w, 0, sizeof model->w);
}
