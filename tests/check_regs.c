/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* The register table and the eight committed texts made from it. Run from the top of the repository. */
#include "regs/table.h"
#include "common/rivulet_regs.h"
#include "tests/suite.h"

#include <check.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct {
	const char *path;
	void (*write)(FILE *);
} texts[] = {
    {"rtl/trace/rivulet_regs.vh", regs_write_verilog},
    {"rtl/trace/rivulet_reg_bits.vh", regs_write_bits},
    {"rtl/trace/rivulet_reg_values.vh", regs_write_values},
    {"rtl/trace/rivulet_reg_lanes.vh", regs_write_lanes},
    {"model/trace/reg_bits.c", regs_write_model},
    {"common/rivulet_regs.h", regs_write_c},
    {"docs/rivulet.svd", regs_write_svd},
    {"docs/registers.md", regs_write_manual},
};
enum { VERILOG, BITS, VALUES, LANES, MODEL, C, SVD, MANUAL, TEXTS };

/* Caller frees. */
static char *made(int which)
{
	char *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);
	ck_assert_ptr_nonnull(out);
	texts[which].write(out);
	ck_assert_int_eq(fclose(out), 0);
	return text;
}

static uint32_t field_mask(const struct reg_field *field)
{
	uint32_t bits = 0;
	for (unsigned i = 0; i < field->width; i++)
		bits |= UINT32_C(1) << (field->lsb + i);
	return bits;
}

static const struct reg_row *row_of(const char *name)
{
	for (size_t i = 0; i < reg_row_count; i++)
		if (!strcmp(reg_rows[i].name, name))
			return &reg_rows[i];
	return NULL;
}

/* ---------------------------------------------------------------- the table */

static bool is_identifier(const char *name)
{
	if (*name < 'A' || *name > 'Z')
		return false;
	for (; *name; name++)
		if (!(*name >= 'A' && *name <= 'Z') && !(*name >= '0' && *name <= '9') && *name != '_')
			return false;
	return true;
}

START_TEST(rows)
{
	ck_assert_uint_gt(reg_row_count, 0);
	for (size_t i = 0; i < reg_row_count; i++) {
		const struct reg_row *r = &reg_rows[i];
		ck_assert_msg(is_identifier(r->name), "%s is not a name", r->name);
		/* CSR numbers 0x7C0..0x7FF are 64 */
		ck_assert_msg(r->index < 64, "%s: index %u", r->name, r->index);
		ck_assert_msg(!strcmp(r->access, "RO") || !strcmp(r->access, "RW") || !strcmp(r->access, "WO") ||
				  !strcmp(r->access, "W1C"),
		    "%s: access %s", r->name, r->access);
		ck_assert_msg(*r->present && *r->text, "%s is not described", r->name);
		ck_assert_msg(
		    !strchr(r->present, '|') && !strchr(r->text, '|'), "%s breaks the manual's table", r->name);
		for (size_t j = 0; j < i; j++) {
			ck_assert_msg(strcmp(r->name, reg_rows[j].name), "two registers %s", r->name);
			ck_assert_msg(r->index > reg_rows[j].index, "%s: index %u is not above that of %s", r->name,
			    r->index, reg_rows[j].name);
		}
	}
}
END_TEST

START_TEST(fields)
{
	for (size_t i = 0; i < reg_field_count; i++) {
		const struct reg_field *f = &reg_fields[i];
		const struct reg_row *r = row_of(f->reg);
		ck_assert_msg(r != NULL, "field %s of no register %s", f->name, f->reg);
		ck_assert_msg(is_identifier(f->name), "%s.%s is not a name", f->reg, f->name);
		ck_assert_msg(f->width >= 1 && f->lsb + f->width <= 32, "%s.%s does not fit", f->reg, f->name);
		ck_assert_msg(*f->text && !strchr(f->text, '|'), "%s.%s: text", f->reg, f->name);
		/* a field can do what its register can: RO fields anywhere, others as the register */
		ck_assert_msg(!strcmp(f->access, "RO") || !strcmp(f->access, r->access),
		    "%s.%s: access %s in a register with %s", f->reg, f->name, f->access, r->access);
		for (size_t j = 0; j < i; j++) {
			const struct reg_field *g = &reg_fields[j];
			if (strcmp(f->reg, g->reg))
				continue;
			ck_assert_msg(strcmp(f->name, g->name), "two fields %s.%s", f->reg, f->name);
			ck_assert_msg(!(field_mask(f) & field_mask(g)), "%s.%s overlaps %s", f->reg, f->name, g->name);
		}
	}
	/* the fields stand behind their register */
	size_t at = 0;
	for (size_t i = 0; i < reg_row_count; i++)
		while (at < reg_field_count && !strcmp(reg_fields[at].reg, reg_rows[i].name))
			at++;
	ck_assert_uint_eq(at, reg_field_count);
}
END_TEST

/* Reset values lie in fields, and STATUS and IE speak of the same conditions. */
START_TEST(resets)
{
	for (size_t i = 0; i < reg_row_count; i++) {
		uint32_t bits = 0;
		for (size_t j = 0; j < reg_field_count; j++)
			if (!strcmp(reg_fields[j].reg, reg_rows[i].name))
				bits |= field_mask(&reg_fields[j]);
		if (bits)
			ck_assert_msg(
			    !(reg_rows[i].reset & ~bits), "%s: reset value outside its fields", reg_rows[i].name);
	}
	uint32_t conditions = RV_STATUS_NONEMPTY_MASK | RV_STATUS_WATERMARK_MASK | RV_STATUS_FULL_MASK |
			      RV_STATUS_SAMPLE_MASK | RV_STATUS_LOST_MASK;
	ck_assert_uint_eq(conditions, RV_CTRL_IE_MASK >> RV_CTRL_IE_LSB);
}
END_TEST

/* With either buffer every register that can be read is in one lane; REC_* of a FIFO are in its memory. */
START_TEST(lanes)
{
	for (size_t i = 0; i < reg_row_count; i++) {
		const struct reg_row *r = &reg_rows[i];
		unsigned found[3] = {0};
		for (size_t k = 0; k < reg_lane_count; k++)
			if (!strcmp(reg_lanes[k].a, r->name) || !strcmp(reg_lanes[k].b, r->name))
				found[reg_lanes[k].buffer]++;
		unsigned read = strcmp(r->access, "WO") != 0, stored = !strncmp(r->name, "REC_", 4);
		ck_assert_msg(found[REG_LAST] + found[REG_ANY] == read, "%s: in %u lanes with FIFO_DEPTH 0", r->name,
		    found[REG_LAST] + found[REG_ANY]);
		ck_assert_msg(found[REG_FIFO] + found[REG_ANY] == (read && !stored), "%s: in %u lanes with a FIFO",
		    r->name, found[REG_FIFO] + found[REG_ANY]);
	}
	for (size_t k = 0; k < reg_lane_count; k++) {
		ck_assert_msg(row_of(reg_lanes[k].a) != NULL, "a lane of %s", reg_lanes[k].a);
		ck_assert_msg(
		    !strcmp(reg_lanes[k].b, "NONE") || row_of(reg_lanes[k].b) != NULL, "a lane of %s", reg_lanes[k].b);
	}
}
END_TEST

/* Ranges are addressed by arithmetic in the RTL and the model: LO, LO_HI, HI, HI_HI, four words each. */
START_TEST(range_layout)
{
	static const char *const parts[] = {"LO", "LO_HI", "HI", "HI_HI"};
	for (unsigned word = 0; word < 16; word++) {
		char name[16];
		snprintf(name, sizeof name, "RANGE%u_%s", word / 4, parts[word % 4]);
		const struct reg_row *r = row_of(name);
		ck_assert_msg(r != NULL, "no %s", name);
		ck_assert_uint_eq(r->index, RV_REG_RANGE0_LO + word);
	}
}
END_TEST

/* ---------------------------------------------------------------- the texts */

START_TEST(committed)
{
	char *want = made(_i);
	FILE *in = fopen(texts[_i].path, "rb");
	ck_assert_msg(in != NULL, "%s cannot be opened: run this from the top of the repository", texts[_i].path);
	unsigned line = 1;
	for (const char *at = want;; at++) {
		int c = fgetc(in);
		int expected = *at ? (unsigned char)*at : EOF;
		ck_assert_msg(c == expected, "%s, line %u is not what regs/trace_regs.def gives: run `make regs`",
		    texts[_i].path, line);
		if (c == EOF)
			break;
		line += c == '\n';
	}
	fclose(in);
	free(want);
}
END_TEST

/* The C header says what the table says: its macros, as the compiler sees them, against the table, as the compiler sees
 * it. */
START_TEST(c_header)
{
#define REG(name, index, access, reset, present, bits, text)                                                           \
	ck_assert_uint_eq(RV_REG_##name, index);                                                                       \
	ck_assert_uint_eq(RV_CSR_##name, 0x7C0 + index);                                                               \
	ck_assert_uint_eq(RV_##name##_RESET, reset);
#define FIELD(reg, name, lsb, width, access, bits, text)                                                               \
	ck_assert_uint_eq(RV_##reg##_##name##_LSB, lsb);                                                               \
	ck_assert_uint_eq(RV_##reg##_##name##_W, width);                                                               \
	ck_assert_uint_eq(RV_##reg##_##name##_MASK, (0xFFFFFFFFu >> (32 - width)) << lsb);
#include "regs/trace_regs.def"
#undef REG
#undef FIELD
	ck_assert_uint_eq(RV_MAGIC, RV_ID_RESET >> RV_ID_MAGIC_LSB);
	ck_assert_uint_eq(RV_VERSION, RV_ID_RESET & RV_ID_VERSION_MASK);
}
END_TEST

static void has(const char *text, const char *what)
{
	const char *at = strstr(text, what);
	ck_assert_msg(at != NULL, "missing: %s", what);
	ck_assert_msg(!strstr(at + 1, what), "twice: %s", what);
}

START_TEST(verilog_header)
{
	char *text = made(VERILOG), line[160];
	for (size_t i = 0; i < reg_row_count; i++) {
		const struct reg_row *r = &reg_rows[i];
		snprintf(line, sizeof line, "\nlocalparam [5:0] RV_REG_%s = 6'd%u;\n", r->name, r->index);
		has(text, line);
		if (r->reset) {
			snprintf(line, sizeof line, "\nlocalparam [31:0] RV_%s_RESET = 32'h%08lX;\n", r->name,
			    (unsigned long)r->reset);
			has(text, line);
		}
	}
	for (size_t i = 0; i < reg_field_count; i++) {
		const struct reg_field *f = &reg_fields[i];
		snprintf(line, sizeof line, "\nlocalparam RV_%s_%s_LSB = %u, RV_%s_%s_W = %u;\n", f->reg, f->name,
		    f->lsb, f->reg, f->name, f->width);
		has(text, line);
	}
	has(text, "RV_ID_MAGIC = 16'h5254;");
	snprintf(line, sizeof line, "RV_ID_VERSION = 8'd%d;", RIVULET_VERSION_ID);
	has(text, line);
	free(text);
}
END_TEST

/* ---- SVD: elements are closed in order, and each register and field stands there with its numbers */

/* Skips the next tag from *at on; *name is what is in it, without attributes, "/" first if it closes. Returns false at
 * the end. */
static bool next_tag(const char **at, char name[40])
{
	for (;; (*at)++) {
		if (**at == '\0')
			return false;
		if (**at == '&')
			ck_assert_msg(!strncmp(*at, "&lt;", 4) || !strncmp(*at, "&gt;", 4) || !strncmp(*at, "&amp;", 5),
			    "%.20s", *at);
		ck_assert_msg(**at != '>', "a bare > at %.20s", *at);
		if (**at != '<')
			continue;
		const char *end = strchr(*at, '>');
		ck_assert_ptr_nonnull(end);
		const char *from = *at + 1;
		*at = end + 1;
		if (*from == '?' || *from == '!') {
			(*at)--;
			continue;
		}
		size_t length = strcspn(from, " >");
		ck_assert_uint_lt(length, 40);
		memcpy(name, from, length);
		name[length] = '\0';
		return true;
	}
}

START_TEST(svd_well_formed)
{
	char *text = made(SVD), name[40], stack[16][40];
	const char *at = text;
	size_t depth = 0, registers = 0, field_elements = 0;
	while (next_tag(&at, name)) {
		if (name[0] == '/') {
			ck_assert_uint_gt(depth, 0);
			ck_assert_str_eq(name + 1, stack[--depth]);
			continue;
		}
		registers += !strcmp(name, "register");
		field_elements += !strcmp(name, "field");
		ck_assert_uint_lt(depth, 16);
		memcpy(stack[depth++], name, sizeof name);
	}
	ck_assert_uint_eq(depth, 0);
	ck_assert_uint_eq(registers, reg_row_count);
	ck_assert_uint_eq(field_elements, reg_field_count);
	free(text);
}
END_TEST

/* The number in element `tag` behind *at, which is moved to it. */
static unsigned long number(const char **at, const char *tag)
{
	char open[48];
	snprintf(open, sizeof open, "<%s>", tag);
	*at = strstr(*at, open);
	ck_assert_msg(*at != NULL, "no %s", open);
	*at += strlen(open);
	return strtoul(*at, NULL, 0);
}

START_TEST(svd_numbers)
{
	char *text = made(SVD), line[80];
	const char *at = text;
	size_t field = 0;
	for (size_t i = 0; i < reg_row_count; i++) {
		const struct reg_row *r = &reg_rows[i];
		snprintf(line, sizeof line, "<register>\n          <name>%s</name>", r->name);
		has(text, line);
		at = strstr(at, line);
		ck_assert_ptr_nonnull(at);
		ck_assert_uint_eq(number(&at, "addressOffset"), 4 * r->index);
		ck_assert_uint_eq(number(&at, "resetValue"), r->reset);
		uint32_t want = !strcmp(r->name, "ID") ? 0xFFFF00FF : !strcmp(r->name, "CAPS") ? 0 : 0xFFFFFFFF;
		ck_assert_uint_eq(number(&at, "resetMask"), want);
		for (; field < reg_field_count && !strcmp(reg_fields[field].reg, r->name); field++) {
			const struct reg_field *f = &reg_fields[field];
			snprintf(line, sizeof line, "<field>\n              <name>%s</name>", f->name);
			at = strstr(at, line);
			ck_assert_msg(at != NULL, "no field %s.%s", f->reg, f->name);
			ck_assert_uint_eq(number(&at, "bitOffset"), f->lsb);
			ck_assert_uint_eq(number(&at, "bitWidth"), f->width);
		}
	}
	ck_assert_uint_eq(field, reg_field_count);
	free(text);
}
END_TEST

/* ---- manual: a row for each register and field, and drawings whose lines are equally long */

static size_t columns(const char *line)
{
	size_t n = 0;
	for (; *line && *line != '\n'; line++)
		n += ((unsigned char)*line & 0xC0) != 0x80; /* not a continuation byte of UTF-8 */
	return n;
}

START_TEST(manual)
{
	char *text = made(MANUAL), line[160];
	for (size_t i = 0; i < reg_row_count; i++) {
		const struct reg_row *r = &reg_rows[i];
		snprintf(line, sizeof line, "\n| 0x%03X | 0x%02X | %s | %s | 0x%08lX | %s |", 0x7C0 + r->index,
		    4 * r->index, r->name, r->access, (unsigned long)r->reset, r->present);
		has(text, line);
	}
	for (size_t i = 0; i < reg_field_count; i++) {
		const struct reg_field *f = &reg_fields[i];
		snprintf(line, sizeof line, "\n## %s\n", f->reg);
		has(text, line);
		const char *section = strstr(text, line);
		if (f->width == 1)
			snprintf(line, sizeof line, "\n| %u | %s | %s |", f->lsb, f->name, f->access);
		else
			snprintf(line, sizeof line, "\n| %u..%u | %s | %s |", f->lsb + f->width - 1, f->lsb, f->name,
			    f->access);
		const char *row = strstr(section, line), *next = strstr(section + 1, "\n## ");
		ck_assert_msg(row && (!next || row < next), "%s.%s is not in its section", f->reg, f->name);
	}
	size_t drawings = 0;
	for (const char *top = strstr(text, "\n┌"); top; top = strstr(top + 1, "\n┌")) {
		const char *middle = strchr(top + 1, '\n'), *bottom = strchr(middle + 1, '\n');
		ck_assert_int_eq(strncmp(middle, "\n│", strlen("\n│")), 0);
		ck_assert_int_eq(strncmp(bottom, "\n└", strlen("\n└")), 0);
		ck_assert_uint_eq(columns(top + 1), columns(middle + 1));
		ck_assert_uint_eq(columns(top + 1), columns(bottom + 1));
		drawings++;
	}
	size_t described = 0;
	for (size_t i = 0; i < reg_row_count; i++)
		for (size_t j = 0; j < reg_field_count; j++)
			if (!strcmp(reg_fields[j].reg, reg_rows[i].name)) {
				described++;
				break;
			}
	ck_assert_uint_ge(drawings, described);
	ck_assert_ptr_null(strstr(text, " \n"));
	free(text);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("regs");
	TCase *table = tcase_create("table"), *written = tcase_create("texts");
	tcase_add_test(table, rows);
	tcase_add_test(table, fields);
	tcase_add_test(table, resets);
	tcase_add_test(table, lanes);
	tcase_add_test(table, range_layout);
	tcase_add_loop_test(written, committed, 0, TEXTS);
	tcase_add_test(written, c_header);
	tcase_add_test(written, verilog_header);
	tcase_add_test(written, svd_well_formed);
	tcase_add_test(written, svd_numbers);
	tcase_add_test(written, manual);
	suite_add_tcase(suite, table);
	suite_add_tcase(suite, written);
	return suite_finish(suite);
}
