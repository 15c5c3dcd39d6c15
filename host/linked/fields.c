/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#include <stdarg.h>
#include <stdio.h>
#include "host/linked/linked_private.h"
#include "host/base/order.h"

int linked_refuse(char *detail, size_t size, const char *format, ...)
{
	va_list arguments;
	va_start(arguments, format);
	vsnprintf(detail, size, format, arguments);
	va_end(arguments);
	return OBJECT_EUNSUPPORTED;
}

static bool linked_is_high(uint32_t type)
{
	return type == R_RISCV_PCREL_HI20 || type == R_RISCV_GOT_HI20 || type == R_RISCV_TLS_GOT_HI20 ||
	       type == R_RISCV_TLS_GD_HI20;
}

bool linked_is_low(uint32_t type)
{
	return type == R_RISCV_PCREL_LO12_I || type == R_RISCV_PCREL_LO12_S;
}

static bool is_store(uint32_t type)
{
	return type == R_RISCV_PCREL_LO12_S || type == R_RISCV_LO12_S || type == R_RISCV_GPREL_S;
}

int64_t linked_low_of(const uint8_t *at, uint32_t type)
{
	uint32_t word = (uint32_t)linked_get(at, 4);
	if (is_store(type))
		return (int32_t)((word & 0xFE000000u) | (word >> 7 & 31) << 20) >> 20;
	return (int32_t)word >> 20;
}

void linked_put_low(uint8_t *at, uint32_t type, int64_t value)
{
	uint32_t word = (uint32_t)linked_get(at, 4), low = (uint32_t)value & 0xFFF;
	if (is_store(type))
		word = (word & 0x01FFF07Fu) | (low >> 5) << 25 | (low & 31) << 7;
	else
		word = (word & 0xFFFFFu) | low << 20;
	linked_put(at, 4, word);
}

unsigned linked_field_bytes(uint32_t type)
{
	switch (type) {
	case R_RISCV_64:
	case R_RISCV_ADD64:
	case R_RISCV_SUB64:
		return 8;
	case R_RISCV_32:
	case R_RISCV_ADD32:
	case R_RISCV_SUB32:
	case R_RISCV_SET32:
	case R_RISCV_32_PCREL:
		return 4;
	case R_RISCV_ADD16:
	case R_RISCV_SUB16:
	case R_RISCV_SET16:
		return 2;
	case R_RISCV_ADD8:
	case R_RISCV_SUB8:
	case R_RISCV_SET8:
	case R_RISCV_SET6:
	case R_RISCV_SUB6:
		return 1;
	default:
		return 0;
	}
}

uint64_t linked_field_mask(uint32_t type)
{
	if (type == R_RISCV_SET6 || type == R_RISCV_SUB6)
		return 0x3F;
	return ~UINT64_C(0) >> (64 - 8 * linked_field_bytes(type));
}

int linked_sign(uint32_t type)
{
	switch (type) {
	case R_RISCV_ADD8:
	case R_RISCV_ADD16:
	case R_RISCV_ADD32:
	case R_RISCV_ADD64:
		return 1;
	case R_RISCV_SUB6:
	case R_RISCV_SUB8:
	case R_RISCV_SUB16:
	case R_RISCV_SUB32:
	case R_RISCV_SUB64:
		return -1;
	case R_RISCV_SET6:
	case R_RISCV_SET8:
	case R_RISCV_SET16:
	case R_RISCV_SET32:
		return 2;
	default:
		return 0;
	}
}

const struct object_reloc *linked_high_at(const struct object_section *s, uint64_t offset)
{
	size_t low;
	ORDER_FIRST(low, 0, s->reloc_count, s->relocs[low].offset < offset);
	for (; low < s->reloc_count && s->relocs[low].offset == offset; low++) {
		if (linked_is_high(s->relocs[low].type))
			return &s->relocs[low];
	}
	return NULL;
}
