/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#include <stdlib.h>
#include <string.h>
#include "kernels.h"

#define REACH (KERNEL / 2)

/* The binomial kernel: smooths. */
static const int16_t binomial[KERNEL][KERNEL] = {
    {1, 4, 6, 4, 1},
    {4, 16, 24, 16, 4},
    {6, 24, 36, 24, 6},
    {4, 16, 24, 16, 4},
    {1, 4, 6, 4, 1},
};

static int32_t point_inside(const uint8_t *const *rows, unsigned x, const int16_t kernel[KERNEL][KERNEL])
{
	int32_t sum = 0;
	for (unsigned dy = 0; dy < KERNEL; dy++) {
		const uint8_t *p = rows[dy] + x + REACH;
		for (unsigned dx = 0; dx < KERNEL; dx++)
			sum += *p-- * kernel[dy][dx];
	}
	return sum;
}

static int32_t point_at_edge(
    const uint8_t *const *rows, unsigned x, unsigned width, const int16_t kernel[KERNEL][KERNEL])
{
	int32_t sum = 0;
	for (unsigned dx = 0; dx < KERNEL; dx++) {
		unsigned column = (x + width + REACH - dx) % width;
		for (unsigned dy = 0; dy < KERNEL; dy++)
			sum += rows[dy][column] * kernel[dy][dx];
	}
	return sum;
}

void convolve(
    const uint8_t *picture, unsigned width, unsigned height, const int16_t kernel[KERNEL][KERNEL], int32_t *out)
{
	for (unsigned y = 0; y < height; y++) {
		const uint8_t *rows[KERNEL];
		for (unsigned dy = 0; dy < KERNEL; dy++)
			rows[dy] = picture + (y + height + REACH - dy) % height * width;
		for (unsigned x = 0; x < width; x++) {
			if (x >= REACH && x + REACH < width)
				*out++ = point_inside(rows, x, kernel);
			else
				*out++ = point_at_edge(rows, x, width, kernel);
		}
	}
}

/* Adds to each of count points its neighbour, the first to the last. */
static void add_neighbours(int32_t *line, unsigned count, unsigned stride)
{
	int32_t first = line[0];
	for (; count > 1; count--, line += stride)
		line[0] += line[stride];
	line[0] += first;
}

/* Smoothing without a product: (1 4 6 4 1) is what adding the neighbour four times makes, moved by REACH. */
static uint32_t smoothed_differently(
    const uint8_t *picture, unsigned width, unsigned height, const int32_t *smoothed, int32_t *work)
{
	for (unsigned i = 0; i < width * height; i++)
		work[i] = picture[i];
	for (unsigned pass = 1; pass < KERNEL; pass++) {
		for (unsigned y = 0; y < height; y++)
			add_neighbours(work + y * width, width, 1);
		for (unsigned x = 0; x < width; x++)
			add_neighbours(work + x, height, width);
	}
	uint32_t different = 0;
	for (unsigned y = 0; y < height; y++) {
		const int32_t *row = work + (y + height - REACH) % height * width;
		for (unsigned x = 0; x < width; x++)
			different += *smoothed++ != row[x < REACH ? x + width - REACH : x - REACH];
	}
	return different;
}

static void random_kernel(int16_t kernel[KERNEL][KERNEL], struct app_random *random)
{
	for (unsigned dy = 0; dy < KERNEL; dy++)
		for (unsigned dx = 0; dx < KERNEL; dx++)
			kernel[dy][dx] = (int16_t)((int32_t)app_random_below(random, 401) - 200);
}

/* Every point of the picture meets every element of the kernel once: the sum is the product of the sums. */
static int check_sum(const uint8_t *picture, unsigned count, const int16_t kernel[KERNEL][KERNEL], const int32_t *out)
{
	int32_t picture_sum = 0, kernel_sum = 0;
	uint32_t sum = 0;
	for (unsigned i = 0; i < count; i++) {
		picture_sum += picture[i];
		sum += (uint32_t)out[i];
	}
	for (unsigned i = 0; i < KERNEL * KERNEL; i++)
		kernel_sum += kernel[i / KERNEL][i % KERNEL];
	return app_check("sum of the picture", sum, (uint32_t)picture_sum * (uint32_t)kernel_sum);
}

/* One point of light shows the kernel itself. */
static int check_light(uint8_t *picture, unsigned width, unsigned height, const int16_t kernel[KERNEL][KERNEL],
    int32_t *out, struct app_random *random)
{
	unsigned at_x = app_random_below(random, width), at_y = app_random_below(random, height);
	memset(picture, 0, width * height);
	picture[at_y * width + at_x] = 1;
	convolve(picture, width, height, kernel, out);
	uint32_t wrong = 0;
	for (unsigned dy = 0; dy < KERNEL; dy++) {
		const int32_t *row = out + (at_y + height + dy - REACH) % height * width;
		for (unsigned dx = 0; dx < KERNEL; dx++)
			wrong += row[(at_x + width + dx - REACH) % width] != kernel[dy][dx];
	}
	return app_check("picture of a point", wrong, 0);
}

int check_convolution(unsigned width, unsigned height, struct app_random *random)
{
	uint8_t *picture = calloc(width, height);
	int32_t *out = malloc(width * height * sizeof *out), *work = malloc(width * height * sizeof *work);
	int failed = 0;
	if (picture == NULL || out == NULL || work == NULL) {
		failed = app_check("memory for a picture", 0, width * height);
		goto done;
	}
	for (unsigned i = 0; i < width * height; i++)
		picture[i] = (uint8_t)(app_random(random) >> 24);

	convolve(picture, width, height, binomial, out);
	failed += app_check("smoothed points", smoothed_differently(picture, width, height, out, work), 0);

	int16_t kernel[KERNEL][KERNEL];
	random_kernel(kernel, random);
	const int16_t(*fixed)[KERNEL] = (const int16_t(*)[KERNEL])kernel;
	convolve(picture, width, height, fixed, out);
	failed += check_sum(picture, width * height, fixed, out);
	failed += check_light(picture, width, height, fixed, out, random);
done:
	free(work);
	free(out);
	free(picture);
	return failed;
}
