/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
// Exceptions out of constructors of parts of an array, out of handlers, kept and thrown again, thrown and caught while
// another one unwinds; through std::function and a function that is one try block. tests/insert/unfinished compiles it
// with clang.
#include <cstdio>
#include <exception>
#include <functional>
#include <new>
static volatile int sink;
static int turn;
#define NI __attribute__((noinline))
struct part {
	static int live;
	int n;
	NI part() : n(turn)
	{
		if (live == turn % 5)
			throw n;
		live++;
	}
	NI ~part()
	{
		live--;
		sink += n;
	}
};
int part::live;
extern "C" {
NI int leaf(int n)
{
	if (n % 3 == 0)
		throw n;
	return n * 2;
}
NI int plain(int n)
{
	try {
		return leaf(n);
	} catch (long) {
		return 1;
	}
}
NI int nested(int n)
{
	part::live = 0;
	try {
		part all[4];
		sink += all[1].n;
		return leaf(n) + n;
	} catch (int e) {
		return e;
	}
}
struct cleanup {
	int n;
	~cleanup()
	{
		try {
			sink += plain(n);
		} catch (int e) {
			sink += e;
		}
	}
};
NI int guarded(int n)
{
	cleanup one{n}, two{n + 1};
	for (int i = 0; i < 4; i++) {
		cleanup three{i};
		if ((n ^ i) & 1)
			continue;
		sink += plain(n + i);
	}
	return n;
}
NI int later(int n)
{
	std::exception_ptr kept;
	for (int i = 0; i < 6; i++)
		try {
			sink += plain(n + i);
		} catch (...) {
			kept = std::current_exception();
		}
	if (n % 7 == 0 && kept)
		std::rethrow_exception(kept);
	return n;
}
NI int descend(int n, int depth)
try {
	return depth == 0 ? leaf(n) : descend(n, depth - 1) + 1;
} catch (int e) {
	if (depth % 3 == 1)
		throw e + 1;
	if (depth % 3 == 2)
		throw;
	return e;
}
NI int compare(int n)
{
	std::function<int(int)> f = [n](int m) { return leaf(m + n); };
	int s = 0;
	for (int i = 0; i < 5; i++) {
		try {
			s += f(i);
		} catch (const int &e) {
			if (e > 300)
				return -1;
			s -= e;
			continue;
		}
		s++;
	}
	return s;
}
NI int each(int n)
{
	switch (n % 5) {
	case 0:
		return nested(n);
	case 1:
		return guarded(n);
	case 2:
		return later(n);
	case 3:
		return descend(n, n % 9);
	default:
		return compare(n);
	}
}
}
int main()
{
	int sum = 0, caught = 0;
	for (turn = 0; turn < 400; turn++)
		try {
			sum += each(turn);
		} catch (int e) {
			caught++;
			sum ^= e;
		}
	printf("%d %d %d\n", sum, caught, sink);
	return 0;
}
