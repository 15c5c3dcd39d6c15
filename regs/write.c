/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#include "regs/table.h"

#include <inttypes.h>
#include <string.h>

#define CSR_BASE 0x7C0u
#define REG_PLACES 64u /* on the register bus */

static const char *const reasons[] = {
#define TRACE_CAUSE(ID, name, cut, behind, end) #ID,
#include "common/reasons.def"
};

/* What freezes the flight recorder: codes from 1 on. */
static const char *const recorder_causes[] = {
#define RECORDER_CAUSE(ID, text) #ID,
#include "common/recorder.def"
};

static uint32_t mask(const struct reg_field *field)
{
	return (uint32_t)(((UINT64_C(1) << field->width) - 1) << field->lsb);
}

static const struct reg_field *find(const char *reg, const char *name)
{
	size_t i = 0;
	while (strcmp(reg_fields[i].reg, reg) || strcmp(reg_fields[i].name, name))
		i++;
	return &reg_fields[i];
}

/* What a constant field of ID reads: its part of the reset value. */
static uint32_t constant(const char *name)
{
	const struct reg_field *field = find("ID", name);
	size_t i = 0;
	while (strcmp(reg_rows[i].name, "ID"))
		i++;
	return (reg_rows[i].reset & mask(field)) >> field->lsb;
}

/* Bits of the reset value that are the same in every unit: ID.HIST and CAPS show what was built in. */
static uint32_t reset_mask(const struct reg_row *row)
{
	if (!strcmp(row->name, "CAPS"))
		return 0;
	return strcmp(row->name, "ID") ? UINT32_MAX : ~mask(find("ID", "HIST"));
}

void regs_write_verilog(FILE *out)
{
	fputs(
	    "// SPDX-License-Identifier: Apache-2.0\n// Copyright 2026 The Rivulet authors\n"
	    "// Made from regs/trace_regs.def by `make regs`. To be included inside a module, which need not use all.\n"
	    "// verilator lint_save\n// verilator lint_off UNUSED\n",
	    out);
	for (size_t i = 0; i < reg_row_count; i++)
		fprintf(out, "localparam [5:0] RV_REG_%s = 6'd%u;\n", reg_rows[i].name, reg_rows[i].index);
	for (size_t i = 0; i < reg_row_count; i++)
		if (reg_rows[i].reset)
			fprintf(out, "localparam [31:0] RV_%s_RESET = 32'h%08" PRIX32 ";\n", reg_rows[i].name,
			    reg_rows[i].reset);
	for (size_t i = 0; i < reg_field_count; i++) {
		const struct reg_field *f = &reg_fields[i];
		fprintf(out, "localparam RV_%s_%s_LSB = %u, RV_%s_%s_W = %u;\n", f->reg, f->name, f->lsb, f->reg,
		    f->name, f->width);
	}
	fprintf(out,
	    "localparam [15:0] RV_ID_MAGIC = 16'h%04" PRIX32 ";\nlocalparam [7:0] RV_ID_VERSION = 8'd%" PRIu32 ";\n",
	    constant("MAGIC"), constant("VERSION"));
	fputs("// REC_INFO.REASON (common/reasons.def)\nlocalparam [3:0] RV_REASON_NONE = 4'd0;\n", out);
	for (unsigned i = 0; i < sizeof reasons / sizeof *reasons; i++)
		fprintf(out, "localparam [3:0] RV_REASON_%s = 4'd%u;\n", reasons[i], i + 1);
	fputs("// RECORDER.CAUSE (common/recorder.def)\nlocalparam [2:0] RV_RECORDER_BY_NOTHING = 3'd0;\n", out);
	for (unsigned i = 0; i < sizeof recorder_causes / sizeof *recorder_causes; i++)
		fprintf(out, "localparam [2:0] RV_RECORDER_BY_%s = 3'd%u;\n", recorder_causes[i], i + 1);
	fputs("// verilator lint_restore\n", out);
}

/* The bits of a register that ever read other than 0, as a term for each field, or for the whole register. */
static void bits_of(FILE *out, const struct reg_row *row)
{
	const char *between = "";
	if (*row->bits)
		fprintf(out, "rv_low(%s)", row->bits);
	for (size_t i = 0; i < reg_field_count && !*row->bits; i++) {
		const struct reg_field *f = &reg_fields[i];
		if (strcmp(f->reg, row->name))
			continue;
		fprintf(out, "%s(rv_low(%s) << %u)", between, f->bits, f->lsb);
		between = " |\n\t";
	}
}

void regs_write_bits(FILE *out)
{
	fputs("// SPDX-License-Identifier: Apache-2.0\n// Copyright 2026 The Rivulet authors\n"
	      "// Made from regs/trace_regs.def by `make regs`. To be included inside a module with the unit's "
	      "parameters:\n"
	      "// which bits of a register ever read other than 0.\n"
	      "// verilator lint_save\n// verilator lint_off UNUSED\n"
	      "function [31:0] rv_low(input integer bits);\n"
	      "\trv_low = bits <= 0 ? 32'd0 : bits >= 32 ? 32'hFFFFFFFF : ~(32'hFFFFFFFF << bits);\n"
	      "endfunction\n",
	    out);
	for (size_t i = 0; i < reg_row_count; i++) {
		fprintf(out, "localparam [31:0] RV_BITS_%s = ", reg_rows[i].name);
		bits_of(out, &reg_rows[i]);
		fputs(";\n", out);
	}
	fputs("// verilator lint_restore\n", out);
}

/* An expression of the unit's parameters, in C: FIFO_DEPTH as c->fifo_depth. */
static void in_c(FILE *out, const char *text)
{
	while (*text) {
		size_t size = strspn(text, "ABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789");
		if (size > 0 && *text >= 'A') {
			fputs("c->", out);
			for (size_t i = 0; i < size; i++)
				fputc(text[i] >= 'A' && text[i] <= 'Z' ? text[i] - 'A' + 'a' : text[i], out);
		} else if (size > 0)
			fwrite(text, 1, size, out);
		else
			fputc(*text, out);
		text += size > 0 ? size : 1;
	}
}

void regs_write_model(FILE *out)
{
	fputs("/* SPDX-License-Identifier: Apache-2.0 */\n/* Copyright 2026 The Rivulet authors */\n"
	      "/* Made from regs/trace_regs.def by `make regs`. */\n"
	      "#include \"model/trace/private.h\"\n\n/* clang-format off */\n"
	      "static uint32_t low(int bits)\n{\n"
	      "\treturn bits <= 0 ? 0 : bits >= 32 ? UINT32_MAX : (UINT32_C(1) << bits) - 1;\n}\n\n"
	      "uint32_t trace_reg_kept(const struct trace_parameters *c, unsigned index)\n{\n\tswitch (index) {\n",
	    out);
	for (size_t i = 0; i < reg_row_count; i++) {
		const struct reg_row *r = &reg_rows[i];
		const char *between = "";
		if (strcmp(r->access, "RW"))
			continue;
		fprintf(out, "\tcase RV_REG_%s:\n\t\treturn ", r->name);
		if (*r->bits) {
			fputs("low(", out);
			in_c(out, r->bits);
			fputc(')', out);
		}
		for (size_t k = 0; k < reg_field_count && !*r->bits; k++) {
			const struct reg_field *f = &reg_fields[k];
			if (strcmp(f->reg, r->name))
				continue;
			fprintf(out, "%slow(", between);
			in_c(out, f->bits);
			fprintf(out, ") << %u", f->lsb);
			between = " |\n\t\t       ";
		}
		fputs(";\n", out);
	}
	fputs("\tdefault:\n\t\treturn 0;\n\t}\n}\n", out);
}

/* "RESUME_HI" as "resume_hi", in a buffer. */
static const char *lower(const char *name)
{
	static char text[32];
	size_t i = 0;
	for (; name[i] && i + 1 < sizeof text; i++)
		text[i] = (char)(name[i] >= 'A' && name[i] <= 'Z' ? name[i] - 'A' + 'a' : name[i]);
	text[i] = 0;
	return text;
}

void regs_write_values(FILE *out)
{
	unsigned next = 0;
	fprintf(out,
	    "// SPDX-License-Identifier: Apache-2.0\n// Copyright 2026 The Rivulet authors\n"
	    "// Made from regs/trace_regs.def by `make regs`. To be included inside a module that has a wire read_NAME "
	    "for each\n// register that can be read: all of them, by their index.\n"
	    "wire [32*%u-1:0] reg_values;\n",
	    REG_PLACES);
	for (size_t i = 0; i < reg_row_count; next = reg_rows[i++].index + 1) {
		for (; next < reg_rows[i].index; next++)
			fprintf(out, "assign reg_values[32*%u +: 32] = 32'd0;\n", next);
		fprintf(out, "assign reg_values[32*RV_REG_%s +: 32] = ", reg_rows[i].name);
		if (strcmp(reg_rows[i].access, "WO"))
			fprintf(out, "read_%s;\n", lower(reg_rows[i].name));
		else
			fputs("32'd0;\n", out);
	}
	for (; next < REG_PLACES; next++)
		fprintf(out, "assign reg_values[32*%u +: 32] = 32'd0;\n", next);
}

static void lane(FILE *out, const struct reg_lane *l, unsigned number)
{
	fprintf(out, "\trivulet_trace_read #(\n\t\t.A(RV_REG_%s),\n\t\t.A_BITS(RV_BITS_%s)", l->a, l->a);
	if (strcmp(l->b, "NONE"))
		fprintf(out, ",\n\t\t.B(RV_REG_%s),\n\t\t.B_BITS(RV_BITS_%s)", l->b, l->b);
	fprintf(out,
	    "\n\t) read_%s (\n\t\t.clk_i(clk_i),\n\t\t.index_i(reg_index_i),\n\t\t.selected_i(selected),\n"
	    "\t\t.a_there_i(1'b1),\n\t\t.a_i(values_i[32*RV_REG_%s +: 32]),\n",
	    lower(l->a), l->a);
	if (strcmp(l->b, "NONE"))
		fprintf(out, "\t\t.b_i(values_i[32*RV_REG_%s +: 32]),\n", l->b);
	else
		fputs("\t\t.b_i(32'd0),\n", out);
	fprintf(out, "\t\t.data_o(lanes[32*%u +: 32])\n\t);\n", number);
}

/* The lanes of one buffer, from `number` up. Returns the number behind the last. */
static unsigned lanes_of(FILE *out, enum reg_buffer buffer, unsigned number)
{
	for (size_t i = 0; i < reg_lane_count; i++)
		if (reg_lanes[i].buffer == buffer)
			lane(out, &reg_lanes[i], number++);
	return number;
}

void regs_write_lanes(FILE *out)
{
	unsigned count[3] = {0};
	for (size_t i = 0; i < reg_lane_count; i++)
		count[reg_lanes[i].buffer]++;
	unsigned most = count[REG_FIFO] > count[REG_LAST] ? count[REG_FIFO] : count[REG_LAST];
	fprintf(out,
	    "// SPDX-License-Identifier: Apache-2.0\n// Copyright 2026 The Rivulet authors\n"
	    "// Made from regs/trace_regs.def by `make regs`. To be included inside rivulet_trace_front: what is read "
	    "of "
	    "each\n// register, two at a time; all but one of the lanes are 0.\n"
	    "localparam RV_LANES = %u;\nwire [32*RV_LANES-1:0] lanes;\n"
	    "generate if (FIFO_DEPTH > 0) begin : g_fifo\n",
	    most + count[REG_ANY]);
	for (unsigned at = lanes_of(out, REG_FIFO, 0); at < most; at++)
		fprintf(out, "\tassign lanes[32*%u +: 32] = 32'd0;\n", at);
	fputs("end else begin : g_last\n", out);
	for (unsigned at = lanes_of(out, REG_LAST, 0); at < most; at++)
		fprintf(out, "\tassign lanes[32*%u +: 32] = 32'd0;\n", at);
	fputs("end endgenerate\ngenerate if (1) begin : g_any\n", out);
	lanes_of(out, REG_ANY, most);
	fputs("end endgenerate\n", out);
}

void regs_write_c(FILE *out)
{
	fputs(
	    "/* SPDX-License-Identifier: Apache-2.0 */\n/* Copyright 2026 The Rivulet authors */\n"
	    "/* Made from regs/trace_regs.def by `make regs`. For C and for the assembler. */\n"
	    "#ifndef RIVULET_REGS_H\n#define RIVULET_REGS_H\n\n/* Word index on the register bus, and CSR number */\n",
	    out);
	for (size_t i = 0; i < reg_row_count; i++)
		fprintf(out, "#define RV_REG_%s %u\n", reg_rows[i].name, reg_rows[i].index);
	fprintf(out,
	    "\n/* The core's parameter TRACE_CSR_BASE; define it before to have another. */\n#ifndef RV_CSR_BASE\n"
	    "#define RV_CSR_BASE 0x%03X\n#endif\n",
	    CSR_BASE);
	for (size_t i = 0; i < reg_row_count; i++)
		fprintf(out, "#define RV_CSR_%s (RV_CSR_BASE + %u)\n", reg_rows[i].name, reg_rows[i].index);
	fputs("\n/* Values after reset */\n", out);
	for (size_t i = 0; i < reg_row_count; i++)
		fprintf(out, "#define RV_%s_RESET 0x%08" PRIX32 "\n", reg_rows[i].name, reg_rows[i].reset);
	fputs("\n/* Fields */\n", out);
	for (size_t i = 0; i < reg_field_count; i++) {
		const struct reg_field *f = &reg_fields[i];
		fprintf(out, "#define RV_%s_%s_LSB %u\n", f->reg, f->name, f->lsb);
		fprintf(out, "#define RV_%s_%s_W %u\n", f->reg, f->name, f->width);
		fprintf(out, "#define RV_%s_%s_MASK 0x%08" PRIX32 "\n", f->reg, f->name, mask(f));
	}
	fprintf(out, "\n#define RV_MAGIC 0x%04" PRIX32 "\n#define RV_VERSION %" PRIu32 "\n#endif\n", constant("MAGIC"),
	    constant("VERSION"));
}

static const char *svd_access(const char *access)
{
	return !strcmp(access, "RO") ? "read-only" : !strcmp(access, "WO") ? "write-only" : "read-write";
}

/* Text with the five characters of XML escaped. */
static void xml(FILE *out, const char *text)
{
	for (; *text; text++)
		switch (*text) {
		case '&':
			fputs("&amp;", out);
			break;
		case '<':
			fputs("&lt;", out);
			break;
		case '>':
			fputs("&gt;", out);
			break;
		default:
			fputc(*text, out);
		}
}

static void svd_register(FILE *out, const struct reg_row *row)
{
	fprintf(out, "        <register>\n          <name>%s</name>\n          <description>", row->name);
	xml(out, row->text);
	fprintf(out,
	    "</description>\n          <addressOffset>0x%X</addressOffset>\n          <size>32</size>\n"
	    "          <access>%s</access>\n          <resetValue>0x%08" PRIX32
	    "</resetValue>\n          <resetMask>0x%08" PRIX32 "</resetMask>\n",
	    4 * row->index, svd_access(row->access), row->reset, reset_mask(row));
	int open = 0;
	for (size_t i = 0; i < reg_field_count; i++) {
		const struct reg_field *f = &reg_fields[i];
		if (strcmp(f->reg, row->name))
			continue;
		if (!open++)
			fputs("          <fields>\n", out);
		fprintf(
		    out, "            <field>\n              <name>%s</name>\n              <description>", f->name);
		xml(out, f->text);
		fprintf(out,
		    "</description>\n              <bitOffset>%u</bitOffset>\n              <bitWidth>%u</bitWidth>\n"
		    "              <access>%s</access>\n",
		    f->lsb, f->width, svd_access(f->access));
		if (!strcmp(f->access, "W1C"))
			fputs("              <modifiedWriteValues>oneToClear</modifiedWriteValues>\n", out);
		fputs("            </field>\n", out);
	}
	if (open)
		fputs("          </fields>\n", out);
	fputs("        </register>\n", out);
}

void regs_write_svd(FILE *out)
{
	fputs("<?xml version=\"1.0\" encoding=\"utf-8\"?>\n"
	      "<!-- SPDX-License-Identifier: Apache-2.0; Copyright 2026 The Rivulet authors; made from "
	      "regs/trace_regs.def by make regs -->\n"
	      "<device schemaVersion=\"1.3\" xmlns:xs=\"http://www.w3.org/2001/XMLSchema-instance\" "
	      "xs:noNamespaceSchemaLocation=\"CMSIS-SVD.xsd\">\n"
	      "  <name>Rivulet</name>\n  <version>1.0</version>\n  <description>Rivulet trace unit</description>\n"
	      "  <addressUnitBits>8</addressUnitBits>\n  <width>32</width>\n  <peripherals>\n    <peripheral>\n"
	      "      <name>TRACE</name>\n      <description>Trace unit behind its Wishbone front; the base address is "
	      "the integrator's</description>\n"
	      "      <baseAddress>0x0</baseAddress>\n      <addressBlock>\n        <offset>0x0</offset>\n        "
	      "<size>0x100</size>\n"
	      "        <usage>registers</usage>\n      </addressBlock>\n      <registers>\n",
	    out);
	for (size_t i = 0; i < reg_row_count; i++)
		svd_register(out, &reg_rows[i]);
	fputs("      </registers>\n    </peripheral>\n  </peripherals>\n</device>\n", out);
}

#define CELLS 33          /* at most one for each bit, and a hole */
#define DRAWING_WIDTH 100 /* columns of the manual; wider registers are drawn in two halves */

struct cell {
	const char *name; /* "" for unused bits */
	char bits[8];     /* "12..8" or "4" */
	int width;
	unsigned top;
};

static struct cell make_cell(const char *name, unsigned top, unsigned low)
{
	struct cell cell = {.name = name, .top = top};
	if (top == low)
		snprintf(cell.bits, sizeof cell.bits, "%u", top % 32);
	else
		snprintf(cell.bits, sizeof cell.bits, "%u..%u", top % 32, low % 32);
	size_t name_width = strlen(name), bits_width = strlen(cell.bits);
	cell.width = (int)(name_width > bits_width ? name_width : bits_width) + 2;
	return cell;
}

/* Cuts a register into cells from bit 31 down. Returns their number, 0 if it has no fields. */
static size_t make_cells(const struct reg_row *row, struct cell cells[CELLS])
{
	size_t count = 0;
	unsigned below = 32; /* bits from here up are in cells */
	while (below > 0) {
		const struct reg_field *next = NULL; /* the highest field below */
		for (size_t i = 0; i < reg_field_count; i++) {
			const struct reg_field *f = &reg_fields[i];
			if (!strcmp(f->reg, row->name) && f->lsb < below && (!next || f->lsb > next->lsb))
				next = f;
		}
		if (!next && below == 32)
			return 0;
		unsigned end = next ? next->lsb + next->width : 0;
		/* a hole ends at bit 16, so that a register can be drawn in two halves */
		if (end < 16 && below > 16)
			end = 16;
		if (end < below) {
			cells[count++] = make_cell("", below - 1, end);
			below = end;
		} else {
			cells[count++] = make_cell(next->name, below - 1, next->lsb);
			below = next->lsb;
		}
	}
	return count;
}

static void rule(
    FILE *out, const struct cell *cells, size_t count, const char *left, const char *middle, const char *right)
{
	for (size_t i = 0; i < count; i++) {
		fputs(i ? middle : left, out);
		for (int w = 0; w < cells[i].width; w++)
			fputs("─", out);
	}
	fprintf(out, "%s\n", right);
}

static void draw(FILE *out, const struct cell *cells, size_t count)
{
	int pending = 0; /* spaces, so that no line ends in one */
	for (size_t i = 0; i < count; i++) {
		int space = cells[i].width - (int)strlen(cells[i].bits);
		fprintf(out, "%*s%s", pending + 1 + space / 2, "", cells[i].bits);
		pending = space - space / 2;
	}
	fputc('\n', out);
	rule(out, cells, count, "┌", "┬", "┐");
	for (size_t i = 0; i < count; i++) {
		int space = cells[i].width - (int)strlen(cells[i].name);
		fprintf(out, "│%*s%s%*s", space / 2, "", cells[i].name, space - space / 2, "");
	}
	fputs("│\n", out);
	rule(out, cells, count, "└", "┴", "┘");
}

static void manual_fields(FILE *out, const struct reg_row *row)
{
	struct cell cells[CELLS];
	size_t count = make_cells(row, cells), upper = 0;
	if (!count)
		return;
	int width = 0;
	for (size_t i = 0; i < count; i++) {
		width += cells[i].width + 1;
		upper += cells[i].top >= 16;
	}
	fprintf(out, "\n## %s\n\n```\n", row->name);
	if (width > DRAWING_WIDTH) {
		draw(out, cells, upper);
		draw(out, cells + upper, count - upper);
	} else {
		draw(out, cells, count);
	}
	fputs("```\n\n| bits | field | access | what |\n| --- | --- | --- | --- |\n", out);
	for (size_t i = 0; i < reg_field_count; i++) {
		const struct reg_field *f = &reg_fields[i];
		if (!strcmp(f->reg, row->name))
			fprintf(out, "| %s | %s | %s | %s |\n", make_cell("", f->lsb + f->width - 1, f->lsb).bits,
			    f->name, f->access, f->text);
	}
}

void regs_write_manual(FILE *out)
{
	fputs(
	    "# Registers of the trace unit\n\nMade from `regs/trace_regs.def` by `make regs`. What they do is in "
	    "[trace-unit.md](trace-unit.md).\n\n"
	    "All registers have 32 bits. CSR: the core's machine-mode CSR number. Offset: byte address behind the "
	    "Wishbone front.\n"
	    "Access: RO ignores writes, WO reads 0, W1C clears the bits that are written as 1. A register or a CTRL "
	    "bit that was\n"
	    "not built in reads as after reset and ignores writes (LFSR reads 0). Unused bits read 0. Without "
	    "WITH_CONTEXT,\nCUR_START to DEPTH are RO. ID.HIST and CAPS show what was built in.\n\n"
	    "| CSR | offset | name | access | reset | there if | what |\n| --- | --- | --- | --- | --- | --- | --- |\n",
	    out);
	for (size_t i = 0; i < reg_row_count; i++) {
		const struct reg_row *r = &reg_rows[i];
		fprintf(out, "| 0x%03X | 0x%02X | %s | %s | 0x%08" PRIX32 " | %s | %s |\n", CSR_BASE + r->index,
		    4 * r->index, r->name, r->access, r->reset, r->present, r->text);
	}
	for (size_t i = 0; i < reg_row_count; i++)
		manual_fields(out, &reg_rows[i]);
}
