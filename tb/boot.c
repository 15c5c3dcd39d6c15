/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#include "tb/boot.h"
#include "common/rivulet_regs.h"

enum { T0 = 5, NOP = 0x13 };

static uint32_t lui(uint32_t value)
{
	return ((value + 0x800) & 0xFFFFF000) | T0 << 7 | 0x37;
}
static uint32_t addi(uint32_t value)
{
	return value << 20 | T0 << 15 | T0 << 7 | 0x13;
}
static uint32_t jump(uint32_t value)
{
	return value << 20 | T0 << 15 | 0x67;
}
static uint32_t write_csr(uint32_t csr)
{
	return csr << 20 | T0 << 15 | 1 << 12 | 0x73;
}

static uint32_t last_word(const struct boot *b)
{
	return b->size / 4 - BOOT_LAST;
}

static void give_back(struct boot *b, bool first, bool last)
{
	for (uint32_t i = 0; first && b->lent_first && i < BOOT_FIRST; i++)
		b->write(b->context, i, b->first[i]);
	for (uint32_t i = 0; last && b->lent_last && i < BOOT_LAST; i++)
		b->write(b->context, last_word(b) + i, b->last[i]);
	b->lent_first = b->lent_first && !first;
	b->lent_last = b->lent_last && !last;
}

void boot_begin(struct boot *b)
{
	if (!b->wanted)
		return;
	give_back(b, true, true); /* a reset may come before they were */
	const uint32_t at = b->base + 4 * last_word(b);
	const uint32_t first[BOOT_FIRST] = {lui(at), jump(at)};
	const uint32_t last[BOOT_LAST] = {
	    lui(b->ctrl), addi(b->ctrl), write_csr(RV_CSR_CTRL), lui(b->entry), jump(b->entry), NOP, NOP, NOP};
	for (uint32_t i = 0; i < BOOT_FIRST; i++) {
		b->first[i] = b->read(b->context, i);
		b->write(b->context, i, first[i]);
	}
	for (uint32_t i = 0; i < BOOT_LAST; i++) {
		b->last[i] = b->read(b->context, last_word(b) + i);
		b->write(b->context, last_word(b) + i, last[i]);
	}
	b->lent_first = b->lent_last = true;
}

void boot_retire(struct boot *b, uint32_t pc)
{
	if (b->lent_first && pc == b->base + 4 * last_word(b))
		give_back(b, true, false);
	else if (b->lent_last && !b->lent_first && pc == b->entry)
		give_back(b, false, true);
}
