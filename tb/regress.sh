#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Rivulet authors
# Runs programs in lockstep, several at a time, and sums up.
#
#   regress.sh LOCKSTEP OUT JOBS ITEM...
#
# ITEM is an ELF file, or random:SEED: that program is generated, assembled and run (GEN and RANDOM_CC from the environment).
# External interrupts and UART input are driven for random programs (seed: theirs) and for programs whose name begins with
# "external"; of four random programs in a row one has wait states of the bus, one has resets, and one both. `regress.sh
# --options SEED` prints what a random program is run with. Each run leaves OUT/NAME.log. Exit status 0 only if every program passed without a difference.
set -u
random_options() {
	echo "--irq-seed $1 --max-cycles 40000000"
	case $(($1 & 3)) in 1 | 3) echo "--wait-seed $1" ;; esac
	case $(($1 & 3)) in 2 | 3) echo "--reset-seed $1" ;; esac
}
if [ "$1" = --options ]; then
	random_options "$2"
	exit 0
fi
if [ "$1" = --one ]; then
	lockstep=$2 out=$3 item=$4
	options=()
	case $item in
	random:*)
		seed=${item#random:}
		name=random-$seed elf=$out/random-$seed.elf
		if ! { $GEN "$seed" ${GEN_OPTIONS:-} >"$out/$name.S" && $RANDOM_CC -o "$elf" "$out/$name.S"; } >"$out/$name.log" 2>&1; then
			echo "$name: cannot be built; see $out/$name.log"
			touch "$out/$name.failed"
			exit 0
		fi
		options=($(random_options "$seed"))
		;;
	*)
		elf=$item name=$(basename "$item" .elf)
		case $name in
		external*) options=(--irq-seed 1) ;;
		reset*) options=(--reset-at 500) ;;
		esac
		;;
	esac
	"$lockstep" "${options[@]}" --console "$out/$name.console" "$elf" >"$out/$name.log" 2>&1
	status=$?
	case $status in
	0) rm -f "$out/random-${seed:-none}".{S,elf,console} ;; # made again by the seed
	*) touch "$out/$name.failed" ;;
	esac
	[ $status = 1 ] && touch "$out/$name.different"
	[ -t 2 ] && printf '\r%d programs done ' "$(ls "$out" | grep -c '\.log$')" >&2
	exit 0
fi

lockstep=$1 out=$2 jobs=$3
shift 3
rm -rf "$out"
mkdir -p "$out"
start=$(date +%s.%N)
printf '%s\n' "$@" | xargs -P "$jobs" -n 1 "$0" --one "$lockstep" "$out"
end=$(date +%s.%N)
[ -t 2 ] && printf '\r\033[K' >&2
for failed in "$out"/*.failed; do
	[ -e "$failed" ] || continue
	name=$(basename "$failed" .failed)
	echo "--- $name"
	head -n 12 "$out/$name.log"
	case $name in
	random-*) echo "replay: make random SEED=${name#random-}; waves: make wave T=$name" ;;
	*) echo "waves: make wave T=$name" ;;
	esac
done
cycles=$(cat "$out"/*.log | sed -n 's/.*, \([0-9]*\) cycles, .* million a second.*/\1/p' | awk '{ s += $1 } END { printf "%.0f", s }')
failed=$(ls "$out" | grep -c '\.failed$')
different=$(ls "$out" | grep -c '\.different$')
awk -v n=$# -v c="$cycles" -v s="$start" -v e="$end" -v f="$failed" -v d="$different" 'BEGIN {
	t = e - s
	printf "sim: %d programs, %d cycles in lockstep, %.0f s, %.2f million cycles a second, %d differences, %d not passed\n", n, c, t, c / 1e6 / t, d, f
}'
[ "$failed" = 0 ]
