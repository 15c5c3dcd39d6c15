# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Rivulet authors
# Where recipes' sources come from, what recipes use, and compilers. Sourced by tests/corpus/run and bench/whole, which set
# base (where everything is kept), dir (where a program is) and cross (the target's name).
# shellcheck disable=SC2154,SC2034

# Debian's source packages, by a list of our own: the machine's lists stay as they are.
lists=$base/apt
apt() {
	apt-get -qq -o Dir::Etc::sourcelist="$lists/src.sources" -o Dir::Etc::sourceparts=- -o Dir::State::lists="$lists/lists" \
		-o Dir::Cache="$lists/cache" -o APT::Sandbox::User=root "$@"
}
prepare_apt() {
	[ ! -e "$lists/ready" ] || return 0
	mkdir -p "$lists/lists/partial" "$lists/cache/archives/partial"
	sed 's/^Types:.*/Types: deb-src/' /etc/apt/sources.list.d/debian.sources >"$lists/src.sources" && apt update && touch "$lists/ready"
}
fetch() {
	local package=$1 unpack=${2:-}
	[ "$package" != here ] || return 0
	# one at a time: others may want the same source
	(flock 7 && { [ -d "$base/sources/$package" ] || fetch_source "$package" $unpack; }) 7>"$base/fetch.lock"
}
fetch_source() {
	local package=$1 unpack=${2:-}
	prepare_apt || return 1
	mkdir -p "$base/downloads"
	# a mirror may list updates that it does not have: then the release's own
	(
		cd "$base/downloads" || exit 1
		. /etc/os-release
		for wanted in "$package" "$package/$VERSION_CODENAME"; do
			apt source --download-only "$wanted" >"$package.log" 2>&1 && exit 0
		done
		exit 1
	) || return 1
	rm -rf "$base/sources/$package.part"
	dpkg-source --no-check $unpack -x "$(grep -lx "Source: $package" "$base"/downloads/*.dsc | tail -1)" "$base/sources/$package.part" \
		>>"$base/downloads/$package.log" 2>&1 && mv "$base/sources/$package.part" "$base/sources/$package"
}

# What recipes use.
wrap() {
	local path
	for path in "$@"; do
		head -c 4 "$path" | grep -q ELF || continue
		mv "$path" "$path.riscv"
		[ ! -e "$path.twin" ] || mv "$path.twin" "$path.riscv.twin"
		printf '#!/bin/sh\nexec qemu-riscv64 -0 "$0" "%s.riscv" "$@"\n' "$(realpath "$(dirname "$path")")/$(basename "$path")" >"$path"
		chmod +x "$path"
	done
}

# What automake's LOG_COMPILER starts: programs by qemu, scripts as they are.
runner() {
	printf '#!/bin/sh\nif head -c 4 "$1" | grep -q ELF; then exec qemu-riscv64 "$@"; fi\nexec "$@"\n' >"$dir/runner"
	chmod +x "$dir/runner"
	echo "$dir/runner"
}

configured() {
	CC="$PLAIN" CXX="$PLAINXX" CFLAGS="$FLAGS" CXXFLAGS="$FLAGS" ./configure --host=$HOST --disable-shared --disable-dependency-tracking "$@"
}
# The sum of automake's tests below a folder; false if one failed.
made_checks() {
	find "$1" -name '*.trs' -exec sed -n 's/^:test-result: *\([A-Z]*\).*/\1/p' {} + | sort | uniq -c |
		awk '{ sum = sum (NR > 1 ? ", " : "") $1 " " $2; bad += ($2 == "FAIL" || $2 == "ERROR") * $1; good += ($2 == "PASS") * $1 }
			END { print "its make check: " sum; exit bad > 0 || !good }'
}

# PLAIN and PLAINXX: a compiler's drivers without counters.
choose_compiler() {
	local root=/usr/$cross gcc found plus
	case $1 in
	gcc) PLAIN="$cross-gcc -static" PLAINXX="$cross-g++ -static" ;;
	clang) # Debian's clang does not find the cross libraries of gcc by itself
		gcc=$(dirname "$($cross-gcc -print-libgcc-file-name)")
		found="--target=$cross -Qunused-arguments -isystem $root/include -B$root/lib -L$root/lib -B$gcc -L$gcc -static"
		plus=$root/include/c++/$(basename "$gcc")
		PLAIN="clang $found" PLAINXX="clang++ -isystem $plus -isystem $plus/$cross $found" ;;
	*)
		echo "no compiler is known as $1: there are gcc and clang"
		return 1
		;;
	esac
}
