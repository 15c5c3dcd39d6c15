/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* rivulet insert PROGRAM: the program becomes an object, that gets counters, and is linked again with the runtime that
 * rivulet cc would link. */
#include "host/cmd/insert_linked.h"

#include <elf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include "host/cmd/cc_link.h"
#include "host/cmd/linked_file.h"

#define RUNTIME_OBJECTS_MAX 32
#define RUNTIME_WRAPS_MAX 32

bool is_linked_input(const char *path)
{
	unsigned char head[64] = "";
	struct stat about;
	if (stat(path, &about) != 0 || !S_ISREG(about.st_mode)) /* of a pipe, nobody else would get these bytes */
		return false;
	FILE *f = fopen(path, "rb");
	const size_t size = f != NULL ? fread(head, 1, sizeof head, f) : 0;
	if (f != NULL)
		fclose(f);
	return linked_is(head, size);
}

/* ---- the runtime ---- */
struct linked_parts {
	struct link link;
	struct file_bytes files[RUNTIME_OBJECTS_MAX];
	struct object *objects[RUNTIME_OBJECTS_MAX];
	const char *wraps[RUNTIME_WRAPS_MAX];
	struct linked_runtime runtime;
};

static bool has_symbol(const struct object *o, const char *name, bool defined)
{
	for (uint32_t i = 1; i < o->symbol_count; i++) {
		if ((!defined || o->symbols[i].section != SHN_UNDEF) && strcmp(object_symbol_name(o, i), name) == 0)
			return true;
	}
	return false;
}

/* Compiler options of the program's calling convention. */
static void target_options(const struct object *o, struct cc_words *driver)
{
	static const char *const floats[] = {"", "f", "d", "q"};
	char text[64];
	const unsigned f = (o->flags & EF_RISCV_FLOAT_ABI) >> 1;
	const bool c = (o->flags & EF_RISCV_RVC) != 0;
	snprintf(text, sizeof text, "-march=rv%uima%s%s", o->xlen, (const char *const[]){"", "f", "fd", "fdq"}[f],
	    c ? "c" : "");
	cc_push(driver, text);
	snprintf(text, sizeof text, "-mabi=%s%s", o->xlen == 64 ? "lp64" : "ilp32", floats[f]);
	cc_push(driver, text);
	cc_push(driver, "-mno-relax");
	cc_push(driver, "-mcmodel=medany");
}

/* What is put in decides about the runtime, as options of `rivulet cc --insert'. */
static void runtime_options(const struct insert_arguments *a, struct link *l)
{
	char text[32];
	snprintf(text, sizeof text, "--%s", insert_mode_name(a->options.mode));
	cc_push(&l->arguments.insert, text);
	if (a->options.hash)
		cc_push(&l->arguments.insert, "--hash");
}

/* Objects and wraps among the words that a linker would get. */
static bool take_words(const struct cc_words *words, struct linked_parts *p)
{
	char detail[512];
	for (size_t i = 0; i < words->count; i++) {
		const char *word = words->items[i];
		const size_t n = p->runtime.object_count;
		if (cc_begins(word, "--wrap=") && p->runtime.wrap_count < RUNTIME_WRAPS_MAX)
			p->wraps[p->runtime.wrap_count++] = word + strlen("--wrap=");
		if (word[0] == '-' || n == RUNTIME_OBJECTS_MAX || strcmp(word, "nodelete") == 0)
			continue;
		if (!read_program(word, &p->files[n])) {
			complain("%s: %s", word, strerror(errno));
			return false;
		}
		if (object_open(&p->objects[n], p->files[n].bytes, p->files[n].size, detail, sizeof detail) !=
		    OBJECT_OK) {
			complain("%s: %s", word, detail);
			return false;
		}
		p->runtime.object_count++;
	}
	p->runtime.objects = p->objects;
	p->runtime.wraps = p->wraps;
	return true;
}

static bool make_runtime(
    const struct insert_arguments *a, const struct linked *l, const struct object *o, struct linked_parts *p)
{
	char detail[CACHE_PATH + 256];
	struct link *link = &p->link;
	cc_push(&link->arguments.driver, a->compiler != NULL ? a->compiler : "riscv64-linux-gnu-gcc");
	target_options(o, &link->arguments.driver);
	runtime_options(a, link);
	link->linked = true;
	link->dynamic = l->dynamic;
	link->shared = l->shared;
	link->no_libc = !l->dynamic && !has_symbol(o, "__libc_start_main", true);
	for (unsigned i = 0; i < CC_JUMPS; i++)
		link->jumps |= has_symbol(o, cc_jumps[i], false) ? 1u << i : 0;
	for (unsigned i = 0; i < CC_PERSONALITIES; i++)
		link->catches |= has_symbol(o, cc_personalities[i], false) ? 1u << i : 0;
	cache_add(&link->salt, l->file, l->size);
	if (!cache_open(&link->cache, NULL, detail, sizeof detail)) {
		complain("%s", detail);
		return false;
	}
	return cc_add_runtime(link, a->map) && take_words(a->map ? &link->twin : &link->command, p);
}

static void drop_parts(struct linked_parts *p)
{
	for (size_t i = 0; i < RUNTIME_OBJECTS_MAX; i++) {
		object_close(p->objects[i]);
		free(p->files[i].bytes);
	}
	cc_drop(&p->link.command);
	cc_drop(&p->link.twin);
	cc_drop(&p->link.arguments.insert);
	cc_drop(&p->link.arguments.driver);
}

/* ---- the program ---- */
/* A program without Linux keeps its memory by a plan of its own: where there is room, only its linker script knows. */
static bool is_of_linux(const struct linked *l, const struct object *o)
{
	return l->dynamic || object_section_named(o, ".note.ABI-tag") != 0 || has_symbol(o, "__libc_start_main", true);
}

/* What cannot be done with a program that is linked already; NULL: all can. */
static const char *cannot_insert(const struct insert_arguments *a, const struct linked *l)
{
	if (a->options.switched)
		return "--switch copies code, and a linked program no longer says which addresses in it are those of "
		       "code: link it by `rivulet cc --switch'";
	if (a->options.per_thread)
		return "--per-thread needs a thread-local variable, for which a linked program has no room";
	if (a->options.mode == INSERT_TRACE || a->options.mode == INSERT_CYCLES)
		return l->shared ? "--trace and --cycles put code into programs only" : NULL;
	return NULL;
}

/* What the runtime says of a library in its map. */
static int take_salt(const struct linked_parts *p, struct object *o)
{
	const uint32_t map = object_section_named(o, ".debug_rivulet");
	int error = OBJECT_OK;
	for (size_t i = 0; i < p->runtime.object_count && map != 0 && error == OBJECT_OK; i++) {
		const struct object *from = p->objects[i];
		const uint32_t number = object_section_named(from, ".debug_rivulet");
		const uint64_t size = o->sections[map].size;
		if (number == 0)
			continue;
		error = object_resize(o, map, size + from->sections[number].size);
		if (error == OBJECT_OK)
			memcpy(o->sections[map].data + size, from->sections[number].data, from->sections[number].size);
	}
	return error;
}

static int write_linked(struct insert_arguments *a, const struct linked *l, struct object *o, struct linked_result *out)
{
	struct linked_parts parts = {0};
	int error = OBJECT_EUNSUPPORTED;
	if (!make_runtime(a, l, o, &parts))
		snprintf(out->detail, out->detail_size, "its runtime cannot be made");
	else if ((error = take_salt(&parts, o)) != OBJECT_OK)
		snprintf(out->detail, out->detail_size, "out of memory");
	else if (a->map)
		error = linked_attach(l, o, ".debug_rivulet", out);
	else
		error = linked_write(l, o, &parts.runtime, out);
	drop_parts(&parts);
	return error;
}

/* The object with counters, as a program again. */
static int edit_linked(struct insert_arguments *a, const struct linked *l, struct linked_result *out)
{
	const char *slash = strrchr(a->input, '/'), *name = slash != NULL ? slash + 1 : a->input;
	struct object *o = NULL;
	int error = object_open(&o, l->bytes, l->byte_count, out->detail, out->detail_size);
	a->options.near = 0; /* nothing is shortened any more */
	if (error == OBJECT_OK && !is_of_linux(l, o)) {
		snprintf(out->detail, out->detail_size,
		    "is no program of Linux: where its memory has room only its linker script knows; give its objects");
		error = OBJECT_EUNSUPPORTED;
	}
	if (error == OBJECT_OK && !a->told)
		error = reserved_of_object(o, name, &a->shared, out->detail, out->detail_size);
	a->options.reserved |= a->shared.registers;
	const struct budget_job job = {&a->options, a->budget, a->map, &a->counts, &a->level};
	if (error == OBJECT_OK)
		error = budget_insert(&job, o, name, out->detail, out->detail_size);
	if (error == OBJECT_OK)
		error = write_linked(a, l, o, out);
	object_close(o);
	return error;
}

int insert_into_linked(struct insert_arguments *a)
{
	char detail[1024] = "";
	struct file_bytes in;
	struct linked_result out = {.detail = detail, .detail_size = sizeof detail};
	struct linked *l = NULL;
	int status = STATUS_FAILED;
	if (!read_program(a->input, &in)) {
		complain("%s: %s", a->input, strerror(errno));
		return STATUS_FAILED;
	}
	const int error = linked_open(&l, in.bytes, in.size, detail, sizeof detail);
	const char *why = error == OBJECT_OK ? cannot_insert(a, l) : NULL;
	if (why != NULL)
		complain("%s: %s", a->input, why);
	else if (error != OBJECT_OK || edit_linked(a, l, &out) != OBJECT_OK)
		complain("%s: %s", a->input, detail);
	else
		status = put_program(a->output, (const char *const[]){a->input}, 1, &out);
	linked_close(l);
	free(in.bytes);
	free(out.bytes);
	return status;
}
