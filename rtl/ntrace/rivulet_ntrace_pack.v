// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Rivulet authors
// One message to bytes, one byte a cycle: MDO in bits 7..2, MSEO in bits 1..0 (N-Trace, section of the byte layer). The registers of the encoder are
// shifted out where they stand, six bits a byte, so that what was sent is 0 behind it.
//
//   head  { fixed fields, SRC, TCODE }   whole MDOs leave; what remains stands before the first variable field, in the same byte
//   parts I-CNT | pattern | count | PROCESS | address | HIST | TSTAMP: those of PARTS, in this order, each to the end of its byte
//
// Cost: about 90 LUT4; each option of the encoder adds its part to the choice of six bits.
`default_nettype none
// verilator lint_save
// verilator lint_off UNUSED
// verilator lint_off PINCONNECTEMPTY
module rivulet_ntrace_pack #(
	parameter SRC_BITS = 0,                // 0 to 12
	parameter PARTS = 7
) (
	input  wire              clk_i,
	input  wire              rst_i,
	input  wire              start_i,      // not while busy_o; the rest of these inputs with it
	input  wire [5:0]        tcode_i,
	input  wire [5:0]        fixed_i,
	input  wire [1:0]        width_i,      // of the fixed fields, in pairs of bits
	input  wire [PARTS-1:0]  parts_i,      // at least one
	input  wire [11:0]       src_i,
	// of each part: its lowest six bits, and whether it has no others worth sending
	input  wire [6*PARTS-1:0] low_i,
	input  wire [PARTS-1:0]  last_i,
	output wire [PARTS-1:0]  shift_o,      // by six bits, zeros from above
	output wire [PARTS-1:0]  end_o,        // and this was its last byte
	output wire              busy_o,
	// bytes: valid until ready
	output wire              byte_valid_o,
	output wire [7:0]        byte_o,
	input  wire              byte_ready_i
);
	localparam HEAD = 12 + SRC_BITS;
	localparam A0 = SRC_BITS % 6, A1 = (SRC_BITS + 2) % 6, A2 = (SRC_BITS + 4) % 6;
	localparam N0 = SRC_BITS / 6, N1 = (SRC_BITS + 2) / 6, N2 = (SRC_BITS + 4) / 6, N3 = (SRC_BITS + 6) / 6;
	localparam [1:0] ALIGNED = 2'd3;
	reg             busy_q;
	reg [HEAD-1:0]  head_q;
	reg [1:0]       left_q;                // whole MDOs of the head behind this one
	reg             in_head_q;
	reg [1:0]       align_q;               // how many bits of the head remain: 0 to 2 as WIDTH, or none
	reg [PARTS-1:0] parts_q;
	wire [HEAD-1:0] head;
	generate if (SRC_BITS > 0) begin : g_src
		assign head = {fixed_i, src_i[SRC_BITS-1:0], tcode_i};
	end else begin : g_no_src
		assign head = {fixed_i, tcode_i};
	end endgenerate

	// the first of the parts that are left
	wire [PARTS-1:0] first = parts_q & (~parts_q + {{PARTS-1{1'b0}}, 1'b1});
	reg [5:0] chunk;
	reg       ends;
	integer   p;
	always @* begin
		chunk = 6'd0;
		ends = 1'b0;
		for (p = 0; p < PARTS; p = p + 1) begin
			chunk = chunk | (low_i[6*p +: 6] & {6{first[p]}});
			ends = ends | (last_i[p] & first[p]);
		end
	end
	reg [11:0] joined;                     // what remains of the head or of the byte before, then the chunk
	always @* begin
		case (align_q)
		2'd0: joined = ({6'd0, chunk} << A0) | ({7'd0, head_q[4:0]} & ((12'd1 << A0) - 12'd1));
		2'd1: joined = ({6'd0, chunk} << A1) | ({7'd0, head_q[4:0]} & ((12'd1 << A1) - 12'd1));
		2'd2: joined = ({6'd0, chunk} << A2) | ({7'd0, head_q[4:0]} & ((12'd1 << A2) - 12'd1));
		default: joined = {6'd0, chunk};
		endcase
	end
	wire whole = ends && joined[11:6] == 6'd0;         // the part ends in this byte
	wire finish = whole && parts_q == first;
	wire next = busy_q && byte_ready_i;
	assign busy_o = busy_q;
	assign byte_valid_o = busy_q;
	assign byte_o = in_head_q ? {head_q[5:0], 2'b00} : {joined[5:0], finish, whole};
	assign shift_o = first & {PARTS{next && !in_head_q}};
	assign end_o = shift_o & {PARTS{whole}};
	always @(posedge clk_i) begin
		if (start_i) begin
			busy_q <= 1'b1;
			in_head_q <= 1'b1;
			head_q <= head;
			parts_q <= parts_i;
			align_q <= width_i;        // 3: as 0, one MDO later
			if (width_i == 2'd3)
				align_q <= 2'd0;
			case (width_i)
			2'd0: left_q <= N0[1:0];
			2'd1: left_q <= N1[1:0];
			2'd2: left_q <= N2[1:0];
			default: left_q <= N3[1:0];
			endcase
		end else if (next && in_head_q) begin
			head_q <= head_q >> 6;
			left_q <= left_q - 2'd1;
			in_head_q <= left_q != 2'd0;
		end else if (next) begin
			head_q[5:0] <= joined[11:6];
			if (whole) begin
				parts_q <= parts_q & ~first;
				align_q <= ALIGNED;
			end
			if (finish)
				busy_q <= 1'b0;
		end
		if (rst_i)
			busy_q <= 1'b0;
	end
endmodule
// verilator lint_restore
`default_nettype wire
