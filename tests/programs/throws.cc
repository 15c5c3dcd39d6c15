/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
// Exceptions through several frames, destructors, virtual calls, dynamic_cast.
#include <cstdio>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>
struct shape {
	virtual ~shape() = default;
	virtual double area() const = 0;
};
struct square : shape {
	double side;
	explicit square(double s) : side(s) {}
	double area() const override { return side * side; }
};
struct circle : shape {
	double radius;
	explicit circle(double r) : radius(r) {}
	double area() const override
	{
		if (radius < 0)
			throw std::domain_error("negative " + std::to_string(radius));
		return 3.14159 * radius * radius;
	}
};
struct guard {
	int &n;
	explicit guard(int &count) : n(count) {}
	~guard() { n++; }
};
static double total(const std::vector<std::unique_ptr<shape>> &shapes, int depth, int &unwound)
{
	guard g(unwound);
	if (depth > 0)
		return total(shapes, depth - 1, unwound);
	double sum = 0;
	for (const auto &s : shapes)
		sum += s->area() + (dynamic_cast<const square *>(s.get()) != nullptr ? 1 : 0);
	return sum;
}
int main()
{
	int unwound = 0, thrown = 0;
	double sum = 0;
	for (int i = 0; i < 2; i++) {
		std::vector<std::unique_ptr<shape>> shapes;
		for (int k = 0; k < 6; k++) {
			if ((i + k) % 2)
				shapes.push_back(std::make_unique<square>(k));
			else
				shapes.push_back(std::make_unique<circle>(i % 4 == 3 ? -k : k));
		}
		try {
			sum += total(shapes, i % 5, unwound);
		} catch (const std::domain_error &e) {
			thrown += (int)std::string(e.what()).size();
		}
		try {
			if (i % 3 == 0)
				throw i;
		} catch (int n) {
			thrown += n;
		}
	}
	std::printf("%.3f %d %d\n", sum, unwound, thrown);
	return 0;
}
