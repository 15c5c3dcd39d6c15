/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* host/view: single calls from visits, and the document inside the page. */
#include <check.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>
#include "host/view/calls.h"
#include "host/view/delta.h"
#include "host/view/view.h"
#include "tests/suite.h"

/* Contexts: main, f called by main at 0x10, g called by f at 0x20, f called by g at 0x30 (recursion). */
static struct stack_node nodes[] = {
    {0},
    {.parent = STACK_NOBODY, .entry = 0x100, .level = 0, .entered = 1, .kind = STACK_ROOT},
    {.parent = 1, .site = 0x10, .entry = 0x200, .level = 1, .kind = STACK_CALL},
    {.parent = 2, .site = 0x20, .entry = 0x300, .level = 2, .kind = STACK_CALL},
    {.parent = 3, .site = 0x30, .entry = 0x200, .level = 3, .kind = STACK_CALL},
};

static void visit(struct calls *calls, uint32_t node, uint64_t cycles)
{
	const struct gather_visit visit = {.nodes = nodes, .node = node, .insns = 1, .cycles = cycles};
	ck_assert_int_eq(calls_visit(calls, &visit), 0);
}
static void enter(struct calls *calls, uint32_t node, uint64_t cycles)
{
	nodes[node].entered++;
	visit(calls, node, cycles);
}

START_TEST(each_call_is_one)
{
	struct calls *calls;
	ck_assert_int_eq(calls_open(&calls, 100, true), CALLS_OK);
	visit(calls, 1, 5);
	enter(calls, 2, 10); /* f: 10 + 7 self, g 20 in it */
	enter(calls, 3, 20);
	visit(calls, 2, 7);
	visit(calls, 1, 5);
	enter(calls, 2, 3); /* f once more, short */
	enter(calls, 2, 1); /* and again, without anything of main between */
	visit(calls, 1, 2);
	ck_assert_int_eq(calls_finish(calls), CALLS_OK);
	ck_assert_uint_eq(calls->length, 53);
	ck_assert_uint_eq(calls->all, 5);
	ck_assert_uint_eq(calls->span_count, 5);
	const struct call_edge *f = calls_edge(calls, 0x10, 0x200), *g = calls_edge(calls, 0x20, 0x300);
	ck_assert_ptr_nonnull(f);
	ck_assert_ptr_nonnull(g);
	ck_assert_ptr_null(calls_edge(calls, 0x10, 0x300));
	ck_assert_uint_eq(f->count, 3);
	ck_assert_uint_eq(f->least, 1);
	ck_assert_uint_eq(f->most, 37);
	ck_assert_uint_eq(f->self_least, 1);
	ck_assert_uint_eq(f->self_most, 17);
	ck_assert_uint_eq(f->buckets[1], 1); /* 1 */
	ck_assert_uint_eq(f->buckets[2], 1); /* 2 to 3 */
	ck_assert_uint_eq(f->buckets[6], 1); /* 32 to 63 */
	ck_assert_uint_eq(g->count, 1);
	ck_assert_uint_eq(g->least, 20);
	ck_assert_uint_eq(calls->spans[0].entry, 0x100);
	ck_assert_uint_eq(calls->spans[0].length, 53);
	ck_assert_uint_eq(calls->spans[1].begin, 5);
	ck_assert_uint_eq(calls->spans[2].depth, 2);
	calls_close(calls);
}
END_TEST

/* Down three frames at once, and back to the first: what was jumped over begins and ends too. */
START_TEST(frames_that_are_jumped_over)
{
	struct calls *calls;
	ck_assert_int_eq(calls_open(&calls, 100, false), CALLS_OK);
	visit(calls, 4, 0);
	visit(calls, 1, 0);
	ck_assert_int_eq(calls_finish(calls), CALLS_OK);
	ck_assert_uint_eq(calls->all, 4);
	ck_assert_uint_eq(calls->length, 2); /* instructions */
	ck_assert_uint_eq(calls_edge(calls, 0x30, 0x200)->most, 1);
	calls_close(calls);
}
END_TEST

START_TEST(the_longest_are_kept)
{
	struct calls *calls;
	ck_assert_int_eq(calls_open(&calls, 16, true), CALLS_OK);
	visit(calls, 1, 1);
	for (uint64_t i = 0; i < 1000; i++) {
		enter(calls, 2, i % 100 == 0 ? 5000 : 1 + i % 7);
		visit(calls, 1, 1);
	}
	ck_assert_int_eq(calls_finish(calls), CALLS_OK);
	ck_assert_uint_eq(calls->all, 1001);
	ck_assert_uint_le(calls->span_count, 16);
	ck_assert_uint_gt(calls->shortest, 0);
	size_t large = 0;
	for (size_t i = 0; i < calls->span_count; i++) {
		ck_assert_uint_ge(calls->spans[i].length, calls->shortest);
		ck_assert(i == 0 || calls->spans[i].begin >= calls->spans[i - 1].begin);
		large += calls->spans[i].length >= 5000;
	}
	ck_assert_uint_eq(large, 11); /* ten, and main */
	ck_assert_uint_eq(calls_edge(calls, 0x10, 0x200)->count, 1000);
	calls_close(calls);
}
END_TEST

START_TEST(processes_have_frames_of_their_own)
{
	struct calls *calls;
	ck_assert_int_eq(calls_open(&calls, 100, true), CALLS_OK);
	for (uint32_t i = 0; i < 4; i++) {
		const struct gather_visit one = {.nodes = nodes, .node = 1, .process = i % 2, .insns = 1, .cycles = 10};
		ck_assert_int_eq(calls_visit(calls, &one), 0);
	}
	ck_assert_int_eq(calls_finish(calls), CALLS_OK);
	ck_assert_uint_eq(calls->span_count, 4);
	ck_assert_uint_eq(calls->spans[0].process, 0);
	ck_assert_uint_eq(calls->spans[3].process, 1);
	calls_close(calls);
}
END_TEST

/* Harts that ran at the same time: each by the clock of its records, with what it left out. */
START_TEST(harts_ran_together)
{
	static const struct {
		uint32_t process, node;
		uint64_t time, cycles;
	} visits[] = {{0, 1, 5010, 10}, {0, 1, 5021, 10}, {0, 1, 9000, 10}, {1, 1, 4030, 30}};
	struct calls *calls;
	ck_assert_int_eq(calls_open(&calls, 100, true), CALLS_OK);
	calls->together = true;
	for (size_t i = 0; i < sizeof visits / sizeof *visits; i++) {
		const struct gather_visit one = {.nodes = nodes,
		    .node = visits[i].node,
		    .process = visits[i].process,
		    .time = visits[i].time,
		    .insns = 1,
		    .cycles = visits[i].cycles};
		ck_assert_int_eq(calls_visit(calls, &one), 0);
	}
	ck_assert_int_eq(calls_finish(calls), CALLS_OK);
	ck_assert_uint_eq(calls->span_count, 2);
	ck_assert_uint_eq(calls->spans[0].begin, 5000);
	ck_assert_uint_eq(calls->spans[0].length, 4000); /* it waited long in between */
	ck_assert_uint_eq(calls->spans[1].process, 1);
	ck_assert_uint_eq(calls->spans[1].begin, 4000);
	ck_assert_uint_eq(calls->spans[1].length, 30);
	ck_assert_uint_eq(calls->length, 9000);
	calls_close(calls);
}
END_TEST

static char *page_with(const char *page, bool packed, const char *document, int *error)
{
	const struct view_template template = {page, strlen(page)};
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);
	*error = view_page(&template, packed, &(struct view_document){document, strlen(document), NULL, 0}, out);
	fclose(out);
	return text;
}

START_TEST(no_name_ends_the_element)
{
	int error;
	char *text =
	    page_with("<script id=data>@RIVULET_DATA@</script>", false, "{\"a\":\"</script><!--<script>\"}", &error);
	ck_assert_int_eq(error, VIEW_OK);
	ck_assert_str_eq(text, "<script id=data>{\"a\":\"\\u003c/script>\\u003c!--\\u003cscript>\"}</script>");
	free(text);
	text = page_with("a@RIVULET@RIVULET_DATA@b", false, "", &error);
	ck_assert_str_eq(text, "a@RIVULETb");
	free(text);
	text = page_with("@RIVULET_DATA", true, "{}", &error);
	ck_assert_int_eq(error, VIEW_ETEMPLATE);
	ck_assert_str_eq(text, "");
	free(text);
}
END_TEST

/* Groups of four digits, by what a base64 digit stands for; =: nothing. */
static size_t decode_base64(const char *text, unsigned char *bytes)
{
	static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	size_t count = 0;
	uint32_t bits = 0;
	unsigned held = 0;
	for (; *text != '\0' && *text != '='; text++) {
		const char *digit = strchr(digits, *text);
		ck_assert_ptr_nonnull(digit);
		bits = bits << 6 | (uint32_t)(digit - digits);
		held += 6;
		if (held >= 8)
			bytes[count++] = (unsigned char)(bits >> (held -= 8));
	}
	return count;
}

/* zlib reads back each byte of a document, of any length, and nothing but digits of base64 stands in the page. */
START_TEST(a_packed_document_is_read_back)
{
	static const size_t sizes[] = {0, 1, 2, 3, 4, 3071, 3072, 3073, 300000};
	for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
		char *document = malloc(sizes[k] + 1), *back = malloc(sizes[k] + 1);
		uint32_t random = 1;
		for (size_t i = 0; i < sizes[k]; i++) {
			random = random * 1103515245u + 12345u;
			document[i] = (char)('!' + (random >> 16) % 90);
		}
		document[sizes[k]] = '\0';
		int error;
		char *text = page_with("@RIVULET_DATA@", true, document, &error);
		ck_assert_int_eq(error, VIEW_OK);
		ck_assert_uint_eq(strlen(text) % 4, 0);
		ck_assert_int_eq(strncmp(text, "H4sI", 4), 0); /* by which the page knows it */
		unsigned char *zip = malloc(strlen(text) + 1);
		z_stream stream = {.next_in = zip, .avail_in = (uInt)decode_base64(text, zip)};
		stream.next_out = (unsigned char *)back;
		stream.avail_out = (uInt)sizes[k] + 1;
		ck_assert_int_eq(inflateInit2(&stream, 15 + 16), Z_OK);
		ck_assert_int_eq(inflate(&stream, Z_FINISH), Z_STREAM_END);
		ck_assert_uint_eq(stream.total_out, sizes[k]);
		ck_assert_mem_eq(back, document, sizes[k]);
		inflateEnd(&stream);
		free(zip);
		free(text);
		free(back);
		free(document);
	}
}
END_TEST

/* Before, after, what the delta has for the one profile; NULL: there is none, the whole document is sent. Each is
 * long: a delta is worth it if it is less than half. */
#define LONG_ROWS                                                                                                      \
	"1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37"
#define DIGITS "01234567890123456789012345678901234567890123456789"
#define LONG "\"x\":\"" DIGITS DIGITS "\""
static const struct {
	const char *before, *after, *delta;
} deltas[] = {
    {"{" LONG ",\"n\":1}", "{" LONG ",\"n\":1}", "{}"},
    {"{" LONG ",\"n\":1}", "{" LONG ",\"n\":2}", "{\"n\":2}"},
    {"{" LONG ",\"n\":1}", "{" LONG ",\"m\":1}", "{\"m\":1,\"gone\":[\"n\"]}"},
    {"{" LONG ",\"t\":{\"a\":[1,2,3,4,5,6,7,8,9,10,11,12,13]}}",
	"{" LONG ",\"t\":{\"a\":[1,2,3,4,9,6,7,8,9,10,11,0,13]}}", "{\"t\":{\"a\":{\"patch\":[[4,9],[11,0]]}}}"},
    {"{" LONG ",\"t\":{\"a\":[1,2,3,4,5,6,7,8,9,10,11,12]}}",
	"{" LONG ",\"t\":{\"a\":[1,2,3,4,5,6,7,8,9,10,11,12,13,14]}}", "{\"t\":{\"a\":{\"patch\":[[12,13,14]]}}}"},
    {"{" LONG ",\"t\":{\"a\":[1,2,3]}}", "{" LONG ",\"t\":{\"a\":[1,2]}}", "{\"t\":{\"a\":[1,2]}}"}, /* shorter */
    {"{" LONG ",\"t\":{\"a\":[\"]}\\\"\",\"b\",\"c\",\"d\",\"e\"]}}",
	"{" LONG ",\"t\":{\"a\":[\"]}\\\"\",\"b\",\",\",\"d\",\"e\"]}}", "{\"t\":{\"a\":{\"patch\":[[2,\",\"]]}}}"},
    {"{" LONG ",\"t\":{\"a\":[[1,2],[3,4],[],[5,6],[7,8]],\"b\":[1]}}",
	"{" LONG ",\"t\":{\"a\":[[1,2],[3,5],[],[5,6],[7,8]]}}",
	"{\"t\":{\"a\":{\"patch\":[[1,[3,5]]]},\"gone\":[\"b\"]}}"},
    {"{" LONG ",\"n\":1}", "{\"yy\":[" LONG_ROWS "],\"n\":1}", NULL}, /* all of it is another one */
    {"{" LONG "},{" LONG "}", "{" LONG "}", NULL},                    /* fewer profiles */
    {"{" LONG "}", "{" LONG "},{" LONG "}", NULL},
};

START_TEST(a_delta_has_what_changed)
{
	static const char begin[] = "{\"format\":\"rivulet view\",\"version\":1,\"live\":true,\"profiles\":[\n",
			  end[] = "]}\n";
	char before[1024], after[1024], wanted[1024], *got = NULL;
	size_t size = 0;
	snprintf(before, sizeof before, "%s%s%s", begin, deltas[_i].before, end);
	snprintf(after, sizeof after, "%s%s%s", begin, deltas[_i].after, end);
	FILE *out = open_memstream(&got, &size);
	const bool made =
	    delta_write(&(struct delta_text){before, strlen(before)}, &(struct delta_text){after, strlen(after)}, out);
	ck_assert_int_eq(fclose(out), 0);
	ck_assert_int_eq(made, deltas[_i].delta != NULL);
	snprintf(wanted, sizeof wanted, "{\"format\":\"rivulet view delta\",\"version\":1,\"profiles\":[%s]}\n",
	    made ? deltas[_i].delta : "");
	ck_assert_str_eq(got, made ? wanted : "");
	free(got);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("view");
	TCase *cases = tcase_create("view");
	tcase_add_test(cases, each_call_is_one);
	tcase_add_test(cases, frames_that_are_jumped_over);
	tcase_add_test(cases, the_longest_are_kept);
	tcase_add_test(cases, processes_have_frames_of_their_own);
	tcase_add_test(cases, harts_ran_together);
	tcase_add_test(cases, no_name_ends_the_element);
	tcase_add_test(cases, a_packed_document_is_read_back);
	tcase_add_loop_test(cases, a_delta_has_what_changed, 0, (int)(sizeof deltas / sizeof *deltas));
	suite_add_tcase(suite, cases);
	return suite_finish(suite);
}
