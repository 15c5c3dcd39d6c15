/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/*
 * The golden model's memory protection against the rules of the privileged specification, section 3.7, taken literally:
 * a register holds bits 33 to 2 of an address, a region matches or not byte by byte, the first that matches decides.
 */
#include <check.h>
#include <stdlib.h>

#include "model/private.h"
#include "tests/suite.h"

enum { CFG_R = 1, CFG_W = 2, CFG_X = 4, CFG_L = 0x80 };

static uint64_t state;
static uint32_t rnd(void)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return (uint32_t)(state >> 32);
}

/* The registers as the specification has them. */
struct rules {
	unsigned regions, grain;
	uint8_t cfg[16];
	uint32_t addr[16];
};

static bool rules_locked(const struct rules *r, unsigned i)
{
	return i < r->regions && r->cfg[i] & CFG_L;
}
static void rules_write_cfg(struct rules *r, unsigned i, uint8_t value)
{
	if (i >= r->regions || rules_locked(r, i))
		return;
	value &= 0x9F;
	if ((value & (CFG_R | CFG_W)) == CFG_W)
		value &= (uint8_t)~CFG_W;
	if (r->grain >= 1 && (value & 0x18) == 0x10)
		value &= (uint8_t)~0x18;
	r->cfg[i] = value;
}
static void rules_write_addr(struct rules *r, unsigned i, uint32_t value)
{
	if (i >= r->regions || rules_locked(r, i))
		return;
	if (rules_locked(r, i + 1) && (r->cfg[i + 1] & 0x18) == 0x08)
		return;
	r->addr[i] = value & 0x3FFFFFFF;
}
static uint32_t rules_read_addr(const struct rules *r, unsigned i)
{
	uint32_t value = r->addr[i];
	bool napot = r->cfg[i] & 0x10;
	if (i >= r->regions)
		return 0;
	for (unsigned bit = 0; bit < r->grain; bit++) {
		if (napot && bit + 1 < r->grain)
			value |= 1u << bit;
		if (!napot)
			value &= ~(1u << bit);
	}
	return value;
}
static bool rules_match(const struct rules *r, unsigned i, uint64_t byte)
{
	uint64_t unit = (uint64_t)4 << r->grain;
	uint64_t top = (uint64_t)rules_read_addr(r, i) << 2;
	switch (r->cfg[i] >> 3 & 3) {
	case 1: {
		uint64_t bottom = i == 0 ? 0 : (uint64_t)r->addr[i - 1] << 2;
		return byte / unit >= bottom / unit && byte / unit < top / unit;
	}
	case 2:
		return byte >= top && byte < top + 4;
	case 3: {
		/* yyyy...y01...1 with n ones: 2^(n + 3) bytes */
		uint32_t value = rules_read_addr(r, i);
		unsigned ones = 0;
		while (value >> ones & 1)
			ones++;
		uint64_t size = (uint64_t)8 << ones;
		uint64_t base = (top >> (ones + 3)) << (ones + 3);
		return byte >= base && byte < base + size;
	}
	default:
		return false;
	}
}
static bool rules_allow(const struct rules *r, uint32_t address, bool machine, enum pmp_right right)
{
	for (unsigned i = 0; i < r->regions; i++)
		if (rules_match(r, i, address))
			return (machine && !(r->cfg[i] & CFG_L)) || r->cfg[i] & right;
	return machine || r->regions == 0;
}

static uint32_t some_address(const struct rules *r)
{
	/* about the bounds of the regions, where mistakes are */
	uint32_t address = (rnd() % 4 == 0 || !r->regions ? rnd() : rules_read_addr(r, rnd() % r->regions) << 2);
	if (rnd() % 2)
		address ^= 4u << rnd() % 30;
	return address + (rnd() % 3 - 1) * (4u << r->grain);
}

static void write_both(struct model *m, struct rules *r, bool may_lock)
{
	bool cycle;
	if (rnd() % 2) {
		unsigned n = rnd() % 4;
		uint32_t value = rnd() & (may_lock && rnd() % 4 == 0 ? 0xFFFFFFFF : 0x7F7F7F7F);
		csr_write(m, CSR_PMPCFG + n, value, &cycle);
		for (unsigned i = 0; i < 4; i++)
			rules_write_cfg(r, 4 * n + i, (uint8_t)(value >> 8 * i));
	} else {
		unsigned i = rnd() % 16;
		/* ones at the end, or near another region */
		uint32_t value = rnd() % 3 ? rnd() | ((1u << rnd() % 31) - 1) : (some_address(r) >> 2) + rnd() % 3;
		csr_write(m, CSR_PMPADDR + i, value, &cycle);
		rules_write_addr(r, i, value);
	}
}

START_TEST(against_the_rules)
{
	static const unsigned grains[] = {0, 0, 1, 2, 3, 10, 28};
	static const enum pmp_right rights[] = {PMP_R, PMP_W, PMP_X};
	static const unsigned counts[] = {1, 4, 8, 16};
	struct model_config config;
	struct model *m;
	unsigned allowed = 0, refused = 0;
	model_config_default(&config);
	config.pmp_grain = grains[_i];
	state = 0x9E3779B97F4A7C15u + (uint64_t)_i;
	for (unsigned round = 0; round < 400; round++) {
		config.pmp_regions = counts[round % 4];
		ck_assert_int_eq(model_open(&m, &config), 0);
		struct rules r = {.regions = config.pmp_regions, .grain = config.pmp_grain};
		for (unsigned step = 0; step < 60; step++) {
			for (unsigned n = rnd() % 8; n; n--)
				write_both(m, &r, round % 2);
			for (unsigned i = 0; i < 16; i++) {
				ck_assert_uint_eq(csr_read(m, CSR_PMPADDR + i), rules_read_addr(&r, i));
				ck_assert_uint_eq(csr_read(m, CSR_PMPCFG + i / 4) >> 8 * (i % 4) & 0xFF, r.cfg[i]);
			}
			for (unsigned n = 0; n < 40; n++) {
				uint32_t address = some_address(&r);
				enum pmp_right right = rights[rnd() % 3];
				bool machine = rnd() % 2;
				bool want = rules_allow(&r, address, machine, right);
				ck_assert_msg(pmp_allows(m, address, machine, right) == want,
				    "address %#x, right %d, machine %d: expected %d", address, right, machine, want);
				*(want ? &allowed : &refused) += 1;
			}
		}
		model_close(m);
	}
	/* both happened often, so that the comparison means something */
	ck_assert_uint_gt(allowed, 100000);
	ck_assert_uint_gt(refused, 100000);
}
END_TEST

START_TEST(without_regions)
{
	struct model_config config;
	struct model *m;
	model_config_default(&config);
	config.pmp_regions = 0;
	ck_assert_int_eq(model_open(&m, &config), 0);
	for (unsigned number = 0x3A0; number < 0x3C0; number++)
		ck_assert(!csr_readable(m, number, false));
	ck_assert(pmp_allows(m, 0x80000000, false, PMP_X));
	ck_assert(pmp_allows(m, 0xFFFFFFFF, false, PMP_W));
	model_close(m);
	config.pmp_regions = 17;
	ck_assert_int_eq(model_open(&m, &config), MODEL_ECONFIG);
	config.pmp_regions = 4;
	config.pmp_grain = 29;
	ck_assert_int_eq(model_open(&m, &config), MODEL_ECONFIG);
	config.pmp_grain = 0;
	ck_assert_int_eq(model_open(&m, &config), 0);
	for (unsigned number = 0x3A0; number < 0x3C0; number++)
		ck_assert(csr_readable(m, number, true) == (number < 0x3A4 || number >= 0x3B0));
	/* a reset takes the locks away */
	bool cycle;
	csr_write(m, CSR_PMPADDR, 5, &cycle);
	csr_write(m, CSR_PMPCFG, 0x9F, &cycle);
	csr_write(m, CSR_PMPCFG, 0, &cycle);
	ck_assert_uint_eq(csr_read(m, CSR_PMPCFG), 0x9F);
	struct model_in in = {.uart_rx = true, .rst = true};
	struct model_out out;
	model_cycle(m, &in, &out);
	ck_assert_uint_eq(csr_read(m, CSR_PMPCFG), 0);
	ck_assert_uint_eq(csr_read(m, CSR_PMPADDR), 0);
	model_close(m);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("model_pmp");
	TCase *c = tcase_create("pmp");
	suite_add_tcase(suite, c);
	tcase_set_timeout(c, 120);
	tcase_add_loop_test(c, against_the_rules, 0, 7);
	tcase_add_test(c, without_regions);
	return suite_finish(suite);
}
