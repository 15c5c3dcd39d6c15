// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Rivulet authors
// The dense coder with a ring of its last bytes: the flight recorder that keeps most (docs/trace-unit.md section 15). What freezes it is the trace
// unit's own recorder: tracing goes off, the frame ends, and no byte comes any more. Cost: the coder, some 40 LUT4, block RAM of BYTES.
`default_nettype none
// verilator lint_save
// verilator lint_off UNUSED
module rivulet_trace_dense_recorder #(
	parameter BYTES = 1024,              // of the ring: a power of two from 64 to 65536
	parameter START_BYTES = 512,         // a start is asked for behind so many: at most BYTES
	// of the coder
	parameter XLEN = 32,
	parameter HIST = 32,
	parameter ENTRIES = 256,
	parameter PLACES = 1024,
	parameter REPEAT_BITS = 8,
	parameter INSN_BITS = 16,
	parameter QUEUE = 256,
	parameter CHECK_BITS = 10
) (
	input  wire            clk_i,
	input  wire            rst_i,
	input  wire            power_on_i,   // with rst_i: the ring is empty. A reset without it is not the coder's: it ends the frame that was open
	// the record port of the trace unit
	input  wire            rec_valid_i,
	input  wire [XLEN-1:0] rec_start_i,
	input  wire [HIST-1:0] rec_hist_i,
	input  wire [3:0]      rec_reason_i,
	input  wire [31:0]     rec_repeat_i,
	input  wire [15:0]     rec_insns_i,
	input  wire            flush_i,      // level: tracing is off
	// a slave of words: those from 0 on are the bytes of the ring, one each; with the bit above them set it is the state
	input  wire            sel_i,
	input  wire            write_i,      // with sel_i: whatever is written, the ring is emptied, and a start comes next
	input  wire [31:0]     addr_i,
	output wire [31:0]     rdata_o       // in the cycle behind sel_i, else 0; the state: next byte (15..0), all bytes are there (30), not all has come (31)
);
	localparam AT_W = $clog2(BYTES);
	localparam LESS_1 = START_BYTES - 1;
	localparam [16:0] LAST_BYTE = LESS_1[16:0];
	wire       clears = rst_i && power_on_i;
	wire       byte_valid, busy;
	wire [7:0] data;
	reg        begin_q;
	reg  [AT_W-1:0] next_q;              // where the next byte goes
	reg        full_q;
	reg  [16:0] since_q;                 // bytes since a start was asked for
	rivulet_trace_dense #(
		.XLEN(XLEN),
		.HIST(HIST),
		.ENTRIES(ENTRIES),
		.PLACES(PLACES),
		.REPEAT_BITS(REPEAT_BITS),
		.INSN_BITS(INSN_BITS),
		.QUEUE(QUEUE),
		.BUFFER(16),
		.CHECK_BITS(CHECK_BITS),
		.START_BITS(31)
	) coder (
		.clk_i(clk_i),
		.rst_i(clears),
		.rec_valid_i(rec_valid_i),
		.rec_start_i(rec_start_i),
		.rec_hist_i(rec_hist_i),
		.rec_reason_i(rec_reason_i),
		.rec_repeat_i(rec_repeat_i),
		.rec_insns_i(rec_insns_i),
		.flush_i(flush_i),
		.begin_i(begin_q),
		.byte_valid_o(byte_valid),
		.byte_o(data),
		.byte_ready_i(1'b1),
		.busy_o(busy)
	);
	(* no_rw_check *) reg [7:0] ring [0:BYTES-1];
	reg  [7:0] read_q;
`ifdef FORMAL
	wire [8*BYTES-1:0] rows;             // for formal/recorder
	genvar g;
	generate for (g = 0; g < BYTES; g = g + 1) begin : g_row
		assign rows[8*g +: 8] = ring[g];
	end endgenerate
`endif
	reg        read_byte_q, read_state_q;
	wire       takes = byte_valid && !clears;
	wire       empties = sel_i && write_i;
	wire       due = takes && since_q == LAST_BYTE;
	always @(posedge clk_i) begin
		if (takes)
			ring[next_q] <= data;
		read_q <= ring[addr_i[AT_W+1:2]];
		read_byte_q <= sel_i && !addr_i[AT_W+2];
		read_state_q <= sel_i && addr_i[AT_W+2];
		begin_q <= (due || empties) && !clears;
		since_q <= due || empties || clears ? 17'd0 : since_q + {16'd0, takes};
		if (takes) begin
			next_q <= next_q + {{AT_W-1{1'b0}}, 1'b1};
			full_q <= full_q || next_q == {AT_W{1'b1}};
		end
		if (empties || clears) begin
			next_q <= {AT_W{1'b0}};
			full_q <= 1'b0;
		end
	end
	wire [15:0] next_wide;
	generate if (AT_W < 16) begin : g_next
		assign next_wide = {{16-AT_W{1'b0}}, next_q};
	end else begin : g_whole
		assign next_wide = next_q;
	end endgenerate
	assign rdata_o = read_state_q ? {busy, full_q, 14'd0, next_wide} : {24'd0, read_q & {8{read_byte_q}}};
	// What is not legal stops elaboration, as in rivulet_trace_legal.
	generate
	if (BYTES < 64 || BYTES > 65536 || (BYTES & (BYTES - 1)) != 0) begin : g_bytes
		rivulet_trace_dense_recorder_BYTES_is_a_power_of_two_from_64_to_65536 wrong ();
	end
	if (START_BYTES < 1 || START_BYTES > BYTES) begin : g_start
		rivulet_trace_dense_recorder_START_BYTES_is_1_to_BYTES wrong ();
	end
	endgenerate
endmodule
// verilator lint_restore
`default_nettype wire
