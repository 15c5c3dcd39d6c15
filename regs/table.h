/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#ifndef RIVULET_REGS_TABLE_H
#define RIVULET_REGS_TABLE_H
/* The register table of regs/trace_regs.def as data, and the eight texts that are made from it. */
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct reg_field {
	const char *reg, *name;
	unsigned lsb, width;
	const char *access;
	const char *bits; /* how many of its bits there are: an expression of the parameters */
	const char *text;
};
struct reg_row {
	const char *name;
	unsigned index;
	const char *access;
	uint32_t reset;
	const char *present;
	const char *bits; /* "": its fields say it */
	const char *text;
};
enum reg_buffer { REG_FIFO, REG_LAST, REG_ANY };
struct reg_lane { /* read together */
	enum reg_buffer buffer;
	const char *a, *b; /* b: "NONE" if a is alone */
};
extern const struct reg_lane reg_lanes[];
extern const size_t reg_lane_count;
extern const struct reg_row reg_rows[];
extern const size_t reg_row_count;
extern const struct reg_field reg_fields[];
extern const size_t reg_field_count;

/* Each writes one file. */
void regs_write_verilog(FILE *out);
void regs_write_bits(FILE *out);
void regs_write_values(FILE *out);
void regs_write_lanes(FILE *out);
void regs_write_model(FILE *out);
void regs_write_c(FILE *out);
void regs_write_svd(FILE *out);
void regs_write_manual(FILE *out);
#endif
