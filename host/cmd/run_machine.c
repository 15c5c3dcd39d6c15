/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#include "host/cmd/run_machine.h"

#include <stdio.h>
#include <string.h>
#include "host/cmd/cmd.h"
#include "isa/isa.h"

#define PAGE 0x1000u
#define RAM_LEAST (1u << 20)
#define RAM_MOST (64u << 20) /* of model_open() */

/* Whether an instruction of the program reads or writes the trace unit's registers, if they are the CSRs from base on
 * (docs/trace-unit.md section 9). */
static bool drives_unit(const struct image *image, unsigned base)
{
	struct image_text text;
	struct isa_insn insn;
	for (size_t i = 0; image_text(image, i, &text); i++) {
		for (uint64_t at = 0; at + 4 <= text.size; at += 2) {
			if (image_insn(image, text.start + at, ISA_CORE, &insn) && insn.op >= ISA_CSRRW &&
			    insn.op <= ISA_CSRRCI && (uint32_t)insn.imm >> 6 == base >> 6)
				return true;
		}
	}
	return false;
}

bool run_refused(const struct image *image, const char *program)
{
	if (image_xlen(image) == 32)
		return false;
	if (image_hosted(image))
		complain("%s: is a program of RV64 Linux, and the model runs RV32IMC without an operating system: "
			 "`rivulet profile' runs it under qemu; or count it where it runs, built by `rivulet cc' "
			 "(docs/insert.md), or log it, qemu-riscv64 -singlestep -d "
			 "nochain,exec -D LOG %s, for `rivulet import'",
		    program, program);
	else
		complain(
		    "%s: is for RV64, and the model runs RV32IMC: compile it with -march=rv32imc -mabi=ilp32, or count "
		    "it where it runs, built by `rivulet cc' (docs/insert.md), or take the log of its simulator, "
		    "spike -l or qemu, to `rivulet import'",
		    program);
	return true;
}

bool run_foreign(const struct image *image)
{
	uint64_t address;
	return image_symbol(image, "rivulet_config", &address) != IMAGE_OK && !drives_unit(image, MODEL_CSR_BASE) &&
	       !drives_unit(image, MODEL_CSR_BASE_OTHER);
}

/* Ends of memory as usual linker scripts name them. */
static const char *const tops[] = {"_estack", "__stack_top", "_stack_top", "__StackTop", "__stack", "_stack", "_sp",
    "__sp", "_stack_end", "__stack_end", "_heap_end", "__heap_end", "_end"};

struct piece { /* of the address space, that the program needs as memory */
	uint64_t low, high;
	bool writes;
};

#define FAR (UINT64_C(4) << 20) /* two pieces that are farther apart are two memories */

/* Puts a piece to those that are there, into one that is near. */
static void add_memory_piece(struct piece *pieces, size_t *count, const struct piece *piece)
{
	for (size_t i = 0; i < *count; i++) {
		struct piece *p = &pieces[i];
		if (piece->low > p->high + FAR || p->low > piece->high + FAR)
			continue;
		p->low = piece->low < p->low ? piece->low : p->low;
		p->high = piece->high > p->high ? piece->high : p->high;
		p->writes |= piece->writes;
		return;
	}
	if (*count <= MODEL_MEMORIES)
		pieces[(*count)++] = *piece;
}

/* Where segments run, and where those lie that start-up code moves. */
static size_t find_pieces(const struct image *image, struct piece pieces[MODEL_MEMORIES + 1])
{
	size_t segment_count, count = 0;
	const struct elf_segment *segments = image_segments(image, &segment_count);
	for (size_t i = 0; i < segment_count; i++) {
		const struct elf_segment *s = &segments[i];
		const struct piece runs = {s->address, s->address + s->size, s->write};
		const struct piece lies = {s->physical, s->physical + s->file_size, false};
		add_memory_piece(pieces, &count, &runs);
		if (s->physical != s->address && s->file_size > 0)
			add_memory_piece(pieces, &count, &lies);
	}
	return count;
}

/* A memory for the piece: all of it, the stack that symbols name behind it, and as much again. */
static struct model_memory memory_for(const struct image *image, const struct piece *piece)
{
	const uint64_t low = piece->low & ~(uint64_t)(PAGE - 1), end = UINT64_C(0x100000000);
	uint64_t size = RAM_LEAST, address;
	while (size < 2 * (piece->high - low) && size < RAM_MOST)
		size *= 2;
	for (size_t i = 0; i < sizeof tops / sizeof *tops; i++) {
		if (image_symbol(image, tops[i], &address) != IMAGE_OK || address < low || address - low > RAM_MOST)
			continue;
		while (size < address - low && size < RAM_MOST)
			size *= 2;
	}
	return (struct model_memory){.base = (uint32_t)low, .size = (uint32_t)(low + size > end ? end - low : size)};
}

/* Memories by the program's own segments. */
static void place_memory_pieces(const struct image *image, struct model_config *config)
{
	struct piece pieces[MODEL_MEMORIES + 1];
	const size_t count = find_pieces(image, pieces);
	const uint64_t base = config->ram_base, end = base + config->ram_size;
	size_t ram = 0, next = 0;
	if (count == 0 || (count == 1 && pieces[0].low >= base && pieces[0].high <= end))
		return; /* it is where RAM is anyway */
	while (ram + 1 < count && !pieces[ram].writes)
		ram++;
	const struct model_memory first = memory_for(image, &pieces[ram]);
	config->ram_base = first.base;
	config->ram_size = first.size;
	for (size_t i = 0; i < count && next < MODEL_MEMORIES; i++) {
		if (i != ram)
			config->memories[next++] = memory_for(image, &pieces[i]);
	}
	config->reset_pc = (uint32_t)image_entry(image);
}

static void place_chip(const struct image *image, const struct chip *chip, struct model_config *config)
{
	config->ram_base = chip->ram.base;
	config->ram_size = chip->ram.size;
	for (size_t i = 0; i < MODEL_MEMORIES; i++)
		config->memories[i] = chip->others[i];
	config->devices = chip->devices;
	config->reset_pc = (uint32_t)image_entry(image);
}

/* Whether two of the memories have a byte in common; which is read and which is written nobody would know. */
static bool machine_overlaps(const struct model_config *config, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		const struct model_memory *a = &config->memories[i];
		if ((uint64_t)a->base < (uint64_t)config->ram_base + config->ram_size &&
		    (uint64_t)config->ram_base < (uint64_t)a->base + a->size)
			return true;
		for (size_t k = 0; k < i; k++) {
			const struct model_memory *b = &config->memories[k];
			if ((uint64_t)a->base < (uint64_t)b->base + b->size &&
			    (uint64_t)b->base < (uint64_t)a->base + a->size)
				return true;
		}
	}
	return false;
}

/* BASE+SIZE,BASE+SIZE...: the first is RAM. */
static bool place_list(const char *map, struct model_config *config)
{
	size_t count = 0;
	while (*map != '\0' && count <= MODEL_MEMORIES) {
		char text[64];
		uint64_t base, size;
		const size_t length = strcspn(map, ",");
		snprintf(text, sizeof text, "%.*s", (int)length, map);
		char *plus = strchr(text, '+');
		if (length >= sizeof text || plus == NULL)
			return false;
		*plus = '\0';
		if (!parse_number(text, UINT32_MAX, &base) || !parse_amount(plus + 1, 1024, RAM_MOST, &size) ||
		    size == 0 || size % 4 != 0 || base % 4 != 0 || base + size > UINT64_C(0x100000000))
			return false;
		if (count++ == 0) {
			config->ram_base = (uint32_t)base;
			config->ram_size = (uint32_t)size;
		} else if (count <= MODEL_MEMORIES + 1) {
			config->memories[count - 2] =
			    (struct model_memory){.base = (uint32_t)base, .size = (uint32_t)size};
		}
		map += length + (map[length] == ',');
	}
	return count > 0 && *map == '\0' && !machine_overlaps(config, count - 1);
}

int run_machine(const struct image *image, const char *map, struct model_config *config, const struct chip **chip)
{
	*chip = NULL;
	if (drives_unit(image, MODEL_CSR_BASE_OTHER) && !drives_unit(image, MODEL_CSR_BASE))
		config->trace_csr_base = MODEL_CSR_BASE_OTHER;
	if (image_xlen(image) != 32)
		return STATUS_OK;
	if (map != NULL) {
		*chip = chip_named(map);
		if (*chip != NULL) {
			place_chip(image, *chip, config);
		} else if (!place_list(map, config)) {
			complain("--map %s: a chip (%s) is expected, or memories as BASE+SIZE,BASE+SIZE (RAM first, "
				 "none over another; "
				 "sizes also as 16k, 4M; at most 64 MiB each, %u of them)",
			    map, chip_names(), MODEL_MEMORIES + 1);
			return STATUS_FAILED;
		}
		return STATUS_OK;
	}
	if (!run_foreign(image))
		return STATUS_OK;
	*chip = chip_of(image);
	if (*chip != NULL)
		place_chip(image, *chip, config);
	else
		place_memory_pieces(image, config);
	return STATUS_OK;
}

void run_name(const char *program, const struct image *image, char name[256])
{
	uint64_t address;
	size_t count;
	const struct elf_segment *segments = image_segments(image, &count);
	const char *slash = strrchr(program, '/');
	snprintf(name, 256, "%s", slash == NULL ? program : slash + 1);
	char *dot = strrchr(name, '.');
	if (dot != NULL && strcmp(dot, ".elf") == 0)
		*dot = '\0';
	if (image_symbol(image, "app_name", &address) != IMAGE_OK)
		return;
	for (size_t i = 0; i < count; i++) {
		const struct elf_segment *s = &segments[i];
		if (address < s->address || address - s->address >= s->file_size)
			continue;
		size_t room = s->file_size - (address - s->address);
		snprintf(
		    name, 256, "%.*s", room < 255 ? (int)room : 255, (const char *)s->bytes + (address - s->address));
	}
}
