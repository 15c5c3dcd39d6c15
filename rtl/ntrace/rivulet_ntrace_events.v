// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Rivulet authors
// From retirements to events: what only adds to I-CNT is counted here, everything else becomes one event in its cycle. An event that finds no room
// is lost with all behind it, until half of the queue is free; then tracing begins anew, and the first event says so. docs/ntrace-encoder.md
// section 3. Cost: about 80 LUT4; a second register of the pc to notice that a handler began.
`default_nettype none
module rivulet_ntrace_events #(
	parameter XLEN = 32,
	parameter ACC_BITS = 6,
	parameter [0:0] WITH_OWNER = 0,
	parameter OWNER_BITS = 2              // privilege and context
) (
	input  wire                clk_i,
	input  wire                rst_i,
	// the retirement in stage S, and its class
	input  wire                s_valid_i,
	input  wire                s_trap_i,
	input  wire                s_intr_i,
	input  wire                s_debug_i,  // the hart is in debug mode
	input  wire [XLEN-1:1]     s_pc_i,
	input  wire [XLEN-1:1]     s_next_pc_i,
	input  wire [OWNER_BITS-1:0] s_owner_i,
	input  wire                s_wide_i,
	input  wire [3:0]          s_kind_i,
	input  wire                s_match_i,  // the filters let it pass
	// how the encoder is set
	input  wire                on_i,       // tracing is on
	input  wire                history_i,  // HTM; else not-taken branches only count
	input  wire                calls_i,    // the return stack is in use; else direct calls only count
	input  wire                owner_i,    // Ownership messages are wanted
	// the queue
	input  wire                full_i,
	input  wire                room_i,     // half of it is free
	output wire                push_o,
	output reg  [3:0]          kind_o,
	output wire                first_o,    // tracing begins at pc
	output wire                lost_o,     // events were lost before it
	output wire                debug_o,    // first: debug mode was left; NT_STOP: it is entered
	output wire                odd_o,      // a handler begins at pc: an interrupt
	output wire                own_o,      // the privilege or the context is another
	output wire [ACC_BITS-1:0] acc_o,      // half-words since the event before, without this instruction
	output wire                drop_o,     // an event is lost in this cycle
	output wire                idle_o      // nothing is under way: no event will come while on_i is 0
);
`include "rivulet_ntrace_kinds.vh"
	localparam [ACC_BITS-1:0] ACC_LIMIT = {ACC_BITS{1'b1}} - 4;
	reg                running_q, lost_q, debug_q, trapped_q;
	reg [XLEN-1:1]     expect_q;
	reg [ACC_BITS-1:0] acc_q;
	reg [OWNER_BITS-1:0] owner_q;
	wire on = on_i && !s_debug_i;
	wire inscope = s_valid_i && on && s_match_i;
	wire take = inscope && (running_q || !lost_q || room_i);
	wire stop = running_q && (!on || (s_valid_i && !s_match_i));
	wire sorry = lost_q && !on && !running_q;            // ERROR alone
	wire first = take && !running_q;
	wire odd = take && running_q && (s_pc_i != expect_q || (s_intr_i && !trapped_q));
	wire own = WITH_OWNER && take && running_q && owner_i && s_owner_i != owner_q;
	wire hidden = (s_kind_i == NT_NOT_TAKEN && !history_i) || (s_kind_i == NT_CALL && !calls_i);
	wire [3:0] what = hidden ? NT_PLAIN : s_kind_i;
	always @* begin
		kind_o = what;
		if (stop)
			kind_o = NT_STOP;
		else if (sorry)
			kind_o = NT_LOST;
		else if (s_trap_i)
			kind_o = NT_TRAP;
	end
	wire event_here = stop || sorry || (take && (first || odd || own || s_trap_i || what != NT_PLAIN || acc_q >= ACC_LIMIT));
	wire [ACC_BITS-1:0] self = {{ACC_BITS-2{1'b0}}, s_wide_i && !s_trap_i, !s_wide_i && !s_trap_i};
	assign push_o = event_here && !full_i;
	assign drop_o = event_here && full_i && !sorry;
	assign first_o = first;
	assign lost_o = lost_q && (first || sorry);
	assign debug_o = stop ? s_debug_i : debug_q;
	assign odd_o = odd;
	assign own_o = own;
	assign acc_o = acc_q;
	assign idle_o = !running_q && !lost_q;
	always @(posedge clk_i) begin
		if (take) begin
			running_q <= !drop_o;
			expect_q <= s_next_pc_i;
			trapped_q <= s_trap_i;
			owner_q <= s_owner_i;
			acc_q <= event_here ? {ACC_BITS{1'b0}} : acc_q + self;
		end
		if (stop) begin
			running_q <= 1'b0;
			acc_q <= {ACC_BITS{1'b0}};
		end
		if (drop_o)
			lost_q <= 1'b1;
		else if (push_o && (first || sorry))
			lost_q <= 1'b0;
		if (on_i && s_debug_i)
			debug_q <= 1'b1;
		else if (!on_i || (push_o && first))
			debug_q <= 1'b0;
		if (rst_i) begin
			running_q <= 1'b0;
			lost_q <= 1'b0;
			debug_q <= 1'b0;
			acc_q <= {ACC_BITS{1'b0}};
		end
	end
endmodule
`default_nettype wire
