/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* The sampling counter, against a model of it in software. */
#include "sw/apps/selftest/unit.h"

#define ON TRACE_MASK(CTRL, ENABLE)

struct sampler {
	uint32_t period, counter, dither;
	uint16_t lfsr;
	uint32_t samples;
};

static void latch(struct sampler *sampler)
{
	if (sampler->counter <= 1) {
		sampler->samples++;
		sampler->counter = sampler->period + (sampler->lfsr & sampler->dither);
	} else {
		sampler->counter--;
	}
	for (int i = 0; i < 4; i++) {
		uint16_t out = sampler->lfsr & 1;
		sampler->lfsr >>= 1;
		if (out != 0)
			sampler->lfsr ^= 0xB400;
	}
}

int test_sampling(const struct trace_features *features)
{
	static const struct {
		uint32_t period, counter, dither, lfsr, rounds;
	} cases[] = {
	    {7, 7, 0, 1, 100},
	    {1, 1, 0, 1, 10},
	    {1, 0, 0, 1, 5},
	    {0, 0, 0, 1, 5},
	    {5, 3, 0, 77, 50},
	    {9, 9, 7, 1, 200},
	    {100, 1, 255, 0xACE1, 2000},
	    {3, 3, 15, 0xFFFF, 100},
	    {50, 20, 0x5A5A, 3, 3000},
	    {1000, 1000, 0, 1, 999},
	    {1000, 1000, 0, 1, 1000},
	};
	int errors = 0;

	for (unsigned i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		struct sampler sampler = {.period = cases[i].period,
		    .counter = cases[i].counter,
		    .dither = cases[i].dither,
		    .lfsr = (uint16_t)cases[i].lfsr};
		unit_reset();
		csr_write(RV_CSR_PERIOD, sampler.period);
		csr_write(RV_CSR_COUNTER, sampler.counter);
		csr_write(RV_CSR_DITHER, sampler.dither);
		csr_write(RV_CSR_LFSR, sampler.lfsr);
		csr_set(RV_CSR_CTRL, TRACE_MASK(CTRL, SAMPLE));
		path_loop(cases[i].rounds, ON);
		for (uint32_t round = 0; round < cases[i].rounds; round++)
			latch(&sampler);
		uint32_t kept = sampler.samples < features->fifo_depth ? sampler.samples : features->fifo_depth;
		errors += expect("sampling: samples", csr_read(RV_CSR_COUNT) + csr_read(RV_CSR_LOST), sampler.samples);
		errors += expect("sampling: kept", csr_read(RV_CSR_COUNT), kept);
		errors += expect("sampling: counter", csr_read(RV_CSR_COUNTER), sampler.counter);
		errors += expect("sampling: random state", csr_read(RV_CSR_LFSR), sampler.lfsr);
		errors += expect(
		    "sampling: status", TRACE_GET(STATUS, SAMPLE, csr_read(RV_CSR_STATUS)), sampler.samples != 0);
		csr_write(RV_CSR_STATUS, TRACE_MASK(STATUS, SAMPLE));
		errors += expect("sampling: cleared", TRACE_GET(STATUS, SAMPLE, csr_read(RV_CSR_STATUS)), 0);
	}

	/* Without SAMPLE the counter stands still, the random generator does not. */
	unit_reset();
	csr_write(RV_CSR_COUNTER, 5);
	path_loop(3, ON);
	struct sampler idle = {.lfsr = 1};
	for (int i = 0; i < 3; i++)
		latch(&idle);
	errors += expect("no sampling: counter", csr_read(RV_CSR_COUNTER), 5);
	errors += expect("no sampling: random state", csr_read(RV_CSR_LFSR), idle.lfsr);
	return errors;
}
