// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Rivulet authors
// What an event of the N-Trace encoder is: common to its modules.
// verilator lint_save
// verilator lint_off UNUSED
localparam [3:0] NT_PLAIN = 4'd0;              // it only counts
localparam [3:0] NT_NOT_TAKEN = 4'd1, NT_TAKEN = 4'd2;
localparam [3:0] NT_CALL = 4'd3;               // direct: pushes
localparam [3:0] NT_JUMP = 4'd4;               // its target has to be told; a trap return too
localparam [3:0] NT_JUMP_CALL = 4'd5;          // the same, and pushes
localparam [3:0] NT_RETURN = 4'd6;             // pops
localparam [3:0] NT_SWAP = 4'd7;               // pops, then pushes
localparam [3:0] NT_TRAP = 4'd8;               // an exception: it does not retire
localparam [3:0] NT_STOP = 4'd9;               // tracing ends behind the instruction before
localparam [3:0] NT_LOST = 4'd10;              // events were lost, and tracing has ended meanwhile
// verilator lint_restore
