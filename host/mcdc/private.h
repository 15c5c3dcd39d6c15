/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#ifndef RIVULET_MCDC_PRIVATE_H
#define RIVULET_MCDC_PRIVATE_H
/* Inside host/mcdc: the mapping's numbers and names, places in the source. */
#include "host/mcdc/mapping.h"

struct mcdc_reader {
	const uint8_t *at, *end;
	bool bad; /* more was wanted than there is, or a number above 63 bits */
};
/* ULEB128; 0 if it is not there. */
uint64_t mcdc_read_number(struct mcdc_reader *in);

struct mcdc_files { /* names of an object's files; the first is the folder that the compiler was called in */
	char **names;
	size_t count;
};
/* Of a section __llvm_covmap. MCDC_EVERSION: of another format, or there were names before. */
int mcdc_files_read(struct mcdc_files *files, const uint8_t *bytes, size_t size);
/* With the folder before it, without "." and ".."; to be freed. */
char *mcdc_files_whole(const struct mcdc_files *files, uint64_t number);
void mcdc_files_free(struct mcdc_files *files);

void mcdc_decision_free(struct mcdc_decision *decision);

struct mcdc_point {
	unsigned line, column;
};
static inline bool mcdc_point_before(struct mcdc_point a, struct mcdc_point b)
{
	return a.line != b.line ? a.line < b.line : a.column < b.column;
}
static inline struct mcdc_point mcdc_span_start(const struct mcdc_span *span)
{
	return (struct mcdc_point){span->line, span->column};
}
static inline struct mcdc_point mcdc_span_end(const struct mcdc_span *span)
{
	return (struct mcdc_point){span->end_line, span->end_column};
}
static inline bool mcdc_span_before(const struct mcdc_span *a, const struct mcdc_span *b)
{
	return mcdc_point_before(mcdc_span_start(a), mcdc_span_start(b));
}
static inline bool mcdc_span_has(const struct mcdc_span *span, struct mcdc_point point)
{
	return !mcdc_point_before(point, mcdc_span_start(span)) && mcdc_point_before(point, mcdc_span_end(span));
}
static inline bool mcdc_span_holds(const struct mcdc_span *span, const struct mcdc_span *inner)
{
	return !mcdc_point_before(mcdc_span_start(inner), mcdc_span_start(span)) &&
	       !mcdc_point_before(mcdc_span_end(span), mcdc_span_end(inner));
}
#endif
