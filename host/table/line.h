/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#ifndef RIVULET_TABLE_LINE_H
#define RIVULET_TABLE_LINE_H
/* A line of output that is cut with "..." where it passes a width. */
#include <stdbool.h>
#include <stddef.h>

#define LINE_WIDTH 100   /* of all output, without --wide, elsewhere than on a terminal */
#define LINE_WIDEST 1000 /* with it */

#define LINE_NARROW 80 /* tables have fewer columns below LINE_WIDTH, and are not made for less than this */
/* Columns of the terminal that standard output is, from LINE_NARROW to LINE_WIDEST; LINE_WIDTH if it is none. */
size_t line_width(void);

struct line {
	char text[LINE_WIDEST + 8];
	size_t length, width; /* width: at most LINE_WIDEST */
	bool cut;
};
void line_add(struct line *line, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Source text behind two spaces, without what could steer a terminal, as much as fits. */
void line_add_source(struct line *line, const char *source);
#endif
