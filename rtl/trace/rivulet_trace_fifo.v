// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Rivulet authors
// Record buffer (FIG. 10, 1030; [0086]): FIFO or LIFO in a memory with synchronous read, or one LAST record (FIG. 5, 570 and 590) with DEPTH 0.
// A record is written whole and read word by word, so the memory itself chooses the register that software reads; or, with WIDTH, it is read whole.
// docs/trace-unit.md section 8. Cost: about 25 LUT4 and block RAM of DEPTH x 32 x WORDS bits, WITH_LIFO about 15 more; DEPTH 0 about 3 LUT4
// and a flip-flop for each bit that is used.
`default_nettype none
// verilator lint_save
// verilator lint_off UNUSED
module rivulet_trace_fifo #(
	parameter DEPTH = 16,                   // records: 0, or a power of two from 2 to 1024
	parameter WORDS = 4,                    // 32-bit words of a record: 2, 4 or 8
	parameter WIDTH = 0,                    // bits of a record that has gaps in its words: so many are kept, and read whole. Requires: DEPTH > 0
	parameter [0:0] WITH_LIFO = 1,
	parameter [0:0] WITH_RING = 0,          // Requires: DEPTH > 0
	parameter PTR_W = DEPTH > 1 ? $clog2(DEPTH) : 1,
	parameter WORD_W = $clog2(WORDS),
	parameter DATA_W = WIDTH > 0 ? WIDTH : 32 * WORDS
) (
	input  wire             clk_i,
	input  wire             rst_i,
	input  wire             lifo_i,         // newest first; not to be changed while records are in it
	input  wire             ring_i,         // a record too many takes the place of the oldest; one slot is never used
	input  wire             push_i,
	input  wire [DATA_W-1:0] data_i,
	input  wire             pop_i,          // drop the head; ignored unless readable_o
	output wire             lost_o,         // a record is lost: the pushed one finds no room, or one is overwritten unread (LIFO, ring, DEPTH 0)
	output wire             readable_o,     // there is a head that can be read
	input  wire [WORD_W-1:0] word_i,        // DEPTH > 0, WIDTH 0: the word of the head that word_o is in the next cycle, if readable_o
	output wire [31:0]      word_o,
	output wire [DATA_W-1:0] whole_o,       // WIDTH > 0: the head, if readable_o in the cycle before
	output wire [32*WORDS-1:0] last_o,      // DEPTH 0: the record
	output wire [10:0]      count_o,
	output wire             full_o,
	// observation, for the bench
	output wire [PTR_W-1:0] rd_ptr_o,
	output wire [PTR_W-1:0] wr_ptr_o
);
	generate if (DEPTH == 0) begin : g_last
		reg [32*WORDS-1:0] last_q;
		reg             unread_q;
		always @(posedge clk_i) begin
			if (push_i)
				last_q <= data_i;
			unread_q <= !rst_i && (push_i || (unread_q && !pop_i));
			if (rst_i)
				last_q <= {32*WORDS{1'b0}};
		end
		assign lost_o = push_i && unread_q && !pop_i;
		assign readable_o = unread_q;
		assign word_o = 32'd0;
		assign whole_o = {DATA_W{1'b0}};
		assign last_o = last_q;
		assign count_o = {10'b0, unread_q};
		assign full_o = unread_q;
		assign rd_ptr_o = 1'b0;
		assign wr_ptr_o = 1'b0;
	end else begin : g_fifo
		reg [PTR_W-1:0] wr_q;               // the next free slot
		reg [PTR_W:0]   absent_q;           // COUNT, every bit inverted
		reg             readable_q;
		localparam [PTR_W-1:0] ONE = 1;

		wire lifo = WITH_LIFO && lifo_i;
		wire pop = pop_i && readable_q;
		wire back = lifo && pop;
		wire [PTR_W:0] held = ~absent_q;
		wire full = held[PTR_W];
		wire no_room = full && !pop;
		// A ring keeps one slot free, so that the oldest can be read while the newest is written.
		wire brim = WITH_RING && ring_i && !lifo && !full && absent_q[PTR_W-1:0] == {PTR_W{1'b0}};
		wire store = push_i && (lifo || !no_room);
		// The newest lies before the next free slot, the oldest COUNT slots before it.
		wire [PTR_W-1:0] newest = wr_q - ONE, wr_more1 = wr_q + ONE, oldest = wr_q - held[PTR_W-1:0];
		wire [PTR_W-1:0] head_at = lifo ? newest : oldest;
		// LIFO: a pop gives back the newest slot before a push takes it.
		wire [PTR_W-1:0] store_at = back ? newest : wr_q;
		// PUSH is the latest signal: it only chooses between two pointers that are computed without it. A push and a LIFO's pop in one
		// cycle leave the pointer where it is; a push and a pop leave COUNT.
		wire             move = push_i ? !back && (lifo || !full || pop) : back;     // NO_ROOM written out: fewer LUT4 in yosys 0.23
		wire             counts = push_i ? !pop && !full && !brim : pop;
		wire             one = absent_q[PTR_W:1] == {PTR_W{1'b1}};      // at most one
		always @(posedge clk_i) begin
			if (move)
				wr_q <= back ? newest : wr_more1;
			if (counts)
				absent_q <= absent_q + {{PTR_W{!pop}}, 1'b1};    // the inverted count: 1 or all ones, one less or one more
			readable_q <= !(one && (pop || !held[0])) && !(lifo && push_i);
			if (rst_i) begin
				wr_q <= {PTR_W{1'b0}};
				absent_q <= {PTR_W+1{1'b1}};
				readable_q <= 1'b0;
			end
		end
		// A read may give anything in the cycle in which the same slot is written: readable_q is 0 then.
		if (WIDTH > 0) begin : g_whole
			(* no_rw_check *) reg [WIDTH-1:0] mem [0:DEPTH-1];
			reg [WIDTH-1:0] row_q;
			always @(posedge clk_i) begin
				if (store)
					mem[store_at] <= data_i;
				row_q <= mem[head_at];
			end
			assign word_o = 32'd0;
			assign whole_o = row_q;
		end else begin : g_words
			(* no_rw_check *) reg [31:0] mem [0:DEPTH*WORDS-1];
			reg [31:0] word_q;
			integer w;
			always @(posedge clk_i) begin
				if (store)
					for (w = 0; w < WORDS; w = w + 1)
						mem[{store_at, w[WORD_W-1:0]}] <= data_i[32*w +: 32];
				word_q <= mem[{head_at, word_i}];
			end
			assign word_o = word_q;
			assign whole_o = {DATA_W{1'b0}};
		end
		wire [PTR_W+10:0] count_wide = {10'b0, held};
		assign lost_o = push_i && (no_room || (brim && !pop));
		assign readable_o = readable_q;
		assign last_o = {32*WORDS{1'b0}};
		assign count_o = count_wide[10:0];
		assign full_o = full;
		assign rd_ptr_o = oldest;
		assign wr_ptr_o = wr_q;
	end endgenerate
endmodule
// verilator lint_restore
`default_nettype wire
