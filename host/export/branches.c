/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#include "host/export/branches.h"
#include "host/base/order.h"

#include <stdlib.h>
#include "host/base/array.h"
#include "host/base/hash.h"
#include "host/export/encode.h"
#include "isa/isa.h"

/* ---- traces ---- */

struct trace_encoder {
	struct encode_sums sums; /* its state is the trace that is not over; END is the last instruction so far */
	struct branch_traces *traces;
	size_t room;
	struct hash table; /* of traces */
	bool failed;
	uint64_t load;
};
enum { FROM, TO, END, FLAGS }; /* numbers of the state */
enum { OPEN = 1, INDIRECT = 2, RETURNS = 4 };

static bool same_trace(const void *context, uint32_t index)
{
	const struct trace_encoder *e = context;
	const struct branch_trace *a = &e->traces->all[index];
	const uint64_t *b = e->sums.state;
	return a->from == b[FROM] && a->to == b[TO] && a->end == b[END];
}

static bool add_trace(struct trace_encoder *e, uint32_t hash)
{
	const uint64_t *state = e->sums.state;
	if (!array_room(&e->traces->all, e->traces->count + 1, &e->room) ||
	    !hash_add(&e->table, hash, (uint32_t)e->traces->count))
		return false;
	e->traces->all[e->traces->count++] = (struct branch_trace){state[FROM], state[TO], state[END], e->sums.times,
	    (state[FLAGS] & INDIRECT) != 0, (state[FLAGS] & RETURNS) != 0};
	return true;
}

static void close_trace(struct trace_encoder *e)
{
	uint64_t *state = e->sums.state;
	const bool open = (state[FLAGS] & OPEN) != 0;
	state[FLAGS] &= ~(uint64_t)OPEN;
	if (!open || e->sums.times == 0)
		return;

	uint32_t hash = hash_of_two(hash_of_two(state[FROM], state[TO]), state[END]);
	uint32_t index = hash_find(&e->table, hash, same_trace, e);
	if (index != HASH_NONE)
		e->traces->all[index].count += e->sums.times;
	else if (!add_trace(e, hash))
		e->failed = true;
}

static void open_trace(struct trace_encoder *e, uint64_t from, uint64_t to, uint64_t flags)
{
	e->sums.state[FROM] = from;
	e->sums.state[TO] = e->sums.state[END] = to - e->load;
	e->sums.state[FLAGS] = flags;
}

static void begin_trace(struct standard_encoder *base, uint64_t pc)
{
	open_trace((struct trace_encoder *)base, BRANCH_OUTSIDE, pc, 0);
}

static void take_retired(struct standard_encoder *base, const struct standard_insn *insn, uint64_t next)
{
	struct trace_encoder *e = (struct trace_encoder *)base;
	e->sums.state[FLAGS] |= OPEN;
	e->sums.state[END] = insn->pc - e->load;
	if (!standard_jumps(insn, next))
		return;
	close_trace(e);
	open_trace(e, insn->pc - e->load, next,
	    OPEN | (standard_uninferable(insn) ? INDIRECT : 0u) | (standard_pops(insn) ? RETURNS : 0u));
}

static void end_branch_trace(struct standard_encoder *base)
{
	close_trace((struct trace_encoder *)base);
}

static void trap_trace(struct standard_encoder *base, uint64_t epc, uint64_t handler)
{
	(void)epc;
	end_branch_trace(base);
	begin_trace(base, handler);
}

static int compare_traces(const void *a, const void *b)
{
	const struct branch_trace *x = a, *y = b;
	return order_then(ORDER_UP(x->from, y->from), order_then(ORDER_UP(x->to, y->to), ORDER_UP(x->end, y->end)));
}

int branch_traces_make(struct branch_traces *traces, const struct export_input *input)
{
	struct encode_counts counts;
	struct trace_encoder e = {
	    .sums.base = {begin_trace, take_retired, trap_trace, end_branch_trace, NULL, NULL, NULL, true},
	    .traces = traces,
	    .load = image_load_address(input->image),
	};
	*traces = (struct branch_traces){0};
	records_rewind(input->records);
	int error = encode_records_sums(input->image, input->records, &e.sums, &counts);
	hash_free(&e.table);
	if (error != RECORDS_OK || e.failed)
		return error == RECORDS_OK || error == RECORDS_ENOMEM ? EXPORT_ENOMEM : EXPORT_EREAD;
	if (traces->count > 0)
		qsort(traces->all, traces->count, sizeof *traces->all, compare_traces);
	return EXPORT_OK;
}

void branch_traces_free(struct branch_traces *traces)
{
	free(traces->all);
	*traces = (struct branch_traces){0};
}

/* ---- edges ---- */

struct leader { /* where a block begins because something jumps there */
	uint64_t pc;
	uint64_t arrivals; /* of jumps and branches, as far as they are known */
};

struct edge_visit {
	const struct export_input *input;
	uint64_t load;
	branch_visitor *visit;
	void *context;
	struct leader *leaders; /* by pc, each once */
	size_t leader_count, leader_room;
};

static void show_edge(const struct edge_visit *v, uint64_t from, uint64_t to, uint64_t count, bool taken)
{
	const struct branch_edge edge = {from - v->load, to - v->load, count, taken};
	if (count > 0)
		v->visit(v->context, &edge);
}

static int compare_leaders(const void *a, const void *b)
{
	const struct leader *x = a, *y = b;
	return ORDER_UP(x->pc, y->pc);
}

static bool add_leader(struct edge_visit *v, uint64_t pc)
{
	if (!array_room(&v->leaders, v->leader_count + 1, &v->leader_room))
		return false;
	v->leaders[v->leader_count++] = (struct leader){pc, 0};
	return true;
}

/* The targets of all branches and jumps of a function, which ran or not. */
static bool lead_function(struct edge_visit *v, const struct image_label *label)
{
	struct isa_insn insn;
	bool good = true;
	for (uint64_t pc = label->address; good && pc < label->address + label->size; pc += insn.length) {
		if (!image_insn(v->input->image, pc, 0, &insn) || insn.length == 0)
			return true;
		if ((insn.class_bits & (ISA_BRANCH | ISA_JUMP)) != 0)
			good = add_leader(v, isa_target(&insn, pc));
	}
	return good;
}

static struct leader *find_leader(const struct edge_visit *v, uint64_t pc)
{
	const struct leader key = {pc, 0};
	return v->leader_count == 0 ? NULL : bsearch(&key, v->leaders, v->leader_count, sizeof key, compare_leaders);
}

static void count_arrivals(struct edge_visit *v, const struct branch_traces *traces)
{
	const struct gather_result *r = v->input->result;
	for (size_t i = 0; i < r->code_count; i++) {
		const struct gather_code *code = &r->code[i];
		const struct spot_place *place = spots_at(v->input->spots, code->pc);
		bool branch = place != NULL && (place->class_bits & ISA_BRANCH) != 0;
		bool jump = place != NULL && (place->class_bits & ISA_JUMP) != 0;
		struct leader *leader = branch || jump ? find_leader(v, place->target) : NULL;
		if (leader != NULL)
			leader->arrivals += branch ? code->taken : code->count;
	}
	for (size_t i = 0; i < traces->count; i++) {
		const struct branch_trace *t = &traces->all[i];
		struct leader *leader = t->indirect && !t->returns ? find_leader(v, t->to + v->load) : NULL;
		if (leader != NULL)
			leader->arrivals += t->count;
	}
}

static int make_leaders(struct edge_visit *v, const struct branch_traces *traces)
{
	struct image_label label;
	size_t distinct = 0;
	bool good = true;
	for (size_t i = 0; good && i < traces->count; i++)
		good = !traces->all[i].indirect || traces->all[i].returns || add_leader(v, traces->all[i].to + v->load);
	for (size_t i = 0; good && image_label(v->input->image, i, &label); i++)
		good = !label.function || lead_function(v, &label);
	if (!good)
		return EXPORT_ENOMEM;
	if (v->leader_count > 0)
		qsort(v->leaders, v->leader_count, sizeof *v->leaders, compare_leaders);
	for (size_t i = 0; i < v->leader_count; i++) {
		if (distinct == 0 || v->leaders[distinct - 1].pc != v->leaders[i].pc)
			v->leaders[distinct++] = v->leaders[i];
	}
	v->leader_count = distinct;
	count_arrivals(v, traces);
	return EXPORT_OK;
}

/* Behind an instruction that does not jump a block begins all the same if something else jumps there; behind a call
 * too, where those arrive that no jump brought. */
static void visit_fall(const struct edge_visit *v, const struct gather_code *code, uint64_t next, bool call)
{
	const struct leader *leader = find_leader(v, next);
	const struct gather_code *behind = leader == NULL ? NULL : gather_at(v->input->result, next);
	uint64_t function = 0, count = code->count;
	if (behind == NULL || (image_function(v->input->image, next, &function) != NULL && function == next))
		return;
	if (call)
		count = behind->count > leader->arrivals ? behind->count - leader->arrivals : 0;
	show_edge(v, code->pc, next, count, false);
}

static void visit_code(const struct edge_visit *v, const struct gather_code *code)
{
	const struct spot_place *place = spots_at(v->input->spots, code->pc);
	if (place == NULL)
		return;
	uint64_t next = code->pc + place->length;
	bool call = (place->class_bits & ISA_CALL) != 0;
	if ((place->class_bits & ISA_BRANCH) != 0) {
		show_edge(v, code->pc, place->target, code->taken, true);
		show_edge(v, code->pc, next, code->not_taken, false);
	} else if ((place->class_bits & ISA_JUMP) != 0)
		show_edge(v, code->pc, place->target, code->count, true);
	if (call || (place->class_bits & (ISA_BRANCH | ISA_JUMP | ISA_INDIRECT | ISA_RET)) == 0)
		visit_fall(v, code, next, call);
}

/* Of a profile: calls by a register whose target is known. */
static void visit_branch_calls(const struct edge_visit *v)
{
	const struct gather_result *r = v->input->result;
	for (size_t i = 0; i < r->call_count; i++) {
		const struct gather_call *call = &r->calls[i];
		const struct spot_place *place = spots_at(v->input->spots, call->site);
		if (place != NULL && (place->class_bits & ISA_INDIRECT) != 0)
			show_edge(v, call->site, call->target, call->count, true);
	}
}

static void visit_indirect(const struct edge_visit *v, const struct branch_traces *traces)
{
	for (size_t i = 0; i < traces->count;) {
		const struct branch_trace *first = &traces->all[i];
		struct branch_edge edge = {first->from, first->to, 0, true};
		for (; i < traces->count && traces->all[i].from == edge.from && traces->all[i].to == edge.to; i++)
			edge.count += traces->all[i].count;
		if (first->indirect)
			v->visit(v->context, &edge);
	}
}

int branches_visit(const struct export_input *input, branch_visitor *visit, void *context)
{
	struct edge_visit v = {input, image_load_address(input->image), visit, context, NULL, 0, 0};
	const struct gather_result *r = input->result;
	struct branch_traces traces = {0};
	int error = input->records == NULL ? EXPORT_OK : branch_traces_make(&traces, input);
	if (error == EXPORT_OK)
		error = make_leaders(&v, &traces);
	for (size_t i = 0; error == EXPORT_OK && i < r->code_count; i++)
		visit_code(&v, &r->code[i]);
	if (error == EXPORT_OK && input->records != NULL)
		visit_indirect(&v, &traces);
	else if (error == EXPORT_OK)
		visit_branch_calls(&v);
	free(v.leaders);
	branch_traces_free(&traces);
	return error;
}
