/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
// The standard library's trees, tables, strings and algorithms.
#include <algorithm>
#include <iostream>
#include <map>
#include <numeric>
#include <set>
#include <sstream>
#include <string>
#include <unordered_map>
#include <vector>
int main()
{
	std::map<std::string, int> words;
	std::unordered_map<int, std::vector<int>> table;
	std::set<long> tree;
	std::istringstream in("the quick brown fox jumps over the lazy dog and the dog sleeps while the fox runs away");
	for (std::string word; in >> word;)
		words[word]++;
	for (int i = 0; i < 400; i++) {
		table[i * 37 % 61].push_back(i);
		tree.insert((long)i * i % 997);
		if (i % 3 == 0)
			tree.erase(tree.begin());
	}
	std::vector<int> v(500);
	std::iota(v.begin(), v.end(), 0);
	std::sort(v.begin(), v.end(), [](int a, int b) { return a * 7919 % 1009 < b * 7919 % 1009; });
	std::stable_partition(v.begin(), v.end(), [](int a) { return a % 3 != 0; });
	for (const auto &w : words)
		std::cout << w.first << '=' << w.second << ' ';
	std::cout << table.size() << ' ' << tree.size() << ' ' << std::accumulate(v.begin(), v.begin() + 9, 0L) << '\n';
	return 0;
}
