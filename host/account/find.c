/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* Rows by address. */
#include "host/account/private.h"
#include "host/base/order.h"

size_t account_half(const struct maker *maker, uint64_t pc)
{
	size_t count, base = 0;
	const struct elf_segment *segments = image_segments(maker->image, &count);
	for (size_t i = 0; i < count; i++) {
		if (!segments[i].execute)
			continue;
		if (pc >= segments[i].address && pc - segments[i].address < segments[i].file_size)
			return base + (pc - segments[i].address) / 2;
		base += segments[i].file_size / 2 + 1;
	}
	return SIZE_MAX;
}

uint32_t account_row(const struct maker *maker, uint64_t pc)
{
	return maker->rows[account_half(maker, pc)];
}

size_t account_from(const struct account *account, uint64_t pc)
{
	size_t low;
	ORDER_FIRST(low, 0, account->insn_count, account->insns[low].pc < pc);
	return low;
}

const struct account_insn *account_find(const struct account *account, uint64_t pc)
{
	const size_t at = account_from(account, pc);
	return at < account->insn_count && account->insns[at].pc == pc ? &account->insns[at] : NULL;
}

uint32_t account_function_at(const struct account *account, uint64_t start)
{
	size_t low;
	ORDER_FIRST(low, 0, account->function_count, account->functions[low].start < start);
	return low < account->function_count && account->functions[low].start == start ? (uint32_t)low : ACCOUNT_NONE;
}
