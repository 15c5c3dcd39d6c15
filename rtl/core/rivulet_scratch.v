// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Rivulet authors
// mscratch and mtval, which nothing but CSR instructions reads. Cost: 64 flip-flops and about 32 LUT4; IN_RAM two block RAMs of 16 bits in their place.
`default_nettype none
module rivulet_scratch #(
	parameter [0:0] IN_RAM = 0
) (
	input  wire        clk_i,
	input  wire        rst_i,
	input  wire        read_scratch_i,   // at most one of the two, and not in the cycle of a write: rdata_o in the next cycle, else 0
	input  wire        read_tval_i,
	output wire [31:0] rdata_o,
	input  wire        write_scratch_i,  // at most one of the two
	input  wire        write_tval_i,
	input  wire [31:0] wdata_i,
	output wire [31:0] scratch_o,        // observation, for the bench
	output wire [31:0] tval_o
);
	generate if (IN_RAM) begin : g_ram
		// Place 0 holds 0 from power-up on, which is what reads as long as nothing was written; 1 mscratch, 2 mtval.
		(* ram_style = "block", no_rw_check *) reg [31:0] mem [0:3];
		reg [31:0] word_q;
		reg        scratch_set_q, tval_set_q;
		initial mem[0] = 32'd0;
		always @(posedge clk_i) begin
			if (write_scratch_i || write_tval_i)
				mem[{write_tval_i, write_scratch_i}] <= wdata_i;
			word_q <= mem[{read_tval_i && tval_set_q, read_scratch_i && scratch_set_q}];
			scratch_set_q <= !rst_i && (scratch_set_q || write_scratch_i);
			tval_set_q <= !rst_i && (tval_set_q || write_tval_i);
		end
		assign rdata_o = word_q;
		assign scratch_o = scratch_set_q ? mem[1] : 32'd0;
		assign tval_o = tval_set_q ? mem[2] : 32'd0;
	end else begin : g_registers
		reg [31:0] scratch_q, tval_q;
		reg        scratch_read_q, tval_read_q;
		always @(posedge clk_i) begin
			if (write_scratch_i)
				scratch_q <= wdata_i;
			if (write_tval_i)
				tval_q <= wdata_i;
			scratch_read_q <= read_scratch_i;
			tval_read_q <= read_tval_i;
			if (rst_i) begin
				scratch_q <= 32'd0;
				tval_q <= 32'd0;
			end
		end
		assign rdata_o = ({32{scratch_read_q}} & scratch_q) | ({32{tval_read_q}} & tval_q);
		assign scratch_o = scratch_q;
		assign tval_o = tval_q;
	end endgenerate
endmodule
`default_nettype wire
