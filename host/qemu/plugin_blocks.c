/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* What a block is, when qemu has translated it: where it lies, how it ends, which code it is of. */
#define _GNU_SOURCE /* RTLD_DEFAULT */
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
#include "host/qemu/plugin.h"
#include "isa/isa.h"

/* Version 3 of the interface copies them where earlier ones gave their place. */
uint64_t plugin_word(const struct qemu_plugin_insn *insn, size_t size)
{
	uint64_t word = 0;
	const void *host = qemu_plugin_insn_haddr(insn);
	size = size < sizeof word ? size : sizeof word;
	if (host == NULL && plugin.interface_version >= 3) {
		size_t (*copy)(const struct qemu_plugin_insn *, void *, size_t) = (size_t(*)(
		    const struct qemu_plugin_insn *, void *, size_t))dlsym(RTLD_DEFAULT, "qemu_plugin_insn_data");
		if (copy != NULL)
			copy(insn, &word, size);
	} else if (host == NULL) {
		const void *(*data)(const struct qemu_plugin_insn *) =
		    (const void *(*)(const struct qemu_plugin_insn *))dlsym(RTLD_DEFAULT, "qemu_plugin_insn_data");
		host = data == NULL ? NULL : data(insn);
	}
	if (host != NULL)
		memcpy(&word, host, size);
	return word;
}

/* Whether an instruction before the last one, or that one before it jumps, can fault. */
static bool block_faults(const struct qemu_plugin_tb *tb)
{
	const size_t count = qemu_plugin_tb_n_insns(tb);
	for (size_t i = 0; i < count; i++) {
		const struct qemu_plugin_insn *at = qemu_plugin_tb_get_insn(tb, i);
		struct isa_insn insn;
		isa_decode(plugin_word(at, qemu_plugin_insn_size(at)), plugin.set, &insn);
		if ((insn.class_bits & (ISA_LOAD | ISA_STORE | ISA_TRAPS)) != 0 || insn.op == ISA_OTHER)
			return true;
	}
	return false;
}

void block_translated(qemu_plugin_id_t id, struct qemu_plugin_tb *tb)
{
	(void)id;
	const size_t count = qemu_plugin_tb_n_insns(tb);
	struct block *b = malloc(sizeof *b); /* for ever: the code that is translated names it */
	if (b == NULL)
		capture_give_up(CAPTURE_NO_MEMORY);
	const struct qemu_plugin_insn *last = qemu_plugin_tb_get_insn(tb, count - 1);
	const size_t size = qemu_plugin_insn_size(last);
	const uint64_t start = qemu_plugin_tb_vaddr(tb), at = qemu_plugin_insn_vaddr(last);
	struct isa_insn insn;
	isa_decode(plugin_word(last, size), plugin.set, &insn);
	exec_learn_base(start, qemu_plugin_insn_haddr(qemu_plugin_tb_get_insn(tb, 0)));
	uint64_t space = 0;
	if (!plugin.whole_system)
		space = maps_object(start, qemu_plugin_insn_haddr(qemu_plugin_tb_get_insn(tb, 0)), at + size - start)
			<< CAPTURE_SPACE;
	*b = (struct block){
	    .start = start | space, .last = at | space, .behind = (at + size) | space, .insns = (uint32_t)count};
	if (insn.op == ISA_ECALL || (plugin.whole_system && insn.op == ISA_EBREAK))
		b->end = END_SYSTEM_CALL;
	else if ((insn.class_bits & ISA_BRANCH) != 0)
		b->end = END_BRANCH;
	else if ((insn.class_bits & ISA_INDIRECT) != 0)
		b->end = END_INDIRECT;
	else if ((insn.class_bits & ISA_JUMP) != 0)
		b->end = END_JUMP;
	else if ((insn.class_bits & ISA_RET) != 0)
		b->end = END_RETURN;
	b->faults = b->end == END_INDIRECT && !plugin.whole_system && block_faults(tb);
	if (b->end == END_BRANCH || b->end == END_JUMP)
		b->target = isa_target(&insn, at) | space;
	if (plugin.whole_system)
		system_translated(b, tb);
	if (plugin.whole_system && capture->breaks != 0)
		qemu_plugin_register_vcpu_insn_exec_cb(
		    qemu_plugin_tb_get_insn(tb, count - 1), system_reaches, CALLBACK_READS_NOTHING, b);
	remember_block(b);
	if (silent_translated(tb, b))
		return;
	plugin_executed *begins = capture->order != 0 ? block_begins_in_order : block_begins;
	if (plugin.whole_system)
		begins = block_begins_checked;
	qemu_plugin_register_vcpu_tb_exec_cb(tb, begins, CALLBACK_READS_NOTHING, b);
}
