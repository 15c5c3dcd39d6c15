// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Rivulet authors
// FIG. 7 to the letter: FIRST LOAD takes NEXT PC at the terminating event (TSH [0059], [0067]).
`default_nettype none
`define FIG7_NEXT_PC
`include "tests/rtl/fig7.v"
`default_nettype wire
