// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Rivulet authors
// Record buffer (FIG. 10, 1030; [0086]): FIFO or LIFO in a memory with synchronous read, or one LAST record (FIG. 5, 570 and 590) with DEPTH 0.
// docs/trace-unit.md section 8. Cost: about 25 LUT4 and block RAM of DEPTH x WIDTH bits, WITH_LIFO about 20 more; DEPTH 0 about 3 LUT4
// and WIDTH flip-flops.
`default_nettype none
module rivulet_trace_fifo #(
	parameter DEPTH = 16,                   // records: 0, or a power of two from 2 to 1024
	parameter WIDTH = 107,                  // bits of a record
	parameter [0:0] WITH_LIFO = 1,
	parameter PTR_W = DEPTH > 1 ? $clog2(DEPTH) : 1
) (
	input  wire             clk_i,
	input  wire             rst_i,
	input  wire             lifo_i,         // newest first; not to be changed while records are in it
	input  wire             push_i,
	input  wire [WIDTH-1:0] data_i,
	input  wire             pop_i,          // drop the head; ignored unless readable_o
	output wire             lost_new_o,     // the pushed record finds no room
	output wire             lost_old_o,     // a record is overwritten unread
	output wire             readable_o,     // head_o holds a record
	output wire [WIDTH-1:0] head_o,
	output wire [10:0]      count_o,
	output wire             full_o,
	// observation, for the bench
	output wire [PTR_W-1:0] rd_ptr_o,
	output wire [PTR_W-1:0] wr_ptr_o
);
	generate if (DEPTH == 0) begin : g_last
		reg [WIDTH-1:0] last_q;
		reg             unread_q;
		always @(posedge clk_i) begin
			if (push_i)
				last_q <= data_i;
			unread_q <= !rst_i && (push_i || (unread_q && !pop_i));
			if (rst_i)
				last_q <= {WIDTH{1'b0}};
		end
		assign lost_new_o = 1'b0;
		assign lost_old_o = push_i && unread_q && !pop_i;
		assign readable_o = unread_q;
		assign head_o = last_q;
		assign count_o = {10'b0, unread_q};
		assign full_o = unread_q;
		assign rd_ptr_o = 1'b0;
		assign wr_ptr_o = 1'b0;
	end else begin : g_fifo
		// What a read gives in the cycle in which the same slot is written does not matter: readable_q is 0 then.
		(* no_rw_check *) reg [WIDTH-1:0] mem [0:DEPTH-1];
		reg [WIDTH-1:0] head_q;
		reg [PTR_W-1:0] rd_q, wr_q;         // the oldest record; the next free slot
		reg [PTR_W:0]   count_q;
		reg             readable_q;
		localparam [PTR_W:0]   TWO = 2;
		localparam [PTR_W-1:0] ONE = 1;

		wire lifo = WITH_LIFO && lifo_i;
		wire pop = pop_i && readable_q;
		wire full = count_q[PTR_W];
		wire store = push_i && (lifo || !full || pop);
		wire overwrite = push_i && lifo && full && !pop;
		// POP comes late, from the address on the core's register bus: everything is worked out with and without it, and it only chooses.
		// LIFO: a pop gives back the newest slot before a push takes it.
		wire [PTR_W-1:0] wr_less1 = wr_q - ONE, wr_less2 = wr_q - TWO[PTR_W-1:0], wr_more1 = wr_q + ONE, rd_more1 = rd_q + ONE;
		wire [PTR_W-1:0] at_if_pop = readable_q && lifo ? wr_less1 : wr_q;
		wire [PTR_W-1:0] wr_popped = pop_i ? at_if_pop : wr_q;
		wire [PTR_W-1:0] head_if_not = lifo ? (push_i ? wr_q : wr_less1) : rd_q;
		wire [PTR_W-1:0] head_if_pop = !readable_q ? head_if_not : lifo ? (push_i ? wr_less1 : wr_less2) : rd_more1;
		wire [PTR_W-1:0] head_at = pop_i ? head_if_pop : head_if_not;
		// One more or one less: adding all ones or 1.
		wire             more = store && !overwrite;
		wire             one = count_q[PTR_W:1] == {PTR_W{1'b0}};   // at most one
		always @(posedge clk_i) begin
			if (store)
				mem[wr_popped] <= data_i;
			head_q <= mem[head_at];
			if (store && !(lifo && pop))
				wr_q <= wr_more1;
			else if (lifo && pop && !store)
				wr_q <= wr_less1;
			if ((!lifo && pop) || overwrite)
				rd_q <= rd_more1;
			if (more != pop)
				count_q <= count_q + {{PTR_W{pop}}, 1'b1};
			readable_q <= !(one && (pop || !count_q[0])) && !(lifo && push_i);
			if (rst_i) begin
				wr_q <= {PTR_W{1'b0}};
				rd_q <= {PTR_W{1'b0}};
				count_q <= {PTR_W+1{1'b0}};
				readable_q <= 1'b0;
			end
		end
		wire [PTR_W+10:0] count_wide = {10'b0, count_q};
		assign lost_new_o = push_i && !store;
		assign lost_old_o = overwrite;
		assign readable_o = readable_q;
		assign head_o = head_q;
		assign count_o = count_wide[10:0];
		assign full_o = full;
		assign rd_ptr_o = rd_q;
		assign wr_ptr_o = wr_q;
	end endgenerate
endmodule
`default_nettype wire
