/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* Loading and running on the golden model: ELF files good and bad (all written here), tohost, signature, run
 * configuration, UART. */
#include <check.h>
#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "model/run.h"
#include "common/run_config.h"
#include "tests/suite.h"

#define BASE 0x80000000u
#define WORDS 64    /* of the segment */
#define TOHOST 0x80 /* offsets in the segment */
#define SIGNATURE 0x90
#define CONFIG 0xA0

static char directory[256], path[300], detail[400];
static struct model *model;

/* ---------------------------------------------------------------- a small ELF file */

static struct file {
	Elf32_Ehdr header;
	Elf32_Phdr segment;
	uint32_t words[WORDS];
	Elf32_Sym symbols[5];
	char names[64];
	Elf32_Shdr sections[3]; /* null, symtab, strtab */
} file;

static void name_symbol(unsigned index, const char *name, uint32_t value)
{
	size_t at = 1;
	while (file.names[at])
		at += strlen(file.names + at) + 1;
	strcpy(file.names + at, name);
	file.symbols[index] =
	    (Elf32_Sym){.st_name = (Elf32_Word)at, .st_value = value, .st_info = STB_GLOBAL << 4, .st_shndx = SHN_ABS};
}

/* A program that writes 1 (code 0) to tohost, with all symbols and a run configuration. */
static void make_file(void)
{
	static const uint32_t program[] = {0x00000297 /* auipc t0,0 */, 0x00100313 /* addi t1,zero,1 */,
	    0x0862A023 /* sw t1,128(t0) */, 0x0000006F /* jal zero,. */};
	static const struct run_config defaults = {
#define RUN_WORD(name, value, text) value,
	    RUN_CONFIG_WORDS(RUN_WORD)
#undef RUN_WORD
	};
	memset(&file, 0, sizeof file);
	file.header = (Elf32_Ehdr){.e_ident = {ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS32, ELFDATA2LSB, EV_CURRENT},
	    .e_type = ET_EXEC,
	    .e_machine = EM_RISCV,
	    .e_version = EV_CURRENT,
	    .e_entry = BASE,
	    .e_phoff = offsetof(struct file, segment),
	    .e_shoff = offsetof(struct file, sections),
	    .e_ehsize = sizeof(Elf32_Ehdr),
	    .e_phentsize = sizeof(Elf32_Phdr),
	    .e_phnum = 1,
	    .e_shentsize = sizeof(Elf32_Shdr),
	    .e_shnum = 3};
	file.segment = (Elf32_Phdr){.p_type = PT_LOAD,
	    .p_offset = offsetof(struct file, words),
	    .p_vaddr = BASE,
	    .p_paddr = BASE,
	    .p_filesz = sizeof file.words,
	    .p_memsz = sizeof file.words + 16,
	    .p_flags = PF_R | PF_W | PF_X,
	    .p_align = 4};
	memcpy(file.words, program, sizeof program);
	file.words[SIGNATURE / 4] = 0x0000BEEF;
	file.words[SIGNATURE / 4 + 1] = 0x89ABCDEF;
	memcpy(&file.words[CONFIG / 4], &defaults, sizeof defaults);
	name_symbol(1, "tohost", BASE + TOHOST);
	name_symbol(2, "begin_signature", BASE + SIGNATURE);
	name_symbol(3, "end_signature", BASE + SIGNATURE + 8);
	name_symbol(4, "rivulet_config", BASE + CONFIG);
	file.sections[1] = (Elf32_Shdr){.sh_type = SHT_SYMTAB,
	    .sh_offset = offsetof(struct file, symbols),
	    .sh_size = sizeof file.symbols,
	    .sh_link = 2,
	    .sh_entsize = sizeof(Elf32_Sym)};
	file.sections[2] = (Elf32_Shdr){
	    .sh_type = SHT_STRTAB, .sh_offset = offsetof(struct file, names), .sh_size = sizeof file.names};
}

static void write_bytes(const void *bytes, size_t size)
{
	FILE *f = fopen(path, "wb");
	ck_assert_ptr_nonnull(f);
	ck_assert_uint_eq(fwrite(bytes, 1, size, f), size);
	ck_assert_int_eq(fclose(f), 0);
}

static int load(void)
{
	memset(detail, 0, sizeof detail);
	return model_load_elf(model, path, detail, sizeof detail);
}
static int load_file(void)
{
	write_bytes(&file, sizeof file);
	return load();
}
/* Loading fails with this error, and the sentence names the file and says more. */
static void refused(int error, int got, const char *says)
{
	ck_assert_msg(got == error, "error %d (%s), expected %d", got, detail, error);
	ck_assert_msg(strstr(detail, path) == detail, "the file is not named: '%s'", detail);
	ck_assert_msg(strlen(detail) > strlen(path) + 8, "nothing is said: '%s'", detail);
	ck_assert_msg(strstr(detail + strlen(path), says) != NULL, "'%s' does not say '%s'", detail, says);
}

static void setup(void)
{
	struct model_config config;
	snprintf(directory, sizeof directory, "%s/load-XXXXXX", SCRATCH);
	ck_assert_ptr_nonnull(mkdtemp(directory));
	snprintf(path, sizeof path, "%s/program.elf", directory);
	model_config_default(&config);
	ck_assert_int_eq(model_open(&model, &config), 0);
	make_file();
}
static void teardown(void)
{
	model_close(model);
	unlink(path);
	rmdir(directory);
}

static uint32_t memory(uint32_t address)
{
	uint32_t value = 0;
	ck_assert_int_eq(model_read(model, address, &value, 4), 0);
	return value;
}

/* ---------------------------------------------------------------- ELF files */

START_TEST(good_file)
{
	uint32_t begin, end, dirty = 0xFFFFFFFF;
	/* what lies behind the file's part of a segment is cleared */
	ck_assert_int_eq(model_write(model, BASE + sizeof file.words, &dirty, 4), 0);
	ck_assert_int_eq(load_file(), 0);
	ck_assert_uint_eq(memory(BASE + sizeof file.words), 0);
	for (unsigned i = 0; i < WORDS; i++)
		ck_assert_uint_eq(memory(BASE + 4 * i), file.words[i]);
	ck_assert(model_tohost(model, &begin));
	ck_assert_uint_eq(begin, BASE + TOHOST);
	ck_assert(model_signature(model, &begin, &end));
	ck_assert(begin == BASE + SIGNATURE && end == BASE + SIGNATURE + 8);
}
END_TEST

/* A stripped program loads, and forgets the symbols of the one before. */
START_TEST(stripped_file)
{
	uint32_t a, b;
	ck_assert_int_eq(load_file(), 0);
	file.header.e_shoff = 0;
	file.header.e_shnum = 0;
	ck_assert_int_eq(load_file(), 0);
	ck_assert(!model_tohost(model, &a));
	ck_assert(!model_signature(model, &a, &b));
	ck_assert_int_eq(model_set(model, "seed=3", detail, sizeof detail), MODEL_EADDRESS);
}
END_TEST

START_TEST(missing_file)
{
	refused(MODEL_EOPEN, load(), "No such file");
}
END_TEST

START_TEST(not_a_file)
{
	snprintf(path, sizeof path, "%s", directory);
	refused(MODEL_EOPEN, load(), "a directory");
}
END_TEST

START_TEST(empty_file)
{
	write_bytes("", 0);
	refused(MODEL_EELF, load(), "is empty");
}
END_TEST

START_TEST(text_file)
{
	write_bytes("int main(void) { return 0; }\n", 29);
	refused(MODEL_EELF, load(), "not an ELF file");
	write_bytes("!<arch>\n", 8);
	refused(MODEL_EELF, load(), "not an ELF file");
}
END_TEST

/* Cut at every offset. */
START_TEST(truncated_file)
{
	for (size_t size = 0; size < sizeof file; size++) {
		write_bytes(&file, size);
		refused(MODEL_EELF, load(), size == 0 ? "empty" : "cut off");
	}
}
END_TEST

START_TEST(other_machine)
{
	file.header.e_machine = EM_386;
	refused(MODEL_EARCH, load_file(), "machine 3");
	file.header.e_machine = EM_X86_64;
	refused(MODEL_EARCH, load_file(), "machine 62");
}
END_TEST

/* A true 64-bit header, of RISC-V and of x86-64. */
START_TEST(wide_file)
{
	struct {
		Elf64_Ehdr header;
		Elf64_Phdr segment;
	} whole = {.segment = {.p_type = PT_LOAD}};
	Elf64_Ehdr wide = {.e_ident = {ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64, ELFDATA2LSB, EV_CURRENT},
	    .e_type = ET_EXEC,
	    .e_machine = EM_RISCV,
	    .e_version = EV_CURRENT,
	    .e_ehsize = sizeof wide,
	    .e_phoff = sizeof wide,
	    .e_phnum = 1,
	    .e_phentsize = sizeof(Elf64_Phdr),
	    .e_shentsize = sizeof(Elf64_Shdr)};
	whole.header = wide;
	write_bytes(&whole, sizeof whole);
	refused(MODEL_EARCH, load(), "64-bit");
	wide.e_machine = EM_X86_64;
	write_bytes(&wide, sizeof wide);
	refused(MODEL_EARCH, load(), "machine 62");
	write_bytes(&wide, 60);
	refused(MODEL_EELF, load(), "");
}
END_TEST

static uint16_t swap16(uint16_t value)
{
	return (uint16_t)(value >> 8 | value << 8);
}

START_TEST(big_endian)
{
	file.header.e_ident[EI_DATA] = ELFDATA2MSB;
	file.header.e_machine = swap16(EM_RISCV);
	file.header.e_type = swap16(ET_EXEC);
	file.header.e_version = __builtin_bswap32(EV_CURRENT);
	file.header.e_phoff = __builtin_bswap32(file.header.e_phoff);
	file.header.e_shoff = file.header.e_shnum = 0;
	refused(MODEL_EARCH, load_file(), "big-endian");
}
END_TEST

START_TEST(not_executable)
{
	file.header.e_type = ET_REL;
	refused(MODEL_EELF, load_file(), "link it");
	file.header.e_type = ET_DYN;
	refused(MODEL_EELF, load_file(), "type 3");
	file.header.e_type = ET_CORE;
	refused(MODEL_EELF, load_file(), "type 4");
	file.header.e_type = ET_EXEC;
	file.header.e_phnum = 0;
	refused(MODEL_EELF, load_file(), "program headers");
}
END_TEST

START_TEST(outside_ram)
{
	static const uint32_t places[][2] = {{0x10000, 256}, {BASE - 4, 256}, {BASE, (128 << 10) + 4},
	    {BASE + (128 << 10) - 252, 256}, {BASE + (128 << 10), 256}, {0xFFFFFF00, 256}};
	for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
		make_file();
		file.segment.p_paddr = file.segment.p_vaddr = places[i][0];
		file.segment.p_memsz = places[i][1];
		refused(MODEL_ESIZE, load_file(), "RAM is");
	}
	/* to the last byte it fits */
	make_file();
	file.segment.p_paddr = BASE + (128 << 10) - 256;
	file.segment.p_memsz = 256;
	file.header.e_entry = file.segment.p_vaddr;
	ck_assert_int_eq(load_file(), 0);
	/* past the last address */
	make_file();
	file.segment.p_paddr = file.segment.p_vaddr = 0xFFFFFFFC;
	file.segment.p_memsz = 0xFFFFFFFF;
	refused(MODEL_EELF, load_file(), "damaged");
}
END_TEST

/* The first instruction is that at the entry, after a reset too; an entry outside the program is refused. */
START_TEST(entry)
{
	static const uint32_t wrong[] = {0, BASE - 4, BASE + sizeof file.words, BASE + 5, 0xFFFFFFFC};
	for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
		make_file();
		file.header.e_entry = wrong[i];
		refused(MODEL_EELF, load_file(), "entry");
	}
	for (uint32_t at = 0; at < 16; at += 4) {
		make_file();
		file.header.e_entry = BASE + at;
		ck_assert_int_eq(load_file(), 0);
		model_start(model);
		for (int again = 0; again < 2; again++) {
			struct model_in in = {.uart_rx = true};
			struct model_out out = {0};
			while (!out.valid)
				model_cycle(model, &in, &out);
			ck_assert_uint_eq(out.pc, BASE + at);
			ck_assert_uint_eq(out.order, 0);
			in.rst = true;
			model_cycle(model, &in, &out);
		}
	}
}
END_TEST

/* A stack that lies outside the RAM is said before the program only traps. */
START_TEST(stack)
{
	static const uint32_t good[] = {BASE + 4, BASE + (128 << 10)}, wrong[] = {BASE, 0, BASE + (128 << 10) + 4};
	for (size_t i = 0; i < 2; i++) {
		make_file();
		memset(file.names, 0, sizeof file.names);
		name_symbol(1, "__stack", good[i]);
		ck_assert_int_eq(load_file(), 0);
	}
	for (size_t i = 0; i < 3; i++) {
		make_file();
		memset(file.names, 0, sizeof file.names);
		name_symbol(1, "__stack", wrong[i]);
		refused(MODEL_ESIZE, load_file(), "__stack");
	}
}
END_TEST

START_TEST(damaged_segment)
{
	file.segment.p_filesz = file.segment.p_memsz + 4;
	refused(MODEL_EELF, load_file(), "damaged");
	make_file();
	file.segment.p_offset = sizeof file - 8;
	refused(MODEL_EELF, load_file(), "cut off");
	make_file();
	file.segment.p_offset = 0xFFFFFFF0;
	refused(MODEL_EELF, load_file(), "cut off");
	/* headers past the end of the file */
	make_file();
	file.header.e_phoff = 0xFFFFFFF0;
	refused(MODEL_EELF, load_file(), "program header");
	make_file();
	file.header.e_phnum = 2000;
	refused(MODEL_EELF, load_file(), "");
}
END_TEST

/* Every bit of the headers flipped, one at a time: loads or is refused, and says why. */
START_TEST(flipped_bits)
{
	unsigned bad = 0;
	size_t headers = sizeof file.header + sizeof file.segment;
	size_t tables = offsetof(struct file, symbols);
	for (size_t at = 0; at < sizeof file; at = at + 1 == headers ? tables : at + 1)
		for (unsigned bit = 0; bit < 8; bit++) {
			make_file();
			((uint8_t *)&file)[at] ^= (uint8_t)(1u << bit);
			int error = load_file();
			ck_assert_int_le(error, 0);
			if (error) {
				refused(error, error, "");
				bad++;
			}
		}
	ck_assert_uint_gt(bad, 100);
}
END_TEST

/* The sentence is cut to the buffer, never past it. */
START_TEST(short_detail)
{
	char small[16];
	memset(small, '#', sizeof small);
	ck_assert_int_eq(model_load_elf(model, path, small, 8), MODEL_EOPEN);
	ck_assert_uint_eq(strlen(small), 7);
	ck_assert_int_eq(small[8], '#');
}
END_TEST

/* ---------------------------------------------------------------- running */

START_TEST(tohost_ends)
{
	struct run_result result;
	for (uint32_t code = 0; code < 4; code++) {
		struct model_config config;
		make_file();
		model_close(model);
		model_config_default(&config);
		ck_assert_int_eq(model_open(&model, &config), 0);
		file.words[1] = 0x00000313 | (code << 1 | 1) << 20; /* addi t1,zero,2 * code + 1 */
		ck_assert_int_eq(load_file(), 0);
		model_run(model, NULL, 1000, 0, &result);
		ck_assert_int_eq(result.end, RUN_END_EXIT);
		ck_assert_uint_eq(result.code, code);
		ck_assert_uint_eq(memory(BASE + TOHOST), code << 1 | 1);
	}
	/* an even value asks the host, and nobody answers */
	struct model_config config;
	model_close(model);
	model_config_default(&config);
	ck_assert_int_eq(model_open(&model, &config), 0);
	file.words[1] = 0x00200313;
	ck_assert_int_eq(load_file(), 0);
	model_run(model, NULL, 1000, 0, &result);
	ck_assert_int_eq(result.end, RUN_END_HOST_CALL);
	ck_assert_uint_eq(result.code, 2);
}
END_TEST

START_TEST(limits_end)
{
	struct run_result result;
	make_file();
	file.words[0] = 0x00128293; /* addi t0,t0,1 */
	file.words[1] = 0xFFDFF06F; /* jal zero,.-4 */
	ck_assert_int_eq(load_file(), 0);
	model_run(model, NULL, 777, 0, &result);
	ck_assert_int_eq(result.end, RUN_END_CYCLES);
	ck_assert_uint_eq(result.cycles, 777);
	model_run(model, NULL, 0, 100, &result);
	ck_assert_int_eq(result.end, RUN_END_INSTRUCTIONS);
	ck_assert_uint_eq(result.instructions, 100);
}
END_TEST

static bool never(void *context, uint64_t cycles, uint64_t instructions)
{
	(void)instructions;
	*(uint64_t *)context = cycles;
	return false;
}

START_TEST(progress_stops)
{
	struct run_result result;
	uint64_t at = 0;
	struct run_hooks hooks = {.context = &at, .progress = never};
	file.words[0] = 0x00128293;
	file.words[1] = 0xFFDFF06F;
	ck_assert_int_eq(load_file(), 0);
	model_run(model, &hooks, 0, 0, &result);
	ck_assert_int_eq(result.end, RUN_END_STOPPED);
	ck_assert_uint_eq(at, 1u << 20);
}
END_TEST

/* A program that cannot go on ends the run; one that can does not. */
START_TEST(stuck_programs)
{
	static const struct {
		uint32_t words[12];
		bool ends;
	} programs[] = {
	    {{0x10500073 /* wfi */}, true},
	    {{0x0000006F /* jal zero,. */}, true},
	    {{0x0000A001 /* c.j . */}, true},
	    {{0x00000063 /* beq zero,zero,. */}, true},
	    {{0x00000517 /* auipc a0,0 */, 0x00450067 /* jalr zero,4(a0) */}, true},
	    /* a software interrupt is there and enabled in mie, MIE is 0 */
	    {{0x020002B7 /* lui t0,0x2000 */, 0x00100313 /* addi t1,zero,1 */, 0x0062A023 /* sw t1,0(t0) */,
		 0x30446073 /* csrrsi zero,mie,8 */, 0x0000006F},
		true},
	    /* goes to itself once, and on from there */
	    {{0x00000517, 0x00850513 /* addi a0,a0,8 */, 0x00050567 /* jalr a0,0(a0) */, 0x00128293 /* addi t0,t0,1 */,
		 0xFFDFF06F /* jal zero,.-4 */},
		false},
	    /* the same by mret, to U, where it traps to the loop at mtvec */
	    {{0x00000517, 0x01C50593 /* addi a1,a0,28 */, 0x30559073 /* csrrw zero,mtvec,a1 */,
		 0x01450513 /* addi a0,a0,20 */, 0x34151073 /* csrrw zero,mepc,a0 */, 0x30200073 /* mret */, 0x00000013,
		 0x00128293, 0xFFDFF06F},
		false},
	    /* the timer is enabled: it may come */
	    {{0x08000293 /* addi t0,zero,128 */, 0x30429073 /* csrrw zero,mie,t0 */, 0x10500073}, false},
	};
	for (size_t i = 0; i < sizeof programs / sizeof *programs; i++) {
		struct model_config config;
		struct run_result result;
		model_close(model);
		model_config_default(&config);
		ck_assert_int_eq(model_open(&model, &config), 0);
		ck_assert_int_eq(model_write(model, BASE, programs[i].words, sizeof programs[i].words), 0);
		model_run(model, NULL, 1000, 0, &result);
		ck_assert_msg(result.end == (programs[i].ends ? RUN_END_STUCK : RUN_END_CYCLES), "program %zu: end %d",
		    i, (int)result.end);
	}
}
END_TEST

static struct {
	uint8_t bytes[300];
	size_t count;
} heard;
static void hear(void *context, uint8_t byte)
{
	(void)context;
	if (heard.count < sizeof heard.bytes)
		heard.bytes[heard.count++] = byte;
}

/* The program sends 0 to 255, waiting for the buffer each time, and the receiver of model_run hears each, at every
 * speed. */
START_TEST(uart_is_heard)
{
	static const uint32_t program[] = {0x10000537 /* lui a0,0x10000 */, 0x00000593 /* addi a1,zero,0 */,
	    0x10000693 /* addi a3,zero,256 */, 0x00452603 /* lw a2,4(a0) */, 0x00167613 /* andi a2,a2,1 */,
	    0xFE060CE3 /* beq a2,zero,.-8 */, 0x00B52023 /* sw a1,0(a0) */, 0x00158593 /* addi a1,a1,1 */,
	    0xFED596E3 /* bne a1,a3,.-20 */, 0x00452603, 0x00867613 /* andi a2,a2,8 */, 0xFE060CE3,
	    0x10010537 /* lui a0,0x10010 */, 0x00052223 /* sw zero,4(a0) */, 0x0000006F};
	static const uint16_t divs[] = {0, 1, 2, 7, 16, 99};
	for (size_t i = 0; i < sizeof divs / sizeof *divs; i++) {
		struct model_config config;
		struct run_result result;
		struct run_hooks hooks = {.uart = hear};
		model_close(model);
		model_config_default(&config);
		config.uart_div = divs[i];
		ck_assert_int_eq(model_open(&model, &config), 0);
		ck_assert_int_eq(model_write(model, BASE, program, sizeof program), 0);
		heard.count = 0;
		model_run(model, &hooks, 2000000, 0, &result);
		ck_assert_int_eq(result.end, RUN_END_EXIT);
		ck_assert_uint_eq(result.code, 0);
		ck_assert_msg(heard.count == 256, "DIV %u: %zu bytes", divs[i], heard.count);
		for (unsigned b = 0; b < 256; b++)
			ck_assert_uint_eq(heard.bytes[b], b);
	}
}
END_TEST

/* ---------------------------------------------------------------- signature and run configuration */

START_TEST(signature)
{
	char out[320], text[64] = "";
	ck_assert_int_eq(load_file(), 0);
	snprintf(out, sizeof out, "%s/signature", directory);
	ck_assert_int_eq(model_write_signature(model, out, detail, sizeof detail), 0);
	FILE *f = fopen(out, "r");
	ck_assert_ptr_nonnull(f);
	size_t n = fread(text, 1, sizeof text - 1, f);
	fclose(f);
	unlink(out);
	text[n] = '\0';
	ck_assert_str_eq(text, "0000beef\n89abcdef\n");
	/* a directory that is not there */
	snprintf(out, sizeof out, "%s/none/signature", directory);
	ck_assert_int_eq(model_write_signature(model, out, detail, sizeof detail), MODEL_EOPEN);
	ck_assert_ptr_nonnull(strstr(detail, out));
}
END_TEST

START_TEST(signature_errors)
{
	char out[320];
	snprintf(out, sizeof out, "%s/signature", directory);
	ck_assert_int_eq(model_write_signature(model, out, detail, sizeof detail), MODEL_EADDRESS);
	ck_assert(strlen(detail) > 0 && access(out, F_OK) != 0);
	file.symbols[3].st_value = 0x90000000;
	ck_assert_int_eq(load_file(), 0);
	detail[0] = '\0';
	ck_assert_int_eq(model_write_signature(model, out, detail, sizeof detail), MODEL_EADDRESS);
	ck_assert(strlen(detail) > 0);
	unlink(out);
}
END_TEST

START_TEST(set_words)
{
	static const struct {
		const char *assignment;
		unsigned index;
		uint32_t value;
	} settings[] = {{"input=ref", 1, 1}, {"input=train", 1, 0}, {"input=1", 1, 1}, {"way=off", 2, RUN_OFF},
	    {"way=every", 2, RUN_EVERY}, {"way=timer", 2, RUN_TIMER}, {"way=sample", 2, RUN_SAMPLE},
	    {"way=watermark", 2, RUN_WATERMARK}, {"way=stream", 2, RUN_STREAM}, {"period=100", 3, 100},
	    {"period=0x10", 3, 16}, {"dither=010", 4, 8}, {"watermark=4294967295", 5, 0xFFFFFFFF}, {"ctrl=0", 6, 0},
	    {"threshold=7", 7, 7}, {"hot_period=9", 8, 9}, {"seed=12", 9, 12}};
	for (size_t i = 0; i < sizeof settings / sizeof *settings; i++) {
		make_file();
		ck_assert_int_eq(load_file(), 0);
		ck_assert_int_eq(model_set(model, settings[i].assignment, detail, sizeof detail), 0);
		for (unsigned w = 0; w < sizeof(struct run_config) / 4; w++)
			ck_assert_uint_eq(memory(BASE + CONFIG + 4 * w),
			    w == settings[i].index ? settings[i].value : file.words[CONFIG / 4 + w]);
	}
}
END_TEST

START_TEST(set_errors)
{
	static const char *const wrong[] = {"", "=", "way", "way=", "way=fast", "period=", "period=x", "period=-1",
	    "period=4294967296", "period=1x", "period= 1", "period=99999999999999999999999", "magic=1", "colour=1",
	    "Way=off", "perio=1", "periods=1", "way=off "};
	ck_assert_int_eq(load_file(), 0);
	for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
		detail[0] = '\0';
		ck_assert_msg(
		    model_set(model, wrong[i], detail, sizeof detail) == MODEL_ECONFIG, "'%s' was taken", wrong[i]);
		ck_assert_msg(strlen(detail) > strlen(wrong[i]) + 10, "'%s': nothing is said", wrong[i]);
		for (unsigned w = 0; w < sizeof(struct run_config) / 4; w++)
			ck_assert_uint_eq(memory(BASE + CONFIG + 4 * w), file.words[CONFIG / 4 + w]);
	}
	char small[24];
	memset(small, '#', sizeof small);
	ck_assert_int_eq(model_set(model, "colour=1", small, 20), MODEL_ECONFIG);
	ck_assert(strlen(small) == 19 && small[20] == '#');
	/* no block, a block without its magic, a block outside RAM */
	file.words[CONFIG / 4] ^= 1;
	ck_assert_int_eq(load_file(), 0);
	ck_assert_int_eq(model_set(model, "seed=1", detail, sizeof detail), MODEL_EADDRESS);
	make_file();
	file.symbols[4].st_value = 0x1000;
	ck_assert_int_eq(load_file(), 0);
	ck_assert_int_eq(model_set(model, "seed=1", detail, sizeof detail), MODEL_EADDRESS);
	ck_assert(strlen(detail) > 0);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("load");
	TCase *c = tcase_create("files");
	tcase_add_checked_fixture(c, setup, teardown);
	tcase_set_timeout(c, 60);
	tcase_add_test(c, good_file);
	tcase_add_test(c, stripped_file);
	tcase_add_test(c, missing_file);
	tcase_add_test(c, not_a_file);
	tcase_add_test(c, empty_file);
	tcase_add_test(c, text_file);
	tcase_add_test(c, truncated_file);
	tcase_add_test(c, other_machine);
	tcase_add_test(c, wide_file);
	tcase_add_test(c, big_endian);
	tcase_add_test(c, not_executable);
	tcase_add_test(c, outside_ram);
	tcase_add_test(c, damaged_segment);
	tcase_add_test(c, flipped_bits);
	tcase_add_test(c, entry);
	tcase_add_test(c, stack);
	tcase_add_test(c, short_detail);
	suite_add_tcase(suite, c);
	c = tcase_create("runs");
	tcase_add_checked_fixture(c, setup, teardown);
	tcase_set_timeout(c, 60);
	tcase_add_test(c, tohost_ends);
	tcase_add_test(c, limits_end);
	tcase_add_test(c, progress_stops);
	tcase_add_test(c, stuck_programs);
	tcase_add_test(c, uart_is_heard);
	tcase_add_test(c, signature);
	tcase_add_test(c, signature_errors);
	tcase_add_test(c, set_words);
	tcase_add_test(c, set_errors);
	suite_add_tcase(suite, c);
	return suite_finish(suite);
}
