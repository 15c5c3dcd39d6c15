# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Rivulet authors
# A shell without other programs: functions, subshells, pipes, traps, signals to itself, here documents, arithmetic.
fib() {
	if [ "$1" -lt 2 ]; then
		echo "$1"
	else
		echo $(($(fib $(($1 - 1))) + $(fib $(($1 - 2)))))
	fi
}
fib 6
gcd() { while [ "$2" -ne 0 ]; do set -- "$2" $(($1 % $2)); done; echo "$1"; }
i=0
while [ $i -lt 200 ]; do
	i=$((i + 1))
	gcd $((i * 7919)) 720720
done | { sum=0; while read -r n; do sum=$((sum + n)); done; echo "sum $sum"; }
trap 'echo "signal in $where"' USR1
for where in here there; do
	kill -USR1 $$
done
(trap 'echo "subshell ends with $?"' EXIT; exit 3)
echo "status $?"
(exec 3<<END
line one
line two of $$x
END
while read -r word rest <&3; do echo "$rest|$word"; done) | { while read -r line; do case $line in *x*) echo process;; *) echo "$line";; esac; done; }
text="the quick brown fox jumps over the lazy dog"
for word in $text; do
	case $word in
	[a-m]*) printf '%s ' "${word#?}" ;;
	*o*) printf '<%s> ' "${word%o*}" ;;
	*) printf '%-8s|' "$word" ;;
	esac
done
echo "${undefined:-default} ${#text} ${text##* } ${text%% *}"
set -- a "b c" d
IFS=,
echo "$*" "$#"
unset IFS
eval 'x=$((010 + 0x10)); echo $x'
f() { local x=inner; return 7; }
f || echo "returned $? $x"
set -e
(false; echo never) || echo "errexit"
n=0
until [ $n -eq 500 ]; do n=$((n + 1)); : $((x = x * 31 % 65521)); done
echo $x
