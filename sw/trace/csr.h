/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#ifndef RIVULET_TRACE_CSR_H
#define RIVULET_TRACE_CSR_H
/* The generated register header by shorter names, for C and assembler: TRACE_CSR_<register> is a CSR number. */
#include "rivulet_regs.h"

/* clang-format off */
#define TRACE_CSR_ID         RV_CSR_ID
#define TRACE_CSR_CAPS       RV_CSR_CAPS
#define TRACE_CSR_CTRL       RV_CSR_CTRL
#define TRACE_CSR_STATUS     RV_CSR_STATUS
#define TRACE_CSR_CUR_START  RV_CSR_CUR_START
#define TRACE_CSR_CUR_HIST   RV_CSR_CUR_HIST
#define TRACE_CSR_CUR_INFO   RV_CSR_CUR_INFO
#define TRACE_CSR_CUR_CYCLES RV_CSR_CUR_CYCLES
#define TRACE_CSR_RESUME     RV_CSR_RESUME
#define TRACE_CSR_DEPTH      RV_CSR_DEPTH
#define TRACE_CSR_REC_START  RV_CSR_REC_START
#define TRACE_CSR_REC_HIST   RV_CSR_REC_HIST
#define TRACE_CSR_REC_INFO   RV_CSR_REC_INFO
#define TRACE_CSR_REC_CYCLES RV_CSR_REC_CYCLES
#define TRACE_CSR_POP        RV_CSR_POP
#define TRACE_CSR_COUNT      RV_CSR_COUNT
#define TRACE_CSR_WATERMARK  RV_CSR_WATERMARK
#define TRACE_CSR_LOST       RV_CSR_LOST
#define TRACE_CSR_PERIOD     RV_CSR_PERIOD
#define TRACE_CSR_COUNTER    RV_CSR_COUNTER
#define TRACE_CSR_DITHER     RV_CSR_DITHER
#define TRACE_CSR_LFSR       RV_CSR_LFSR
#define TRACE_CSR_RANGE0_LO  RV_CSR_RANGE0_LO
#define TRACE_CSR_RANGE0_HI  RV_CSR_RANGE0_HI
/* clang-format on */
#define TRACE_LSB(reg, field) RV_##reg##_##field##_LSB
#define TRACE_MASK(reg, field) (((1u << RV_##reg##_##field##_W) - 1) << RV_##reg##_##field##_LSB)
#define TRACE_GET(reg, field, value) (((value) >> RV_##reg##_##field##_LSB) & ((1u << RV_##reg##_##field##_W) - 1))
#endif
