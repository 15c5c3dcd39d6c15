/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
// std::regex: deep templates, function objects.
#include <iostream>
#include <regex>
#include <string>
int main()
{
	std::regex number("([0-9]+)\\.[0-9]*|x[a-f]{2}");
	std::string text = "3.14 and xabc";
	long sum = 0;
	for (std::sregex_iterator i(text.begin(), text.end(), number), end; i != end; ++i)
		sum += i->position() + i->length();
	std::cout << sum << ' ' << std::regex_replace(text, number, "<$1>") << '\n';
	return 0;
}
