/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* Exceptions in functions whose blocks move: handlers before and behind the hot way, clean-ups in loops, rethrown ones,
 * handlers by type. With an argument, others are the hot ones. */
#include <cstdio>
#include <cstdlib>
#include <new>
#include <stdexcept>
#include <string>

static int ended, odd;
struct Guard {
	int by;
	explicit Guard(int n) : by(n) {}
	~Guard() { ended += by; }
};
__attribute__((noinline)) static int might(int x, int rare)
{
	if (x % rare == 1)
		throw std::runtime_error("one");
	if (x % rare == 2)
		throw x;
	if (x % (rare * 3) == 3)
		throw std::bad_alloc();
	return x & 15;
}
__attribute__((noinline)) static int loops(int n, int rare)
{
	int s = 0;
	for (int i = 0; i < n; i++) {
		if (i % 11 == 5) {
			try {
				Guard g(1);
				s += might(i, rare);
				if (i % 22 == 5)
					s += might(i + 1, rare);
			} catch (int x) {
				s += x;
				odd++;
			}
		} else if (i % 3 == 0) {
			Guard g(2);
			try {
				s ^= might(i, rare);
			} catch (const std::exception &e) {
				s += static_cast<int>(std::string(e.what()).size());
				if (i % 5 == 0)
					throw;
			}
			s += might(3 * i, 1000003);
		} else {
			s += i;
			try {
				Guard g(3);
				s += might(i + s % 7, rare);
			} catch (const std::bad_alloc &) {
				s -= 100;
			} catch (...) {
				Guard h(4);
				s += 7;
			}
		}
	}
	return s;
}
__attribute__((noinline)) static int deeper(int n, int rare)
{
	Guard g(5);
	if (n == 0)
		return loops(60, rare);
	try {
		return deeper(n - 1, rare) + 1;
	} catch (int x) {
		if (n % 4 != 0)
			throw x + 1;
		return x;
	}
}
int main(int argc, char **argv)
{
	const int rare = argc > 1 ? std::atoi(argv[1]) : 41;
	int s = 0, caught = 0;
	for (int i = 0; i < 60; i++) {
		try {
			s += deeper(i % 9, rare + i % 3);
		} catch (const std::runtime_error &) {
			caught++;
		} catch (const std::exception &e) {
			caught += 100;
		} catch (int x) {
			caught += 10000 + x;
		}
	}
	std::printf("%d %d %d %d\n", s, ended, odd, caught);
	return 0;
}
