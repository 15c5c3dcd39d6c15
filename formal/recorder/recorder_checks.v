// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Rivulet authors
// Properties of the ring of the dense coder, for prove (docs/trace-unit.md section 15). The coder is any that gives bytes as it likes, and says
// that it is not busy only when a flag was its last byte: formal/dense proves that of the real one (ENDED, WHOLE).
`default_nettype none
module recorder_checks #(
	parameter CHECK = 0,
	parameter BYTES = 64,
	parameter START_BYTES = 20
) (
	input wire clk
);
	localparam RING = 0, FROZEN = 1, ENDS = 2, ASKS = 3;
	localparam AT_W = $clog2(BYTES);
	localparam [7:0] FLAG = 8'h7E;
	reg first_q = 1'b1;
	always @(posedge clk)
		first_q <= 1'b0;

	(* anyseq *) wire rst_any, power_any, came, flush, sel, write;
	(* anyseq *) wire [31:0] addr;
	(* anyconst *) wire [AT_W-1:0] watch;
	wire [31:0] rdata;
	wire rst = first_q || rst_any, power_on = first_q || power_any;
	rivulet_trace_dense_recorder #(.BYTES(BYTES), .START_BYTES(START_BYTES)) unit (
		.clk_i(clk),
		.rst_i(rst),
		.power_on_i(power_on),
		.rec_valid_i(came),
		.rec_start_i(32'd0),
		.rec_hist_i(32'd1),
		.rec_reason_i(4'd1),
		.rec_repeat_i(32'd1),
		.rec_insns_i(16'd0),
		.flush_i(flush),
		.sel_i(sel),
		.write_i(write),
		.addr_i(addr),
		.rdata_o(rdata)
	);
	(* hierconn *) wire \unit.byte_valid , \unit.busy , \unit.begin_q , \unit.full_q ;
	(* hierconn *) wire [7:0] \unit.data ;
	(* hierconn *) wire [AT_W-1:0] \unit.next_q ;
	(* hierconn *) wire [16:0] \unit.since_q ;
	(* hierconn *) wire \unit.coder.ended_q ;
	(* hierconn *) wire [8*BYTES-1:0] \unit.rows ;
	wire       clears = rst && power_on, empties = sel && write;
	wire       comes = \unit.byte_valid && !clears;
	wire [AT_W-1:0] next = \unit.next_q ;

	// ---------------------------------------------------------------- what the ring has to hold: how many bytes came, and the last one at one place
	reg  [7:0] shadow_q, last_q;
	reg        known_q;                  // a byte came to the place since the ring was emptied
	reg  [31:0] came_q;                  // bytes since then, at most 2 BYTES
	reg        any_q, asked_q;
	reg  [31:0] unasked_q;               // bytes since a start was asked for
	always @(posedge clk) begin
		if (comes && next == watch) begin
			shadow_q <= \unit.data ;
			known_q <= 1'b1;
		end
		if (comes) begin
			last_q <= \unit.data ;
			came_q <= came_q >= 2 * BYTES - 1 ? came_q + 1 - BYTES : came_q + 1;
			any_q <= 1'b1;
		end
		asked_q <= (empties || (comes && unasked_q == START_BYTES - 1)) && !clears;
		unasked_q <= clears || empties || (comes && unasked_q == START_BYTES - 1) ? 32'd0 : unasked_q + {31'd0, comes};
		if (empties || clears) begin
			known_q <= 1'b0;
			came_q <= 32'd0;
			any_q <= 1'b0;
		end
	end
	wire [31:0] next_wide = {{32-AT_W{1'b0}}, next};
	wire        there = \unit.full_q || watch < next;
	wire        held = !known_q || \unit.rows [8*watch +: 8] == shadow_q;
	wire        counted = next_wide == came_q % BYTES && \unit.full_q == (came_q >= BYTES) && came_q < 2 * BYTES && (known_q == there);
	wire [AT_W-1:0] before = next - 1'b1;
	wire        newest = !any_q || !(watch == before) || (known_q && shadow_q == last_q);
	wire        any_known = any_q == (came_q != 32'd0);

	// ---------------------------------------------------------------- what is read
	reg        reads_q, states_q, reset_q, stood_q;
	reg  [31:0] state_q;
	reg  [AT_W-1:0] next_q;
	reg        full_q;
	always @(posedge clk) begin
		reads_q <= sel && !addr[AT_W+2] && addr[AT_W+1:2] == watch && known_q && !(comes && next == watch) && !empties && !clears;
		states_q <= sel && addr[AT_W+2];
		reset_q <= first_q;
		stood_q <= !first_q && !comes && !empties && !clears;
		next_q <= next;
		full_q <= \unit.full_q ;
	end

	always @* if (!first_q) case (CHECK)
		RING: begin
			assert (held && counted && any_known);
			assert (!reads_q || rdata == {24'd0, shadow_q});
			assert (!states_q || (rdata[15:0] == {{16-AT_W{1'b0}}, next} && rdata[30] == \unit.full_q && rdata[31] == \unit.busy ));
		end
		FROZEN: begin
			assert (held);
			// Without a byte the ring stands as it is, whatever a reset does that is not that of power.
			assert (!stood_q || (next == next_q && \unit.full_q == full_q));
			assert (!reads_q || rdata == {24'd0, shadow_q});
		end
		ENDS: begin
			assert (held && counted && any_known && newest);
			assert (!any_q || !\unit.coder.ended_q || last_q == FLAG);
			assert (clears || !states_q || rdata[31] || !any_q || watch != before || \unit.rows [8*watch +: 8] == FLAG);
		end
		default: begin
			assert (\unit.since_q == unasked_q[16:0] && unasked_q < START_BYTES);
			assert (\unit.begin_q == asked_q);
		end
	endcase
endmodule

// A coder: any bytes, but a flag last when it is not busy.
module rivulet_trace_dense #(
	parameter XLEN = 32,
	parameter HIST = 32,
	parameter ENTRIES = 256,
	parameter PLACES = 1024,
	parameter REPEAT_BITS = 8,
	parameter INSN_BITS = 16,
	parameter QUEUE = 256,
	parameter BUFFER = 16,
	parameter CHECK_BITS = 10,
	parameter START_BITS = 31
) (
	input  wire            clk_i,
	input  wire            rst_i,
	input  wire            rec_valid_i,
	input  wire [XLEN-1:0] rec_start_i,
	input  wire [HIST-1:0] rec_hist_i,
	input  wire [3:0]      rec_reason_i,
	input  wire [31:0]     rec_repeat_i,
	input  wire [15:0]     rec_insns_i,
	input  wire            flush_i,
	input  wire            begin_i,
	output wire            byte_valid_o,
	output wire [7:0]      byte_o,
	input  wire            byte_ready_i,
	output wire            busy_o
);
	(* anyseq *) wire valid, busy;
	(* anyseq *) wire [7:0] out;
	reg ended_q;                         // a flag was the last byte, or there was none
	always @(posedge clk_i)
		ended_q <= rst_i || (valid && byte_ready_i ? out == 8'h7E : ended_q);
	assign byte_valid_o = valid;
	assign byte_o = out;
	assign busy_o = busy;
	always @* assume (rst_i || busy || (ended_q && !valid));
endmodule
`default_nettype wire
