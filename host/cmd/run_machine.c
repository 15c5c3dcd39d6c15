/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#include "host/cmd/run_machine.h"

#include <stdio.h>
#include <string.h>
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

bool run_foreign(const struct image *image)
{
	uint64_t address;
	return image_symbol(image, "rivulet_config", &address) != IMAGE_OK && !drives_unit(image, MODEL_CSR_BASE) &&
	       !drives_unit(image, MODEL_CSR_BASE_OTHER);
}

void run_machine(const struct image *image, struct model_config *config)
{
	if (drives_unit(image, MODEL_CSR_BASE_OTHER) && !drives_unit(image, MODEL_CSR_BASE))
		config->trace_csr_base = MODEL_CSR_BASE_OTHER;
	/* ends of memory as usual linker scripts name them */
	static const char *const tops[] = {"_estack", "__stack_top", "_stack_top", "__StackTop", "__stack", "_stack",
	    "_sp", "__sp", "_stack_end", "__stack_end", "_heap_end", "__heap_end", "_end"};
	size_t count;
	const struct elf_segment *segments = image_segments(image, &count);
	if (count == 0 || image_xlen(image) != 32 || !run_foreign(image))
		return;
	uint64_t low = segments[0].address & ~(uint64_t)(PAGE - 1), high = 0, address;
	for (size_t i = 0; i < count; i++) {
		uint64_t end = segments[i].address + segments[i].size;
		high = end > high ? end : high;
	}
	const uint64_t base = config->ram_base, end_of_ram = base + config->ram_size;
	if (low >= base && high <= end_of_ram) /* it is where RAM is anyway */
		return;
	uint64_t size = RAM_LEAST;
	while (size < 2 * (high - low) && size < RAM_MOST)
		size *= 2;
	for (size_t i = 0; i < sizeof tops / sizeof *tops; i++) {
		if (image_symbol(image, tops[i], &address) != IMAGE_OK || address < low || address - low > RAM_MOST)
			continue;
		while (size < address - low && size < RAM_MOST)
			size *= 2;
	}
	if (low + size > UINT64_C(0x100000000))
		size = UINT64_C(0x100000000) - low;
	config->ram_base = (uint32_t)low;
	config->ram_size = (uint32_t)size;
	config->reset_pc = (uint32_t)image_entry(image);
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
