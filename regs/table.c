/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#include "regs/table.h"

#define REG(name, index, access, reset, present, bits, text) {#name, index, #access, reset, present, bits, text},
#define FIELD(reg, name, lsb, width, access, bits, text)
const struct reg_row reg_rows[] = {
#include "regs/trace_regs.def"
};
#undef REG
#undef FIELD
#define REG(name, index, access, reset, present, bits, text)
#define FIELD(reg, name, lsb, width, access, bits, text) {#reg, #name, lsb, width, #access, bits, text},
const struct reg_field reg_fields[] = {
#include "regs/trace_regs.def"
};
#undef FIELD
#define FIELD(reg, name, lsb, width, access, bits, text)
#define LANE(buffer, a, b) {REG_##buffer, #a, #b},
const struct reg_lane reg_lanes[] = {
#include "regs/trace_regs.def"
};
const size_t reg_row_count = sizeof reg_rows / sizeof *reg_rows;
const size_t reg_field_count = sizeof reg_fields / sizeof *reg_fields;
const size_t reg_lane_count = sizeof reg_lanes / sizeof *reg_lanes;
