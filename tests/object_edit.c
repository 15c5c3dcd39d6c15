/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/*
 * Edits that change nothing of what a program does, over an object or archive:
 *   object-edit identity IN OUT   take apart, put together
 *   object-edit nops IN OUT       one nop before every instruction
 *   object-edit blocks IN OUT     600 bytes in every third function, jumped over or, in every sixth, run through
 */
#include <elf.h>
#include <stdio.h>
#include <string.h>
#include "host/object/edit.h"
#include "host/object/rewrite.h"

enum mode { IDENTITY, NOPS, BLOCKS };

struct state {
	enum mode mode;
	unsigned functions;
	struct edit *edit;
};

#define NOP 0x00000013u
#define C_NOP 0x0001u
#define BLOCK 600

static int put_nops(struct edit *edit)
{
	bool c = (edit->object->flags & EF_RISCV_RVC) != 0;
	const struct edit_word nop = {.word = c ? C_NOP : NOP, .length = c ? 2 : 4};
	for (size_t i = 0; i < edit->section_count; i++) {
		struct edit_section *section = &edit->sections[i];
		for (size_t k = 0; k < section->count; k++) {
			struct edit_atom *atom = &section->atoms[k];
			if (atom->kind != EDIT_INSN && atom->kind != EDIT_PAIR)
				continue;
			int error = edit_put(edit, &(struct edit_spot){section, atom, EDIT_LABEL}, &nop, 1, NULL);
			if (error != OBJECT_OK)
				return error;
		}
	}
	return OBJECT_OK;
}

static int put_blocks(struct edit *edit, unsigned *functions)
{
	struct edit_word words[1 + BLOCK / 4];
	for (uint32_t i = 1; i < edit->object->symbol_count; i++) {
		const struct object_symbol *symbol = &edit->object->symbols[i];
		struct edit_section *section = edit_section(edit, symbol->section);
		if (section == NULL || object_symbol_type(symbol) != STT_FUNC || (*functions)++ % 3 != 0)
			continue;
		struct edit_atom *atom = edit_atom_at(section, symbol->value);
		size_t count = 0;
		if (atom == NULL || atom->offset != symbol->value || atom->kind == EDIT_DATA || atom->kind == EDIT_END)
			continue;
		if (*functions % 6 < 3)
			words[count++] = (struct edit_word){.word = 0x6F | (BLOCK + 4) << 20, .length = 4};
		for (int k = 0; k < BLOCK / 4; k++)
			words[count++] = (struct edit_word){.word = NOP, .length = 4};
		int error = edit_put(edit, &(struct edit_spot){section, atom, EDIT_LABEL}, words, count, NULL);
		if (error != OBJECT_OK)
			return error;
	}
	return OBJECT_OK;
}

static int change(void *context, struct object *object, const char *name, char *detail, size_t size)
{
	struct state *state = context;
	struct edit *edit;
	(void)name;
	int error = edit_open(&edit, object, detail, size);
	if (error != OBJECT_OK)
		return error;
	if (state->mode == NOPS)
		error = put_nops(edit);
	else if (state->mode == BLOCKS)
		error = put_blocks(edit, &state->functions);
	if (error == OBJECT_OK)
		error = edit_apply(edit, detail, size);
	edit_close(edit);
	return error;
}

static void note(void *context, const char *name, int error, const char *detail)
{
	(void)context;
	fprintf(stderr, "object-edit: %s: left as it is: %s (%s)\n", name, detail, object_strerror(error));
}

int main(int argc, char **argv)
{
	struct state state = {0};
	struct rewrite_counts counts = {0};
	char detail[1024];
	if (argc != 4) {
		fprintf(stderr, "usage: object-edit identity|nops|blocks IN OUT\n");
		return 2;
	}
	state.mode = strcmp(argv[1], "nops") == 0 ? NOPS : strcmp(argv[1], "blocks") == 0 ? BLOCKS : IDENTITY;
	const struct rewrite rewrite = {.change = change, .note = note, .context = &state, .keep = true};
	if (rewrite_file(&rewrite, argv[2], argv[3], &counts, detail, sizeof detail) != OBJECT_OK) {
		fprintf(stderr, "object-edit: %s\n", detail);
		return 1;
	}
	printf("%llu objects, %llu left as they were, %llu bytes\n", (unsigned long long)counts.objects,
	    (unsigned long long)counts.left, (unsigned long long)counts.bytes);
	return 0;
}
