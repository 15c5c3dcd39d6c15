/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#ifndef RIVULET_OBJECT_HOST_CALL_H
#define RIVULET_OBJECT_HOST_CALL_H
/* The three instructions of a call of the host (RISC-V semihosting) must lie in one page, or the host takes the EBREAK
 * for any other. */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The address of the first that lies in two pages, of code that begins at an address. False: none does. */
bool host_call_is_split(const uint8_t *bytes, size_t size, uint64_t address, uint64_t *at);
#endif
