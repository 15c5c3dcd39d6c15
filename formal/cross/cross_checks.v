// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Rivulet authors
// Properties of the crossing of the retire port, for prove. Either clock ticks when it likes, alone or with the other; that a flip-flop which
// samples a changing bit takes the old value or the new one is an edge before or behind the change. The time of wires is not in it.
`default_nettype none
module cross_checks #(
	parameter CHECK = 0,
	parameter XLEN = 32,
	parameter DEPTH_BITS = 3,
	parameter BIT = 0                        // of a retirement
) (
	input wire clk
);
	localparam ORDER = 0, TOLD = 1;
	localparam WIDTH = 42 + 2 * XLEN, DEPTH = 1 << DEPTH_BITS, PTR = DEPTH_BITS + 1;
	reg reset_q = 1'b1;                      // both sides, in the first cycle
	always @(posedge clk)
		reset_q <= 1'b0;

	(* anyseq *) wire valid, follow;
	(* anyseq *) wire [WIDTH-1:0] slot;
	wire lost, out_valid;
	wire [WIDTH-1:0] out;
	rivulet_retire_cross #(.XLEN(XLEN), .DEPTH_BITS(DEPTH_BITS)) unit (
		.core_clk_i(clk),
		.core_rst_i(reset_q),
		.retire_valid_i(valid),
		.retire_insn_i(slot[WIDTH-7 -: 32]),
		.retire_pc_i(slot[2*XLEN+3 -: XLEN]),
		.retire_next_pc_i(slot[XLEN+3 -: XLEN]),
		.retire_trap_i(slot[3]),
		.retire_intr_i(slot[2]),
		.retire_mode_i(slot[1:0]),
		.retire_cause_i(slot[WIDTH-1 -: 6]),
		.lost_o(lost),
		.clk_i(clk),
		.rst_i(reset_q),
		.retire_valid_o(out_valid),
		.retire_insn_o(out[WIDTH-7 -: 32]),
		.retire_pc_o(out[2*XLEN+3 -: XLEN]),
		.retire_next_pc_o(out[XLEN+3 -: XLEN]),
		.retire_trap_o(out[3]),
		.retire_intr_o(out[2]),
		.retire_mode_o(out[1:0]),
		.retire_cause_o(out[WIDTH-1 -: 6])
	);
	(* hierconn *) wire \unit.core_ticks , \unit.ticks ;
	(* hierconn *) wire [PTR-1:0] \unit.tail_q , \unit.head_q , \unit.tail_gray_q , \unit.head_gray_q ;
	(* hierconn *) wire [PTR-1:0] \unit.head_seen1_q , \unit.head_seen2_q , \unit.tail_seen1_q , \unit.tail_seen2_q ;
	(* hierconn *) wire [WIDTH*DEPTH-1:0] \unit.rows ;
	always @* assume (!reset_q || (\unit.core_ticks && \unit.ticks ));
	wire comes = valid && !lost && !reset_q && \unit.core_ticks ;
	wire goes = out_valid && !reset_q && \unit.ticks ;

	// How many are held, and one of them, any: `ahead` go out before it.
	reg  [PTR-1:0] held_q, ahead_q;
	reg        have_q, data_q;
	wire       leaves = goes && have_q && ahead_q == {PTR{1'b0}};
	always @(posedge clk) begin
		held_q <= held_q + {{PTR-1{1'b0}}, comes} - {{PTR-1{1'b0}}, goes};
		if (comes && follow && (!have_q || leaves)) begin
			have_q <= 1'b1;
			data_q <= slot[BIT];
			ahead_q <= held_q - {{PTR-1{1'b0}}, goes};
		end else if (leaves)
			have_q <= 1'b0;
		else if (goes)
			ahead_q <= ahead_q - 1'b1;
		if (reset_q)
			{held_q, have_q} <= {PTR+1{1'b0}};
	end

	// ---------------------------------------------------------------- the lemma: where each side knows the other one to be, in their order
	function [PTR-1:0] of_gray(input [PTR-1:0] code);
		integer i;
		begin
			of_gray = code;
			for (i = 1; i < PTR; i = i + 1)
				of_gray = of_gray ^ (code >> i);
		end
	endfunction
	wire [PTR-1:0] tail = \unit.tail_q , head = \unit.head_q ;
	wire [PTR-1:0] tail1 = of_gray(\unit.tail_seen1_q ), tail2 = of_gray(\unit.tail_seen2_q );
	wire [PTR-1:0] head1 = of_gray(\unit.head_seen1_q ), head2 = of_gray(\unit.head_seen2_q );
	wire [PTR-1:0] span = tail - head2, to_head1 = head1 - head2, to_head = head - head2, to_tail2 = tail2 - head2, to_tail1 = tail1 - head2;
	wire [PTR-1:0] followed = head + ahead_q;
	wire known = of_gray(\unit.tail_gray_q ) == tail && of_gray(\unit.head_gray_q ) == head && span <= DEPTH &&
		to_head1 <= to_head && to_head <= to_tail2 && to_tail2 <= to_tail1 && to_tail1 <= span && held_q == tail - head &&
		(!have_q || (ahead_q < held_q && \unit.rows [WIDTH*followed[DEPTH_BITS-1:0] + BIT] == data_q));

	always @* if (!reset_q) case (CHECK)
		ORDER: begin
			assert (known);
			// What goes out came, in its order, once.
			assert (!goes || held_q != {PTR{1'b0}});
			assert (!leaves || out[BIT] == data_q);
		end
		default: begin
			assert (known);
			// None is taken without room.
			assert (!comes || held_q < DEPTH || goes);
		end
	endcase
endmodule
`default_nettype wire
