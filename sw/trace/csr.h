/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#ifndef RIVULET_TRACE_CSR_H
#define RIVULET_TRACE_CSR_H
/* The generated register header, and fields by register and name. RV_CSR_<register> is a CSR number. */
#include "common/rivulet_regs.h"

#define TRACE_LSB(reg, field) RV_##reg##_##field##_LSB
#define TRACE_MASK(reg, field) (((1u << RV_##reg##_##field##_W) - 1) << RV_##reg##_##field##_LSB)
#define TRACE_GET(reg, field, value) (((value) >> RV_##reg##_##field##_LSB) & ((1u << RV_##reg##_##field##_W) - 1))
#endif
