// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Rivulet authors
// Physical memory protection: its registers, the check of fetched words and that of loads and stores (docs/core.md section 8).
`default_nettype none
module rivulet_pmp #(
	parameter REGIONS = 4,                   // Requires: 1 to 16. About 200 LUT4 each; regions above read 0
	parameter GRAIN = 0                      // Requires: 0 to 28. Regions are multiples of 2^(GRAIN + 2) bytes; each step saves about 5 LUT4 a region
) (
	input  wire        clk_i,
	input  wire        rst_i,
	// CSR access: combinational read (0 for other registers), write at the end of the cycle with write_i
	input  wire [11:0] addr_i,
	input  wire        write_i,
	input  wire [31:0] wdata_i,
	output wire [31:0] rdata_o,
	// May the word at fetch_addr_i be executed? Its mode is the present one.
	input  wire [31:2] fetch_addr_i,
	input  wire        fetch_user_i,
	output wire        fetch_deny_o,
	// May the word at data_addr_i be accessed? The address comes late in the cycle; so does the answer.
	input  wire [31:2] data_addr_i,
	input  wire        data_user_i,
	input  wire        data_store_i,
	output wire        data_deny_o
);
	// Fields of a pmpcfg byte
	localparam R = 0, W = 1, X = 2, A_LSB = 3, L = 7;
	localparam [1:0] A_TOR = 2'd1, A_NA4 = 2'd2; // NAPOT: 3
	localparam LOW = GRAIN + 2;              // lowest address bit that a check sees

	wire is_cfg = addr_i[11:2] == 10'h0E8;   // 3A0 to 3A3
	wire is_addr = addr_i[11:4] == 8'h3B;    // 3B0 to 3BF

	wire [REGIONS-1:0] fetch_less, data_less, fetch_match, data_match, fetch_pass, data_pass;
	wire [REGIONS:0]   fixes_below;          // region i is locked and begins where region i - 1 ends
	wire [32*REGIONS-1:0] read;              // what each region gives to a CSR read
	assign fixes_below[REGIONS] = 1'b0;

	// NAPOT: the ones at the low end and the zero above them are free. {addr, 1} + 1 flips exactly these. Found at the write, where there is time.
	wire [30:0] ones = {wdata_i[29:0], 1'b1};
	wire [30-GRAIN:0] flips = ones[30:GRAIN] ^ (ones[30:GRAIN] + 1'b1);
	wire unused = &{1'b0, fixes_below[0], flips[0]};       // there is nothing below region 0, and the lowest bit always flips

	genvar i;
	generate for (i = 0; i < REGIONS; i = i + 1) begin : g_region
		localparam [3:0] INDEX = i;
		reg        r_q, w_q, x_q, locked_q;
		reg [1:0]  a_q;
		reg [29:0] addr_q;                   // address bits 31 to 2
		reg [31:LOW] free_q;                 // of NAPOT: bits that do not count
		wire       cfg_here = is_cfg && addr_i[1:0] == INDEX[3:2];
		wire       addr_here = is_addr && addr_i[3:0] == INDEX;
		wire       tor = a_q == A_TOR;
		wire [7:0] new_cfg = wdata_i[8*(i % 4) +: 8];
		wire [1:0] new_a = new_cfg[A_LSB +: 2];
		assign fixes_below[i] = locked_q && tor;

		wire [31:LOW] free = free_q & {32-LOW{a_q[0]}};
		wire [31:LOW] top = addr_q[29:GRAIN];
		wire       fetch_equal = ((fetch_addr_i[31:LOW] ^ top) & ~free) == {32-LOW{1'b0}};
		wire       data_equal = ((data_addr_i[31:LOW] ^ top) & ~free) == {32-LOW{1'b0}};
		assign fetch_less[i] = fetch_addr_i[31:LOW] < top;
		assign data_less[i] = data_addr_i[31:LOW] < top;
		if (i == 0) begin : g_first
			assign fetch_match[i] = a_q[1] ? fetch_equal : tor && fetch_less[i];
			assign data_match[i] = a_q[1] ? data_equal : tor && data_less[i];
		end else begin : g_next
			assign fetch_match[i] = a_q[1] ? fetch_equal : tor && fetch_less[i] && !fetch_less[i-1];
			assign data_match[i] = a_q[1] ? data_equal : tor && data_less[i] && !data_less[i-1];
		end
		assign fetch_pass[i] = x_q || !(fetch_user_i || locked_q);
		assign data_pass[i] = (data_store_i ? w_q : r_q) || !(data_user_i || locked_q);

		// Bits below the grain: NAPOT reads all but the highest of them as ones, the other modes read zeros.
		wire [29:0] low = (30'd1 << GRAIN) - 30'd1;
		wire [29:0] shown = GRAIN == 0 ? addr_q : a_q[1] ? addr_q | (low >> 1) : addr_q & ~low;
		assign read[32*i +: 32] = ({32{addr_here}} & {2'b0, shown}) |
			({32{cfg_here}} & {24'b0, locked_q, 2'b0, a_q, x_q, w_q, r_q} << (8 * (i % 4)));

		always @(posedge clk_i) begin
			if (write_i && cfg_here && !locked_q) begin
				r_q <= new_cfg[R];
				w_q <= new_cfg[W] && new_cfg[R];
				x_q <= new_cfg[X];
				a_q <= GRAIN != 0 && new_a == A_NA4 ? 2'd0 : new_a;
				locked_q <= new_cfg[L];
			end
			if (write_i && addr_here && !locked_q && !fixes_below[i+1]) begin
				addr_q <= wdata_i[29:0];
				free_q <= flips[30-GRAIN:1];
			end
			if (rst_i) begin
				{r_q, w_q, x_q, a_q, locked_q} <= 6'b0;
				addr_q <= 30'b0;
				free_q <= {{31-LOW{1'b0}}, GRAIN == 0};
			end
		end
	end endgenerate

	// The first region that matches decides; where none does, user mode is refused.
	reg fetch_deny, data_deny;
	reg [31:0] rdata;
	integer n;
	always @* begin
		fetch_deny = fetch_user_i;
		data_deny = data_user_i;
		rdata = 32'b0;
		for (n = REGIONS - 1; n >= 0; n = n - 1) begin
			rdata = rdata | read[32*n +: 32];
			if (fetch_match[n])
				fetch_deny = !fetch_pass[n];
			if (data_match[n])
				data_deny = !data_pass[n];
		end
	end
	assign fetch_deny_o = fetch_deny;
	assign data_deny_o = data_deny;
	assign rdata_o = rdata;
endmodule
`default_nettype wire
