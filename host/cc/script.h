/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#ifndef RIVULET_CC_SCRIPT_H
#define RIVULET_CC_SCRIPT_H
/*
 * Version scripts of shared libraries, which say what a library exports and mostly hide all else (`local: *'). One more
 * symbol is exported by the first version:
 *
 *   { global: a; local: *; };  ──►  { global: symbol; a; local: *; };
 */
/* The script's text with it, to be freed. NULL: it cannot be read, or has no version. */
char *script_export(const char *path, const char *symbol);
#endif
