/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* Exceptions in every way that leaves calls: by destructors, through functions without a landing pad and through C's qsort(),
 * caught and thrown again, thrown while another is handled, kept and thrown later, by a recursion, in loops whose turns are
 * counted in registers, of the C++ library's own, and at the end one that nobody catches (word "uncaught"). */
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <stdexcept>
#include <string>
#include <vector>

#define APART __attribute__((noinline))
static volatile int sum;
static int alive;
struct held {
	int kind;
	held(int k) : kind(k) { alive++; }
	~held()
	{
		alive--;
		if (kind % 3 == 0)
			sum += kind;
	}
};

extern "C" {
APART int leaf(int n)
{
	if (n % 3 == 1)
		throw n;
	if (n % 7 == 5)
		throw std::runtime_error("seven");
	return n * 2;
}

/* no landing pad: it is left without a word */
APART int plain(int n)
{
	int s = 0;
	if (n & 1)
		s += leaf(n);
	s += leaf(n + 1);
	if (s > 50)
		sum++;
	return s + leaf(n + 2);
}

APART int guarded(int n)
{
	held a(n);
	int s = 0;
	for (int i = 0; i < n % 4; i++)
		s += i ^ leaf(3 * i);
	held b(s);
	s += plain(n);
	return s;
}

APART int rethrow(int n)
{
	try {
		return guarded(n);
	} catch (int v) {
		if (v % 2 == 0)
			throw;
		if (v % 5 == 0)
			throw std::string("five");
		return v;
	}
}

APART int nested(int n)
{
	int s = 0;
	try {
		s = rethrow(n);
	} catch (int v) {
		try {
			held c(v);
			s = plain(v + 1);
		} catch (...) {
			s = -1;
		}
		if (v % 4 == 0)
			throw std::logic_error("four");
	} catch (const std::string &text) {
		s = (int)text.size();
	}
	return s;
}

APART int descend(int n, int depth)
{
	held d(depth);
	if (depth == 0)
		return nested(n);
	int s = depth & 1 ? descend(n, depth - 1) : descend(n + 1, depth - 1) + 1;
	if (s & 4)
		sum ^= s;
	return s;
}

/* a loop of one block with a call in it */
APART int turning(int n)
{
	int s = 0;
	for (int i = 0; i <= n % 9; i++)
		s += leaf(3 * i + (i == 7));
	return s;
}

APART int compare(const void *a, const void *b)
{
	int x = *(const int *)a, y = *(const int *)b;
	if (x + y == 61)
		throw x;
	return x < y ? -1 : x > y;
}

APART int sorted(int n)
{
	int numbers[32];
	for (int i = 0; i < 32; i++)
		numbers[i] = (i * 7 + n) % 33;
	try {
		qsort(numbers, 32, sizeof *numbers, compare);
	} catch (int v) {
		return v;
	}
	return numbers[n % 32];
}

APART int library(int n)
{
	std::vector<int> numbers(5);
	try {
		return numbers.at((size_t)(n % 8)) + 1;
	} catch (const std::out_of_range &) {
		return -1;
	}
}

APART int later(int n)
{
	std::exception_ptr kept;
	try {
		guarded(n);
	} catch (...) {
		kept = std::current_exception();
	}
	try {
		if (kept && n % 2 == 0)
			std::rethrow_exception(kept);
	} catch (int v) {
		return v;
	} catch (...) {
		return 1;
	}
	return 0;
}

/* many values are alive over the calls: the path register has to be a word of the stack */
APART int crowded(int a, int b, int c, int d)
{
	int e = a * b, f = b * c, g = c * d, h = a * d, i = a ^ c, j = b ^ d, k = a + b, l = c - d, s = 0;
	try {
		for (int n = 0; n < 3; n++) {
			if ((e + n) & 1)
				s += plain(f + n);
			s += a + b + c + d + e + f + g + h + i + j + k + l;
			if ((g + n) & 2)
				s += leaf(h + n);
			a ^= b, b ^= c, c ^= d, d ^= e, e ^= f, f ^= g, g ^= h, h ^= i, i ^= j, j ^= k, k ^= l, l ^= a;
		}
	} catch (int v) {
		s += v + a + b + c + d + e + f + g + h + i + j + k + l;
	} catch (const std::exception &) {
		s -= a + b + c + d + e + f + g + h + i + j + k + l;
	}
	return s & 1023;
}

/* a frame of 3 KB: what its caller needs lies far above where the exception lands */
APART int wide(int n)
{
	volatile int large[750];
	int caught = 0;
	for (int i = 0; i < n % 5; i++) {
		large[(i * 97) % 750] = i;
		try {
			if (i != 2)
				large[(i * 97) % 750] += leaf(n + i);
		} catch (int v) {
			caught += v;
		} catch (const std::exception &) {
			caught -= large[(i * 97) % 750];
		}
	}
	return caught;
}

struct scope {
	int kind;
	scope(int k) : kind(k) { alive++; }
	APART ~scope() { alive -= kind >= 0; }
};

/* clean-ups that lie one behind the other, of which each goes on elsewhere */
APART int scoped(int n)
{
	int s = 0;
	{
		scope a(n);
		s += leaf(n);
	}
	if (n & 1) {
		scope b(n + 1);
		s ^= leaf(n + 1);
	}
	for (int i = 0; i < n % 5; i++) {
		scope c(i);
		s += leaf(n + 2 * i) - i;
	}
	scope d(s & 1);
	return s + leaf(s & 15);
}

APART int each(int n)
{
	try {
		switch (n % 6) {
		case 0:
			return descend(n, n % 13);
		case 1:
			return turning(n);
		case 2:
			return sorted(n);
		case 3:
			return library(n);
		case 4:
			return later(n);
		default:
			return n % 12 == 5 ? scoped(n) : crowded(n, n + 3, n ^ 5, n * 3);
		}
	} catch (int v) {
		return v > 500 ? -v : v;
	} catch (const std::exception &problem) {
		return (int)strlen(problem.what());
	} catch (...) {
		return -7;
	}
}
}

int main(int count, char **words)
{
	long all = 0;
	for (int n = 0; n < 1200; n++)
		all += each(n) + wide(n);
	printf("%ld %d %d\n", all, alive, sum);
	fflush(stdout);
	if (count > 1 && strcmp(words[1], "uncaught") == 0)
		guarded(1);
	return 0;
}
