/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#include <check.h>
#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>
#include "common/frame.h"
#include "host/image/image.h"
#include "tests/suite.h"

/* FIXTURE: tests/cmd/fixture.c, built by host/cmd/module.mk. */

static uint8_t *fixture;
static size_t fixture_size;

static void setup(void)
{
	FILE *file = fopen(FIXTURE, "rb");
	ck_assert_msg(file != NULL, "%s is missing: build it with make", FIXTURE);
	fixture = malloc(1 << 20);
	ck_assert_ptr_nonnull(fixture);
	fixture_size = fread(fixture, 1, 1 << 20, file);
	fclose(file);
}

static void teardown(void)
{
	free(fixture);
}

static int open_bytes(struct image **image, const uint8_t *bytes, size_t size, char *detail, size_t room)
{
	return image_open_memory(image, "t.elf", bytes, size, detail, room);
}

START_TEST(fixture_read)
{
	struct image *image;
	char detail[512] = "";
	struct image_place places[8];
	uint32_t crc;
	uint64_t start, mix, result, address, end;
	size_t count, available;
	ck_assert_msg(image_open(&image, FIXTURE, detail, sizeof detail) == IMAGE_OK, "%s", detail);
	ck_assert_int_eq(image_symbol(image, "_start", &start), IMAGE_OK);
	ck_assert_int_eq(image_symbol(image, "mix", &mix), IMAGE_OK);
	ck_assert_int_eq(image_symbol(image, "result", &result), IMAGE_OK);
	ck_assert_int_eq(image_symbol(image, "no such", &address), IMAGE_ENOSYMBOL);
	ck_assert_uint_eq(image_entry(image), start);
	ck_assert_str_eq(image_function(image, mix, &address), "mix");
	ck_assert_uint_eq(address, mix);
	ck_assert_str_eq(image_function(image, mix + 2, &address), "mix");
	ck_assert_ptr_null(image_function(image, result, NULL)); /* data */
	ck_assert_ptr_null(image_function(image, 0x1000, NULL));
	ck_assert_ptr_nonnull(image_code(image, 0x80000000, &available));
	ck_assert_ptr_null(image_code(image, result, &available));
	ck_assert_ptr_null(image_code(image, 0x7FFFFFFE, &available));
	const struct elf_segment *segments = image_segments(image, &count);
	ck_assert_uint_eq(count, 2);
	ck_assert_uint_eq(segments[0].address, 0x80000000);
	ck_assert(segments[0].execute && !segments[1].execute);

	/* build: the CRC of exactly these bytes */
	ck_assert_int_eq(image_build(image, &crc, detail, sizeof detail), IMAGE_OK);
	ck_assert_int_eq(image_symbol(image, "__text_end", &end), IMAGE_OK);
	ck_assert_uint_eq(crc, frame_crc32(0, segments[0].bytes, end - 0x80000000u));
	ck_assert(image_has_build(image, crc));
	ck_assert(!image_has_build(image, crc + 1));

	/* without DWARF: symbols only */
	ck_assert_uint_eq(image_places(image, mix, places, 8), 1);
	ck_assert_str_eq(places[0].function, "mix");
	ck_assert_uint_eq(places[0].line, 0);
	ck_assert_msg(image_debug(image, detail, sizeof detail) == IMAGE_OK, "%s", detail);
	ck_assert_uint_ge(image_places(image, mix, places, 8), 1);
	ck_assert_str_eq(places[0].function, "mix");
	const char *name = strrchr(places[0].file, '/');
	ck_assert_str_eq(name == NULL ? places[0].file : name + 1, "fixture.c");
	/* somewhere in mix lies the inlined rotate, called in line 13 */
	bool found = false;
	for (uint64_t pc = mix; pc < mix + 64 && !found; pc += 2) {
		count = image_places(image, pc, places, 8);
		found = count == 2 && places[0].function != NULL && strcmp(places[0].function, "rotate") == 0 &&
			places[0].line == 6 && strcmp(places[1].function, "mix") == 0 && places[1].line == 13;
	}
	ck_assert(found);
	const char *line = image_source(image, "tests/cmd/fixture.c", 6);
	ck_assert_ptr_nonnull(line);
	ck_assert_ptr_nonnull(strstr(line, "value << by"));
	ck_assert_ptr_null(image_source(image, "tests/cmd/fixture.c", 100000));
	ck_assert_ptr_null(image_source(image, "tests/cmd/none.c", 1));
	ck_assert_ptr_null(image_source(image, "tests/cmd", 1));
	/* a pipe of that name: nobody writes into it, so reading it would wait for ever */
	char pipe_name[] = FIXTURE ".pipe";
	unlink(pipe_name);
	ck_assert_int_eq(mkfifo(pipe_name, 0600), 0);
	ck_assert_ptr_null(image_source(image, pipe_name, 1));
	unlink(pipe_name);
	image_close(image);
	/* from elsewhere: below the directory in which it was compiled */
	char here[4096], path[8192];
	ck_assert_ptr_nonnull(getcwd(here, sizeof here));
	snprintf(path, sizeof path, "%s/%s", here, FIXTURE);
	ck_assert_int_eq(image_open(&image, path, detail, sizeof detail), IMAGE_OK);
	ck_assert_int_eq(image_debug(image, detail, sizeof detail), IMAGE_OK);
	ck_assert_int_eq(chdir("/"), 0);
	line = image_source(image, "tests/cmd/fixture.c", 6);
	const char *none = image_source(image, "tests/cmd/run", 1); /* it is there, and no unit names it */
	ck_assert_int_eq(chdir(here), 0);
	ck_assert_ptr_nonnull(line);
	ck_assert_ptr_nonnull(strstr(line, "value << by"));
	ck_assert_ptr_null(none);
	image_close(image);
}
END_TEST

/* The sentence is one: it names the file and says something. */
static void check_detail(const char *detail)
{
	ck_assert_ptr_nonnull(strstr(detail, "t.elf: "));
	ck_assert_uint_gt(strlen(detail), 20);
}

START_TEST(cut)
{
	char detail[512];
	for (size_t size = 0; size < fixture_size; size++) {
		struct image *image;
		detail[0] = '\0';
		int error = open_bytes(&image, fixture, size, detail, sizeof detail);
		ck_assert_msg(error < 0, "cut to %zu of %zu bytes was accepted", size, fixture_size);
		ck_assert_ptr_null(image);
		check_detail(detail);
	}
}
END_TEST

/* Any damage: an error with a sentence, or an image that can be used without a crash. */
START_TEST(flipped)
{
	static const uint8_t flips[] = {0x01, 0x80, 0xFF};
	char detail[512];
	struct image_place places[4];
	for (size_t at = 0; at < fixture_size; at++) {
		struct image *image;
		uint8_t old = fixture[at];
		fixture[at] = old ^ flips[(at + (size_t)_i) % 3];
		detail[0] = '\0';
		int error = open_bytes(&image, fixture, fixture_size, detail, sizeof detail);
		if (error != IMAGE_OK)
			check_detail(detail);
		else {
			uint32_t crc;
			(void)image_debug(image, detail, sizeof detail);
			(void)image_build(image, &crc, detail, sizeof detail);
			for (uint32_t pc = 0x80000000; pc < 0x80000080; pc += 2) {
				size_t count = image_places(image, pc, places, 4);
				ck_assert_uint_ge(count, 1);
				if (places[0].file != NULL)
					(void)image_source(image, places[0].file, places[0].line);
			}
		}
		image_close(image);
		fixture[at] = old;
	}
}
END_TEST

START_TEST(wrong_kind)
{
	static const struct {
		size_t offset;
		uint8_t value;
		int error;
		const char *word;
	} cases[] = {
	    {0, 'x', IMAGE_EELF, "not an ELF"},
	    {EI_CLASS, ELFCLASS64, IMAGE_EELF, "header entries"},
	    {EI_CLASS, 7, IMAGE_EELF, "class"},
	    {EI_DATA, ELFDATA2MSB, IMAGE_EARCH, "big-endian"},
	    {EI_VERSION, 2, IMAGE_EELF, "version"},
	    {16, ET_REL, IMAGE_ETYPE, "object file"},
	    {16, ET_CORE, IMAGE_ETYPE, "type"},
	    {18, EM_386, IMAGE_EARCH, "x86"},
	    {18, EM_X86_64, IMAGE_EARCH, "x86-64"},
	    {18, EM_ARM, IMAGE_EARCH, "Arm"},
	    {28, 0xF0, IMAGE_EELF, ""}, /* e_phoff */
	    {31, 0x7F, IMAGE_ETRUNCATED, "program headers"},
	    {35, 0x7F, IMAGE_ETRUNCATED, "section headers"},
	    {42, 31, IMAGE_EELF, "header entries"},
	    {44, 0, IMAGE_ETYPE, "no program headers"},
	};
	struct image *image;
	char detail[512];
	fixture[cases[_i].offset] = cases[_i].value;
	if (cases[_i].offset == 18)
		fixture[19] = 0;
	int error = open_bytes(&image, fixture, fixture_size, detail, sizeof detail);
	if (cases[_i].offset == 28) /* whatever lies there: an error of one kind or another */
		ck_assert_int_lt(error, 0);
	else
		ck_assert_int_eq(error, cases[_i].error);
	ck_assert_ptr_null(image);
	check_detail(detail);
	ck_assert_msg(strstr(detail, cases[_i].word) != NULL, "%s", detail);
}
END_TEST

/* Program headers that contradict the file or each other. */
START_TEST(segments)
{
	Elf32_Ehdr header;
	Elf32_Phdr program[2], good[2];
	struct image *image;
	char detail[512];
	memcpy(&header, fixture, sizeof header);
	memcpy(good, fixture + header.e_phoff, sizeof good);
	for (int i = 0; i < 6; i++) {
		int expected = IMAGE_EELF;
		memcpy(program, good, sizeof good);
		switch (i) {
		case 0:
			program[0].p_filesz = program[0].p_memsz + 1;
			break;
		case 1:
			program[1].p_vaddr = 0xFFFFFFFC;
			program[1].p_memsz = 8;
			break;
		case 2:
			program[1].p_vaddr = program[0].p_vaddr + 4;
			program[1].p_memsz = 4;
			program[1].p_filesz = 0;
			break;
		case 3:
			program[0].p_offset = 0x7FFFFFFF;
			expected = IMAGE_ETRUNCATED;
			break;
		case 4:
			program[0].p_filesz = program[0].p_memsz = 0x7FFFFFFF;
			program[1].p_vaddr = 0;
			expected = IMAGE_ETRUNCATED;
			break;
		case 5:
			program[0].p_flags = PF_R;
			expected = IMAGE_ETYPE;
			break;
		}
		memcpy(fixture + header.e_phoff, program, sizeof program);
		ck_assert_int_eq(open_bytes(&image, fixture, fixture_size, detail, sizeof detail), expected);
		check_detail(detail);
	}
}
END_TEST

START_TEST(files)
{
	struct image *image;
	char detail[512];
	ck_assert_int_eq(image_open(&image, "no/such/file", detail, sizeof detail), IMAGE_EOPEN);
	ck_assert_ptr_nonnull(strstr(detail, "no/such/file: "));
	ck_assert_int_eq(image_open(&image, ".", detail, sizeof detail), IMAGE_EOPEN);
	ck_assert_ptr_nonnull(strstr(detail, "directory"));
	ck_assert_int_eq(image_open(&image, "/dev/null", detail, sizeof detail), IMAGE_EOPEN);
	ck_assert_int_eq(image_open(&image, ".", NULL, 0), IMAGE_EOPEN);
	ck_assert_int_eq(image_from_code(&image, 0xFFFFFFFE, "abcd", 4), IMAGE_ERANGE);
	ck_assert_int_eq(image_from_code(&image, 0, "", 0), IMAGE_ERANGE);
	ck_assert_int_eq(image_from_code(&image, 0xFFFFFFFC, "abcd", 4), IMAGE_OK);
	size_t available;
	ck_assert_ptr_nonnull(image_code(image, 0xFFFFFFFE, &available));
	ck_assert_uint_eq(available, 2);
	ck_assert_int_eq(image_debug(image, detail, sizeof detail), IMAGE_ENODEBUG);
	uint32_t crc;
	ck_assert_int_eq(image_build(image, &crc, detail, sizeof detail), IMAGE_ENOSYMBOL);
	image_close(image);
	for (int error = IMAGE_ERANGE; error <= IMAGE_OK; error++)
		ck_assert_str_ne(image_strerror(error), "unknown error");
	ck_assert_str_eq(image_strerror(IMAGE_ERANGE - 1), "unknown error");
}
END_TEST

/* The section .debug_info is packed, and its head lies in the segment with the code, as Go's linker puts it: what was
 * loaded stays as it was. */
START_TEST(packed_section)
{
	Elf32_Ehdr *header = (Elf32_Ehdr *)fixture;
	Elf32_Phdr *code = (Elf32_Phdr *)(fixture + header->e_phoff);
	Elf32_Shdr *sections = (Elf32_Shdr *)(fixture + header->e_shoff), *info = sections;
	const char *names = (const char *)fixture + sections[header->e_shstrndx].sh_offset;
	while (strcmp(names + info->sh_name, ".debug_info") != 0)
		info++;
	const size_t at = (fixture_size + 7) & ~(size_t)7;
	uLongf size = 1 << 16;
	*(Elf32_Chdr *)(fixture + at) = (Elf32_Chdr){ELFCOMPRESS_ZLIB, info->sh_size, 1};
	ck_assert_int_eq(
	    compress(fixture + at + sizeof(Elf32_Chdr), &size, fixture + info->sh_offset, info->sh_size), Z_OK);
	info->sh_offset = (Elf32_Off)at;
	info->sh_size = (Elf32_Word)(sizeof(Elf32_Chdr) + size);
	info->sh_flags |= SHF_COMPRESSED;
	code[1].p_type = PT_NULL;
	code->p_filesz = code->p_memsz = (Elf32_Word)(at + info->sh_size - code->p_offset);
	struct image *image;
	char detail[512];
	size_t available;
	ck_assert_msg(open_bytes(&image, fixture, at + info->sh_size, detail, sizeof detail) == IMAGE_OK, "%s", detail);
	ck_assert_msg(image_debug(image, detail, sizeof detail) == IMAGE_OK, "%s", detail);
	const uint8_t *loaded = image_code(image, code->p_vaddr, &available);
	ck_assert_uint_eq(available, code->p_filesz);
	ck_assert_mem_eq(loaded, fixture + code->p_offset, available);
	image_close(image);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("image");
	TCase *good = tcase_create("good"), *bad = tcase_create("bad");
	tcase_add_test(good, fixture_read);
	tcase_add_test(good, files);
	tcase_add_checked_fixture(bad, setup, teardown);
	tcase_set_timeout(bad, 120);
	tcase_add_test(bad, cut);
	tcase_add_loop_test(bad, flipped, 0, 3);
	tcase_add_loop_test(bad, wrong_kind, 0, 15);
	tcase_add_test(bad, segments);
	tcase_add_test(bad, packed_section);
	suite_add_tcase(suite, good);
	suite_add_tcase(suite, bad);
	return suite_finish(suite);
}
