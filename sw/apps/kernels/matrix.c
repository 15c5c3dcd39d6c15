/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#include <stdlib.h>
#include "kernels.h"

void matrix_multiply(const struct shape *shape, const int32_t *left, const int32_t *right, int32_t *product)
{
	for (unsigned i = 0; i < shape->rows; i++) {
		const int32_t *row = left + i * shape->inner;
		for (unsigned j = 0; j < shape->columns; j++) {
			const int32_t *column = right + j;
			uint32_t sum = 0;
			for (unsigned k = 0; k < shape->inner; k++, column += shape->columns)
				sum += (uint32_t)row[k] * (uint32_t)*column;
			*product++ = (int32_t)sum;
		}
	}
}

/* to = matrix * vector. Not by matrix_multiply(): it is what the check checks. */
static void apply(const int32_t *matrix, unsigned rows, unsigned columns, const int32_t *vector, int32_t *to)
{
	for (unsigned i = 0; i < rows; i++) {
		uint32_t sum = 0;
		for (unsigned j = 0; j < columns; j++)
			sum += (uint32_t)*matrix++ * (uint32_t)vector[j];
		to[i] = (int32_t)sum;
	}
}

static int32_t *random_matrix(unsigned rows, unsigned columns, struct app_random *random)
{
	int32_t *m = malloc(rows * columns * sizeof *m);
	for (unsigned i = 0; m != NULL && i < rows * columns; i++)
		m[i] = (int32_t)app_random_below(random, 20001) - 10000;
	return m;
}

/* Freivalds: (A B) v = A (B v) for a random v; a wrong element shows with near certainty. */
static uint32_t differences(const struct shape *shape, const int32_t *left, const int32_t *right,
    const int32_t *product, const int32_t *v, int32_t *work)
{
	int32_t *right_v = work, *expected = right_v + shape->inner, *got = expected + shape->rows;
	apply(right, shape->inner, shape->columns, v, right_v);
	apply(left, shape->rows, shape->inner, right_v, expected);
	apply(product, shape->rows, shape->columns, v, got);
	uint32_t count = 0;
	for (unsigned i = 0; i < shape->rows; i++)
		count += expected[i] != got[i];
	return count;
}

int check_matrix(const struct shape *shape, struct app_random *random)
{
	int32_t *left = random_matrix(shape->rows, shape->inner, random);
	int32_t *right = random_matrix(shape->inner, shape->columns, random);
	int32_t *v = random_matrix(shape->columns, 1, random);
	int32_t *product = malloc(shape->rows * shape->columns * sizeof *product);
	int32_t *work = malloc((shape->inner + 2 * shape->rows) * sizeof *work);
	int failed;
	if (left == NULL || right == NULL || v == NULL || product == NULL || work == NULL) {
		failed = app_check("memory for matrices", 0, shape->rows);
	} else {
		matrix_multiply(shape, left, right, product);
		failed = app_check("rows of the product", differences(shape, left, right, product, v, work), 0);
	}
	free(work);
	free(product);
	free(v);
	free(right);
	free(left);
	return failed;
}
