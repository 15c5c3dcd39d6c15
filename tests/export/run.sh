#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Rivulet authors
# Every export format opened by its real consumer, and the totals that it finds compared with those of the run.
# Usage: run.sh BUILD_DIR [APPLICATION...]. One line for each check, then a count.
set -u
build=$1
shift
rivulet=$build/bin/rivulet
passed=0 failed=0

# is NAME GOT WANTED
is() {
	if [[ $2 == "$3" && -n $2 ]]; then
		passed=$((passed + 1))
		echo "ok      $app, $input: $1: $2"
	else
		failed=$((failed + 1))
		echo "FAILED  $app, $input: $1: $2, expected $3"
	fi
}
# holds NAME COMMAND...: the command succeeds
holds() {
	local name=$1
	shift
	if "$@" > "$out/log" 2>&1; then
		passed=$((passed + 1))
		echo "ok      $app, $input: $name"
	else
		failed=$((failed + 1))
		echo "FAILED  $app, $input: $name: $*"
		head -20 "$out/log" | sed 's/^/          /'
	fi
}
export_to() {
	holds "export $1" "$rivulet" export --format "$1" --output "$out/$2" "$elf" "$data"
}

check_callgrind() {
	export_to callgrind callgrind.out
	holds "callgrind_annotate accepts it" callgrind_annotate --auto=no "$out/callgrind.out"
	is "callgrind_annotate, totals" "$(sed -n 's/ *([^)]*)//g; s/,//g; s/ *PROGRAM TOTALS//p' "$out/log" | xargs)" "$insns $cycles"
	# its table of functions, added up again: what is under no function would be missing
	holds "callgrind_annotate, all functions" callgrind_annotate --auto=no --threshold=100 "$out/callgrind.out"
	is "callgrind_annotate, sum of functions" "$(awk '/file:function/ { on = 1; next }
		on && NF > 2 { gsub(/ *\([^)]*\)/, ""); gsub(/,/, ""); i += $1; c += $2 } END { print i, c }' "$out/log")" "$insns $cycles"
	holds "callgrind_annotate, inclusive" callgrind_annotate --auto=no --inclusive=yes --threshold=100 "$out/callgrind.out"
	if [[ $input == records ]]; then # the root encloses all that it calls
		is "callgrind_annotate, inclusive cost of main" "$(sed 's/ *([^)]*)//g; s/,//g' "$out/log" | awk '/:main \[/ { print ($1 > 0.99 * n && $1 <= n) }' n="$insns")" 1
	fi
}

check_pprof() {
	export_to pprof pprof.gz
	holds "gzip accepts it" gzip -t "$out/pprof.gz"
	gzip -dc "$out/pprof.gz" > "$out/pprof.bin"
	protoc-c --decode=rivulet.pprof.Profile -Ihost/export profile.proto < "$out/pprof.bin" > "$out/pprof.text" 2> "$out/log"
	is "protoc decodes it, status" $? 0
	# values, and that each id that is used is there, once; that strings are
	awk '
		/^string_table/ { strings++ }
		/^[a-z]/ { kind = $1 }
		/^ *location_id:/ { used[$2] = 1 }
		/^  value:/ { if (++n % 2) insns += $2; else cycles += $2 }
		kind == "location" && /^  id:/ { if (location[$2]++) bad++ }
		kind == "function" && /^  id:/ { if (function_[$2]++) bad++ }
		/^    function_id:/ { lines[$2] = 1 }
		kind == "function" && /^  (name|filename|system_name):/ { if ($2 > most) most = $2 }
		END {
			for (id in used) if (!(id in location)) bad++
			for (id in lines) if (!(id in function_)) bad++
			if (most >= strings) bad++
			printf "%d %d %d\n", insns, cycles, bad
		}' "$out/pprof.text" > "$out/pprof.sums"
	is "pprof, sums, and wrong references" "$(cat "$out/pprof.sums")" "$insns $cycles 0"
	if command -v go > /dev/null && go tool pprof -h > /dev/null 2>&1; then
		holds "go tool pprof accepts it" go tool pprof -raw "$out/pprof.gz"
		is "go tool pprof, total" "$(go tool pprof -top -sample_index=instructions -nodecount=1 "$out/pprof.gz" 2> /dev/null |
			sed -n 's/.*% of \([0-9]*\) total.*/\1/p')" "$insns"
	fi
}

check_speedscope() {
	export_to speedscope speedscope.json
	# what https://www.speedscope.app/file-format-schema.json asks of a sampled profile
	is "speedscope, structure" "$(jq '
		(.["$schema"] == "https://www.speedscope.app/file-format-schema.json") and (.shared.frames | type == "array")
		and (.shared.frames | all(has("name") and (.name | type == "string")))
		and ((.shared.frames | length) as $n | .profiles | all(.type == "sampled" and (.name | type == "string")
			and (.unit | IN("none", "nanoseconds", "microseconds", "milliseconds", "seconds", "bytes"))
			and (.samples | length) == (.weights | length)
			and (.samples | all(length > 0 and all(type == "number" and . >= 0 and . < $n)))
			and .startValue == 0 and .endValue == (.weights | add)))
		and .activeProfileIndex < (.profiles | length)' "$out/speedscope.json")" true
	is "speedscope, totals" "$(jq -r '[.profiles[] | {(.name): .endValue}] | add | "\(.instructions) \(.cycles)"' "$out/speedscope.json")" "$insns $cycles"
}

check_folded() {
	export_to folded folded.txt
	is "folded stacks, sum" "$(awk '{ sum += $NF } NF != 2 { bad++ } END { printf "%d %d", sum, bad }' "$out/folded.txt")" "$cycles 0"
}

check_llvm() {
	export_to llvm llvm.txt
	holds "llvm-profdata merges it" llvm-profdata merge --sample --output="$out/llvm.profdata" "$out/llvm.txt"
	holds "llvm-profdata shows it" llvm-profdata show --sample "$out/llvm.profdata"
	# LLVM adds up bodies and inlined bodies: both must be what was written as the totals
	is "llvm-profdata, functions" "$(grep -c '^Function: ' "$out/log")" "$(grep -c '^[^ ]' "$out/llvm.txt")"
	is "llvm-profdata, totals" "$(sed -n 's/^Function: [^:]*: \([0-9]*\), .*/\1/p' "$out/log" | awk '{ s += $1 } END { print s }')" \
		"$(awk -F: '/^[^ ]/ { s += $2 } END { print s }' "$out/llvm.txt")"
	is "bodies add up to the totals" "$(awk '/^[^ ]/ { split($0, f, ":"); total += f[2] }
		/^ +[0-9.]+: [0-9]+/ { body += $2 } END { print body - total }' "$out/llvm.txt")" 0
	# clang gives each function that entered app_main's work its entry count
	local source counted=0
	for source in sw/apps/"$app"/*.c; do
		holds "clang uses it for $(basename "$source")" clang $PGO_CFLAGS -fprofile-sample-use="$out/llvm.profdata" -S -emit-llvm -o "$out/a.ll" "$source"
		counted=$((counted + $(grep -c 'function_entry_count' "$out/a.ll")))
	done
	is "clang has entry counts" "$((counted > 0))" 1
}

check_lcov() {
	export_to lcov lcov.info
	local lines=$(awk -F: '/^LF/ { n += $2 } /^LH/ { h += $2 } END { print h, n }' "$out/lcov.info")
	local branches=$(awk -F: '/^BRF/ { n += $2 } /^BRH/ { h += $2 } END { print h, n }' "$out/lcov.info")
	local functions=$(awk -F: '/^FNF/ { n += $2 } /^FNH/ { h += $2 } END { print h, n }' "$out/lcov.info")
	holds "lcov accepts it" lcov --rc lcov_branch_coverage=1 --summary "$out/lcov.info"
	is "lcov, lines" "$(sed -n 's/.*lines.*(\([0-9]*\) of \([0-9]*\) lines).*/\1 \2/p' "$out/log")" "$lines"
	is "lcov, functions" "$(sed -n 's/.*functions.*(\([0-9]*\) of \([0-9]*\) functions).*/\1 \2/p' "$out/log")" "$functions"
	is "lcov, branches" "$(sed -n 's/.*branches.*(\([0-9]*\) of \([0-9]*\) branches).*/\1 \2/p' "$out/log")" "$branches"
	# genhtml wants the sources: those of the library are not here
	lcov --rc lcov_branch_coverage=1 --quiet --extract "$out/lcov.info" "sw/apps/*" --output-file "$out/app.info" 2> "$out/log"
	holds "genhtml accepts it" genhtml --quiet --branch-coverage --output-directory "$out/html" "$out/app.info"
	local file page
	for file in sw/apps/"$app"/*.c; do
		page=$(find "$out/html" -name "$(basename "$file").gcov.html" | head -1)
		grep -q "^SF:$file$" "$out/lcov.info" || continue
		is "genhtml, counts of the lines of $file" "$(sed -n '/Source code/,$ { s/<[^>]*>//g; s/^ *\([0-9]*\) *[^:]*: *\([0-9][0-9]*\) *:.*/\1,\2/p }' "${page:-/dev/null}" | sort | cksum)" \
			"$(sed -n "\\|^SF:$file\$|,/^end_of_record/s/^DA://p" "$out/lcov.info" | sort | cksum)"
	done
}

check_json() {
	export_to json all.json
	is "JSON, totals" "$(jq -r '"\(.instructions) \(.cycles)"' "$out/all.json")" "$insns $cycles"
	is "JSON, sums of functions, code and stacks" \
		"$(jq -r '[.functions, .code, .stack_nodes] | map([(map(.instructions // .count) | add), (map(.cycles) | add)] | @text) | unique | .[]' "$out/all.json")" "[$insns,$cycles]"
	is "JSON, references" "$(jq '(.functions | length) as $f | (.frames | length) as $n | (.stack_nodes | length) as $s
		| (.code | all(.function < $f)) and (.functions | all((.inlined_into // 0) < $f))
		and (.stack_nodes | all(.frame < $n and .parent < .id and .id <= $s))' "$out/all.json")" true
}

# all_formats APPLICATION INPUT-KIND ELF DATA INSTRUCTIONS CYCLES
all_formats() {
	app=$1 input=$2 elf=$3 data=$4 insns=$5 cycles=$6
	out=$build/tests/export/$app-$input
	rm -rf "$out" && mkdir -p "$out"
	check_callgrind
	check_pprof
	check_speedscope
	check_folded
	check_llvm
	check_lcov
	check_json
}

for name in "${@:-json}"; do
	work=$build/tests/export/$name
	mkdir -p "$work"
	elf=$build/sw/$name.elf
	app=$name input=profile
	"$rivulet" run --quiet --set input=train --set way=stream --profile "$work/exact.prof" "$elf" || exit 1
	"$rivulet" run --quiet --set input=train --set way=watermark --set period=48 --set dither=31 --uart "$work/sampled.uart" "$elf" || exit 1
	# the truth: what the golden model retired between the first and the last traced instruction
	run=$("$rivulet" info "$work/exact.prof" | sed -n 's/^ *run *\([0-9,]*\) cycles, \([0-9,]*\) instructions.*/\2 \1/p' | tr -d ,)
	read -r insns run_cycles <<< "$run"
	"$rivulet" export --format json --output "$work/totals.json" "$elf" "$work/exact.prof" || exit 1
	read -r got cycles <<< "$(jq -r '"\(.instructions) \(.cycles)"' "$work/totals.json")"
	is "instructions of the run" "$got" "$insns"
	is "cycles of the run, but for two at its ends" "$((cycles - run_cycles <= 2 && run_cycles - cycles <= 2))" 1
	all_formats "$name" profile "$elf" "$work/exact.prof" "$insns" "$cycles"
	if "$rivulet" run --help | grep -q -- --records; then
		"$rivulet" run --quiet --set input=train --set way=stream --records "$work/all.rvr" "$elf" || exit 1
		all_formats "$name" records "$elf" "$work/all.rvr" "$insns" "$cycles"
	fi
	# sampled: its own totals, the same in every format, and near the truth
	"$rivulet" export --format json --output "$work/totals.json" "$elf" "$work/sampled.uart" || exit 1
	read -r sampled_insns sampled_cycles <<< "$(jq -r '"\(.instructions) \(.cycles)"' "$work/totals.json")"
	all_formats "$name" sampled "$elf" "$work/sampled.uart" "$sampled_insns" "$sampled_cycles"
	is "estimated instructions within 10 % of the run" "$((sampled_insns * 10 > insns * 9 && sampled_insns * 10 < insns * 11))" 1
done
echo "$passed passed, $failed failed"
[[ $failed -eq 0 ]]
