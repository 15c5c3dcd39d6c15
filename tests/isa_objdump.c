/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/*
 * The instruction table against binutils, for one width (32 or 64).
 *   isa-objdump write WIDTH          the bytes of all 16-bit encodings and a sample of words, on standard output
 *   isa-objdump compare WIDTH FILE   FILE is what objdump -d -z -M no-aliases made of them at BASE
 * Each word has a slot of its own; padding behind it keeps objdump in step whatever length it gives the word. Each is
 * decoded, printed, encoded again, and where there is a shorter or longer form of it, turned into that and back. Where
 * the two may differ is listed in allowed(), with the reason; those are counted, and anything else fails.
 */
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "isa/isa.h"

#define BASE 0x80000000u
#define PER_ROW 3500   /* words of a 32-bit row with random operands */
#define NEAR_MISS 2000 /* of a row with one or two of its fixed bits wrong */
#define NOISE 150000
#define LONG_SLOT 32   /* bytes: objdump reads up to 22 for a prefix of a longer encoding */
#define PADDING 0x0001 /* c.nop */

static const struct {
	uint32_t match, mask;
	uint8_t width;
	bool csr;
} rows[] = {
#define GROUP(key)
#define INSN(name, width, needs, match, mask, op, format)                                                              \
	{match, mask, width, ISA_##op >= ISA_CSRRW && ISA_##op <= ISA_CSRRCI},
#include "isa/insns.def"
#undef INSN
#undef GROUP
};
#define ROWS (sizeof rows / sizeof *rows)

static unsigned width, set;
static uint64_t state;
static uint32_t noise(void)
{
	state = state * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)(state >> 32);
}

/* Half of the CSR numbers from where CSRs are: the rest of the space is empty. */
static uint32_t csr_number(void)
{
	static const uint16_t bases[] = {
	    0x000, 0x100, 0x140, 0x180, 0x300, 0x320, 0x340, 0x7C0, 0xB00, 0xB80, 0xC00, 0xC80, 0xF10};
	return noise() & 1 ? noise() & 0xFFF : (uint32_t)bases[noise() % 13] + (noise() & 0x1F);
}

static uint32_t sample(size_t row, unsigned n)
{
	if (row >= ROWS)
		return noise() | 3;
	uint32_t word = rows[row].match | (noise() & ~rows[row].mask);
	if (rows[row].csr)
		word = (word & 0xFFFFF) | csr_number() << 20;
	if (n < PER_ROW)
		return word;
	for (unsigned flips = 1 + (noise() & 1); flips;) {
		uint32_t bit = 1u << (2 + noise() % 30);
		if (rows[row].mask & bit) {
			word ^= bit;
			flips--;
		}
	}
	return word;
}

/* Calls visit with each word and the address of its slot, always in the same order. */
static void each_word(void (*visit)(uint32_t address, uint32_t word, void *context), void *context)
{
	uint32_t at = BASE;
	state = 20260101 + width;
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
		if (i < ROWS && ((rows[i].match & 3) != 3 || (rows[i].width != 0 && rows[i].width != width)))
			continue;
		unsigned count = i < ROWS ? PER_ROW + NEAR_MISS : NOISE;
		for (unsigned n = 0; n < count; n++) {
			uint32_t word = sample(i, n);
			visit(at, word, context);
			at += (word & 0x1C) == 0x1C ? LONG_SLOT : 4;
		}
	}
}

static void put_half(uint32_t half)
{
	putchar((int)(half & 0xFF));
	putchar((int)(half >> 8 & 0xFF));
}

static void write_word(uint32_t address, uint32_t word, void *context)
{
	(void)address;
	(void)context;
	put_half(word);
	put_half((word & 3) == 3 ? word >> 16 : PADDING);
	if ((word & 0x1C) == 0x1C && (word & 3) == 3)
		for (unsigned at = 4; at < LONG_SLOT; at += 2)
			put_half(PADDING);
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
	SHIFT_32,
	NAMED_TRAP,
	BY_0,
	CSR_NAME,
	NO_JUDGE,
	NO_JUDGE_RM,
	RM_RESERVED,
	NO_ROUNDING,
	OTHER_EXTENSION,
	UNKNOWN,
	RULES
};
static const char *const reasons[RULES] = {
    [SAME] = "the same text",
    [LONG] = "prefixes of encodings longer than 32 bits: the same length",
    [C_NOP] = "c.nop: objdump knows it only as the alias of c.addi zero",
    [FENCE_FIELDS] = "fence: all fields but the sets are ignored here (docs/core.md section 6); objdump wants them 0",
    [FENCE_TSO] = "fence.tso: a name of its own to objdump, a fence with fm to docs/core.md",
    [FENCE_I_FIELDS] = "fence.i: all other fields are ignored here; objdump wants them 0",
    [HINT_SHIFT] = "c.slli, c.srli, c.srai by 0: a HINT here; objdump prints the RV128 name",
    [SHIFT_32] = "shifts by 32 and more in RV32: reserved, so no shift here; objdump prints the RV64 amount",
    [NAMED_TRAP] = "0x0000 (illegal) and a write to cycle (traps): objdump has names for what it means to trap",
    [BY_0] = "c.addi16sp by 0: reserved, so no instruction here; one to objdump",
    [CSR_NAME] = "CSRs that this core lacks, or that read as 0: the number here, a name to objdump",
    [NO_JUDGE] = "Zcb, Zicond, mnret: not known to this objdump; check_isa_sets has words from their specifications",
    [NO_JUDGE_RM] = "conversions that cannot round, with a rounding mode: objdump wants 0, the manual allows all",
    [RM_RESERVED] = "rounding modes 5 and 6: reserved, so no instruction here; \"unknown\" to objdump",
    [NO_ROUNDING] = "conversions that cannot round: objdump leaves out the rounding mode 0",
    [OTHER_EXTENSION] = "privileged instructions that the table lacks: .insn here",
    [UNKNOWN] = "no instruction to both",
};

struct comparison {
	FILE *file;
	uint32_t line_address; /* of the line read last */
	char text[128];        /* of it, as isa_format writes */
	bool more;
	unsigned long words, counts[RULES], different, encoded, compressed;
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
	size_t length = strlen(mnemonic);
	if (length >= size)
		length = size - 1;
	memcpy(text, mnemonic, length);
	text[length] = '\0';
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

static bool is_instruction(const char *theirs)
{
	return theirs[0] != '.' && !starts(theirs, "0x");
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
	static const uint16_t named[] = {0x300, 0x301, 0x304, 0x305, 0x306, 0x340, 0x341, 0x342, 0x343, 0x344, 0x7A0,
	    0x7A1, 0xB00, 0xB02, 0xB80, 0xB82, 0xC00, 0xC02, 0xC80, 0xC82, 0xF11, 0xF12, 0xF13, 0xF14};
	for (size_t i = 0; i < sizeof named / sizeof *named; i++)
		if (named[i] == csr)
			return true;
	return false;
}

/* An RV32 shift whose amount has bit 5 set, printed by objdump with that amount. */
static bool wide_shift(uint32_t w, const char *theirs)
{
	static const char *const names[] = {"c.slli ", "c.srli ", "c.srai ", "slli ", "srli ", "srai ", "rori ",
	    "bclri ", "bexti ", "binvi ", "bseti "};
	uint32_t amount = (w & 3) == 3 ? w >> 20 & 63 : (w >> 7 & 32) | (w >> 2 & 31);
	const char *comma = strrchr(theirs, ',');
	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (starts(theirs, names[i]))
			return width == 32 && amount >= 32 && comma && strtoul(comma + 1, NULL, 16) == amount;
	return false;
}

static bool privileged_name(const char *theirs)
{
	/* returns of draft extensions, hypervisor and supervisor fences, hypervisor loads and stores */
	static const char *const names[] = {"uret", "hret", "sfence.vm", "hfence", "hlv", "hsv", "sinval", "hinval",
	    "sfence.w.inval", "sfence.inval.ir", "wrs."};
	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (starts(theirs, names[i]))
			return true;
	return false;
}

/* fcvt.d.w, fcvt.d.wu, fcvt.d.s: the result is exact. */
static bool cannot_round(const struct isa_insn *insn)
{
	return insn->op == ISA_FCVT_D_W || insn->op == ISA_FCVT_D_WU || insn->op == ISA_FCVT_D_S;
}

static bool unjudged(const struct isa_insn *insn)
{
	return insn->op == ISA_MNRET || !isa_row_in(insn->row, set & ~(unsigned)(ISA_EXT_ZCB | ISA_EXT_ZICOND));
}

/* Where an encoding is no instruction to us. */
static enum rule allowed_unknown(const struct isa_insn *insn, const char *theirs)
{
	uint32_t w = (uint32_t)insn->word;
	if (!is_instruction(theirs))
		return UNKNOWN;
	if (wide_shift(w, theirs))
		return SHIFT_32;
	if (w == 0 && !strcmp(theirs, "c.unimp"))
		return NAMED_TRAP;
	if (w == 0x6101 && !strcmp(theirs, "c.addi16sp sp,0"))
		return BY_0;
	if ((w >> 12 & 7) >= 5 && (w >> 12 & 7) <= 6 && strstr(theirs, ",unknown"))
		return RM_RESERVED;
	return (w & 0x7F) == 0x73 && privileged_name(theirs) ? OTHER_EXTENSION : RULES;
}

/* Why ours and theirs are both right, or RULES. */
static enum rule allowed(const struct isa_insn *insn, const char *ours, const char *theirs)
{
	char text[160];
	uint32_t w = (uint32_t)insn->word;
	if (!strcmp(ours, theirs))
		return SAME;
	if (insn->row == 0)
		return allowed_unknown(insn, theirs);
	if (starts(ours, "c.nop") && starts(theirs, "c.addi zero,") &&
	    atoi(theirs + strlen("c.addi zero,")) == insn->imm)
		return C_NOP;
	if (insn->op == ISA_FENCE && !is_instruction(theirs))
		return w & 0xF00F8F80 ? FENCE_FIELDS : RULES;
	if (w == 0x8330000F && !strcmp(theirs, "fence.tso"))
		return FENCE_TSO;
	if (insn->op == ISA_FENCE_I && !is_instruction(theirs))
		return w == 0x100F ? RULES : FENCE_I_FIELDS;
	if (insn->length == 2 && (insn->op == ISA_SLLI || insn->op == ISA_SRLI || insn->op == ISA_SRAI) &&
	    insn->imm == 0) {
		snprintf(text, sizeof text, "%s64 %s", isa_name(insn), isa_register_names[insn->rd]);
		return strcmp(text, theirs) ? RULES : HINT_SHIFT;
	}
	if (w == 0xC0001073 && !strcmp(theirs, "unimp"))
		return NAMED_TRAP;
	if (insn->op >= ISA_CSRRW && insn->op <= ISA_CSRRCI && !named_here((uint32_t)insn->imm) &&
	    csr_by_number(insn, theirs, text, sizeof text))
		return strcmp(text, ours) ? RULES : CSR_NAME;
	if (unjudged(insn) && !is_instruction(theirs))
		return NO_JUDGE;
	if (cannot_round(insn)) {
		snprintf(text, sizeof text, "%s,rne", theirs);
		if (insn->rm == 0 && !strcmp(ours, text))
			return NO_ROUNDING;
		return insn->rm != 0 && !is_instruction(theirs) ? NO_JUDGE_RM : RULES;
	}
	return RULES;
}

/* What is decoded is encoded to the same word; a shorter or longer form does the same. */
static bool round_trip(const struct isa_insn *insn, struct comparison *c)
{
	uint64_t word;
	struct isa_insn other, back;
	if (isa_encode(insn, &word) != ISA_OK || word != insn->word)
		return false;
	c->encoded++;
	if (insn->row == 0)
		return true;
	int error = insn->length == 2 ? isa_expand(insn, set, &other) : isa_compress(insn, set, &other);
	if (error != ISA_OK) /* every compressed instruction of these sets has a full form */
		return insn->length == 4;
	struct isa_registers a, b;
	isa_registers(insn, &a);
	isa_registers(&other, &b);
	c->compressed++;
	if (insn->length == 2)
		return other.length == 4 && other.op == insn->op && other.imm == insn->imm && !memcmp(&a, &b, sizeof a);
	return other.length == 2 && isa_expand(&other, set, &back) == ISA_OK && back.length == 4 &&
	       !memcmp(&a, &b, sizeof a) &&
	       (insn->class_bits & ~(unsigned)ISA_HINT) == (back.class_bits & ~(unsigned)ISA_HINT);
}

static void compare_word(uint32_t address, uint32_t word, void *context)
{
	struct comparison *c = context;
	struct isa_insn insn;
	char ours[128], theirs[128] = "nothing at this address";
	isa_decode(word, set, &insn);
	isa_format(&insn, address, ours, sizeof ours);
	while (c->more && c->line_address < address)
		next_line(c);
	if (c->more && c->line_address == address) {
		memcpy(theirs, c->text, sizeof theirs);
		add_prefix(&insn, theirs, sizeof theirs);
	}
	enum rule rule = allowed(&insn, ours, theirs);
	if (insn.length > 4) { /* the next line says how long it is to objdump */
		next_line(c);
		rule = c->line_address - address == insn.length ? LONG : RULES;
	}
	if (!round_trip(&insn, c)) {
		rule = RULES;
		snprintf(theirs, sizeof theirs, "(does not encode, compress or expand as it decodes)");
	}
	c->words++;
	if (rule < RULES)
		c->counts[rule]++;
	else if (c->different++ < 20)
		fprintf(stderr, "0x%0*x at 0x%x: isa_format \"%s\", objdump \"%s\"\n", insn.length == 2 ? 4 : 8, word,
		    address, ours, theirs);
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
		bool elsewhere = width == 64 ? i == SHIFT_32 : false;
		printf("%8lu  %s\n", c.counts[i], reasons[i]);
		unused += c.counts[i] == 0 && !elsewhere;
	}
	printf("isa-objdump: RV%u: %lu words, %lu encoded again, %lu compressed or expanded, %lu differences that have "
	       "no reason\n",
	    width, c.words, c.encoded, c.compressed, c.different);
	if (unused)
		printf(
		    "isa-objdump: %u rules applied to no word: take them out, or sample what they are for\n", unused);
	return c.different || unused || c.words < 1000000 ? EXIT_FAILURE : EXIT_SUCCESS;
}

int main(int argc, char **argv)
{
	width = argc > 2 ? (unsigned)atoi(argv[2]) : 0;
	set = width == 64 ? ISA_ANY64 : ISA_ANY32;
	if (argc == 3 && !strcmp(argv[1], "write") && (width == 32 || width == 64)) {
		each_word(write_word, NULL);
		return fflush(stdout) ? EXIT_FAILURE : EXIT_SUCCESS;
	}
	if (argc == 4 && !strcmp(argv[1], "compare") && (width == 32 || width == 64))
		return compare(argv[3]);
	fprintf(stderr, "usage: %s write 32|64 | compare 32|64 FILE\n", argv[0]);
	return 2;
}
