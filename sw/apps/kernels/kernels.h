/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#ifndef KERNELS_H
#define KERNELS_H
/* Small kernels of the kind that benchmarks are made of, each with a check that computes the result in another way. */
#include <stddef.h>
#include "sw/run/app.h"

/* matrix.c. Row after row; arithmetic modulo 2^32. product is rows x columns, left rows x inner, right inner x
 * columns. */
struct shape {
	unsigned rows, inner, columns;
};
void matrix_multiply(const struct shape *shape, const int32_t *left, const int32_t *right, int32_t *product);
int check_matrix(const struct shape *shape, struct app_random *random);

/* crc.c. CRC-32 of IEEE 802.3; crc is 0 for the first piece and the result of the piece before after that. */
void crc_init(void);
uint32_t crc_bitwise(uint32_t crc, const uint8_t *data, size_t size);
uint32_t crc_table(uint32_t crc, const uint8_t *data, size_t size);
int check_crc(size_t size, struct app_random *random);

/* list.c. A list of n items is built, sorted, searched, thinned out and turned round. */
int check_list(unsigned n, struct app_random *random);

/* scanner.c. Says of each of the words of a text between commas what kind of number it is. */
enum token { TOKEN_INTEGER, TOKEN_HEX, TOKEN_FRACTION, TOKEN_SCIENTIFIC, TOKEN_NAME, TOKEN_INVALID, TOKENS };
void scan(const char *text, uint32_t count[TOKENS]);
int check_scanner(unsigned words, struct app_random *random);

/* convolve.c. A picture that goes on at the opposite edge, under a kernel of 5 by 5. */
#define KERNEL 5
void convolve(
    const uint8_t *picture, unsigned width, unsigned height, const int16_t kernel[KERNEL][KERNEL], int32_t *out);
int check_convolution(unsigned width, unsigned height, struct app_random *random);
#endif
