/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#ifndef RIVULET_BASE_XML_H
#define RIVULET_BASE_XML_H
/* Text for XML and HTML: & < > " escaped; control characters, which XML does not have, are question marks, and U+FFFD
 * stands for each byte that belongs to no character. */
#include <stdio.h>

void xml_text(FILE *out, const char *text);
#endif
