#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Rivulet authors
# Does a program still show a difference? For tb/shrink.c.
#
#   judge.sh LOCKSTEP SIGNAL OPTIONS PROGRAM.S
#
# Exit status 0 if the program assembles (RANDOM_CC from the environment) and RTL and model differ first in SIGNAL ("": in
# any). Anything else, another signal too, is not the failure that is looked for.
set -u
lockstep=$1 signal=$2 options=$3 program=$4
$RANDOM_CC -o "$program.elf" "$program" >/dev/null 2>&1 || exit 1
$lockstep $options --console /dev/null "$program.elf" 2>"$program.log" >/dev/null
[ $? = 1 ] && grep -q "^difference in cycle [0-9]*: ${signal:-[a-z0-9_]*}[: ]" "$program.log"
