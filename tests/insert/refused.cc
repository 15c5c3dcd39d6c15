// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Rivulet authors
/* Behind a call that never comes back stands the end of a way without the frame: its return is no jump by a table, and
 * says nothing of where landing pads have their caller's address. */
#include <cstdio>
#include <sstream>
#include <stdexcept>
#include <vector>
struct value {
	std::vector<long> *held;
	unsigned char kind;
	long first, last;
};
extern "C" [[noreturn]] __attribute__((noinline)) void refuse(const std::string &why)
{
	throw std::logic_error(why);
}
extern "C" __attribute__((noinline)) void erase(std::vector<long> *from)
{
	from->clear();
}
extern "C" __attribute__((noinline)) void clear(value *v)
{
	if (v->kind != 0 && v->kind != 6 && v->kind != 7) {
		std::ostringstream text;
		text << "a value of another kind than those";
		refuse(text.str());
	}
	v->first = 0;
	v->last = 0;
	switch (v->kind) {
	case 6:
	case 7:
		erase(v->held);
		break;
	default:
		break;
	}
}
int main()
{
	std::vector<long> numbers;
	value v = {&numbers, 0, 5, 6};
	int refused = 0, erased = 0;
	for (int i = 0; i < 40; i++) {
		v.kind = i % 9;
		numbers.push_back(i);
		try {
			clear(&v);
			erased += numbers.empty();
		} catch (const std::exception &e) {
			refused += e.what()[0] == 'a';
		}
	}
	printf("%d %d\n", refused, erased);
	return refused == 27 ? 0 : 1;
}
