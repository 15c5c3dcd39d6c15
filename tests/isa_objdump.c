/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/*
 * The instruction table against binutils.
 *   isa-objdump write             an assembler file with all 16-bit encodings and a sample of words, on standard output
 *   isa-objdump compare FILE      FILE is what objdump -d -z -M no-aliases made of it at BASE
 * Each word has a slot of its own; padding behind it keeps objdump in step whatever length it gives the word. Where the
 * two may differ is listed in allowed(), with the reason; those are counted, and anything else fails.
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "isa/isa.h"

#define BASE 0x80000000u
#define PER_ROW 2500   /* words of a 32-bit row with random operands */
#define NEAR_MISS 1500 /* of a row with one or two of its fixed bits wrong */
#define NOISE 50000
#define LONG_SLOT 32 /* bytes: objdump reads up to 22 for a prefix of a longer encoding */

static const struct {
	uint32_t match, mask;
	bool compressed, csr;
} rows[] = {
#define INSN(name, extension, match, mask, op, format)                                                                 \
	{match, mask, #extension[0] == 'C', ISA_##op >= ISA_CSRRW && ISA_##op <= ISA_CSRRCI},
#include "isa/insns.def"
#undef INSN
};
#define ROWS (sizeof rows / sizeof *rows)

static uint64_t state;
static uint32_t noise(void)
{
	state = state * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)(state >> 32);
}

/* Half of the CSR numbers from where CSRs are: the rest of the space is empty. */
static uint32_t csr_number(void)
{
	static const uint16_t bases[] = {0x300, 0x320, 0x340, 0x7C0, 0xB00, 0xB80, 0xC00, 0xC80, 0xF10};
	return noise() & 1 ? noise() & 0xFFF : (uint32_t)bases[noise() % 9] + (noise() & 0x1F);
}

/* Calls visit with each word and the address of its slot, always in the same order. */
static void each_word(void (*visit)(uint32_t address, uint32_t word, void *context), void *context)
{
	uint32_t at = BASE;
	state = 20260101;
	for (uint32_t half = 0; half < 0x10000; half++)
		if ((half & 3) != 3) {
			visit(at, half, context);
			at += 4;
		}
	/* whole words that noise does not find */
	static const uint32_t words[] = {0x8330000F, 0x0330000F, 0xC0001073, 0x10200073, 0x00200073, 0x7B200073,
	    0x70200073, 0x12000073, 0x18000073, 0x18100073, 0x16000073, 0x22000073, 0x62000073, 0x00D00073, 0x01D00073,
	    0x0100000F};
	for (size_t i = 0; i < sizeof words / sizeof *words; i++, at += 4)
		visit(at, words[i], context);
	for (size_t i = 0; i < ROWS + 1; i++) {
		if (i < ROWS && rows[i].compressed)
			continue;
		unsigned count = i < ROWS ? PER_ROW + NEAR_MISS : NOISE;
		for (unsigned n = 0; n < count; n++) {
			uint32_t word = noise() | 3;
			if (i < ROWS) {
				word = rows[i].match | (noise() & ~rows[i].mask);
				if (rows[i].csr)
					word = (word & 0xFFFFF) | csr_number() << 20;
				if (n >= PER_ROW) {
					for (unsigned flips = 1 + (noise() & 1); flips;) {
						uint32_t bit = 1u << (2 + noise() % 30);
						if (rows[i].mask & bit) {
							word ^= bit;
							flips--;
						}
					}
				}
			}
			visit(at, word, context);
			at += (word & 0x1C) == 0x1C ? LONG_SLOT : 4;
		}
	}
}

static void write_word(uint32_t address, uint32_t word, void *context)
{
	(void)address;
	(void)context;
	if ((word & 3) != 3)
		printf(".2byte 0x%04x, 1\n", word);
	else if ((word & 0x1C) == 0x1C)
		printf(".2byte 0x%04x, 0x%04x, 1,1,1,1,1,1,1,1,1,1,1,1,1,1\n", word & 0xFFFF, word >> 16);
	else
		printf(".2byte 0x%04x, 0x%04x\n", word & 0xFFFF, word >> 16);
}

/* ---------------------------------------------------------------- comparison */

enum rule {
	SAME,
	LONG,
	C_NOP,
	FENCE_FIELDS,
	FENCE_TSO,
	FENCE_I_FIELDS,
	HINT_SHIFT,
	RV64_SHIFT,
	UNIMP,
	SP_BY_0,
	CSR_NAME,
	OTHER_EXTENSION,
	RULES
};
static const char *const reasons[RULES] = {
    [SAME] = "the same text",
    [LONG] = "prefixes of encodings longer than 32 bits: illegal here, a long or no instruction to objdump",
    [C_NOP] = "c.nop: objdump knows it only as the alias of c.addi zero",
    [FENCE_FIELDS] = "fence: all fields but the sets are ignored here (docs/core.md section 6); objdump wants them 0",
    [FENCE_TSO] = "fence.tso: a name of its own to objdump, a fence with fm to docs/core.md",
    [FENCE_I_FIELDS] = "fence.i: all other fields are ignored here; objdump wants them 0",
    [HINT_SHIFT] = "c.slli, c.srli, c.srai by 0: a HINT here; objdump prints the RV128 name",
    [RV64_SHIFT] = "shifts by 32 and more: reserved in RV32, so illegal here; objdump prints the RV64 amount",
    [UNIMP] = "0x0000 (illegal) and a write to cycle (traps): objdump has names for what it means to trap",
    [SP_BY_0] = "c.addi16sp by 0: reserved, so illegal here; an instruction to objdump",
    [CSR_NAME] = "CSRs that this core lacks, or that read as 0: the number here, a name to objdump",
    [OTHER_EXTENSION] = "privileged instructions that this core lacks: illegal here",
};

struct comparison {
	FILE *file;
	uint32_t line_address; /* of the line read last */
	char text[128];        /* of it, as isa_format writes */
	bool more;
	unsigned long words, counts[RULES], different;
};

/* "80000004:\t00c58533          \tadd\ta0,a1,a2 # comment" -> "add a0,a1,a2"; false for other lines. */
static bool parse_line(char *line, uint32_t *address, char *text, size_t size)
{
	char *end;
	unsigned long at = strtoul(line, &end, 16);
	if (end == line || end[0] != ':' || end[1] != '\t')
		return false;
	char *mnemonic = strchr(end + 2, '\t');
	if (!mnemonic)
		return false;
	mnemonic++;
	mnemonic[strcspn(mnemonic, "\n#<")] = '\0';
	for (size_t n = strlen(mnemonic); n && (mnemonic[n - 1] == ' ' || mnemonic[n - 1] == '\t');)
		mnemonic[--n] = '\0';
	char *tab = strchr(mnemonic, '\t');
	if (tab)
		*tab = ' ';
	*address = (uint32_t)at;
	snprintf(text, size, "%s", mnemonic);
	return true;
}

static void next_line(struct comparison *c)
{
	char line[512];
	while ((c->more = fgets(line, sizeof line, c->file) != NULL))
		if (parse_line(line, &c->line_address, c->text, sizeof c->text))
			return;
}

static bool starts(const char *text, const char *with)
{
	return !strncmp(text, with, strlen(with));
}

/* objdump writes targets without 0x. */
static void add_prefix(const struct isa_insn *insn, char *text, size_t size)
{
	char *target = text + strcspn(text, " ");
	if (!(insn->class_bits & (ISA_BRANCH | ISA_JUMP)))
		return;
	char *comma = strrchr(target, ',');
	target = comma ? comma + 1 : *target ? target + 1 : target;
	if (!*target || starts(target, "0x"))
		return;
	char digits[32];
	snprintf(digits, sizeof digits, "%s", target);
	snprintf(target, size - (size_t)(target - text), "0x%s", digits);
}

/* objdump's text with the CSR's name replaced by the number; false if there is no name. */
static bool csr_by_number(const struct isa_insn *insn, const char *text, char *out, size_t size)
{
	const char *from = strchr(text, ','), *to = from ? strchr(from + 1, ',') : NULL;
	if (!to || starts(from + 1, "0x"))
		return false;
	snprintf(out, size, "%.*s,0x%x%s", (int)(from - text), text, (unsigned)insn->imm, to);
	return true;
}

/* CSRs of docs/core.md section 6 that hold something, and so have their name here too. */
static bool named_here(uint32_t csr)
{
	static const uint16_t named[] = {0x300, 0x301, 0x304, 0x305, 0x306, 0x340, 0x341, 0x342, 0x343, 0x344, 0xB00,
	    0xB02, 0xB80, 0xB82, 0xC00, 0xC02, 0xC80, 0xC82, 0xF11, 0xF12, 0xF13, 0xF14};
	for (size_t i = 0; i < sizeof named / sizeof *named; i++)
		if (named[i] == csr)
			return true;
	return false;
}

/* A shift whose amount has bit 5 set, printed by objdump with that amount. */
static bool rv64_shift(uint32_t w, const char *theirs)
{
	static const char *const names[] = {"c.slli ", "c.srli ", "c.srai ", "slli ", "srli ", "srai "};
	uint32_t amount = (w & 3) == 3 ? w >> 20 & 63 : (w >> 7 & 32) | (w >> 2 & 31);
	const char *comma = strrchr(theirs, ',');
	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (starts(theirs, names[i]))
			return amount >= 32 && comma && strtoul(comma + 1, NULL, 16) == amount;
	return false;
}

/* Why ours and theirs are both right, or RULES. */
static enum rule allowed(const struct isa_insn *insn, const char *ours, const char *theirs)
{
	char text[160];
	uint32_t w = insn->word;
	bool no_instruction = starts(theirs, ".4byte") || starts(theirs, ".insn") || starts(theirs, ".word");
	if (!strcmp(ours, theirs))
		return SAME;
	if (insn->op == ISA_ILLEGAL && (w & 0x1F) == 0x1F)
		return LONG;
	if (starts(ours, "c.nop") && starts(theirs, "c.addi zero,") &&
	    atoi(theirs + strlen("c.addi zero,")) == insn->imm)
		return C_NOP;
	if (insn->op == ISA_FENCE && no_instruction)
		return w & 0xF00F8F80 ? FENCE_FIELDS : RULES;
	if (w == 0x8330000F && !strcmp(theirs, "fence.tso"))
		return FENCE_TSO;
	if (insn->op == ISA_FENCE_I && no_instruction)
		return w == 0x100F ? RULES : FENCE_I_FIELDS;
	if (insn->length == 2 && (insn->op == ISA_SLLI || insn->op == ISA_SRLI || insn->op == ISA_SRAI) &&
	    insn->imm == 0) {
		snprintf(text, sizeof text, "%s64 %s", isa_name(insn), isa_register_names[insn->rd]);
		return strcmp(text, theirs) ? RULES : HINT_SHIFT;
	}
	if (insn->op == ISA_ILLEGAL && rv64_shift(w, theirs))
		return RV64_SHIFT;
	if ((w == 0 && !strcmp(theirs, "c.unimp")) || (w == 0xC0001073 && !strcmp(theirs, "unimp")))
		return UNIMP;
	if (w == 0x6101 && !strcmp(theirs, "c.addi16sp sp,0"))
		return SP_BY_0;
	if (insn->op >= ISA_CSRRW && insn->op <= ISA_CSRRCI && !named_here((uint32_t)insn->imm) &&
	    csr_by_number(insn, theirs, text, sizeof text))
		return strcmp(text, ours) ? RULES : CSR_NAME;
	if (insn->op == ISA_ILLEGAL && (w & 0x7F) == 0x73) {
		/* the four returns, hypervisor and supervisor fences, hypervisor loads and stores */
		static const char *const names[] = {"uret", "sret", "hret", "dret", "mnret", "sfence.vma", "sfence.vm",
		    "hfence", "hlv", "hsv", "sinval", "hinval", "sfence.w.inval", "sfence.inval.ir"};
		for (size_t i = 0; i < sizeof names / sizeof *names; i++)
			if (starts(theirs, names[i]))
				return OTHER_EXTENSION;
	}
	return RULES;
}

static void compare_word(uint32_t address, uint32_t word, void *context)
{
	struct comparison *c = context;
	struct isa_insn insn;
	char ours[128], theirs[128] = "nothing at this address";
	isa_decode(word, 0, &insn);
	isa_format(&insn, address, ours, sizeof ours);
	while (c->more && c->line_address < address)
		next_line(c);
	if (c->more && c->line_address == address) {
		snprintf(theirs, sizeof theirs, "%s", c->text);
		add_prefix(&insn, theirs, sizeof theirs);
	}
	enum rule rule = allowed(&insn, ours, theirs);
	c->words++;
	if (rule < RULES)
		c->counts[rule]++;
	else if (c->different++ < 20)
		fprintf(stderr, "0x%0*x at 0x%x: isa_format \"%s\", objdump \"%s\"\n", insn.length * 2, word, address,
		    ours, theirs);
}

static int compare(const char *path)
{
	struct comparison c = {.file = fopen(path, "r")};
	if (!c.file) {
		perror(path);
		return EXIT_FAILURE;
	}
	next_line(&c);
	each_word(compare_word, &c);
	fclose(c.file);
	unsigned unused = 0;
	for (unsigned i = 0; i < RULES; i++) {
		printf("%8lu  %s\n", c.counts[i], reasons[i]);
		unused += c.counts[i] == 0;
	}
	printf("isa-objdump: %lu words, %lu differences that have no reason\n", c.words, c.different);
	if (unused)
		printf(
		    "isa-objdump: %u rules applied to no word: take them out, or sample what they are for\n", unused);
	return c.different || unused || c.words < 249152 ? EXIT_FAILURE : EXIT_SUCCESS;
}

int main(int argc, char **argv)
{
	if (argc == 2 && !strcmp(argv[1], "write")) {
		each_word(write_word, NULL);
		return fflush(stdout) ? EXIT_FAILURE : EXIT_SUCCESS;
	}
	if (argc == 3 && !strcmp(argv[1], "compare"))
		return compare(argv[2]);
	fprintf(stderr, "usage: %s write | compare FILE\n", argv[0]);
	return 2;
}
