/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* Exceptions through calls with clean-ups, handlers that do not fit, and a library that throws. */
#include <cstdio>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

static int ended;
struct Guard {
	int *at;
	explicit Guard(int *to) : at(to) {}
	~Guard()
	{
		++*at;
	}
};
__attribute__((noinline)) static int deep(int k)
{
	Guard g(&ended);
	if (k == 0)
		throw std::runtime_error("deep");
	if (k % 7 == 3) {
		try {
			return deep(k - 1);
		} catch (std::logic_error &) {
			return 5;
		}
	}
	return deep(k - 1) + 1;
}

int main()
{
	std::map<std::string, int> seen;
	std::vector<int> order;
	int sum = 0;
	for (int i = 0; i < 40; i++) {
		try {
			sum += deep(i % 20);
		} catch (std::exception &e) {
			seen[e.what() + std::to_string(i % 5)]++;
			order.push_back(i);
		}
	}
	std::printf("%d %d %zu %zu\n", sum, ended, seen.size(), order.size());
	return 0;
}
