dnl SPDX-License-Identifier: Apache-2.0
dnl Copyright 2026 The Rivulet authors
define(`fact', `ifelse($1, 0, 1, `eval($1 * fact(decr($1)))')')
define(`count', `ifelse($1, 0, `', `fact(eval($1 % 10)) len(format(`%05d', $1)) count(decr($1))')')
count(150)
hanoi(6, A, B, C)
patsubst(`the quick brown fox', `\(\w+\) \(\w+\)', `\2 \1')
translit(`abcdefghijk', `a-e', `A-E') substr(`hello world', 3, 5) index(`hello', `lo')
