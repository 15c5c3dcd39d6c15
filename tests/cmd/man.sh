#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Rivulet authors
# The manual pages in docs/man are those that scripts/man makes; groff accepts them; each option of each command is in its page, and what
# the pages show as examples are options that exist. Usage: man.sh RIVULET DIRECTORY
set -eu
rivulet=$1
out=$2
rm -rf "$out"
scripts/man "$rivulet" "$out"
failed=0 options=0
fail() {
	echo "man: $*"
	failed=1
}
for page in "$out"/*.1 docs/man/*.1; do
	cmp -s "$out/$(basename "$page")" "docs/man/$(basename "$page")" || fail "docs/man/$(basename "$page") is out of date: make man"
done
for page in "$out"/*.1; do
	said=$(groff -man -ww -z -Tutf8 "$page" 2>&1)
	[ -z "$said" ] || fail "$page: $said"
	name=$(basename "$page" .1)
	[ "$name" != rivulet ] || continue
	name=${name#rivulet-}
	groff -man -Tascii -P-cbou "$page" >"$out/$name.text"
	for option in $("$rivulet" "$name" --help | grep -Eo '^ +(-[a-zA-Z?], )?--[a-z-]+' | grep -Eo -- '--[a-z-]+'); do
		options=$((options + 1))
		grep -Fq -- "$option" "$out/$name.text" || fail "$name: $option is not in its page"
	done
	[ ! -e "docs/man/$name.md" ] || for option in $(sed -n "s/^    .*rivulet $name //p" "docs/man/$name.md" | grep -Eo -- '(^| )--[a-z-]+'); do
		"$rivulet" "$name" --help | grep -Eq -- "$option(=|\[| |$)" || fail "docs/man/$name.md: $name has no $option"
	done
	grep -q "^EXAMPLES" "$out/$name.text" || fail "$name has no examples"
done
[ "$failed" = 0 ] && echo "man: $(ls "$out"/*.1 | wc -l) pages, $options options"
