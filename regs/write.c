/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#include "regs/table.h"

#include <string.h>

#define ID_MAGIC 0x5254u
#define ID_VERSION 1u
#define CSR_BASE 0x7C0u

static unsigned long mask(const struct reg_field *field)
{
	return ((field->width < 32 ? 1ul << field->width : 0ul) - 1ul) << field->lsb & 0xFFFFFFFFul;
}

void regs_write_verilog(FILE *out)
{
	fputs("// SPDX-License-Identifier: Apache-2.0\n// Copyright 2026 The Rivulet authors\n"
	      "// Made from regs/trace_regs.def by `make regs`. To be included inside a module.\n",
	    out);
	for (size_t i = 0; i < reg_row_count; i++)
		fprintf(out, "localparam [5:0] RV_REG_%s = 6'd%u;\n", reg_rows[i].name, reg_rows[i].index);
	for (size_t i = 0; i < reg_field_count; i++) {
		const struct reg_field *f = &reg_fields[i];
		fprintf(out, "localparam RV_%s_%s_LSB = %u, RV_%s_%s_W = %u;\n", f->reg, f->name, f->lsb, f->reg, f->name, f->width);
	}
	fprintf(out, "localparam [15:0] RV_ID_MAGIC = 16'h%04X;\nlocalparam [7:0] RV_ID_VERSION = 8'd%u;\n", ID_MAGIC, ID_VERSION);
}

void regs_write_c(FILE *out)
{
	fputs("/* SPDX-License-Identifier: Apache-2.0 */\n/* Copyright 2026 The Rivulet authors */\n"
	      "/* Made from regs/trace_regs.def by `make regs`. For C and for the assembler. */\n"
	      "#ifndef RIVULET_REGS_H\n#define RIVULET_REGS_H\n\n/* Word index on the register bus, and CSR number */\n",
	    out);
	for (size_t i = 0; i < reg_row_count; i++)
		fprintf(out, "#define RV_REG_%s %u\n", reg_rows[i].name, reg_rows[i].index);
	fputc('\n', out);
	for (size_t i = 0; i < reg_row_count; i++)
		fprintf(out, "#define RV_CSR_%s 0x%03X\n", reg_rows[i].name, CSR_BASE + reg_rows[i].index);
	fputs("\n/* Values after reset */\n", out);
	for (size_t i = 0; i < reg_row_count; i++)
		fprintf(out, "#define RV_%s_RESET 0x%08lX\n", reg_rows[i].name, reg_rows[i].reset);
	fputs("\n/* Fields */\n", out);
	for (size_t i = 0; i < reg_field_count; i++) {
		const struct reg_field *f = &reg_fields[i];
		fprintf(out, "#define RV_%s_%s_LSB %u\n", f->reg, f->name, f->lsb);
		fprintf(out, "#define RV_%s_%s_W %u\n", f->reg, f->name, f->width);
		fprintf(out, "#define RV_%s_%s_MASK 0x%08lX\n", f->reg, f->name, mask(f));
	}
	fprintf(out, "\n#define RV_MAGIC 0x%04X\n#define RV_VERSION %u\n#endif\n", ID_MAGIC, ID_VERSION);
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
	fprintf(out, "</description>\n          <addressOffset>0x%X</addressOffset>\n          <size>32</size>\n"
		     "          <access>%s</access>\n          <resetValue>0x%08lX</resetValue>\n",
	    4 * row->index, svd_access(row->access), row->reset);
	int open = 0;
	for (size_t i = 0; i < reg_field_count; i++) {
		const struct reg_field *f = &reg_fields[i];
		if (strcmp(f->reg, row->name))
			continue;
		if (!open++)
			fputs("          <fields>\n", out);
		fprintf(out, "            <field>\n              <name>%s</name>\n              <description>", f->name);
		xml(out, f->text);
		fprintf(out, "</description>\n              <bitOffset>%u</bitOffset>\n              <bitWidth>%u</bitWidth>\n"
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
	      "<!-- SPDX-License-Identifier: Apache-2.0; Copyright 2026 The Rivulet authors; made from regs/trace_regs.def by make regs -->\n"
	      "<device schemaVersion=\"1.3\" xmlns:xs=\"http://www.w3.org/2001/XMLSchema-instance\" "
	      "xs:noNamespaceSchemaLocation=\"CMSIS-SVD.xsd\">\n"
	      "  <name>Rivulet</name>\n  <version>1.0</version>\n  <description>Rivulet trace unit</description>\n"
	      "  <addressUnitBits>8</addressUnitBits>\n  <width>32</width>\n  <peripherals>\n    <peripheral>\n"
	      "      <name>TRACE</name>\n      <description>Trace unit behind its Wishbone front; the base address is the integrator's</description>\n"
	      "      <baseAddress>0x0</baseAddress>\n      <addressBlock>\n        <offset>0x0</offset>\n        <size>0x100</size>\n"
	      "        <usage>registers</usage>\n      </addressBlock>\n      <registers>\n",
	    out);
	for (size_t i = 0; i < reg_row_count; i++)
		svd_register(out, &reg_rows[i]);
	fputs("      </registers>\n    </peripheral>\n  </peripherals>\n</device>\n", out);
}

void regs_write_manual(FILE *out)
{
	fputs("# Registers of the trace unit\n\nMade from `regs/trace_regs.def` by `make regs`. What they do is in [trace-unit.md](trace-unit.md).\n\n"
	      "All registers have 32 bits. CSR: the core's machine-mode CSR number. Offset: byte address behind the Wishbone front.\n"
	      "A register that was not built in reads 0 (LFSR and REC_INFO.REPEAT as their text says) and ignores writes.\n\n"
	      "| CSR | offset | name | access | reset | there if | what |\n| --- | --- | --- | --- | --- | --- | --- |\n",
	    out);
	for (size_t i = 0; i < reg_row_count; i++) {
		const struct reg_row *r = &reg_rows[i];
		fprintf(out, "| 0x%03X | 0x%02X | %s | %s | 0x%08lX | %s | %s |\n", CSR_BASE + r->index, 4 * r->index, r->name, r->access, r->reset,
		    r->present, r->text);
	}
	const char *last = "";
	for (size_t i = 0; i < reg_field_count; i++) {
		const struct reg_field *f = &reg_fields[i];
		if (strcmp(last, f->reg))
			fprintf(out, "\n## %s\n\n| bits | field | access | what |\n| --- | --- | --- | --- |\n", f->reg);
		last = f->reg;
		if (f->width == 1)
			fprintf(out, "| %u | %s | %s | %s |\n", f->lsb, f->name, f->access, f->text);
		else
			fprintf(out, "| %u..%u | %s | %s | %s |\n", f->lsb + f->width - 1, f->lsb, f->name, f->access, f->text);
	}
}
