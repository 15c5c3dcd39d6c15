/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* Exceptions through both versions, and a template that two files have (tests/insert/versions). -DOTHER: the second. */
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <vector>

template <class T> __attribute__((noinline)) T twice(T x)
{
	static T last;
	if (x < 0)
		throw std::runtime_error("negative");
	T r = x + x + last;
	last = x & 3;
	switch (x & 7) {
	case 0:
		return r;
	case 1:
		return r + 1;
	case 2:
		return r * 3;
	case 3:
		return r - 7;
	case 5:
		return r ^ 1;
	case 6:
		return r + 9;
	}
	return r;
}
int other(int n);

#ifdef OTHER
int other(int n)
{
	try {
		return twice(n) + twice(n - 2);
	} catch (...) {
		return -1;
	}
}
#else
struct guard {
	int *left;
	~guard() { ++*left; }
};
struct base {
	virtual int f(int) = 0;
	virtual ~base() {}
};
struct one : base {
	int f(int x) override { return x + 1; }
};
struct two : base {
	int f(int x) override { return twice(x); }
};

__attribute__((noinline)) int risky(int i, int *left)
{
	guard g{left};
	if (i % 5 == 0)
		throw i;
	if (i % 7 == 0)
		throw std::string("seven");
	return twice(i - 40);
}

int main()
{
	int left = 0, sum = 0, caught = 0;
	one a;
	two b;
	base *both[] = {&a, &b};
	if (std::getenv("IGNORE") != nullptr)
		std::signal(SIGUSR2, SIG_IGN);
	for (int i = 0; i < 200; i++) {
		if (i % 23 == 3)
			std::raise(SIGUSR2);
		try {
			sum += risky(i, &left);
			sum += both[i & 1]->f(i);
		} catch (int e) {
			caught += e;
		} catch (const std::exception &) {
			caught += 3;
		} catch (const std::string &s) {
			caught += static_cast<int>(s.size());
		}
	}
	for (int i = 0; i < 50; i++)
		sum += other(i);
	std::printf("%d %d %d\n", left, sum, caught);
}
#endif
