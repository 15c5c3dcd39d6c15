/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#include "tb/operands.h"
#include <stdlib.h>
#include <string.h>
#include "isa/isa.h"

enum { ROWS = 512, CLASSES = 7, PAIRS = CLASSES * CLASSES, POINTS = 128 };
static const char *const class_names[CLASSES] = {
    "0", "1", "-1", "the largest", "the smallest", "a positive", "a negative"};

/* The kinds of operands for which a row has points. */
enum shape { NOTHING, PAIR, IMMEDIATE, SHIFT, BRANCH, LOAD, STORE, CSR, JUMP, SHORT, SHORT_BRANCH };

struct operands {
	uint64_t count[ROWS][POINTS];
};

struct operands *operands_open(void)
{
	/* a table that has outgrown ROWS would mix points of two instructions */
	return isa_rows() <= ROWS ? calloc(1, sizeof(struct operands)) : NULL;
}

void operands_close(struct operands *o)
{
	free(o);
}

static unsigned class_of(uint32_t value)
{
	switch (value) {
	case 0:
		return 0;
	case 1:
		return 1;
	case UINT32_MAX:
		return 2;
	case INT32_MAX:
		return 3;
	case 0x80000000u:
		return 4;
	default:
		return value >> 31 ? 6 : 5;
	}
}

static unsigned immediate_class(int32_t imm)
{
	return imm == 2047 ? 3 : imm == -2048 ? 4 : class_of((uint32_t)imm);
}

/* The shape of a row, from its name: all encodings of a row have the same one. */
static enum shape shape_of(const char *name)
{
	static const struct {
		const char *names;
		enum shape shape;
	} table[] = {{" add sub sll slt sltu xor srl sra or and mul mulh mulhsu mulhu div divu rem remu ", PAIR},
	    {" addi slti sltiu xori ori andi ", IMMEDIATE}, {" slli srli srai ", SHIFT},
	    {" beq bne blt bge bltu bgeu ", BRANCH}, {" lb lh lw lbu lhu c.lw c.lwsp ", LOAD},
	    {" sb sh sw c.sw c.swsp ", STORE}, {" csrrw csrrs csrrc csrrwi csrrsi csrrci ", CSR},
	    {" jal jalr c.j c.jal c.jr c.jalr ", JUMP}, {" c.beqz c.bnez ", SHORT_BRANCH},
	    {" c.addi c.addi16sp c.addi4spn c.srli c.srai c.andi c.sub c.xor c.or c.and c.slli c.mv c.add ", SHORT}};
	char key[24];

	snprintf(key, sizeof key, " %s ", name);
	for (size_t i = 0; i < sizeof table / sizeof *table; i++)
		if (strstr(table[i].names, key))
			return table[i].shape;
	return NOTHING;
}

static unsigned sign(int32_t n)
{
	return n < 0 ? 0 : n == 0 ? 1 : 2;
}

void operands_count(struct operands *o, const struct model_out *out)
{
	struct isa_insn insn;

	if (!out->valid || out->trap)
		return;
	isa_decode(out->insn, ISA_CORE, &insn);
	uint64_t *count = o->count[insn.row % ROWS];
	unsigned first = class_of(out->rs1_rdata), second = class_of(out->rs2_rdata);
	bool taken = out->next_pc != out->pc + insn.length;

	switch (shape_of(isa_name(&insn))) {
	case PAIR:
		count[first * CLASSES + second]++;
		break;
	case IMMEDIATE:
		count[first * CLASSES + immediate_class(insn.imm)]++;
		break;
	case SHIFT:
		count[first * 4 + (insn.imm < 2 ? (unsigned)insn.imm : insn.imm == 31 ? 2 : 3)]++;
		break;
	case BRANCH:
		count[first * CLASSES + second]++;
		count[PAIRS + 2 * taken + (insn.imm < 0)]++;
		break;
	case SHORT_BRANCH:
		count[first]++;
		count[PAIRS + 2 * taken + (insn.imm < 0)]++;
		break;
	case LOAD:
		count[3 * (out->mem_addr & 3) + sign(insn.imm)]++;
		count[12 + (out->rd_wdata >> 31)]++;
		break;
	case STORE:
		count[3 * (out->mem_addr & 3) + sign(insn.imm)]++;
		break;
	case CSR: {
		bool always = insn.op == ISA_CSRRW || insn.op == ISA_CSRRWI;

		count[2 * (always || insn.rs1) + (insn.rd != 0)]++;
		break;
	}
	case JUMP:
		count[2 * (out->next_pc <= out->pc) + (insn.rd != 0)]++;
		break;
	case SHORT:
		if (insn.rs1)
			count[first]++;
		if (insn.rs2)
			count[CLASSES + second]++;
		break;
	default:
		count[0]++;
	}
}

static const char *row_name(unsigned row)
{
	const struct isa_insn insn = {.row = (uint16_t)row};

	return isa_name(&insn);
}

static void point(FILE *file, const struct operands *o, unsigned row, unsigned at, const char *a, const char *b)
{
	fprintf(file, "%llu\t%s: %s%s%s\n", (unsigned long long)o->count[row][at], row_name(row), a, *b ? ", " : "", b);
}

static void write_row(FILE *file, const struct operands *o, unsigned row)
{
	static const char *const signs[] = {"negative offset", "offset 0", "positive offset"};
	static const char *const amounts[] = {"by 0", "by 1", "by 31", "by another"};
	static const char *const ways[] = {
	    "not taken, forward", "not taken, backward", "taken, forward", "taken, backward"};
	static const char *const links[] = {"no destination", "a destination"};
	const char *name = row_name(row);
	enum shape shape = shape_of(name);
	bool compressed = name[0] == 'c' && name[1] == '.';

	switch (shape) {
	case PAIR:
	case IMMEDIATE:
	case BRANCH:
		for (unsigned i = 0; i < PAIRS; i++)
			point(file, o, row, i, class_names[i / CLASSES], class_names[i % CLASSES]);
		break;
	case SHIFT:
		for (unsigned i = 0; i < 4 * CLASSES; i++)
			point(file, o, row, i, class_names[i / 4], amounts[i % 4]);
		break;
	case LOAD:
	case STORE: {
		bool byte = strchr(name, 'b'), half = strchr(name, 'h');

		for (unsigned i = 0; i < 12; i++) {
			char at[16];

			if ((!byte && i / 3 & 1) || (!byte && !half && i / 3 & 2) || (compressed && i % 3 == 0))
				continue;
			snprintf(at, sizeof at, "byte %u", i / 3);
			point(file, o, row, i, at, signs[i % 3]);
		}
		if (shape == LOAD) {
			point(file, o, row, 12, "loads a positive", "");
			if (!strchr(name, 'u'))
				point(file, o, row, 13, "loads a negative", "");
		}
		break;
	}
	case CSR: {
		bool always = !strncmp(name, "csrrw", 5);

		for (unsigned i = always ? 2 : 0; i < 4; i++)
			point(file, o, row, i, i & 2 ? "writes" : "does not write", links[i & 1]);
		break;
	}
	case JUMP:
		for (unsigned i = 0; i < 4; i++) {
			if (compressed &&
			    (i & 1) != (strlen(name) > 4)) /* C.J, C.JR link never, C.JAL, C.JALR always */
				continue;
			point(file, o, row, i, i & 2 ? "backward" : "forward", links[i & 1]);
		}
		break;
	case SHORT:
		for (unsigned i = 0; i < 2 * CLASSES; i++) {
			bool two = !strchr(name, 'i'), one = strcmp(name, "c.mv") != 0, sp = strstr(name, "sp");

			if (sp || (i < CLASSES ? !one : !two))
				continue;
			point(file, o, row, i, i < CLASSES ? "first" : "second", class_names[i % CLASSES]);
		}
		break;
	case SHORT_BRANCH:
		for (unsigned i = 0; i < CLASSES; i++)
			point(file, o, row, i, class_names[i], "");
		break;
	default:
		point(file, o, row, 0, "retires", "");
	}
	if (shape == BRANCH || shape == SHORT_BRANCH)
		for (unsigned i = 0; i < 4; i++)
			point(file, o, row, PAIRS + i, ways[i], "");
}

int operands_write(const struct operands *o, FILE *file)
{
	for (unsigned row = 1; row < isa_rows(); row++)
		if (isa_row_in(row, ISA_CORE))
			write_row(file, o, row);
	return ferror(file) ? -1 : 0;
}
