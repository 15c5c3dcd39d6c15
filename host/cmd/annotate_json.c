/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* annotate --json: counts as the profile has them; those of a sampled one are to be multiplied by `period`. */
#include "host/cmd/annotate.h"
#include "host/cmd/not_traced.h"
#include "host/base/json.h"
#include "host/cmd/profiled.h"
#include "isa/isa.h"

static void put_annotated_insn(struct json *j, const struct annotate *n, const struct account_insn *insn)
{
	struct isa_insn decoded;
	struct image_place places[2];
	char text[80] = "";
	size_t depth = image_places(n->profiled->image, insn->pc, places, 2);
	if (image_insn(n->profiled->image, insn->pc, 0, &decoded))
		image_format(n->profiled->image, &decoded, insn->pc, text, sizeof text);
	json_line(j, NULL);
	json_hex(j, "address", insn->pc, 8);
	json_text(j, "instruction", text);
	json_number(j, "count", insn->count);
	json_number(j, "cycles", insn->cycles);
	if ((insn->class_bits & ISA_BRANCH) != 0) {
		json_number(j, "taken", insn->taken);
		json_number(j, "not_taken", insn->count - insn->taken - insn->unknown);
	}
	if (places[0].line != 0) {
		json_text(j, "file", places[0].file);
		json_number(j, "line", places[0].line);
	}
	if (depth > 1)
		json_text(j, "inlined", places[0].function);
	json_object_end(j);
}

static void put_annotated_function(struct json *j, const struct annotate *n, const struct account_row *row)
{
	const struct account *a = n->profiled->account;
	const struct account_function *f = &a->functions[row->row];
	const struct account_insn *first = account_find(a, row->address), *last = account_find(a, row->last);
	json_object(j, NULL);
	json_text(j, "function", function_name(f->name, f->start));
	json_hex(j, "address", f->start, 8);
	json_text(j, "file", f->file);
	json_number(j, "line", f->line);
	json_real(j, "share", row->share);
	json_real(j, "error", row->error);
	json_number(j, "entered", f->self.count);
	json_number(j, "instructions", f->self.insns);
	json_number(j, "cycles", f->self.cycles);
	json_array(j, "code");
	for (; first != NULL && last != NULL && first <= last; first++) {
		if (first->function == row->row && account_passes(&n->filter, n->profiled->image, first->pc))
			put_annotated_insn(j, n, first);
	}
	json_array_end(j);
	json_object_end(j);
}

void annotate_json(const struct annotate *n, const struct account_row *rows, size_t count)
{
	const struct account *a = n->profiled->account;
	struct json j;
	size_t shown = 0;
	json_open(&j, stdout);
	json_text(&j, "rivulet", "annotate");
	json_number(&j, "version", 1);
	json_text(&j, "program", n->profiled->program);
	json_text(&j, "profile", n->profiled->file);
	json_bool(&j, "timed", a->timed);
	json_bool(&j, "sampled", a->sampled);
	json_real(&j, "period", a->period);
	json_number(&j, "instructions", a->accounted.insns);
	json_number(&j, "cycles", a->accounted.cycles);
	struct remainder remainder;
	remainder_profiled(&remainder, n->profiled);
	json_not_traced(&j, &remainder);
	json_number(&j, "functions_passing", count);
	json_array(&j, "functions");
	for (size_t i = 0; i < count; i++) {
		if (shown == n->top || rows[i].share < n->hot)
			continue;
		shown++;
		put_annotated_function(&j, n, &rows[i]);
	}
	json_array_end(&j);
	finish_json(&j);
}
