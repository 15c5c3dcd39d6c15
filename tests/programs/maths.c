/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* libm: polynomials, tables, special cases. */
#include <math.h>
#include <stdio.h>
int main(void)
{
	double sum = 0;
	float small = 0;
	for (int i = 1; i < 70; i++) {
		double x = i / 17.0;
		sum += sin(x) + cos(x) * exp(-x) + log(x) + pow(x, 1.7) + atan2(x, 3) + fmod(x * 100, 7) +
		       tgamma(x / 10) + cbrt(x) + erf(x / 20) + hypot(x, 4) + asinh(x) + floor(x) + (double)lround(x) +
		       j0(x);
		small += sinf((float)x) + expf(-(float)x) + powf((float)x, 0.3f) + log2f((float)x);
	}
	printf("%.10g %.6g %g\n", sum, (double)small, sqrt(-1.0) != sqrt(-1.0) ? 1.0 : 0.0);
	return 0;
}
