/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#ifndef RIVULET_QEMU_PLACES_H
#define RIVULET_QEMU_PLACES_H
/*
 * Where the code that the plugin saw lies in the image: each file has one place, the first address that it was mapped
 * at, whatever a later dlopen() or another process did.
 *
 *   object's number │ address ──► address in the image, made at run time, or in no file that can be read
 */
#include "host/image/image.h"
#include "host/profile/profile.h"
#include "host/qemu/capture.h"
#include "host/qemu/qemu.h"

enum place_kind { PLACE_NEW, PLACE_SEEN, PLACE_CODE, PLACE_MADE, PLACE_OUTSIDE };
struct code_place {
	uint8_t kind;   /* enum place_kind; PLACE_SEEN: it is being looked at */
	uint64_t shift; /* PLACE_CODE: what an address is less in the image */
};
struct code_places {
	struct image *image;
	struct profile *profile; /* its places are added to */
	struct qemu_run *run;
	const struct capture_file *file;
	const char *program; /* its file, as the plugin names it */
	const struct capture_object *objects;
	struct code_place *all; /* by number */
};

/* False: out of memory. */
bool places_open(struct code_places *places, const struct capture_file *file, const char *program);
void places_close(struct code_places *places);
/* Where an address of the plugin is, which becomes that of the image for PLACE_CODE; of a system an address always.
 * Files are opened as they come. */
enum place_kind places_find(struct code_places *places, uint64_t *address);
#endif
