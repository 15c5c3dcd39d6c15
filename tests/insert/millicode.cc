/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* Exceptions through functions of -msave-restore, whose millicode saves registers in groups: also those of which the
 * compiler says nothing, since it does not use them. What lies below keeps its own values in them. */
#include <cstdio>
#include <stdexcept>
#define APART __attribute__((noinline))
extern "C" {
APART int thrower(int n)
{
	if (n % 3 == 1)
		throw n;
	if (n % 7 == 5)
		throw std::runtime_error("seven");
	return n * 2;
}
APART int through(int n, int times)
{
	int s = 0;
	for (int i = 0; i < times; i++)
		s += thrower(3 * n + i) ^ i;
	return s;
}
APART int again(int n)
{
	try {
		return through(n, n % 4);
	} catch (int v) {
		if (v % 2 == 0)
			throw;
		return v;
	}
}
APART int catching(int n)
{
	volatile int large[750];
	int caught = 0;
	for (int i = 0; i < n % 5; i++) {
		large[(i * 97) % 750] = i;
		try {
			if (i != 2)
				large[(i * 97) % 750] += thrower(n + i) + again(n - i);
		} catch (int v) {
			caught += v;
		} catch (const std::exception &) {
			caught -= large[(i * 97) % 750];
		}
	}
	return caught;
}
}
int main()
{
	long all = 0;
	for (int n = 0; n < 60; n++)
		all = all * 3 + catching(n);
	printf("%ld\n", all);
	return 0;
}
