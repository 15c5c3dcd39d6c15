/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#include "spectrum.h"

void spectrum_load(struct cplx *x, const int16_t *samples, unsigned log2n)
{
	for (uint32_t i = 0; i < 1u << log2n; i++) {
		x[i].re = samples[i] * (1 << SAMPLE_SHIFT);
		x[i].im = 0;
	}
}

void spectrum_load_windowed(struct cplx *x, const int16_t *samples, unsigned log2n)
{
	for (uint32_t i = 0; i < 1u << log2n; i++) {
		int32_t weight = (0x8000 - cosine_q15(i << (32 - log2n))) >> (16 - SAMPLE_SHIFT);
		x[i].re = samples[i] * weight;
		x[i].im = 0;
	}
}

void spectrum_power(const struct cplx *x, unsigned log2n, uint32_t *power)
{
	for (uint32_t k = 0; k < 1u << (log2n - 1); k++) {
		uint32_t re = (uint32_t)(x[k].re >> (SAMPLE_SHIFT - 1)), im = (uint32_t)(x[k].im >> (SAMPLE_SHIFT - 1));
		power[k] = re * re + im * im;
	}
}

static uint32_t square_root(uint32_t v)
{
	uint32_t root = 0;
	for (uint32_t bit = 1u << 30; bit != 0; bit >>= 2) {
		if (v >= root + bit) {
			v -= root + bit;
			root = (root >> 1) + bit;
		} else {
			root >>= 1;
		}
	}
	return root;
}

/* With r = the stronger neighbour's magnitude over the peak's, a tone under a Hann window lies (2 r - 1) / (r + 1) of a
 * bin towards that neighbour. */
static uint32_t interpolate(const uint32_t *power, uint32_t k)
{
	int32_t peak = (int32_t)square_root(power[k]);
	int32_t left = (int32_t)square_root(power[k - 1]), right = (int32_t)square_root(power[k + 1]);
	int32_t neighbour = left > right ? left : right;
	int32_t offset = 256 * (2 * neighbour - peak) / (neighbour + peak);
	return (uint32_t)((int32_t)(k * 256) + (right >= left ? offset : -offset));
}

size_t spectrum_peaks(const uint32_t *power, unsigned log2n, struct peak *peaks, size_t max)
{
	uint32_t bins = 1u << (log2n - 1);
	uint64_t sum = 0;
	for (uint32_t k = 0; k < bins; k++)
		sum += power[k];
	uint32_t threshold = (uint32_t)(sum >> (log2n - 1 + 3));

	size_t count = 0;
	for (uint32_t k = 2; k + 2 < bins; k++) {
		if (power[k] <= threshold || power[k] <= power[k - 1] || power[k] < power[k + 1])
			continue;
		size_t at;
		if (count < max)
			at = count++;
		else if (power[k] > peaks[max - 1].power)
			at = max - 1; /* the weakest falls out */
		else
			continue;
		for (; at > 0 && peaks[at - 1].power < power[k]; at--)
			peaks[at] = peaks[at - 1];
		peaks[at].power = power[k];
		peaks[at].frequency = interpolate(power, k);
	}
	return count;
}
