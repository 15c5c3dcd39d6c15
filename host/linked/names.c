/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/*
 * What names mean when the program, its edited code and the runtime come together:
 *
 *   the program   what it defines; else the runtime's; else what its linker chose (an entry of the PLT)
 *   the runtime   its own strong definitions, its weak ones, what the program defines, its PLT
 *   wrapped       NAME of the program is __wrap_NAME of the runtime, whose __real_NAME is the program's
 */
#include <stdlib.h>
#include <string.h>
#include "host/linked/linked_private.h"
#include "host/base/order.h"

static int by_symbol_name(const void *a, const void *b)
{
	const struct named_symbol *x = a, *y = b;
	const int order = strcmp(x->name, y->name);
	if (order != 0)
		return order;
	return x->rank != y->rank ? (x->rank > y->rank) - (x->rank < y->rank)
				  : (x->symbol > y->symbol) - (x->symbol < y->symbol);
}

/* The linker makes local what a program hides. */
static bool is_made_local(const struct object_symbol *s, const char *name)
{
	return (s->other & 3) == STV_HIDDEN || strcmp(name, "_DYNAMIC") == 0 || strcmp(name, "__libc_stack_end") == 0;
}

/* 0: nobody else sees it; 1, 2, 3: strong and weak of the runtime, of the program. */
static unsigned rank_of(const struct part *part, uint32_t symbol)
{
	const struct object_symbol *s = &part->o->symbols[symbol];
	const unsigned bind = object_symbol_bind(s);
	if (s->section == SHN_UNDEF || object_symbol_type(s) == STT_SECTION || object_symbol_type(s) == STT_FILE)
		return 0;
	if (bind == STB_LOCAL)
		return part->program && is_made_local(s, object_symbol_name(part->o, symbol)) ? 3 : 0;
	if (part->program)
		return 3;
	return bind == STB_WEAK ? 2 : 1;
}

int joining_names(struct joining *j)
{
	size_t count = 0;
	for (size_t p = 0; p < j->part_count; p++)
		count += j->parts[p].o->symbol_count;
	j->names = malloc((count + 1) * sizeof *j->names);
	if (j->names == NULL)
		return OBJECT_ENOMEM;
	for (uint32_t p = 0; p < j->part_count; p++) {
		for (uint32_t i = 1; i < j->parts[p].o->symbol_count; i++) {
			const unsigned rank = rank_of(&j->parts[p], i);
			const char *name = object_symbol_name(j->parts[p].o, i);
			if (rank != 0 && *name != '\0')
				j->names[j->name_count++] = (struct named_symbol){name, rank, p, i};
		}
	}
	qsort(j->names, j->name_count, sizeof *j->names, by_symbol_name);
	return OBJECT_OK;
}

/* The first definition of a rank in [low, high]; NULL: there is none. */
static const struct named_symbol *find_named(const struct joining *j, const char *name, unsigned low, unsigned high)
{
	size_t from;
	ORDER_FIRST(from, 0, j->name_count, strcmp(j->names[from].name, name) < 0);
	for (; from < j->name_count && strcmp(j->names[from].name, name) == 0; from++) {
		if (j->names[from].rank >= low && j->names[from].rank <= high)
			return &j->names[from];
	}
	return NULL;
}

static struct meaning defined_meaning(const struct part *part, uint32_t symbol)
{
	const struct object_symbol *s = &part->o->symbols[symbol];
	if (s->section >= part->o->section_count)
		return (struct meaning){.value = s->value, .known = s->section == SHN_ABS, .absolute = true};
	if (part->address == NULL) /* not placed yet */
		return (struct meaning){.known = true};
	return (struct meaning){.value = part->address[s->section] + s->value, .known = true};
}

static struct meaning meaning_of_named(const struct joining *j, const struct named_symbol *n)
{
	return defined_meaning(&j->parts[n->part], n->symbol);
}

/* A function of the program that is called by this name: its own, or an entry of the PLT. */
static struct meaning program_meaning(const struct joining *j, const char *name)
{
	const struct named_symbol *n = find_named(j, name, 3, 3);
	const struct object *o = j->old;
	if (n != NULL)
		return meaning_of_named(j, n);
	for (uint32_t i = 1; i < o->symbol_count; i++) {
		if (j->l->bound[i].has_call && strcmp(object_symbol_name(o, i), name) == 0)
			return (struct meaning){.value = j->l->bound[i].call, .known = true};
	}
	return (struct meaning){.absolute = true};
}

bool joining_has_name(const struct joining *j, const char *name, bool real)
{
	return (!real && find_named(j, name, 1, 2) != NULL) || program_meaning(j, name).known;
}

static const struct named_symbol *wrapped_by(const struct joining *j, const char *name)
{
	char wrap[256] = "__wrap_";
	for (size_t i = 0; i < j->runtime->wrap_count; i++) {
		if (strcmp(j->runtime->wraps[i], name) == 0 && strlen(name) < 200) {
			strcat(wrap, name);
			return find_named(j, wrap, 1, 2);
		}
	}
	return NULL;
}

/* Names that mean what has been made here. */
static bool made_meaning(const struct joining *j, const char *name, struct meaning *m)
{
	const struct {
		const char *name;
		uint64_t value;
	} made[] = {{"__init_array_start", j->init}, {"__init_array_end", j->init_end}, {"__fini_array_start", j->fini},
	    {"__fini_array_end", j->fini_end}, {"__EH_FRAME_BEGIN__", j->runtime->object_count > 0 ? j->frames : 0}};
	for (size_t i = 0; i < sizeof made / sizeof *made; i++) {
		if (made[i].value != 0 && strcmp(name, made[i].name) == 0) {
			*m = (struct meaning){.value = made[i].value, .known = true};
			return true;
		}
	}
	return false;
}

static struct meaning meaning_for_program(const struct joining *j, uint32_t symbol)
{
	const struct part *part = &j->parts[0];
	const struct object_symbol *s = &part->o->symbols[symbol];
	const char *name = object_symbol_name(part->o, symbol);
	struct meaning m;
	if (symbol == 0)
		return (struct meaning){.known = true, .absolute = true};
	if (object_symbol_type(s) == STT_TLS)
		return (struct meaning){.value = s->value, .absolute = true};
	const struct named_symbol *wrap = *name == '\0' ? NULL : wrapped_by(j, name);
	if (wrap != NULL) {
		m = meaning_of_named(j, wrap);
		m.wrapped = true;
		return m;
	}
	if (*name == '_' && made_meaning(j, name, &m))
		return m;
	if (s->section != SHN_UNDEF)
		return defined_meaning(part, symbol);
	const struct named_symbol *n = find_named(j, name, 1, 2);
	if (n != NULL)
		return meaning_of_named(j, n);
	if (symbol < j->old->symbol_count && j->l->bound[symbol].has_call)
		return (struct meaning){.value = j->l->bound[symbol].call, .known = true};
	/* what nobody defines is 0, or the dynamic linker's; counters name only what the runtime has */
	return (struct meaning){.known = symbol < j->old->symbol_count, .absolute = true};
}

static struct meaning meaning_for_runtime(const struct joining *j, const struct part *part, uint32_t symbol)
{
	const struct object_symbol *s = &part->o->symbols[symbol];
	const char *name = object_symbol_name(part->o, symbol);
	if (object_symbol_bind(s) == STB_LOCAL)
		return s->section == SHN_UNDEF ? (struct meaning){.known = true, .absolute = true}
					       : defined_meaning(part, symbol);
	const struct named_symbol *n = find_named(j, name, 1, 2);
	if (n != NULL)
		return meaning_of_named(j, n);
	if (part->stubs[symbol] != 0)
		return (struct meaning){
		    .value = j->parts[0].address[j->stub_section] + (part->stubs[symbol] - 1) * (uint64_t)IMPORT_STUB,
		    .known = true};
	/* where return addresses lie */
	if (strcmp(name, "__executable_start") == 0 || strcmp(name, "etext") == 0)
		return (struct meaning){.value = *name == 'e' ? j->code_end : j->code, .known = true};
	struct meaning m = program_meaning(j, strncmp(name, "__real_", 7) == 0 ? name + 7 : name);
	/* who is not there is not called: without a definition the program calls none that is wrapped */
	if (!m.known && (object_symbol_bind(s) == STB_WEAK || strncmp(name, "__real_", 7) == 0))
		m = (struct meaning){.known = true, .absolute = true};
	return m;
}

int joining_meanings(struct joining *j)
{
	for (size_t p = 0; p < j->part_count; p++) {
		struct part *part = &j->parts[p];
		part->meanings = calloc(part->o->symbol_count, sizeof *part->meanings);
		if (part->meanings == NULL)
			return OBJECT_ENOMEM;
		for (uint32_t i = 0; i < part->o->symbol_count; i++)
			part->meanings[i] = part->program ? meaning_for_program(j, i) : meaning_for_runtime(j, part, i);
	}
	return OBJECT_OK;
}
