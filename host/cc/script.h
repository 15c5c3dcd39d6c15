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

/*
 * Linker scripts in place of a library, which only name others:
 *
 *   GROUP ( a.o libb.a AS_NEEDED ( libc.so ) )  ──►  --start-group a.o libb.a --push-state --as-needed libc.so
 *                                               --pop-state
 *                                                     --end-group
 *
 * The words that say the same, the last one NULL; to be freed by script_words_free(). NULL: the script says more than
 * INPUT, GROUP, OUTPUT_FORMAT, or is none.
 */
char **script_inputs(const char *path);
void script_words_free(char **words);
#endif
