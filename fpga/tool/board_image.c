/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/*
 * A program as the boards take it (docs/fpga.md), on standard output:
 *
 *	board-image words BYTES PROGRAM.elf [NAME=VALUE ...]
 *		a RAM of BYTES bytes, one hexadecimal word a line
 *	board-image flash BYTES PROGRAM.elf [NAME=VALUE ...]
 *		the header of fpga/boot/flash_image.h and the program, for flash or UART
 *
 * NAME=VALUE sets a word of the run configuration (common/run_config.h).
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "fpga/boot/flash_image.h"
#include "host/image/image.h"
#include "common/run_config.h"
#include "common/run_config.h"

struct ram {
	uint32_t *words;
	size_t size, used; /* words; used: behind the last one that the program fills */
};

static int fail(const char *what, const char *why)
{
	fprintf(stderr, "board-image: %s: %s\n", what, why);
	return 1;
}

static void put_byte(struct ram *ram, uint32_t offset, uint8_t byte)
{
	unsigned shift = 8 * (offset % 4);
	uint32_t *word = &ram->words[offset / 4];
	*word = (*word & ~((uint32_t)0xFF << shift)) | (uint32_t)byte << shift;
	if (ram->used < offset / 4 + 1)
		ram->used = offset / 4 + 1;
}

static int fill(struct ram *ram, const struct image *image)
{
	size_t count;
	const struct elf_segment *segment = image_segments(image, &count);
	for (size_t i = 0; i < count; i++, segment++) {
		const uint64_t offset = segment->address - FLASH_IMAGE_LOAD;
		if (segment->size == 0)
			continue;
		if (segment->address < FLASH_IMAGE_LOAD || offset > 4 * ram->size ||
		    segment->size > 4 * ram->size - offset) {
			fprintf(stderr,
			    "board-image: %s: bytes 0x%08" PRIx64 " to 0x%08" PRIx64
			    " are not in a RAM of %zu bytes at 0x%08x; link with a smaller SW_RAM\n",
			    image_path(image), segment->address, segment->address + segment->size - 1, 4 * ram->size,
			    FLASH_IMAGE_LOAD);
			return 1;
		}
		for (uint32_t k = 0; k < segment->file_size; k++)
			put_byte(ram, (uint32_t)offset + k, segment->bytes[k]);
	}
	if (image_entry(image) != FLASH_IMAGE_LOAD)
		return fail(image_path(image), "does not start at 0x80000000");
	return 0;
}

static int configure(struct ram *ram, const struct image *image, char **assignments)
{
	char detail[512];
	uint64_t at;
	uint32_t value;
	if (*assignments == NULL)
		return 0;
	if (image_symbol(image, "rivulet_config", &at) < 0 ||
	    (at -= FLASH_IMAGE_LOAD) / 4 + sizeof(struct run_config) / 4 > ram->used ||
	    ram->words[at / 4] != RUN_CONFIG_MAGIC)
		return fail(image_path(image), "has no run configuration (symbol rivulet_config)");
	for (; *assignments != NULL; assignments++) {
		int index = run_config_parse(*assignments, &value, detail, sizeof detail);
		if (index < 0)
			return fail("arguments", detail);
		ram->words[at / 4 + (uint32_t)index] = value;
	}
	return 0;
}

static void print_word(uint32_t word)
{
	for (int i = 0; i < 4; i++)
		putchar((int)(word >> (8 * i) & 0xFF));
}

static void print_flash(const struct ram *ram)
{
	uint32_t sum = 0;
	for (size_t i = 0; i < ram->used; i++)
		sum = flash_image_add(sum, ram->words[i]);
	print_word(FLASH_IMAGE_MAGIC);
	print_word((uint32_t)(4 * ram->used));
	print_word(sum);
	for (size_t i = 0; i < ram->used; i++)
		print_word(ram->words[i]);
}

int main(int argc, char **argv)
{
	char detail[512];
	struct image *image;
	char *end = NULL;
	unsigned long bytes = argc > 3 ? strtoul(argv[2], &end, 0) : 0;
	if (argc < 4 || (strcmp(argv[1], "words") != 0 && strcmp(argv[1], "flash") != 0) || *end != '\0' ||
	    bytes == 0 || bytes % 4 != 0 || bytes > 1 << 24) {
		fprintf(stderr, "usage: board-image words|flash BYTES PROGRAM.elf [NAME=VALUE ...]\n");
		return 2;
	}
	if (image_open(&image, argv[3], detail, sizeof detail) < 0) {
		fprintf(stderr, "board-image: %s\n", detail);
		return 1;
	}
	struct ram ram = {.size = bytes / 4, .words = calloc(bytes / 4, sizeof(uint32_t))};
	int result = ram.words == NULL ? fail(argv[3], "not enough memory") : fill(&ram, image);
	if (result == 0)
		result = configure(&ram, image, argv + 4);
	if (result == 0 && strcmp(argv[1], "flash") == 0)
		print_flash(&ram);
	else if (result == 0)
		for (size_t i = 0; i < ram.size; i++)
			printf("%08" PRIx32 "\n", ram.words[i]);
	free(ram.words);
	image_close(image);
	return fflush(stdout) != 0 ? fail("standard output", "cannot be written") : result;
}
