/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
// iostreams, locale facets, number formatting, wide characters.
#include <iomanip>
#include <iostream>
#include <locale>
#include <sstream>
int main()
{
	std::ostringstream out;
	std::wostringstream wide;
	for (int i = 0; i < 5; i++) {
		out << std::setw(8) << std::setfill('.') << i << std::hex << i * 255 << std::dec << ' ' << std::setprecision(6)
		    << std::fixed << i / 3.0 << ' ' << std::scientific << i * 1e20 << std::boolalpha << (i % 2 == 0) << '\n';
		wide << i << L' ' << i / 7.0;
	}
	std::istringstream in(out.str());
	std::string word;
	double d;
	long words = 0, numbers = 0;
	while (in >> word) {
		words++;
		std::istringstream part(word);
		numbers += (part >> d) ? 1 : 0;
	}
	std::cout << words << ' ' << numbers << ' ' << wide.str().size() << std::endl;
	return 0;
}
