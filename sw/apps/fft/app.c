/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/*
 * Spectrum analysis of synthetic captures: tones in noise, a chirp, a click. Each capture goes through the transform
 * and back, and through window, transform and peak search. What must come out is known from how the capture was made.
 */
#include <stdlib.h>
#include <string.h>
#include "sw/run/app.h"
#include "spectrum.h"

enum kind { TONES, CHIRP, CLICK };

/* A kind of capture, and how many are made of it. */
struct plan {
	enum kind kind;
	unsigned log2n;
	unsigned tones; /* TONES only, MAX_TONES at most */
	int32_t noise;  /* peak */
	unsigned captures;
};

#define MAX_TONES 6

struct tone {
	uint32_t frequency; /* 1/256 bin */
	int32_t amplitude;
};

static const struct plan train[] = {
    {TONES, 9, 4, 40, 1},
    {TONES, 8, 3, 10, 1},
    {CHIRP, 9, 0, 0, 1},
    {CLICK, 6, 0, 0, 3},
    {TONES, 5, 1, 0, 3},
};

static const struct plan ref[] = {
    {TONES, 10, 6, 60, 18},
    {TONES, 9, 4, 300, 18},
    {CHIRP, 10, 0, 5, 12},
    {CLICK, 10, 0, 0, 9},
    {TONES, 8, 3, 0, 36},
    {CHIRP, 7, 0, 100, 30},
    {CLICK, 5, 0, 0, 60},
    {TONES, 6, 1, 20, 60},
};

struct bench {
	struct app_random random;
	int16_t samples[FFT_MAX];
	struct cplx work[FFT_MAX];
	uint32_t power[FFT_MAX / 2];
	struct tone tones[MAX_TONES];
	uint32_t click_at;
	int32_t click_height;
};

static void add_noise(struct bench *b, uint32_t n, int32_t peak)
{
	if (peak == 0)
		return;
	for (uint32_t i = 0; i < n; i++)
		b->samples[i] =
		    (int16_t)(b->samples[i] + (int32_t)app_random_below(&b->random, (uint32_t)(2 * peak + 1)) - peak);
}

/* One tone to each slice of the spectrum, four bins or more from the next; each half as strong as the one before or a
 * little more. */
static void make_tones(struct bench *b, const struct plan *plan)
{
	uint32_t n = 1u << plan->log2n;
	uint32_t slice = (n / 2 - 6) / plan->tones;
	int32_t amplitude = 15000;
	memset(b->samples, 0, sizeof b->samples);
	for (unsigned t = 0; t < plan->tones; t++) {
		struct tone *tone = &b->tones[t];
		tone->frequency = (3 + t * slice) * 256 + app_random_below(&b->random, (slice - 4) * 256);
		tone->amplitude = amplitude;
		amplitude = amplitude / 2 + (int32_t)app_random_below(&b->random, (uint32_t)amplitude / 16);
		uint32_t phase = app_random(&b->random);
		uint32_t step = tone->frequency << (24 - plan->log2n);
		for (uint32_t i = 0; i < n; i++, phase += step)
			b->samples[i] = (int16_t)(b->samples[i] + ((tone->amplitude * sine_q15(phase)) >> 15));
	}
}

/* From 0 to a third of the sampling rate. */
static void make_chirp(struct bench *b, const struct plan *plan)
{
	uint32_t phase = app_random(&b->random), step = 0;
	for (uint32_t i = 0; i < 1u << plan->log2n; i++) {
		b->samples[i] = (int16_t)((28000 * sine_q15(phase)) >> 15);
		phase += step;
		step += 0x55555555u >> plan->log2n;
	}
}

static void make_click(struct bench *b, const struct plan *plan)
{
	memset(b->samples, 0, sizeof b->samples);
	b->click_at = app_random_below(&b->random, 1u << plan->log2n);
	b->click_height = 8000 + (int32_t)app_random_below(&b->random, 20000);
	b->samples[b->click_at] = (int16_t)b->click_height;
}

/* Length of a point, squared. */
static uint64_t square(struct cplx x)
{
	return (uint64_t)((int64_t)x.re * x.re) + (uint64_t)((int64_t)x.im * x.im);
}

/* Parseval: the mean energy of the samples is the energy of the scaled spectrum. Within 1/1024. */
static int check_energy(const struct bench *b, unsigned log2n)
{
	uint64_t samples = 0, bins = 0;
	for (uint32_t i = 0; i < 1u << log2n; i++) {
		samples += (uint32_t)(b->samples[i] * b->samples[i]);
		bins += square(b->work[i]);
	}
	samples <<= 2 * SAMPLE_SHIFT - log2n;
	uint64_t difference = samples > bins ? samples - bins : bins - samples;
	return app_check("energy is kept", difference <= samples >> 10, true);
}

/* One bin by the definition, with 64-bit sums: independent of the fast algorithm. Within one sample unit. */
static int check_bin(struct bench *b, unsigned log2n)
{
	uint32_t n = 1u << log2n;
	uint32_t k = app_random_below(&b->random, n);
	uint32_t turn = 0, step = k << (32 - log2n);
	int64_t re = 0, im = 0;
	for (uint32_t i = 0; i < n; i++, turn += step) {
		re += b->samples[i] * cosine_q15(turn);
		im -= b->samples[i] * sine_q15(turn);
	}
	int32_t error_re = (int32_t)(re >> (15 - SAMPLE_SHIFT + log2n)) - b->work[k].re;
	int32_t error_im = (int32_t)(im >> (15 - SAMPLE_SHIFT + log2n)) - b->work[k].im;
	return app_check(
	    "bin by the definition", abs(error_re) <= 1 << SAMPLE_SHIFT && abs(error_im) <= 1 << SAMPLE_SHIFT, true);
}

/* A click has the same power at every frequency. */
static int check_flat(const struct bench *b, unsigned log2n)
{
	struct cplx click = {b->click_height << (SAMPLE_SHIFT - log2n), 0};
	uint64_t power = square(click);
	uint32_t failures = 0;
	for (uint32_t k = 0; k < 1u << log2n; k++) {
		uint64_t bin = square(b->work[k]);
		failures += bin > power + (power >> 10) || bin < power - (power >> 10);
	}
	return app_check("click has a flat spectrum", failures, 0);
}

static int check_round_trip(struct bench *b, const struct plan *plan)
{
	unsigned log2n = plan->log2n;
	spectrum_load(b->work, b->samples, log2n);
	fft_forward(b->work, log2n);
	int failed = check_energy(b, log2n) + check_bin(b, log2n);
	if (plan->kind == CLICK)
		failed += check_flat(b, log2n);

	/* The inverse is 1/n of the samples, with SAMPLE_SHIFT - log2n fraction bits left: enough to round to the very
	 * same. */
	fft_inverse(b->work, log2n);
	unsigned shift = SAMPLE_SHIFT - log2n;
	uint32_t different = 0;
	for (uint32_t i = 0; i < 1u << log2n; i++) {
		int32_t re = (b->work[i].re + (1 << (shift - 1))) >> shift,
			im = (b->work[i].im + (1 << (shift - 1))) >> shift;
		different += re != b->samples[i] || im != 0;
	}
	return failed + app_check("samples changed by the round trip", different, 0);
}

static int check_peaks(struct bench *b, const struct plan *plan)
{
	spectrum_load_windowed(b->work, b->samples, plan->log2n);
	fft_forward(b->work, plan->log2n);
	spectrum_power(b->work, plan->log2n, b->power);

	struct peak peaks[MAX_TONES];
	size_t found = spectrum_peaks(b->power, plan->log2n, peaks, plan->tones);
	uint32_t missed = 0;
	for (unsigned t = 0; t < plan->tones; t++) {
		bool seen = false;
		for (size_t p = 0; p < found && !seen; p++)
			seen = abs((int32_t)(peaks[p].frequency - b->tones[t].frequency)) <= 256 / 8;
		missed += !seen;
	}
	return app_check("tones not found", missed, 0);
}

static int capture(struct bench *b, const struct plan *plan)
{
	switch (plan->kind) {
	case TONES:
		make_tones(b, plan);
		break;
	case CHIRP:
		make_chirp(b, plan);
		break;
	case CLICK:
		make_click(b, plan);
		break;
	}
	add_noise(b, 1u << plan->log2n, plan->noise);
	int failed = check_round_trip(b, plan);
	if (plan->kind == TONES)
		failed += check_peaks(b, plan);
	return failed;
}

int app_main(int input)
{
	struct bench *b = malloc(sizeof *b);
	if (b == NULL)
		return app_check("memory", 0, sizeof *b);
	const struct plan *plan = input == APP_TRAIN ? train : ref;
	const struct plan *end =
	    plan + (input == APP_TRAIN ? sizeof train / sizeof train[0] : sizeof ref / sizeof ref[0]);
	int failed = 0;
	app_random_init(&b->random, input == APP_TRAIN ? 11 : 2026);
	fft_init();
	for (; plan < end; plan++)
		for (unsigned i = 0; i < plan->captures; i++)
			failed += capture(b, plan);
	free(b);
	return failed;
}
