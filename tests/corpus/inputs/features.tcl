# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Rivulet authors
proc fib {n} { expr {$n < 2 ? $n : [fib [expr {$n - 1}]] + [fib [expr {$n - 2}]]} }
puts [fib 17]
set words {}
for {set i 0} {$i < 500} {incr i} { lappend words [format %04d [expr {$i * 7919 % 1009}]]; dict incr count [string index $i end] }
puts [lrange [lsort -decreasing $words] 0 5]
puts [dict get $count 7]
puts [regsub -all {(\d)(\d)} [join [lrange $words 0 9] ,] {\2\1}]
coroutine squares apply {{} { yield; for {set i 0} 1 {incr i} { yield [expr {$i * $i}] } }}
for {set i 0} {$i < 50} {incr i} { incr sum [squares] }
puts $sum
for {set i 0} {$i < 50} {incr i} { if {[catch {error "fault $i"} message]} { append faults [string length $message] } }
puts $faults
foreach {a b} [split "a=1;b=2;c=3" "=;"] { switch -glob $a { a {set x 1} b {incr x} default {append x $b} } }
puts $x
puts [string map {a A e E} "the quick brown fox jumps over a lazy dog"]
