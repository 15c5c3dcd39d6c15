// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Rivulet authors
// What an edited C++ program must still do: exceptions through its frames, threads, thread-local data, longjmp,
// virtual calls, streams, regular expressions, floating point. Everything that it computes it prints.
#include <algorithm>
#include <cmath>
#include <csetjmp>
#include <cstdio>
#include <iostream>
#include <map>
#include <memory>
#include <mutex>
#include <regex>
#include <sstream>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

struct Noisy {
	int value;
	~Noisy() { std::cout << "gone " << value << "\n"; }
};

static int deep(int n)
{
	Noisy noisy{n};
	if (n == 0)
		throw std::runtime_error("deep"); // break here
	return deep(n - 1) + 1;
}

static int caught(int n)
{
	int sum = 0;
	for (int i = 0; i < n; i++) {
		try {
			if (i % 3 == 0)
				throw i;
			if (i % 3 == 1)
				throw std::string(static_cast<size_t>(i), 'x');
			sum += i;
		} catch (int k) {
			sum += 100 * k;
		} catch (const std::string &s) {
			sum += 10000 * static_cast<int>(s.size());
		}
	}
	return sum;
}

struct Shape {
	virtual ~Shape() = default;
	virtual double area() const = 0;
};
struct Circle : Shape {
	double r;
	explicit Circle(double radius) : r(radius) {}
	double area() const override { return M_PI * r * r; }
};
struct Square : Shape {
	double a;
	explicit Square(double side) : a(side) {}
	double area() const override { return a * a; }
};

static jmp_buf back;
static void jump(int depth)
{
	if (depth == 5)
		longjmp(back, 7);
	jump(depth + 1);
}

static thread_local int local = 5;

static const char *name(int n)
{
	switch (n) {
	case 0:
		return "zero";
	case 1:
		return "one";
	case 2:
		return "two";
	case 3:
		return "three";
	case 4:
		return "four";
	case 5:
		return "five";
	case 6:
		return "six";
	case 7:
		return "seven";
	default:
		return n < 0 ? "negative" : "many";
	}
}

int main()
{
	std::map<std::string, int> counts;
	for (int i = 0; i < 1000; i++)
		counts[std::to_string(i * 7919 % 1000)] += i;
	long sum = 0;
	for (const auto &entry : counts)
		sum += entry.second * static_cast<long>(entry.first.size());
	std::cout << sum << "\n";
	try {
		deep(5);
	} catch (const std::exception &e) {
		std::cout << "caught " << e.what() << "\n";
	}
	std::cout << caught(20) << "\n";
	std::vector<std::unique_ptr<Shape>> shapes;
	for (int i = 0; i < 10; i++) {
		if (i % 2 == 0)
			shapes.push_back(std::make_unique<Circle>(i));
		else
			shapes.push_back(std::make_unique<Square>(i));
	}
	double area = 0;
	for (const auto &s : shapes)
		area += s->area();
	std::printf("%.10g\n", area);
	std::vector<std::thread> threads;
	std::mutex mutex;
	long results[4] = {0}, total = 0;
	for (int i = 0; i < 4; i++)
		threads.emplace_back([&results, &total, &mutex, i] {
			local += i;
			double x = 0;
			for (int k = 1; k < 1000; k++)
				x += std::sin(k * local) / k;
			results[i] = static_cast<long>(x * 1e6);
			for (int k = 0; k < 1000; k++) {
				std::lock_guard<std::mutex> guard(mutex);
				total += k;
			}
		});
	for (auto &t : threads)
		t.join();
	for (long r : results)
		std::cout << r << "\n";
	std::cout << total << "\n";
	int jumped = setjmp(back);
	if (jumped == 0)
		jump(0);
	std::cout << "jumped " << jumped << "\n";
	std::regex pattern("(a+)(b*)c");
	std::smatch match;
	std::string text = "xxaabbc";
	if (std::regex_search(text, match, pattern))
		std::cout << match[1] << "|" << match[2] << "\n";
	std::ostringstream stream;
	stream.precision(10);
	stream << std::pow(1.1, 100) << " " << std::exp(2.5) << " " << std::hex << 255 << " " << 1e300 * 1e10;
	std::cout << stream.str() << "\n";
	std::sort(text.begin(), text.end());
	std::cout << text << "\n";
	for (int i = -1; i < 9; i++)
		std::printf("%s ", name(i));
	std::printf("%.17g %s %d %lx\n", 3.14159, "text", 42, 0xDEADBEEFL);
	try {
		std::vector<int>().at(3);
	} catch (const std::out_of_range &) {
		std::cout << "out of range\n";
	}
	return 3;
}
