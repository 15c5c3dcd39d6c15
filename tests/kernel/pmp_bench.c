/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* rivulet_pmp alone against the model's pmp.c, cycle by cycle: pmp-bench-REGIONS-GRAIN SEED CYCLES */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "model/private.h"
#include "tests/kernel/pmp_rtl.h"

static uint64_t state;
static uint32_t rnd(void)
{
	uint64_t z = state += 0x9E3779B97F4A7C15u;
	z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9u;
	z = (z ^ z >> 27) * 0x94D049BB133111EBu;
	return (uint32_t)((z ^ z >> 31) >> 32);
}

/* Near the bounds of the regions, where mistakes are. */
static uint32_t address(const struct model *model)
{
	uint32_t at = rnd() % 8 ? pmp_read(model, CSR_PMPADDR + rnd() % pmp_rtl_regions) << 2 : rnd();
	if (rnd() % 2)
		at ^= 4u << rnd() % 30;
	return at + (rnd() % 3 - 1) * (4u << pmp_rtl_grain);
}

static void stimulus(const struct model *model, bool may_lock, struct pmp_rtl_in *in)
{
	in->rst = rnd() % 2000 == 0;
	in->write = rnd() % 8 == 0;
	in->number = rnd() % 16 == 0 ? rnd() & 0xFFF : rnd() % 2 ? CSR_PMPCFG + rnd() % 4 : CSR_PMPADDR + rnd() % 16;
	if (in->write && !csr_is_pmp(in->number))
		in->write = false;
	in->wdata = rnd();
	if (in->number < CSR_PMPADDR)
		in->wdata &= may_lock && rnd() % 16 == 0 ? 0xFFFFFFFF : 0x7F7F7F7F;
	else
		in->wdata = rnd() % 2 ? in->wdata | ((1u << rnd() % 31) - 1) : (address(model) >> 2) + rnd() % 3;
	in->fetch_address = address(model);
	in->data_address = address(model);
	in->fetch_user = rnd() % 2;
	in->data_user = rnd() % 2;
	in->data_store = rnd() % 2;
}

static int different(uint64_t cycle, const char *what, uint32_t rtl, uint32_t model)
{
	printf("pmp-bench: %u regions, grain %u, cycle %" PRIu64 ": %s is %#x in the RTL, %#x in the model\n",
	    pmp_rtl_regions, pmp_rtl_grain, cycle, what, rtl, model);
	return 1;
}

int main(int argc, char **argv)
{
	struct model_config config;
	struct model *model;
	uint64_t cycles = argc == 3 ? strtoull(argv[2], NULL, 0) : 0, denied = 0;
	if (cycles == 0) {
		fputs("usage: pmp-bench SEED CYCLES\n", stderr);
		return 2;
	}
	state = strtoull(argv[1], NULL, 0);
	model_config_default(&config);
	config.pmp_regions = pmp_rtl_regions;
	config.pmp_grain = pmp_rtl_grain;
	if (model_open(&model, &config) != MODEL_OK)
		return 2;
	struct pmp_rtl_in in = {.rst = true};
	struct pmp_rtl_out out;
	pmp_rtl_open();
	pmp_rtl_cycle(&in, &out);
	int status = 0;
	for (uint64_t cycle = 0; cycle < cycles && status == 0; cycle++) {
		stimulus(model, cycle >> 14 & 1, &in);
		uint32_t rdata = csr_is_pmp(in.number) ? pmp_read(model, in.number) : 0;
		bool fetch = !pmp_allows(model, in.fetch_address, !in.fetch_user, PMP_X);
		bool data = !pmp_allows(model, in.data_address, !in.data_user, in.data_store ? PMP_W : PMP_R);
		pmp_rtl_cycle(&in, &out);
		if (out.rdata != rdata)
			status = different(cycle, "rdata_o", out.rdata, rdata);
		if (out.fetch_deny != fetch)
			status = different(cycle, "fetch_deny_o", out.fetch_deny, fetch);
		if (out.data_deny != data)
			status = different(cycle, "data_deny_o", out.data_deny, data);
		denied += (uint64_t)fetch + data;
		if (in.rst)
			pmp_reset(model);
		else if (in.write)
			pmp_write(model, in.number, in.wdata);
	}
	if (status == 0)
		printf("pmp-bench: %u regions, grain %u: %" PRIu64
		       " cycles, %.0f%% of the accesses refused, no difference\n",
		    pmp_rtl_regions, pmp_rtl_grain, cycles, 50.0 * (double)denied / (double)cycles);
	pmp_rtl_close();
	model_close(model);
	return status;
}
