/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#ifndef RIVULET_CMD_RUN_CHIPS_H
#define RIVULET_CMD_RUN_CHIPS_H
/*
 * The memory maps of chips on sale, from their data sheets, so that a program that was linked for one runs as it is. Of
 * the devices there is the UART, whose output goes to the console; the others are named when they are used first, and
 * keep what is written to them.
 */
#include "host/image/image.h"
#include "model/model.h"

struct chip {
	const char *name, *text;
	struct model_memory ram;
	struct model_memory others[MODEL_MEMORIES]; /* the first holds the program */
	const struct model_device *devices;         /* up to one without a name */
};

/* NULL: nobody knows it. */
const struct chip *chip_named(const char *name);
/* The chip that all segments of the program lie in, its entry in the memory of programs; NULL: none. */
const struct chip *chip_of(const struct image *image);
/* "fe310, gd32vf103, ..." */
const char *chip_names(void);
#endif
