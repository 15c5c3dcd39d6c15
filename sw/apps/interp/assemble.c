/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#include <stdbool.h>
#include <string.h>

#include "vm.h"

static const struct {
	const char *name;
	uint8_t bytes;
} ops[] = {
#define OP(name, bytes) {#name, bytes},
    VM_OPS(OP)
#undef OP
};

#define LABELS 48

struct label {
	const char *name;
	size_t length, at;
};

struct word {
	const char *text;
	size_t length;
};

static bool next_word(const char **source, struct word *word)
{
	*source += strspn(*source, " \n\t");
	word->text = *source;
	word->length = strcspn(*source, " \n\t");
	*source += word->length;
	return word->length != 0;
}

static int find_op(const struct word *word)
{
	for (int i = 0; i < VM_OP_COUNT; i++)
		if (strlen(ops[i].name) == word->length && !memcmp(ops[i].name, word->text, word->length))
			return i;
	return -1;
}

static bool parse_number(const struct word *word, int32_t *value)
{
	bool negative = word->text[0] == '-';
	size_t i = negative;
	uint32_t n = 0;
	if (i == word->length)
		return false;
	for (; i < word->length; i++) {
		if (word->text[i] < '0' || word->text[i] > '9')
			return false;
		n = n * 10 + (uint32_t)(word->text[i] - '0');
	}
	*value = (int32_t)(negative ? 0 - n : n);
	return true;
}

static bool find_label(const struct label *labels, size_t count, const struct word *word, int32_t *value)
{
	for (size_t i = 0; i < count; i++)
		if (labels[i].length == word->length && !memcmp(labels[i].name, word->text, word->length)) {
			*value = (int32_t)labels[i].at;
			return true;
		}
	return false;
}

/* First pass (emit == false): addresses of the labels. Second pass: the code. */
static int pass(struct vm *vm, const char *source, struct label *labels, size_t *count, bool emit)
{
	struct word word;
	int number = 0;
	vm->code_size = 0;
	while (next_word(&source, &word)) {
		number++;
		if (word.text[word.length - 1] == ':') {
			if (!emit) {
				if (*count == LABELS)
					return number;
				labels[(*count)++] = (struct label){word.text, word.length - 1, vm->code_size};
			}
			continue;
		}
		int op = find_op(&word);
		if (op < 0 || vm->code_size + 1 + ops[op].bytes > VM_CODE)
			return number;
		vm->code[vm->code_size++] = (uint8_t)op;
		if (!ops[op].bytes)
			continue;
		int32_t value = 0;
		number++;
		if (!next_word(&source, &word) ||
		    (!parse_number(&word, &value) && emit && !find_label(labels, *count, &word, &value)))
			return number;
		for (unsigned i = 0; i < ops[op].bytes; i++)
			vm->code[vm->code_size++] = (uint8_t)((uint32_t)value >> 8 * i);
	}
	return 0;
}

int vm_assemble(struct vm *vm, const char *source)
{
	struct label labels[LABELS];
	size_t count = 0;
	int wrong = pass(vm, source, labels, &count, false);
	if (!wrong)
		wrong = pass(vm, source, labels, &count, true);
	if (!wrong)
		vm_loaded(vm, source);
	return wrong;
}
