/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/*
 * The head of a program is the first thing that the kernel takes from it, and the kernel reads it in M mode, where no
 * region holds it back: an address in it that is not the slot's own would be a trap of the kernel, or would show what
 * lies in another slot. So each word is looked at before any is used:
 *
 *	base          text_end    cache     code_end      memory_end    base + slot size
 *	│ head │ text, name │ data  │ room   │ stack, data ... │         │
 *	       └─ entry ────┴───────┴────────┘    └─ stack ────┘
 */
#include "sw/kernel/kernel.h"

/* Name of a word, for the line that says why a slot is left out. */
static const char *const words[] = {
    "magic number", "entry", "end of constants", "end of code", "end of memory", "stack pointer", "name", "code cache"};
enum head_word {
	WORD_MAGIC,
	WORD_ENTRY,
	WORD_TEXT_END,
	WORD_CODE_END,
	WORD_MEMORY_END,
	WORD_STACK,
	WORD_NAME,
	WORD_CACHE
};
_Static_assert(sizeof words / sizeof *words == IMAGE_WORDS, "each word of the head has a name");

/* A border that the memory protection cannot make would lie lower than the head says. */
static bool border_exists(uint32_t address)
{
	csr_write(pmpaddr1, address >> 2);
	return (address & 15) == 0 && csr_read(pmpaddr1) == address >> 2;
}

/* Copies the name, up to 32 printable characters before text_end. It stands in lines of the kernel, which no program
 * shall write by itself. */
static bool copy_name(struct process *process, uint32_t from, uint32_t base)
{
	const struct program *program = process->program;
	uint32_t length = 0;
	if (from < base + 4 * IMAGE_WORDS)
		return false;
	for (; length < KERNEL_NAME && from < program->text_end; from++, length++) {
		uint8_t c = *(const volatile uint8_t *)(uintptr_t)from;
		process->name[length] = (char)c;
		if (c == '\0')
			return length > 0;
		if (c <= ' ' || c > '~')
			return false;
	}
	return false;
}

const char *image_open(struct process *process)
{
	const uint32_t base = process->slot->base, first = base + 4 * IMAGE_WORDS;
	const struct program *program = process->program = (const struct program *)base;
	bool good[IMAGE_WORDS];
	good[WORD_MAGIC] = program->magic == IMAGE_MAGIC;
	good[WORD_MEMORY_END] = program->memory_end > base && program->memory_end - base <= kernel_slot_size &&
				border_exists(program->memory_end);
	good[WORD_CODE_END] =
	    program->code_end > base && program->code_end <= program->memory_end && border_exists(program->code_end);
	good[WORD_TEXT_END] = program->text_end >= first && program->text_end <= program->code_end;
	good[WORD_CACHE] =
	    program->cache >= program->text_end && program->cache <= program->code_end && (program->cache & 15) == 0;
	good[WORD_ENTRY] = program->entry >= first && program->entry < program->code_end && (program->entry & 1) == 0;
	good[WORD_STACK] =
	    program->stack > program->code_end && program->stack <= program->memory_end && (program->stack & 15) == 0;
	/* the name is read, so only where the borders around it hold */
	good[WORD_NAME] = true;
	for (unsigned i = 0; i < IMAGE_WORDS; i++)
		if (!good[i])
			return words[i];
	return copy_name(process, program->name, base) ? NULL : words[WORD_NAME];
}
