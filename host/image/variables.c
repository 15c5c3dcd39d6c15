/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* Variables in registers, as DWARF says where they are. */
#include <dwarf.h>
#include <elfutils/libdw.h>
#include <string.h>
#include "host/image/private.h"

#define NESTING_MAX 64
#define PLACES_MAX 4 /* that DWARF may give one variable at an address */

struct wanted_variables {
	Dwarf_Addr pc;
	unsigned reg;
	const char *function;
	const char **names;
	size_t count, max;
};

static bool is_function_die(Dwarf_Die *die)
{
	return dwarf_tag(die) == DW_TAG_subprogram || dwarf_tag(die) == DW_TAG_inlined_subroutine;
}

static const char *variable_name(Dwarf_Die *die)
{
	Dwarf_Attribute attribute;
	return dwarf_formstring(dwarf_attr_integrate(die, DW_AT_name, &attribute));
}

static bool is_in_register(const struct wanted_variables *w, Dwarf_Die *die)
{
	Dwarf_Attribute attribute;
	Dwarf_Op *expressions[PLACES_MAX];
	size_t lengths[PLACES_MAX];
	if (dwarf_attr_integrate(die, DW_AT_location, &attribute) == NULL)
		return false;
	int count = dwarf_getlocation_addr(&attribute, w->pc, expressions, lengths, PLACES_MAX);
	for (int i = 0; i < count; i++) {
		if (lengths[i] == 1 && expressions[i][0].atom == DW_OP_reg0 + w->reg)
			return true;
	}
	return false;
}

/* The variables of a scope; then the scope inside of it that has the address. */
static void collect_variables(struct wanted_variables *w, Dwarf_Die *scope, bool inside, unsigned depth)
{
	Dwarf_Die die;
	if (depth > NESTING_MAX || dwarf_child(scope, &die) != 0)
		return;
	do {
		int tag = dwarf_tag(&die);
		if (tag == DW_TAG_variable || tag == DW_TAG_formal_parameter) {
			const char *name =
			    inside && w->count < w->max && is_in_register(w, &die) ? variable_name(&die) : NULL;
			if (name != NULL)
				w->names[w->count++] = name;
			continue;
		}
		if ((!is_function_die(&die) && tag != DW_TAG_lexical_block && tag != DW_TAG_namespace) ||
		    (tag != DW_TAG_namespace && dwarf_haspc(&die, w->pc) <= 0))
			continue;
		if (!is_function_die(&die)) {
			collect_variables(w, &die, inside, depth + 1);
			continue;
		}
		const char *name = variable_name(&die);
		bool same = name != NULL && strcmp(name, w->function) == 0;
		if (!inside || same) /* what was inlined into the function is another one's */
			collect_variables(w, &die, same, depth + 1);
	} while (dwarf_siblingof(&die, &die) == 0);
}

size_t image_variables(
    const struct image *image, uint64_t address, unsigned reg, const char *function, const char **names, size_t max)
{
	struct wanted_variables w = {
	    .pc = address - image->bias, .reg = reg, .function = function, .names = names, .max = max};
	Dwarf_CU *unit = NULL;
	Dwarf_Die die;
	size_t available;
	for (size_t i = 0; i < image->other_count; i++) {
		if (image_code(image->others[i], address, &available) != NULL)
			return image_variables(image->others[i], address, reg, function, names, max);
	}
	while (image->dwarf != NULL && dwarf_get_units(image->dwarf, unit, &unit, NULL, NULL, &die, NULL) == 0) {
		if (dwarf_tag(&die) == DW_TAG_compile_unit && dwarf_haspc(&die, w.pc) > 0) {
			collect_variables(&w, &die, false, 0);
			break;
		}
	}
	return w.count;
}
