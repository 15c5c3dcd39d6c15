/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* host/stack: small cases by hand, and whole programs against the stack pointer's truth (tests/export/oracle.h). */
#include <inttypes.h>
#include <stdio.h>
#include "tests/export/oracle.h"
#include "host/stack/stack.h"
#include "tests/suite.h"

static struct image *image;
static struct stack *stack;
static uint64_t f, g, h; /* starts of three functions of the program */

static void setup(void)
{
	char detail[512];
	ck_assert_msg(image_open(&image, SW "/qsort.elf", detail, sizeof detail) == IMAGE_OK, "%s", detail);
	ck_assert_int_eq(image_symbol(image, "main", &f), IMAGE_OK);
	ck_assert_int_eq(image_symbol(image, "hal_exit", &g), IMAGE_OK);
	ck_assert_int_eq(image_symbol(image, "hal_print", &h), IMAGE_OK);
	ck_assert_int_eq(stack_open(&stack, image), STACK_OK);
}

static void teardown(void)
{
	stack_close(stack);
	image_close(image);
}

/* A block of one 4-byte instruction. */
static struct walk_block block(uint64_t at, enum walk_exit leaves, uint8_t link, uint8_t through, uint64_t target)
{
	return (struct walk_block){.start = at,
	    .next = at + 4,
	    .last = at,
	    .target = target,
	    .starts = 1,
	    .count = 1,
	    .exit = (uint8_t)leaves,
	    .link = link,
	    .through = through};
}

static uint32_t visit(struct walk_block at)
{
	uint32_t node = 0;
	const struct walk_visit v = {.block = &at, .count = 1, .outcome = at.exit == WALK_BRANCH ? 1 : -1};
	ck_assert_int_eq(stack_visit(stack, &v, &node), STACK_OK);
	return node;
}

static struct stack_node node_of(uint32_t index)
{
	size_t count;
	const struct stack_node *nodes = stack_nodes(stack, &count);
	if (index >= count) /* an assertion that holds costs Check a system call too */
		ck_abort_msg("context %u of %zu", index, count);
	return nodes[index];
}

/* f calls g; g and h jump to each other 40 times, then h returns to f: each jump counts, the stack does not grow. */
START_TEST(mutual_tail_calls)
{
	uint64_t to_g = 0, to_h = 0;
	size_t count;
	ck_assert_int_eq(stack_begin(stack, f, STACK_UNRELATED, 1), STACK_OK);
	uint32_t root = visit(block(f, WALK_JUMP, 1, 0, g));
	for (int i = 0; i < 40; i++) {
		visit(block(g, WALK_JUMP, 0, 0, h));
		visit(block(h, i < 39 ? WALK_JUMP : WALK_INDIRECT, 0, i < 39 ? 0 : 1, i < 39 ? g : 0));
	}
	ck_assert_uint_eq(visit(block(f + 4, WALK_FALL, 0, 0, 0)), root);
	const struct stack_node *nodes = stack_nodes(stack, &count);
	ck_assert_uint_le(count, 6);
	for (size_t i = 1; i < count; i++) {
		to_g += nodes[i].entry == g ? nodes[i].entered : 0;
		to_h += nodes[i].entry == h ? nodes[i].entered : 0;
	}
	ck_assert_uint_eq(to_g, 40); /* one call, 39 jumps */
	ck_assert_uint_eq(to_h, 40);
	ck_assert_uint_eq(stack_counts(stack)->unmatched, 0);
}
END_TEST

START_TEST(call_and_return)
{
	ck_assert_int_eq(stack_begin(stack, f, STACK_UNRELATED, 3), STACK_OK);
	uint32_t root = visit(block(f, WALK_JUMP, 1, 0, g));
	uint32_t inner = visit(block(g, WALK_INDIRECT, 0, 1, 0));
	uint32_t after = visit(block(f + 4, WALK_FALL, 0, 0, 0));
	ck_assert_uint_ne(inner, root);
	ck_assert_uint_eq(after, root);
	struct stack_node node = node_of(inner);
	ck_assert_uint_eq(node.parent, root);
	ck_assert_uint_eq(node.site, f);
	ck_assert_uint_eq(node.entry, g);
	ck_assert_uint_eq(node.entered, 3);
	ck_assert_uint_eq(node.kind, STACK_CALL);
	ck_assert_uint_eq(node_of(root).kind, STACK_ROOT);
	ck_assert_uint_eq(node_of(root).entry, f);
	ck_assert_uint_eq(stack_counts(stack)->calls, 3);
	ck_assert_uint_eq(stack_counts(stack)->unmatched, 0);
	/* the same again is the same context */
	visit(block(f, WALK_JUMP, 1, 0, g));
	ck_assert_uint_eq(visit(block(g, WALK_FALL, 0, 0, 0)), inner);
	ck_assert_uint_eq(node_of(inner).entered, 6);
}
END_TEST

START_TEST(context_goes_on_in_the_next_record)
{
	uint32_t root, inner;
	ck_assert_int_eq(stack_begin(stack, f, STACK_UNRELATED, 1), STACK_OK);
	root = visit(block(f, WALK_INDIRECT, 1, 0, 0)); /* ends the trace; the target is the next start */
	ck_assert_int_eq(stack_begin(stack, g, STACK_FOLLOWS, 1), STACK_OK);
	inner = visit(block(g, WALK_INDIRECT, 0, 1, 0));
	ck_assert_uint_eq(node_of(inner).parent, root);
	ck_assert_int_eq(stack_begin(stack, f + 4, STACK_FOLLOWS, 1), STACK_OK);
	ck_assert_uint_eq(visit(block(f + 4, WALK_INDIRECT, 1, 0, 0)), root);
	/* a record that is not related begins at its own function */
	ck_assert_int_eq(stack_begin(stack, g + 8, STACK_UNRELATED, 1), STACK_OK);
	uint32_t other = visit(block(g + 8, WALK_FALL, 0, 0, 0));
	ck_assert_uint_eq(node_of(other).parent, STACK_NOBODY);
	ck_assert_uint_eq(node_of(other).entry, g);
	ck_assert_uint_ne(other, inner);
}
END_TEST

START_TEST(tail_calls_share_the_return)
{
	ck_assert_int_eq(stack_begin(stack, f, STACK_UNRELATED, 1), STACK_OK);
	uint32_t root = visit(block(f, WALK_JUMP, 1, 0, g));
	uint32_t called = visit(block(g, WALK_JUMP, 0, 0, h));
	uint32_t tail = visit(block(h, WALK_INDIRECT, 0, 1, 0));
	ck_assert_uint_eq(node_of(tail).kind, STACK_TAIL);
	ck_assert_uint_eq(node_of(tail).parent, called);
	ck_assert_uint_eq(node_of(tail).entry, h);
	ck_assert_uint_eq(visit(block(f + 4, WALK_JUMP, 1, 0, g)), root);
	/* g and h jump to each other for ever: the stack does not grow */
	visit(block(g, WALK_JUMP, 0, 0, h)); /* the called one; below, g is the one that h jumped to */
	uint32_t there = visit(block(h, WALK_JUMP, 0, 0, g));
	uint32_t again = visit(block(g, WALK_JUMP, 0, 0, h));
	ck_assert_uint_eq(node_of(again).entry, g);
	ck_assert_uint_eq(node_of(again).parent, there);
	for (int i = 0; i < 1000; i++) {
		ck_assert_uint_eq(visit(block(h, WALK_JUMP, 0, 0, g)), there);
		ck_assert_uint_eq(visit(block(g, WALK_JUMP, 0, 0, h)), again);
	}
	/* a loop back to the function's own start is no call */
	visit(block(h, WALK_BRANCH, 0, 0, h));
	uint32_t loop = visit(block(h, WALK_INDIRECT, 0, 1, 0));
	ck_assert_uint_eq(node_of(loop).entry, h);
	ck_assert_uint_eq(visit(block(f + 8, WALK_FALL, 0, 0, 0)), root);
	ck_assert_uint_eq(stack_counts(stack)->unmatched, 0);
}
END_TEST

START_TEST(return_over_several_frames)
{
	/* f calls g calls h, which goes back to f, as longjmp() does */
	ck_assert_int_eq(stack_begin(stack, f, STACK_UNRELATED, 1), STACK_OK);
	uint32_t root = visit(block(f, WALK_JUMP, 1, 0, g));
	visit(block(g, WALK_JUMP, 1, 0, h));
	visit(block(h, WALK_INDIRECT, 0, 1, 0));
	ck_assert_uint_eq(visit(block(f + 4, WALK_INDIRECT, 0, 1, 0)), root);
	/* into a frame from before the first record: a new root */
	uint32_t outer = visit(block(g + 16, WALK_FALL, 0, 0, 0));
	ck_assert_uint_eq(node_of(outer).parent, STACK_NOBODY);
	ck_assert_uint_eq(node_of(outer).entry, g);
	ck_assert_uint_eq(stack_counts(stack)->unmatched, 1);
	ck_assert_uint_eq(stack_counts(stack)->astray, 0);
}
END_TEST

START_TEST(traps_return_to_the_interrupted)
{
	uint32_t node;
	ck_assert_int_eq(stack_begin(stack, f, STACK_UNRELATED, 1), STACK_OK);
	uint32_t root = visit(block(f, WALK_FALL, 0, 0, 0));
	struct walk_block cut = block(f + 4, WALK_FALL, 0, 0, 0);
	const struct walk_visit last = {.block = &cut, .count = 1, .outcome = -1, .last = true, .reason = TRACE_TRAP};
	ck_assert_int_eq(stack_visit(stack, &last, &node), STACK_OK);
	ck_assert_int_eq(stack_begin(stack, g, STACK_FOLLOWS, 1), STACK_OK);
	uint32_t handler = visit(block(g, WALK_JUMP, 1, 0, h));
	ck_assert_uint_eq(node_of(handler).kind, STACK_TRAP);
	ck_assert_uint_eq(node_of(handler).parent, root);
	ck_assert_uint_eq(node_of(handler).site, f + 8);
	visit(block(h, WALK_RET, 0, 0, 0));
	ck_assert_int_eq(stack_begin(stack, f + 8, STACK_FOLLOWS, 1), STACK_OK);
	ck_assert_uint_eq(visit(block(f + 8, WALK_FALL, 0, 0, 0)), root);
}
END_TEST

/* Two stacks: a return that leaves a call behind it is told, by a function or by a handler that goes on elsewhere. */
START_TEST(another_stack_is_told)
{
	uint32_t node;
	ck_assert_int_eq(stack_begin(stack, f, STACK_UNRELATED, 1), STACK_OK);
	visit(block(f, WALK_JUMP, 1, 0, g));
	visit(block(g, WALK_INDIRECT, 0, 1, 0)); /* returns into h, which nobody of this stack called */
	ck_assert_uint_eq(node_of(visit(block(h + 8, WALK_FALL, 0, 0, 0))).entry, h);
	ck_assert_uint_eq(stack_counts(stack)->astray, 1);
	struct walk_block cut = block(h + 12, WALK_FALL, 0, 0, 0);
	const struct walk_visit last = {.block = &cut, .count = 1, .outcome = -1, .last = true, .reason = TRACE_TRAP};
	ck_assert_int_eq(stack_visit(stack, &last, &node), STACK_OK);
	ck_assert_int_eq(stack_begin(stack, g, STACK_FOLLOWS, 1), STACK_OK);
	visit(block(g, WALK_RET, 0, 0, 0)); /* a scheduler: f goes on */
	ck_assert_int_eq(stack_begin(stack, f + 8, STACK_FOLLOWS, 1), STACK_OK);
	ck_assert_uint_eq(node_of(visit(block(f + 8, WALK_FALL, 0, 0, 0))).entry, f);
	ck_assert_uint_eq(stack_counts(stack)->astray, 2);
}
END_TEST

/* An interrupt between a call and the first instruction of what is called, and one in code that fell through into
 * another symbol. */
START_TEST(a_trap_behind_a_transfer_loses_no_frame)
{
	uint32_t node;
	ck_assert_int_eq(stack_begin(stack, f, STACK_UNRELATED, 1), STACK_OK);
	uint32_t root = visit(block(f, WALK_FALL, 0, 0, 0));
	struct walk_block call = block(f + 4, WALK_JUMP, 1, 0, g);
	const struct walk_visit behind = {
	    .block = &call, .count = 1, .outcome = -1, .last = true, .reason = TRACE_TRAP};
	ck_assert_int_eq(stack_visit(stack, &behind, &node), STACK_OK);
	ck_assert_int_eq(stack_begin(stack, h, STACK_FOLLOWS, 1), STACK_OK);
	visit(block(h, WALK_RET, 0, 0, 0));
	ck_assert_int_eq(stack_begin(stack, g, STACK_FOLLOWS, 1), STACK_OK);
	visit(block(g, WALK_INDIRECT, 0, 1, 0));
	ck_assert_uint_eq(visit(block(f + 8, WALK_FALL, 0, 0, 0)), root);
	struct walk_block fell = block(g + 4, WALK_FALL, 0, 0, 0);
	const struct walk_visit inside = {
	    .block = &fell, .count = 1, .outcome = -1, .last = true, .reason = TRACE_TRAP};
	ck_assert_int_eq(stack_visit(stack, &inside, &node), STACK_OK);
	ck_assert_int_eq(stack_begin(stack, h, STACK_FOLLOWS, 1), STACK_OK);
	visit(block(h, WALK_RET, 0, 0, 0));
	ck_assert_int_eq(stack_begin(stack, g + 8, STACK_FOLLOWS, 1), STACK_OK);
	ck_assert_uint_eq(visit(block(g + 8, WALK_FALL, 0, 0, 0)), root);
	ck_assert_uint_eq(stack_counts(stack)->astray, 0);
}
END_TEST

START_TEST(resumes_in_the_newest_frame_of_the_function)
{
	ck_assert_int_eq(stack_begin(stack, f, STACK_UNRELATED, 1), STACK_OK);
	uint32_t root = visit(block(f, WALK_JUMP, 1, 0, g));
	uint32_t inner = visit(block(g, WALK_JUMP, 1, 0, h));
	visit(block(h, WALK_FALL, 0, 0, 0));
	ck_assert_int_eq(stack_begin(stack, g + 4, STACK_RESUMES, 1), STACK_OK);
	ck_assert_uint_eq(visit(block(g + 4, WALK_INDIRECT, 0, 1, 0)), inner);
	ck_assert_uint_eq(visit(block(f + 4, WALK_FALL, 0, 0, 0)), root);
	ck_assert_uint_eq(stack_counts(stack)->resumed, 1);
}
END_TEST

START_TEST(recursion_is_folded)
{
	size_t count;
	ck_assert_int_eq(stack_begin(stack, f, STACK_UNRELATED, 1), STACK_OK);
	visit(block(f, WALK_JUMP, 1, 0, g));
	for (uint32_t i = 0; i < STACK_NODES_MAX + 5000; i++)
		visit(block(g, WALK_JUMP, 1, 0, g));
	stack_nodes(stack, &count);
	ck_assert_uint_le(count, STACK_LEVELS_MAX + 2);
	ck_assert_uint_ge(count, STACK_LEVELS_MAX);
	ck_assert_uint_eq(stack_counts(stack)->folded, STACK_NODES_MAX + 5000 - STACK_LEVELS_MAX);
	visit(block(g, WALK_INDIRECT, 0, 1, 0));
	for (uint32_t i = 0; i < STACK_NODES_MAX + 5000; i++) /* every frame is still returned from */
		visit(block(g + 4, WALK_INDIRECT, 0, 1, 0));
	ck_assert_uint_eq(stack_counts(stack)->unmatched, 0);
	ck_assert_uint_eq(node_of(visit(block(f + 4, WALK_FALL, 0, 0, 0))).kind, STACK_ROOT);
}
END_TEST

/* ---- whole programs ---- */

struct replay {
	const struct oracle *oracle;
	size_t at;       /* in the oracle's instructions */
	int64_t outside; /* oracle's depth of the outermost known frame */
	uint64_t unmatched, compared, elsewhere;
};

static unsigned calls_above(uint32_t index)
{
	unsigned depth = 0;
	for (; index != STACK_NOBODY; index = node_of(index).parent)
		depth += node_of(index).kind == STACK_CALL;
	return depth;
}

static int on_visit(void *context, const struct walk_visit *v)
{
	struct replay *r = context;
	uint32_t node;
	uint64_t start = 0, pcs[WALK_BLOCK_HALVES];
	if (stack_visit(stack, v, &node) != STACK_OK)
		ck_abort_msg("out of memory");
	unsigned depth = calls_above(node);
	if (stack_counts(stack)->unmatched != r->unmatched || r->at == 0) {
		r->unmatched = stack_counts(stack)->unmatched;
		r->outside = (int64_t)r->oracle->insns[r->at].depth - depth;
	}
	walk_block_pcs(v->block, v->count, pcs);
	for (uint32_t i = 0; i < v->count; i++, r->at++) {
		const struct oracle_insn *insn = &r->oracle->insns[r->at];
		if (r->at >= r->oracle->insn_count || pcs[i] != insn->pc || (int64_t)insn->depth != depth + r->outside)
			ck_abort_msg("instruction %zu at %08" PRIx64 ": depth %u + %d, the stack pointer says %u",
			    r->at, pcs[i], depth, (int)r->outside, insn->depth);
	}
	/* the context's function is the one that the code stands in; libgcc's helpers fall into each other */
	const char *name = image_function(image, v->block->start, &start);
	if (name == NULL ||
	    (strncmp(name, "__riscv_", 8) != 0 && strstr(name, ".cold") == NULL && node_of(node).entry != start))
		ck_abort_msg("%s at %08" PRIx64 " is not in its context", name, v->block->start);
	r->compared += v->count;
	return 0;
}

static const char *const programs[] = {"qsort", "json", "regex", "printf", "interp"};
static const char *const ctrls[] = {"ctrl=0", "ctrl=2", "ctrl=0x10", "ctrl=0", "ctrl=0"};

START_TEST(programs_against_the_stack_pointer)
{
	char path[256], detail[512];
	snprintf(path, sizeof path, SW "/%s.elf", programs[_i]);
	teardown();
	ck_assert_msg(image_open(&image, path, detail, sizeof detail) == IMAGE_OK, "%s", detail);
	ck_assert_int_eq(stack_open(&stack, image), STACK_OK);
	struct oracle *o = oracle_run(path, ctrls[_i]);
	struct replay r = {.oracle = o};
	struct walk *walk;
	const struct walk_config config = {.hist = o->hist, .ctrl = o->ctrl, .insn_bits = 16};
	ck_assert_int_eq(walk_open(&walk, image, &config), WALK_OK);
	for (size_t i = 0; i < o->record_count; i++) {
		const struct record *record = &o->records[i];
		for (unsigned k = 0; k < record->count; k++) {
			ck_assert_int_eq(stack_begin(stack, (uint32_t)record->start,
					     i + k == 0 ? STACK_UNRELATED : STACK_FOLLOWS, 1),
			    STACK_OK);
			ck_assert_int_eq(walk_record(walk, record, on_visit, &r, NULL), WALK_OK);
		}
	}
	ck_assert_uint_eq(r.at, o->insn_count);
	ck_assert_uint_gt(r.compared, 500000);
	ck_assert_uint_le(r.unmatched, 2); /* out of trace_start() */
	ck_assert_uint_eq(stack_counts(stack)->folded, 0);
	walk_close(walk);
	oracle_free(o);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("stack");
	TCase *tcase = tcase_create("stack");
	tcase_add_checked_fixture(tcase, setup, teardown);
	tcase_add_test(tcase, mutual_tail_calls);
	tcase_add_test(tcase, call_and_return);
	tcase_add_test(tcase, context_goes_on_in_the_next_record);
	tcase_add_test(tcase, tail_calls_share_the_return);
	tcase_add_test(tcase, return_over_several_frames);
	tcase_add_test(tcase, traps_return_to_the_interrupted);
	tcase_add_test(tcase, another_stack_is_told);
	tcase_add_test(tcase, a_trap_behind_a_transfer_loses_no_frame);
	tcase_add_test(tcase, resumes_in_the_newest_frame_of_the_function);
	tcase_add_test(tcase, recursion_is_folded);
	tcase_add_loop_test(tcase, programs_against_the_stack_pointer, 0, (int)(sizeof programs / sizeof *programs));
	suite_add_tcase(suite, tcase);
	return suite_finish(suite);
}
