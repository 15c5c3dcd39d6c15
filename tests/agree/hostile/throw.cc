// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Rivulet authors
// Exceptions through 100 frames, rethrown, caught by type, out of destructors' way. Prints "function calls".
#include <cstdio>
#include <stdexcept>

#define AWAY __attribute__((noinline, noclone, optimize("no-optimize-sibling-calls")))

static volatile int sink;
static unsigned works, downs, cleaned, catchers;

extern "C" AWAY int work(int x)
{
	int sum = 0;
	works++;
	for (int i = 0; i < x; i++)
		sum += i ^ sink;
	return sum;
}

struct cleaner {
	~cleaner() { clean(); }
	static void clean();
};
AWAY void cleaner::clean()
{
	cleaned++;
	work(3);
}

extern "C" AWAY void down(int depth, int what)
{
	downs++;
	cleaner here;
	work(depth);
	if (depth == 0) {
		if (what % 3 == 0)
			throw std::runtime_error("bottom");
		if (what % 3 == 1)
			throw what;
	} else
		down(depth - 1, what);
	sink++;
}

extern "C" AWAY int catcher(int what)
{
	catchers++;
	try {
		try {
			down(100, what);
		} catch (int &) {
			work(7);
			throw;
		}
	} catch (const std::exception &) {
		return work(1);
	} catch (...) {
		return work(2);
	}
	return work(3);
}

int main()
{
	int sum = 0;
	for (int i = 0; i < 12; i++)
		sum += catcher(i);
	std::printf("work %u\ndown %u\ncatcher %u\n", works, downs, catchers);
	return sum == -1;
}
