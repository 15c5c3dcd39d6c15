/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* Physical memory protection (docs/core.md section 8). Addresses in here are word indices: address bits 31 to 2. */
#include "model/private.h"

#define PMP_WORDS 0x3FFFFFFFu /* the last word */
enum { A_OFF = 0, A_TOR = 1, A_NA4 = 2, A_NAPOT = 3 };
#define CFG_A(cfg) ((cfg) >> 3 & 3)
#define CFG_LOCKED 0x80u

static void forget_windows(struct model *model)
{
	/* first > last: no address lies in it */
	model->pmp.fetch = model->pmp.data = (struct pmp_window){.first = 1, .last = 0};
}

void pmp_reset(struct model *model)
{
	for (unsigned i = 0; i < PMP_MAX_REGIONS; i++) {
		model->pmp.cfg[i] = 0;
		model->pmp.addr[i] = 0;
	}
	forget_windows(model);
}

static uint32_t below_grain(const struct model *model)
{
	return (1u << model->config.pmp_grain) - 1;
}

uint32_t pmp_read(const struct model *model, unsigned number)
{
	const struct pmp *pmp = &model->pmp;
	if (number < CSR_PMPADDR) {
		const uint8_t *cfg = &pmp->cfg[4 * (number - CSR_PMPCFG)];
		return cfg[0] | (uint32_t)cfg[1] << 8 | (uint32_t)cfg[2] << 16 | (uint32_t)cfg[3] << 24;
	}
	unsigned i = number - CSR_PMPADDR;
	uint32_t low = below_grain(model);
	if (i >= model->config.pmp_regions)
		return 0;
	return CFG_A(pmp->cfg[i]) >= A_NA4 ? pmp->addr[i] | low >> 1 : pmp->addr[i] & ~low;
}

void pmp_write(struct model *model, unsigned number, uint32_t value)
{
	struct pmp *pmp = &model->pmp;
	unsigned regions = model->config.pmp_regions;
	forget_windows(model);
	if (number >= CSR_PMPADDR) {
		unsigned i = number - CSR_PMPADDR;
		/* the end of region i is where a locked TOR region i + 1 begins */
		bool fixed = i + 1 < regions && pmp->cfg[i + 1] & CFG_LOCKED && CFG_A(pmp->cfg[i + 1]) == A_TOR;
		if (i < regions && !(pmp->cfg[i] & CFG_LOCKED) && !fixed)
			pmp->addr[i] = value & PMP_WORDS;
		return;
	}
	for (unsigned byte = 0; byte < 4; byte++) {
		unsigned i = 4 * (number - CSR_PMPCFG) + byte;
		uint32_t cfg = value >> 8 * byte & 0x9F;
		if (i >= regions || pmp->cfg[i] & CFG_LOCKED)
			continue;
		if (!(cfg & PMP_R))
			cfg &= ~(uint32_t)PMP_W;
		if (CFG_A(cfg) == A_NA4 && model->config.pmp_grain != 0)
			cfg &= ~(3u << 3);
		pmp->cfg[i] = (uint8_t)cfg;
	}
}

/* First and last word of region i; false if it holds none. */
static bool region(const struct model *model, unsigned i, uint32_t *first, uint32_t *last)
{
	const struct pmp *pmp = &model->pmp;
	uint32_t low = below_grain(model);
	switch (CFG_A(pmp->cfg[i])) {
	case A_TOR: {
		uint32_t begin = i == 0 ? 0 : pmp->addr[i - 1] & ~low;
		uint32_t end = pmp->addr[i] & ~low;
		*first = begin;
		*last = end - 1;
		return begin < end;
	}
	case A_NA4:
		*first = *last = pmp->addr[i];
		return true;
	case A_NAPOT: {
		uint32_t ones = pmp->addr[i] | low >> 1;
		uint32_t free = ones ^ (ones + 1);
		*first = ones & ~free;
		*last = (ones | free) & PMP_WORDS;
		return true;
	}
	default:
		return false;
	}
}

/* The words around one for which the same region decides, and what it lets M and U do. */
static void look_up(const struct model *model, uint32_t word, struct pmp_window *window)
{
	bool found = false;
	window->first = 0;
	window->last = PMP_WORDS;
	window->rights[1] = PMP_R | PMP_W | PMP_X;
	window->rights[0] = model->config.pmp_regions ? 0 : window->rights[1];
	for (unsigned i = 0; i < model->config.pmp_regions && !found; i++) {
		uint32_t first, last;
		if (!region(model, i, &first, &last))
			continue;
		if (word < first) {
			if (window->last >= first)
				window->last = first - 1;
		} else if (word > last) {
			if (window->first <= last)
				window->first = last + 1;
		} else {
			uint8_t cfg = model->pmp.cfg[i];
			found = true;
			if (window->first < first)
				window->first = first;
			if (window->last > last)
				window->last = last;
			window->rights[0] = cfg & (PMP_R | PMP_W | PMP_X);
			if (cfg & CFG_LOCKED)
				window->rights[1] = window->rights[0];
		}
	}
}

bool pmp_allows(struct model *model, uint32_t address, bool machine, enum pmp_right right)
{
	struct pmp_window *window = right == PMP_X ? &model->pmp.fetch : &model->pmp.data;
	uint32_t word = address >> 2;
	if (word < window->first || word > window->last)
		look_up(model, word, window);
	return window->rights[machine] & right;
}
