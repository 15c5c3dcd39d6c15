/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#ifndef RIVULET_CMD_FUNCTION_NAME_H
#define RIVULET_CMD_FUNCTION_NAME_H
/* What commands call functions, and small texts beside them. */
#include "host/cmd/cmd.h"

/* From now on function_name() knows the libraries that were added to image; it is not closed before the last name. */
void name_libraries(const struct image *image);
/* "main"; without a name "libm.so+0x412", or its address in a program; in a buffer as with_commas() has; never NULL. */
const char *function_name(const char *name, uint64_t address);
/* The same for people to read: names of C++ as the source has them. */
const char *shown_name(const char *name, uint64_t address);
/* Standard error of a share, in percent points, "?" if it is not known (negative). Buffer as with_commas(). */
const char *error_text(double error);
#endif
