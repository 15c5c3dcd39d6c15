/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#include "model/run.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "model/private.h"
#include "common/run_config.h"
#include "common/run_config.h"

#define PROGRESS_MASK ((1u << 20) - 1)

/* Samples each bit in its middle; returns true when *byte is complete. */
static bool receive(struct receiver *r, unsigned period, bool line, uint8_t *byte)
{
	if (r->bit == 0) {
		if (line)
			return false;
		r->bit = 1;
		r->timer = period + period / 2;
		return false;
	}
	if (--r->timer)
		return false;
	r->timer = period;
	if (r->bit <= 8) {
		r->byte = (uint8_t)(r->byte >> 1 | line << 7);
		r->bit++;
		return false;
	}
	r->bit = 0;
	*byte = r->byte;
	return line;
}

/* A store to tohost that ends the run: an odd value is an exit code, times two and one; any other but 0 is a call of
 * the host (HTIF), which would be waited for for ever. A byte or half of it is taken for the whole. */
static bool host_written(const struct model *model, const struct model_out *out, struct run_result *result)
{
	uint32_t value = 0;
	if (!model->has_tohost || !out->bus_valid || (out->bus_wstrb & 1) == 0 || out->bus_addr != model->tohost)
		return false;
	for (unsigned i = 0; i < 4; i++)
		value |= (out->bus_wstrb >> i & 1) != 0 ? out->bus_wdata & 0xFFu << 8 * i : 0;
	if (value == 0)
		return false;
	result->end = value & 1 ? RUN_END_EXIT : RUN_END_HOST_CALL;
	result->code = value & 1 ? value >> 1 : value;
	result->told = RUN_TOLD_TOHOST;
	return true;
}

/* Nothing can change any more: an instruction that jumps to itself, with interrupts off. Not MRET, which changes the
 * mode, and not a JALR that replaces the address it goes to. */
static bool stuck(const struct model *model, const struct model_out *out)
{
	struct isa_insn insn;
	if (out->next_pc != out->pc || out->trap)
		return false;
	isa_decode(out->insn, ISA_CORE, &insn);
	if (!(insn.class_bits & (ISA_BRANCH | ISA_JUMP)) && !(insn.class_bits & ISA_INDIRECT && insn.rd != insn.rs1))
		return false;
	return model->csr.ie == 0 || (model->csr.mode == 3 && !model->csr.mie);
}

/* WFI that has waited, and no interrupt is enabled: nothing retires any more, so nothing can enable one. */
static bool waits_forever(const struct model *model)
{
	return model->csr.ie == 0 && model->x.valid && model->x.decoded->insn.op == ISA_WFI && model->x.cycle != 0;
}

bool run_cycle(struct runner *runner, struct model_out *out)
{
	static const struct model_in in = {.uart_rx = true};
	struct model *model = runner->model;
	const struct run_hooks *h = runner->hooks;
	struct run_result *result = runner->result;
	model_cycle(model, &in, out);
	result->cycles++;
	if (h->cycle)
		h->cycle(h->context, out);
	if (out->valid) {
		result->instructions += !out->trap;
		if (h->retire)
			h->retire(h->context, out);
		if (model->csr.traps >= RUN_TRAPS_MAX) {
			result->end = RUN_END_TRAPS;
			result->trap = model->csr.first_trap;
			return true;
		}
	}
	if (out->trace.rec_valid && h->record)
		h->record(h->context, &out->trace.rec);
	if (out->console_valid && h->console)
		h->console(h->context, out->console_byte);
	if (h->uart) {
		uint8_t byte;
		if ((runner->receiver.bit || !out->uart_tx) &&
		    receive(&runner->receiver, model->uart.div + 1u, out->uart_tx, &byte))
			h->uart(h->context, byte);
	}
	if (out->exit_valid) {
		result->end = RUN_END_EXIT;
		result->code = out->exit_code;
		return true;
	}
	if (host_written(model, out, result))
		return true;
	if (out->valid ? stuck(model, out) : waits_forever(model)) {
		result->end = RUN_END_STUCK;
		result->waits = !out->valid;
		result->pc = out->valid ? out->pc : model->x.pc;
		return true;
	}
	return false;
}

void model_run(struct model *model, const struct run_hooks *hooks, uint64_t cycle_limit, uint64_t instruction_limit,
    struct run_result *result)
{
	static const struct run_hooks none;
	struct runner runner = {.model = model, .hooks = hooks ? hooks : &none, .result = result};
	struct model_out out;
	*result = (struct run_result){.end = RUN_END_CYCLES};
	for (;;) {
		if (cycle_limit && result->cycles >= cycle_limit) {
			result->end = RUN_END_CYCLES;
			return;
		}
		if (run_cycle(&runner, &out))
			return;
		if (instruction_limit && result->instructions >= instruction_limit) {
			result->end = RUN_END_INSTRUCTIONS;
			return;
		}
		if (!(result->cycles & PROGRESS_MASK) && runner.hooks->progress &&
		    !runner.hooks->progress(runner.hooks->context, result->cycles, result->instructions)) {
			result->end = RUN_END_STOPPED;
			return;
		}
	}
}

/* ---------------------------------------------------------------- run configuration */

bool model_run_config(const struct model *model, struct run_config *config)
{
	return model->has_run_config && model_read(model, model->run_config, config, sizeof *config) == MODEL_OK &&
	       config->magic == RUN_CONFIG_MAGIC;
}

int model_write_signature(const struct model *model, const char *path, char *detail, size_t size)
{
	if (!model->has_signature) {
		snprintf(detail, size, "the program has no symbols begin_signature and end_signature");
		return MODEL_EADDRESS;
	}
	FILE *file = fopen(path, "w");
	if (!file) {
		snprintf(detail, size, "%s: %s", path, strerror(errno));
		return MODEL_EOPEN;
	}
	int error = MODEL_OK;
	for (uint32_t at = model->signature_begin; !error && at < model->signature_end; at += 4) {
		uint32_t word;
		error = model_read(model, at, &word, sizeof word);
		if (!error)
			fprintf(file, "%08x\n", word);
	}
	bool bad = ferror(file);
	if (fclose(file) || bad) {
		snprintf(detail, size, "%s: %s", path, strerror(errno));
		return MODEL_EOPEN;
	}
	if (error)
		snprintf(detail, size, "the signature is not in RAM");
	return error;
}
