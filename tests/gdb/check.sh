#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Rivulet authors
# gdb-multiarch against `rivulet run --gdb`: each session is commands, and what must stand in gdb's answer.
# Usage: check.sh RIVULET PROGRAM.elf DIRECTORY
set -u
rivulet=$1 program=$2 out=$3
mkdir -p "$out"
passed=0 failed=0

# session NAME STATUS: commands from standard input; the lines that follow "expect" in it are extended regular expressions, each of which
# must match a line of gdb's output. The exit status of rivulet must be STATUS.
session() {
	local name=$1 want=$2 port= log=$out/$1 got ok=1 expected
	sed '/^expect /d' >"$log.gdb" < <(tee "$log.all")
	"$rivulet" run --gdb 0 --quiet --set input=train --set way=off "$program" >"$log.console" 2>"$log.err" &
	local pid=$!
	for _ in $(seq 100); do
		port=$(sed -n 's/.*localhost:\([0-9]*\).*/\1/p' "$log.err" | head -1)
		[ -n "$port" ] && break
		sleep 0.05
	done
	timeout 60 gdb-multiarch -q -nx -batch -ex 'set pagination off' -ex 'set confirm off' -ex "target remote localhost:$port" -x "$log.gdb" "$program" \
		>"$log.out" 2>&1 </dev/null
	for _ in $(seq 200); do
		kill -0 $pid 2>/dev/null || break
		sleep 0.05
	done
	kill $pid 2>/dev/null && ok=0 && echo "  $name: rivulet did not end"
	wait $pid
	got=$?
	if [ $got -ne "$want" ]; then
		ok=0
		echo "  $name: exit status $got, expected $want"
	fi
	while read -r expected; do
		if ! grep -Eq -- "$expected" "$log.out"; then
			ok=0
			echo "  $name: no line matches /$expected/"
		fi
	done < <(sed -n 's/^expect //p' "$log.all")
	if [ $ok = 1 ]; then
		passed=$((passed + 1))
		echo "ok      gdb: $name"
	else
		failed=$((failed + 1))
		echo "FAILED  gdb: $name"
		tail -20 "$log.out" | sed 's/^/          /'
		sed 's/^/          /' "$log.err"
	fi
}

session registers 2 <<'END'
info registers pc
set var $a0 = 0x1234
set var $t6 = -1
printf "a0 %x t6 %x\n", $a0, $t6
stepi
info registers pc
print/x $mstatus
kill
expect ^pc +0x80000000
expect ^a0 1234 t6 ffffffff
expect ^pc +0x8000000[24]
expect = 0x0
END
session breakpoint 2 <<'END'
break app_main
continue
backtrace
print input
stepi
stepi
x/i $pc
finish
kill
expect Breakpoint 1, app_main
expect ^#1 .* in main
expect = 0$
expect ^=> 0x8
expect Value returned is .* = 0
END
session memory 2 <<'END'
break app_main
continue
set var rivulet_config.seed = 4711
printf "seed %d\n", rivulet_config.seed
printf "magic %x\n", rivulet_config.magic
print *(int*)0x100
kill
expect ^seed 4711
expect ^magic 47464352
expect Cannot access memory at address 0x100
END
session watchpoint 2 <<'END'
break app_main
continue
watch -l *(int*)($sp - 8)
continue
delete
kill
expect Hardware watchpoint 2
expect ^Old value
END
session run-to-the-end 0 <<'END'
break app_main
continue
delete
continue
expect exited normally
END
session detach 0 <<'END'
break app_main
continue
delete
detach
expect Breakpoint 1, app_main
END
session self-made-code 2 <<'END'
break app_main
continue
set var *(unsigned short*)$pc = 0xa001
stepi
stepi
info registers pc
info symbol $pc
kill
expect app_main in section
END
# Ctrl-C while it runs: gdb sends it to the stub on SIGINT
session interrupt 2 <<'END'
set var *(unsigned*)$pc = 0xbffd0001
python import threading, os, signal; threading.Timer(1.0, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
continue
info registers pc
kill
expect SIGINT
expect ^pc +0x8000000[02]
END
echo "$passed passed, $failed failed"
[ $failed -eq 0 ]
