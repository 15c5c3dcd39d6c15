/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#include "fft.h"
#include "sine.h"

/* exp(-2 pi i k / FFT_MAX) in Q31. A radix-4 butterfly asks for three times the index of a point in the first
 * quarter. */
static struct cplx twiddle[3 * FFT_MAX / 4];

void fft_init(void)
{
	sine_init();
	for (uint32_t k = 0; k < 3 * FFT_MAX / 4; k++) {
		twiddle[k].re = sine_step(k + FFT_MAX / 4);
		twiddle[k].im = -sine_step(k);
	}
}

static inline int32_t mul_high(int32_t a, int32_t b)
{
	return (int32_t)(((int64_t)a * b) >> 32);
}

/* Half of (re + i im) * w. */
static inline struct cplx rotate(int32_t re, int32_t im, struct cplx w)
{
	struct cplx out = {mul_high(re, w.re) - mul_high(im, w.im), mul_high(re, w.im) + mul_high(im, w.re)};
	return out;
}

static inline struct cplx halve(struct cplx x)
{
	struct cplx out = {x.re >> 1, x.im >> 1};
	return out;
}

/*
 * One stage of decimation in frequency, on every block of 4 * quarter points. The middle outputs change places, so that
 * the order at the end is bit-reversed whatever the mixture of radices. Scaled by 1/4: half before the sums, half in
 * the rotation.
 *
 *	a ──┬─ a+c ──┬─ (a+c)+(b+d) ───────────► a
 *	b ──┼─ b+d ──┴─ (a+c)-(b+d) ── w^2k ───► b
 *	c ──┼─ a-c ──┬─ (a-c)-i(b-d) ─ w^k ────► c
 *	d ──┴─ b-d ──┴─ (a-c)+i(b-d) ─ w^3k ───► d
 */
static void stage_radix4(struct cplx *x, uint32_t n, uint32_t quarter)
{
	uint32_t step = FFT_MAX / (4 * quarter);
	for (uint32_t k = 0; k < quarter; k++) {
		struct cplx w1 = twiddle[k * step], w2 = twiddle[2 * k * step], w3 = twiddle[3 * k * step];
		for (struct cplx *p = x + k; p < x + n; p += 4 * quarter) {
			struct cplx a = halve(p[0]), b = halve(p[quarter]), c = halve(p[2 * quarter]),
				    d = halve(p[3 * quarter]);
			int32_t ac_re = a.re + c.re, ac_im = a.im + c.im;
			int32_t bd_re = b.re + d.re, bd_im = b.im + d.im;
			p[0].re = (ac_re + bd_re) >> 1;
			p[0].im = (ac_im + bd_im) >> 1;
			p[quarter] = rotate(ac_re - bd_re, ac_im - bd_im, w2);

			ac_re = a.re - c.re, ac_im = a.im - c.im;
			bd_re = b.re - d.re, bd_im = b.im - d.im;
			p[2 * quarter] = rotate(ac_re + bd_im, ac_im - bd_re, w1);
			p[3 * quarter] = rotate(ac_re - bd_im, ac_im + bd_re, w3);
		}
	}
}

/* The last stage when log2n is odd: pairs of neighbours, no rotation. */
static void stage_radix2(struct cplx *x, uint32_t n)
{
	for (struct cplx *p = x; p < x + n; p += 2) {
		struct cplx a = halve(p[0]), b = halve(p[1]);
		p[0].re = a.re + b.re;
		p[0].im = a.im + b.im;
		p[1].re = a.re - b.re;
		p[1].im = a.im - b.im;
	}
}

static void reverse_bits(struct cplx *x, uint32_t n)
{
	for (uint32_t i = 0, j = 0; i < n; i++) {
		if (i < j) {
			struct cplx t = x[i];
			x[i] = x[j];
			x[j] = t;
		}
		/* j counts with its bits the other way round: the carry runs down. */
		uint32_t bit = n >> 1;
		while (j & bit) {
			j ^= bit;
			bit >>= 1;
		}
		j |= bit;
	}
}

void fft_forward(struct cplx *x, unsigned log2n)
{
	uint32_t n = 1u << log2n;
	uint32_t span = n;
	for (; span >= 4; span /= 4)
		stage_radix4(x, n, span / 4);
	if (span == 2)
		stage_radix2(x, n);
	reverse_bits(x, n);
}

/* Point n - k of the forward transform is point k of the inverse. */
void fft_inverse(struct cplx *x, unsigned log2n)
{
	fft_forward(x, log2n);
	for (struct cplx *low = x + 1, *high = x + (1u << log2n) - 1; low < high; low++, high--) {
		struct cplx t = *low;
		*low = *high;
		*high = t;
	}
}
