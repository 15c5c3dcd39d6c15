/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#ifndef SPECTRUM_H
#define SPECTRUM_H
/* What is read from a spectrum: loading and windowing before, power and peaks after the transform. */
#include "fft.h"

/* Samples are loaded with this many fraction bits: full scale is FFT_LIMIT. */
#define SAMPLE_SHIFT 14

/* frequency in 1/256 of a bin; power as spectrum_power() gives it. */
struct peak {
	uint32_t frequency;
	uint32_t power;
};

void spectrum_load(struct cplx *x, const int16_t *samples, unsigned log2n);

/* The same under a Hann window of period n, so that the window itself has three non-zero bins. */
void spectrum_load_windowed(struct cplx *x, const int16_t *samples, unsigned log2n);

/* |x[k]|^2 of the first n/2 bins, in quarters of a squared sample unit. */
void spectrum_power(const struct cplx *x, unsigned log2n, uint32_t *power);

/* The strongest local maxima above an eighth of the mean, strongest first. power must come from windowed samples: the
 * frequency between two bins is found from the window's shape. Returns how many were found, max at most. */
size_t spectrum_peaks(const uint32_t *power, unsigned log2n, struct peak *peaks, size_t max);
#endif
