# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Rivulet authors
function fib(n) { return n < 2 ? n : fib(n - 1) + fib(n - 2) }
{ for (i = 1; i <= NF; i++) { word = tolower($i); gsub(/[^a-z]/, "", word); if (word != "") count[word]++ } letters += length($0) }
/[0-9]+\.[0-9]/ { versions++ }
END {
	for (w in count) if (count[w] > best) { best = count[w]; name = w } else total += count[w]
	printf "%s %d %d %d %.4f\n", name, best, letters, versions, exp(sin(best))
	print fib(15), substr(name, 1, 2), index("hello", "l"), match("foobar", /o+/), RSTART, RLENGTH, split("a:b:c", parts, ":"), parts[3]
	for (i = 0; i < 300; i++) line = sprintf("%s%d,", line, i * i % 17)
	print length(line)
}
