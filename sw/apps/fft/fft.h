/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#ifndef FFT_H
#define FFT_H
/*
 * Fast Fourier transform in place, 4 to 1024 points, in 32-bit fixed point. Every stage scales by its radix, so that
 * nothing overflows as long as no point of the input is longer than FFT_LIMIT.
 */
#include <stddef.h>
#include <stdint.h>

#define FFT_LOG2_MIN 2
#define FFT_LOG2_MAX 10
#define FFT_MAX (1u << FFT_LOG2_MAX)
#define FFT_LIMIT (1 << 29)

struct cplx {
	int32_t re, im;
};

/* Fills the sine and twiddle tables. Call once, before anything else here. */
void fft_init(void);

/* In place of x[k]: 1/n times the sum over t of x[t] * exp(-2 pi i k t / n), n = 2^log2n. */
void fft_forward(struct cplx *x, unsigned log2n);

/* The same with exp(+2 pi i k t / n), also scaled: after fft_forward() it gives 1/n times the original. */
void fft_inverse(struct cplx *x, unsigned log2n);

/* Sine in Q15 of an angle in turns, 2^32 the full turn. Too small by one unit at most. */
int32_t sine_q15(uint32_t turn);

static inline int32_t cosine_q15(uint32_t turn)
{
	return sine_q15(turn + 0x40000000u);
}
#endif
